"""What the events of a round ask of its network."""

import pytest

from pitstream.events import Event
from pitstream.events.ids import claim_id
from pitstream.events.rounds import BettingClosed, TableClosed, WagerCount
from pitstream.events.settlements import Award, Line, RoundSettled, SeatSettlement, Share
from pitstream.services.progressive.commands import Claim, CloseRound, Contribute
from pitstream.services.progressive.intake import command_of


def line(wager: str, stake: int, share: int | None = None) -> Line:
    if share is None:
        return Line(wager=wager, stake=stake, outcome="lose", returned=0, won=0, rule="653a.11(h)(2)(i)")
    meter = Share(meter="main", percent=share)
    return Line(
        wager=wager, stake=stake, outcome="win", returned=0, won=0, rule="653a.11(k)", share=meter, paid_from="meter"
    )


def settled(network: str | None, order: tuple[int, ...], void: bool = False) -> RoundSettled:
    return RoundSettled(
        table="t1",
        round_no=7,
        round_id="r7",
        game="ultimate_texas_holdem",
        gaming_day="2025-06-14",
        currency="USD",
        void=void,
        seats=(
            SeatSettlement(seat=1, player="p1", lines=(line("ante", 1000), line("progressive", 100))),
            SeatSettlement(
                seat=2,
                player="p2",
                lines=(line("progressive", 100, share=10), line("five_card", 500, share=100)),
            ),
            SeatSettlement(
                seat=5,
                player="p5",
                lines=(line("progressive", 300, share=100),),
                awards=(Award(award="envy", amount=30_000, rule="653a.11(k)(5)", for_seat=2),),
            ),
        ),
        order=order,
        network=network,
        rules_version="1",
        closed_by="0",
    )


def claimed(seat: int, wager: str, percent: int) -> Claim:
    return Claim(claim_id("t1", 7, seat, wager), seat, f"p{seat}", wager, "main", percent, "653a.11(k)")


WAGERS = (WagerCount(wager="ante", count=2, total=2000), WagerCount(wager="progressive", count=3, total=500))


@pytest.mark.parametrize(
    ("event", "command"),
    [
        pytest.param(
            BettingClosed(table="t1", round_no=7, currency="USD", network="uth", wagers=WAGERS),
            Contribute("uth", "t1", 7, "USD", 500),
            id="the progressive wagers alone feed the meters",
        ),
        pytest.param(
            BettingClosed(table="t1", round_no=7, currency="USD", network="uth", wagers=WAGERS[:1]),
            Contribute("uth", "t1", 7, "USD", 0),
            id="nobody bet on the progressive",
        ),
        pytest.param(
            BettingClosed(table="t1", round_no=7, currency="USD", wagers=WAGERS), None, id="a table without a network"
        ),
        pytest.param(
            settled("uth", (5, 2, 1)),
            CloseRound(
                "uth",
                "t1",
                7,
                "USD",
                500,
                False,
                (claimed(5, "progressive", 100), claimed(2, "progressive", 10), claimed(2, "five_card", 100)),
            ),
            id="claims stand in the order of settlement, within a seat in line order",
        ),
        pytest.param(settled(None, (5, 2, 1)), None, id="a settlement without a network"),
        pytest.param(TableClosed(table="t1", reason="dinner"), None, id="an event of no concern"),
    ],
)
def test_command_of(event: Event, command: Contribute | CloseRound | None) -> None:
    assert command_of(event) == command


def test_a_claim_at_a_seat_that_is_not_in_the_order_is_not_forgotten() -> None:
    with pytest.raises(ValueError, match=r"order: was \[5, 1\]; 2 claiming lines are at other seats"):
        command_of(settled("uth", (5, 1)))


@pytest.mark.parametrize("order", [pytest.param((5, 2, 1, 4), id="not there"), pytest.param((5, 2, 2, 1), id="twice")])
def test_an_order_of_a_seat_that_is_not_there_or_is_there_twice_is_said_as_it_is(order: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"order: was \[5, 2, .*\]; allowed: seats of \[1, 2, 5\], each once"):
        command_of(settled("uth", order))
