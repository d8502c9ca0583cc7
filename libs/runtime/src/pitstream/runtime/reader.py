"""The Kafka client that consumers read with: no record can stop its partition, and no poll that fails can lose one.

aiokafka 0.14 raises from a poll when a header's name is not UTF-8, or a batch cannot be unpacked, and raises again at
every further poll: one such record, which any producer can write, would stand in front of all others for ever. What the
poll had already taken from other partitions is thrown away with it.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import aiokafka.consumer.fetcher as fetcher  # type: ignore[import-untyped]
from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition
from aiokafka.errors import UnsupportedCodecError  # type: ignore[import-untyped]
from aiokafka.record.default_records import _DefaultRecordBatchPy  # type: ignore[import-untyped]
from aiokafka.record.memory_records import MemoryRecords  # type: ignore[import-untyped]
from aiokafka.record.util import decode_varint  # type: ignore[import-untyped]
from faststream.kafka import KafkaBroker

from pitstream.runtime.kafka_security import connection

UNREADABLE_HEADER = "pitstream-unreadable"
"""Of a record that stands for a batch which cannot be unpacked; its value is the batch, this header says why."""


_WAIT_MS = 500
"""An idle poll waits so long; a record ends its wait at once. FastStream would poll again after as long as it sleeps,
whose shortness is what a record is late by: fifty times a second, for nothing."""


class Reader(AIOKafkaConsumer):  # type: ignore[misc]  # aiokafka is untyped
    """A consumer that knows up to where its polls have handed out every record, and goes back there when one fails."""

    def __init__(self, *topics: str, **options: Any) -> None:
        super().__init__(*topics, **options)
        self.upto: dict[TopicPartition, int] = {}
        """Next offset after the last record that was handed out, of each partition that was sought."""

    def seek(self, partition: TopicPartition, offset: int) -> None:
        super().seek(partition, offset)
        self.upto[partition] = offset

    async def getmany(
        self, *partitions: TopicPartition, timeout_ms: int = 0, max_records: int | None = None
    ) -> dict[TopicPartition, list[ConsumerRecord[Any, Any]]]:
        try:
            polled: dict[TopicPartition, list[ConsumerRecord[Any, Any]]] = await super().getmany(
                *partitions, timeout_ms=max(timeout_ms, _WAIT_MS), max_records=max_records
            )
        except Exception:
            for place in self.assignment() & self.upto.keys():
                super().seek(place, self.upto[place])
            raise
        for place in polled.keys() & self.upto.keys():
            self.upto[place] = polled[place][-1].offset + 1
        return polled


async def connect(broker: KafkaBroker, kafka: str) -> None:
    """Connect the broker and let its subscribers read with ``Reader``, for which FastStream has no option; they are let
    in at ``kafka`` as every other client is."""
    made: Any = await broker.connect()
    broker.config.broker_config.builder = partial(Reader, **{**made.keywords, **connection(kafka)})


class FetchedRecords:
    """One partition's share of a fetch, batch by batch: in the place of aiokafka's ``MemoryRecords``."""

    def __init__(self, data: bytes) -> None:
        self._data = memoryview(data)
        self._batches = MemoryRecords(data)

    def size_in_bytes(self) -> int:
        return len(self._data)

    def has_next(self) -> bool:
        return bool(self._batches.has_next())

    def next_batch(self) -> Any:
        batch = self._batches.next_batch()
        # Offset and length, then the batch itself.
        length = 12 + int.from_bytes(self._data[8:12], "big")
        raw, self._data = self._data[:length], self._data[length:]
        # Formats 0 and 1 have no headers, and Kafka 4 keeps none of them.
        return _Batch(batch, raw) if getattr(batch, "magic", 2) >= 2 else batch


fetcher.MemoryRecords = FetchedRecords


class _Batch:
    """A batch whose records can all be had: by aiokafka's quick way, and where that fails by our own."""

    def __init__(self, batch: Any, raw: memoryview) -> None:
        self._batch = batch
        self._raw = raw
        self.base_offset: int = batch.base_offset
        self.next_offset: int = batch.next_offset
        self.producer_id: int = batch.producer_id
        self.is_control_batch: bool = batch.is_control_batch
        self.is_transactional: bool = batch.is_transactional

    def validate_crc(self) -> bool:
        return bool(self._batch.validate_crc())

    def __next__(self) -> Any:
        return next(self._batch)

    def __iter__(self) -> Iterator[Any]:
        after = self.base_offset
        try:
            for record in self._batch:
                yield record
                after = record.offset + 1
        except UnsupportedCodecError:
            raise  # ours to mend, and what is in it may be real
        except Exception as error:  # whatever it is, the records behind this one must be reached
            yield from self._from(after, error)

    def _from(self, offset: int, error: Exception) -> Iterator["_Record"]:
        """The records from ``offset`` on; one that holds the whole batch where it cannot be taken apart."""
        try:
            for record in unpacked(self._raw):
                if record.offset >= offset:
                    yield record
                    offset = record.offset + 1
        except Exception as still:  # a partition does not stop for what nobody can read
            why: list[tuple[str, bytes | None]] = [(UNREADABLE_HEADER, f"{error!r}; {still!r}"[:500].encode())]
            yield _Record(offset, self._batch.max_timestamp, 0, None, bytes(self._raw), why)


class _Record(NamedTuple):
    """What aiokafka's consumer asks of a record. Bytes of a name that are no UTF-8 are its lone surrogates."""

    offset: int
    timestamp: int
    timestamp_type: int
    key: bytes | None
    value: bytes | None
    headers: list[tuple[str, bytes | None]]
    checksum: None = None


def unpacked(raw: bytes | memoryview) -> Iterator[_Record]:
    """The records of a batch in Kafka's format 2, whatever their headers are named.

    Raises ValueError, or what its codec does, when it is no such batch.
    """
    batch = _DefaultRecordBatchPy(raw)
    batch._maybe_uncompress()  # noqa: SLF001
    buffer, at = batch._buffer, batch._pos  # noqa: SLF001
    for _ in range(batch._num_records):  # noqa: SLF001
        length, at = decode_varint(buffer, at)
        if not 0 <= length <= len(buffer) - at:
            raise ValueError(f"length: was {length}; {len(buffer) - at} bytes are left")
        yield _read(bytearray(buffer[at : at + length]), batch)
        at += length


def _read(body: bytearray, batch: Any) -> _Record:
    _, at = decode_varint(body, 0)  # attributes: none are defined
    time, at = decode_varint(body, at)
    offset, at = decode_varint(body, at)
    key, at = _bytes(body, at)
    value, at = _bytes(body, at)
    count, at = decode_varint(body, at)
    headers = []
    for _ in range(count):
        name, at = _bytes(body, at)
        content, at = _bytes(body, at)
        headers.append(((name or b"").decode(errors="surrogateescape"), content))
    if at != len(body):
        raise ValueError(f"length: was {len(body)}; the record has {at} bytes")
    appended = batch.timestamp_type == batch.LOG_APPEND_TIME
    time = batch.max_timestamp if appended else batch.first_timestamp + time
    return _Record(batch.base_offset + offset, time, batch.timestamp_type, key, value, headers)


def _bytes(body: bytearray, at: int) -> tuple[bytes | None, int]:
    """Bytes with their length before them; a length below 0 is null."""
    length, at = decode_varint(body, at)
    if length < 0:
        return None, at
    if length > len(body) - at:
        raise ValueError(f"length: was {length}; {len(body) - at} bytes are left")
    return bytes(body[at : at + length]), at + length
