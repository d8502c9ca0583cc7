"""Method: each call with one thing wrong, each answer in full; then whatever Hypothesis can think of."""

import copy
import pickle
import re
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pitstream.evaluator import (
    DECK,
    Card,
    CardCountError,
    CardError,
    RepeatedCardError,
    best_five,
    best_three_plus_two,
    category,
    deciding_ranks,
    pair_rank,
    rank,
    rank_three,
    rank_three_plus_two,
    three_category,
)

A_CARD = 'a rank 23456789TJQKA and a suit cdhs ("Td")'
A_HAND = "a list or tuple of Card, a str, bytes of card ids, or an int with a bit for each card id"
FIVE = list(DECK[:5])

WRONG_HANDS = [
    pytest.param("2c3c4c5c6c7c2c", RepeatedCardError, "cards: card 2c twice", id="same card twice, text"),
    pytest.param([*FIVE, DECK[4]], RepeatedCardError, "cards: card 3c twice", id="same card twice, list"),
    pytest.param(bytes([51, 1, 2, 3, 4, 5, 51]), RepeatedCardError, "cards: card As twice", id="same card twice, ids"),
    pytest.param(FIVE[:4], CardCountError, "cards: were 4 cards; allowed: 5, 6 or 7", id="4 cards"),
    pytest.param(DECK[:8], CardCountError, "cards: were 8 cards; allowed: 5, 6 or 7", id="8 cards"),
    pytest.param(DECK, CardCountError, "cards: were 52 cards; allowed: 5, 6 or 7", id="the deck"),
    pytest.param("", CardCountError, "cards: were 0 cards; allowed: 5, 6 or 7", id="no text"),
    pytest.param(0, CardCountError, "cards: were 0 cards; allowed: 5, 6 or 7", id="no bit"),
    pytest.param(0xFF, CardCountError, "cards: were 8 cards; allowed: 5, 6 or 7", id="8 bits"),
    pytest.param(None, TypeError, f"cards: was None; allowed: {A_HAND}", id="None"),
    pytest.param(1.5, TypeError, f"cards: was 1.5; allowed: {A_HAND}", id="float"),
    pytest.param(True, TypeError, f"cards: was True; allowed: {A_HAND}", id="bool"),
    pytest.param({1, 2}, TypeError, f"cards: was {{1, 2}}; allowed: {A_HAND}", id="set"),
    pytest.param(range(99), TypeError, f"cards: was range(0, 99); allowed: {A_HAND}", id="range"),
    pytest.param([*FIVE, None], TypeError, "cards[5]: was None; allowed: a Card", id="None among cards"),
    pytest.param(["2c", *FIVE], TypeError, 'cards[0]: was "2c"; allowed: a Card', id="text among cards"),
    pytest.param([*FIVE, 7], TypeError, "cards[5]: was 7; allowed: a Card", id="int among cards"),
    pytest.param("As1xQsJsTs", CardError, f'cards[1]: was "1x"; allowed: {A_CARD}', id="1x"),
    pytest.param("As10dQsJsTs", CardError, f'cards[1]: was "10"; allowed: {A_CARD}', id="10d"),
    pytest.param("AsKsQsJsts", CardError, f'cards[4]: was "ts"; allowed: {A_CARD}', id="lower case rank"),
    pytest.param("AsKSQsJsTs", CardError, f'cards[1]: was "KS"; allowed: {A_CARD}', id="upper case suit"),
    pytest.param("AsKsQsJsT", CardError, f'cards[4]: was "T"; allowed: {A_CARD}', id="half a card"),
    pytest.param("As  KsQsJsTs", CardError, f'cards[1]: was " K"; allowed: {A_CARD}', id="two spaces"),
    pytest.param(" AsKsQsJsTs", CardError, f'cards[0]: was " A"; allowed: {A_CARD}', id="a space before"),
    pytest.param("AsKsQsJsTs ", CardError, f'cards[5]: was " "; allowed: {A_CARD}', id="a space after"),
    pytest.param("As♠KQsJsTs", CardError, f'cards[1]: was "♠K"; allowed: {A_CARD}', id="not ASCII"),
    pytest.param("AsKs\ud800QsJs", CardError, f'cards: was "AsKs���QsJs"; allowed: {A_CARD}', id="not Unicode"),
    pytest.param(bytes([0, 1, 52, 3, 4]), CardError, "cards[2]: was 52; allowed: 0..51", id="id 52"),
    pytest.param(bytes([255, 1, 2, 3, 4]), CardError, "cards[0]: was 255; allowed: 0..51", id="id 255"),
    pytest.param(-1, CardError, "cards: was -1; allowed: an int with bits 0..51", id="negative mask"),
    pytest.param(1 << 52 | 0xF, CardError, f"cards: was {1 << 52 | 0xF}; allowed: an int with bits 0..51", id="bit 52"),
    pytest.param(1 << 64, CardError, f"cards: was {1 << 64}; allowed: an int with bits 0..51", id="bit 64"),
]


@pytest.mark.parametrize(("hand", "error", "message"), WRONG_HANDS)
def test_a_hand_that_cannot_exist_is_named_and_never_ranked(hand: Any, error: type, message: str) -> None:
    for call in (rank, best_five):
        with pytest.raises(error) as caught:
            call(hand)
        assert (type(caught.value), str(caught.value)) == (error, message)


@pytest.mark.parametrize(
    ("hand", "error", "message"),
    [
        ("2c3c2c", RepeatedCardError, "cards: card 2c twice"),
        ("2c3c", CardCountError, "cards: were 2 cards; allowed: 3"),
        ("2c3c4c5c", CardCountError, "cards: were 4 cards; allowed: 3"),
        (bytes([0, 1, 52]), CardError, "cards[2]: was 52; allowed: 0..51"),
        (None, TypeError, f"cards: was None; allowed: {A_HAND}"),
    ],
)
def test_three_cards_that_cannot_exist_are_named_and_never_ranked(hand: Any, error: type, message: str) -> None:
    with pytest.raises(error) as caught:
        rank_three(hand)
    assert (type(caught.value), str(caught.value)) == (error, message)


@pytest.mark.parametrize(
    ("own", "board", "error", "message"),
    [
        ("2c3c4c", "5c6c2c", RepeatedCardError, "own and board: card 2c twice"),
        ("2c3c3c", "5c6c7c", RepeatedCardError, "own and board: card 3c twice"),
        ("2c3c", "5c6c7c", CardCountError, "own: were 2 cards; allowed: 3"),
        ("2c3c4c", "5c6c7c8c", CardCountError, "board: were 4 cards; allowed: 3"),
        (bytes([0, 60, 1]), "5c6c7c", CardError, "own[1]: was 60; allowed: 0..51"),
        ("2c3c4c", bytes([10, 11, 99]), CardError, "board[2]: was 99; allowed: 0..51"),
        ("2c3c4c", None, TypeError, f"board: was None; allowed: {A_HAND}"),
    ],
)
def test_flop_poker_cards_that_cannot_exist_are_named(own: Any, board: Any, error: type, message: str) -> None:
    for call in (rank_three_plus_two, best_three_plus_two):
        with pytest.raises(error) as caught:
            call(own, board)
        assert (type(caught.value), str(caught.value)) == (error, message)


@pytest.mark.parametrize(
    ("text", "error", "was"),
    [
        ("1x", CardError, '"1x"'),
        ("10d", CardError, '"10d"'),
        ("td", CardError, '"td"'),
        ("TD", CardError, '"TD"'),
        ("T", CardError, '"T"'),
        ("", CardError, '""'),
        ("T♦", CardError, '"T♦"'),
        ("é", CardError, '"é"'),
        ("x" * 99, CardError, '"' + "x" * 60 + '…"'),
        (None, TypeError, "None"),
        (33, TypeError, "33"),
        (b"Td", TypeError, "b'Td'"),
    ],
)
def test_text_that_is_no_card_is_shown(text: Any, error: type, was: str) -> None:
    with pytest.raises(error) as caught:
        Card(text)
    assert (type(caught.value), str(caught.value)) == (error, f"card: was {was}; allowed: {A_CARD}")


@pytest.mark.parametrize(
    ("id_", "error", "message"),
    [
        (52, CardError, "id: was 52; allowed: 0..51"),
        (-1, CardError, "id: was -1; allowed: 0..51"),
        (1 << 70, CardError, f"id: was {1 << 70}; allowed: 0..51"),
        (1.0, TypeError, "id: was 1.0; allowed: an int 0..51"),
        (True, TypeError, "id: was True; allowed: an int 0..51"),
        ("Td", TypeError, 'id: was "Td"; allowed: an int 0..51'),
        (None, TypeError, "id: was None; allowed: an int 0..51"),
    ],
)
def test_an_id_that_is_no_card_is_shown(id_: Any, error: type, message: str) -> None:
    with pytest.raises(error) as caught:
        Card.from_id(id_)
    assert (type(caught.value), str(caught.value)) == (error, message)


def test_a_value_is_only_read_as_the_kind_of_hand_that_it_is() -> None:
    five, three = rank("AsKsQsJsTs"), rank_three("AsKsQs")
    for call, value in [(category, three), (pair_rank, three), (three_category, five), (deciding_ranks, 0xFFFF)]:
        with pytest.raises(ValueError, match=f"^value: was {value}; allowed: the value of a hand of this kind$"):
            call(value)
    for wrong in (-1, 1 << 40, 1277, 10 << 12, 1 << 16, 1 << 16 | 7 << 12):
        with pytest.raises(ValueError, match=f"^value: was {wrong}; allowed: "):
            deciding_ranks(wrong)
    for other in (None, 1.0, "9", True):
        with pytest.raises(TypeError, match=r"^value: was .*; allowed: an int$"):
            category(other)  # type: ignore[arg-type]


def test_the_deck_holds_each_card_once_in_the_order_of_ids() -> None:
    texts = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]
    assert list(map(str, DECK)) == texts
    assert [(card.id, card.rank, card.suit) for card in DECK] == [(id_, id_ // 4, id_ % 4) for id_ in range(52)]
    assert [Card(text) for text in texts] == [Card.from_id(id_) for id_ in range(52)] == sorted({*DECK})
    assert len({*DECK, *map(Card, texts)}) == 52


def test_a_card_is_a_value_that_cannot_be_changed() -> None:
    card = Card("Td")
    assert repr(card) == 'Card("Td")'
    assert pickle.loads(pickle.dumps(card)) == copy.deepcopy(card) == card
    assert card != "Td"
    with pytest.raises(AttributeError):
        card.id = 3  # type: ignore[misc]
    with pytest.raises(TypeError):
        card < 3  # type: ignore[operator]  # noqa: B015


anything = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(),
        st.text("23456789TJQKAcdhs ", max_size=21),
        st.binary(max_size=9),
        st.binary(min_size=5, max_size=7).map(lambda ids: bytes(id_ % 54 for id_ in ids)),
        st.integers(0, 2**53),
        st.sampled_from(DECK),
    ),
    lambda parts: st.lists(parts, max_size=9) | st.tuples(parts, parts, parts) | st.dictionaries(st.text(), parts),
    max_leaves=12,
) | st.lists(st.sampled_from(DECK), min_size=2, max_size=9)


def ids_of(hand: Any) -> list[int] | None:
    """The ids in any documented form of a hand; None for what is none."""
    if isinstance(hand, list | tuple):
        return [card.id for card in hand] if all(type(card) is Card for card in hand) else None
    if isinstance(hand, str):
        if not re.fullmatch(r"([2-9TJQKA][cdhs]( (?=[2-9TJQKA]))?)*", hand):
            return None
        return [Card(text).id for text in re.findall(r"[2-9TJQKA][cdhs]", hand)]
    if isinstance(hand, bytes):
        return list(hand)
    if type(hand) is int and 0 <= hand < 1 << 52:
        return [id_ for id_ in range(52) if hand >> id_ & 1]
    return None


def can_exist(ids: list[int] | None, counts: range) -> bool:
    return ids is not None and len(ids) in counts and len(set(ids)) == len(ids) and all(id_ < 52 for id_ in ids)


@settings(max_examples=300)
@given(anything)
@example("AsKsQsJsTs ")
@example(bytes([0, 0, 0, 0, 0, 0, 0]))
@example(bytes([48, 49, 50, 51, 48, 49, 50]))
def test_whatever_is_given_only_a_hand_that_can_exist_is_ranked(hand: Any) -> None:
    # A panic would come out as a BaseException, and fail the test.
    for call, counts in [(rank, range(5, 8)), (best_five, range(5, 8)), (rank_three, range(3, 4))]:
        if can_exist(ids_of(hand), counts):
            call(hand)
        else:
            with pytest.raises((CardError, TypeError)):
                call(hand)


@given(anything, anything)
def test_whatever_is_given_only_flop_poker_hands_that_can_exist_are_ranked(own: Any, board: Any) -> None:
    ids, more = ids_of(own), ids_of(board)
    if can_exist(ids, range(3, 4)) and can_exist(more, range(3, 4)) and not set(ids or ()) & set(more or ()):
        assert best_three_plus_two(own, board)
    else:
        with pytest.raises((CardError, TypeError)):
            rank_three_plus_two(own, board)
