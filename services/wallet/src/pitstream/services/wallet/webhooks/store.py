"""SQL of webhooks: subscriptions, the outbox of deliveries, and the lanes that keep their order."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import asyncpg

from pitstream.events import ids
from pitstream.runtime import Store, Transaction
from pitstream.services.wallet.webhooks.notices import Notice


async def anybody_listens(tx: Transaction) -> bool:
    """Whether there is a subscription at all: without one nobody need make notices."""
    return bool(await tx.conn.fetchval("SELECT EXISTS (SELECT FROM webhooks WHERE ended_at IS NULL)"))


async def record(tx: Transaction, notices: Sequence[Notice]) -> None:
    """Put ``notices`` into the outbox of every subscription to them, in the transaction of what they tell of."""
    if not notices:
        return
    subscriptions = await tx.conn.fetch("SELECT webhook_id, owner, kinds FROM webhooks WHERE ended_at IS NULL")
    rows = [
        (
            ids.transfer_id("delivery", str(one["webhook_id"]), notice.notice_id),
            one["webhook_id"],
            notice.order_key,
            notice.kind,
            notice.body(tx.store.clock_us()),
        )
        for notice in notices
        for one in subscriptions
        if notice.kind in one["kinds"] and covers(one["owner"], notice.owner)
    ]
    await enqueue(tx, rows)


def covers(owner: str, of: str) -> bool:
    """Whether a subscription of ``owner`` hears of what is ``of`` somebody's players: its own, or a property's of it.

    >>> [covers("acme", "acme"), covers("acme", "acme.boardwalk"), covers("acme.boardwalk", "acme")]
    [True, True, False]
    """
    return of == owner or of.startswith(f"{owner}.")


Row = tuple[str, Any, str, str, str]


async def enqueue(tx: Transaction, rows: Sequence[Row]) -> None:
    """Deliveries (id, webhook, order key, kind, body), each with its lane awake."""
    if not rows:
        return
    await tx.conn.execute(_ENQUEUE, *(list(column) for column in zip(*rows, strict=True)))
    lanes = sorted({(str(row[1]), row[2]) for row in rows})
    await tx.conn.execute(_WAKE, *(list(column) for column in zip(*lanes, strict=True)))


_ENQUEUE = """
INSERT INTO webhook_deliveries (delivery_id, webhook_id, order_key, kind, body)
SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[])
ON CONFLICT ON CONSTRAINT webhook_deliveries_once DO NOTHING
"""
# In the order given, which is sorted: two that wake the same lanes wait for each other, never in a ring.
_WAKE = """
INSERT INTO webhook_lanes (webhook_id, order_key, due_at)
SELECT webhook_id, order_key, now() FROM unnest($1::uuid[], $2::text[]) AS t (webhook_id, order_key)
ON CONFLICT ON CONSTRAINT webhook_lanes_once DO UPDATE SET due_at = coalesce(webhook_lanes.due_at, excluded.due_at)
"""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A delivery that is this process's to attempt, for as long as its lease lasts."""

    delivery_id: str
    webhook_id: str
    order_key: str
    url: str
    secrets: list[str]
    body: str
    attempts: int
    """Before this one."""


async def claim(store: Store, *, busy: Sequence[str], lease_s: float) -> Attempt | None:
    """The first delivery of the lane that has been due for longest, of a webhook that is not ``busy``; None when no
    lane is due. It is due again when the lease is over: should this process die, another goes on."""
    row = await store.pool.fetchrow(_CLAIM, list(busy), lease_s)
    return None if row is None else Attempt(**row)


_CLAIM = """
WITH due AS (
    SELECT webhook_id, order_key FROM webhook_lanes JOIN webhooks USING (webhook_id)
    WHERE due_at <= now() AND ended_at IS NULL AND webhook_id <> ALL($1::uuid[])
    ORDER BY due_at LIMIT 1 FOR UPDATE OF webhook_lanes SKIP LOCKED
), leased AS (
    UPDATE webhook_lanes SET due_at = now() + make_interval(secs => $2) FROM due
    WHERE webhook_lanes.webhook_id = due.webhook_id AND webhook_lanes.order_key = due.order_key
    RETURNING webhook_lanes.webhook_id, webhook_lanes.order_key
)
SELECT first.delivery_id::text, leased.webhook_id::text, leased.order_key, webhooks.url, webhooks.secrets, first.body,
       first.attempts
FROM leased JOIN webhooks USING (webhook_id)
JOIN LATERAL (
    SELECT delivery_id, body, attempts FROM webhook_deliveries AS d
    WHERE d.webhook_id = leased.webhook_id AND d.order_key = leased.order_key AND d.state = 'pending'
    ORDER BY position LIMIT 1
) AS first ON true
"""


async def finish(store: Store, attempt: Attempt, *, answer: str, delivered: bool, pause_ms: int | None) -> None:
    """Record how an attempt ended: delivered, to be tried again after ``pause_ms``, or dead (None)."""
    state = "delivered" if delivered else "dead" if pause_ms is None else "pending"
    async with store.pool.acquire() as conn, conn.transaction():
        # First of all, so that who adds a delivery meanwhile waits, and then finds the lane as it is left here.
        await conn.execute(
            "SELECT FROM webhook_lanes WHERE webhook_id = $1::uuid AND order_key = $2 FOR UPDATE",
            attempt.webhook_id,
            attempt.order_key,
        )
        await conn.execute(
            "UPDATE webhook_deliveries SET state = $2, attempts = attempts + 1, last_answer = $3,"
            " finished_at = CASE $2 WHEN 'pending' THEN NULL ELSE clock_timestamp() END"
            # What another process finished after our lease was over stays finished.
            " WHERE delivery_id = $1::uuid AND state = 'pending'",
            attempt.delivery_id,
            state,
            answer,
        )
        await conn.execute(_NEXT, attempt.webhook_id, attempt.order_key, (pause_ms or 0) / 1000)


_NEXT = """
UPDATE webhook_lanes
SET due_at = CASE WHEN EXISTS (
    SELECT FROM webhook_deliveries AS d
    WHERE d.webhook_id = $1::uuid AND d.order_key = $2 AND d.state = 'pending'
) THEN now() + make_interval(secs => $3) END
WHERE webhook_id = $1::uuid AND order_key = $2
"""


async def forget_delivered(store: Store, before: datetime) -> None:
    """Delete deliveries that arrived before then; dead ones stay until somebody sends them again."""
    await store.pool.execute("DELETE FROM webhook_deliveries WHERE state = 'delivered' AND finished_at < $1", before)


async def create(
    tx: Transaction, webhook_id: str, owner: str, url: str, kinds: Sequence[str], secret: str, by: str
) -> None:
    await tx.conn.execute(
        "INSERT INTO webhooks (webhook_id, owner, url, kinds, secrets, created_by)"
        " VALUES ($1::uuid, $2, $3, $4, ARRAY[$5], $6)",
        webhook_id,
        owner,
        url,
        list(kinds),
        secret,
        by,
    )


_WEBHOOK = "webhook_id::text, owner, url, kinds, secrets, created_by, created_at, ended_at, position"


async def webhook(conn: Any, webhook_id: str) -> asyncpg.Record | None:
    """One subscription, ended ones too; ``conn`` is a pool or a connection."""
    found: asyncpg.Record | None = await conn.fetchrow(
        f"SELECT {_WEBHOOK} FROM webhooks WHERE webhook_id = $1::uuid",  # noqa: S608
        webhook_id,
    )
    return found


async def webhooks(store: Store, after: int, limit: int) -> list[asyncpg.Record]:
    """Subscriptions in the order in which they were made."""
    return list(
        await store.pool.fetch(
            f"SELECT {_WEBHOOK} FROM webhooks WHERE position > $1 ORDER BY position LIMIT $2",  # noqa: S608
            after,
            limit,
        )
    )


async def rotate(tx: Transaction, webhook_id: str, secret: str) -> None:
    """A new secret in front of the one before it; what was older is out of force."""
    await tx.conn.execute(
        "UPDATE webhooks SET secrets = ARRAY[$2, secrets[1]] WHERE webhook_id = $1::uuid", webhook_id, secret
    )


async def end(tx: Transaction, webhook_id: str) -> None:
    """Nothing is sent any more; what still waits goes nowhere."""
    await tx.conn.execute(
        "UPDATE webhooks SET ended_at = coalesce(ended_at, clock_timestamp()) WHERE webhook_id = $1::uuid", webhook_id
    )
    await tx.conn.execute("UPDATE webhook_lanes SET due_at = NULL WHERE webhook_id = $1::uuid", webhook_id)


async def deliveries(
    store: Store, webhook_id: str, *, state: str | None, after: int, limit: int
) -> list[asyncpg.Record]:
    """Deliveries in the order in which they were written."""
    return list(
        await store.pool.fetch(
            "SELECT delivery_id::text, kind, order_key, state, attempts, last_answer, created_at, finished_at, body,"
            " position FROM webhook_deliveries"
            " WHERE webhook_id = $1::uuid AND ($2::text IS NULL OR state = $2) AND position > $3"
            " ORDER BY position LIMIT $4",
            webhook_id,
            state,
            after,
            limit,
        )
    )


async def redeliver(tx: Transaction, webhook_id: str, delivery_id: str | None) -> int:
    """Send one delivery again whatever came of it, or (None) all dead ones; how many."""
    # Lanes before deliveries, as who finishes one does.
    await tx.conn.execute(
        "SELECT FROM webhook_lanes WHERE webhook_id = $1::uuid ORDER BY order_key FOR UPDATE", webhook_id
    )
    rows = await tx.conn.fetch(
        "UPDATE webhook_deliveries SET state = 'pending', attempts = 0, finished_at = NULL"
        " WHERE webhook_id = $1::uuid AND CASE WHEN $2::uuid IS NULL THEN state = 'dead' ELSE delivery_id = $2 END"
        " RETURNING order_key",
        webhook_id,
        delivery_id,
    )
    keys = sorted({row["order_key"] for row in rows})
    if keys:
        await tx.conn.execute(
            "UPDATE webhook_lanes SET due_at = least(due_at, now())"
            " WHERE webhook_id = $1::uuid AND order_key = ANY($2)",
            webhook_id,
            keys,
        )
    return len(rows)
