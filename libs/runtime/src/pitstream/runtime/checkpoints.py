"""Signed checkpoints of a service's chain heads: what the last event of every stream was, at a moment.

Who holds one can prove later that no event up to then was changed, put in or taken away, also by somebody who owns the
database and makes every hash anew. A checkpoint is a folder that nobody needs to trust::

    checkpoints/rounds.v1/000007/
        checkpoint.json       when, of what, the hashes of both lists and of the checkpoint before it
        checkpoint.json.sig   Ed25519 over the exact bytes of checkpoint.json
        heads.jsonl           the head of every stream that changed since the checkpoint before
        keys.jsonl            how far every key had come

So it costs what happened since the last one, and all of them together hold every stream's head.
"""

import asyncio
import hashlib
import json
import os
import shutil
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NamedTuple

import asyncpg
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pitstream.runtime.logs import log
from pitstream.runtime.settings import TOPIC_SOURCES
from pitstream.runtime.signing import SUFFIX, fingerprint

if TYPE_CHECKING:
    from asyncpg.pool import PoolConnectionProxy

    from pitstream.runtime.store import Store

    Connection = asyncpg.Connection | PoolConnectionProxy[asyncpg.Record]

FOLDER: Final = "checkpoints"
CHECKPOINT: Final = "checkpoint.json"
HEADS_FILE: Final = "heads.jsonl"
KEYS_FILE: Final = "keys.jsonl"
_KEYS_AT_ONCE: Final = 500

Hex = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class CheckpointError(Exception):
    """A checkpoint cannot be taken, or is not one; the message names the file."""


class Head(NamedTuple):
    """The last event of a stream. ``sequence`` is its number in its key."""

    key: str
    sequence: int
    stream: str
    version: int
    hash: str
    """Hex."""


class Said(BaseModel):
    """What ``checkpoint.json`` holds."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    format: Literal["pitstream.checkpoint/1"] = "pitstream.checkpoint/1"
    topic: str
    place: Annotated[int, Field(ge=1)]
    """The how-many-eth checkpoint of the topic, from 1."""
    previous: Hex | None
    """Of the ``checkpoint.json`` before it."""
    taken_at_us: int
    """Microseconds since 1970, UTC."""
    events: Annotated[int, Field(ge=0)]
    """Of all keys, up to here."""
    heads: Annotated[int, Field(ge=0)]
    heads_sha256: Hex
    keys_sha256: Hex
    key: Hex
    """Fingerprint of the key that signed it."""


class Checkpoint(NamedTuple):
    """A checkpoint as its file says; nothing is checked yet."""

    folder: Path
    said: Said
    sha256: str
    """Of the bytes of ``checkpoint.json``."""

    def heads(self) -> Iterator[Head]:
        """The streams that changed, sorted by key and stream. Raises CheckpointError at a line that is none."""
        for number, line in _lines(self.folder / HEADS_FILE):
            try:
                yield Head(
                    str(line["key"]), int(line["sequence"]), str(line["stream"]), int(line["version"]), line["hash"]
                )
            except (KeyError, TypeError, ValueError, OverflowError) as error:
                raise CheckpointError(f"{self.folder / HEADS_FILE}:{number}: is no head: {error!r}") from error

    def sequences(self) -> dict[str, int]:
        """How far every key had come. Raises CheckpointError."""
        try:
            return {str(line["key"]): int(line["sequence"]) for _, line in _lines(self.folder / KEYS_FILE)}
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise CheckpointError(f"{self.folder / KEYS_FILE}: has a line that is none: {error!r}") from error


def read_checkpoint(folder: Path) -> Checkpoint:
    """The checkpoint in a folder. Raises CheckpointError when its own file cannot be read."""
    file = folder / CHECKPOINT
    try:
        text = file.read_bytes()
        return Checkpoint(folder, Said.model_validate_json(text), hashlib.sha256(text).hexdigest())
    except OSError as error:
        raise CheckpointError(f"{file}: cannot be read: {error.strerror}") from error
    except ValidationError as error:
        fault = error.errors()[0]
        raise CheckpointError(f"{file}: {'.'.join(map(str, fault['loc']))}: {fault['msg']}") from error


def checkpoint_folders(directory: Path, topic: str) -> list[Path]:
    """The folders of a topic's checkpoints under ``directory``, oldest first."""
    of_topic = directory / FOLDER / topic
    if not of_topic.is_dir():
        return []
    return sorted(entry for entry in of_topic.iterdir() if entry.is_dir() and entry.name.isdecimal())


async def take_checkpoint(
    connection: "Connection",
    topic: str,
    directory: Path,
    key: Ed25519PrivateKey,
    clock_us: Callable[[], int] = lambda: time.time_ns() // 1000,
) -> Checkpoint | None:
    """A checkpoint of the topic's streams, of one snapshot of its schema; None when nothing happened since the last.

    It is there whole or not at all. Raises CheckpointError when it cannot be written.
    """
    schema = TOPIC_SOURCES[topic]
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        rows = await connection.fetch(f'SELECT key, last_sequence FROM "{schema}".key_heads')  # noqa: S608
        now = {row["key"]: row["last_sequence"] for row in rows}
        heads = partial(_heads, connection, schema, now)
        return await write_checkpoint(directory, topic, key, now, heads, clock_us())


async def write_checkpoint(
    directory: Path,
    topic: str,
    key: Ed25519PrivateKey,
    now: Mapping[str, int],
    heads: Callable[[Mapping[str, int]], AsyncIterator[Head]],
    taken_at_us: int,
) -> Checkpoint | None:
    """The next checkpoint of a topic whose keys have come as far as ``now`` says. ``heads`` is given how far they had
    come at the checkpoint before, and gives the head of every stream that changed since, sorted by key and stream."""
    folders = checkpoint_folders(directory, topic)
    before = read_checkpoint(folders[-1]) if folders else None
    seen = before.sequences() if before else {}
    if now == seen:
        return None
    place = before.said.place + 1 if before else 1
    folder = directory / FOLDER / topic / f"{place:06}"
    unfinished = folder.with_name(f".{folder.name}.unfinished")
    try:
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        count, heads_sha256 = await _write_heads(unfinished / HEADS_FILE, heads(seen))
        lines = (_line(key=each, sequence=sequence) for each, sequence in sorted(now.items()))
        said = Said(
            topic=topic,
            place=place,
            previous=before.sha256 if before else None,
            taken_at_us=taken_at_us,
            events=sum(now.values()),
            heads=count,
            heads_sha256=heads_sha256,
            keys_sha256=_write(unfinished / KEYS_FILE, b"".join(lines)),
            key=fingerprint(key.public_key()),
        )
        text = said.model_dump_json(indent=2).encode() + b"\n"
        _write(unfinished / CHECKPOINT, text)
        _write(unfinished / f"{CHECKPOINT}{SUFFIX}", key.sign(text))
        unfinished.rename(folder)
    except OSError as error:
        raise CheckpointError(f"{folder}: cannot be written: {error}") from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return read_checkpoint(folder)


async def keep_taking(store: "Store", directory: Path, key: Ed25519PrivateKey, every_s: int) -> None:
    """Take a checkpoint of the service's own streams every ``every_s`` seconds, for ever; of several instances, one
    does. A failure is logged and tried again: no round waits for it."""
    topic = next(topic for topic, source in TOPIC_SOURCES.items() if source == store.source)
    lock = f"{store.source}/checkpoints"
    while True:
        try:
            async with store.pool.acquire() as connection:
                if await connection.fetchval(_TRY_LOCK, lock):
                    try:
                        taken = await take_checkpoint(connection, topic, directory, key, store.clock_us)
                    finally:
                        await connection.execute(_UNLOCK, lock)
                    if taken is not None:
                        log.info("checkpoint taken", place=taken.said.place, sha256=taken.sha256)
        except (CheckpointError, asyncpg.PostgresError, asyncpg.InterfaceError, OSError) as error:
            log.error("checkpoint not taken", error=repr(error))
        await asyncio.sleep(every_s)


async def _heads(
    connection: "Connection", schema: str, now: Mapping[str, int], seen: Mapping[str, int]
) -> AsyncIterator[Head]:
    changed = sorted(key for key, sequence in now.items() if sequence != seen.get(key, 0))
    for at in range(0, len(changed), _KEYS_AT_ONCE):
        some = changed[at : at + _KEYS_AT_ONCE]
        query = _HEADS.format(schema=schema)
        async for row in connection.cursor(query, some, [seen.get(key, 0) for key in some], prefetch=1000):
            yield Head(row["key"], row["key_sequence"], row["stream"], row["version"], row["hash"].hex())


async def _write_heads(file: Path, heads: AsyncIterator[Head]) -> tuple[int, str]:
    """How many heads were written, and the file's hash."""
    count, digest = 0, hashlib.sha256()
    with file.open("wb") as opened:
        async for head in heads:
            line = _line(**head._asdict())
            opened.write(line)
            digest.update(line)
            count += 1
        opened.flush()
        os.fsync(opened.fileno())
    return count, digest.hexdigest()


def _line(**fields: Any) -> bytes:
    return json.dumps(fields).encode() + b"\n"


def _lines(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        with file.open("rb") as opened:
            for number, line in enumerate(opened, start=1):
                yield number, json.loads(line)
    except (OSError, ValueError, RecursionError) as error:
        raise CheckpointError(f"{file}: cannot be read: {error}") from error


def _write(file: Path, content: bytes) -> str:
    """Write it to the disk; its SHA-256, hex."""
    with file.open("wb") as opened:
        opened.write(content)
        opened.flush()
        os.fsync(opened.fileno())
    return hashlib.sha256(content).hexdigest()


# Of the session, not of a transaction: a transaction that is silent for as long as files are written is ended.
_TRY_LOCK = "SELECT pg_try_advisory_lock(hashtextextended($1, 0))"
_UNLOCK = "SELECT pg_advisory_unlock(hashtextextended($1, 0))"
_HEADS = """
SELECT DISTINCT ON (wanted.place, e.stream COLLATE "C") wanted.key, e.key_sequence, e.stream, e.version, e.hash
FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS wanted (key, seen, place)
JOIN "{schema}".events AS e ON e.key = wanted.key AND e.key_sequence > wanted.seen
ORDER BY wanted.place, e.stream COLLATE "C", e.version DESC
"""
