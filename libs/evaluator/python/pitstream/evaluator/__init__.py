"""Poker hands of three, five, six and seven cards: what they are worth, and which cards make it so.

A hand is given as a list or tuple of `Card`, as text (``"AsKd"`` or ``"As Kd"``), as bytes of card ids, or as an int
with one bit for each card id. A value is an int: higher is better, equal exactly when the hands tie. No call ranks
cards that cannot exist together: a card twice, an unknown card or a wrong number of cards is a `CardError`, anything
that is no hand at all a `TypeError`.

>>> category(rank("As Ks Qs Js Ts 2c 3d")).name
'ROYAL_FLUSH'
>>> rank("Js 7h 2c Jd 9s") > rank("Td 7s 2d Th 9c")
True
>>> rank("2h 2h 3c 4c 5c")
Traceback (most recent call last):
pitstream.evaluator.RepeatedCardError: cards: card 2h twice
"""

from enum import IntEnum
from typing import Final, TypeAlias

from pitstream.evaluator import _evaluator
from pitstream.evaluator._evaluator import (
    DECK,
    Card,
    CardCountError,
    CardError,
    RepeatedCardError,
    batch_path,
    best_five,
    best_three_plus_two,
    deciding_ranks,
    fingerprint,
    rank,
    rank_many,
    rank_three,
    rank_three_plus_two,
)

__all__ = [
    "DECK",
    "RANKS",
    "SUITS",
    "Card",
    "CardCountError",
    "CardError",
    "Cards",
    "Category",
    "RepeatedCardError",
    "ThreeCardCategory",
    "batch_path",
    "best_five",
    "best_three_plus_two",
    "category",
    "deciding_ranks",
    "fingerprint",
    "pair_rank",
    "rank",
    "rank_many",
    "rank_three",
    "rank_three_plus_two",
    "three_category",
]

Cards: TypeAlias = list[Card] | tuple[Card, ...] | str | bytes | int
"""The forms in which a hand is given."""

RANKS: Final = "23456789TJQKA"
"""The ranks' letters by number: ``RANKS.index("J")`` is 9."""

SUITS: Final = "cdhs"
"""The suits' letters by number."""


class Category(IntEnum):
    """What five cards are, the lowest first (58 Pa. Code 653a.6, 669a.6)."""

    HIGH_CARD = 0
    PAIR = 1
    TWO_PAIR = 2
    THREE_OF_A_KIND = 3
    STRAIGHT = 4
    FLUSH = 5
    FULL_HOUSE = 6
    FOUR_OF_A_KIND = 7
    STRAIGHT_FLUSH = 8
    ROYAL_FLUSH = 9


class ThreeCardCategory(IntEnum):
    """What three cards are, the lowest first: the straight beats the flush (58 Pa. Code 669a.6(c))."""

    NOTHING = 0
    PAIR = 1
    FLUSH = 2
    STRAIGHT = 3
    THREE_OF_A_KIND = 4
    STRAIGHT_FLUSH = 5
    ROYAL = 6


_CATEGORIES = tuple(Category)
_THREE_CARD_CATEGORIES = tuple(ThreeCardCategory)


def category(value: int) -> Category:
    """What the hand behind a value of `rank` or `rank_three_plus_two` is. ValueError for an int that is no such one."""
    return _CATEGORIES[_evaluator.category(value)]


def three_category(value: int) -> ThreeCardCategory:
    """What the three cards behind a value of `rank_three` are. ValueError for an int that is no such value."""
    return _THREE_CARD_CATEGORIES[_evaluator.three_category(value)]


def pair_rank(value: int) -> int | None:
    """The rank (0..12) of the pair, when the five-card hand behind a value is one pair; else None.

    "Pair of jacks or better" is a higher category than a pair, or a pair of at least ``RANKS.index("J")``.

    >>> pair_rank(rank("Js 7h 2c Jd 9s")), pair_rank(rank("Js 7h 7c Jd 9s"))
    (9, None)
    """
    return deciding_ranks(value)[0] if category(value) is Category.PAIR else None
