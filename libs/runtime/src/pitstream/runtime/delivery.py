"""How a service stands between its topics: how far behind it is, what waits to be published, what waits to be read."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends
from pydantic import BaseModel, Field

from pitstream.runtime.access import Principal, Role, allowed
from pitstream.runtime.commands import store_of
from pitstream.runtime.settings import group_of
from pitstream.runtime.store import Store
from pitstream.runtime.watchdog import LagWatch

if TYPE_CHECKING:
    import asyncpg

_PARKED_MAX = 100


class ConsumerView(BaseModel):
    """A topic that the service reads."""

    topic: str
    group: str
    lag: Annotated[int | None, Field(description="records that no instance has applied yet; null when it is unknown")]


class OutboxView(BaseModel):
    """What is written and not published yet."""

    waiting: int
    oldest_us: Annotated[int | None, Field(description="when the oldest of it was recorded; null where nothing waits")]


class ParkedView(BaseModel):
    """A key whose later records wait, for a gap to be filled or for a dead letter."""

    topic: str
    key: str
    records: int
    blocked_by: Annotated[int | None, Field(description="the dead letter that it waits for")]


class Delivery(BaseModel):
    """How the service stands at this moment."""

    service: str
    now_us: int
    consumers: list[ConsumerView]
    outbox: OutboxView
    parked: Annotated[list[ParkedView], Field(description=f"the first {_PARKED_MAX}, those with most records first")]
    dead_letters: Annotated[int, Field(description="that nobody retried with success yet")]


def delivery_routes(lags: Callable[[], Sequence[LagWatch]]) -> APIRouter:
    """``/v1/delivery``. ``lags``: the watches of the consumers that run now."""
    router = APIRouter(prefix="/v1/delivery", tags=["delivery"])

    @router.get("", response_model=Delivery)
    async def delivery(
        _who: Annotated[Principal, Depends(allowed(Role.AUDITOR, Role.OPERATIONS, everywhere=True))],
        store: Annotated[Store, Depends(store_of)],
    ) -> dict[str, Any]:
        """How far behind the service's consumers are, what waits in its outbox, which keys wait, how many dead letters
        there are."""
        return await delivery_of(store, lags())

    return router


async def outbox_of(store: Store) -> "asyncpg.Record":
    """How many records wait to be published, ``waiting``, and when the first was recorded, ``oldest_us``."""
    (outbox,) = await store.pool.fetch(_OUTBOX)
    return outbox


async def delivery_of(store: Store, lags: Sequence[LagWatch]) -> dict[str, Any]:
    """What ``/v1/delivery`` answers."""
    return {
        "service": store.source,
        "now_us": store.clock_us(),
        "consumers": [
            {"topic": one.consumer.topic, "group": group_of(store.source, one.consumer.topic), "lag": one.lag}
            for one in lags
        ],
        "outbox": dict(await outbox_of(store)),
        "parked": [dict(row) for row in await store.pool.fetch(_PARKED, _PARKED_MAX)],
        "dead_letters": await store.pool.fetchval("SELECT count(*) FROM dead_letters WHERE retried_at_us IS NULL"),
    }


_OUTBOX = """
SELECT count(*) AS waiting, min(coalesce(e.recorded_at_us, d.recorded_at_us)) AS oldest_us
FROM outbox o LEFT JOIN events e USING (stream, version) LEFT JOIN dead_letters d ON d.id = o.dead_letter_id
"""
_PARKED = """
SELECT topic, key, count(w.key_sequence) AS records, p.blocked_by
FROM key_positions p LEFT JOIN parked w USING (topic, key)
WHERE p.blocked_by IS NOT NULL OR w.key_sequence IS NOT NULL
GROUP BY topic, key, p.blocked_by ORDER BY records DESC, topic, key LIMIT $1
"""
