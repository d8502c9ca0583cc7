"""An archive's folder: parts, one beside the other, each a slice of every key's events with a signed list of its files.

::

    2026-03-28/                   one part: a gaming day
        manifest.json             its files with their hashes, and the part before it
        manifest.json.sig         Ed25519 over the exact bytes of manifest.json
        keys.parquet              each key's slice of its sequence
        streams.parquet           each stream's head before the part and after it
        rounds.v1/000.parquet …   the events, by topic, sorted by key and sequence
    2026-03-28.2/                 what came late for that day
    checkpoints/                  signed heads of all streams, taken on the live database
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal

import pyarrow as pa  # type: ignore[import-untyped]
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pitstream.archive.stored import SourceError

MANIFEST: Final = "manifest.json"
CHECKPOINTS: Final = "checkpoints"
KEYS_FILE: Final = "keys.parquet"
STREAMS_FILE: Final = "streams.parquet"

KEYS: Final = pa.schema(
    [
        pa.field("topic", pa.string(), nullable=False),
        pa.field("key", pa.string(), nullable=False),
        pa.field("first_sequence", pa.int64(), nullable=False),
        pa.field("last_sequence", pa.int64(), nullable=False),
        pa.field("day", pa.string(), nullable=False),
    ]
)
STREAMS: Final = pa.schema(
    [
        pa.field("topic", pa.string(), nullable=False),
        pa.field("key", pa.string(), nullable=False),
        pa.field("stream", pa.string(), nullable=False),
        pa.field("first_version", pa.int64(), nullable=False),
        pa.field("last_version", pa.int64(), nullable=False),
        pa.field("hash_before", pa.binary(), nullable=False),
        pa.field("hash_after", pa.binary(), nullable=False),
    ]
)

Hex = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class _Said(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Link(_Said):
    """The part before, by the hash of its manifest."""

    name: str
    sha256: Hex


class FileEntry(_Said):
    """One file of a part."""

    path: Annotated[str, Field(pattern=r"^[a-z0-9.]+(/[0-9]+)?\.parquet$")]
    sha256: Hex
    bytes: Annotated[int, Field(ge=0)]
    rows: Annotated[int, Field(ge=0)]


class Manifest(_Said):
    """What a part is said to hold."""

    format: Literal["pitstream.archive/1"] = "pitstream.archive/1"
    name: Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}(\.[1-9]\d*)?$")]
    day: Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]
    place: Annotated[int, Field(ge=1)]
    """The how-many-eth part of the archive, from 1."""
    previous: Link | None
    key: Hex | None
    """Fingerprint of the key that signed it; None where nobody did."""
    events: Annotated[int, Field(ge=1)]
    files: tuple[FileEntry, ...]

    def text(self) -> bytes:
        """The exact bytes of the file."""
        return self.model_dump_json(indent=2).encode() + b"\n"

    def files_of(self, topic: str) -> list[FileEntry]:
        """The topic's files, in the order of their rows."""
        return [entry for entry in self.files if entry.path.startswith(f"{topic}/")]


@dataclass(frozen=True, slots=True)
class Part:
    """A part as its manifest says; nothing is checked yet."""

    folder: Path
    manifest: Manifest
    sha256: str
    """Of the manifest's bytes."""


def read_part(folder: Path) -> Part:
    """The part in a folder. Raises SourceError when its manifest cannot be read."""
    file = folder / MANIFEST
    try:
        text = file.read_bytes()
        return Part(folder, Manifest.model_validate_json(text), hashlib.sha256(text).hexdigest())
    except OSError as error:
        raise SourceError(f"{folder.name}/{MANIFEST}: cannot be read: {error.strerror}") from error
    except ValidationError as error:
        fault = error.errors()[0]
        where = ".".join(map(str, fault["loc"])) or "the file"
        raise SourceError(f"{folder.name}/{MANIFEST}: {where}: {fault['msg']}") from error


def part_folders(directory: Path) -> Iterator[Path]:
    """The folders of an archive that may be parts: all but the checkpoints'. A folder that is a part itself is its own
    archive."""
    if (directory / MANIFEST).exists():
        yield directory
    elif directory.is_dir():
        yield from sorted(
            entry
            for entry in directory.iterdir()
            if entry.is_dir() and entry.name != CHECKPOINTS and entry.name[0] != "."
        )


def read_parts(directory: Path) -> list[Part]:
    """Every part of an archive, in the order in which they were written. Raises SourceError."""
    return sorted((read_part(folder) for folder in part_folders(directory)), key=lambda part: part.manifest.place)


def sha256_of(file: Path) -> str:
    """The file's SHA-256, hex; read piece by piece."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
