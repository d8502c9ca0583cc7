"""The SQL of open items: what players owe since rounds were corrected, and what was paid of it."""

import json
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from pitstream.runtime import Store

_RECEIVABLE = """
SELECT receivable_id, position, account, player, split_part(account, '/', 3) AS currency, table_id, round_no,
       correction, amount, opened_at, payments
FROM receivables CROSS JOIN LATERAL (
    SELECT coalesce(sum(p.amount), 0) AS paid,
           coalesce(json_agg(json_build_object(
               'transfer_id', p.transfer_id, 'amount', p.amount, 'how', p.how, 'by', p.by, 'reason', p.reason
           ) ORDER BY t.position), '[]') AS payments
    FROM receivable_payments AS p JOIN transfers AS t USING (transfer_id)
    WHERE p.receivable_id = receivables.receivable_id
) AS so_far
"""


async def receivables(
    store: Store, seen: Sequence[str] | None, *, state: str | None, after: int, limit: int
) -> list[dict[str, Any]]:
    """Open items, paid ones too, in the order in which they were opened; ``seen``: patterns that a player's id matches
    one of."""
    rows = await store.pool.fetch(
        f"{_RECEIVABLE} WHERE ($1::text[] IS NULL OR player ~ ANY($1)) AND position > $2"
        " AND ($3::text IS NULL OR ($3 = 'open') = (paid < amount)) ORDER BY position LIMIT $4",
        seen,
        after,
        state,
        limit,
    )
    return [_read(row) for row in rows]


async def receivable(conn: Any, receivable_id: UUID) -> dict[str, Any] | None:
    """One of them; ``conn``: a connection, or a pool of them."""
    row = await conn.fetchrow(f"{_RECEIVABLE} WHERE receivable_id = $1", receivable_id)
    return None if row is None else _read(row)


def _read(row: Any) -> dict[str, Any]:
    return {**dict(row), "payments": json.loads(row["payments"])}
