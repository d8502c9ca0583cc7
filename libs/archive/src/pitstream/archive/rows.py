"""An event as a row of an archive's files: columns to ask questions of, and the exact bytes that prove the answers."""

from datetime import date
from json import dumps
from typing import Any, Final, TypeVar

import pyarrow as pa  # type: ignore[import-untyped]

from pitstream.archive.stored import Stored
from pitstream.events import Envelope, Event, UndecodableError, UnknownTypeError, decode_payload

SCHEMA: Final = pa.schema(
    [
        pa.field("source", pa.string(), nullable=False),
        pa.field("topic", pa.string(), nullable=False),
        pa.field("key", pa.string(), nullable=False),
        pa.field("sequence", pa.int64(), nullable=False),
        pa.field("stream", pa.string(), nullable=False),
        pa.field("version", pa.int64(), nullable=False),
        pa.field("event_id", pa.string(), nullable=False),
        pa.field("type", pa.string(), nullable=False),
        pa.field("recorded_at", pa.timestamp("us", tz="UTC"), nullable=False),
        pa.field("day", pa.date32(), nullable=False),
        pa.field("actor", pa.string(), nullable=False),
        pa.field("cause_id", pa.string(), nullable=False),
        pa.field("table_id", pa.string()),
        pa.field("round_no", pa.int64()),
        pa.field("seat", pa.int32()),
        pa.field("player", pa.string()),
        pa.field("network", pa.string()),
        pa.field("account", pa.string()),
        pa.field("currency", pa.string()),
        pa.field("hash", pa.binary(32), nullable=False),
        pa.field("previous_hash", pa.binary(), nullable=False),
        pa.field("event", pa.string()),
        pa.field("envelope", pa.binary(), nullable=False),
    ]
)
"""Columns of an archive's event files. ``event`` is the payload as JSON, null where this version does not know the
type; ``envelope`` is the exact bytes; everything else but ``day`` can be derived from them."""

_ROUND_STREAMS: Final = frozenset({"round", "settlement", "prize"})

Row = dict[str, Any]
Value = TypeVar("Value")


def row_of(stored: Stored, day: str) -> Row:
    """The row of an event that agrees with its bytes (``fault_of`` is None)."""
    envelope = Envelope.FromString(stored.data)
    return {
        "source": envelope.source,
        "topic": stored.topic,
        "key": stored.key,
        "sequence": stored.sequence,
        "stream": stored.stream,
        "version": stored.version,
        "event_id": stored.event_id,
        "type": stored.type,
        "recorded_at": stored.recorded_at_us,
        "day": date.fromisoformat(day),
        "hash": stored.hash,
        "envelope": stored.data,
        **_derived(envelope),
    }


def stored_of(row: Row, where: str) -> Stored:
    """The event of a row; nothing is checked."""
    return Stored(
        row["topic"],
        row["key"],
        row["sequence"],
        row["stream"],
        row["version"],
        row["event_id"],
        row["type"],
        row["recorded_at"],
        row["hash"],
        row["envelope"],
        where,
    )


def first_difference(row: Row) -> str | None:
    """Which column is not what the row's own bytes say, None when all of them are; ``day`` is not looked at."""
    envelope = Envelope.FromString(row["envelope"])
    derived = _derived(envelope) | {"source": envelope.source}
    return next((name for name, value in derived.items() if row[name] != value), None)


def _derived(envelope: Envelope) -> Row:
    try:
        event: Event | None = decode_payload(envelope.type, envelope.payload)
    except (UndecodableError, UnknownTypeError):
        event = None  # of a later version of the contract: the bytes are kept all the same
    table, round_no = _place_of(envelope.stream)
    return {
        "actor": envelope.actor,
        "cause_id": envelope.cause_id,
        "table_id": _own(event, "table", str) or table,
        "round_no": _own(event, "round_no", int) or round_no,
        "seat": _own(event, "seat", int),
        "player": _own(event, "player", str),
        "network": _own(event, "network", str),
        "account": _own(event, "account", str),
        "currency": _own(event, "currency", str),
        "previous_hash": envelope.previous_hash,
        # Sorted: a map's entries come in another order in every process.
        "event": None if event is None else dumps(event.model_dump(mode="json", exclude_none=True), sort_keys=True),
    }


def _own(event: Event | None, name: str, kind: type[Value]) -> Value | None:
    """The event's field of that name, where it has one and means the same by it (a lock's ``account`` is its sums)."""
    value = getattr(event, name, None)
    return value if isinstance(value, kind) else None


def _place_of(stream: str) -> tuple[str | None, int | None]:
    """The table and the round that a stream's name says.

    >>> _place_of("round/uth-01/7"), _place_of("table/uth-01"), _place_of("progressive/uth")
    (('uth-01', 7), ('uth-01', None), (None, None))
    """
    match stream.split("/"):
        case [kind, table, number] if kind in _ROUND_STREAMS and number.isdecimal():
            return table, int(number)
        case ["table", table]:
            return table, None
        case _:
            return None, None
