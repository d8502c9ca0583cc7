"""SQL and nothing but SQL: which disputes and corrections there are."""

from collections.abc import Sequence
from typing import Any

from pitstream.services.table.store import Connection


async def has_round(conn: Connection, table: str, round_no: int) -> bool:
    return bool(
        await conn.fetchval("SELECT EXISTS (SELECT FROM rounds WHERE table_id = $1 AND round_no = $2)", table, round_no)
    )


async def disputes_of(conn: Connection, table: str, round_no: int) -> int:
    """How many disputes a round has: they are numbered from 1 without a gap."""
    return int(
        await conn.fetchval("SELECT count(*) FROM disputes WHERE table_id = $1 AND round_no = $2", table, round_no)
    )


async def add_dispute(conn: Connection, table: str, round_no: int, number: int, seat: int | None) -> None:
    await conn.execute(
        "INSERT INTO disputes (table_id, round_no, number, seat) VALUES ($1, $2, $3, $4)", table, round_no, number, seat
    )


async def set_dispute(
    conn: Connection, table: str, round_no: int, number: int, statements: int, decision: str | None
) -> None:
    await conn.execute(
        "UPDATE disputes SET statements = $4, decision = $5 WHERE table_id = $1 AND round_no = $2 AND number = $3",
        table, round_no, number, statements, decision,
    )  # fmt: skip


async def disputes(
    conn: Connection, *, seen: Sequence[str] | None, table: str | None, state: str | None, after: int, limit: int
) -> list[dict[str, Any]]:
    """Disputes in the order in which they were opened; ``seen``: patterns of which a table's id matches one."""
    rows = await conn.fetch(
        "SELECT place, table_id, round_no, number FROM disputes"
        " WHERE place > $4 AND ($1::text[] IS NULL OR table_id ~ ANY($1)) AND ($2::text IS NULL OR table_id = $2)"
        " AND ($3::text IS NULL OR coalesce(decision, 'open') = $3) ORDER BY place LIMIT $5",
        seen, table, state, after, limit,
    )  # fmt: skip
    return [dict(row) for row in rows]


async def add_correction(conn: Connection, table: str, round_no: int, number: int) -> None:
    await conn.execute(
        "INSERT INTO corrections (table_id, round_no, number) VALUES ($1, $2, $3)", table, round_no, number
    )


async def set_correction(conn: Connection, table: str, round_no: int, number: int, state: str) -> None:
    await conn.execute(
        "UPDATE corrections SET state = $4 WHERE table_id = $1 AND round_no = $2 AND number = $3",
        table, round_no, number, state,
    )  # fmt: skip


async def corrections(
    conn: Connection, *, seen: Sequence[str] | None, table: str | None, state: str | None, after: int, limit: int
) -> list[dict[str, Any]]:
    """Corrections in the order in which they were proposed; ``seen``: patterns of which a table's id matches one."""
    rows = await conn.fetch(
        "SELECT place, table_id, round_no, number FROM corrections"
        " WHERE place > $4 AND ($1::text[] IS NULL OR table_id ~ ANY($1)) AND ($2::text IS NULL OR table_id = $2)"
        " AND ($3::text IS NULL OR state = $3) ORDER BY place LIMIT $5",
        seen, table, state, after, limit,
    )  # fmt: skip
    return [dict(row) for row in rows]
