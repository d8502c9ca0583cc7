"""How the whole stands: each service's lag, outbox, parked keys and dead letters; throughput; how long money takes."""

import asyncio
import time
from typing import Any

from pydantic import BaseModel

from pitstream.services.ops.freshness import AsOf, as_of
from pitstream.services.ops.owners import Owners, UnreachableError
from pitstream.services.ops.told import Connection

_TEN_S_US = 10_000_000


class ServiceCondition(BaseModel):
    """One service: what it says of itself, or that it does not answer."""

    service: str
    answers: bool
    delivery: dict[str, Any] | None


class Throughput(BaseModel):
    """Events of a topic in ten seconds, by when they were recorded."""

    topic: str
    from_us: int
    events: int


class Latency(BaseModel):
    """From the end of a round (its last decision is made, its last card is up) to its last seat's posting, over the
    rounds that ended in the last ``minutes``; microseconds."""

    minutes: int
    rounds: int
    p50_us: int | None
    p99_us: int | None
    max_us: int | None


class Condition(BaseModel):
    """Everything that on-call engineers look at."""

    as_of: AsOf
    services: list[ServiceCondition]
    throughput: list[Throughput]
    latency: Latency


async def condition(conn: Connection, owners: Owners, own: dict[str, Any], credential: str, minutes: int) -> Condition:
    """How all stands now. ``own``: what this service says of itself."""
    others = await asyncio.gather(*(_service(owners, service, credential) for service in owners.urls))
    now_us = time.time_ns() // 1000
    rows = await conn.fetch(
        "SELECT topic, ten_s, events FROM flow WHERE ten_s >= $1 ORDER BY ten_s, topic",
        (now_us - minutes * 60_000_000) // _TEN_S_US,
    )
    return Condition(
        as_of=await as_of(conn),
        services=[*others, ServiceCondition(service="ops", answers=True, delivery=own)],
        throughput=[
            Throughput(topic=row["topic"], from_us=row["ten_s"] * _TEN_S_US, events=row["events"]) for row in rows
        ],
        latency=await latency(conn, now_us, minutes),
    )


async def latency(conn: Connection, now_us: int, minutes: int) -> Latency:
    """How long it took from the end of a round to its money."""
    row = await conn.fetchrow(_LATENCY, now_us - minutes * 60_000_000)
    return Latency(minutes=minutes, **dict(row))


_LATENCY = """
SELECT count(*) AS rounds, percentile_disc(0.5) WITHIN GROUP (ORDER BY p.posted_us - r.ended_us) AS p50_us,
       percentile_disc(0.99) WITHIN GROUP (ORDER BY p.posted_us - r.ended_us) AS p99_us,
       max(p.posted_us - r.ended_us) AS max_us
FROM rounds r JOIN posted p USING (table_id, round_no) WHERE r.ended_us >= $1
"""


async def _service(owners: Owners, service: str, credential: str) -> ServiceCondition:
    try:
        status, body = await owners.get(service, "/v1/delivery", credential)
    except UnreachableError:
        return ServiceCondition(service=service, answers=False, delivery=None)
    return ServiceCondition(service=service, answers=status == 200, delivery=body if status == 200 else None)
