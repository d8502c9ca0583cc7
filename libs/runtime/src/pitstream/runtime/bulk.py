"""Many rows into one table."""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pitstream.runtime import tracing

if TYPE_CHECKING:
    import asyncpg
    from asyncpg.pool import PoolConnectionProxy

    Connection = asyncpg.Connection | PoolConnectionProxy[asyncpg.Record]


async def insert(conn: "Connection", table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Write ``rows`` by COPY: one row as fast as an INSERT would, thousands at a fifth of its cost to this process,
    which for an INSERT's arrays asks every value whether it is an array itself. Triggers and constraints speak as for
    an INSERT; the rows take the table's identities in their order."""
    if rows:
        start_ns = time.time_ns()
        await conn.copy_records_to_table(table, records=rows, columns=columns)
        tracing.note_copy(table, start_ns)
