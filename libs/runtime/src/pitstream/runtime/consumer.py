"""Consumers: a polled batch of a topic in one transaction, exactly once.

Where a partition is read from is the checkpoint in PostgreSQL, which moves in the transaction that applies the batch.
Kafka's own group offset is committed afterwards, as a hint for tools that show lag; nothing depends on it.
"""

import asyncio
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from aiokafka import ConsumerRebalanceListener, ConsumerRecord, TopicPartition  # type: ignore[import-untyped]
from aiokafka.errors import KafkaError  # type: ignore[import-untyped]
from faststream import AckPolicy
from faststream.kafka import KafkaBroker
from faststream.kafka.message import KafkaMessage
from opentelemetry.trace import SpanKind, use_span

from pitstream.runtime import inbox_store, metrics, telemetry
from pitstream.runtime.inbox import Raw, Seen, look
from pitstream.runtime.inbox_store import CheckpointMovedError, Handler
from pitstream.runtime.kafka import assert_consumer
from pitstream.runtime.logs import log
from pitstream.runtime.reader import Reader
from pitstream.runtime.settings import TOPIC_SOURCES, group_of
from pitstream.runtime.store import Store, StreamConflictError, is_transient

_DURATION = metrics.histogram(telemetry.PROCESS_DURATION)
_CONSUMED = metrics.counter(telemetry.CONSUMED)

_BACKOFF_S_MAX = 5.0
_HINT_EVERY_S = 1.0
_COLLECTED_BYTES = 1 << 18
"""Records of so many bytes are handed over without waiting any longer."""
_RACES_LOST_MAX = 8
"""A handler that loses the race for a stream so often does not lose a race: it appends at a wrong version."""


class TopicConsumer(ConsumerRebalanceListener):  # type: ignore[misc]  # aiokafka is untyped here
    """Reads one topic for one service."""

    def __init__(
        self, store: Store, broker: KafkaBroker, topic: str, handler: Handler, *, batch_max: int, collect_ms: int = 0
    ) -> None:
        """``collect_ms``: how long the broker holds records back, for a larger batch; 0 hands them over at once."""
        self.store = store
        self.topic = topic
        self.source = TOPIC_SOURCES[topic]
        self.group = group_of(store.source, topic)
        self.handler = handler
        self._measured = {
            telemetry.MESSAGING_SYSTEM: "kafka",
            telemetry.MESSAGING_OPERATION_NAME: "process",
            telemetry.MESSAGING_DESTINATION: topic,
            telemetry.MESSAGING_GROUP: self.group,
        }
        self.assigned_once = False
        self._next: dict[int, int] = {}
        """Partition to the offset that its checkpoint has; only partitions that are ours and were sought to it."""
        self._sought: set[int] = set()
        """Partitions that were sent back to their checkpoint because the records polled lay beyond it."""
        self._generation = 0
        """Of the assignment: a batch that was polled under an earlier one is not ours to apply."""
        self._resuming: asyncio.Task[None] | None = None
        self._hinting: asyncio.Task[None] | None = None
        self._subscriber = broker.subscriber(
            topic,
            batch=True,
            group_id=self.group,
            ack_policy=AckPolicy.MANUAL,
            auto_offset_reset="earliest",
            isolation_level="read_committed",
            max_records=batch_max,
            fetch_min_bytes=_COLLECTED_BYTES if collect_ms else 1,
            fetch_max_wait_ms=collect_ms or 500,
            # FastStream sleeps so long after a poll that found nothing; `Reader` is who waits in a poll.
            batch_timeout_ms=20,
            # Kafka's least: so long do a killed process's partitions stand still.
            session_timeout_ms=6_000,
            heartbeat_interval_ms=1_500,
            listener=self,
            parser=_parse,
            decoder=_decode,
        )
        self._subscriber(self._consume)

    @property
    def consumer(self) -> Reader | None:
        consumer: Any = self._subscriber.consumer
        return consumer if isinstance(consumer, Reader) else None

    def check(self) -> None:
        """Called once it has started: raises UnsafeClientError when it could lose a record."""
        if self.consumer is None:
            raise RuntimeError(f"{self.topic}: the consumer has not started")
        assert_consumer(self.consumer)

    def partitions(self) -> set[int]:
        """The partitions that this process reads now."""
        return set(self._next)

    async def on_partitions_revoked(self, _revoked: Iterable[TopicPartition]) -> None:
        # A batch in hand may still commit: its checkpoint then moves before the next owner's can, or not at all.
        self._leave_all()

    async def on_partitions_assigned(self, assigned: Iterable[TopicPartition]) -> None:
        self._leave_all()
        partitions = sorted(tp.partition for tp in assigned)
        self._resuming = asyncio.create_task(self._resume_until_done(partitions))
        # Usually done at once; when PostgreSQL is away the group must not wait for it.
        await asyncio.wait([self._resuming], timeout=3)
        self.assigned_once = True
        log.info("partitions assigned", topic=self.topic, partitions=partitions, next_offsets=dict(self._next))

    async def pass_emptiness(self) -> None:
        """Move checkpoints over offsets that hold no record: a transaction's marker, or one that was aborted.

        At the end of a partition no record comes that would move it, and it would look as if there were work.
        """
        consumer, generation = self.consumer, self._generation
        for partition, checkpoint in list(self._next.items()):
            place = TopicPartition(self.topic, partition)
            if consumer is None or consumer.upto.get(place) != checkpoint or place not in consumer.assignment():
                continue
            position = await consumer.position(place)
            # A batch polled meanwhile finds the checkpoint elsewhere than it expects, and is read again.
            if (
                position > checkpoint
                and generation == self._generation
                and await inbox_store.reset_checkpoint(self.store, self.topic, partition, checkpoint, position)
                and generation == self._generation
                and self._next.get(partition) == checkpoint
            ):
                self._next[partition] = consumer.upto[place] = position

    def close(self) -> None:
        """Nothing is read any more."""
        self._leave_all()
        if self._hinting is not None:
            self._hinting.cancel()

    def _leave_all(self) -> None:
        self._generation += 1
        self._next.clear()
        if self._resuming is not None:
            self._resuming.cancel()
            self._resuming = None

    async def _resume_until_done(self, partitions: Sequence[int]) -> None:
        wait_s = 0.1
        while True:
            try:
                return await self._resume(partitions)
            except Exception as error:  # nothing is read before this succeeds, so it is tried until the process ends
                log.warning("cannot resume yet", topic=self.topic, partitions=partitions, error=repr(error))
            await asyncio.sleep(wait_s)
            wait_s = min(wait_s * 2, _BACKOFF_S_MAX)

    async def _resume(self, partitions: Sequence[int]) -> None:
        """Go to the checkpoints. Reading again is always safe, skipping never is: out of range means the beginning."""
        consumer = self.consumer
        if consumer is None or not partitions:
            return
        places = [TopicPartition(self.topic, partition) for partition in partitions]
        first = await consumer.beginning_offsets(places)
        end = await consumer.end_offsets(places)
        checkpoints = await inbox_store.checkpoints(self.store, self.topic, partitions)
        for place in places:
            checkpoint = checkpoints[place.partition]
            if not first[place] <= checkpoint <= end[place]:
                log.error(
                    "checkpoint is outside the partition, reading from its beginning",
                    topic=self.topic,
                    partition=place.partition,
                    checkpoint=checkpoint,
                    first=first[place],
                    end=end[place],
                )
                await inbox_store.reset_checkpoint(self.store, self.topic, place.partition, checkpoint, first[place])
                checkpoint = first[place]
            if place in consumer.assignment():
                consumer.seek(place, checkpoint)
                self._next[place.partition] = checkpoint
                self._sought.discard(place.partition)

    async def _consume(self, records: Sequence[ConsumerRecord[bytes | None, bytes | None]]) -> None:
        batch, generation = self._ours(records), self._generation
        moves = {partition: (self._next[partition], raws[-1].offset + 1) for partition, raws in batch.items()}
        attempt, one_by_one, patient = 0, False, True
        while batch and generation == self._generation:
            try:
                await self._transact(batch, moves, one_by_one=one_by_one, patient=patient)
                break
            except CheckpointMovedError as moved:
                log.warning("batch abandoned", topic=self.topic, reason=str(moved))
                await self._resume_until_done(list(batch))
                return
            except Exception as error:
                if patient and attempt >= _RACES_LOST_MAX and isinstance(error, StreamConflictError):
                    one_by_one, patient = True, False
                elif is_transient(error):
                    log.warning("batch is tried again", topic=self.topic, attempt=attempt, error=repr(error))
                elif one_by_one:
                    # Not the handler: ours, or a fault at commit. Never skipped; the watchdog ends what cannot end.
                    log.exception("batch cannot be committed", topic=self.topic, attempt=attempt)
                else:
                    log.warning("batch is read one by one", topic=self.topic, error=repr(error))
                    one_by_one = True
                    continue
            await asyncio.sleep(min(0.02 * 2**attempt, _BACKOFF_S_MAX))
            attempt += 1
        if generation != self._generation:
            return
        done = {partition: upto for partition, (_, upto) in moves.items()}
        self._next.update(done)
        self._sought.difference_update(done)
        if self._hinting is None:
            self._hinting = asyncio.create_task(self._hint_soon())

    def _ours(self, records: Sequence[ConsumerRecord[bytes | None, bytes | None]]) -> dict[int, list[Raw]]:
        """The records by partition, from each checkpoint on. What is not ours, or not sought yet, is left."""
        batch: dict[int, list[Raw]] = {}
        for record in records:
            if record.offset >= self._next.get(record.partition, record.offset + 1):
                batch.setdefault(record.partition, []).append(raw_of(record))
        for partition in list(batch):
            found, checkpoint = batch[partition][0].offset, self._next[partition]
            # Polled before a seek took effect: what lies between would be skipped. A second time it is a true gap.
            if found > checkpoint and partition not in self._sought:
                del batch[partition]
                self._sought.add(partition)
                if self.consumer is not None:
                    self.consumer.seek(TopicPartition(self.topic, partition), checkpoint)
        return batch

    async def _transact(
        self,
        batch: Mapping[int, Sequence[Raw]],
        moves: Mapping[int, tuple[int, int]],
        *,
        one_by_one: bool,
        patient: bool,
    ) -> None:
        """The batch in one transaction: checkpoints, inbox, dead letters, and whatever the handler does."""
        records = [look(raw, self.source) for raws in batch.values() for raw in raws]
        links = [
            link for seen in records if isinstance(seen, Seen) for link in telemetry.link(seen.envelope.traceparent)
        ]
        span = telemetry.start_span(f"process {self.topic}", kind=SpanKind.CONSUMER, links=links)
        span.set_attributes(telemetry.batch_attributes(self.topic, self.group, len(records)))
        with use_span(span, end_on_exit=True), self._measuring(len(records)):
            async with self.store.transaction() as tx:
                # First, because its lock keeps out another process that believes the partition to be its own.
                await inbox_store.advance(tx, self.topic, moves)
                reading = await inbox_store.begin(tx, self.topic, records)
                await inbox_store.apply(
                    tx, reading, records, self.handler, span, one_by_one=one_by_one, patient=patient
                )
                await inbox_store.finish(tx, self.topic, reading)

    @contextmanager
    def _measuring(self, records: int) -> Iterator[None]:
        began = time.perf_counter()
        try:
            yield
        except Exception as error:
            failed = {**self._measured, telemetry.ERROR_TYPE: type(error).__name__}
            _DURATION.record(time.perf_counter() - began, failed)
            raise
        _DURATION.record(time.perf_counter() - began, self._measured)
        _CONSUMED.add(records, self._measured)

    async def _hint_soon(self) -> None:
        """Tell Kafka how far we are, once a second at most: a request for each batch would be a tenth of the work.

        A refusal means that the group may have given our partitions away: we go back to their checkpoints.
        """
        await asyncio.sleep(_HINT_EVERY_S)
        self._hinting = None
        consumer, generation, reached = self.consumer, self._generation, dict(self._next)
        if consumer is None or not reached:
            return
        try:
            await consumer.commit({TopicPartition(self.topic, p): offset for p, offset in reached.items()})
        except KafkaError as error:
            log.warning("offset hint refused, going back to the checkpoints", topic=self.topic, error=repr(error))
            if generation == self._generation:
                self._leave_all()
                self._resuming = asyncio.create_task(self._resume_until_done(list(reached)))


def raw_of(record: ConsumerRecord[bytes | None, bytes | None]) -> Raw:
    """The record with nothing decoded."""
    headers = tuple((name.encode(errors="surrogateescape"), value) for name, value in record.headers)
    return Raw(record.topic, record.partition, record.offset, record.timestamp, record.key, record.value, headers)


async def _parse(records: Any) -> KafkaMessage:
    # FastStream's own parser reads headers as text and null as b"": a poison record would never reach us as it is.
    return KafkaMessage(raw_message=records, body=b"", headers={}, consumer=_NO_ACK)


async def _decode(message: KafkaMessage) -> Any:
    return message.raw_message


class _NoAck:
    """Offsets are committed by TopicConsumer and nobody else."""

    async def commit(self) -> None:
        raise RuntimeError("a batch is acknowledged by its checkpoint")

    def seek(self, partition: TopicPartition, offset: int) -> None:
        raise RuntimeError(f"{partition} {offset}: a batch is acknowledged by its checkpoint")


_NO_ACK = _NoAck()
