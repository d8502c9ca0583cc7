"""Topics in memory: partitions, offsets, groups. A record may be seen late, or stand there twice, never out of turn."""

import zlib
from collections.abc import Awaitable, Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any

from aiokafka import ConsumerRecord, TopicPartition
from aiokafka.errors import CommitFailedError, KafkaTimeoutError

from pitstream.runtime.consumer import TopicConsumer
from pitstream.runtime.reader import Reader
from pitstream.runtime.settings import DEAD_LETTERS_TOPIC, TOPIC_SOURCES
from simulated.connection import Crashed
from simulated.faults import ON_PUBLISHING, Faults

PARTITIONS = 2
Headers = Sequence[tuple[str, bytes | None]]
Consume = Callable[[Sequence[ConsumerRecord[Any, Any]]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Kept:
    """A record, and the step from which on it is seen."""

    record: "ConsumerRecord[bytes | None, bytes | None]"
    from_step: int


class Bus:
    """All topics."""

    def __init__(self, faults: Faults, clock_us: Callable[[], int]) -> None:
        self.faults = faults
        self._clock_us = clock_us
        self.topics: dict[str, list[list[Kept]]] = {
            topic: [[] for _ in range(PARTITIONS)] for topic in (*TOPIC_SOURCES, DEAD_LETTERS_TOPIC)
        }

    def append(self, topic: str, key: bytes | None, value: bytes | None, headers: Headers) -> None:
        """Write a record behind the others of its partition, now and then twice."""
        partition = zlib.crc32(key or b"") % PARTITIONS
        log = self.topics[topic][partition]
        told = f"{topic}/{partition} {len(log)}"
        for _ in range(2 if self.faults.hits("duplicated", told) else 1):
            late = 12 if self.faults.hits("delayed", told) else 0
            record: ConsumerRecord[bytes | None, bytes | None] = ConsumerRecord(
                topic, partition, len(log), self._clock_us() // 1000, 0, key, value, None,
                -1 if key is None else len(key), -1 if value is None else len(value), tuple(headers),
            )  # fmt: skip
            log.append(Kept(record, self.faults.step + late))

    def end(self, place: TopicPartition) -> int:
        return len(self.topics[place.topic][place.partition])

    def seen(self, place: TopicPartition, offset: int, most: int) -> list["ConsumerRecord[Any, Any]"]:
        """Up to ``most`` records from ``offset`` on, as far as they are seen by now."""
        found = []
        for kept in self.topics[place.topic][place.partition][offset : offset + most]:
            if kept.from_step > self.faults.step and self.faults.active:
                break
            found.append(kept.record)
        return found


class Polling(Reader):  # type: ignore[misc]  # aiokafka is untyped
    """A node's consumer of one topic."""

    _closed = True  # what its parent asks when it is forgotten

    def __init__(self, bus: Bus, topic: str) -> None:
        self.bus = bus
        self.topic = topic
        self.places: set[TopicPartition] = set()
        self.at: dict[TopicPartition, int] = {}
        self.upto = {}

    def assignment(self) -> set[TopicPartition]:
        return self.places

    def partitions_for_topic(self, topic: str) -> set[int]:
        return set(range(len(self.bus.topics[topic])))

    def seek(self, partition: TopicPartition, offset: int) -> None:
        self.at[partition] = self.upto[partition] = offset

    async def position(self, partition: TopicPartition) -> int:
        return self.at.get(partition, 0)

    async def beginning_offsets(self, partitions: Sequence[TopicPartition]) -> dict[TopicPartition, int]:
        return dict.fromkeys(partitions, 0)

    async def end_offsets(self, partitions: Sequence[TopicPartition]) -> dict[TopicPartition, int]:
        return {place: self.bus.end(place) for place in partitions}

    async def commit(self, offsets: dict[TopicPartition, int]) -> None:
        if self.bus.faults.hits("hint_refused", f"{self.topic}: {sorted(offsets.values())}"):
            raise CommitFailedError("the group has moved on")

    def poll(self, most: int) -> list["ConsumerRecord[Any, Any]"]:
        """What the next batch holds."""
        found: list[ConsumerRecord[Any, Any]] = []
        for place in sorted(self.places):
            records = self.bus.seen(place, self.at.get(place, 0), most - len(found))
            if records:
                self.at[place] = self.upto[place] = records[-1].offset + 1
                found += records
        return found

    def has_more(self) -> bool:
        return any(self.bus.seen(place, self.at.get(place, 0), 1) for place in self.places)


class Subscribing:
    """What ``TopicConsumer`` asks of FastStream: to be called with each batch."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self.consumer: Polling
        self.consume: Consume

    def subscriber(self, topic: str, **_options: Any) -> "Subscribing":
        self.consumer = Polling(self._bus, topic)
        return self

    def __call__(self, consume: Consume) -> None:
        self.consume = consume


class _Acknowledgement:
    """What the relay waits for."""

    def __init__(self, family: str | None) -> None:
        self._family = family

    def __await__(self) -> Generator[None, None, None]:
        if self._family == "acknowledgement_lost":
            raise KafkaTimeoutError("the broker's answer was lost")
        if self._family == "crash_when_published":
            raise Crashed(self._family)
        return
        yield


class Producing:
    """A node's producer: what it sent is there, what it is told of that may be wrong."""

    def __init__(self, bus: Bus, told: str, meanwhile: Callable[[], Awaitable[None]]) -> None:
        self._bus = bus
        self._told = told
        self._meanwhile = meanwhile
        self._family: str | None = None
        self._sent = 0

    async def send(self, topic: str, *, value: bytes | None, key: bytes | None, headers: Headers) -> Awaitable[None]:
        if not self._sent:
            self._family = self._bus.faults.one_of(ON_PUBLISHING, self._told)
        self._sent += 1
        if self._family == "publish_fails" and self._sent > 1:
            raise KafkaTimeoutError("the broker does not answer")
        self._bus.append(topic, key, value, headers)
        if self._family == "two_relays" and self._sent == 1:
            await self._meanwhile()
        return _Acknowledgement(self._family)


async def assign(
    topic: str, members: Sequence[TopicConsumer], shares: Sequence[set[int]], *, untold: Sequence[TopicConsumer] = ()
) -> None:
    """A group's rebalance: everybody leaves what they had, each gets a share. Who is ``untold`` goes on as before."""
    told = [member for member in members if member not in untold]
    for member in told:
        await member.on_partitions_revoked([TopicPartition(topic, p) for p in sorted(member.partitions())])
    for member, share in zip(members, shares, strict=True):
        if member in untold:
            continue
        reader = member.consumer
        if not isinstance(reader, Polling):
            raise TypeError(f"{topic}: reads with {reader!r}")
        reader.places = {TopicPartition(topic, partition) for partition in share}
        await member.on_partitions_assigned(sorted(reader.places))
