"""SQL and nothing but SQL: who may write to a table now, the tables of the floor, rounds by their callers' ids."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Protocol

from pitstream.events.ids import round_stream, table_stream
from pitstream.events.rounds import TableOpened


class Connection(Protocol):
    """What is needed of a connection or a pool of them."""

    async def fetch(self, query: str, *args: object) -> Sequence[Any]: ...

    async def fetchrow(self, query: str, *args: object) -> Any: ...

    async def fetchval(self, query: str, *args: object) -> Any: ...

    async def execute(self, query: str, *args: object) -> str: ...


@dataclass(frozen=True, slots=True)
class LastRound:
    """The newest round of a table. Number 0: none was opened yet."""

    round_no: int = 0
    is_open: bool = False

    @property
    def in_progress(self) -> int | None:
        return self.round_no if self.is_open else None


async def lock_tables(conn: Connection, tables: Sequence[str]) -> None:
    """One writer a table until this transaction ends: a dealer, seven seats and the wallet all write to one stream.

    Waiting one's turn is cheaper than losing the race; locked in one order, no two wait for each other.
    """
    for table in sorted(set(tables)):
        await conn.execute("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", table_stream(table))


async def last_round(conn: Connection, table: str) -> LastRound:
    row = await conn.fetchrow("SELECT last_round_no, round_is_open FROM tables WHERE table_id = $1", table)
    return LastRound(row["last_round_no"], row["round_is_open"]) if row else LastRound()


async def closing_hash(conn: Connection, table: str, round_no: int) -> bytes:
    """Hash of the event that closed a round; empty where there is no such round."""
    found: bytes | None = await conn.fetchval(
        "SELECT hash FROM events WHERE stream = $1 ORDER BY version DESC LIMIT 1", round_stream(table, round_no)
    )
    return found or b""


async def set_open(conn: Connection, opened: TableOpened) -> None:
    await conn.execute(
        "INSERT INTO tables (table_id, is_open, game, gaming_day, currency, network) VALUES ($1, true, $2, $3, $4, $5)"
        " ON CONFLICT ON CONSTRAINT tables_once DO UPDATE SET is_open = true, game = excluded.game,"
        " gaming_day = excluded.gaming_day, currency = excluded.currency, network = excluded.network",
        opened.table,
        opened.game,
        date.fromisoformat(opened.gaming_day),
        opened.currency,
        opened.network,
    )


async def set_closed(conn: Connection, table: str) -> None:
    await conn.execute("UPDATE tables SET is_open = false WHERE table_id = $1", table)


async def add_round(conn: Connection, table: str, round_no: int, round_id: str) -> None:
    await conn.execute(
        "WITH opened AS (UPDATE tables SET last_round_no = $2, round_is_open = true WHERE table_id = $1)"
        " INSERT INTO rounds (table_id, round_no, round_id) VALUES ($1, $2, $3)",
        table,
        round_no,
        round_id,
    )


async def close_round(conn: Connection, table: str, round_no: int) -> None:
    await conn.execute(
        "UPDATE tables SET round_is_open = false WHERE table_id = $1 AND last_round_no = $2", table, round_no
    )


async def floor(
    conn: Connection, table: str | None = None, owners: Sequence[str] | None = None
) -> list[dict[str, Any]]:
    """The tables of the floor by their names, or the one asked for; with ``owners`` those whose id matches one."""
    rows = await conn.fetch(
        'SELECT table_id AS "table", is_open, game, gaming_day::text, currency, network, last_round_no,'
        " CASE WHEN round_is_open THEN last_round_no END AS round_in_progress"
        " FROM tables WHERE ($1::text IS NULL OR table_id = $1) AND ($2::text[] IS NULL OR table_id ~ ANY($2))"
        " ORDER BY table_id",
        table,
        owners,
    )
    return [dict(row) for row in rows]


async def rounds_of_id(conn: Connection, round_id: str) -> list[dict[str, Any]]:
    rows = await conn.fetch(
        'SELECT table_id AS "table", round_no FROM rounds WHERE round_id = $1 ORDER BY table_id, round_no', round_id
    )
    return [dict(row) for row in rows]
