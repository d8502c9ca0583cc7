"""What a service's own tables must say, since its stored events say so: every meter.

Each derivation reads one snapshot of the database and returns the first thing that differs, as a row that names it, or
None when nothing does. What events say of one another is ``pitstream.audit``'s.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pitstream.events import Recorded, open_envelope

if TYPE_CHECKING:
    import asyncpg

    Connection = asyncpg.Connection

Row = dict[str, Any]
_CHUNK = 500


@dataclass(frozen=True, slots=True)
class Derivation:
    """Of one service; ``first_fault`` is given the database and the schema of that service."""

    name: str
    says: str
    first_fault: "Callable[[Connection], Awaitable[Row | None]]"


def derivations_of(service: str) -> list[Derivation]:
    """What is derived anew of a service."""
    if service != "progressive":
        return []
    return [
        Derivation(
            "every_meter_is_what_its_events_make_of_it",
            "A network's stored events, folded from the first on, come to the meters as they are told of.",
            _meters,
        )
    ]


async def _networks(conn: "Connection") -> AsyncIterator[list[Recorded]]:
    """Every network's stream with all its events, one after the other."""
    query = (
        "SELECT envelope FROM \"progressive\".events WHERE starts_with(stream, 'progressive/') ORDER BY stream, version"
    )
    events: list[Recorded] = []
    async for row in conn.cursor(query, prefetch=_CHUNK):
        recorded = open_envelope(row["envelope"])
        if events and events[0].stream != recorded.stream:
            yield events
            events = []
        events.append(recorded)
    if events:
        yield events


async def _meters(conn: "Connection") -> Row | None:
    from pitstream.services.progressive.evolution import evolve
    from pitstream.services.progressive.network import Network, NotOpened, State

    async for stream in _networks(conn):
        state: State = NotOpened()
        for recorded in stream:
            state = evolve(state, recorded.event)
        if not isinstance(state, Network):
            return {"network": stream[0].stream, "fault": "its events do not open it"}
        rows = await conn.fetch('SELECT * FROM "progressive".meters WHERE network = $1', state.network)
        stored = {row["meter"]: row for row in rows}
        for meter in state.meters.values():
            derived = {
                "version": len(stream),
                "amount": meter.amount,
                "overflow": meter.overflow,
                "reserve": meter.reserve,
                "carry": meter.carry,
                "carry_denominator": meter.carry_denominator,
                "reserve_carry": meter.reserve_carry,
                "reserve_carry_denominator": meter.reserve_carry_denominator,
                "retired": meter.retired,
            }
            told = stored.get(meter.meter)
            found = {name: None if told is None else told[name] for name in derived}
            if found != derived:
                return {"network": state.network, "meter": meter.meter, **_difference(found, derived)}
    return None


def _difference(stored: Mapping[str, Any], derived: Mapping[str, Any], at: str = "") -> Row:
    """The first value in which the two differ.

    >>> _difference({"a": 1, "b": ({"c": 2},)}, {"a": 1, "b": ({"c": 3},)})
    {'field': 'b.0.c', 'stored': 2, 'derived': 3}
    """
    for name in (*stored, *(name for name in derived if name not in stored)):
        have, want = stored.get(name), derived.get(name)
        if have == want:
            continue
        where = f"{at}{name}"
        if isinstance(have, tuple | list) and isinstance(want, tuple | list):
            have, want = dict(enumerate(have)), dict(enumerate(want))
        if isinstance(have, Mapping) and isinstance(want, Mapping):
            return _difference({str(k): v for k, v in have.items()}, {str(k): v for k, v in want.items()}, f"{where}.")
        return {"field": where, "stored": have, "derived": want}
    raise ValueError(f"{at}: both are equal")
