"""Which rows of a paytable a hand fits.

A hand fits the row of exactly its rank: a straight flush does not fit a flush row. A pair fits "that pair or better"
and "pair". A royal flush without a row of its own fits the straight flush row, a royal of spades that of any royal.
"""

from collections.abc import Iterable
from functools import cache

from pitstream.evaluator import (
    Category,
    ThreeCardCategory,
    category,
    deciding_ranks,
    rank,
    rank_three,
    rank_three_plus_two,
    three_category,
)

TENS = 8
JACKS = 9
"""Ranks as the evaluator counts them: a two is 0, an ace 12."""

FIVE_CARD_ROWS = (
    "royal_flush",
    "straight_flush",
    "four_of_a_kind",
    "full_house",
    "flush",
    "straight",
    "three_of_a_kind",
    "two_pair",
    "pair_jacks_or_better",
    "pair_tens_or_better",
    "pair",
)
THREE_CARD_ROWS = (
    "three_card_royal_spades",
    "three_card_royal",
    "straight_flush",
    "three_of_a_kind",
    "straight",
    "flush",
    "pair",
)
TWO_CARD_ROWS = (
    "pair_of_aces_player_and_dealer",
    "pair_of_aces",
    "ace_king_suited",
    "ace_king",
    "pair_jacks_or_better",
    "pair",
)

Rows = tuple[str, ...]
"""The rows that a hand fits, the highest first."""


def five_card_value(cards: Iterable[str]) -> int:
    """The best five of five, six or seven cards. Equal values tie, a higher one wins."""
    return rank("".join(cards))


def three_plus_two_value(own: Iterable[str], community: Iterable[str]) -> int:
    """The best hand of all three own cards and exactly two of the three community cards: 583.11(d)(2)."""
    return rank_three_plus_two("".join(own), "".join(community))


@cache
def five_card_rows(value: int) -> Rows:
    """Rows of ``FIVE_CARD_ROWS`` for a value of ``five_card_value`` or ``three_plus_two_value``."""
    match category(value):
        case Category.ROYAL_FLUSH:
            return ("royal_flush", "straight_flush")
        case Category.PAIR:
            paired = deciding_ranks(value)[0]
            jacks = ("pair_jacks_or_better",) if paired >= JACKS else ()
            tens = ("pair_tens_or_better",) if paired >= TENS else ()
            return (*jacks, *tens, "pair")
        case Category.HIGH_CARD:
            return ()
        case made:
            return (made.name.lower(),)


def is_pair_or_better(value: int, least: int) -> bool:
    """Whether the hand is a pair of ``least`` (``TENS``, ``JACKS``), a higher pair, or anything above a pair."""
    made = category(value)
    return made > Category.PAIR or (made == Category.PAIR and deciding_ranks(value)[0] >= least)


def three_card_rows(cards: tuple[str, ...], *, wheel: bool) -> Rows:
    """Rows of ``THREE_CARD_ROWS`` for three cards: 669a.6(c). ``wheel``: A-2-3 counts as a straight (policy)."""
    match three_category(rank_three("".join(cards), wheel=wheel)):
        case ThreeCardCategory.ROYAL:
            spades = ("three_card_royal_spades",) if cards[0][1] == "s" else ()
            return (*spades, "three_card_royal", "straight_flush")
        case ThreeCardCategory.NOTHING:
            return ()
        case made:
            return (made.name.lower(),)


def is_wheel(cards: tuple[str, ...]) -> bool:
    """Whether three cards are A-2-3: a straight by policy alone.

    >>> is_wheel(("2c", "As", "3h"))
    True
    """
    return sorted(card[0] for card in cards) == ["2", "3", "A"]


def two_card_rows(own: tuple[str, ...], dealer: tuple[str, ...]) -> Rows:
    """Rows of ``TWO_CARD_ROWS`` for a player's two cards beside the dealer's two: 653b.5."""
    first, second = own[0][0], own[1][0]
    if first == second == "A":
        both = ("pair_of_aces_player_and_dealer",) if all(card[0] == "A" for card in dealer) else ()
        return (*both, "pair_of_aces", "pair_jacks_or_better", "pair")
    if first == second:
        return ("pair_jacks_or_better", "pair") if first in "JQK" else ("pair",)
    if {first, second} == {"A", "K"}:
        return ("ace_king_suited", "ace_king") if own[0][1] == own[1][1] else ("ace_king",)
    return ()
