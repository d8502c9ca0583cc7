"""Raise It Up Stud's card: what is made or on the way, how many high cards, and outs on Fifth Street."""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Final

from pitstream.odds import _odds, stud
from pitstream.odds.inputs import Inputs
from pitstream.odds.rule import TEN, Rule

Look = tuple[str, int]
"""What is made or on the way, and how many different ranks of ten or higher."""

_HANDS: Final = 22_100
_CHOICES: Final = ("check", "1x", "2x", "3x")
_LOOKS: Final = (
    "three of a kind or better",
    "two pair",
    "a pair of tens or better",
    "a pair below tens",
    "all of one suit within five ranks",
    "all of one suit",
    "all within four ranks",
    "all within five ranks",
    "nothing of these",
)


def found(asked: Inputs, progress: Callable[[int, int], object] | None) -> tuple[tuple[Rule, ...], Fraction, Fraction]:
    """Rules, what following them is worth, and what best play is: a seat is asked no more once a Play Wager stands."""
    solved, pays = stud.solve(asked, progress)
    hands = solved.hands
    third = _choices((look(cards), weight, values) for cards, weight, values in hands)
    fourths = [
        [(look((*cards, card)), weight, values) for card, values in solved.fourth_of(place)]
        for place, (cards, weight, _) in enumerate(hands)
    ]
    asked_again = [at for at, (cards, _, _) in enumerate(hands) if third[look(cards)] == 0]
    fourth = _choices(one for at in asked_again for one in fourths[at])
    least = [_least_outs(outs) for outs in solved.fifth_by_outs]
    checks = solved.fourth_checks(least)
    total = 0
    for at, (cards, weight, values) in enumerate(hands):
        choice = third[look(cards)]
        total += (
            weight * values[choice]
            if choice
            else sum(
                weight * (values_then[fourth[seen]] if fourth[seen] else checks[at][card])
                for card, (seen, _, values_then) in enumerate(fourths[at])
            )
        )
    deals = _odds.STUD_DEALS * pays.scale
    rules = tuple(_rules("Third Street", third))
    if not fourth:
        return rules, Fraction(total, deals), Fraction(solved.total, deals)
    rules = (
        *rules,
        *_rules("Fourth Street", fourth),
        Rule(
            "Fifth Street",
            "1x",
            (
                f"{least[0]} or more last cards that make a pair of tens or better",
                f"{least[1]} or more of them when one makes a straight or better",
            ),
        ),
        Rule("Fifth Street", "fold", ("anything else",)),
    )
    return rules, Fraction(total, deals), Fraction(solved.total, deals)


def look(cards: Sequence[int]) -> Look:
    """
    >>> look((0, 1, 48)), look((32, 36, 40)), look((0, 4, 51))
    (('a pair below tens', 1), ('all of one suit within five ranks', 3), ('all within four ranks', 1))
    """
    ranks = [card // 4 for card in cards]
    held = sorted(set(ranks))
    high = sum(rank >= TEN for rank in held)
    counts = sorted((ranks.count(rank) for rank in held), reverse=True)
    suited = len({card % 4 for card in cards}) == 1
    if counts[0] >= 3:
        return _LOOKS[0], 0
    if counts[:2] == [2, 2]:
        return _LOOKS[1], 0
    if counts[0] == 2:
        pair = next(rank for rank in held if ranks.count(rank) == 2)
        return (_LOOKS[2], 0) if pair >= TEN else (_LOOKS[3], high)
    # The ace stands below the two as well.
    low = sorted((rank + 1) % 13 for rank in held)
    span = min(held[-1] - held[0], low[-1] - low[0])
    if suited:
        return _LOOKS[4 if span <= 4 else 5], high
    return _LOOKS[6 if span <= 3 else 7 if span <= 4 else 8], high


def _choices(seen: Iterable[tuple[Look, int, Sequence[int]]]) -> dict[Look, int]:
    """For each look the choice that is worth most over all hands that look so."""
    sums: dict[Look, list[int]] = {}
    for one, weight, values in seen:
        total = sums.setdefault(one, [0] * len(values))
        for choice, value in enumerate(values):
            total[choice] += weight * value
    return {one: max(range(len(total)), key=lambda choice: (total[choice], -choice)) for one, total in sums.items()}


def _least_outs(by_outs: Sequence[tuple[int, int]]) -> int:
    gains = [gain for _, gain in by_outs]
    return max(range(len(gains) + 1), key=lambda least: (sum(gains[least:]), -least))


def _rules(street: str, choices: dict[Look, int]) -> list[Rule]:
    if len(set(choices.values())) == 1:
        return [Rule(street, _CHOICES[next(iter(choices.values()))], ("any hand",))]
    rules = []
    for choice in sorted(set(choices.values()) - {0}, reverse=True):
        when = []
        for made in _LOOKS:
            highs = sorted(high for (name, high), chosen in choices.items() if name == made and chosen == choice)
            known = sorted(high for name, high in choices if name == made)
            if not highs:
                continue
            if highs == known:
                when.append(made)
            elif highs == known[-len(highs) :]:
                when.append(f"{made}, {highs[0]} or more of them ten or higher")
            else:
                when.append(f"{made}, {' or '.join(map(str, highs))} of them ten or higher")
        rules.append(Rule(street, _CHOICES[choice], tuple(when)))
    return [*rules, Rule(street, "check", ("anything else",))]
