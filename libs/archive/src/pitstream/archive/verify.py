"""``verify``: is an archive as it was signed? Needs its folder and the public key, and nothing else.

Everything is looked at, whatever was found before: the list of parts, each part's manifest and signature, each file's
hash, and then every event. A file that is not as signed is read as far as it can be, to name the event that differs.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from pitstream.archive.damaged import groups_of
from pitstream.archive.days import OPENINGS, Days
from pitstream.archive.files import rows_of
from pitstream.archive.heads import Heads
from pitstream.archive.manifest import (
    CHECKPOINTS,
    KEYS,
    KEYS_FILE,
    MANIFEST,
    STREAMS,
    STREAMS_FILE,
    FileEntry,
    Part,
    part_folders,
    read_part,
    sha256_of,
)
from pitstream.archive.proof import Known, Walk, columns_agree, whole_again
from pitstream.archive.rows import SCHEMA, Row, stored_of
from pitstream.archive.stored import TOPICS, Fault, SourceError
from pitstream.events import event_id_text
from pitstream.runtime.signing import SUFFIX, fingerprint, is_signed

FAULTS_MAX: Final = 1000
"""Faults that are told one by one; what comes after is counted."""


@dataclass(slots=True)
class Verdict:
    """What was found."""

    parts: int = 0
    events: int = 0
    checkpoints: int = 0
    newest: str = ""
    """Name and manifest hash of the newest part: note it elsewhere, and nobody can take that part away unseen."""
    faults: list[Fault] = field(default_factory=list)
    more: int = 0
    """Faults beyond those that are listed."""

    @property
    def holds(self) -> bool:
        return not self.faults

    def report(self, fault: Fault) -> None:
        if len(self.faults) < FAULTS_MAX:
            self.faults.append(fault)
        else:
            self.more += 1


def verify(
    directory: Path,
    key: Ed25519PublicKey,
    *,
    expected: Collection[str] = (),
    progress: Callable[[int], None] = lambda _: None,
) -> Verdict:
    """Prove the archive in ``directory``, or the one part that it is. ``expected`` are hashes of manifests and
    checkpoints that must be among them. Raises SourceError when there is no archive at all."""
    verdict = Verdict()
    if not directory.is_dir():
        raise SourceError(f"{directory}: is no folder")
    alone = (directory / MANIFEST).exists()
    if not alone:
        _nothing_beside(directory, verdict)
    parts, trusted = _manifests(directory, key, verdict)
    heads = Heads(directory, key, verdict.report)
    if not parts and not heads.hashes and verdict.holds:
        raise SourceError(f"{directory}: holds no archive; `pitstream archive` writes one")
    if not alone:
        _linked(parts, verdict)
    for wanted in sorted(set(expected) - {part.sha256 for part in parts} - set(heads.hashes)):
        verdict.report(Fault("expected_missing", str(directory), f"sha256: {wanted} is of no part and no checkpoint"))
    _Proof(parts, trusted, heads, verdict, progress).run()
    heads.close()
    verdict.parts = len(parts)
    verdict.checkpoints = len(heads.hashes)
    if parts:
        verdict.newest = f"{parts[-1].manifest.name} {parts[-1].sha256}"
    return verdict


def _nothing_beside(directory: Path, verdict: Verdict) -> None:
    known = {*part_folders(directory), directory / CHECKPOINTS}
    for entry in sorted(directory.iterdir()):
        if entry not in known:
            verdict.report(Fault("file_added", entry.name, "does not belong to the archive"))


def _manifests(directory: Path, key: Ed25519PublicKey, verdict: Verdict) -> tuple[list[Part], set[Path]]:
    """The parts whose manifests can be read, by their place; and the folders of those whose signature holds."""
    parts: list[Part] = []
    trusted: set[Path] = set()
    for folder in part_folders(directory):
        where = f"{folder.name}/{MANIFEST}"
        try:
            part = read_part(folder)
        except SourceError as error:
            verdict.report(Fault("manifest_unreadable", where, str(error)))
            continue
        parts.append(part)
        try:
            signature = (folder / f"{MANIFEST}{SUFFIX}").read_bytes()
        except OSError:
            verdict.report(Fault("signature_missing", where, "is not signed"))
            continue
        if not is_signed(key, (folder / MANIFEST).read_bytes(), signature):
            hint = (
                "" if part.manifest.key == fingerprint(key) else f"; it says another key signed it, {part.manifest.key}"
            )
            verdict.report(
                Fault("signature_wrong", where, f"the signature is not that of these bytes by this key{hint}")
            )
        else:
            trusted.add(folder)
        if part.manifest.name != folder.name:
            verdict.report(Fault("part_renamed", folder.name, f"name: the part was written as {part.manifest.name}"))
    return sorted(parts, key=lambda part: part.manifest.place), trusted


def _linked(parts: list[Part], verdict: Verdict) -> None:
    """Every part names the one before it, and none is missing."""
    before: Part | None = None
    for part in parts:
        link, where = part.manifest.previous, f"{part.folder.name}/{MANIFEST}"
        place = before.manifest.place if before else 0
        if part.manifest.place == place and before is not None:
            message = f"place: was {place}; {before.folder.name} stands there"
            verdict.report(Fault("part_added", where, message))
        elif part.manifest.place != place + 1 or (link is None) != (part.manifest.place == 1):
            missing = link.name if link else f"the part at place {place + 1}"
            verdict.report(Fault("part_missing", where, f"previous: {missing}, the part before this one, is missing"))
        elif link is not None and before is not None and link.sha256 != before.sha256:
            message = f"previous: was {link.name} with {link.sha256}; {before.folder.name} has {before.sha256}"
            verdict.report(Fault("part_differs", where, message))
        before = part


class _Proof:
    """Files and events of all parts, in their order."""

    def __init__(
        self,
        parts: list[Part],
        trusted: set[Path],
        heads: Heads,
        verdict: Verdict,
        progress: Callable[[int], None],
    ) -> None:
        self._heads = heads
        self._parts = parts
        self._trusted = trusted
        self._verdict = verdict
        self._progress = progress
        self._suspect: set[Path] = set()
        self._absent: set[Path] = set()
        self._openings: Days | None = None
        self._days: dict[tuple[str, str], str] = {}

    def run(self) -> None:
        for part in self._parts:
            self._files(part)
        whole = bool(self._parts) and self._parts[0].manifest.place == 1
        known = Known(going_on=self._going_on(), whole=whole)
        for part in self._parts:
            before = self._verdict.events
            keys: dict[str, dict[str, Row]] = {topic: {} for topic in TOPICS}
            for row in self._list(part, KEYS_FILE, KEYS):
                keys.setdefault(row["topic"], {})[row["key"]] = row
            for topic in TOPICS:
                self._topic(part, topic, known, keys[topic])
            found = self._verdict.events - before
            if found != part.manifest.events and not self._absent & {part.folder / e.path for e in part.manifest.files}:
                message = f"events: was {part.manifest.events}; {found} are there"
                self._verdict.report(Fault("rows_differ", f"{part.folder.name}/{MANIFEST}", message))

    def _files(self, part: Part) -> None:
        """Are the files those of the manifest? ``_suspect`` and ``_absent`` remember which are not."""
        listed = {entry.path: entry for entry in part.manifest.files}
        of_manifest = {MANIFEST, f"{MANIFEST}{SUFFIX}"}
        there = {
            file.relative_to(part.folder).as_posix(): file
            for file in sorted(part.folder.rglob("*"))
            if not file.is_dir()
        }
        added = {
            path: sha256_of(file) for path, file in there.items() if path not in listed and path not in of_manifest
        }
        for path, entry in listed.items():
            file, where = part.folder / path, f"{part.folder.name}/{path}"
            if path not in there:
                self._absent.add(file)
                moved = next((other for other, found in added.items() if found == entry.sha256), None)
                if moved:
                    self._verdict.report(Fault("file_renamed", where, f"is missing; its bytes are in {moved}"))
                    del added[moved]
                else:
                    self._verdict.report(Fault("file_missing", where, f"is missing, with {entry.rows:,} rows"))
                continue
            found = sha256_of(file)
            if found != entry.sha256:
                self._suspect.add(file)
                size = file.stat().st_size
                message = f"sha256: was {found} of {size:,} bytes; the manifest says {entry.sha256} of {entry.bytes:,}"
                self._verdict.report(Fault("file_changed", where, message))
            elif part.folder not in self._trusted:
                self._suspect.add(file)
        for path in added:
            self._verdict.report(Fault("file_added", f"{part.folder.name}/{path}", "the manifest does not list it"))

    def _going_on(self) -> frozenset[tuple[str, str]]:
        """The streams that stand in more than one part."""
        if len(self._parts) == 1:
            return frozenset()
        return frozenset(
            (row["topic"], row["stream"])
            for part in self._parts
            for row in self._list(part, STREAMS_FILE, STREAMS)
            if row.get("first_version", 0) > 1
        )

    def _list(self, part: Part, path: str, schema: Any) -> Iterator[Row]:
        """The whole rows of a part's list of keys or streams, as far as they can be read."""
        file = part.folder / path
        if file in self._absent:
            return
        if file not in self._suspect:
            yield from (row for row, _ in rows_of(file))
            return
        try:
            for group in groups_of(file, schema):
                if not group.unreadable:
                    yield from group.rows
        except SourceError:
            return

    def _topic(self, part: Part, topic: str, known: Known, keys: dict[str, Row]) -> None:
        ends = {(topic, key): str(row["day"]) for key, row in keys.items()}
        streams = (row for row in self._list(part, STREAMS_FILE, STREAMS) if row["topic"] == topic)
        walk = Walk(part, topic, known, keys, streams, self._verdict.report)
        for entry in part.manifest.files_of(topic):
            file = part.folder / entry.path
            if file in self._absent:
                walk.skip()
            elif file in self._suspect:
                self._suspected(part, topic, entry, walk)
            else:
                where = f"{part.folder.name}/{entry.path} row"
                for row, number in rows_of(file):
                    stored = stored_of(row, f"{where} {number}")
                    walk.see(stored)
                    self._heads.see(stored)
                    self._count()
        walk.end()
        self._heads.flush()
        self._days.update(ends)

    def _suspected(self, part: Part, topic: str, entry: FileEntry, walk: Walk) -> None:
        """A file that is not as signed: which of its events are not?"""
        file, where = part.folder / entry.path, f"{part.folder.name}/{entry.path}"
        try:
            for group in groups_of(file, SCHEMA):
                rows = group.rows or [{} for _ in range(group.size)]
                if group.unreadable:
                    self._unreadable(where, group.first, rows, group.unreadable)
                for number, row in enumerate(rows, start=group.first):
                    self._count()
                    stored = whole_again(row, topic, f"{where} row {number}")
                    if stored is None:
                        walk.skip()
                        continue
                    walk.see(stored)
                    self._heads.see(stored)
                    if not group.unreadable and (fault := columns_agree(row, stored.where, self._floor(), self._days)):
                        self._verdict.report(fault)
        except SourceError as error:
            walk.skip()
            self._verdict.report(Fault("rows_unreadable", where, f"cannot be read further: {error}"))

    def _unreadable(self, where: str, first: int, rows: list[Row], columns: tuple[str, ...]) -> None:
        """Name the rows of which something cannot be read, by their first and last event."""
        last = first + len(rows) - 1
        ends = [row for row in (rows[0], rows[-1]) if "stream" in row and "version" in row] if rows else []
        message = f"{', '.join(columns)}: cannot be read in rows {first} to {last}"
        if not ends:
            self._verdict.report(Fault("rows_unreadable", where, message))
            return
        stream, version = ends[0]["stream"], ends[0]["version"]
        message += f", up to {ends[-1]['stream']} version {ends[-1]['version']}"
        self._verdict.report(Fault("rows_unreadable", where, message, stream, version, event_id_text(stream, version)))

    def _floor(self) -> Days:
        """The floor's days, from the openings in all parts; asked for only where a file is not as signed."""
        if self._openings is None:
            found: list[bytes] = []
            for part in self._parts:
                for entry in part.manifest.files_of(TOPICS[0]):
                    try:
                        for group in groups_of(part.folder / entry.path, SCHEMA):
                            found += [
                                row["envelope"]
                                for row in group.rows
                                if row.get("type") in OPENINGS and "envelope" in row
                            ]
                    except SourceError:
                        continue
            self._openings = Days(found)
        return self._openings

    def _count(self) -> None:
        self._verdict.events += 1
        if self._verdict.events % 1000 == 0:
            self._progress(self._verdict.events)
