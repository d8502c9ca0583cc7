"""Every event as it was stored, by stream and by the round that it is about. SQL."""

from collections.abc import Sequence
from typing import Any, Protocol

from pitstream.events import Recorded, open_envelope
from pitstream.events.ids import round_stream
from pitstream.runtime import Transaction
from pitstream.runtime.bulk import insert

_COLUMNS = (
    "topic", "key", "key_sequence", "stream", "version", "type", "recorded_at_us", "table_id", "round_no", "envelope",
)  # fmt: skip


class Connection(Protocol):
    """What is needed of a connection or a pool of them."""

    async def fetch(self, query: str, *args: object) -> Sequence[Any]: ...

    async def fetchrow(self, query: str, *args: object) -> Any: ...

    async def fetchval(self, query: str, *args: object) -> Any: ...

    async def execute(self, query: str, *args: object) -> Any: ...

    async def executemany(self, command: str, args: Any) -> Any: ...


async def keep(tx: Transaction, batch: Sequence[Recorded]) -> None:
    """Keep a batch of one topic: its bytes, and how far the topic was heard."""
    if not batch:
        return
    topic = batch[0].event.topic
    rows = []
    for recorded in batch:
        said, envelope = vars(recorded.event), recorded.envelope
        rows.append(
            (
                topic, envelope.key, envelope.key_sequence, envelope.stream, envelope.version, envelope.type,
                envelope.recorded_at_us,
                said.get("table") or _table_of(envelope.stream), said.get("round_no") or _round_of(envelope.stream),
                recorded.data,
            )
        )  # fmt: skip
    await insert(tx.conn, "told", _COLUMNS, rows)
    last_us = max(recorded.envelope.recorded_at_us for recorded in batch)
    await tx.conn.execute(_HEARD, topic, last_us, tx.store.clock_us(), len(batch))


_HEARD = """
INSERT INTO heard (topic, last_event_us, applied_at_us, events) VALUES ($1, $2, $3, $4)
ON CONFLICT ON CONSTRAINT heard_once DO UPDATE
SET last_event_us = greatest(heard.last_event_us, excluded.last_event_us), applied_at_us = excluded.applied_at_us,
    events = heard.events + excluded.events
"""


def _table_of(stream: str) -> str | None:
    """The table of a stream of one of its rounds; None of any other."""
    kind, _, rest = stream.partition("/")
    return rest.rpartition("/")[0] if kind == "round" else None


def _round_of(stream: str) -> int | None:
    kind, _, rest = stream.partition("/")
    return int(rest.rpartition("/")[2]) if kind == "round" else None


def opened(envelope: bytes) -> Recorded:
    """A kept event."""
    return open_envelope(envelope)


async def of_stream(conn: Connection, topic: str, key: str, stream: str, below: int | None = None) -> list[Recorded]:
    """The events of a stream in order, those below a version."""
    rows = await conn.fetch(
        "SELECT envelope FROM told WHERE topic = $1 AND key = $2 AND stream = $3"
        " AND ($4::bigint IS NULL OR version < $4) ORDER BY key_sequence",
        topic,
        key,
        stream,
        below,
    )
    return [open_envelope(row["envelope"]) for row in rows]


async def of_round(conn: Connection, table: str, round_no: int, below: int | None = None) -> list[Recorded]:
    """The events of the round's own stream in order, those below a version."""
    rows = await conn.fetch(
        "SELECT envelope FROM told WHERE table_id = $1 AND round_no = $2 AND stream = $3"
        " AND ($4::bigint IS NULL OR version < $4) ORDER BY version",
        table,
        round_no,
        round_stream(table, round_no),
        below,
    )
    return [open_envelope(row["envelope"]) for row in rows]


async def of_key(
    conn: Connection, topic: str, key: str, *, before: int | None, limit: int
) -> list[tuple[int, Recorded]]:
    """The newest events of a key, each with its place there, those before a place: an account's, a network's."""
    rows = await conn.fetch(
        "SELECT key_sequence, envelope FROM told WHERE topic = $1 AND key = $2"
        " AND ($3::bigint IS NULL OR key_sequence < $3) ORDER BY key_sequence DESC LIMIT $4",
        topic,
        key,
        before,
        limit,
    )
    return [(row["key_sequence"], open_envelope(row["envelope"])) for row in rows]


async def about_round(conn: Connection, table: str, round_no: int) -> list[Recorded]:
    """Every event that names the round, of whatever stream: by time, and within a stream in its order."""
    rows = await conn.fetch(
        "SELECT envelope FROM told WHERE table_id = $1 AND round_no = $2 ORDER BY recorded_at_us, stream, version",
        table,
        round_no,
    )
    return [open_envelope(row["envelope"]) for row in rows]
