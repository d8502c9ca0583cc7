"""The proof of an archive's events: one walk over all rows, in the order in which they were written.

Each event's bytes have their hash, say what the columns beside them say, stand at the next place of their key and their
stream, and name the hash of the event before them; each key and each stream ends where the part says it ends. What is
kept in memory is a place for each key and a head for each stream that goes on from one part to another.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from google.protobuf.message import DecodeError

from pitstream.archive.days import Days
from pitstream.archive.manifest import KEYS_FILE, STREAMS_FILE, Part
from pitstream.archive.rows import Row, first_difference, stored_of
from pitstream.archive.stored import Fault, Stored, fault_of, named, stored_from
from pitstream.events import Envelope, event_id_text

Report = Callable[[Fault], None]
NAMED_MAX = 5
"""Missing events of one gap that are named one by one."""


class Head(NamedTuple):
    version: int = 0
    hash: bytes = b""
    event_id: str = ""


@dataclass(slots=True)
class Known:
    """What goes on from one part to the next."""

    going_on: frozenset[tuple[str, str]]
    """(topic, stream) of the streams that stand in more than one part."""
    whole: bool
    """The first part is the archive's first: what came before is known to be nothing."""
    sequences: dict[tuple[str, str], int] = field(default_factory=dict)
    heads: dict[tuple[str, str], Head] = field(default_factory=dict)


class Walk:
    """One topic of one part: ``see`` every row in order, then ``end``."""

    def __init__(
        self, part: Part, topic: str, known: Known, keys: dict[str, Row], streams: Iterator[Row], report: Report
    ):
        self._part = part
        self._topic = topic
        self._known = known
        self._keys = keys
        """By key: what the part says of the key's slice."""
        self._said = groupby(streams, key=lambda row: str(row["key"]))
        self._next_said: tuple[str, list[Row]] | None = None
        self._report = report
        self._key = ""
        self._sequence = 0
        self._heads: dict[str, Head] = {}
        self._gap = False
        """Rows before this one could not be read: its place is taken as it is."""
        self._holes = False
        """Rows of this key could not be read: how it should end cannot be told from those that could."""

    def skip(self) -> None:
        """Rows are missing here, and that was reported."""
        self._gap = self._holes = True

    def see(self, stored: Stored) -> None:
        """The next row."""
        if stored.key != self._key:
            self._end_key()
            if stored.key < self._key:
                self._report(
                    named("event_misplaced", stored, f"key: was {stored.key}; after {self._key} comes a later one")
                )
            self._begin_key(stored.key)
        fault = fault_of(stored)
        if fault is not None:
            self._report(fault)
        self._in_its_key(stored)
        self._in_its_stream(stored)
        self._gap = False

    def _begin_key(self, key: str) -> None:
        self._key = key
        said = self._keys.get(key)
        known = self._known.sequences.get((self._topic, key))
        if known is None:
            known = 0 if self._known.whole or said is None else said["first_sequence"] - 1
        self._sequence = known

    def _in_its_key(self, stored: Stored) -> None:
        wanted = self._sequence + 1
        if stored.sequence > wanted and not self._gap:
            missing = f"{wanted}" if stored.sequence == wanted + 1 else f"{wanted} to {stored.sequence - 1}"
            self._report(
                named(
                    "event_missing",
                    stored,
                    f"sequence: was {stored.sequence}; {missing} of {stored.key} missing before it",
                )
            )
        elif stored.sequence < wanted:
            self._report(
                named(
                    "event_repeated",
                    stored,
                    f"sequence: was {stored.sequence}; the next one of {stored.key} is {wanted}",
                )
            )
        self._sequence = max(self._sequence, stored.sequence)

    def _in_its_stream(self, stored: Stored) -> None:
        previous = _previous_hash(stored.data)
        head = self._heads.get(stored.stream) or self._known.heads.get((self._topic, stored.stream))
        if head is None:
            head = Head()
            if not self._known.whole and stored.version > 1:
                head = Head(stored.version - 1, previous or b"")
        if stored.version > head.version + 1 and not self._gap:
            self._missing(stored.stream, head.version + 1, stored.version - 1, stored.where)
        elif stored.version <= head.version:
            message = f"version: was {stored.version}; version {head.version} of its stream stands before it"
            self._report(named("event_repeated", stored, message))
        elif previous is not None and stored.version == head.version + 1 and previous != head.hash:
            before = (
                f"version {head.version} ({event_id_text(stored.stream, head.version)})" if head.version else "none"
            )
            message = f"previous_hash: was {previous.hex()}; the event before it, {before}, has {head.hash.hex()}"
            self._report(named("chain_broken", stored, message))
        if stored.version > head.version:
            self._heads[stored.stream] = Head(stored.version, stored.hash, stored.event_id)

    def _missing(self, stream: str, first: int, last: int, where: str) -> None:
        for version in range(first, min(last, first + NAMED_MAX - 1) + 1):
            more = f", and the ones up to version {last}" if version == first + NAMED_MAX - 1 < last else ""
            self._report(
                Fault("event_missing", where, f"is missing{more}", stream, version, event_id_text(stream, version))
            )

    def end(self) -> None:
        """No row is left."""
        self._end_key()
        self._said_before(None)

    def _end_key(self) -> None:
        """The key's rows are over: does it end where the part says?"""
        if not self._key:
            return
        key, where = self._key, f"{self._part.folder.name}/{self._topic}"
        said = self._keys.pop(key, None)
        heads = self._heads
        if said is None:
            self._report(
                Fault(
                    "key_differs", f"{self._part.folder.name}/{KEYS_FILE}", f"key: {key} of {self._topic} is not in it"
                )
            )
        elif self._sequence != said["last_sequence"] and not self._holes:
            message = f"{key}: ends at sequence {self._sequence}; {KEYS_FILE} says {said['last_sequence']}"
            self._report(Fault("key_differs", where, message))
        for row in self._said_before(key):
            head = heads.get(row["stream"], Head())
            self._compare(row, head, where)
        for stream, head in heads.items():
            if (self._topic, stream) in self._known.going_on:
                self._known.heads[self._topic, stream] = head
        self._known.sequences[self._topic, key] = self._sequence
        self._heads, self._holes = {}, False

    def _compare(self, row: Row, head: Head, where: str) -> None:
        """One stream's end, as its events are and as the part says."""
        stream = row["stream"]
        if self._holes and head.version < row["last_version"]:
            return
        if head.version < row["last_version"]:
            self._missing(stream, max(head.version + 1, row["first_version"]), row["last_version"], where)
        elif (head.version, head.hash) != (row["last_version"], row["hash_after"]):
            message = (
                f"hash: was {head.hash.hex()} at version {head.version}; "
                f"{STREAMS_FILE} says {row['hash_after'].hex()} at version {row['last_version']}"
            )
            self._report(
                Fault("head_differs", where, message, stream, head.version, event_id_text(stream, head.version))
            )

    def _said_before(self, key: str | None) -> list[Row]:
        """What the part says of this key's streams; keys before it, or all that are left, have no rows at all."""
        while True:
            if self._next_said is None:
                found = next(self._said, None)
                if found is None:
                    return []
                self._next_said = found[0], list(found[1])
            said, rows = self._next_said
            if key is not None and said > key:
                return []
            self._next_said = None
            if said == key:
                return rows
            if not self._holes:
                for row in rows:
                    self._missing(
                        row["stream"],
                        row["first_version"],
                        row["last_version"],
                        f"{self._part.folder.name}/{self._topic}",
                    )


def _previous_hash(data: bytes) -> bytes | None:
    """What the event names as the hash before it; None where the bytes are no envelope, which is their own fault."""
    try:
        return Envelope.FromString(data).previous_hash
    except DecodeError:
        return None


def columns_agree(row: Row, where: str, days: Days, before: dict[tuple[str, str], str]) -> Fault | None:
    """The first column of a whole row that is not what its bytes say; looked at only where a file is not as signed."""
    stored = stored_of(row, where)
    try:
        differs = first_difference(row)
    except DecodeError:
        return None  # the bytes' own fault
    if differs:
        return named("column_differs", stored, f"{differs}: was {row[differs]!r}, which the event's bytes do not say")
    place = stored.topic, stored.key
    before[place] = days.of(stored, before.get(place, "" if stored.sequence == 1 else row["day"].isoformat()))
    if row["day"].isoformat() != before[place]:
        return named("column_differs", stored, f"day: was {row['day']}; the event belongs to {before[place]}")
    return None


def whole_again(row: Row, topic: str, where: str) -> Stored | None:
    """An event of a row some of whose columns cannot be read: what is missing, its bytes say. None without bytes."""
    if "envelope" not in row:
        return None
    told = stored_from(topic, row["envelope"], where)
    return Stored(
        row.get("topic", topic),
        row.get("key", told.key),
        row.get("sequence", told.sequence),
        row.get("stream", told.stream),
        row.get("version", told.version),
        row.get("event_id", told.event_id),
        row.get("type", told.type),
        row.get("recorded_at", told.recorded_at_us),
        row.get("hash", told.hash),
        row["envelope"],
        where,
    )
