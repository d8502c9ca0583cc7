"""Records that no service may take for an event, each with the reason that its dead letter must have."""

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pitstream.events import Envelope
from pitstream.events.envelope import event_id_text

if TYPE_CHECKING:
    from simulated.bus import Bus, Headers


@dataclass(frozen=True, slots=True)
class Poison:
    """A record that was put among the others."""

    topic: str
    key: bytes | None
    value: bytes | None
    headers: "Headers"
    reason: str


def is_poison(headers: "Headers") -> bool:
    """Whether a record with these headers was put here."""
    return any(name.startswith("poison-") for name, _ in headers)


def poison(draw: random.Random, topic: str, bus: "Bus") -> Poison:
    """One for this topic; some of them are made of a record that is there."""
    headers = ((f"poison-{draw.getrandbits(64):016x}", b"yes"),)
    real = [kept.record for log in bus.topics[topic] for kept in log if not is_poison(kept.record.headers)]
    kind = draw.choice(("bytes", "null", "unknown_type", "alien_id", "source", "key") if real else ("bytes", "null"))
    if kind == "bytes":
        return Poison(topic, b"t1", draw.randbytes(draw.randrange(1, 60)), headers, "undecodable")
    if kind == "null":
        return Poison(topic, b"t1", None, headers, "no_value")
    record = draw.choice(real)
    envelope = Envelope.FromString(record.value)
    match kind:
        case "unknown_type":
            envelope.type = f"pitstream.{topic}.NobodyKnows"
            envelope.stream, envelope.version = f"stray/{draw.getrandbits(32)}", 7
            envelope.event_id, envelope.key, envelope.key_sequence = event_id_text(envelope.stream, 7), "stray", 99
            return Poison(topic, b"stray", envelope.SerializeToString(), headers, "unknown_type")
        case "alien_id":
            envelope.event_id = event_id_text(envelope.stream, envelope.version + 1)
            return Poison(topic, record.key, envelope.SerializeToString(), headers, "undecodable")
        case "source":
            envelope.source = "elsewhere"
            return Poison(topic, record.key, envelope.SerializeToString(), headers, "foreign_source")
    return Poison(topic, b"not-" + record.key, record.value, headers, "foreign_key")
