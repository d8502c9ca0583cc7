"""The outbox relay: what was committed is published, in the order of each key, until Kafka has acknowledged it.

One instance at a time owns a service's relay, by an advisory lock on the very connection that reads and deletes the
rows: when the lock is lost, so is the connection, and nothing more is deleted. Two owners can overlap for a moment;
then a record is published twice, which readers ignore by its place in its key.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime

import asyncpg
from aiokafka import AIOKafkaProducer  # type: ignore[import-untyped]
from opentelemetry.trace import Link, SpanKind

from pitstream.events import Envelope
from pitstream.runtime import metrics, telemetry
from pitstream.runtime.kafka import DEAD_LETTER_BYTES_MAX, abandon, started_producer
from pitstream.runtime.logs import log
from pitstream.runtime.store import Store

_SENT = metrics.counter(telemetry.SENT)
_DURATION = metrics.histogram(telemetry.SEND_DURATION)
_SEND = {telemetry.MESSAGING_SYSTEM: "kafka", telemetry.MESSAGING_OPERATION_NAME: "send"}

_BATCH = 1000
_POLL_S = 0.1
_ACK_S = 30
_DEAD_LETTER_CONTENT_MAX = DEAD_LETTER_BYTES_MAX - 64 * 1024
"""A dead letter that is larger is published without its bytes; the database has them."""

Headers = list[tuple[str, bytes]]


class Relay:
    """Publishes one service's outbox. ``run`` never returns; cancel it to stop."""

    def __init__(self, store: Store, *, postgres: str, kafka: str) -> None:
        self.store = store
        self.postgres = postgres
        self.kafka = kafka
        self.owner = False
        self._spans = telemetry.spans_are_exported()

    async def run(self) -> None:
        while True:
            try:
                await self._own_and_publish()
            except Exception as error:  # whatever it was, the next attempt starts from the rows that are still there
                log.warning("relay starts again", error=repr(error))
            await asyncio.sleep(0.5)

    async def _own_and_publish(self) -> None:
        connection = await asyncpg.connect(
            self.postgres,
            server_settings={
                "role": self.store.role,
                "search_path": self.store.source,
                "application_name": f"pitstream-{self.store.source}-relay",
            },
        )
        producer: AIOKafkaProducer | None = None
        try:
            while not await connection.fetchval(_TRY_LOCK, f"{self.store.source}/relay"):  # noqa: ASYNC110
                # Asked for again and again rather than waited for: a waiting statement would hold back vacuum.
                await asyncio.sleep(0.5)
            self.owner = True
            producer = await started_producer(self.kafka, f"pitstream-{self.store.source}-relay")
            log.info("relay owned")
            while True:
                self.store.committed.clear()
                if not await self._publish_batch(connection, producer):
                    # Not asyncio.wait_for: before Python 3.12 it loses a cancellation that meets the event, and the
                    # service then never ends.
                    with suppress(TimeoutError):
                        async with asyncio.timeout(_POLL_S):
                            await self.store.committed.wait()
        finally:
            self.owner = False
            # A producer that failed once may have an unsure sequence: it is never used again.
            if producer is not None:
                await abandon(producer)
            connection.terminate()

    async def _publish_batch(self, connection: asyncpg.Connection, producer: AIOKafkaProducer) -> int:
        """Publish the oldest rows and delete them once acknowledged; how many."""
        rows = await connection.fetch(_UNPUBLISHED, _BATCH)
        if not rows:
            return 0
        began, start_ns, sent = time.perf_counter(), time.time_ns(), []
        for row in rows:
            value, key, headers = _dead_letter(row) if row["dead_letter_id"] else _event(row)
            sent.append(await producer.send(row["topic"], value=value, key=key, headers=headers))
        async with asyncio.timeout(_ACK_S):
            await asyncio.gather(*sent)
        _DURATION.record(time.perf_counter() - began, _SEND)
        for topic, count in Counter(row["topic"] for row in rows).items():
            _SENT.add(count, {**_SEND, telemetry.MESSAGING_DESTINATION: topic})
            if self._spans:
                _told(topic, count, rows, start_ns)
        await connection.execute("DELETE FROM outbox WHERE position = ANY($1)", [row["position"] for row in rows])
        return len(rows)


def _told(topic: str, count: int, rows: Sequence[asyncpg.Record], start_ns: int) -> None:
    """The span of records that were sent to a topic together, linked to the work that wrote each."""
    links: list[Link] = []
    for row in rows:
        if row["topic"] == topic and row["envelope"] is not None:
            links += telemetry.link(Envelope.FromString(row["envelope"]).traceparent)
    attributes = telemetry.sent_attributes(topic, count)
    telemetry.start_span(
        f"send {topic}", kind=SpanKind.PRODUCER, links=links, attributes=attributes, start_ns=start_ns
    ).end()


_TRY_LOCK = "SELECT pg_try_advisory_lock(hashtextextended($1, 0))"
_UNPUBLISHED = """
SELECT o.position, o.topic, o.dead_letter_id, e.envelope,
       d.topic AS dead_topic, d.partition, d.kafka_offset, d.record_key, d.record_value,
       d.header_names, d.header_values, d.reason, d.error
FROM outbox o
LEFT JOIN events e ON e.stream = o.stream AND e.version = o.version
LEFT JOIN dead_letters d ON d.id = o.dead_letter_id
ORDER BY o.position LIMIT $1
"""


def event_headers(envelope: Envelope) -> Headers:
    """CloudEvents' Kafka binding, binary mode: what a tool can know of an event without decoding it."""
    recorded_at = datetime.fromtimestamp(envelope.recorded_at_us // 1_000_000, UTC)
    fields = {
        "ce_specversion": "1.0",
        "ce_id": envelope.event_id,
        "ce_source": envelope.source,
        "ce_type": envelope.type,
        "ce_time": f"{recorded_at:%Y-%m-%dT%H:%M:%S}.{envelope.recorded_at_us % 1_000_000:06}Z",
        "ce_sequence": str(envelope.version),
        "content-type": "application/protobuf",
    }
    if envelope.traceparent:
        fields["traceparent"] = envelope.traceparent
    return [(name, value.encode()) for name, value in fields.items()]


def _event(row: asyncpg.Record) -> tuple[bytes, bytes, Headers]:
    envelope = Envelope.FromString(row["envelope"])
    return row["envelope"], envelope.key.encode(), event_headers(envelope)


def _dead_letter(row: asyncpg.Record) -> tuple[bytes | None, bytes | None, Sequence[tuple[str, bytes | None]]]:
    """The record as it came, byte for byte, with where it came from and why it is here in further headers."""
    # A name that is no UTF-8 cannot be sent by this client; the database keeps it as it was.
    came = [
        (name.decode(errors="backslashreplace"), value)
        for name, value in zip(row["header_names"], row["header_values"], strict=True)
    ]
    why = {
        "pitstream-dead-letter-topic": row["dead_topic"],
        "pitstream-dead-letter-partition": str(row["partition"]),
        "pitstream-dead-letter-offset": str(row["kafka_offset"]),
        "pitstream-dead-letter-reason": row["reason"],
        "pitstream-dead-letter-error": row["error"],
        "pitstream-dead-letter-id": str(row["dead_letter_id"]),
    }
    said = [(name, value.encode()) for name, value in why.items()]
    size = sum(len(part or b"") for part in (row["record_key"], row["record_value"], *row["header_values"]))
    size += sum(len(name) for name, _ in came)
    if size > _DEAD_LETTER_CONTENT_MAX:
        # A batch of a few kilobytes can unpack into this. It must not stand in front of the events behind it.
        return b"", None, [*said, ("pitstream-dead-letter-bytes-left-out", str(size).encode())]
    if row["record_value"] is None and row["record_key"] is None:
        # Kafka takes such a record, this client sends none.
        return b"", None, [*came, *said, ("pitstream-dead-letter-value", b"null")]
    return row["record_value"], row["record_key"], came + said
