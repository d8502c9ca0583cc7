"""An event is as it was written, and in its place: its bytes, its number in its key, its link to the one before it."""

from collections import OrderedDict
from typing import Final

from google.protobuf.message import DecodeError

from pitstream.archive import Source, Stored, fault_of
from pitstream.audit.findings import Finding, Report, found, of_fault
from pitstream.events import Envelope, envelope_hash, event_id_text

KEPT: Final = 50_000
"""Streams, and keys, whose last place is remembered. A stream that was left for longer is looked up where it stands."""
_NAMED_MAX: Final = 5


class Order:
    """Of one share of the keys of every topic, in whatever order the keys come by turns."""

    def __init__(self, source: Source, report: Report, kept: int = KEPT) -> None:
        self._source = source
        self._report = report
        self._kept = kept
        self._sequences: OrderedDict[tuple[str, str], int] = OrderedDict()
        self._heads: OrderedDict[tuple[str, str], tuple[int, bytes]] = OrderedDict()

    async def see(self, stored: Stored) -> Envelope | None:
        """The event's envelope, after its faults were reported. None when there is no sense in looking further."""
        fault = fault_of(stored)
        if fault is not None:
            self._report(of_fault("event", stored.topic, fault))
        self._in_its_key(stored)
        try:
            envelope = Envelope.FromString(stored.data)
        except DecodeError:
            return None
        await self._in_its_stream(stored, envelope)
        return envelope

    async def version_of(self, topic: str, key: str, stream: str) -> int:
        """The version that the stream has come to; 0 where nothing of it is there."""
        if (topic, stream) in self._heads:
            return self._heads[topic, stream][0]
        return max((one.version for one in await self._source.stream(topic, key, stream)), default=0)

    def _in_its_key(self, stored: Stored) -> None:
        place = stored.topic, stored.key
        last = self._sequences.pop(place, 0)
        wanted = last + 1
        if stored.sequence > wanted:
            missing = f"{wanted}" if stored.sequence == wanted + 1 else f"{wanted} to {stored.sequence - 1}"
            message = f"{missing} of key {stored.key} missing before it"
            self._report(found("sequence", stored, message, stored.sequence, wanted))
        elif stored.sequence < wanted:
            message = f"its place in key {stored.key} was taken before"
            self._report(found("sequence", stored, message, stored.sequence, wanted))
        self._sequences[place] = max(last, stored.sequence)
        while len(self._sequences) > self._kept:
            self._sequences.popitem(last=False)

    async def _in_its_stream(self, stored: Stored, envelope: Envelope) -> None:
        place = stored.topic, envelope.stream
        version, previous = self._heads.pop(place, (0, b""))
        if version == 0 and envelope.version > 1:
            version, previous = await self._looked_up(stored, envelope)
        if envelope.version > version + 1:
            for missing in range(version + 1, min(envelope.version, version + 1 + _NAMED_MAX)):
                self._report(
                    Finding(
                        "chain", stored.topic, envelope.stream, missing, event_id_text(envelope.stream, missing),
                        stored.where, f"is missing before version {envelope.version}",
                    )
                )  # fmt: skip
        elif envelope.version <= version:
            self._report(found("chain", stored, "its version was there before", envelope.version, version + 1))
        elif envelope.previous_hash != previous:
            before = f"version {version}" if version else "none before it"
            message = f"previous_hash is not the hash of the event before it ({before}): that one, or this, was changed"
            self._report(found("chain", stored, message, envelope.previous_hash.hex(), previous.hex()))
            if version:
                self._report(
                    Finding(
                        "chain", stored.topic, envelope.stream, version, event_id_text(envelope.stream, version),
                        stored.where, f"its hash is not the one that version {version + 1} names",
                    )
                )  # fmt: skip
        if envelope.version >= version:
            self._heads[place] = (envelope.version, envelope_hash(stored.data))
        else:
            self._heads[place] = (version, previous)
        while len(self._heads) > self._kept:
            self._heads.popitem(last=False)

    async def _looked_up(self, stored: Stored, envelope: Envelope) -> tuple[int, bytes]:
        """The event before, of a stream that was left long ago: from the source, which has all of it."""
        before = await self._source.stream(stored.topic, stored.key, envelope.stream)
        for one in before:
            if one.version == envelope.version - 1:
                return one.version, envelope_hash(one.data)
        earlier = [one.version for one in before if one.version < envelope.version]
        return max(earlier, default=0), b""
