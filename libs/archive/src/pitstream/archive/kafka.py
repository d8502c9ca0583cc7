"""The Kafka topics as a source: each partition from its beginning to where it ended when the source was opened."""

from collections import defaultdict
from collections.abc import AsyncIterator, Collection
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Any, Final, Self

from aiokafka import TopicPartition  # type: ignore[import-untyped]
from aiokafka.errors import KafkaError  # type: ignore[import-untyped]

from pitstream.archive.stored import TOPICS, WHOLE, Shard, SourceError, Stored, partition_of, stored_from
from pitstream.runtime.kafka_security import KafkaRefusedError, connection, explained
from pitstream.runtime.reader import Reader

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_POLL_MS: Final = 1000
_SILENT_POLLS_MAX: Final = 60


class KafkaSource:
    """Reads the topics outside of every consumer group: it commits nothing and takes no partition from anybody."""

    name = "kafka"

    def __init__(self, kafka: str) -> None:
        self._kafka = kafka
        self._ends: dict[TopicPartition, int] = {}

    async def __aenter__(self) -> Self:
        """Raises SourceError when no broker answers, or a topic is not there."""
        try:
            reader = self._reader()
        except KafkaRefusedError as error:
            raise SourceError(str(error)) from error
        try:
            async with explained(self._kafka):
                await reader.start()
            # Asked for all of them: a topic that is asked for by its name would be made.
            cluster = await reader._client.fetch_all_metadata()  # noqa: SLF001  # `topics` tells no partitions
            for topic in TOPICS:
                if not (partitions := cluster.partitions_for_topic(topic)):
                    raise SourceError(f"PITSTREAM_KAFKA: has no topic {topic}; the services never ran on it")
                places = [TopicPartition(topic, partition) for partition in sorted(partitions)]
                self._ends |= await reader.end_offsets(places)
        except KafkaRefusedError as error:
            raise SourceError(str(error)) from error
        except (KafkaError, OSError) as error:
            raise SourceError(f"PITSTREAM_KAFKA: cannot be read: {error!r}") from error
        finally:
            await reader.stop()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Every reading has a client of its own, which ends with it."""

    def partitions(self, topic: str) -> int:
        """How many partitions the topic has."""
        return sum(place.topic == topic for place in self._ends)

    async def events(
        self, topic: str, *, shard: Shard = WHOLE, keys: Collection[str] | None = None
    ) -> AsyncIterator[Stored]:
        """As every source; partition by partition, the keys of one by turns. With a shard of as many as the topic has
        partitions, one partition is read; with another one, every partition that may hold its keys."""
        count = self.partitions(topic)
        # A record that stands in a partition which is not its key's is handed out with its partition.
        whole = count % shard.of == 0
        for partition in range(count):
            # A share of n holds keys of this partition only where both numbers leave the same rest.
            if whole and partition % shard.of != shard.number:
                continue
            if shard.of % count == 0 and shard.number % count != partition:
                continue
            if keys is not None and all(partition_of(key, count) != partition for key in keys):
                continue
            async for stored in self._partition(TopicPartition(topic, partition)):
                if (whole or shard.has(stored.key)) and (keys is None or stored.key in keys):
                    yield stored

    async def stream(self, topic: str, key: str, stream: str) -> list[Stored]:
        """As every source; reads the whole partition of the key."""
        found = [stored async for stored in self.events(topic, keys=[key]) if stored.stream == stream]
        return sorted(found, key=lambda stored: stored.version)

    async def _partition(self, place: TopicPartition) -> AsyncIterator[Stored]:
        """Once more only what differs: a record that comes again is compared with the first of its place, by reading
        the partition once more. That needs memory for what was repeated, and not for all there is."""
        last: dict[str, int] = {}
        repeated: dict[tuple[str, int], list[Stored]] = defaultdict(list)
        async for stored in self._records(place):
            if stored.sequence > last.get(stored.key, 0) or not stored.sequence:
                last[stored.key] = max(stored.sequence, last.get(stored.key, 0))
                yield stored
            else:
                # Without its bytes: the hash is enough to compare it.
                repeated[stored.key, stored.sequence].append(stored._replace(data=b""))
        if not repeated:
            return
        first: dict[tuple[str, int], bytes] = {}
        differing = {one.where for same in repeated.values() for one in same}
        async for stored in self._records(place):
            where = stored.key, stored.sequence
            if where not in repeated:
                continue
            if stored.where in differing and first.get(where) != stored.hash:
                yield stored
            first.setdefault(where, stored.hash)

    async def _records(self, place: TopicPartition) -> AsyncIterator[Stored]:
        reader = self._reader()
        await reader.start()
        try:
            reader.assign([place])
            begins = (await reader.beginning_offsets([place]))[place]
            reader.seek(place, begins)
            silent = 0
            # Offsets without a record (a transaction's end) move the position too.
            while await reader.position(place) < self._ends[place]:
                polled = await reader.getmany(timeout_ms=_POLL_MS)
                silent = 0 if polled else silent + 1
                if silent > _SILENT_POLLS_MAX:
                    raise SourceError(f"{place.topic}[{place.partition}]: no record for {_SILENT_POLLS_MAX} s")
                for record in polled.get(place, ()):
                    if record.offset >= self._ends[place]:
                        return
                    yield _stored(place, record)
        except KafkaError as error:
            raise SourceError(f"{place.topic}[{place.partition}]: cannot be read: {error!r}") from error
        finally:
            await reader.stop()

    def _reader(self) -> Reader:
        return Reader(
            **connection(self._kafka),
            group_id=None,
            enable_auto_commit=False,
            auto_offset_reset="earliest",
            isolation_level="read_committed",
            fetch_max_bytes=8 * 1024 * 1024,
            max_partition_fetch_bytes=2 * 1024 * 1024,
            max_poll_records=2000,
        )


def _stored(place: TopicPartition, record: Any) -> Stored:
    """What Kafka keeps beside the bytes is the record's key, and the headers that the relay writes."""
    stored = stored_from(place.topic, record.value or b"", f"{place.topic}[{place.partition}]@{record.offset}")
    said = dict(record.headers)
    try:
        return stored._replace(
            key=(record.key or b"").decode(),
            version=int(said.get("ce_sequence", stored.version)),
            event_id=said["ce_id"].decode() if "ce_id" in said else stored.event_id,
            type=said["ce_type"].decode() if "ce_type" in said else stored.type,
            recorded_at_us=_us(said["ce_time"]) if "ce_time" in said else stored.recorded_at_us,
        )
    except (ValueError, AttributeError, TypeError):
        # No header that the relay writes reads like this.
        return stored._replace(event_id=repr(said.get("ce_id", b""))[:64])


def _us(ce_time: bytes) -> int:
    """
    >>> _us(b"2026-03-28T23:59:59.999999Z")
    1774742399999999
    """
    return (datetime.fromisoformat(ce_time.decode()) - _EPOCH) // _MICROSECOND
