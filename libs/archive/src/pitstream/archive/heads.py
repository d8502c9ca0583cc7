"""An archive's checkpoints: are they as they were signed, and does every archived event agree with them?"""

import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from pitstream.archive.manifest import CHECKPOINTS, sha256_of
from pitstream.archive.stored import TOPICS, Fault, Stored
from pitstream.events import event_id_text
from pitstream.runtime.checkpoints import (
    CHECKPOINT,
    HEADS_FILE,
    KEYS_FILE,
    Checkpoint,
    CheckpointError,
    checkpoint_folders,
    read_checkpoint,
)
from pitstream.runtime.signing import SUFFIX, is_signed

_AT_ONCE: Final = 2000
_TABLE: Final = """
CREATE TABLE heads (
    topic TEXT, key TEXT, sequence INTEGER, stream TEXT, version INTEGER, hash BLOB, place INTEGER,
    is_met INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (topic, key, sequence)
) WITHOUT ROWID
"""
_IN_RANGE: Final = """
SELECT sequence, stream, version, hash, place FROM heads
WHERE topic = ? AND key = ? AND sequence BETWEEN ? AND ? ORDER BY sequence
"""
_MEET: Final = "UPDATE heads SET is_met = 1 WHERE topic = ? AND key = ? AND sequence BETWEEN ? AND ?"
_UNMET: Final = """
SELECT key, sequence, stream, version, place FROM heads WHERE topic = ? AND NOT is_met ORDER BY key, sequence
"""


class Heads:
    """The checkpoints of an archive. ``see`` every archived event in the order of its key, then ``flush``.

    What they say is kept in a temporary file, not in memory."""

    def __init__(self, directory: Path, key: Ed25519PublicKey, report: Callable[[Fault], None]) -> None:
        self._report = report
        self._key = key
        self._kept = sqlite3.connect("")
        self._kept.execute(_TABLE)
        self._seen: dict[int, Stored] = {}
        self._place = ("", "")
        self.hashes: list[str] = []
        """Of every ``checkpoint.json`` that could be read."""
        for topic in TOPICS:
            self._read(directory, topic)
        for entry in sorted((directory / CHECKPOINTS).glob("*")):
            if entry.name not in TOPICS:
                self._report(Fault("file_added", f"{CHECKPOINTS}/{entry.name}", "does not belong to the checkpoints"))
        self._any = bool(self.hashes)

    def _read(self, directory: Path, topic: str) -> None:
        """All checkpoints of a topic, one after the other."""
        before: Checkpoint | None = None
        folders = checkpoint_folders(directory, topic)
        for entry in sorted((directory / CHECKPOINTS / topic).glob("*")):
            if entry not in folders:
                where = f"{CHECKPOINTS}/{topic}/{entry.name}"
                self._report(Fault("file_added", where, "does not belong to the checkpoints"))
        for folder in folders:
            where = f"{CHECKPOINTS}/{topic}/{folder.name}"
            try:
                found = read_checkpoint(folder)
            except CheckpointError as error:
                self._report(Fault("checkpoint_unreadable", f"{where}/{CHECKPOINT}", str(error)))
                continue
            self._is_signed(found, topic, where)
            place = before.said.place + 1 if before else 1
            if not place == found.said.place == int(folder.name):
                message = f"place: was {found.said.place}; number {place} is missing before it"
                self._report(Fault("checkpoint_missing", where, message))
            elif found.said.previous != (before.sha256 if before else None):
                message = f"previous: was {found.said.previous}; the checkpoint before it has another hash"
                self._report(Fault("checkpoint_differs", where, message))
            self._keep(found, topic, where)
            before = found

    def _is_signed(self, found: Checkpoint, topic: str, where: str) -> None:
        self.hashes.append(found.sha256)
        signature = found.folder / f"{CHECKPOINT}{SUFFIX}"
        text = (found.folder / CHECKPOINT).read_bytes()
        if not signature.is_file() or not is_signed(self._key, text, signature.read_bytes()):
            message = "the signature is not that of these bytes by this key"
            self._report(Fault("signature_wrong", f"{where}/{CHECKPOINT}", message))
        if found.said.topic != topic:
            self._report(Fault("checkpoint_differs", where, f"topic: was {found.said.topic}"))
        listed = {HEADS_FILE: found.said.heads_sha256, KEYS_FILE: found.said.keys_sha256}
        for name, wanted in listed.items():
            file = found.folder / name
            if not file.is_file():
                self._report(Fault("file_missing", f"{where}/{name}", "is missing"))
            elif (sha256 := sha256_of(file)) != wanted:
                self._report(Fault("file_changed", f"{where}/{name}", f"sha256: was {sha256}; must be {wanted}"))
        for entry in sorted(found.folder.iterdir()):
            if entry.name not in (CHECKPOINT, signature.name, *listed):
                self._report(Fault("file_added", f"{where}/{entry.name}", "the checkpoint does not list it"))

    def _keep(self, found: Checkpoint, topic: str, where: str) -> None:
        try:
            for head in found.heads():
                row = (topic, head.key, head.sequence, head.stream, head.version, bytes.fromhex(head.hash))
                try:
                    self._kept.execute("INSERT INTO heads VALUES (?, ?, ?, ?, ?, ?, ?, 0)", (*row, found.said.place))
                except sqlite3.IntegrityError:
                    message = f"sequence: was {head.sequence} of {head.key}; an earlier checkpoint names it too"
                    named = head.stream, head.version, event_id_text(head.stream, head.version)
                    self._report(Fault("checkpoint_differs", f"{where}/{HEADS_FILE}", message, *named))
        except (CheckpointError, ValueError, OverflowError) as error:
            self._report(Fault("checkpoint_unreadable", f"{where}/{HEADS_FILE}", str(error)))

    def see(self, stored: Stored) -> None:
        """The next archived event."""
        if not self._any:
            return
        if (stored.topic, stored.key) != self._place or len(self._seen) >= _AT_ONCE:
            self.flush()
            self._place = stored.topic, stored.key
        self._seen.setdefault(stored.sequence, stored)

    def flush(self) -> None:
        """Compare what was seen since the last time: one stretch of one key."""
        seen, self._seen = self._seen, {}
        if not seen:
            return
        topic, key = self._place
        stretch = topic, key, min(seen), max(seen)
        rows = self._kept.execute(_IN_RANGE, stretch).fetchall()
        if rows:
            self._kept.execute(_MEET, stretch)
        for sequence, stream, version, found, place in rows:
            where = f"{CHECKPOINTS}/{topic}/{place:06}/{HEADS_FILE}"
            archived = seen.get(sequence)
            told = "is not archived"
            if archived is not None:
                if (archived.stream, archived.version, archived.hash) == (stream, version, found):
                    continue
                told = f"was {found.hex()}; {archived.where} has {archived} with {archived.hash.hex()}"
            message = f"hash: {told}"
            self._report(Fault("checkpoint_differs", where, message, stream, version, event_id_text(stream, version)))

    def end(self, topic: str, last: Mapping[str, int]) -> None:
        """Report what lies in no stretch that was seen, of keys whose every event should have been: their last ones are
        ``last``. An event that was taken from a key's beginning, or from between two stretches, is in none."""
        self.flush()
        for key, sequence, stream, version, place in self._kept.execute(_UNMET, (topic,)):
            if sequence <= last.get(key, 0):
                where = f"{CHECKPOINTS}/{topic}/{place:06}/{HEADS_FILE}"
                message = f"hash: number {sequence} of key {key} is missing"
                named = stream, version, event_id_text(stream, version)
                self._report(Fault("checkpoint_differs", where, message, *named))

    def close(self) -> None:
        """Forget what was kept."""
        self._kept.close()
