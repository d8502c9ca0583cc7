"""Flop Poker's card: a pair or better, or high cards."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Final

from pitstream.evaluator import RANKS
from pitstream.odds import _odds, flop_poker
from pitstream.odds.cells import NONE
from pitstream.odds.flop_poker import Hand
from pitstream.odds.inputs import Inputs
from pitstream.odds.kinds import THREE_KINDS
from pitstream.odds.rule import Rule

_FOLD: Final = Fraction(-1)
_HANDS: Final = 22_100
_NOTHING: Final = "nothing"
_NEAR: Final = "near"
_WORDS: Final = {
    "pair": "a pair",
    "flush": "three of one suit",
    "straight": "three in a row",
    "three_of_a_kind": "three of a kind",
    "straight_flush": "three in a row of one suit",
    "three_card_royal": "A-K-Q of one suit",
    "wheel": "A-2-3",
    "suited_wheel": "A-2-3 of one suit",
    _NEAR: "three different ranks of five in a row",
}


def found(asked: Inputs, progress: Callable[[int, int], object] | None) -> tuple[tuple[Rule, ...], Fraction, Fraction]:
    """Rules, what following them is worth, and what best play is."""
    hands, _ = flop_poker.solve(asked, progress)
    by_kind: dict[str, list[Hand]] = {}
    for hand in hands:
        by_kind.setdefault(_look(hand), []).append(hand)
    others = by_kind.pop(_NOTHING)
    made = {kind: like for kind, like in by_kind.items() if _gain(like) >= 0}
    # The highest card alone, or one lower with the next high enough: all of them are tried.
    limits = [(high, following) for high in range(len(RANKS) + 1) for following in range(max(high, 1))]
    gains = {limit: _gain(hand for hand in others if _reaches(hand, limit)) for limit in limits}
    # Of rules that earn the same the plainer one.
    high, following = max(limits, key=lambda limit: (gains[limit], -limit[0], limit[1]))
    when = [_WORDS[look] for look in _WORDS if look in made]
    if high < len(RANKS):
        when.append(f"a card of {RANKS[high]} or higher")
    if following < high - 1:
        when.append(f"{RANKS[high - 1]} high with the next card {RANKS[following]} or higher")
    always = high == 0 and set(made) == set(by_kind)
    rules = (
        (Rule("deal", "flop", ("any hand",)),)
        if always
        else (Rule("deal", "flop", tuple(when)), Rule("deal", "fold", ("anything else",)))
    )
    best = _gain(hand for hand in hands if flop_poker.bets(hand))
    return rules, _FOLD + gains[high, following] + sum(map(_gain, made.values()), NONE), _FOLD + best


def _look(hand: Hand) -> str:
    made = THREE_KINDS[_odds.three_kind(hand.cards)]
    low, *_, high = sorted(card // 4 for card in hand.cards)
    return _NEAR if made == _NOTHING and high - low <= 4 else made


def _gain(hands: Iterable[Hand]) -> Fraction:
    """What betting these hands is worth beyond folding them, of an Ante."""
    return sum((hand.weight * (hand.bet - _FOLD) for hand in hands), NONE) / _HANDS


def _reaches(hand: Hand, limit: tuple[int, int]) -> bool:
    _, following, high = sorted(card // 4 for card in hand.cards)
    return high >= limit[0] or (high == limit[0] - 1 and following >= limit[1])
