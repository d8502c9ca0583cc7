"""SQL and nothing but SQL: which prizes there are, and whether they wait."""

import json
from collections.abc import Sequence
from typing import Any, Protocol

from pitstream.events.corrections import PrizeQuestioned
from pitstream.events.prizes import PrizePending
from pitstream.services.progressive.prizes import Status


class Connection(Protocol):
    """What is needed of a connection or a pool of them."""

    async def fetch(self, query: str, *args: object) -> Sequence[Any]: ...

    async def fetchrow(self, query: str, *args: object) -> Any: ...

    async def execute(self, query: str, *args: object) -> str: ...


async def add(conn: Connection, prizes: Sequence[PrizePending]) -> None:
    """These prizes wait from now on."""
    await conn.execute(
        "INSERT INTO prizes (prize_id, table_id, round_no) SELECT * FROM unnest($1::uuid[], $2::text[], $3::bigint[])",
        [prize.prize_id for prize in prizes],
        [prize.table for prize in prizes],
        [prize.round_no for prize in prizes],
    )


async def set_status(conn: Connection, prize_id: str, status: Status) -> None:
    await conn.execute("UPDATE prizes SET status = $2 WHERE prize_id = $1::uuid", prize_id, status)


async def round_of(conn: Connection, table: str, prize_id: str) -> int | None:
    """The round of a table's prize; None when the table has no such prize."""
    row = await conn.fetchrow(
        "SELECT round_no FROM prizes WHERE table_id = $1 AND prize_id::text = $2", table, prize_id
    )
    return None if row is None else int(row["round_no"])


async def page(
    conn: Connection, *, tables: Sequence[str] | None, table: str | None, status: str | None, after: int, limit: int
) -> list[tuple[int, str, int, str]]:
    """Prizes in the order in which they came: (place, table, round_no, prize_id).

    ``tables``: patterns of which a table's id matches one; None means every table.
    """
    rows = await conn.fetch(
        "SELECT place, table_id, round_no, prize_id::text FROM prizes"
        " WHERE place > $1 AND ($2::text[] IS NULL OR table_id ~ ANY($2))"
        " AND ($3::text IS NULL OR table_id = $3) AND ($4::text IS NULL OR status = $4) ORDER BY place LIMIT $5",
        after,
        None if tables is None else list(tables),
        table,
        status,
        limit,
    )
    return [(row["place"], row["table_id"], row["round_no"], row["prize_id"]) for row in rows]


async def question(conn: Connection, event: PrizeQuestioned) -> None:
    """List a paid prize that a correction of its round took away, or changed."""
    await conn.execute(
        "INSERT INTO questioned_prizes (prize_id, table_id, round_no, correction, questioned)"
        " VALUES ($1::uuid, $2, $3, $4, $5)",
        event.prize_id,
        event.table,
        event.round_no,
        event.correction,
        event.model_dump_json(),
    )


async def questioned(conn: Connection, *, tables: Sequence[str] | None, after: int, limit: int) -> list[dict[str, Any]]:
    """Those prizes in the order in which they were questioned; ``tables``: patterns, a table's id matches one."""
    rows = await conn.fetch(
        "SELECT place, questioned FROM questioned_prizes"
        " WHERE place > $1 AND ($2::text[] IS NULL OR table_id ~ ANY($2)) ORDER BY place LIMIT $3",
        after,
        None if tables is None else list(tables),
        limit,
    )
    return [{"place": row["place"], **json.loads(row["questioned"])} for row in rows]
