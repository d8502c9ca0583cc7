"""Whole evenings: a network's meters beside those that an independent reference kept, round by round."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pitstream.events.progressives import HitLocked, MeterOpening
from pitstream.events.settlements import RoundSettled
from pitstream.games.record import Record, read_record
from pitstream.games.settlement import settle
from pitstream.services.progressive.commands import CloseRound, OpenNetwork
from pitstream.services.progressive.decisions import decide
from pitstream.services.progressive.evolution import evolve
from pitstream.services.progressive.intake import command_of
from pitstream.services.progressive.network import Network, NotOpened, State

DEMO = Path(__file__).parents[3] / "demo"
MAIN = MeterOpening(meter="main", seed=1_000_000, amount=1_000_000, rate_numerator=1, rate_denominator=5)


def records(evening: str) -> Iterator[Record]:
    with (DEMO / f"{evening}.jsonl").open("rb") as feed:
        yield from map(read_record, feed)


def settled(record: Record, round_no: int) -> RoundSettled:
    result = settle(record.round)
    return RoundSettled(
        table=record.table,
        round_no=round_no,
        round_id=record.id,
        game=record.round.game,
        gaming_day=record.round.gaming_day,
        currency=record.round.currency,
        void=record.round.void is not None,
        seats=result.seats,
        order=result.order,
        network=record.round.game,
        rules_version="1",
        closed_by="",
    )


@pytest.mark.parametrize(("evening", "hits"), [("evening-small", 1), ("evening-uth", 0)])
def test_an_evenings_meters_are_the_reference_s_to_the_unit(evening: str, hits: int) -> None:
    networks: dict[str, State] = {}
    paid: list[int] = []
    for round_no, record in enumerate(records(evening), start=1):
        command = command_of(settled(record, round_no))
        assert isinstance(command, CloseRound)
        state = networks.get(command.network) or NotOpened()
        if isinstance(state, NotOpened):
            opened = decide(state, OpenNetwork(command.network, "USD", (MAIN,)))
            assert isinstance(opened, list)
            state = evolve(state, opened[0])
        before: list[int] = []
        events = decide(state, command)
        assert isinstance(events, list)
        for event in events:
            if isinstance(event, HitLocked):
                paid.append(event.amount)
                before.append(event.meter_before)
            state = evolve(state, event)
        assert isinstance(state, Network)
        if record.meters:
            # The record tells the amount just before the payouts.
            assert (before or [state.meters["main"].amount]) == [record.meters["main"]], record.id
        networks[command.network] = state
    expected = json.loads((DEMO / f"{evening}.expected.json").read_text(encoding="utf-8"))["meters"]
    standing = {
        name: {meter.meter: meter.amount for meter in state.meters.values()}
        for name, state in networks.items()
        if isinstance(state, Network)
    }
    assert {name: standing[name] for name in expected} == expected
    assert len(paid) == hits
