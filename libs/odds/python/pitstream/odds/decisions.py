"""Every decision's exact values as files: one line for each class of cards, each choice a fraction of an Ante.

Classes are up to what matters; ``stands_for`` says how many sets of cards a line is for. The river of Ultimate Texas
Hold'em and Fifth Street of Raise It Up Stud have millions of lines: they are made board by board, so that a file takes
no memory, and are compressed. One of them alone is told by ``pitstream par GAME --hand --board``.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from struct import iter_unpack

from pitstream.odds import _odds, flop_poker, stud, uth
from pitstream.odds.inputs import Inputs
from pitstream.odds.strategy import text_of

Progress = Callable[[int, int], object] | None


def files(asked: Inputs, progress: Progress = None) -> Mapping[str, Iterable[str]]:
    """Name -> CSV with a head, a line or several at a time, made as they are read; a name with ``.gz`` is to be
    compressed. Raises OddsError as ``par`` does."""
    match asked.game.name:
        case "ultimate_texas_holdem":
            found, pays = uth.solve(asked.only_main(), progress)
            return {
                "pre_flop.csv": _uth_starts(found, pays.scale),
                "flop.csv": _uth_flops(found, pays.scale),
                "river.csv.gz": uth_rivers(found, pays.scale, range(_odds.UTH_BOARDS)),
            }
        case "raise_it_up_stud":
            solved, stud_pays = stud.solve(asked, progress)
            return {
                "third_street.csv": _stud_third(solved, stud_pays.scale),
                "fourth_street.csv": _stud_fourth(solved, stud_pays.scale),
                "fifth_street.csv.gz": stud_fifths(solved, stud_pays.scale, range(1755)),
            }
        case _:
            hands, _ = flop_poker.solve(asked, progress)
            return {"deal.csv": _flop_poker(hands)}


def _cards(ids: Iterable[int]) -> str:
    return " ".join(map(text_of, sorted(ids, reverse=True)))


def _line(*values: object) -> str:
    return ",".join(map(str, values)) + "\n"


def _uth_starts(found: _odds.Uth, scale: int) -> Iterator[str]:
    yield _line("hand", "stands_for", "check", "3x", "4x")
    deals = _odds.UTH_DEALS // 1326 * scale
    for high in range(12, -1, -1):
        for low in range(high, -1, -1):
            for suited in (False,) if high == low else (True, False):
                hand = bytes((4 * high, 4 * low if suited else 4 * low + 1))
                check, base, play = found.start(hand)
                stands_for = 6 if high == low else 4 if suited else 12
                values = (Fraction(each, deals) for each in (check, base + 3 * play, base + 4 * play))
                yield _line(_cards(hand), stands_for, *values)


def _uth_flops(found: _odds.Uth, scale: int) -> Iterator[str]:
    """A class is told by its first hand; hands that the flop's own symmetry exchanges have the same values."""
    yield _line("flop", "hand", "stands_for", "check", "2x")
    deals = 1081 * 990 * scale
    holes = [(high, low) for high in range(1, 52) for low in range(high)]
    for place in range(1755):
        flop, weight, sums = found.flop_sums(place)
        names = _symmetries(flop)
        classes: dict[tuple[int, int], list[int]] = {}
        for at, (hole, values) in enumerate(zip(holes, iter_unpack("=3q", sums), strict=True)):
            if hole[0] in flop or hole[1] in flop:
                continue
            first = min(_renamed(hole, each) for each in names)
            classes.setdefault(first, [at, 0, *values])[1] += 1
        for hole, (_, members, check, base, play) in classes.items():
            values = (Fraction(check, deals), Fraction(base + 2 * play, deals))
            yield _line(_cards(flop), _cards(hole), members * weight, *values)


def uth_rivers(found: _odds.Uth, scale: int, classes: Iterable[int]) -> Iterator[str]:
    """Every hand on these classes of board, 0 to ``UTH_BOARDS``, after two checks.

    One board and one hand on it tell the class: boards matter by their ranks, and where a flush can come by which cards
    have its suit.
    """
    yield _line("board", "hand", "stands_for", "1x", "fold")
    for at in classes:
        yield found.river_lines(at, scale)


def _symmetries(cards: bytes) -> list[tuple[int, ...]]:
    """The ways to name the suits that leave the set as it is."""
    held = set(cards)
    every = [(a, b, c, 6 - a - b - c) for a in range(4) for b in range(4) for c in range(4) if len({a, b, c}) == 3]
    return [names for names in every if {card // 4 * 4 + names[card % 4] for card in held} == held]


def _renamed(hole: tuple[int, int], names: tuple[int, ...]) -> tuple[int, int]:
    one, other = (card // 4 * 4 + names[card % 4] for card in hole)
    return max(one, other), min(one, other)


def _stud_third(found: _odds.Stud, scale: int) -> Iterator[str]:
    yield _line("hand", "stands_for", "check", "1x", "2x", "3x")
    for cards, weight, values in found.hands:
        yield _line(_cards(cards), weight, *(Fraction(value, 49 * 48 * 47 * scale) for value in values))


def _stud_fourth(found: _odds.Stud, scale: int) -> Iterator[str]:
    yield _line("hand", "first_card", "stands_for", "check", "1x", "2x")
    for place, (cards, weight, _) in enumerate(found.hands):
        for card, values in found.fourth_of(place):
            told = (Fraction(value, 48 * 47 * scale) for value in values)
            yield _line(_cards(cards), text_of(card), weight, *told)


def stud_fifths(found: _odds.Stud, scale: int, hands: Iterable[int]) -> Iterator[str]:
    """Every first two community cards, in either order, beside these canonical hands, 0 to 1,755, after two checks."""
    yield _line("hand", "board", "stands_for", "1x", "fold")
    for place in hands:
        yield found.fifth_lines(place, scale)


def _flop_poker(hands: Iterable[flop_poker.Hand]) -> Iterator[str]:
    yield _line("hand", "stands_for", "flop", "fold")
    for hand in hands:
        yield _line(_cards(hand.cards), hand.weight, hand.bet, -1)
