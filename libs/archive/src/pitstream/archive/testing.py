"""For tests: a hand that tampers with events as somebody would who owns the place they are kept in.

``tampered`` changes one thing, drawn by a seeded generator: one byte of a field of the envelope or of the payload, with
the columns beside it left as they were or made to fit; an event that is taken away, put in twice, exchanged, moved or
dated back. What it did is told as edits of events, for whoever keeps them to carry out, with the events that must then
be named.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from google.protobuf.message import DecodeError

from pitstream.archive.stored import Stored, stored_from
from pitstream.events import Envelope, envelope_hash

FIELDS: Final = {each.number: each.name for each in Envelope.DESCRIPTOR.fields}
"""The envelope's fields by their numbers."""
KINDS: Final = (
    "byte", "byte_of_payload", "column", "delete", "delete_tail", "duplicate", "swap_places", "swap_bytes", "back_date",
)  # fmt: skip
_COLUMNS: Final = ("key", "sequence", "stream", "version", "event_id", "type", "recorded_at_us", "hash")
_HOUR_US: Final = 3_600_000_000


@dataclass(frozen=True, slots=True)
class Tampering:
    """What was done to the events of one topic."""

    kind: str
    told: str
    """In words: the field, and whether what stands beside the bytes was made to fit."""
    replaced: dict[int, Stored] = field(default_factory=dict)
    """By place in the list of events: what stands there now."""
    removed: tuple[int, ...] = ()
    inserted: tuple[tuple[int, Stored], ...] = ()
    """Before the event at that place of the list as it was."""
    named: tuple[str, ...] = ()
    """Event ids: whoever finds it names at least one of them."""

    def done(self, events: Sequence[Stored]) -> list[Stored]:
        """The events after it."""
        put_in = dict(self.inserted)
        after: list[Stored] = []
        for place, stored in enumerate(events):
            if place in put_in:
                after.append(put_in[place])
            if place not in self.removed:
                after.append(self.replaced.get(place, stored))
        if len(events) in put_in:
            after.append(put_in[len(events)])
        return after


def tampered(events: Sequence[Stored], rng: random.Random, kind: str | None = None) -> Tampering:
    """One thing done to these events of one topic, which stand in the order of their keys and sequences."""
    place = rng.randrange(len(events))
    chosen = kind or rng.choice(KINDS)
    return _DO[chosen](events, place, rng)


def fields_of(data: bytes) -> Iterator[tuple[str, int, int]]:
    """Each field of an envelope with where its value begins and ends in the bytes."""
    for number, begins, ends in _spans(data, 0, len(data)):
        yield FIELDS[number], begins, ends


def _byte(events: Sequence[Stored], place: int, rng: random.Random) -> Tampering:
    stored = events[place]
    name, begins, ends = rng.choice([one for one in fields_of(stored.data) if one[0] != "payload" and one[1] < one[2]])
    return _changed("byte", name, stored, place, rng.randrange(begins, ends), rng)


def _byte_of_payload(events: Sequence[Stored], place: int, rng: random.Random) -> Tampering:
    stored = events[place]
    begins, ends = next((b, e) for name, b, e in fields_of(stored.data) if name == "payload")
    number, first, last = rng.choice([one for one in _spans(stored.data, begins, ends) if one[1] < one[2]])
    return _changed("byte_of_payload", f"payload's field {number}", stored, place, rng.randrange(first, last), rng)


def _changed(kind: str, name: str, stored: Stored, place: int, at: int, rng: random.Random) -> Tampering:
    data = bytearray(stored.data)
    data[at] ^= rng.randrange(1, 256)
    fitted = rng.random() < 0.5
    after = _fitted(stored, bytes(data)) if fitted else stored._replace(data=bytes(data))
    told = f"{name}, {'hash and columns made to fit' if fitted else 'columns left as they were'}"
    return Tampering(kind, told, replaced={place: after}, named=(stored.event_id,))


def _column(events: Sequence[Stored], place: int, rng: random.Random) -> Tampering:
    stored, name = events[place], rng.choice(_COLUMNS)
    match getattr(stored, name):
        case bytes() as value:
            changed: Any = bytes([value[0] ^ 1]) + value[1:]
        case int() as value:
            changed = value + rng.choice([-1, 1]) if value > 1 else value + 1
        case str() as value:
            # Another event's value, or at least another letter, so that the column still reads well.
            other = str(getattr(rng.choice(events), name))
            changed = other if other != value else value[:-1] + ("0" if value[-1] != "0" else "1")
        case value:
            raise TypeError(f"{name}: was {value!r}")
    return Tampering("column", name, replaced={place: stored._replace(**{name: changed})}, named=(stored.event_id,))


def _delete(events: Sequence[Stored], place: int, _: random.Random) -> Tampering:
    return Tampering("delete", "one event", removed=(place,), named=(events[place].event_id,))


def _delete_tail(events: Sequence[Stored], place: int, _: random.Random) -> Tampering:
    stream, version = events[place].stream, events[place].version
    tail = tuple(at for at, one in enumerate(events) if one.stream == stream and one.version >= version)
    return Tampering("delete_tail", f"{len(tail)} events", removed=tail, named=(events[place].event_id,))


def _duplicate(events: Sequence[Stored], place: int, rng: random.Random) -> Tampering:
    later = rng.choice([place + 1, rng.randrange(place + 1, len(events) + 1)])
    return Tampering(
        "duplicate", f"{later - place} rows later", inserted=((later, events[place]),), named=(events[place].event_id,)
    )


def _swap_places(events: Sequence[Stored], place: int, rng: random.Random) -> Tampering:
    """Two events of one key stand where the other one stood."""
    one = events[place]
    others = [at for at, each in enumerate(events) if each.key == one.key and at != place]
    if not others:
        return _delete(events, place, rng)
    other = rng.choice(others)
    swapped = {place: events[other], other: one}
    return Tampering("swap_places", "rows", replaced=swapped, named=(one.event_id, events[other].event_id))


def _swap_bytes(events: Sequence[Stored], place: int, rng: random.Random) -> Tampering:
    """Two events have each other's bytes, and perhaps hashes; what says which they are stays."""
    other = rng.choice([at for at in range(len(events)) if at != place])
    one, two = events[place], events[other]
    fitted = rng.random() < 0.5
    swapped = {
        place: one._replace(data=two.data, hash=two.hash if fitted else one.hash),
        other: two._replace(data=one.data, hash=one.hash if fitted else two.hash),
    }
    told = "with their hashes" if fitted else "without their hashes"
    return Tampering("swap_bytes", told, replaced=swapped, named=(one.event_id, two.event_id))


def _back_date(events: Sequence[Stored], place: int, rng: random.Random) -> Tampering:
    stored = events[place]
    earlier = stored.recorded_at_us - rng.randrange(1, 48 * _HOUR_US)
    envelope = Envelope.FromString(stored.data)
    envelope.recorded_at_us = earlier
    data = envelope.SerializeToString(deterministic=True)
    match rng.choice(["column", "bytes", "both"]):
        case "column":
            after, told = stored._replace(recorded_at_us=earlier), "the column alone"
        case "bytes":
            after, told = stored._replace(data=data, hash=envelope_hash(data)), "the bytes and their hash"
        case _:
            after, told = _fitted(stored, data), "the bytes, hash and columns made to fit"
    return Tampering("back_date", told, replaced={place: after}, named=(stored.event_id,))


_DO: Final[dict[str, Callable[[Sequence[Stored], int, random.Random], Tampering]]] = {
    "byte": _byte,
    "byte_of_payload": _byte_of_payload,
    "column": _column,
    "delete": _delete,
    "delete_tail": _delete_tail,
    "duplicate": _duplicate,
    "swap_places": _swap_places,
    "swap_bytes": _swap_bytes,
    "back_date": _back_date,
}


def _fitted(stored: Stored, data: bytes) -> Stored:
    """The same row with other bytes, and everything beside them as they say; where they say nothing, the hash alone."""
    try:
        Envelope.FromString(data)
    except DecodeError:
        return stored._replace(data=data, hash=envelope_hash(data))
    return stored_from(stored.topic, data, stored.where)


def _spans(data: bytes, begins: int, ends: int) -> Iterator[tuple[int, int, int]]:
    """Number, begin and end of every field's value in these bytes of a message."""
    at = begins
    while at < ends:
        tag, at = _varint(data, at)
        first = at
        match tag & 7:
            case 0:
                _, at = _varint(data, at)
            case 1:
                at += 8
            case 2:
                length, first = _varint(data, at)
                at = first + length
            case 5:
                at += 4
            case kind:
                raise ValueError(f"wire type: was {kind}; allowed: 0, 1, 2, 5")
        yield tag >> 3, first, at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value, shift = 0, 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
