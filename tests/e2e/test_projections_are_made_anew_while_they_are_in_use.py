"""Every projection is made anew from its events and takes the place of the one in use, while the floor plays. Method:
real services under a feed; definitions and rows compared before and after; a planted fault."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import pytest

from pitstream.cli.invariants import SERVICES
from pitstream.cli.rebuild import projections_of
from pitstream.runtime.rebuild import DiffersError, Projection, rebuild

pytestmark = pytest.mark.stack

EVERY = [(service, one) for service in SERVICES for one in projections_of(service).values()]
DEFINED = """
SELECT 'constraint' AS what, c.conrelid::regclass::text AS of, c.conname::text AS name,
       pg_get_constraintdef(c.oid) AS definition
FROM pg_constraint c WHERE c.connamespace = $1::text::regnamespace
UNION ALL SELECT 'index', tablename::text, indexname::text, indexdef FROM pg_indexes WHERE schemaname = $1
UNION ALL SELECT 'trigger', tgrelid::regclass::text, tgname::text, pg_get_triggerdef(t.oid)
FROM pg_trigger t JOIN pg_class r ON r.oid = tgrelid
WHERE NOT tgisinternal AND r.relnamespace = $1::text::regnamespace
UNION ALL SELECT 'column', table_name::text, column_name::text,
                 concat_ws(' ', data_type, column_default, is_nullable, identity_generation)
FROM information_schema.columns WHERE table_schema = $1
UNION ALL SELECT 'right', table_name::text, grantee::text, string_agg(privilege_type, ' ' ORDER BY privilege_type)
FROM information_schema.table_privileges WHERE table_schema = $1 GROUP BY table_name, grantee
UNION ALL SELECT 'right of a column', table_name::text, grantee || ' ' || column_name,
                 string_agg(privilege_type, ' ' ORDER BY privilege_type)
FROM information_schema.column_privileges WHERE table_schema = $1 GROUP BY table_name, grantee, column_name
"""


@asynccontextmanager
async def owner(postgres: str, schema: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(postgres, server_settings={"search_path": schema})
    try:
        yield connection
    finally:
        await connection.close()


def elsewhere(lines: list[str], mark: str) -> list[str]:
    """The same rounds at tables, and of players, that nobody else has."""
    records = [json.loads(line) for line in lines]
    for record in records:
        record["id"], record["table"] = f"{record['id']}-{mark}", f"{record['table']}-{mark}"
        for seat in record["seats"]:
            seat["player"] = f"{seat['player']}-{mark}"
    return [json.dumps(record) for record in records]


async def defined(postgres: str, schema: str) -> set[tuple[str, ...]]:
    """All that is defined in a schema: constraints, indexes, triggers, columns, rights."""
    async with owner(postgres, schema) as connection:
        return {tuple(row.values()) for row in await connection.fetch(DEFINED, schema)}


@pytest.mark.parametrize(("service", "projection"), [pytest.param(s, p, id=f"{s} {p.name}") for s, p in EVERY])
async def test_a_projection_is_exchanged_under_load_and_nothing_else_changes(
    platform: Any, evening_small: list[str], service: str, projection: Projection
) -> None:
    postgres = platform.stack.postgres
    before = await defined(postgres, service)
    told: dict[str, Any] = {}
    mark = f"anew-{service}"
    first, rounds = elsewhere(evening_small[:2], f"{mark}-1"), elsewhere(evening_small[:25], mark)
    assert platform.feed(first, "--network-suffix", f"-{mark}")["faults"] == []

    def play() -> None:
        told.update(platform.feed(rounds, "--network-suffix", f"-{mark}"))

    playing = threading.Thread(target=play)
    playing.start()
    exchanged = []
    while not exchanged or playing.is_alive():
        exchanged.append(await rebuild(postgres, service, projection))
        await asyncio.sleep(0.3)
    await asyncio.to_thread(playing.join)
    assert told["faults"] == []
    assert (await rebuild(postgres, service, projection)).rows.keys() == set(projection.tables)
    assert [one.difference for one in exchanged] == [None] * len(exchanged)
    assert exchanged[-1].events >= exchanged[0].events > 0
    assert await defined(postgres, service) == before


FAULTS = {
    "table": ("tables", "UPDATE tables SET last_round_no = last_round_no + 1"),
    "settlement": ("results", "UPDATE results SET won = won + 1"),
    "progressive": ("meters", "UPDATE meters SET version = version + 1"),
    "wallet": (
        "accounts",
        "UPDATE accounts SET credits_posted = credits_posted + 1",
    ),
}


@pytest.mark.parametrize(("service", "projection"), [pytest.param(s, p, id=f"{s} {p.name}") for s, p in EVERY])
async def test_a_fault_in_a_projection_is_named_by_its_row_and_mended_on_demand(
    platform: Any, evening_small: list[str], service: str, projection: Projection
) -> None:
    postgres = platform.stack.postgres
    mark = f"fault-{service}"
    assert platform.feed(elsewhere(evening_small[:5], mark), "--network-suffix", f"-{mark}")["faults"] == []
    table, plant = FAULTS[service]
    async with owner(postgres, service) as connection:
        await connection.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        await connection.execute(f"{plant} WHERE ctid = (SELECT ctid FROM {table} LIMIT 1)")
        await connection.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")
    with pytest.raises(DiffersError) as differs:
        await rebuild(postgres, service, projection)
    assert (differs.value.difference.table, differs.value.difference.where) == (table, "live")
    environ = {"PITSTREAM_POSTGRES": postgres}
    asked = platform.pitstream("rebuild", service, projection.name, environ=environ)
    assert (asked.returncode, f"DIFFERS  {table}: only live:" in asked.stderr) == (1, True), asked.stderr
    mended = platform.pitstream("rebuild", service, projection.name, "--repair", "--json", environ=environ)
    assert mended.returncode == 0, mended.stderr
    assert json.loads(mended.stdout)["difference"]["table"] == table
    assert (await rebuild(postgres, service, projection, dry_run=True)).difference is None


async def test_a_unit_of_work_in_flight_is_in_the_new_projection_once(platform: Any, evening_small: list[str]) -> None:
    """It appended its event and wrote its row, and has not committed when the exchange begins: the exchange waits."""
    postgres = platform.stack.postgres
    played = platform.feed(elsewhere(evening_small[:5], "inflight"), "--network-suffix", "-inflight")
    assert played["faults"] == []
    [projection] = projections_of("settlement").values()
    async with owner(postgres, "settlement") as in_flight, owner(postgres, "settlement") as looking:
        unit = in_flight.transaction()
        await unit.start()
        await in_flight.execute("UPDATE results SET stake = stake WHERE table_id LIKE '%-inflight'")
        exchange = asyncio.create_task(rebuild(postgres, "settlement", projection))
        await asyncio.sleep(1.0)
        assert not exchange.done()
        await unit.commit()
        done = await exchange
        assert done.difference is None
        assert await looking.fetchval("SELECT count(*) FROM results") == done.rows["results"]
