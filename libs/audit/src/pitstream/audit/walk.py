"""One share of the keys of every topic, read once from its beginning to its end, judged, and written down as a part."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, Protocol

from pitstream.archive import TOPICS, ArchiveSource, KafkaSource, Shard, Source, Stored, StoreSource
from pitstream.audit.accounts import Accounts
from pitstream.audit.anchors import Anchors
from pitstream.audit.findings import Finding, found
from pitstream.audit.networks import Networks
from pitstream.audit.order import Order
from pitstream.audit.part import Part
from pitstream.audit.rounds import Rounds
from pitstream.audit.scope import Scope
from pitstream.audit.settlements import Settlements
from pitstream.events import Recorded, UndecodableError, UnknownTypeError
from pitstream.games.paytables import with_property_s
from pitstream.runtime.signing import public_key

_TABLE_TOPICS: Final = ("rounds.v1", "settlements.v1")


@dataclass(frozen=True, slots=True)
class Where:
    """A source by its name and address, for another process to open. ``snapshot``: what an open store exported."""

    kind: Literal["store", "kafka", "archive"]
    """What it is."""
    address: str
    """PostgreSQL's URL, Kafka's brokers, or the archive's folder."""
    snapshot: str | None = None
    """What an open store exported, so that all shares see one moment."""

    def source(self) -> Source:
        """The source, not open yet."""
        match self.kind:
            case "store":
                return StoreSource(self.address, snapshot=self.snapshot)
            case "kafka":
                return KafkaSource(self.address)
            case "archive":
                return ArchiveSource(Path(self.address))


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of every share."""

    scope: Scope = field(default_factory=Scope)
    """Which rounds."""
    paytables: Path | None = None
    """A property's file of paytables, beside the bundled ones."""
    checkpoints: tuple[Path, Path] | None = None
    """The folder of signed checkpoints, and the file of the public key."""


class _Reader(Protocol):
    async def see(self, stored: Stored, recorded: Recorded) -> None: ...


def audit_share(where: Where, shard: Shard, path: Path, asked: Asked) -> Path:
    """Audit the keys of ``shard`` in a process of its own; ``path`` is the part that is written, anew."""
    path.unlink(missing_ok=True)
    asyncio.run(_share(where, shard, path, asked))
    return path


async def _share(where: Where, shard: Shard, path: Path, asked: Asked) -> None:
    part = Part(path)
    try:
        async with where.source() as source:
            await walk(source, shard, part, asked)
        part.finish(shard, asked.scope)
    finally:
        part.close()


async def walk(source: Source, shard: Shard, part: Part, asked: Asked) -> None:
    """Judge every event of the share, topic by topic, in the order of each key."""
    scope, paytables = asked.scope, with_property_s(asked.paytables)
    seen: list[int] = [0]

    def report(finding: Finding) -> None:
        part.report(finding, seen[0])

    order = Order(source, report)
    anchors = None
    if asked.checkpoints is not None:
        folder, key = asked.checkpoints
        anchors = Anchors(folder, public_key(key), shard, report)
    rounds = Rounds(part, source, paytables, scope)
    readers: Mapping[str, _Reader] = {
        "rounds.v1": rounds,
        "settlements.v1": Settlements(part, scope),
        "progressives.v1": Networks(part),
        "wallet.v1": Accounts(part),
    }
    for topic in TOPICS:
        keys = [scope.table] if scope.table is not None and topic in _TABLE_TOPICS else None
        async for stored in source.events(topic, shard=shard, keys=keys):
            seen[0] = stored.recorded_at_us
            part.count(topic)
            if anchors is not None:
                anchors.see(stored)
            if await order.see(stored) is None:
                continue
            if (judged := await _judged(stored, readers[topic])) is not None:
                part.report(judged, seen[0])
        if topic == "rounds.v1":
            rounds.end()
        if anchors is not None:
            await anchors.end(topic, order)
    if anchors is not None:
        anchors.close()


async def _judged(stored: Stored, reader: _Reader) -> Finding | None:
    try:
        recorded = stored.opened()
    except UnknownTypeError as unknown:
        return found("type", stored, f"cannot be judged by this version: {unknown}")
    except UndecodableError as undecodable:
        return found("event", stored, str(undecodable))
    try:
        await reader.see(stored, recorded)
    except (KeyError, TypeError, ValueError, ArithmeticError, IndexError, StopIteration) as error:
        # What the events before it make impossible; the readers name what they expect, this is what none did.
        return found("event", stored, f"makes no sense where it stands: {type(error).__name__}: {error}")
    return None
