"""A network's tables are made anew from its events, hits that corrections propose among them. Method: what the pure
decisions make of a corrected round is stored as the service stores it, on a real PostgreSQL; then all is made anew."""

from dataclasses import replace
from importlib.resources import files

import asyncpg
import pytest

from pitstream.events.progressives import MeterOpening
from pitstream.events.refusal import Refusal
from pitstream.runtime import Cause, Store, Transaction
from pitstream.runtime.rebuild import RebuildError, rebuild
from pitstream.services.progressive.commands import (
    AcceptHit,
    Claim,
    CloseRound,
    Command,
    Contribute,
    CorrectRound,
    DeclineHit,
    OpenNetwork,
)
from pitstream.services.progressive.decisions import decide
from pitstream.services.progressive.network_store import Writing
from pitstream.services.progressive.projections import PROJECTIONS

pytestmark = pytest.mark.stack

[NETWORKS] = PROJECTIONS
METER = MeterOpening(meter="main", seed=1000, amount=10_000, rate_numerator=1, rate_denominator=3)
FIRST, SECOND, THIRD = (
    Claim(f"00000000-0000-5000-8000-00000000000{seat}", seat, f"p{seat}", "progressive", "main", 10, "653a.11(k)")
    for seat in (1, 2, 3)
)
CORRECTED = CorrectRound(
    network="n", table="t", round_no=1, currency="USD", correction=1, stakes_before=300, stakes_after=300, rates=(),
    hits=(), claims=(FIRST, SECOND, THIRD), reason="camera 4", proposed_by="f.one", confirmed_by="a.two",
)  # fmt: skip
COMMANDS: list[Command] = [
    OpenNetwork("n", "USD", (METER,)),
    Contribute("n", "t", 1, "USD", 300),
    CloseRound("n", "t", 1, "USD", 300, void=False, claims=()),
    CORRECTED,
    AcceptHit("n", FIRST.claim_id, "n.one"),
    DeclineHit("n", SECOND.claim_id, "n.one", "settled by hand"),
]


async def _stored(database: str) -> None:
    migrations = files("pitstream.services.progressive") / "migrations"
    async with Store.open(database, service="progressive", migrations=migrations) as store:
        for number, command in enumerate(COMMANDS):

            async def act(tx: Transaction, number: int = number, command: Command = command) -> None:
                writing = await Writing.begin(tx, "n")
                events = decide(writing.state, command)
                assert not isinstance(events, Refusal), events
                writing.append(events, Cause.of_command(f"c{number}", "n.one"))
                await writing.write()

            await store.run(act)


async def test_proposed_hits_are_made_anew_with_the_rest(database: str) -> None:
    await _stored(database)
    done = await rebuild(database, "progressive", NETWORKS)
    assert (done.difference, done.rows["proposed_hits"], done.rows["hits"]) == (None, 3, 1)
    owner = await asyncpg.connect(database, server_settings={"search_path": "progressive"})
    try:
        rows = await owner.fetch("SELECT claim_id::text, status FROM proposed_hits ORDER BY claim_id")
    finally:
        await owner.close()
    assert [tuple(row) for row in rows] == [
        (FIRST.claim_id, "locked"), (SECOND.claim_id, "declined"), (THIRD.claim_id, "proposed"),
    ]  # fmt: skip


async def test_a_projector_that_writes_beyond_its_tables_is_stopped_and_the_tables_in_use_stay(database: str) -> None:
    """A table that is missing in the list would be written where it is in use."""
    await _stored(database)
    owner = await asyncpg.connect(database, server_settings={"search_path": "progressive"})
    try:
        before = await owner.fetch("SELECT * FROM meter_moves ORDER BY network, version, meter")
        without = replace(NETWORKS, tables=tuple(one for one in NETWORKS.tables if one != "meters"))
        with pytest.raises(RebuildError, match="wrote on meters of the tables in use; allowed: meter_moves, hits"):
            await rebuild(database, "progressive", without)
        assert await owner.fetch("SELECT * FROM meter_moves ORDER BY network, version, meter") == before
    finally:
        await owner.close()
