"""Facts of a finished round are put right, or refused with the field that is wrong. Method: one round of Ultimate Texas
Hold'em with two seats, and one correction of it a line."""

import pytest

from pitstream.events.disputes import CardFact, DecisionFact, Fact, PlayerFact, SeatFact, WagerFact
from pitstream.events.refusal import Refusal
from pitstream.games.corrections import corrected
from pitstream.games.game import FinishedRound, Seat
from pitstream.games.paytables import bundled
from pitstream.games.settlement import RULES_VERSION

ROUND = FinishedRound(
    game="ultimate_texas_holdem",
    gaming_day="2025-06-14",
    currency="USD",
    paytables={"ante": "A", "blind": "A", "play": "A", "trips": "A"},
    options={"forfeited_seat": "loses_all", "void_round": "returns_all"},
    dealer=("3c", "5d"),
    community=("Qh", "2d", "7s", "8h", "Jc"),
    burned=(),
    bonus=(),
    seats=(
        Seat(1, "p1", ("Ah", "Kh"), {"ante": 1000, "blind": 1000, "trips": 500}, ("check", "check", "1x")),
        Seat(4, "p4", ("9c", "9d"), {"ante": 1000, "blind": 1000}, ("4x",)),
    ),
)


def correct(*facts: Fact, set_aside: tuple[str, ...] = ()) -> FinishedRound | Refusal:
    return corrected(ROUND, facts, set_aside=set_aside, paytables=bundled(), rules_version=RULES_VERSION)


def card(place: str, position: int, was: str, becomes: str, seat: int | None = None) -> Fact:
    return Fact(card=CardFact(place=place, seat=seat, position=position, was=was, becomes=becomes))  # type: ignore[arg-type]


def wager(seat: int, name: str, was: int, becomes: int) -> Fact:
    return Fact(wager=WagerFact(seat=seat, wager=name, was=was, becomes=becomes))


def answer(seat: int, position: int, was: str, becomes: str) -> Fact:
    return Fact(decision=DecisionFact(seat=seat, position=position, was=was, becomes=becomes))


@pytest.mark.parametrize(
    ("facts", "what", "becomes"),
    [
        pytest.param([card("dealer", 2, "5d", "Qd")], "dealer", ("3c", "Qd"), id="the dealer's second card"),
        pytest.param([card("seat", 1, "Ah", "As", 1)], "cards of 1", ("As", "Kh"), id="a seat's first card"),
        pytest.param(
            [card("community", 1, "Qh", "5d"), card("dealer", 2, "5d", "Qh")],
            "dealer", ("3c", "Qh"), id="two cards that changed places",
        ),
        pytest.param([wager(1, "trips", 500, 0)], "wagers of 1", {"ante": 1000, "blind": 1000}, id="Trips not placed"),
        pytest.param(
            [wager(1, "ante", 1000, 2000), wager(1, "blind", 1000, 2000)],
            "wagers of 1", {"ante": 2000, "blind": 2000, "trips": 500}, id="Ante and Blind were twice as much",
        ),
        pytest.param(
            [wager(4, "trips", 0, 700)],
            "wagers of 4", {"ante": 1000, "blind": 1000, "trips": 700}, id="a wager that nobody recorded",
        ),
        pytest.param([answer(1, 3, "1x", "fold")], "answers of 1", ("check", "check", "fold"), id="a fold"),
        pytest.param(
            [answer(1, 2, "check", "2x"), answer(1, 3, "1x", "")],
            "answers of 1", ("check", "2x"), id="bet a street earlier, so not asked again",
        ),
        pytest.param([Fact(at_seat=SeatFact(seat=4, becomes=5))], "seats", (1, 5), id="the next seat's bet"),
        pytest.param([Fact(at_seat=SeatFact(seat=4))], "seats", (1,), id="nobody was in the round there"),
        pytest.param(
            [Fact(at_seat=SeatFact(seat=4, becomes=1)), Fact(at_seat=SeatFact(seat=1, becomes=4))],
            "players", ("p4", "p1"), id="two seats that were taken for each other",
        ),
        pytest.param(
            [Fact(player=PlayerFact(seat=1, was="p1", becomes="p9"))], "players", ("p9", "p4"), id="somebody else"
        ),
    ],
)  # fmt: skip
def test_the_round_becomes_what_was_on_the_table(facts, what, becomes):
    found = correct(*facts)
    assert isinstance(found, FinishedRound), found
    seats = {seat.seat: seat for seat in found.seats}
    match what.split(" of "):
        case ["dealer"]:
            told: object = found.dealer
        case ["seats"]:
            told = tuple(seats)
        case ["players"]:
            told = tuple(seat.player for seat in found.seats)
        case [part, seat]:
            of = seats[int(seat)]
            told = {"cards": of.cards, "wagers": dict(of.wagers), "answers": of.decisions}[part]
    assert told == becomes


@pytest.mark.parametrize(
    ("facts", "code", "field"),
    [
        pytest.param([], "nothing_to_correct", "facts", id="no fact at all"),
        pytest.param([Fact()], "invalid_fact", "facts[0]", id="a fact about nothing"),
        pytest.param([card("dealer", 2, "5c", "Qd")], "fact_differs", "facts[0].card.was", id="not what was recorded"),
        pytest.param([card("dealer", 2, "5d", "5d")], "nothing_to_correct", "facts[0].card.becomes", id="as recorded"),
        pytest.param([card("dealer", 3, "5d", "Qd")], "unknown_position", "facts[0].card.position", id="no such card"),
        pytest.param([card("seat", 1, "Ah", "As")], "invalid_fact", "facts[0].card.seat", id="whose card"),
        pytest.param([card("seat", 1, "Ah", "As", 2)], "unknown_seat", "facts[0].card.seat", id="no such seat"),
        pytest.param(
            [card("dealer", 2, "5d", "Qd"), card("dealer", 2, "5d", "Qs")], "fact_twice", "facts[1].card", id="twice"
        ),
        pytest.param([card("dealer", 2, "5d", "Qh")], "duplicate_card", "cards.community[0]", id="a card twice"),
        pytest.param([wager(1, "ante", 1000, 2000)], "invalid_stake", "seats[0].wagers.blind", id="Blind equals Ante"),
        pytest.param([wager(1, "ante", 1000, 0)], "missing_wager", "seats[0].wagers.ante", id="no Ante, no hand"),
        pytest.param(
            [wager(1, "progressive", 0, 100)], "unknown_wager", "seats[0].wagers.progressive", id="not offered there"
        ),
        pytest.param([answer(1, 3, "1x", "2x")], "illegal_decision", "seats[0].decisions[2]", id="too late for 2x"),
        pytest.param([answer(1, 3, "1x", "")], "illegal_decision", "seats[0].decisions", id="an answer is missing"),
        pytest.param(
            [answer(1, 2, "check", "")], "illegal_decision", "seats[0].decisions", id="an answer between two is missing"
        ),
        pytest.param([answer(4, 2, "", "check")], "illegal_decision", "seats[1].decisions[1]", id="not asked again"),
        pytest.param([Fact(at_seat=SeatFact(seat=4, becomes=1))], "seat_taken", "seats[1].seat", id="two hands there"),
        pytest.param(
            [Fact(at_seat=SeatFact(seat=4, becomes=4))],
            "nothing_to_correct", "facts[0].at_seat.becomes", id="it sat there",
        ),
        pytest.param(
            [Fact(at_seat=SeatFact(seat=4)), Fact(at_seat=SeatFact(seat=1))],
            "invalid_json", "seats", id="nobody is left",
        ),
    ],
)  # fmt: skip
def test_a_fact_that_cannot_be_is_refused_with_its_field(facts, code, field):
    refused = correct(*facts)
    assert isinstance(refused, Refusal), refused
    assert (refused.code, refused.field) == (code, field)


def test_a_card_that_was_set_aside_was_not_dealt():
    refused = correct(card("dealer", 2, "5d", "Qd"), set_aside=("Qd",))
    assert refused == Refusal("duplicate_card", "cards", "was Qd, which was set aside and cannot have been dealt")
