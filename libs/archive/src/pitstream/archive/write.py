"""Writing an archive: everything that belongs to a gaming day and stands in no part yet, as one further part."""

import os
import shutil
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final, Protocol, Self

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pitstream.archive.days import Days
from pitstream.archive.files import rows_of
from pitstream.archive.manifest import (
    KEYS,
    KEYS_FILE,
    MANIFEST,
    STREAMS,
    STREAMS_FILE,
    FileEntry,
    Link,
    Manifest,
    Part,
    read_parts,
    sha256_of,
)
from pitstream.archive.rows import SCHEMA, Row, row_of
from pitstream.archive.stored import TOPICS, Fault, Stored, fault_of, named
from pitstream.events import Envelope
from pitstream.runtime.signing import SUFFIX, fingerprint

ROWS_A_GROUP: Final = 2_000
ROWS_A_FILE: Final = 250_000
# Bytes that are not packed: a changed one then spoils its own event and no other, and the event can be named.
_AS_THEY_ARE: Final = frozenset({"envelope", "hash"})
# A page's values that are all different are not worth a dictionary; a statistic of bytes nobody compares is a copy.
_REPEATED: Final = [
    field.name for field in SCHEMA if field.name not in ("event_id", "hash", "previous_hash", "event", "envelope")
]


class CorruptError(Exception):
    """The event store is not as it was written: nothing is archived of it."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(str(fault))
        self.fault = fault


class Sorted(Protocol):
    """What can be archived: a source that hands out one key after the other, sorted, from any place on. The event
    stores are one (``StoreSource``)."""

    async def openings(self) -> list[bytes]: ...

    def events(
        self, topic: str, *, after: Mapping[str, int], until: Callable[[Stored], bool]
    ) -> AsyncIterator[Stored]: ...


@dataclass(frozen=True, slots=True)
class _End:
    """How far a key was archived."""

    sequence: int = 0
    day: str = ""


async def archive_day(
    source: Sorted,
    day: str,
    directory: Path,
    key: Ed25519PrivateKey | None,
    progress: Callable[[int], None] = lambda _: None,
) -> Part | None:
    """Write what belongs to ``day`` or an earlier day and is not archived in ``directory`` yet; None without any.

    The first part of a day has its name; what came late for it, after it was archived, comes into ``<day>.2`` and so
    on, or into the part of a later day, whichever is written first; every row has its own ``day``. A part is there
    whole or not at all. The same events make the same bytes. ``progress`` is told of every 1,000 events.

    Raises SourceError, and CorruptError at the first event that is not as it was written.
    """
    parts = read_parts(directory)
    ends = archived_ends(parts)
    number = sum(part.manifest.day == day for part in parts) + 1
    name = day if number == 1 else f"{day}.{number}"
    unfinished = directory / f".{name}.unfinished"
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    try:
        entries, events = await _write_events(source, day, unfinished, ends, progress)
        if not events:
            return None
        manifest = Manifest(
            name=name,
            day=day,
            place=len(parts) + 1,
            previous=Link(name=parts[-1].manifest.name, sha256=parts[-1].sha256) if parts else None,
            key=None if key is None else fingerprint(key.public_key()),
            events=events,
            files=tuple(entries),
        )
        text = manifest.text()
        _write(unfinished / MANIFEST, text)
        if key is not None:
            _write(unfinished / f"{MANIFEST}{SUFFIX}", key.sign(text))
        unfinished.rename(directory / name)
        _sync(directory)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return read_parts(directory)[-1]


def archived_ends(parts: list[Part]) -> dict[tuple[str, str], _End]:
    """How far each (topic, key) stands in the parts. Its size is that of the keys, not of the events."""
    ends: dict[tuple[str, str], _End] = {}
    for part in parts:
        for row, _ in rows_of(part.folder / KEYS_FILE):
            ends[row["topic"], row["key"]] = _End(row["last_sequence"], row["day"])
    return ends


async def _write_events(
    source: Sorted,
    day: str,
    folder: Path,
    ends: Mapping[tuple[str, str], _End],
    progress: Callable[[int], None],
) -> tuple[list[FileEntry], int]:
    """The part's files, and how many events they hold."""
    days = Days(await source.openings())
    entries: list[FileEntry] = []
    events = 0
    with ExitStack() as stack:
        keys = stack.enter_context(_Files(folder, KEYS_FILE, KEYS))
        streams = stack.enter_context(_Files(folder, STREAMS_FILE, STREAMS))
        for topic in TOPICS:
            taken = _Taken(days, day, {key: end for (of, key), end in ends.items() if of == topic})
            with _Files(folder, f"{topic}/{{:03}}.parquet", SCHEMA) as rows:
                after = {key: end.sequence for key, end in taken.ends.items()}
                async for stored in source.events(topic, after=after, until=taken.is_beyond):
                    if stored.key != taken.key:
                        taken.end_key(topic, keys, streams)
                    taken.take(stored)
                    rows.add(row_of(stored, taken.day))
                    events += 1
                    if events % 1000 == 0:
                        progress(events)
                taken.end_key(topic, keys, streams)
            entries += rows.entries()
    return [*keys.entries(), *streams.entries(), *entries], events


class _Taken:
    """One topic's keys, one after the other, as they are archived: what is checked, and what is told of them."""

    def __init__(self, days: Days, last_day: str, ends: Mapping[str, _End]) -> None:
        self.ends = ends
        self.key = ""
        self.day = ""
        self._days = days
        self._last_day = last_day
        self._first = 0
        self._sequence = 0
        self._streams: dict[str, Row] = {}
        self._asked: tuple[str, str] = ("", "")

    def is_beyond(self, stored: Stored) -> bool:
        """Does this event, and so every later one of its key, belong to a later day?"""
        known, before = self._asked
        if known != stored.key:
            before = self.ends.get(stored.key, _End()).day
        self._asked = stored.key, self._days.of(stored, before)
        return self._asked[1] > self._last_day

    def take(self, stored: Stored) -> None:
        """Raises CorruptError unless the event is the next one of its key and its stream."""
        if stored.key != self.key:
            self.key = stored.key
            self._sequence = self.ends.get(stored.key, _End()).sequence
            self._first = self._sequence + 1
        self.day = self._asked[1]
        if fault := fault_of(stored):
            raise CorruptError(fault)
        if stored.sequence != self._sequence + 1:
            message = f"sequence: was {stored.sequence}; the next one of {stored.key} is {self._sequence + 1}"
            raise CorruptError(named("sequence_broken", stored, message))
        self._sequence = stored.sequence
        previous = Envelope.FromString(stored.data).previous_hash
        head = self._streams.get(stored.stream)
        if head is None:
            self._streams[stored.stream] = {
                "stream": stored.stream,
                "first_version": stored.version,
                "last_version": stored.version,
                "hash_before": previous,
                "hash_after": stored.hash,
            }
            return
        if stored.version != head["last_version"] + 1 or previous != head["hash_after"]:
            message = f"previous_hash: is not that of version {head['last_version']} of its stream"
            raise CorruptError(named("chain_broken", stored, message))
        head["last_version"], head["hash_after"] = stored.version, stored.hash

    def end_key(self, topic: str, keys: "_Files", streams: "_Files") -> None:
        """Tell of the key that was taken to its end."""
        if not self._streams:
            return
        told = {"topic": topic, "key": self.key}
        keys.add({**told, "first_sequence": self._first, "last_sequence": self._sequence, "day": self.day})
        for head in self._streams.values():
            streams.add({**told, **head})
        self._streams = {}


class _Files:
    """Rows into Parquet files, by groups of ``ROWS_A_GROUP``, at most ``ROWS_A_FILE`` in a file; used as ``with``."""

    def __init__(self, folder: Path, pattern: str, schema: Any) -> None:
        self._folder = folder
        self._pattern = pattern
        self._schema = schema
        self._rows: list[Row] = []
        self._counts: dict[str, int] = {}
        self._writer: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._flush()
        self._close()

    def add(self, row: Row) -> None:
        self._rows.append(row)
        if len(self._rows) == ROWS_A_GROUP:
            self._flush()

    def entries(self) -> list[FileEntry]:
        """What was written, once it is closed."""
        return [
            FileEntry(
                path=path,
                sha256=sha256_of(self._folder / path),
                bytes=(self._folder / path).stat().st_size,
                rows=rows,
            )
            for path, rows in self._counts.items()
        ]

    def _flush(self) -> None:
        if not self._rows:
            return
        if self._writer is None:
            path = self._pattern.format(len(self._counts))
            (self._folder / path).parent.mkdir(exist_ok=True)
            self._counts[path] = 0
            self._writer = pq.ParquetWriter(
                self._folder / path,
                self._schema,
                compression={name: "NONE" if name in _AS_THEY_ARE else "ZSTD" for name in self._schema.names},
                use_dictionary=[name for name in self._schema.names if name in _REPEATED] or False,
                write_statistics=[name for name in self._schema.names if name in _REPEATED],
                write_page_checksum=True,
            )
        path = list(self._counts)[-1]
        self._writer.write_table(pa.Table.from_pylist(self._rows, schema=self._schema), row_group_size=ROWS_A_GROUP)
        self._counts[path] += len(self._rows)
        self._rows = []
        if self._counts[path] >= ROWS_A_FILE:
            self._close()

    def _close(self) -> None:
        if self._writer is not None:
            self._writer.close()
            _sync(self._folder / list(self._counts)[-1])
            self._writer = None


def _write(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    _sync(file)


def _sync(file: Path) -> None:
    """What was written, or renamed, is on the disk when this returns."""
    descriptor = os.open(file, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def is_day(text: str) -> bool:
    """
    >>> is_day("2026-03-28"), is_day("2026-02-30"), is_day("20260328")
    (True, False, False)
    """
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
