"""An event as a source keeps it, and what every source of events offers.

There are three: the services' event stores, the Kafka topics, and archive files. Each alone holds every event, byte for
byte, so each alone is enough to rebuild any round, network or account.
"""

from collections.abc import AsyncIterator, Collection, Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import Final, NamedTuple, Protocol, Self

from aiokafka.partitioner import murmur2  # type: ignore[import-untyped]
from google.protobuf.message import DecodeError

from pitstream.events import Envelope, Recorded, envelope_hash, event_id_text, open_envelope
from pitstream.events.ids import key_of
from pitstream.runtime.settings import TOPIC_SOURCES

TOPICS: Final = tuple(TOPIC_SOURCES)
"""The four topics, in the order of a round's road."""


class Stored(NamedTuple):
    """One event: its exact bytes, and what its place says about it beside them. A source believes nothing: it hands
    out what it finds, and ``fault_of`` says whether the two agree."""

    topic: str
    """One of ``TOPICS``."""
    key: str
    """The table, network or account."""
    sequence: int
    """Its number among the events of (topic, key), from 1 without gaps. 0 where the bytes do not tell."""
    stream: str
    """The stream that it is of."""
    version: int
    """Its number there, from 1 without gaps."""
    event_id: str
    """UUID of stream and version."""
    type: str
    """The event's stored name."""
    recorded_at_us: int
    """Microseconds since 1970, UTC."""
    hash: bytes
    """SHA-256 of the bytes, as the place says; where it keeps none, as they are."""
    data: bytes
    """The envelope's exact bytes."""
    where: str
    """The place in words: ``wallet.events``, ``rounds.v1[3]@1742``, ``2026-03-28/rounds.v1/000.parquet row 12``."""

    def opened(self) -> Recorded:
        """The event. Raises UndecodableError or UnknownTypeError."""
        return open_envelope(self.data)

    def __str__(self) -> str:
        return f"{self.stream} version {self.version} ({self.event_id})"


class Shard(NamedTuple):
    """A share of the keys: those that Kafka's own partitioner puts into partition ``number`` of ``of``. The share is
    the same in every source, and in every topic: a table's rounds and their settlements are in one share."""

    number: int
    """From 0."""
    of: int
    """How many shares there are."""

    def has(self, key: str) -> bool:
        """
        >>> [Shard(number, 6).has("uth-01") for number in range(6)]
        [False, True, False, False, False, False]
        """
        return self.of == 1 or partition_of(key, self.of) == self.number


WHOLE: Final = Shard(0, 1)
"""Every key."""


def partition_of(key: str, count: int) -> int:
    """The partition of ``count`` that every Kafka client puts this key into."""
    return int((murmur2(key.encode()) & 0x7FFFFFFF) % count)


class Source(Protocol):
    """Where events are read from; used as ``async with``. Everything it hands out was there when it was opened."""

    name: str
    """``store``, ``kafka`` or ``archive``."""

    def events(self, topic: str, *, shard: Shard = WHOLE, keys: Collection[str] | None = None) -> AsyncIterator[Stored]:
        """The topic's events, of the keys of ``shard``, of ``keys`` alone where they are given. Those of one key come
        in the order of their ``sequence``; those of two keys may come by turns. What was delivered twice, byte for
        byte, comes once; everything else comes as it is found, also where it is out of order."""
        ...

    async def stream(self, topic: str, key: str, stream: str) -> list[Stored]:
        """One stream's events in the order of their versions; none where there is no such stream."""
        ...

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that is not as it was written. The event is named as far as it can be known."""

    code: str
    """Stable: what kind of fault it is."""
    where: str
    """File, table or topic, and the place in it."""
    message: str
    """Field, what was found, what must be there."""
    stream: str = ""
    """Empty where the bytes do not tell."""
    version: int = 0
    """0 where the bytes do not tell."""
    event_id: str = ""
    """Empty where the bytes do not tell."""

    def __str__(self) -> str:
        named = f"{self.stream} version {self.version} ({self.event_id}): " if self.stream else ""
        return f"{self.where}: {named}{self.message}"


class SourceError(Exception):
    """The source cannot be read at all; the text names it."""


def fault_of(stored: Stored) -> Fault | None:
    """The first thing in which an event's bytes and its place disagree, None when nothing does.

    Looks at this event alone; ``chained`` looks at its place in its stream.
    """
    found = envelope_hash(stored.data)
    if stored.hash != found:
        return named(
            "hash_differs",
            stored,
            f"hash: was {stored.hash.hex()}; that of the {len(stored.data)} bytes is {found.hex()}",
        )
    try:
        envelope = Envelope.FromString(stored.data)
    except DecodeError as error:
        return named("unreadable_event", stored, f"bytes: {len(stored.data)} bytes are not an envelope: {error}")
    for name, told, said in (
        ("stream", stored.stream, envelope.stream),
        ("version", stored.version, envelope.version),
        ("event_id", stored.event_id, envelope.event_id),
        ("type", stored.type, envelope.type),
        ("key", stored.key, envelope.key),
        ("sequence", stored.sequence, envelope.key_sequence),
        ("recorded_at_us", stored.recorded_at_us, envelope.recorded_at_us),
    ):
        if told != said:
            return named("event_misplaced", stored, f"{name}: was {told!r}; the event's bytes say {said!r}")
    if envelope.event_id != (wanted := event_id_text(envelope.stream, envelope.version)):
        return named("event_id_differs", stored, f"event_id: was {envelope.event_id!r}; must be {wanted}")
    if (key := key_of(envelope.stream)) is not None and envelope.key != key:
        return named("event_misplaced", stored, f"key: was {envelope.key!r}; events of its stream have {key!r}")
    if envelope.source != TOPIC_SOURCES.get(stored.topic) or envelope.type.split(".")[1:3] != stored.topic.split("."):
        return named(
            "event_misplaced", stored, f"topic: was {stored.topic}; it is a {envelope.type} of {envelope.source!r}"
        )
    return None


def named(code: str, stored: Stored, message: str) -> Fault:
    """A fault of one event."""
    return Fault(code, stored.where, message, stored.stream, stored.version, stored.event_id)


def topic_of(envelope: Envelope) -> str:
    """The topic of an event: its type names it.

    >>> topic_of(Envelope(type="pitstream.rounds.v1.RoundOpened"))
    'rounds.v1'
    """
    return ".".join(envelope.type.split(".")[1:3])


def stored_from(topic: str, data: bytes, where: str) -> Stored:
    """An event of a place that says nothing beside the bytes. Bytes that are no envelope make one without a name."""
    try:
        envelope = Envelope.FromString(data)
    except DecodeError:
        envelope = Envelope()
    return Stored(
        topic,
        envelope.key,
        envelope.key_sequence,
        envelope.stream,
        envelope.version,
        envelope.event_id,
        envelope.type,
        envelope.recorded_at_us,
        envelope_hash(data),
        data,
        where,
    )


def chained(stream: Iterable[Stored]) -> Fault | None:
    """None when these events are one whole stream from version 1 on, unbroken; else the first fault."""
    previous = b""
    for version, stored in enumerate(stream, start=1):
        if fault := fault_of(stored):
            return fault
        envelope = Envelope.FromString(stored.data)
        if stored.version != version:
            return named("event_missing", stored, f"version: was {stored.version}; the next one is {version}")
        if envelope.previous_hash != previous:
            return named("chain_broken", stored, "previous_hash: is not the hash of the event before it")
        previous = stored.hash
    return None
