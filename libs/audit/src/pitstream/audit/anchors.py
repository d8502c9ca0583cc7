"""Signed checkpoints beside the events: no event up to one of them was changed, put in or taken away since."""

from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from pitstream.archive import Fault, Shard, Stored
from pitstream.archive.heads import Heads
from pitstream.audit.findings import Report, of_fault
from pitstream.audit.order import Order
from pitstream.events import event_id_text
from pitstream.runtime.checkpoints import CheckpointError, checkpoint_folders, read_checkpoint

_NAMED_MAX: Final = 5


class Anchors:
    """The checkpoints of a folder, beside the events of one share. ``see`` every event, ``end`` after each topic.

    The checkpoints themselves (their signatures, that none is missing) are judged by one share for all."""

    def __init__(self, folder: Path, key: Ed25519PublicKey, shard: Shard, report: Report) -> None:
        self._folder = folder
        self._shard = shard
        self._report = report
        self._reading = shard.number == 0
        self._differing: list[Fault] = []
        """Heads that are not there as they were signed."""
        self._heads = Heads(folder, key, self._fault)
        self._reading = True
        self._last: dict[str, int] = {}

    def _fault(self, fault: Fault) -> None:
        if self._reading:
            if fault.version and fault.code == "checkpoint_differs":
                self._differing.append(fault)
            self._report(of_fault("checkpoint", "", fault))

    def see(self, stored: Stored) -> None:
        """The next event."""
        self._heads.see(stored)
        self._last[stored.key] = max(stored.sequence, self._last.get(stored.key, 0))

    async def end(self, topic: str, order: Order) -> None:
        """No event of the topic is left: every key must have come as far as it had when the last one was taken."""
        last, self._last = self._last, {}
        self._heads.end(topic, last)
        differing, self._differing = self._differing, []
        for fault in differing:
            await self._cut_off(topic, fault, order)
        if not (folders := checkpoint_folders(self._folder, topic)):
            return
        try:
            short = {
                key: last.get(key, 0)
                for key, sequence in read_checkpoint(folders[-1]).sequences().items()
                if self._shard.has(key) and last.get(key, 0) < sequence
            }
            if short:
                await self._missing(topic, folders, short, order)
        except CheckpointError as error:
            self._report(of_fault("checkpoint", topic, Fault("checkpoint_unreadable", topic, str(error))))

    async def _cut_off(self, topic: str, head: Fault, order: Order) -> None:
        """A stream that ends before its head: the first events that are gone."""
        ends = await order.version_of(topic, "", head.stream)
        for version in range(ends + 1, min(head.version, ends + 1 + _NAMED_MAX)):
            event_id = event_id_text(head.stream, version)
            fault = Fault("event_missing", head.where, "is missing", head.stream, version, event_id)
            self._report(of_fault("checkpoint", topic, fault))

    async def _missing(self, topic: str, folders: list[Path], short: dict[str, int], order: Order) -> None:
        """The events that the keys do not reach any more: of each stream from the first one that is gone."""
        for folder in folders:
            for head in read_checkpoint(folder).heads():
                if head.key not in short or head.sequence <= short[head.key]:
                    continue
                ends = await order.version_of(topic, head.key, head.stream)
                for version in [*range(ends + 1, min(head.version, ends + 1 + _NAMED_MAX)), head.version]:
                    message = f"is missing: key {head.key} ends at {short[head.key]}, and had {head.sequence}"
                    event_id = event_id_text(head.stream, version)
                    fault = Fault("event_missing", str(folder), message, head.stream, version, event_id)
                    self._report(of_fault("checkpoint", topic, fault))

    def close(self) -> None:
        """Forget what was kept."""
        self._heads.close()
