"""SQL of what platforms read: accounts, statements, holds, results. Every list has one order and goes on by cursor."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import asyncpg

from pitstream.runtime import Store, Transaction
from pitstream.runtime.principal import OWNERS_ACCOUNTS
from pitstream.services.wallet.books import Account, Books, PlacedHold

if TYPE_CHECKING:
    from asyncpg.pool import PoolConnectionProxy

    Connection = PoolConnectionProxy[asyncpg.Record]
else:
    Connection = Any

_ACCOUNT = ", ".join(Account._fields)


async def accounts(
    store: Store, owners: Sequence[str] | None, *, kind: str | None, currency: str | None, after: str, limit: int
) -> list[Account]:
    """Accounts by name, those after ``after``, of the owners whose ids match one of these patterns (None: of all)."""
    rows = await store.pool.fetch(
        f"SELECT {_ACCOUNT} FROM accounts"  # noqa: S608  # a constant
        # An owner's own accounts carry its name without a colon.
        " WHERE ($1::text[] IS NULL"
        "        OR split_part(account, '/', 2) || CASE WHEN kind = ANY($6) THEN ':' ELSE '' END ~ ANY($1))"
        "   AND ($1::text[] IS NULL OR account LIKE '%/%/%')"
        "   AND ($2::text IS NULL OR kind = $2) AND ($3::text IS NULL OR currency = $3) AND account > $4"
        " ORDER BY account LIMIT $5",
        owners,
        kind,
        currency,
        after,
        limit,
        OWNERS_ACCOUNTS,
    )
    return [Account(*row) for row in rows]


async def period(conn: Connection, account: str, since: datetime | None, until: datetime | None) -> tuple[int, int]:
    """The transfers of ``account`` from ``since`` on and before ``until``, as positions: those after the first one
    returned, up to the second."""
    row = await conn.fetchrow(
        "SELECT coalesce(max(position) FILTER (WHERE recorded_at < $2), 0) AS low, coalesce(max(position), 0) AS high"
        " FROM (SELECT position, recorded_at FROM transfers WHERE debit = $1"
        "       UNION ALL SELECT position, recorded_at FROM transfers WHERE credit = $1) AS legs"
        " WHERE $3::timestamptz IS NULL OR recorded_at < $3",
        account,
        since,
        until,
    )
    if row is None:
        raise RuntimeError("an aggregate without groups gave no row")
    return row["low"], row["high"]


async def balance_at(conn: Connection, account: str, position: int) -> int:
    """What all transfers up to ``position`` left on the account, minor units."""
    return int(
        await conn.fetchval(
            "SELECT coalesce((SELECT sum(amount) FROM transfers WHERE credit = $1 AND position <= $2), 0)"
            " - coalesce((SELECT sum(amount) FROM transfers WHERE debit = $1 AND position <= $2), 0)",
            account,
            position,
        )
    )


async def lines(conn: Connection, account: str, after: int, high: int, limit: int) -> list[asyncpg.Record]:
    """Transfers of ``account`` from its side, by position."""
    return list(await conn.fetch(_LINES, account, after, high, limit))


_LINES = """
SELECT * FROM (
    (SELECT position, transfer_id, recorded_at, code, credit AS counter_account, -amount AS amount
     FROM transfers WHERE debit = $1 AND position > $2 AND position <= $3 ORDER BY position LIMIT $4)
    UNION ALL
    (SELECT position, transfer_id, recorded_at, code, debit, amount
     FROM transfers WHERE credit = $1 AND position > $2 AND position <= $3 ORDER BY position LIMIT $4)
) AS legs ORDER BY position LIMIT $4
"""


async def results(store: Store, account: str, after: int, limit: int) -> list[asyncpg.Record]:
    """What was posted for ``account``, in the order in which it was."""
    return list(
        await store.pool.fetch(
            "SELECT position, account, table_id, round_no, seat, net, claim_id, correction FROM postings"
            " WHERE account = $1 AND position > $2 ORDER BY position LIMIT $3",
            account,
            after,
            limit,
        )
    )


_HOLD = "hold_id::text, account, amount, purpose, expires_at_us, state, captured"


async def load_hold(tx: Transaction, books: Books, account: str, hold_id: str) -> PlacedHold | None:
    """The hold as it stands, in the books from here on. The account's row is locked: so nobody else resolves it."""
    row = await tx.conn.fetchrow(
        f"SELECT {_HOLD} FROM placed_holds WHERE hold_id = $1::uuid AND account = $2",  # noqa: S608
        hold_id,
        account,
    )
    if row is None:
        return None
    hold = books.placed[hold_id] = PlacedHold(**row)
    return hold


async def holds(store: Store, account: str, *, state: str | None, after: int, limit: int) -> list[dict[str, Any]]:
    """Holds of ``account`` in the order in which they were placed."""
    rows = await store.pool.fetch(
        f"SELECT position, placed_at, {_HOLD} FROM placed_holds"  # noqa: S608
        " WHERE account = $1 AND ($2::text IS NULL OR state = $2) AND position > $3 ORDER BY position LIMIT $4",
        account,
        state,
        after,
        limit,
    )
    return [dict(row) for row in rows]


async def hold(store: Store, account: str, hold_id: str) -> dict[str, Any] | None:
    """One hold of ``account``."""
    row = await store.pool.fetchrow(
        f"SELECT position, placed_at, {_HOLD} FROM placed_holds WHERE hold_id = $1::uuid AND account = $2",  # noqa: S608
        hold_id,
        account,
    )
    return None if row is None else dict(row)


async def due_holds(store: Store, now_us: int, limit: int) -> list[tuple[str, str]]:
    """(account, hold) of holds whose time is over."""
    rows = await store.pool.fetch(
        "SELECT account, hold_id::text FROM placed_holds"
        " WHERE state = 'held' AND expires_at_us > 0 AND expires_at_us <= $1 ORDER BY expires_at_us LIMIT $2",
        now_us,
        limit,
    )
    return [(row["account"], row["hold_id"]) for row in rows]
