"""The kinds of hand that a count tells apart, and which rows of a paytable each fits: by the games' own rules.

Kinds of five-card values, lowest first; ``KINDS[k]`` is what the Rust side calls ``k``. What a kind fits is asked of
``pitstream.games.hands`` with a hand of that kind, so a rule has one place.
"""

from functools import cache
from math import comb
from typing import Final

from pitstream.games.hands import Rows, five_card_rows, five_card_value, three_card_rows

KINDS: Final = (
    "high_card",
    "pair_twos_to_nines",
    "pair_of_tens",
    "pair_jacks_or_better",
    "two_pair",
    "three_of_a_kind",
    "straight",
    "flush",
    "full_house",
    "four_of_a_kind",
    "straight_flush",
    "royal_flush",
)
_A_HAND: Final = (
    "2c 4d 6h 8s Tc",
    "2c 2d 6h 8s Tc",
    "Tc Td 6h 8s 2c",
    "Jc Jd 6h 8s 2c",
    "2c 2d 4h 4s Tc",
    "2c 2d 2h 4s Tc",
    "2c 3d 4h 5s 6c",
    "2c 4c 6c 8c Tc",
    "2c 2d 2h 4s 4c",
    "2c 2d 2h 2s 4c",
    "2c 3c 4c 5c 6c",
    "Tc Jc Qc Kc Ac",
)
KIND_OF_CATEGORY: Final = (0, 1, 4, 5, 6, 7, 8, 9, 10, 11)
"""A kind of each of the evaluator's categories: of a pair the lowest, since no wager on a dealer's hand pays one."""
THREE_OF_A_KIND: Final = KINDS.index("three_of_a_kind")
PAIR_OF_TENS: Final = KINDS.index("pair_of_tens")
JACKS: Final = KINDS.index("pair_jacks_or_better")

KIND_COUNTS: Final = {
    5: (1_302_540, 675_840, 84_480, 337_920, 123_552, 54_912, 10_200, 5_108, 3_744, 624, 36, 4),
    6: (
        6_612_900,
        5_983_224,
        746_760,
        3_000_756,
        2_532_816,
        732_160,
        361_620,
        205_792,
        165_984,
        14_664,
        1_656,
        188,
    ),
    7: (
        23_294_460,
        35_972_640,
        4_466_880,
        18_188_280,
        31_433_400,
        6_461_620,
        6_180_020,
        4_047_644,
        3_473_184,
        224_848,
        37_260,
        4_324,
    ),
}
"""How many sets of five, six and seven cards have a best five of each kind; the Rust tests count them."""

THREE_KINDS: Final = (
    "nothing",
    "pair",
    "flush",
    "straight",
    "three_of_a_kind",
    "straight_flush",
    "three_card_royal",
    "wheel",
    "suited_wheel",
    "three_card_royal_spades",
)
"""Kinds of three cards. Rust does not tell the last one from other royals: a quarter of them is of spades."""
_THREE_CARDS: Final = (
    ("2c", "4d", "6h"),
    ("2c", "2d", "6h"),
    ("2c", "4c", "6c"),
    ("2c", "3d", "4h"),
    ("2c", "2d", "2h"),
    ("2c", "3c", "4c"),
    ("Qc", "Kc", "Ac"),
    ("Ac", "2d", "3h"),
    ("Ac", "2c", "3c"),
    ("Qs", "Ks", "As"),
)
ROYAL: Final = THREE_KINDS.index("three_card_royal")
ROYAL_SPADES: Final = THREE_KINDS.index("three_card_royal_spades")
THREE_COUNTS: Final = (16_440, 3_744, 1_096, 660, 52, 40, 3, 60, 4, 1)
"""How many of 22,100 three cards are of each kind."""


@cache
def rows_of(kind: int) -> Rows:
    """The rows that a five-card hand of this kind fits, the highest first."""
    return five_card_rows(five_card_value(_A_HAND[kind]))


@cache
def three_rows_of(kind: int, *, wheel: bool) -> Rows:
    """The rows that three cards of this kind fit, the highest first. ``wheel``: A-2-3 counts as a straight."""
    return three_card_rows(_THREE_CARDS[kind], wheel=wheel)


for _cards, _counts in KIND_COUNTS.items():
    if sum(_counts) != comb(52, _cards):
        raise AssertionError(f"kinds of {_cards} cards do not add up")
