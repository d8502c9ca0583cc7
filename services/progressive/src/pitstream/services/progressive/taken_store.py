"""SQL and nothing but SQL: what the meters of a network took of each table, and of each round of one."""

from collections.abc import Sequence
from typing import Any, Protocol


class Connection(Protocol):
    """What is needed of a connection or a pool of them."""

    async def fetch(self, query: str, *args: object) -> Sequence[Any]: ...

    async def fetchval(self, query: str, *args: object) -> Any: ...


async def is_open(conn: Connection, network: str) -> bool:
    return bool(await conn.fetchval("SELECT EXISTS (SELECT FROM meters WHERE network = $1)", network))


async def by_table(conn: Connection, network: str) -> list[dict[str, Any]]:
    """A table is here once one of its rounds fed a meter, or was questioned."""
    taken = await conn.fetch(
        # A round's stakes stand beside each meter that it fed: they are counted once.
        "SELECT table_id, sum(stakes)::text AS stakes FROM"
        " (SELECT DISTINCT table_id, version, stakes FROM meter_moves WHERE network = $1 AND stakes <> 0) AS fed"
        " GROUP BY table_id",
        network,
    )
    moved = await conn.fetch(
        "SELECT table_id, meter, sum(moved)::text AS moved, sum(reserve_moved)::text AS reserve_moved FROM meter_moves"
        " WHERE network = $1 AND stakes <> 0 GROUP BY table_id, meter ORDER BY table_id, meter",
        network,
    )
    asked = await conn.fetch(
        "SELECT table_id, coalesce(sum(stakes) FILTER (WHERE answer IS NULL), 0)::text AS waiting,"
        " coalesce(sum(stakes) FILTER (WHERE answer = 'kept out'), 0)::text AS kept_out"
        " FROM questions WHERE network = $1 GROUP BY table_id",
        network,
    )
    tables: dict[str, dict[str, Any]] = {
        table: {"table": table, "stakes": 0, "waiting": 0, "kept_out": 0, "meters": {}}
        for table in sorted({row["table_id"] for row in (*taken, *moved, *asked)})
    }
    for row in taken:
        tables[row["table_id"]]["stakes"] = int(row["stakes"])
    for row in asked:
        tables[row["table_id"]] |= {"waiting": int(row["waiting"]), "kept_out": int(row["kept_out"])}
    for row in moved:
        rose = {"moved": int(row["moved"]), "reserve_moved": int(row["reserve_moved"])}
        tables[row["table_id"]]["meters"][row["meter"]] = rose
    return list(tables.values())


async def by_round(conn: Connection, network: str, table: str, after: int, limit: int) -> list[dict[str, Any]]:
    """Round by round: what was taken, whether it was given back, and what became of a question."""
    rows = await conn.fetch(
        "SELECT round_no, sum(stakes) FILTER (WHERE kind <> 'returned')::bigint AS taken,"
        " bool_or(kind = 'returned') AS returned, max(word) AS question FROM ("
        " SELECT DISTINCT round_no, version, kind, stakes, NULL AS word FROM meter_moves"
        " WHERE network = $1 AND table_id = $2 AND stakes <> 0"
        " UNION ALL SELECT round_no, 0, 'questioned', 0, coalesce(answer, 'waits') FROM questions"
        " WHERE network = $1 AND table_id = $2) AS told"
        " WHERE round_no > $3 GROUP BY round_no ORDER BY round_no LIMIT $4",
        network,
        table,
        after,
        limit,
    )
    return [{**dict(row), "taken": row["taken"] or 0} for row in rows]
