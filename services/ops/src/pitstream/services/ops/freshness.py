"""How old what is shown is."""

import time

from pydantic import BaseModel

from pitstream.services.ops.told import Connection


class Heard(BaseModel):
    """How far a topic was heard: the time of its newest event here, and when that was taken in. Microseconds."""

    last_event_us: int
    applied_at_us: int
    events: int


class AsOf(BaseModel):
    """What an answer stands on: by topic how far it was heard, and when it was read. Microseconds since 1970."""

    read_at_us: int
    topics: dict[str, Heard]


async def as_of(conn: Connection) -> AsOf:
    """How old what is here is, at this moment."""
    rows = await conn.fetch("SELECT topic, last_event_us, applied_at_us, events FROM heard ORDER BY topic")
    return AsOf(read_at_us=time.time_ns() // 1000, topics={row["topic"]: Heard(**dict(row)) for row in rows})
