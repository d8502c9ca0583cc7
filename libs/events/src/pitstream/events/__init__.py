"""The contract: every event, its envelope, its bytes, and the chain that binds them.

``pitstream.events.rounds``, ``.settlements``, ``.progressives`` and ``.wallet`` hold the events of the four topics;
``codec`` turns them into the bytes of ``proto/`` and back; ``envelope`` binds bytes, stream and version together.
"""

from pitstream.events.codec import UndecodableError, UnknownTypeError, decode_payload, encode_payload
from pitstream.events.envelope import (
    Envelope,
    Recorded,
    chain_breaks,
    envelope_hash,
    event_id,
    event_id_text,
    open_envelope,
    seal,
)
from pitstream.events.model import Event, event_types

__all__ = [
    "Envelope",
    "Event",
    "Recorded",
    "UndecodableError",
    "UnknownTypeError",
    "chain_breaks",
    "decode_payload",
    "encode_payload",
    "envelope_hash",
    "event_id",
    "event_id_text",
    "event_types",
    "open_envelope",
    "seal",
]
