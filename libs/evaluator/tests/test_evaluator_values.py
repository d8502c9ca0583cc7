"""Method: every hand of three and five cards, and drawn hands of six and seven, against the rules written out naively.

The naive side shares nothing with the library: it groups ranks, looks for straights and compares tuples.
"""

from collections import Counter
from itertools import chain, combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitstream.evaluator import (
    DECK,
    RANKS,
    Card,
    Cards,
    Category,
    ThreeCardCategory,
    best_five,
    best_three_plus_two,
    category,
    deciding_ranks,
    fingerprint,
    pair_rank,
    rank,
    rank_many,
    rank_three,
    rank_three_plus_two,
    three_category,
)

Naive = tuple[int, tuple[int, ...]]
"""Category and deciding ranks: of two hands, the greater tuple wins."""

FIVE_BY_SHAPE = {
    (1, 1, 1, 1, 1): Category.HIGH_CARD,
    (2, 1, 1, 1): Category.PAIR,
    (2, 2, 1): Category.TWO_PAIR,
    (3, 1, 1): Category.THREE_OF_A_KIND,
    (3, 2): Category.FULL_HOUSE,
    (4, 1): Category.FOUR_OF_A_KIND,
}
THREE_BY_SHAPE = {
    (1, 1, 1): ThreeCardCategory.NOTHING,
    (2, 1): ThreeCardCategory.PAIR,
    (3,): ThreeCardCategory.THREE_OF_A_KIND,
}


def grouped(ranks: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """How often each rank is there, most frequent first, and the ranks in that order."""
    groups = sorted(((count, rank) for rank, count in Counter(ranks).items()), reverse=True)
    return tuple(count for count, _ in groups), tuple(rank for _, rank in groups)


def naive_five(ranks: tuple[int, ...], suited: bool) -> Naive:
    shape, deciding = grouped(ranks)
    straight_to = next(
        (high for high in range(12, 2, -1) if set(ranks) == {(high - step) % 13 for step in range(5)}),
        None,
    )
    if straight_to is not None and suited:
        return (Category.ROYAL_FLUSH if straight_to == 12 else Category.STRAIGHT_FLUSH), (straight_to,)
    if suited:
        return Category.FLUSH, deciding
    if straight_to is not None:
        return Category.STRAIGHT, (straight_to,)
    return FIVE_BY_SHAPE[shape], deciding


def naive_three(ranks: tuple[int, ...], suited: bool, wheel: bool) -> Naive:
    shape, deciding = grouped(ranks)
    lowest = 1 if wheel else 2
    straight_to = next(
        (high for high in range(12, lowest - 1, -1) if set(ranks) == {(high - step) % 13 for step in range(3)}),
        None,
    )
    if straight_to is not None and suited:
        return (ThreeCardCategory.ROYAL if straight_to == 12 else ThreeCardCategory.STRAIGHT_FLUSH), (straight_to,)
    if straight_to is not None:
        return ThreeCardCategory.STRAIGHT, (straight_to,)
    if suited:
        return ThreeCardCategory.FLUSH, deciding
    return THREE_BY_SHAPE[shape], deciding


def naive_best(cards: tuple[Card, ...]) -> Naive:
    return max(naive_five(tuple(card.rank for card in five), suited(five)) for five in combinations(cards, 5))


def suited(cards: tuple[Card, ...]) -> bool:
    return len({card.suit for card in cards}) == 1


def meaning(value: int) -> Naive:
    return category(value), deciding_ranks(value)


def shown(five: tuple[Card, ...]) -> str:
    return " ".join(map(str, five))


hands = st.integers(5, 7).flatmap(lambda count: st.permutations(DECK).map(lambda deck: tuple(deck[:count])))
six_cards = st.permutations(DECK).map(lambda deck: tuple(deck[:6]))


def test_every_five_card_hand_has_the_order_and_the_category_that_the_rules_give_it() -> None:
    dealt = bytes(chain.from_iterable(combinations(range(52), 5)))
    values = rank_many(dealt, 5)
    value_of: dict[tuple[bytes, bool], int] = {}
    rank_of, suit_of = (bytes(card.rank for card in DECK), bytes(card.suit for card in DECK))
    ranks = dealt.translate(rank_of.ljust(256))
    suits = dealt.translate(suit_of.ljust(256))
    for hand, value in enumerate(values):
        start = 5 * hand
        one_suit = suits[start : start + 5] == 5 * suits[start : start + 1]
        alike = ranks[start : start + 5], one_suit
        assert value_of.setdefault(alike, value) == value, f"{alike} ranks as {value} and as {value_of[alike]}"
    assert len(values) == 2_598_960
    ruled = {naive_five(tuple(ranks), one_suit): value for (ranks, one_suit), value in value_of.items()}
    assert len(ruled) == len(set(ruled.values())) == 7462
    assert [meaning(value) for value in sorted(ruled.values())] == sorted(ruled)


def test_every_three_card_hand_has_the_order_and_the_category_that_the_rules_give_it() -> None:
    for wheel in (True, False):
        ruled: dict[Naive, int] = {}
        for three in combinations(DECK, 3):
            value = rank_three(three, wheel=wheel)
            naive = naive_three(tuple(card.rank for card in three), suited(three), wheel)
            assert ruled.setdefault(naive, value) == value
        assert [(three_category(value), deciding_ranks(value)) for value in sorted(ruled.values())] == sorted(ruled)


def test_three_card_hands_fall_into_the_categories_as_combinatorics_says() -> None:
    counts = Counter(three_category(rank_three(three)) for three in combinations(DECK, 3))
    assert counts == {
        ThreeCardCategory.ROYAL: 4,
        ThreeCardCategory.STRAIGHT_FLUSH: 44,
        ThreeCardCategory.THREE_OF_A_KIND: 52,
        ThreeCardCategory.STRAIGHT: 720,
        ThreeCardCategory.FLUSH: 1_096,
        ThreeCardCategory.PAIR: 3_744,
        ThreeCardCategory.NOTHING: 16_440,
    }


@given(hands)
def test_a_hand_is_worth_the_best_five_of_its_cards(hand: tuple[Card, ...]) -> None:
    assert meaning(rank(hand)) == naive_best(hand)


@given(hands)
def test_neither_the_form_nor_the_order_of_a_hand_changes_its_value(hand: tuple[Card, ...]) -> None:
    ids = bytes(card.id for card in hand)
    forms: list[Cards] = [list(hand), hand[::-1], "".join(map(str, hand)), " ".join(map(str, hand)), ids]
    assert {rank(form) for form in [*forms, sum(1 << card.id for card in hand)]} == {rank(hand)}


@given(hands)
def test_the_best_five_are_five_of_the_cards_and_worth_as_much(hand: tuple[Card, ...]) -> None:
    five = best_five(hand)
    assert len(set(five) & set(hand)) == 5
    assert rank(five) == rank(hand)
    assert best_five(hand[::-1]) == five


@given(six_cards)
def test_flop_poker_uses_all_three_own_cards_and_exactly_two_of_the_board(six: tuple[Card, ...]) -> None:
    own, board = six[:3], six[3:]
    allowed = {rank((*own, *two)): {*own, *two} for two in combinations(board, 2)}
    best = max(allowed)
    five = best_three_plus_two(own, board)
    assert rank_three_plus_two(own, board) == best == rank(five)
    assert set(own) <= set(five) <= set(six)
    assert five == best_five(five)


@pytest.mark.parametrize(
    ("hand", "five", "kind", "deciding"),
    [
        ("As Ks Qs Js Ts 9s 8s", "As Ks Qs Js Ts", Category.ROYAL_FLUSH, "A"),
        ("Ah 5h 4h 3h 2h 6c 7c", "5h 4h 3h 2h Ah", Category.STRAIGHT_FLUSH, "5"),
        ("9c 9d 9h 9s Kc Kd Kh", "9s 9h 9d 9c Kh", Category.FOUR_OF_A_KIND, "9K"),
        ("9c 9d 9h Kc Kd Kh 2s", "Kh Kd Kc 9h 9d", Category.FULL_HOUSE, "K9"),
        ("2h 4h 6h 8h Th Kh As", "Kh Th 8h 6h 4h", Category.FLUSH, "KT864"),
        ("Ac Kd Qh Js Tc Ts 9d", "Ac Kd Qh Js Ts", Category.STRAIGHT, "A"),
        ("Ac 2d 3h 4s 5c Kd Qd", "5c 4s 3h 2d Ac", Category.STRAIGHT, "5"),
        ("Qc Kd Ah 2s 3c 7d 8h", "Ah Kd Qc 8h 7d", Category.HIGH_CARD, "AKQ87"),
        ("7c 7d 7h Kc 2d 9s", "7h 7d 7c Kc 9s", Category.THREE_OF_A_KIND, "7K9"),
        ("7c 7d 5c 5d 3h 3s 2h", "7d 7c 5d 5c 3s", Category.TWO_PAIR, "753"),
        ("Jc Jd 9s 4h 2c", "Jd Jc 9s 4h 2c", Category.PAIR, "J942"),
    ],
)
def test_the_best_five_stand_in_the_order_of_their_weight(hand: str, five: str, kind: Category, deciding: str) -> None:
    value = rank(hand)
    assert shown(best_five(hand)) == five
    assert (category(value), "".join(RANKS[place] for place in deciding_ranks(value))) == (kind, deciding)


@pytest.mark.parametrize(
    ("own", "board", "five"),
    [
        pytest.param("Js 7h 2c", "Jd 9s 4h", "Js Jd 9s 7h 2c", id="a jack in hand pairs a jack on the board"),
        pytest.param("As Kh 2c", "9d 9s 9h", "9s 9h As Kh 2c", id="board trips count as a pair only"),
        pytest.param("As Ks Qs", "Js Ts 9s", "As Ks Qs Js Ts", id="the royal, not the king-high straight flush"),
        pytest.param("2s 2h 2d", "2c Ac Ad", "2s 2h 2d 2c Ad", id="of two aces that serve alike the diamond"),
    ],
)
def test_the_five_cards_of_a_flop_poker_hand(own: str, board: str, five: str) -> None:
    assert shown(best_three_plus_two(own, board)) == five


@pytest.mark.parametrize(
    ("three", "wheel", "kind"),
    [
        ("Ah Kh Qh", True, ThreeCardCategory.ROYAL),
        ("Kh Qh Jh", True, ThreeCardCategory.STRAIGHT_FLUSH),
        ("Ah 2h 3h", True, ThreeCardCategory.STRAIGHT_FLUSH),
        ("Ah 2h 3h", False, ThreeCardCategory.FLUSH),
        ("7c 7d 7h", True, ThreeCardCategory.THREE_OF_A_KIND),
        ("Ah 2c 3d", True, ThreeCardCategory.STRAIGHT),
        ("Ah 2c 3d", False, ThreeCardCategory.NOTHING),
        ("Kh Ac 2d", True, ThreeCardCategory.NOTHING),
        ("2h 7h 9h", True, ThreeCardCategory.FLUSH),
        ("2h 2c 9h", True, ThreeCardCategory.PAIR),
    ],
)
def test_three_cards_by_name(three: str, wheel: bool, kind: ThreeCardCategory) -> None:
    assert three_category(rank_three(three, wheel=wheel)) is kind


@pytest.mark.parametrize(
    ("hand", "pair"),
    [("Jc Jd 9s 4h 2c", "J"), ("2c 2d 9s 4h 3c Kd", "2"), ("Jc Jd 9s 9h 2c", None), ("Ac Kd 9s 4h 2c", None)],
)
def test_only_a_hand_of_one_pair_has_a_pair_rank(hand: str, pair: str | None) -> None:
    assert pair_rank(rank(hand)) == (None if pair is None else RANKS.index(pair))


def test_names_are_the_words_of_the_paytables() -> None:
    assert [kind.name.lower() for kind in Category] == [
        "high_card",
        "pair",
        "two_pair",
        "three_of_a_kind",
        "straight",
        "flush",
        "full_house",
        "four_of_a_kind",
        "straight_flush",
        "royal_flush",
    ]


def test_the_fingerprint_changes_only_with_the_version_or_the_tables() -> None:
    assert fingerprint() == "pitstream-evaluator 0.1.0 tables 1a6caaab5e4dac44"
