"""How a process comes to know its networks: from a snapshot where there is one of its own making, else from the events.
Method: the store on a real PostgreSQL, a process being a store that was just opened."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from importlib.resources import files
from typing import Any

import pytest

from pitstream.cli.audit import findings
from pitstream.cli.invariants import invariants_of
from pitstream.events import Event
from pitstream.events.ids import claim_id, progressive_stream
from pitstream.events.progressives import (
    HandPayApproved,
    HitLocked,
    MeterContribution,
    MeterOpening,
    NetworkOpened,
    RoundClosed,
    WagersContributed,
)
from pitstream.runtime import Cause, Store
from pitstream.services.progressive import network_store
from pitstream.services.progressive.commands import RefuseHit
from pitstream.services.progressive.decisions import decide
from pitstream.services.progressive.evolution import evolve
from pitstream.services.progressive.network import Network
from pitstream.services.progressive.network_store import SNAPSHOTS, Writing, folded, hits_of

pytestmark = pytest.mark.stack

MAIN = MeterOpening(meter="main", seed=1_000, amount=5_000, rate_numerator=1, rate_denominator=5)
OPENED = NetworkOpened(network="wide", currency="USD", meters=(MAIN,))
CAUSE = Cause.of_command("c", "test")


def process(database: str) -> AbstractAsyncContextManager[Store]:
    return Store.open(
        database, service="progressive", migrations=files("pitstream.services.progressive") / "migrations"
    )


def contributed(round_no: int) -> WagersContributed:
    fed = MeterContribution(meter="main", posted=1, amount_after=5_000 + round_no, carry_numerator=0)
    return WagersContributed(
        network="wide", table="t1", round_no=round_no, stakes=5, contributions=(fed,), currency="USD"
    )


async def append(store: Store, events: Sequence[Event]) -> None:
    """As a version of the service did that knew no tables beside the events."""
    async with store.transaction() as tx:
        version = await tx.conn.fetchval("SELECT coalesce(max(version), 0) FROM events")
        tx.append(progressive_stream("wide"), "wide", events, expected_version=version, cause=CAUSE)


async def read_by_a_new_process(database: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, int]:
    """The network, and how many events were folded to have it."""
    counted = 0

    def counting(state: Any, event: Event) -> Any:
        nonlocal counted
        counted += 1
        return evolve(state, event)

    with monkeypatch.context() as patch:
        patch.setattr(network_store, "evolve", counting)
        async with process(database) as store, store.transaction() as tx:
            return (await folded(tx, "wide")).state, counted


async def test_a_new_process_folds_only_what_came_after_the_last_snapshot(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds = [
        event
        for n in range(1, 1_501)
        for event in (contributed(n), RoundClosed(network="wide", table="t1", round_no=n))
    ]
    async with process(database) as store:
        await append(store, [OPENED, *rounds[:2_400]])
        async with store.transaction() as tx:
            await folded(tx, "wide")
        await append(store, rounds[2_400:])
    lived, newer = await read_by_a_new_process(database, monkeypatch)
    assert newer == 600
    assert isinstance(lived, Network)
    assert (lived.version, lived.meters["main"].amount, lived.closed) == (3_001, 6_500, {"t1": 1_500})

    # Another version of the code: its snapshots are its own, and it begins from the events.
    monkeypatch.setattr(SNAPSHOTS, "fingerprint", b"another")
    replayed, all_of_them = await read_by_a_new_process(database, monkeypatch)
    assert (replayed, all_of_them) == (lived, 3_001)


async def test_a_snapshot_that_does_not_stand_on_the_stream_s_own_events_is_not_used(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds = [
        event for n in range(1, 601) for event in (contributed(n), RoundClosed(network="wide", table="t1", round_no=n))
    ]
    async with process(database) as store:
        await append(store, [OPENED, *rounds])
        async with store.transaction() as tx:
            lived = (await folded(tx, "wide")).state
        async with store.transaction() as tx:
            await tx.conn.execute("UPDATE snapshots SET hash = sha256('other events')")
    assert await read_by_a_new_process(database, monkeypatch) == (lived, 1_201)


async def test_a_network_older_than_the_tables_is_told_of_in_them_and_its_old_hits_can_be_refused(
    database: str,
) -> None:
    claims = [claim_id("t1", round_no, 3, "progressive") for round_no in (1, 2)]
    where = {"network": "wide", "table": "t1", "seat": 3, "player": "p3", "meter": "main", "currency": "USD"}

    def locked(number: int, amount: int, percent: int, before: int, after: int) -> HitLocked:
        return HitLocked(
            **where, round_no=number, claim_id=claims[number - 1], wager="progressive", percent=percent, amount=amount,
            meter_before=before, meter_after=after, rule="653a.11(k)", policy="sequential",
        )  # fmt: skip

    old = [
        OPENED,
        contributed(1),
        locked(1, 500, 10, 5_001, 4_501),
        RoundClosed(network="wide", table="t1", round_no=1),
        HandPayApproved(**where, round_no=1, claim_id=claims[0], floorperson="f", amount=500),
        locked(2, 4_501, 100, 4_501, 1_000),
        RoundClosed(network="wide", table="t1", round_no=2),
    ]
    async with process(database) as store:
        await append(store, old)
        async with store.transaction() as tx:
            writing = await Writing.begin(tx, "wide")
            events = decide(writing.state, RefuseHit("wide", claims[1], "f", "fouled"))
            assert isinstance(events, list)
            writing.append(events, CAUSE)
            await writing.write()
            found = await hits_of(tx, "wide")
        async with store.transaction() as tx:
            state = (await folded(tx, "wide")).state
    assert [(hit.amount, hit.status, hit.decided_by) for hit in found] == [(500, "paid", "f"), (4_501, "refused", "f")]
    assert isinstance(state, Network)
    assert (state.meters["main"].amount, state.version) == (4_501, 8)
    checked = await findings(database, "progressive", invariants_of("progressive"))
    assert [one for one in checked if not one.holds] == []
