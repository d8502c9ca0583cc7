"""Ultimate Texas Hold'em's card: starting hands, what is made on the flop, outs on the river."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final

from pitstream.evaluator import RANKS
from pitstream.odds import _odds, uth
from pitstream.odds.inputs import Inputs
from pitstream.odds.rule import SINGULAR, Rule, ranges

Worth = tuple[int, int]

_RANKS: Final = len(RANKS)
_PAIRED: Final = {14: "the lowest card", 15: "the middle card", 16: "the highest card"}
"""What is made on the flop: nothing 0, a pocket pair 1 to 13, a pair with a card of the flop, two pair or better 17."""
_TWO_PAIR: Final = 17
ANTES: Final = {0: "check", 3: "3x", 4: "4x"}


def found(asked: Inputs, progress: Callable[[int, int], object] | None) -> tuple[tuple[Rule, ...], Fraction, Fraction]:
    """Rules, what following them is worth, and what best play is."""
    # What the flop pays a side bet has no part in the play.
    solved, pays = uth.solve(asked.only_main(), progress)
    starts = bytes(_start(solved, index) for index in range(_RANKS * _RANKS))
    made, draws = _flop(solved.flop_looks)
    own, outs = _river(solved.river_looks(progress))
    value = solved.card_value(starts, made, draws, own, outs, progress)
    rules = _start_rules(starts)
    if 0 in starts:
        rules += [*_flop_rules(made, draws), *_river_rules(own, outs)]
    deals = _odds.UTH_DEALS * pays.scale
    return tuple(rules), Fraction(value, deals), Fraction(solved.total, deals)


def _start(solved: _odds.Uth, index: int) -> int:
    """Antes at once with this class of starting hand: suited where the first rank of the class is the higher."""
    first, second = divmod(index, _RANKS)
    check, base, play = solved.start(bytes((4 * first, 4 * second + (first <= second))))
    # Of equals the one with less at risk.
    return max((0, check), (3, base + 3 * play), (4, base + 4 * play), key=lambda one: (one[1], -one[0]))[0]


def _start_rules(starts: bytes) -> list[Rule]:
    rules = []
    if len(set(starts)) == 1:
        return [Rule("before the flop", ANTES[starts[0]], ("any hand",))]
    for antes in (4, 3):
        when = []
        pairs = [rank for rank in range(_RANKS) if starts[(_RANKS + 1) * rank] == antes]
        if pairs:
            when.append(f"pairs: {ranges(pairs)}")
        for high in range(_RANKS - 1, 0, -1):
            suited = [low for low in range(high) if starts[_RANKS * high + low] == antes]
            offsuit = [low for low in range(high) if starts[_RANKS * low + high] == antes]
            if len(suited) == len(offsuit) == high:
                when.append(f"any {SINGULAR[high]}")
                continue
            when += [
                f"{RANKS[high]}{_down_to(high, lows)} {word}"
                for lows, word in ((suited, "suited"), (offsuit, "of two suits"))
                if lows
            ]
        if when:
            rules.append(Rule("before the flop", f"{antes}x", tuple(when)))
    return [*rules, Rule("before the flop", "check", ("anything else",))]


def _down_to(high: int, lows: Sequence[int]) -> str:
    """Second cards: ``6+`` when all from there up to the first card are among them."""
    if len(lows) == high - lows[0] and len(lows) > 1:
        return f"{RANKS[lows[0]]}+"
    return "/".join(RANKS[low] for low in reversed(lows))


def _flop(looks: list[list[Worth]]) -> tuple[list[bool], list[bool]]:
    """What is made raises when it is worth it without a draw; a draw raises from its best lowest rank up."""
    made = [draws[0][1] > 0 for draws in looks]
    by_draw = [sum(looks[at][draw][1] for at in range(len(looks)) if not made[at]) for draw in range(1, _RANKS + 1)]
    least = max(range(_RANKS + 1), key=lambda rank: (sum(by_draw[rank:]), rank))
    return made, [False, *(rank >= least for rank in range(_RANKS))]


def _flop_rules(made: list[bool], draws: list[bool]) -> list[Rule]:
    when = []
    if made[_TWO_PAIR]:
        when.append("two pair or better with a card of the hand")
    paired = [at for at in _PAIRED if made[at]]
    if len(paired) == len(_PAIRED):
        when.append("a pair with any card of the flop")
    else:
        when += [f"a pair with {_PAIRED[at]} of the flop" for at in paired]
    pockets = [rank for rank in range(_RANKS) if made[1 + rank]]
    if pockets:
        when.append(f"a pocket pair: {ranges(pockets)}")
    if made[0]:
        when.append("nothing made")
    if any(draws):
        when.append(f"four to a flush with {RANKS[draws.index(True) - 1]} or higher of the suit in the hand")
    return [*([Rule("flop", "2x", tuple(when))] if when else []), Rule("flop", "check", ("anything else",))]


def _river(looks: list[list[Worth]]) -> tuple[bool, int]:
    """Whether an own pair or better bets whatever the outs, and at most how many outs do."""
    others, own = looks
    bets_own = sum(gain for _, gain in own) >= 0
    by_outs = [gain + (0 if bets_own else own[outs][1]) for outs, (_, gain) in enumerate(others)]
    most = max(range(-1, len(by_outs)), key=lambda outs: (sum(by_outs[: outs + 1]), -outs))
    return bets_own, most


def _river_rules(own: bool, outs: int) -> list[Rule]:
    when = ["a pair or better with a card of the hand"] if own else []
    if outs >= 0:
        when.append(f"at most {outs} unseen cards that alone would beat you in the dealer's hand")
    return [*([Rule("river", "1x", tuple(when))] if when else []), Rule("river", "fold", ("anything else",))]
