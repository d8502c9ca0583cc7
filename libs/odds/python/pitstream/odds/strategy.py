"""Best play: the exact value of each choice, wherever a seat is asked.

Values are Antes won on the main wagers on average, best play after the choice. Of choices that are worth the same the
first listed is taken: no raise where a check does as well, the last bet where a fold does.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Final, Protocol

from pitstream.evaluator import RANKS, SUITS
from pitstream.games.game import FOLD, Game
from pitstream.odds import _odds, flop_poker, stud, uth
from pitstream.odds.errors import OddsError
from pitstream.odds.inputs import Inputs

Values = Mapping[str, Fraction]
"""Choice -> Antes won on average, choices in the order in which the game lists them."""

_UTH_START: Final = _odds.UTH_DEALS // 1326
_UTH_FLOP: Final = 1081 * 990
_UTH_RIVER: Final = 990


class Strategy(Protocol):
    """A game's decisions with certain paytables."""

    def values(self, own: bytes, board: bytes, earlier: tuple[str, ...]) -> Values:
        """``own``, ``board``: card ids, the board in the order it came. ``earlier``: the seat's answers so far."""


def strategy(asked: Inputs, progress: uth.Progress | None = None) -> Strategy:
    """Best play of the main wagers. Raises OddsError as ``par`` does."""
    match asked.game.name:
        case "ultimate_texas_holdem":
            return _Uth(*uth.solve(asked, progress))
        case "raise_it_up_stud":
            return _Stud(*stud.solve(asked, progress))
        case _:
            return _FlopPoker(asked, progress)


def best(values: Values) -> str:
    """The first of the choices that are worth most."""
    return max(values, key=lambda choice: values[choice])


def ids_of(cards: str, field: str = "cards") -> bytes:
    """Card ids of text like ``"As Kd"``. Raises OddsError.

    >>> list(ids_of("2c As"))
    [0, 51]
    """
    words = cards.split()
    ids = []
    for at, word in enumerate(words):
        if len(word) != 2 or word[0] not in RANKS or word[1] not in SUITS:
            allowed = f"a rank {RANKS} and a suit {SUITS}, cards apart by spaces"
            raise OddsError(f"{field}[{at}]", f"was {word!r}; allowed: {allowed}")
        ids.append(4 * RANKS.index(word[0]) + SUITS.index(word[1]))
    return bytes(ids)


def text_of(card: int) -> str:
    """
    >>> text_of(51)
    'As'
    """
    return RANKS[card // 4] + SUITS[card % 4]


def asked_at(game: Game, own: bytes, board: bytes, earlier: tuple[str, ...]) -> tuple[str, ...]:
    """The choices of a seat with these cards on this board. Raises OddsError when it is not asked then."""
    if len(own) != game.hole_cards:
        raise OddsError("own", f"was {len(own)} cards; allowed: {game.hole_cards}")
    for at, card in enumerate(all_cards := own + board):
        if card in all_cards[:at]:
            raise OddsError("cards", f"held {text_of(card)} twice; allowed: each card once")
    seen = 0
    for at, street in enumerate(game.streets):
        seen += street.community
        if seen == len(board) and at >= len(earlier):
            before = (*earlier, *["check"] * (at - len(earlier)))
            for word, asked in zip(before, game.streets, strict=False):
                if word not in asked.choices:
                    raise OddsError("earlier", f"was {word!r} on {asked.name}; allowed: {', '.join(asked.choices)}")
            if any(game.ends_with(word) for word in before):
                raise OddsError("earlier", f"was {', '.join(before)}; allowed: answers after which the seat is asked")
            return street.choices
    seen, allowed = 0, []
    for street in game.streets:
        seen += street.community
        allowed.append(str(seen))
    raise OddsError("board", f"was {len(board)} cards; allowed: {' or '.join(dict.fromkeys(allowed))}")


class _Uth:
    def __init__(self, found: _odds.Uth, pays: uth.Pays) -> None:
        self.found = found
        self.scale = pays.scale

    def values(self, own: bytes, board: bytes, earlier: tuple[str, ...]) -> Values:  # noqa: ARG002
        if not board:
            check, base, play = self.found.start(own)
            sums = {"check": check, "3x": base + 3 * play, "4x": base + 4 * play}
            return self._values(sums, _UTH_START)
        if len(board) == 3:
            check, base, play = self.found.flop(own, board)
            return self._values({"check": check, "2x": base + 2 * play}, _UTH_FLOP)
        base, play, fold = self.found.river(own, board)
        return self._values({"1x": base + play, FOLD: fold}, _UTH_RIVER)

    def _values(self, sums: Mapping[str, int], deals: int) -> Values:
        return {choice: Fraction(total, deals * self.scale) for choice, total in sums.items()}


class _Stud:
    def __init__(self, found: _odds.Stud, pays: stud.Pays) -> None:
        self.found = found
        self.scale = pays.scale

    def values(self, own: bytes, board: bytes, earlier: tuple[str, ...]) -> Values:
        antes = [0 if word == "check" else int(word[0]) for word in earlier]
        if not board:
            third = self.found.third(own)
            return self._values(dict(zip(("check", "1x", "2x", "3x"), third, strict=True)), 49 * 48 * 47)
        if len(board) == 1:
            fourth = self.found.fourth(own, board[0], sum(antes[:1]))
            return self._values(dict(zip(("check", "1x", "2x"), fourth, strict=False)), 48 * 47)
        base, play, fold = self.found.fifth(own, board)
        standing = sum(antes)
        bet, out = base + (standing + 1) * play, fold - 47 * standing * self.scale
        return self._values({"1x": bet, FOLD: out}, 47)

    def _values(self, sums: Mapping[str, int], deals: int) -> Values:
        return {choice: Fraction(total, deals * self.scale) for choice, total in sums.items()}


class _FlopPoker:
    def __init__(self, asked: Inputs, progress: uth.Progress | None) -> None:
        hands, _ = flop_poker.solve(asked, progress)
        self.bet = {tuple(hand.cards): hand.bet for hand in hands}

    def values(self, own: bytes, board: bytes, earlier: tuple[str, ...]) -> Values:  # noqa: ARG002
        return {"flop": self.bet[canonical(own)], FOLD: Fraction(-1)}


def canonical(cards: bytes) -> tuple[int, ...]:
    """The cards with their suits renamed so that the suits' sets of ranks fall, ids rising."""
    ranks = [sum(1 << card // 4 for card in cards if card % 4 == suit) for suit in range(4)]
    order = sorted(range(4), key=lambda suit: -ranks[suit])
    return tuple(sorted(card // 4 * 4 + order.index(card % 4) for card in cards))
