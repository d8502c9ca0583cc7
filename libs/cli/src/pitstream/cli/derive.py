"""What can be derived anew from stored events and must then be what is stored: chains, settlements, meters, prizes.

Each derivation reads one snapshot of the database and returns the first thing that differs, as a row that names it, or
None when nothing does. The rules that judged a round, and the paytables of its day, judge it again.
"""

import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from pitstream.events import Envelope, Event, Recorded, ids, open_envelope
from pitstream.events.prizes import PrizePending, pending_prizes
from pitstream.events.rounds import RoundFinished, RoundVoided
from pitstream.events.settlements import RoundSettled
from pitstream.games.paytables import Paytables

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


def derivations_of(service: str, paytables: Paytables) -> list[Derivation]:
    """What is derived anew of a service."""
    found = [
        Derivation(
            "every_stream_is_one_unbroken_chain",
            "Each event names the hash of the one before it in its stream, over the exact bytes that are stored.",
            partial(_chains, service=service),
        )
    ]
    if service == "settlement":
        found += [
            Derivation(
                "every_round_is_settled_as_its_events_say",
                "A round's stored events, settled again by the rules of their day, come to the stored settlement.",
                partial(_settlements, paytables=paytables),
            ),
            Derivation(
                "every_closed_round_that_was_heard_of_is_settled",
                "A round whose closing event the settlement service has taken in has its settlement.",
                _settled_at_all,
            ),
        ]
    if service == "progressive":
        found += [
            Derivation(
                "every_meter_is_what_its_events_make_of_it",
                "A network's stored events, folded from the first on, come to the meters as they are told of.",
                _meters,
            ),
            Derivation(
                "every_waiting_prize_is_that_of_its_settlement",
                "The prizes that wait, or waited, of a round are those that follow from its settlement.",
                _prizes,
            ),
        ]
    return found


async def _chains(conn: "Connection", *, service: str) -> Row | None:
    stream, version, previous = "", 0, b""
    query = f'SELECT stream, version, event_id, hash, envelope FROM "{service}".events ORDER BY stream, version'  # noqa: S608
    async for row in conn.cursor(query, prefetch=_CHUNK):
        if row["stream"] != stream:
            stream, version, previous = row["stream"], 0, b""
        version += 1
        envelope, found = Envelope.FromString(row["envelope"]), hashlib.sha256(row["envelope"]).digest()
        where = {"stream": stream, "version": row["version"], "event_id": str(row["event_id"])}
        if (envelope.stream, envelope.version, envelope.event_id) != (stream, version, str(row["event_id"])):
            return {**where, "fault": f"the bytes are version {envelope.version} of {envelope.stream}"}
        if row["hash"] != found:
            return {**where, "fault": "the stored hash is not that of the bytes"}
        if envelope.previous_hash != previous:
            return {**where, "fault": "previous_hash is not the hash of the event before it"}
        previous = found
    return None


async def _streams(conn: "Connection", service: str, prefix: str) -> AsyncIterator[list[Recorded]]:
    """Every stream whose name begins so, each with all its events, one after the other."""
    query = (
        f'SELECT envelope FROM "{service}".events'  # noqa: S608
        " WHERE starts_with(stream, $1) ORDER BY stream, version"
    )
    events: list[Recorded] = []
    async for row in conn.cursor(query, prefix, prefetch=_CHUNK):
        recorded = open_envelope(row["envelope"])
        if events and events[0].stream != recorded.stream:
            yield events
            events = []
        events.append(recorded)
    if events:
        yield events


async def _settlements(conn: "Connection", *, paytables: Paytables) -> Row | None:
    from pitstream.games.round import ImpossibleEventError
    from pitstream.services.settlement.settling import UnsettleableError, settle_stream

    async for stream in _streams(conn, "table", "round/"):
        if not isinstance(stream[-1].event, RoundFinished | RoundVoided):
            continue
        stored = await _settlement(conn, stream[0].stream)
        if stored is None:
            continue  # on its way, or another derivation's fault
        where = {"round": stream[0].stream.removeprefix("round/")}
        try:
            derived = settle_stream(stream, paytables)
        except (UnsettleableError, ImpossibleEventError) as error:
            return {**where, "fault": f"cannot be settled again: {error}"}
        if derived != stored:
            return {**where, **_difference(stored.model_dump(), derived.model_dump())}
    return None


async def _settlement(conn: "Connection", round_stream: str) -> RoundSettled | None:
    table, _, round_no = round_stream.removeprefix("round/").rpartition("/")
    envelope = await conn.fetchval(
        'SELECT envelope FROM "settlement".events WHERE stream = $1 AND version = 1',
        ids.settlement_stream(table, int(round_no)),
    )
    event = None if envelope is None else open_envelope(envelope).event
    return event if isinstance(event, RoundSettled) else None


async def _settled_at_all(conn: "Connection") -> Row | None:
    row = await conn.fetchrow(
        """
        SELECT closed.stream, closed.key_sequence, heard.last_sequence
        FROM "table".events closed
        JOIN "settlement".key_positions heard
            ON heard.topic = 'rounds.v1' AND heard.key = closed.key AND heard.last_sequence >= closed.key_sequence
        LEFT JOIN "settlement".events settled
            ON settled.stream = 'settlement/' || substr(closed.stream, length('round/') + 1)
        WHERE closed.type IN ('pitstream.rounds.v1.RoundFinished', 'pitstream.rounds.v1.RoundVoided')
          AND settled.stream IS NULL
        LIMIT 1
        """
    )
    return None if row is None else dict(row)


async def _meters(conn: "Connection") -> Row | None:
    from pitstream.services.progressive.evolution import evolve
    from pitstream.services.progressive.network import Network, NotOpened, State

    async for stream in _streams(conn, "progressive", "progressive/"):
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


async def _prizes(conn: "Connection") -> Row | None:
    waiting: dict[str, list[Event]] = {}
    async for stream in _streams(conn, "progressive", "prize/"):
        waiting[stream[0].stream] = [one.event for one in stream if isinstance(one.event, PrizePending)]
    async for stream in _streams(conn, "settlement", "settlement/"):
        settled = stream[0].event
        if isinstance(settled, RoundSettled):
            name = ids.prize_stream(settled.table, settled.round_no)
            stored, derived = waiting.pop(name, []), pending_prizes(settled)
            # None at all is what there is as long as the settlement is on its way.
            if stored and stored != derived:
                return {"round": name.removeprefix("prize/"), "stored": len(stored), "derived": len(derived)}
    return {"round": min(waiting), "fault": "prizes of a round that was not settled"} if waiting else None


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
