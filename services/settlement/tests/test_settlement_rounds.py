"""A closed round's events to its settlement: whole values, and every reason not to settle."""

from collections.abc import Callable
from typing import Any

import pytest

from pitstream.events import Event, Recorded
from pitstream.events.rounds import RoundFinished, RoundOpened
from pitstream.events.settlements import Award, Line, RoundSettled, SeatSettlement, Share
from pitstream.games.paytables import bundled
from pitstream.games.round import ImpossibleEventError
from pitstream.services.settlement.settling import UnsettleableError, settle_stream

EventsOf = Callable[..., list[Event]]
Sealed = Callable[..., list[Recorded]]

ROYAL: dict[str, Any] = {
    "id": "r1",
    "table": "t1",
    "game": "ultimate_texas_holdem",
    "gaming_day": "2025-06-14",
    "currency": "USD",
    "paytables": {"ante": "A", "blind": "A", "play": "A", "trips": "A", "progressive": "sister-A"},
    "cards": {"dealer": ["9h", "9d"], "community": ["Qs", "Js", "Ts", "2d", "3c"], "burned": ["4c", "5c"]},
    "seats": [
        {
            "seat": 1,
            "player": "p1",
            "cards": ["As", "Ks"],
            "wagers": {"ante": 1000, "blind": 1000, "trips": 500, "progressive": 100},
            "decisions": ["4x"],
        },
        {
            "seat": 3,
            "player": "p3",
            "cards": ["7h", "2h"],
            "wagers": {"ante": 1500, "blind": 1500, "progressive": 200},
            "decisions": ["check", "check", "fold"],
        },
    ],
}


def win(wager: str, stake: int, won: int, rule: str) -> Line:
    return Line(wager=wager, stake=stake, outcome="win", returned=stake, won=won, rule=rule)


def lose(wager: str, stake: int, rule: str) -> Line:
    return Line(wager=wager, stake=stake, outcome="lose", returned=0, won=0, rule=rule)


def test_a_finished_round_is_settled_line_by_line_and_a_share_of_a_meter_is_claimed(
    events_of: EventsOf, sealed: Sealed
) -> None:
    stream = sealed(events_of(ROYAL, round_no=7, network="uth"), table="t1", round_no=7)
    opened = stream[0].event
    assert isinstance(opened, RoundOpened)
    assert settle_stream(stream) == RoundSettled(
        table="t1",
        round_no=7,
        round_id="r1",
        game="ultimate_texas_holdem",
        gaming_day="2025-06-14",
        currency="USD",
        void=False,
        seats=(
            SeatSettlement(
                seat=1,
                player="p1",
                lines=(
                    win("ante", 1000, 1000, "653a.11(h)(2)(ii)"),
                    win("blind", 1000, 500_000, "653a.11(h)(2)(ii)"),
                    win("play", 4000, 4000, "653a.11(h)(2)(ii)"),
                    win("trips", 500, 25_000, "653a.11(i)(1)"),
                    Line(
                        wager="progressive",
                        stake=100,
                        outcome="win",
                        returned=0,
                        won=0,
                        rule="653a.11(k)(4)",
                        share=Share(meter="main", percent=100),
                        paid_from="meter",
                    ),
                ),
            ),
            SeatSettlement(
                seat=3,
                player="p3",
                lines=(
                    lose("ante", 1500, "653a.11(f)(2)"),
                    lose("blind", 1500, "653a.11(f)(2)"),
                    lose("progressive", 200, "policy: fold forfeits the progressive payout"),
                ),
                awards=(Award(award="envy", amount=200_000, rule="653a.11(k)(5)", for_seat=1, awaits_validation=True),),
            ),
        ),
        order=(1,),
        network="uth",
        rules_version=opened.rules_version,
        closed_by=stream[-1].envelope.event_id,
    )


def test_a_round_dealt_before_prizes_waited_is_settled_as_it_was_then(events_of: EventsOf, sealed: Sealed) -> None:
    stream = sealed(reopened(events_of(ROYAL, round_no=7, network="uth"), rules_version="1"), table="t1", round_no=7)
    assert settle_stream(stream).seats[1].awards == (
        Award(award="envy", amount=200_000, rule="653a.11(k)(5)", for_seat=1),
    )


def test_a_void_round_returns_every_wager_that_stood(events_of: EventsOf, sealed: Sealed) -> None:
    settled = settle_stream(sealed(events_of({**ROYAL, "void": "card face up"}), table="t1", round_no=1))
    assert (settled.void, settled.order) == (True, (3, 1))
    assert [
        (seat.seat, line.wager, line.stake, line.outcome, line.returned, line.won)
        for seat in settled.seats
        for line in seat.lines
    ] == [
        (1, "ante", 1000, "void", 1000, 0),
        (1, "blind", 1000, "void", 1000, 0),
        (1, "play", 4000, "void", 4000, 0),
        (1, "trips", 500, "void", 500, 0),
        (1, "progressive", 100, "void", 100, 0),
        (3, "ante", 1500, "void", 1500, 0),
        (3, "blind", 1500, "void", 1500, 0),
        (3, "progressive", 200, "void", 200, 0),
    ]


def reopened(events: list[Event], **changed: Any) -> list[Event]:
    return [events[0].model_copy(update=changed), *events[1:]]


def with_paytable(events: list[Event], **changed: str) -> list[Event]:
    opened = events[0]
    assert isinstance(opened, RoundOpened)
    choices = tuple(
        choice.model_copy(update=changed) if choice.wager == "blind" else choice for choice in opened.paytables
    )
    return reopened(events, paytables=choices)


OURS = bundled().named("ultimate_texas_holdem", "blind", "A").sha256


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        pytest.param(
            lambda events: reopened(events, rules_version="0"),
            r"round t1/1: rules_version was '0'; this service judges by '1', '2'",
            id="other rules",
        ),
        pytest.param(
            lambda events: reopened(events, evaluator="slow"),
            r"round t1/1: evaluator was 'slow'; this service judges by '.+'",
            id="another evaluator",
        ),
        pytest.param(
            lambda events: with_paytable(events, paytable="Z"),
            r"round t1/1: paytable was 'Z' for blind; this service has A, B",
            id="an unknown paytable",
        ),
        pytest.param(
            lambda events: with_paytable(events, sha256="00"),
            rf"round t1/1: sha256 of ultimate_texas_holdem\.blind\.A was '00'; the content here is '{OURS}'",
            id="a paytable of other content",
        ),
        pytest.param(
            lambda events: events[1:],
            r"round/t1/1: was opened by pitstream\.rounds\.v1\.WagersPlaced; a round begins with RoundOpened",
            id="a stream that does not begin with its opening",
        ),
        pytest.param(
            lambda events: events[:-1],
            r"round t1/1: was at stage 'showdown'; only a closed round is settled",
            id="a round that is still played",
        ),
    ],
)
def test_a_round_that_this_version_cannot_judge_is_not_settled(
    events_of: EventsOf, sealed: Sealed, spoil: Callable[[list[Event]], list[Event]], reason: str
) -> None:
    stream = sealed(spoil(events_of(ROYAL)), table="t1", round_no=1)
    with pytest.raises(UnsettleableError, match=f"^{reason}$"):
        settle_stream(stream)


def test_a_round_with_a_missing_event_is_not_settled(events_of: EventsOf, sealed: Sealed) -> None:
    stream = sealed(events_of(ROYAL), table="t1", round_no=1)
    with pytest.raises(
        UnsettleableError, match=r"^round/t1/1: was versions \[1, 3, 4.*every version from 1 on is needed"
    ):
        settle_stream([stream[0], *stream[2:]])


def test_events_that_contradict_one_another_are_not_settled(events_of: EventsOf, sealed: Sealed) -> None:
    events = events_of(ROYAL)
    twice = [*events, RoundFinished(table="t1", round_no=1)]
    with pytest.raises(ImpossibleEventError):
        settle_stream(sealed(twice, table="t1", round_no=1))


def test_a_round_without_a_paytable_that_it_needs_is_said_to_contradict_its_rules(
    events_of: EventsOf, sealed: Sealed
) -> None:
    opened, *events = events_of(ROYAL)
    assert isinstance(opened, RoundOpened)
    without = tuple(choice for choice in opened.paytables if choice.wager != "blind")
    stream = sealed([opened.model_copy(update={"paytables": without}), *events], table="t1", round_no=1)
    with pytest.raises(
        UnsettleableError, match=r"^round t1/1: contradicts the rules of ultimate_texas_holdem: KeyError"
    ):
        settle_stream(stream)
