"""Method: a round's second card was misread; it is corrected by the pure functions that the services use, and the
telling, the record and the page are compared with the round before and after."""

import pytest
from test_a_round_is_one_page import Taken
from test_which_card_lies_where_in_the_rack import played_holdem
from told import history, sealed

from pitstream.events.disputes import CardFact, DecisionFact, Fact, PlayerFact, SeatFact, WagerFact
from pitstream.events.rounds import RoundOpened
from pitstream.events.settlements import RoundResettled, SeatResettled
from pitstream.games.corrections import corrected, correction_of
from pitstream.games.game import FinishedRound
from pitstream.games.paytables import bundled
from pitstream.games.settlement import RULES_VERSION, settle
from pitstream.story.history import History, record_from
from pitstream.story.moments import fact_told
from pitstream.story.page import page
from pitstream.story.telling import tell

# Seat 1 held 2c, not 8c: a pair of deuces with the board becomes three of them, and its Trips win.
FACT = Fact(card=CardFact(place="seat", seat=1, position=2, was="8c", becomes="2c"))

SAME = ("table", "round_no", "round_id", "game", "gaming_day", "currency")
"""What a correction does not change."""


@pytest.fixture(scope="module")
def put_right() -> History:
    before = history(played_holdem())
    opened, settled = before.round[0].event, before.settled
    assert isinstance(opened, RoundOpened)
    assert settled is not None
    played = corrected(before.played, [FACT], set_aside=(), paytables=bundled(), rules_version=RULES_VERSION)
    assert isinstance(played, FinishedRound), played
    names = {"reason": "read from the rack", "proposed_by": "f-17", "confirmed_by": "f-18"}
    event = correction_of(opened, played, number=1, facts=(FACT,), dispute=None, **names)
    result = settle(played)
    was, becomes = ({s.seat: s for s in seats} for seats in (settled.seats, result.seats))
    (changed,) = (seat for seat in was if was[seat] != becomes[seat])
    again = RoundResettled(
        **{
            name: getattr(settled, name) for name in ("table", "round_no", "round_id", "game", "gaming_day", "currency")
        },
        seats=result.seats,
        order=result.order,
        network="n1",
        rules_version=RULES_VERSION,
        closed_by="correction",
        supersedes="first",
        correction=1,
        changes=(SeatResettled(seat=changed, was=was[changed], becomes=becomes[changed], posted_in=0),),
        **names,
    )
    return History(
        round=before.round,
        settlement=sealed("settlement/t1/1", [settled, again], 60_000_000),
        corrections=sealed("correction/t1/1", [event], 70_000_000),
        chained=3,
    )


def trips_of_seat_1(told: History) -> list[tuple[str, int]]:
    """In each settlement, outcome and what came back."""
    return [
        (line.outcome, line.came_back)
        for settlement in tell(told).settlements
        for seat in settlement.seats
        for line in seat.lines
        if (seat.seat, line.name) == (1, "trips")
    ]


def test_the_old_and_the_new_result_are_told_one_after_the_other(put_right: History):
    first, second = tell(put_right).settlements
    assert (first.correction, first.in_force, second.correction, second.in_force) == (0, False, 1, True)
    assert (first.changed, second.changed) == (frozenset(), frozenset({1}))
    assert trips_of_seat_1(put_right) == [("lose", 0), ("win", 2000)]
    assert [seat.cards for seat in first.seats if seat.seat == 1] == [("2d", "8c")]
    assert [seat.cards for seat in second.seats if seat.seat == 1] == [("2d", "2c")]


def test_the_record_is_of_the_round_in_force_and_the_events_keep_their_state(put_right: History):
    seats = {seat["seat"]: seat["cards"] for seat in record_from(put_right)["seats"]}
    assert seats[1] == ["2d", "2c"]
    assert tell(put_right).state_hash == tell(history(played_holdem())).state_hash


def test_the_page_names_the_fact_its_two_people_and_which_result_is_in_force(put_right: History):
    text = Taken(page(tell(put_right))).text
    assert "correction 1, confirmed by f-18: card 2 of seat 1 was 8♣, is 2♣; the round is settled anew" in text
    assert "Settlement after correction 1 in force" in text
    assert "Settlement superseded" in text


@pytest.mark.parametrize(
    ("fact", "told"),
    [
        pytest.param(FACT, "card 2 of seat 1 was 8♣, is 2♣", id="a card of a seat"),
        pytest.param(
            Fact(card=CardFact(place="community", position=3, was="Td", becomes="Th")),
            "card 3 of community was 10♦, is 10♥",
            id="a card of the board",
        ),
        pytest.param(
            Fact(wager=WagerFact(seat=2, wager="play_the_board", was=500, becomes=0)),
            "play the board of seat 2 was 5.00, is not placed",
            id="a wager that was not placed",
        ),
        pytest.param(
            Fact(decision=DecisionFact(seat=2, position=1, was="check", becomes="4x")),
            "answer 1 of seat 2 was check, is 4x",
            id="an answer",
        ),
        pytest.param(
            Fact(at_seat=SeatFact(seat=2, becomes=3)), "what was recorded for seat 2 is seat 3's", id="a seat"
        ),
        pytest.param(Fact(at_seat=SeatFact(seat=2)), "what was recorded for seat 2 is nobody's", id="nobody's seat"),
        pytest.param(
            Fact(player=PlayerFact(seat=2, was="ann", becomes="bob")), "player at seat 2 was ann, is bob", id="a player"
        ),
    ],
)
def test_each_kind_of_fact_is_a_sentence(fact: Fact, told: str):
    assert fact_told(fact, "USD") == told
