"""The envelope: an event's bytes bound to its stream, its version and the event before it.

The hash of an event is SHA-256 over the envelope's exact bytes, which are stored, published and archived as they are.
"""

import hashlib
import uuid
from collections.abc import Iterable
from dataclasses import dataclass

from google.protobuf.message import DecodeError

from pitstream.envelope.v1.envelope_pb2 import Envelope
from pitstream.events.codec import UndecodableError, decode_payload, encode_payload
from pitstream.events.ids import uuid5
from pitstream.events.model import Event
from pitstream.events.upcast import upcast

__all__ = [
    "Envelope",
    "Recorded",
    "chain_breaks",
    "envelope_hash",
    "event_id",
    "event_id_text",
    "open_envelope",
    "seal",
]

_EVENT_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_DNS, "events.pitstream").bytes


@dataclass(frozen=True, slots=True)
class Recorded:
    """An event as it was stored: the envelope's fields, the exact bytes of both, and the event in today's version."""

    event: Event
    """In today's version, whatever version was stored."""
    envelope: Envelope
    """As it was stored."""
    data: bytes
    """The envelope's exact bytes."""

    @property
    def event_id(self) -> uuid.UUID:
        """The event's id: it follows from stream and version."""
        return uuid.UUID(self.envelope.event_id)

    @property
    def stream(self) -> str:
        """Whose event it is: ``round/uth-01/17``."""
        return self.envelope.stream

    @property
    def version(self) -> int:
        """Its number in the stream, from 1 without gaps."""
        return self.envelope.version

    @property
    def hash(self) -> bytes:
        """SHA-256 of ``data``, 32 bytes."""
        return envelope_hash(self.data)


def event_id(stream: str, version: int) -> uuid.UUID:
    """The id of the event at ``version`` of ``stream``: the same for ever.

    >>> event_id("round/uth-01/1", 1) == event_id("round/uth-01/1", 1) != event_id("round/uth-01/1", 2)
    True
    """
    return uuid.UUID(event_id_text(stream, version))


def event_id_text(stream: str, version: int) -> str:
    """The same as text, as envelopes have it."""
    return uuid5(_EVENT_NAMESPACE, f"{stream}#{version}")


def envelope_hash(data: bytes) -> bytes:
    """SHA-256 of an envelope's exact bytes: 32 bytes."""
    return hashlib.sha256(data).digest()


def seal(
    event: Event,
    *,
    stream: str,
    version: int,
    source: str,
    key: str,
    key_sequence: int,
    recorded_at_us: int,
    cause_id: str,
    actor: str,
    traceparent: str,
    previous_hash: bytes,
    event_id: str = "",
) -> bytes:
    """The bytes to store and publish for ``event`` at ``version`` of ``stream``.

    The arguments are the envelope's fields. ``key_sequence``: the event's number among those of ``key``, from 1.
    ``recorded_at_us``: microseconds since 1970, UTC. ``previous_hash``: of the event before in the stream, empty for
    the first. ``event_id`` is ``event_id_text`` of stream and version, where the caller has made it already."""
    return Envelope(
        event_id=event_id or event_id_text(stream, version),
        stream=stream,
        version=version,
        type=event.type_name,
        source=source,
        key=key,
        key_sequence=key_sequence,
        recorded_at_us=recorded_at_us,
        cause_id=cause_id,
        actor=actor,
        traceparent=traceparent,
        previous_hash=previous_hash,
        payload=encode_payload(event),
    ).SerializeToString(deterministic=True)


def open_envelope(data: bytes) -> Recorded:
    """The event in an envelope's bytes, in today's version.

    Raises UndecodableError when the bytes are no envelope, when its id is not that of its stream and version, or when
    the payload is not what it claims; UnknownTypeError when the type is not in this version of the contract.
    """
    try:
        envelope = Envelope.FromString(data)
    except DecodeError as error:
        raise UndecodableError(f"value: {len(data)} bytes are not an envelope: {error}") from error
    expected = event_id_text(envelope.stream, envelope.version)
    if not envelope.stream or envelope.version < 1 or envelope.event_id != expected:
        raise UndecodableError(
            f"event_id: was {envelope.event_id!r}; version {envelope.version} of stream {envelope.stream!r} "
            f"is {expected}"
        )
    return Recorded(upcast(decode_payload(envelope.type, envelope.payload)), envelope, data)


def chain_breaks(stream: Iterable[bytes]) -> str | None:
    """None when the events (envelope bytes, version 1 first) are one unbroken chain, else the first break, named."""
    previous = b""
    for position, data in enumerate(stream, start=1):
        envelope = Envelope.FromString(data)
        where = f"{envelope.stream} version {envelope.version} ({envelope.event_id})"
        if envelope.version != position:
            return f"{where}: expected version {position}"
        if envelope.previous_hash != previous:
            return f"{where}: previous_hash is not the hash of the event before it"
        previous = envelope_hash(data)
    return None
