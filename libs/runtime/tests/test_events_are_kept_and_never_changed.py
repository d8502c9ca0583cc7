"""Method: a toy table's store on a real PostgreSQL, and a second one beside it where two writers meet."""

import asyncio
import inspect
import uuid
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from pitstream.events import chain_breaks, event_id
from pitstream.events.ids import table_stream
from pitstream.events.rounds import TableClosed
from pitstream.events.wallet import AccountOpened
from pitstream.runtime import Cause, Store, StreamConflictError
from pitstream.runtime.migrate import MigrationError, read_migrations
from pitstream.runtime.rights import RightsError, ensure_role

pytestmark = pytest.mark.stack

RUNTIMES = [name for name, _ in read_migrations("runtime", files("pitstream.runtime") / "migrations")]
BY_TEST = Cause.of_command("c", "test")


def closed(*reasons: str, table: str = "t1") -> list[TableClosed]:
    return [TableClosed(table=table, reason=reason) for reason in reasons]


async def test_what_is_appended_is_read_back_and_its_chain_holds(table: Store) -> None:
    async with table.transaction() as tx:
        tx.append("table/t1", "t1", closed("1", "2"), expected_version=0, cause=BY_TEST)
        assert [recorded.version for recorded in await tx.load("table/t1")] == [1, 2]
        tx.append("table/t1", "t1", closed("3"), expected_version=2, cause=BY_TEST)
    async with table.transaction() as tx:
        loaded = await tx.load("table/t1")
    assert [recorded.event for recorded in loaded] == closed("1", "2", "3")
    assert [recorded.event_id for recorded in loaded] == [event_id("table/t1", version) for version in (1, 2, 3)]
    assert [recorded.envelope.key_sequence for recorded in loaded] == [1, 2, 3]
    assert chain_breaks(recorded.data for recorded in loaded) is None
    rows = await table.pool.fetch("SELECT hash FROM events ORDER BY version")
    assert [row["hash"] for row in rows] == [recorded.hash for recorded in loaded]


async def test_a_hundred_events_of_one_instant_keep_their_order_and_their_chain(postgres: str) -> None:
    async with Store.open(postgres, service="table", clock_us=lambda: 1_750_000_000_000_000) as table:
        async with table.transaction() as tx:
            tx.append("table/t1", "t1", closed(*map(str, range(100))), expected_version=0, cause=BY_TEST)
        async with table.transaction() as tx:
            loaded = await tx.load("table/t1")
    assert [recorded.event for recorded in loaded] == closed(*map(str, range(100)))
    assert {recorded.envelope.recorded_at_us for recorded in loaded} == {1_750_000_000_000_000}
    assert chain_breaks(recorded.data for recorded in loaded) is None


@pytest.mark.parametrize("statement", ["UPDATE events SET type = 'x'", "DELETE FROM events", "TRUNCATE events"])
async def test_the_service_has_no_right_to_change_an_event_and_a_trigger_stops_the_owner(
    table: Store, postgres: str, statement: str
) -> None:
    await table.run(lambda tx: _append(tx, 0, "1"))
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await table.pool.execute(statement)
    owner = await asyncpg.connect(postgres, server_settings={"search_path": "table"})
    with pytest.raises(asyncpg.RestrictViolationError, match="append-only"):
        await owner.execute(statement)
    await owner.close()


async def test_a_login_that_may_not_make_the_services_role_says_what_to_do(postgres: str) -> None:
    """Method: the login as a role that may make no roles."""
    owner = await asyncpg.connect(postgres)
    plain = f"plain_{uuid.uuid4().hex[:8]}"
    await owner.execute(f"CREATE ROLE {plain} NOLOGIN; GRANT {plain} TO CURRENT_USER; SET ROLE {plain}")
    service = f"new_{plain}"
    with pytest.raises(RightsError, match=f'CREATE ROLE "pitstream_{service}" NOLOGIN; GRANT "pitstream_{service}" TO'):
        await ensure_role(owner, service)
    await owner.execute(f"RESET ROLE; DROP ROLE {plain}")
    await owner.close()


async def test_many_who_make_one_role_at_once_all_have_it(postgres: str) -> None:
    """Method: eight connections, a role that no database of the cluster has seen, ten times."""
    connections = [await asyncpg.connect(postgres) for _ in range(8)]
    for _ in range(10):
        service = f"crowd_{uuid.uuid4().hex[:8]}"
        made = await asyncio.gather(*(ensure_role(connection, service) for connection in connections))
        assert made == [f"pitstream_{service}"] * 8
        for connection in connections:
            await connection.execute(f'SET ROLE "pitstream_{service}"; RESET ROLE')
        await connections[0].execute(f'DROP ROLE "pitstream_{service}"')
    for connection in connections:
        await connection.close()


async def _append(tx: Any, expected_version: int, reason: str) -> None:
    tx.append("table/t1", "t1", closed(reason), expected_version=expected_version, cause=BY_TEST)


async def test_of_two_writers_at_one_version_one_wins_and_the_other_hears_of_it(table: Store) -> None:
    async with table.transaction() as tx:
        await _append(tx, 0, "first")
    with pytest.raises(StreamConflictError):
        async with table.transaction() as tx:
            await _append(tx, 0, "second")
    with pytest.raises(StreamConflictError, match="has no version 7"):
        async with table.transaction() as tx:
            await _append(tx, 7, "third")
    async with table.transaction() as tx:
        assert [recorded.event for recorded in await tx.load("table/t1")] == closed("first")


async def test_sql_that_was_to_run_beside_a_lost_race_is_told_that_it_never_will(table: Store) -> None:
    async def beside() -> None:
        raise AssertionError("the race was lost before")

    sql = beside()
    async with table.transaction() as tx:
        await _append(tx, 7, "third")
        with pytest.raises(StreamConflictError, match="has no version 7"):
            await tx.flush(sql)
    assert inspect.getcoroutinestate(sql) == inspect.CORO_CLOSED


async def test_units_that_race_for_a_stream_are_run_again_until_each_is_in(toy: Any, open_table: Any) -> None:
    async with open_table() as one, open_table() as two:
        await asyncio.gather(
            *(
                store.run(lambda tx, n=number: toy.close_table(tx, "t1", [str(n)], BY_TEST))
                for number, store in enumerate([one, two] * 10)
            )
        )
        async with one.transaction() as tx:
            loaded = await tx.load("table/t1")
    reasons = sorted(int(recorded.event.reason) for recorded in loaded if isinstance(recorded.event, TableClosed))
    assert reasons == list(range(20))
    assert [recorded.envelope.key_sequence for recorded in loaded] == list(range(1, 21))
    assert chain_breaks(recorded.data for recorded in loaded) is None


async def test_the_outbox_has_each_key_in_its_order_however_its_streams_are_written(toy: Any, table: Store) -> None:
    async def one(number: int) -> None:
        async with table.transaction() as tx:
            stream = table_stream(f"t-{number}")
            tx.append(stream, "shared", closed("a", "b"), expected_version=0, cause=BY_TEST)
            await asyncio.sleep(0.001 * (number % 3))

    await asyncio.gather(*(one(number) for number in range(30)))
    rows = await table.pool.fetch(
        "SELECT key_sequence FROM outbox JOIN events USING (stream, version) ORDER BY position"
    )
    assert [row["key_sequence"] for row in rows] == list(range(1, 61))


async def test_a_block_that_fails_leaves_nothing_and_no_gap(table: Store) -> None:
    with suppress(KeyError):
        async with table.transaction() as tx:
            await _append(tx, 0, "lost")
            await tx.flush()
            raise KeyError
    async with table.transaction() as tx:
        await _append(tx, 0, "kept")
        with suppress(KeyError):
            async with tx.savepoint():
                await _append(tx, 1, "lost too")
                await tx.flush()
                raise KeyError
        assert tx.appended == {"table/t1": 1}
        await _append(tx, 1, "kept too")
    async with table.transaction() as tx:
        loaded = await tx.load("table/t1")
    assert [recorded.event for recorded in loaded] == closed("kept", "kept too")
    assert [recorded.envelope.key_sequence for recorded in loaded] == [1, 2]


async def test_a_fold_reads_only_what_is_newer_and_sees_its_own_appends(toy: Any, table: Store) -> None:
    async with table.transaction() as tx:
        await _append(tx, 0, "1")
        assert (await tx.fold("table/t1", (), toy.closings)).state == ("1",)
    async with table.transaction() as tx:
        folded = await tx.fold("table/t1", (), toy.closings)
        await _append(tx, folded.version, "2")
        assert (await tx.fold("table/t1", (), toy.closings)).state == ("1", "2")
        with pytest.raises(ValueError, match="expected_version: was 1; table/t1 is at 2 here"):
            await _append(tx, 1, "3")
    with suppress(KeyError):
        async with table.transaction() as tx:
            await _append(tx, 2, "never")
            assert (await tx.fold("table/t1", (), toy.closings)).state == ("1", "2", "never")
            raise KeyError
    async with table.transaction() as tx:
        assert (await tx.fold("table/t1", (), toy.closings)).state == ("1", "2")


async def test_a_service_cannot_write_another_services_event(table: Store) -> None:
    opened = AccountOpened(account="table/t1/USD", kind="table", currency="USD")
    async with table.transaction() as tx:
        with pytest.raises(ValueError, match=r"AccountOpened is written by wallet, not by table"):
            tx.append("account/x", "x", [opened], expected_version=0, cause=BY_TEST)


async def test_waiting_for_a_stream_ends_when_it_grows_here_or_elsewhere(open_table: Any) -> None:
    async with open_table() as here, open_table() as there:
        for version, store in enumerate([here, there]):
            waiting = asyncio.create_task(here.wait_for("table/t1", version, 5000))
            await asyncio.sleep(0.05)
            assert not waiting.done()
            await store.run(lambda tx, v=version: _append(tx, v, "x"))
            assert await asyncio.wait_for(waiting, 1) == version + 1
        assert await here.wait_for("table/t1", 2, 50) == 2


async def test_migrations_only_go_forward(postgres: str, tmp_path: Path) -> None:
    first = tmp_path / "0001_pit.sql"
    first.write_text("-- The pit needs a place.\nCREATE TABLE pit (id int);\n")

    async def opened() -> list[str]:
        async with Store.open(postgres, service="table", migrations=tmp_path) as store:
            return [row["name"] for row in await store.pool.fetch("SELECT name FROM schema_migrations ORDER BY name")]

    assert await opened() == await opened() == [*RUNTIMES, "table/0001_pit.sql"]
    (tmp_path / "0002_more.sql").write_text("-- The pit grows.\nALTER TABLE pit ADD COLUMN name text;\n")
    assert await opened() == [*RUNTIMES, "table/0001_pit.sql", "table/0002_more.sql"]
    first.write_text("-- The pit needs a place.\nCREATE TABLE pit (id bigint);\n")
    with pytest.raises(MigrationError, match=r"table/0001_pit.sql was applied as sha256 .* write a further one"):
        await opened()


@pytest.mark.parametrize(
    ("name", "sql", "fault"),
    [
        ("0001_pit.sql", "CREATE TABLE pit (id int);", "line 1 must say why"),
        ("0001_pit.sql", "--\nCREATE TABLE pit (id int);", "line 1 must say why"),
        ("0002_pit.sql", "-- The pit needs a place.\nSELECT 1;", "expected a name that starts with 0001_"),
    ],
)
async def test_a_migration_has_its_number_and_its_reason(
    postgres: str, tmp_path: Path, name: str, sql: str, fault: str
) -> None:
    (tmp_path / name).write_text(sql)
    with pytest.raises(MigrationError, match=fault):
        async with Store.open(postgres, service="table", migrations=tmp_path):
            pass


async def test_instances_that_start_together_migrate_once(open_table: Any) -> None:
    async with open_table() as one, open_table() as two, open_table() as three:
        applied = [await store.pool.fetchval("SELECT count(*) FROM schema_migrations") for store in (one, two, three)]
        assert applied == [len(RUNTIMES)] * 3
