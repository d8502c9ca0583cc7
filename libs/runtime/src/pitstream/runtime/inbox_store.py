"""The inbox in PostgreSQL: checkpoints, positions, parked records, dead letters. SQL, and the order it runs in."""

import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from opentelemetry.trace import Link, Span, SpanKind

from pitstream.events import Recorded, envelope_hash
from pitstream.runtime import telemetry
from pitstream.runtime.inbox import Block, Dead, Position, Raw, Reading, Seen, Unbelieved, look
from pitstream.runtime.logs import log
from pitstream.runtime.settings import DEAD_LETTERS_TOPIC, TOPIC_SOURCES, group_of
from pitstream.runtime.store import Store, StreamConflictError, Transaction, is_transient

if TYPE_CHECKING:
    from collections.abc import Iterator

    import asyncpg

Handler = Callable[[Transaction, Sequence[Recorded]], Awaitable[None]]
"""One polled batch of a topic: fresh events only, each once, in partition order, inside the batch's transaction.

It may run more than once, of which one is committed. When it raises, its events are given to it again one by one, so
that only the event that it cannot handle is set aside."""


class CheckpointMovedError(Exception):
    """Somebody else has processed these records, or we have and did not hear of it. The batch is abandoned."""


async def checkpoints(store: Store, topic: str, partitions: Sequence[int]) -> dict[int, int]:
    """Next offset by partition; a partition met for the first time starts at 0."""
    rows = await store.pool.fetch(
        """
        WITH fresh AS (
            INSERT INTO checkpoints (topic, partition, next_offset) SELECT $1, p, 0 FROM unnest($2::int[]) AS p
            ON CONFLICT ON CONSTRAINT checkpoints_once DO NOTHING RETURNING partition, next_offset
        )
        SELECT partition, next_offset FROM fresh
        UNION ALL SELECT partition, next_offset FROM checkpoints WHERE topic = $1 AND partition = ANY($2)
        """,
        topic,
        list(partitions),
    )
    return {row["partition"]: row["next_offset"] for row in rows}


async def all_checkpoints(store: Store, topic: str) -> dict[int, int]:
    """Next offset by partition, of every partition that was ever read, by whichever instance."""
    rows = await store.pool.fetch("SELECT partition, next_offset FROM checkpoints WHERE topic = $1", topic)
    return {row["partition"]: row["next_offset"] for row in rows}


async def reset_checkpoint(store: Store, topic: str, partition: int, was: int, to: int) -> bool:
    """Put a checkpoint elsewhere, unless it has moved; applied events are known, so none is applied twice."""
    done = await store.pool.execute(
        "UPDATE checkpoints SET next_offset = $4 WHERE topic = $1 AND partition = $2 AND next_offset = $3",
        topic, partition, was, to,
    )  # fmt: skip
    return bool(done == "UPDATE 1")


async def advance(tx: Transaction, topic: str, moves: Mapping[int, tuple[int, int]]) -> None:
    """Move checkpoints, {partition: (from, to)}; raises CheckpointMovedError unless each is where we left it."""
    moved = await tx.conn.fetch(
        """
        WITH mine AS (
            SELECT c.partition, t.upto FROM checkpoints c
            JOIN unnest($2::int[], $3::bigint[], $4::bigint[]) AS t (partition, was, upto)
                ON c.topic = $1 AND c.partition = t.partition AND c.next_offset = t.was
            ORDER BY c.partition FOR UPDATE OF c
        )
        UPDATE checkpoints c SET next_offset = mine.upto FROM mine
        WHERE c.topic = $1 AND c.partition = mine.partition RETURNING c.partition
        """,
        topic, list(moves), [was for was, _ in moves.values()], [upto for _, upto in moves.values()],
    )  # fmt: skip
    lost = moves.keys() - {row["partition"] for row in moved}
    if lost:
        raise CheckpointMovedError(
            f"{topic} {sorted(lost)}: the checkpoint is not at {[moves[p][0] for p in sorted(lost)]}"
        )


async def begin(tx: Transaction, topic: str, records: Sequence[Seen | Unbelieved]) -> Reading:
    """What is stored of the keys and events in ``records``; the keys are locked."""
    seen = [record for record in records if isinstance(record, Seen)]
    keys = sorted({record.envelope.key for record in seen})
    positions = await _positions(tx, topic, keys) if keys else {}
    for waiting in positions.values():
        seen += [record for records_there in waiting.waiting.values() for record in records_there]
    ids = {record.event_id for record in seen} | {
        record.previous_id for record in seen if record.previous_id is not None
    }
    hashes: dict[uuid.UUID, bytes] = {}
    if ids:
        rows = await tx.conn.fetch(
            "SELECT event_id, hash FROM inbox WHERE topic = $1 AND event_id = ANY($2)", topic, list(ids)
        )
        hashes = {row["event_id"]: row["hash"] for row in rows}
    return Reading(positions, hashes)


async def _positions(tx: Transaction, topic: str, keys: Sequence[str]) -> dict[str, Position]:
    # A key must have a row to be locked, so that a retry of a dead letter and a batch never work on it together.
    await tx.conn.execute(
        """
        INSERT INTO key_positions (topic, key, last_sequence) SELECT $1, t.key, 0 FROM unnest($2::text[]) AS t (key)
        WHERE NOT EXISTS (SELECT FROM key_positions p WHERE p.topic = $1 AND p.key = t.key)
        ON CONFLICT ON CONSTRAINT key_positions_once DO NOTHING
        """,
        topic,
        list(keys),
    )
    rows = await tx.conn.fetch(
        """
        SELECT p.key, p.last_sequence, p.blocked_by, d.reason, d.record_value,
               EXISTS (SELECT FROM parked w WHERE w.topic = p.topic AND w.key = p.key) AS waits
        FROM key_positions p LEFT JOIN dead_letters d ON d.id = p.blocked_by
        WHERE p.topic = $1 AND p.key = ANY($2) ORDER BY p.key FOR UPDATE OF p
        """,
        topic,
        list(keys),
    )
    positions = {
        row["key"]: Position(
            row["last_sequence"],
            Block(row["blocked_by"], row["reason"], envelope_hash(row["record_value"])) if row["blocked_by"] else None,
        )
        for row in rows
    }
    waits = [row["key"] for row in rows if row["waits"]]
    if waits:
        for row in await tx.conn.fetch(_PARKED, topic, waits):
            record = look(_raw(topic, row["key"].encode(), row), TOPIC_SOURCES[topic])
            if not isinstance(record, Seen):
                raise RuntimeError(f"parked {topic} {row['key']} {row['key_sequence']}: {record.error}")
            positions[row["key"]].waiting.setdefault(row["key_sequence"], []).append(record)
    return positions


_PARKED = """
SELECT key, key_sequence, partition, kafka_offset, kafka_time_ms, record_value, header_names, header_values
FROM parked WHERE topic = $1 AND key = ANY($2) ORDER BY key, key_sequence, partition, kafka_offset
"""


async def apply(
    tx: Transaction,
    reading: Reading,
    records: Sequence[Seen | Unbelieved],
    handler: Handler,
    batch_span: Span,
    *,
    one_by_one: bool,
    patient: bool = True,
) -> None:
    """Give the fresh events among ``records`` to ``handler``: all at once, or each in a savepoint of its own.

    One by one, an event that the handler fails on is set aside and its key blocked; a transient error is raised. Not
    ``patient``, a lost race for a stream counts as a failure too.
    """
    if not one_by_one:
        fresh = list(reading.fresh(records))
        if fresh:
            with _work_spans(tx, fresh, batch_span):
                await handler(tx, [record.recorded for record in fresh if record.recorded is not None])
        return
    for record in reading.fresh(records):
        if record.recorded is None:
            raise RuntimeError("a fresh event is always readable")
        with _work_spans(tx, [record], batch_span):
            try:
                async with tx.savepoint():
                    await handler(tx, [record.recorded])
            except Exception as error:
                if is_transient(error) and (patient or not isinstance(error, StreamConflictError)):
                    raise
                log.exception(
                    "event set aside, its key waits", topic=record.raw.topic, event_id=record.envelope.event_id
                )
                reading.fail(record, f"{type(error).__name__}: {error}")


@contextmanager
def _work_spans(tx: Transaction, fresh: Sequence[Seen], batch_span: Span) -> "Iterator[None]":
    """A span for each event in the event's own trace: so a round is one trace, whatever batches it came in.

    None where nobody sees them: to make them took a tenth of a busy reader's time, and what is appended has its own."""
    if not (batch_span.is_recording() or telemetry.spans_are_exported()):
        yield
        return
    batch = [Link(batch_span.get_span_context())]
    with ExitStack() as spans:
        for record in fresh:
            envelope = record.envelope
            span = telemetry.start_span(
                f"process {envelope.type.rpartition('.')[2]}",
                parent=envelope.traceparent,
                kind=SpanKind.CONSUMER,
                links=batch,
            )
            if span.is_recording():
                raw, group = record.raw, group_of(tx.store.source, record.raw.topic)
                span.set_attributes(telemetry.event_attributes(raw.topic, group, raw.partition, raw.offset, envelope))
            spans.callback(span.end)
            tx.adopt_span(envelope.event_id, span)
        yield


async def finish(tx: Transaction, topic: str, reading: Reading) -> None:
    """Store what the reading found: inbox, positions, parked records, dead letters."""
    blocked = {dead.blocks: await bury(tx, dead) for dead in reading.dead}
    if reading.applied:
        await tx.conn.execute(
            "INSERT INTO inbox (topic, event_id, hash) SELECT $1, * FROM unnest($2::uuid[], $3::bytea[])",
            topic,
            list(reading.applied),
            list(reading.applied.values()),
        )
    if reading.moved:
        moved = {key: reading.positions[key] for key in sorted(reading.moved)}
        blocks = [
            None if position.block is None else position.block.dead_letter_id or blocked[key]
            for key, position in moved.items()
        ]
        await tx.conn.execute(
            """
            UPDATE key_positions p SET last_sequence = t.last_sequence, blocked_by = t.blocked_by
            FROM unnest($2::text[], $3::bigint[], $4::bigint[]) AS t (key, last_sequence, blocked_by)
            WHERE p.topic = $1 AND p.key = t.key
            """,
            topic, list(moved), [position.last_sequence for position in moved.values()], blocks,
        )  # fmt: skip
    if reading.unparked:
        await tx.conn.executemany(
            """
            DELETE FROM parked
            WHERE topic = $1 AND key = $2 AND key_sequence = $3 AND partition = $4 AND kafka_offset = $5
            """,
            [(topic, r.envelope.key, r.envelope.key_sequence, r.raw.partition, r.raw.offset) for r in reading.unparked],
        )
    if reading.parked:
        await tx.conn.executemany(
            """
            INSERT INTO parked (topic, key, key_sequence, partition, kafka_offset, kafka_time_ms, record_value,
                                header_names, header_values) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            """,
            [
                (
                    topic, r.envelope.key, r.envelope.key_sequence, r.raw.partition, r.raw.offset, r.raw.time_ms,
                    r.data, [name for name, _ in r.raw.headers], [value for _, value in r.raw.headers],
                )
                for r in reading.parked
            ],
        )  # fmt: skip


_ERROR_MAX = 2000
"""Characters kept of what is said of a dead letter; it may quote a record that was made to be long."""


async def bury(tx: Transaction, dead: Dead) -> int:
    """Keep a record as a dead letter and put it in the outbox for ``dead-letters.v1``; its id."""
    raw = dead.raw
    tx.publishes = True
    log.error(
        "dead letter",
        topic=raw.topic, partition=raw.partition, offset=raw.offset, reason=dead.reason, blocks=dead.blocks,
    )  # fmt: skip
    dead_letter_id: int = await tx.conn.fetchval(
        """
        WITH letter AS (
            INSERT INTO dead_letters (topic, partition, kafka_offset, kafka_time_ms, record_key, record_value,
                                      header_names, header_values, reason, error, recorded_at_us)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING id
        )
        INSERT INTO outbox (topic, dead_letter_id) SELECT $12, id FROM letter RETURNING dead_letter_id
        """,
        raw.topic, raw.partition, raw.offset, raw.time_ms, raw.key, raw.value,
        [name for name, _ in raw.headers], [value for _, value in raw.headers],
        dead.reason, dead.error.replace("\x00", "\\0")[:_ERROR_MAX], tx.store.clock_us(), DEAD_LETTERS_TOPIC,
    )  # fmt: skip
    return dead_letter_id


def raw_of_row(row: "asyncpg.Record") -> Raw:
    """The record of a dead letter, as it came."""
    return _raw(row["topic"], row["record_key"], row)


def _raw(topic: str, key: bytes | None, row: "asyncpg.Record") -> Raw:
    headers: tuple[tuple[bytes, Any], ...] = tuple(zip(row["header_names"], row["header_values"], strict=True))
    return Raw(topic, row["partition"], row["kafka_offset"], row["kafka_time_ms"], key, row["record_value"], headers)
