"""Networks in PostgreSQL: events appended, and the tables that reports and audits read kept beside them."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic import TypeAdapter

from pitstream.events import Event
from pitstream.events.ids import progressive_stream
from pitstream.events.progressives import ChangeProposed, Rate
from pitstream.runtime import Cause, Folded, Transaction
from pitstream.runtime.snapshots import Snapshots
from pitstream.services.progressive import evolution, meter, network
from pitstream.services.progressive.evolution import evolve
from pitstream.services.progressive.meter import Meter, Rates
from pitstream.services.progressive.network import Hit, Network, NotOpened, State
from pitstream.services.progressive.projection import Move, Rows, rates_of

NOT_OPENED: State = NotOpened()
SNAPSHOTS: Snapshots[State] = Snapshots(Network | NotOpened, [evolution, meter, network])  # type: ignore[arg-type]
_HIT = TypeAdapter(Hit)
_READ_AT_ONCE = 5_000
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Connection(Protocol):
    """What is needed of a connection to write rows."""

    async def execute(self, query: str, *args: object) -> str: ...


async def folded(tx: Transaction, name: str) -> Folded[State]:
    """A network as its events have it."""
    return await tx.fold(progressive_stream(name), NOT_OPENED, evolve, SNAPSHOTS)


async def lock_network(tx: Transaction, name: str) -> None:
    """One writer a network until this transaction ends: both topics and every person write to the same stream, and a
    batch that waits its turn is cheaper than one that loses the race and is run again."""
    await tx.conn.execute("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", progressive_stream(name))


@dataclass
class Writing:
    """One network in one transaction: its state, and what was appended to it but is not in the tables yet."""

    tx: Transaction
    name: str
    at: Folded[State]
    rows: Rows = field(default_factory=Rows)

    @classmethod
    async def begin(cls, tx: Transaction, name: str) -> "Writing":
        """Lock the network and load it. Its tables are made up to its events first, should they lag behind: they are
        younger than some networks."""
        await lock_network(tx, name)
        writing = cls(tx, name, await folded(tx, name))
        known = await tx.conn.fetchval("SELECT max(version) FROM meters WHERE network = $1", name) or 0
        if known < writing.at.version:
            await writing._project_again(known)
        return writing

    @property
    def state(self) -> State:
        return self.at.state

    def append(self, events: Sequence[Event], cause: Cause) -> None:
        """Append what was decided on the state as it is here."""
        state, version = self.at.state, self.at.version
        for event in events:
            version += 1
            after = evolve(state, event)
            self.rows.add(state, event, after, version)
            state = after
        self.at = self.tx.extend(progressive_stream(self.name), self.name, self.at, events, evolve, state, cause=cause)

    async def write(self) -> None:
        """The tables as the events have them, after the last ``append``."""
        state = self.at.state
        if isinstance(state, Network):
            await write_rows(self.tx.conn, state, self.at.version, self.rows)
            self.rows = Rows()

    async def _project_again(self, known: int) -> None:
        """From the beginning of the stream, since a row may need the state before its event; rows there are kept."""
        state: State = NOT_OPENED
        rows = Rows()
        read = 0
        while events := await self.tx.load(progressive_stream(self.name), read, _READ_AT_ONCE):
            for recorded in events:
                after = evolve(state, recorded.event)
                if recorded.version > known:
                    rows.add(state, recorded.event, after, recorded.version)
                state = after
            read = events[-1].version
        if isinstance(state, Network):
            await write_rows(self.tx.conn, state, self.at.version, rows)


async def write_rows(conn: Connection, state: Network, version: int, rows: Rows) -> None:
    """The tables after some events of one network. In bulk where there may be many; the rest is rare."""
    name, execute = state.network, conn.execute
    await execute(_METERS, name, state.currency, version, *_columns([_meter_row(one) for one in state.meters.values()]))
    if rows.moves:
        await execute(_MOVES, name, *_columns([_move_row(move) for move in rows.moves]))
    if rows.hits:
        await execute(_HITS, name, *_columns([_hit_row(hit) for hit in rows.hits.values()]))
    for proposed_at, one in rows.proposed:
        await execute(_PROPOSED, name, one.proposal_id, proposed_at, one.proposed_by, json.dumps(change_of(one)))
    for decided in rows.decided:
        await execute(_DECIDED, name, decided.proposal_id, decided.version, decided.status, decided.by)
    for asked_at, asked in rows.asked:
        await execute(
            _ASKED, name, asked.table, asked.round_no, asked_at, asked.meter, asked.stakes, asked.would_add,
            asked.allowed,
        )  # fmt: skip
    for answered in rows.answered:
        answer = "admitted" if answered.admitted else "kept out"
        await execute(_ANSWERED, name, answered.table, answered.round_no, answer, answered.answered_by, answered.reason)
    for claim, correction in rows.marks.items():
        await execute(_MARKED, name, claim, correction)
    for proposed_at, hit in rows.proposed_hits:
        await execute(_HIT_PROPOSED, name, hit.claim_id, proposed_at, hit.table, hit.round_no, hit.model_dump_json())
    for claim in rows.locked_hits:
        await execute(_HIT_ANSWERED, name, claim, "locked", None, None)
    for declined in rows.declined_hits:
        await execute(_HIT_ANSWERED, name, declined.claim_id, "declined", declined.declined_by, declined.reason)


def change_of(proposed: ChangeProposed) -> dict[str, Any]:
    """What was asked for and why, as JSON."""
    return proposed.model_dump(mode="json", exclude_none=True, exclude={"network", "proposal_id", "proposed_by"})


def _meter_row(one: Meter) -> tuple[Any, ...]:
    return (
        one.meter, one.amount, one.overflow, one.reserve, one.carry, one.carry_denominator, one.reserve_carry,
        one.reserve_carry_denominator, one.terms.limit, one.retired,
    )  # fmt: skip


_METERS = """
INSERT INTO meters (network, currency, version, meter, amount, overflow, reserve, carry, carry_denominator,
                    reserve_carry, reserve_carry_denominator, shown_max, retired)
SELECT $1, $2, $3, * FROM unnest($4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[],
                                 $10::bigint[], $11::bigint[], $12::bigint[], $13::boolean[])
ON CONFLICT ON CONSTRAINT meters_once DO UPDATE
SET version = excluded.version, amount = excluded.amount, overflow = excluded.overflow, reserve = excluded.reserve,
    carry = excluded.carry, carry_denominator = excluded.carry_denominator, reserve_carry = excluded.reserve_carry,
    reserve_carry_denominator = excluded.reserve_carry_denominator, shown_max = excluded.shown_max,
    retired = excluded.retired
"""


def _move_row(move: Move) -> tuple[Any, ...]:
    return (
        move.version, move.meter, move.kind, move.table, move.round_no, move.about, move.stakes, *rates_of(move),
        move.moved, move.reserve_moved,
    )  # fmt: skip


_MOVES = """
INSERT INTO meter_moves (network, version, meter, kind, table_id, round_no, about, stakes, rate_numerator,
                         rate_denominator, reserve_numerator, reserve_denominator, moved, reserve_moved)
SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::uuid[], $8::bigint[],
                         $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[])
"""


def _hit_row(hit: Hit) -> tuple[Any, ...]:
    locked = hit.locked
    return (
        locked.claim_id, hit.locked_at, locked.meter, locked.table, locked.round_no, hit.amount, hit.status,
        hit.released_by is not None, _HIT.dump_json(hit).decode(),
    )  # fmt: skip


_HITS = """
INSERT INTO hits (network, claim_id, locked_at, meter, table_id, round_no, amount, status, released, state)
SELECT $1, * FROM unnest($2::uuid[], $3::bigint[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::text[],
                         $9::boolean[], $10::jsonb[])
ON CONFLICT ON CONSTRAINT hits_once DO UPDATE
SET amount = excluded.amount, status = excluded.status, released = excluded.released, state = excluded.state
"""
_MARKED = """
UPDATE hits SET state = jsonb_set(state, '{questioned}', to_jsonb($3::bigint)) WHERE network = $1 AND claim_id = $2
"""
_HIT_PROPOSED = """
INSERT INTO proposed_hits (network, claim_id, proposed_at, table_id, round_no, proposed)
VALUES ($1, $2, $3, $4, $5, $6)
"""
_HIT_ANSWERED = """
UPDATE proposed_hits SET status = $3, declined_by = $4, reason = $5
WHERE network = $1 AND claim_id = $2 AND status = 'proposed'
"""
_PROPOSED = "INSERT INTO changes (network, proposal_id, proposed_at, proposed_by, change) VALUES ($1, $2, $3, $4, $5)"
_DECIDED = """
UPDATE changes SET decided_at = $3, status = $4, decided_by = $5 WHERE network = $1 AND proposal_id = $2
"""
_ASKED = """
INSERT INTO questions (network, table_id, round_no, asked_at, meter, stakes, would_add, allowed)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
"""
_ANSWERED = """
UPDATE questions SET answer = $4, answered_by = $5, reason = $6
WHERE network = $1 AND table_id = $2 AND round_no = $3
"""


def _columns(rows: Sequence[tuple[Any, ...]]) -> list[list[Any]]:
    """Rows as the columns that ``unnest`` takes."""
    return [list(column) for column in zip(*rows, strict=True)]


async def past_hit(tx: Transaction, name: str, claim_id: str) -> Hit | None:
    """A hit, however long it is over. None for a claim that never locked."""
    if not _UUID.fullmatch(claim_id):
        return None
    row = await tx.conn.fetchval("SELECT state FROM hits WHERE network = $1 AND claim_id = $2", name, claim_id)
    return None if row is None else _HIT.validate_json(row)


async def hits_of(
    tx: Transaction,
    name: str,
    *,
    tables: Sequence[str] | None = None,
    status: str | None = None,
    after: int = 0,
    limit: int = 1_000,
) -> list[Hit]:
    """The network's hits in order of their locks, those locked by later events than number ``after`` of its stream; of
    one status, or ``open``: whose cards are not released, or ``questioned`` by a correction of their round. ``tables``:
    patterns of which a table's id matches one; None means every table."""
    rows = await tx.conn.fetch(
        """
        SELECT state FROM hits
        WHERE network = $1 AND ($2::text IS NULL OR status = $2 OR ($2 = 'open' AND NOT released)
                                OR ($2 = 'questioned' AND (state ->> 'questioned')::bigint > 0)) AND locked_at > $3
          AND ($5::text[] IS NULL OR table_id ~ ANY($5))
        ORDER BY locked_at LIMIT $4
        """,
        name, status, after, limit, None if tables is None else list(tables),
    )  # fmt: skip
    return [_HIT.validate_json(row["state"]) for row in rows]


async def latest_hits_of(tx: Transaction, name: str, meter: str, count: int) -> list[Hit]:
    """The last hits of one meter, newest first."""
    rows = await tx.conn.fetch(
        "SELECT state FROM hits WHERE network = $1 AND meter = $2 ORDER BY locked_at DESC LIMIT $3", name, meter, count
    )
    return [_HIT.validate_json(row["state"]) for row in rows]


async def changes_of(tx: Transaction, name: str, status: str | None = None) -> list[dict[str, Any]]:
    """What was asked for, oldest first, and what became of it."""
    rows = await tx.conn.fetch(
        """
        SELECT proposal_id, proposed_at, proposed_by, change, status, decided_at, decided_by FROM changes
        WHERE network = $1 AND ($2::text IS NULL OR status = $2) ORDER BY proposed_at
        """,
        name,
        status,
    )
    return [{**dict(row), "proposal_id": str(row["proposal_id"]), "change": json.loads(row["change"])} for row in rows]


async def change_decided(tx: Transaction, name: str, proposal_id: str) -> tuple[str, str] | None:
    """How a change was decided and by whom; None for one that was not, or never was asked for."""
    if not _UUID.fullmatch(proposal_id):
        return None
    row = await tx.conn.fetchrow(
        "SELECT status, decided_by FROM changes WHERE network = $1 AND proposal_id = $2 AND status <> 'proposed'",
        name,
        proposal_id,
    )
    return None if row is None else (row["status"], row["decided_by"])


async def questions_of(tx: Transaction, name: str, *, waiting: bool) -> list[dict[str, Any]]:
    """Contributions that were too much for a meter: those that wait for an answer, or all, oldest first."""
    rows = await tx.conn.fetch(
        """
        SELECT table_id AS table, round_no, meter, stakes, would_add, allowed, answer, answered_by, reason
        FROM questions WHERE network = $1 AND (NOT $2 OR answer IS NULL) ORDER BY asked_at
        """,
        name,
        waiting,
    )
    return [dict(row) for row in rows]


async def hits_of_round(tx: Transaction, name: str, table: str, round_no: int) -> tuple[Hit, ...]:
    """Every hit that was locked for a round, in order of their locks."""
    rows = await tx.conn.fetch(
        "SELECT state FROM hits WHERE network = $1 AND table_id = $2 AND round_no = $3 ORDER BY locked_at",
        name,
        table,
        round_no,
    )
    return tuple(_HIT.validate_json(row["state"]) for row in rows)


async def rates_of_round(tx: Transaction, name: str, table: str, round_no: int) -> tuple[Rates, ...]:
    """At which rates a round fed the meters, meter by meter; none where it fed none."""
    rows = await tx.conn.fetch(
        "SELECT DISTINCT ON (meter) meter, rate_numerator, rate_denominator, reserve_numerator, reserve_denominator"
        " FROM meter_moves WHERE network = $1 AND table_id = $2 AND round_no = $3"
        " AND kind IN ('contributed', 'recontributed') ORDER BY meter, version",
        name,
        table,
        round_no,
    )
    return tuple(
        Rates(
            row["meter"],
            Rate(numerator=row["rate_numerator"], denominator=row["rate_denominator"]),
            Rate(numerator=row["reserve_numerator"], denominator=row["reserve_denominator"]),
        )
        for row in rows
    )


async def proposed_hits_of(
    tx: Transaction, name: str, *, status: str | None, after: int, limit: int
) -> list[dict[str, Any]]:
    """Hits that corrections of rounds made appear, oldest first, and what became of them."""
    rows = await tx.conn.fetch(
        "SELECT proposed_at, proposed, status, declined_by, reason AS declined_because FROM proposed_hits"
        " WHERE network = $1 AND ($2::text IS NULL OR status = $2) AND proposed_at > $3 ORDER BY proposed_at LIMIT $4",
        name,
        status,
        after,
        limit,
    )
    return [{**dict(row), "proposed": json.loads(row["proposed"])} for row in rows]
