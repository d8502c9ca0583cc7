"""What a reader makes of each record of a topic: apply it, know it already, let it wait, or set it aside. Pure.

Events of a key are numbered without gaps by the service that owns the topic, and each names the hash of the event
before it in its stream. So a record is believed when it is an envelope, from the topic's own source, under its own key,
next in its key and joined to its stream's chain. Everything else can be set aside without holding the key up: if it was
a real event after all, its successor finds the gap and waits.

Only two records stop their key: a believed event of a type that only a newer version knows, and one that the handler
failed on. What follows them would be applied out of order. The former goes on by itself once a version runs that knows
it (``dead_letters.take_in_newer``), the latter when somebody says so.
"""

import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from asyncpg.pgproto.pgproto import UUID

from pitstream.events import (
    Envelope,
    Recorded,
    UndecodableError,
    UnknownTypeError,
    envelope_hash,
    open_envelope,
)
from pitstream.events.envelope import event_id_text
from pitstream.events.model import INT64_MAX

UNKNOWN_TYPE = "unknown_type"
"""Of a record that nothing speaks for: it is kept, and stops nobody."""
NEWER_VERSION = "newer_version"
"""Of an event that is next in its key and joined to its stream's chain: its key waits for a version that knows it."""
HANDLER_FAILED = "handler_failed"
REASONS = (
    "no_value", "undecodable", "foreign_source", "foreign_key", "foreign_type", "broken_chain", "differs_from_applied",
    UNKNOWN_TYPE, NEWER_VERSION, HANDLER_FAILED,
)  # fmt: skip
"""Why a record is set aside. The last two stop its key; ``docs/errors.md`` says what each means."""
_KEY_BYTES_MAX = 512
"""Keys are ids of 64 characters, or a few of them joined. One that no index can hold would stop its partition."""


@dataclass(frozen=True, slots=True)
class Raw:
    """A Kafka record, byte for byte."""

    topic: str
    partition: int
    offset: int
    time_ms: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[bytes, bytes | None], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """A record whose envelope can be read and comes from where it should."""

    raw: Raw
    envelope: Envelope
    data: bytes
    event_id: uuid.UUID
    previous_id: uuid.UUID | None
    """Of the event before it in its stream; None at version 1."""
    recorded: Recorded | None
    """None for a type that this version does not know; ``error`` then says so."""
    error: str


@dataclass(frozen=True, slots=True)
class Unbelieved:
    """A record that is no event of its topic."""

    raw: Raw
    reason: str
    error: str


def look(raw: Raw, source: str) -> Seen | Unbelieved:
    """What can be said of a record from its bytes alone; ``source`` is the service that writes its topic."""
    if raw.value is None:
        return Unbelieved(raw, "no_value", "value: was null; allowed: an envelope")
    recorded, error = None, ""
    try:
        recorded = open_envelope(raw.value)
        envelope = recorded.envelope
    except UnknownTypeError as unknown:
        envelope, error = Envelope.FromString(raw.value), str(unknown)
    except UndecodableError as undecodable:
        return Unbelieved(raw, "undecodable", str(undecodable))
    if envelope.source != source:
        return Unbelieved(
            raw, "foreign_source", f"source: was {envelope.source!r}; {raw.topic} is written by {source!r}"
        )
    if raw.key is None or envelope.key.encode() != raw.key:
        return Unbelieved(raw, "foreign_key", f"key: was {raw.key!r}; the envelope says {envelope.key!r}")
    if recorded is not None and recorded.event.topic != raw.topic:
        return Unbelieved(
            raw, "foreign_type", f"type: was {envelope.type!r}; that is an event of {recorded.event.topic}"
        )
    if not 1 <= envelope.key_sequence <= INT64_MAX or envelope.version > INT64_MAX:
        return Unbelieved(raw, "undecodable", "key_sequence or version: out of bounds")
    if "\x00" in envelope.key or len(raw.key) > _KEY_BYTES_MAX:
        return Unbelieved(
            raw, "undecodable", f"key: was {raw.key[:100]!r}; allowed: {_KEY_BYTES_MAX} bytes, none of them 0"
        )
    # PostgreSQL's driver has a UUID of its own, equal to Python's and made in a tenth of the time.
    previous_id = UUID(event_id_text(envelope.stream, envelope.version - 1)) if envelope.version > 1 else None
    return Seen(raw, envelope, raw.value, UUID(envelope.event_id), previous_id, recorded, error)


@dataclass(frozen=True, slots=True)
class Block:
    """Why a key stands still: the dead letter it waits for."""

    dead_letter_id: int | None
    reason: str
    hash: bytes


@dataclass(slots=True)
class Position:
    """How far a key was applied, and what waits behind."""

    last_sequence: int = 0
    block: Block | None = None
    waiting: dict[int, list[Seen]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Dead:
    """A record that is set aside, and the key that waits for it, if any."""

    raw: Raw
    reason: str
    error: str
    blocks: str | None = None


@dataclass
class Reading:
    """One batch, read record by record. ``positions`` and ``hashes`` are what is stored of the keys and events met.

    Iterate ``fresh``; call ``fail`` between two steps when the event that came last could not be handled.
    """

    positions: dict[str, Position]
    hashes: dict[uuid.UUID, bytes]
    """Of applied events, by id."""
    dead: list[Dead] = field(default_factory=list)
    applied: dict[uuid.UUID, bytes] = field(default_factory=dict)
    """Ids and hashes of what became fresh here: new rows of the inbox."""
    parked: dict[Seen, None] = field(default_factory=dict)
    """Records that wait from now on, in order; ``unparked`` waited before and do not any more."""
    unparked: list[Seen] = field(default_factory=list)
    moved: set[str] = field(default_factory=set)
    """Keys whose position changed."""

    def fresh(self, records: Iterable[Seen | Unbelieved]) -> Iterator[Seen]:
        """The events to apply now (``recorded`` is there), each once, in order within each key."""
        for record in records:
            if isinstance(record, Unbelieved):
                self.dead.append(Dead(record.raw, record.reason, record.error))
                continue
            key = record.envelope.key
            fitting = self._offer(record)
            while fitting is not None:
                yield fitting
                fitting = self._next_waiting(key)

    def fail(self, record: Seen, error: str) -> None:
        """The event that ``fresh`` gave last was not handled: it is set aside, and its key waits for it."""
        key, position = record.envelope.key, self.positions[record.envelope.key]
        position.last_sequence = record.envelope.key_sequence - 1
        del self.hashes[record.event_id], self.applied[record.event_id]
        self._block(position, record, HANDLER_FAILED, error)
        self.moved.add(key)

    def _offer(self, record: Seen) -> Seen | None:
        """The record, when it is to be applied now."""
        key, sequence = record.envelope.key, record.envelope.key_sequence
        position = self.positions.setdefault(key, Position())
        if sequence <= position.last_sequence:
            self._known(record, self.hashes.get(record.event_id))
        elif sequence > position.last_sequence + 1:
            self._wait(position, record)
        elif position.block is not None and not self._replaces(position.block, record):
            self._known(record, position.block.hash)
        elif (applied := self.hashes.get(record.event_id)) is not None:
            # In another place of its key, or under another key. Its handler must not see it twice.
            self._known(record, applied)
        elif not self._joins_its_chain(record):
            self._set_aside(record, "broken_chain", "previous_hash: is not that of the event before it in its stream")
        elif record.recorded is None:
            self._block(position, record, NEWER_VERSION, record.error)
            self.moved.add(key)
        else:
            position.last_sequence, position.block = sequence, None
            self.moved.add(key)
            self.hashes[record.event_id] = self.applied[record.event_id] = envelope_hash(record.data)
            return record
        return None

    def _known(self, record: Seen, known_hash: bytes | None) -> None:
        """Its place, in the key or in its stream, is taken. The same bytes are a redelivery; others are somebody's
        mistake."""
        if known_hash != envelope_hash(record.data):
            message = "key_sequence or version: another event has this place in the key, or in the stream"
            self._set_aside(record, "differs_from_applied", message)

    def _wait(self, position: Position, record: Seen) -> None:
        if record.recorded is None:
            # It cannot be told from a stray before its place is reached; if it is real, its successors will wait.
            self._set_aside(record, UNKNOWN_TYPE, record.error)
            return
        waiting = position.waiting.setdefault(record.envelope.key_sequence, [])
        if all(other.data != record.data for other in waiting):
            waiting.append(record)
            self.parked[record] = None

    def _next_waiting(self, key: str) -> Seen | None:
        """The record that waited for the one just applied. A key that was blocked meanwhile keeps what waits."""
        position = self.positions[key]
        while position.block is None and position.last_sequence + 1 in position.waiting:
            fitting = None
            for record in position.waiting.pop(position.last_sequence + 1):
                if record in self.parked:
                    del self.parked[record]
                else:
                    self.unparked.append(record)
                fitting = self._offer(record) or fitting
            if fitting is not None:
                return fitting
        return None

    def _set_aside(self, record: Seen, reason: str, error: str) -> None:
        """A dead letter that stops nothing."""
        if record.recorded is None:
            reason, error = UNKNOWN_TYPE, record.error
        self.dead.append(Dead(record.raw, reason, error))

    def _replaces(self, block: Block, record: Seen) -> bool:
        """A readable event in the place of an unreadable one: the unreadable one was a stray, or can be read by now."""
        return block.reason in (NEWER_VERSION, UNKNOWN_TYPE) and record.recorded is not None

    def _joins_its_chain(self, record: Seen) -> bool:
        expected = b"" if record.previous_id is None else self.hashes.get(record.previous_id)
        return record.envelope.previous_hash == expected

    def _block(self, position: Position, record: Seen, reason: str, error: str) -> None:
        position.block = Block(None, reason, envelope_hash(record.data))
        self.dead.append(Dead(record.raw, reason, error, blocks=record.envelope.key))
