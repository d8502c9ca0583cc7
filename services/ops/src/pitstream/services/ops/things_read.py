"""Things as they are read: lists by kind, and a network with all that is its own."""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from pitstream.runtime import Principal
from pitstream.services.ops import told
from pitstream.services.ops.freshness import AsOf, as_of
from pitstream.services.ops.thing_store import COLUMNS, thing_of
from pitstream.services.ops.things import Thing
from pitstream.services.ops.told import Connection

OPEN = {
    "hit": ("locked", "verified", "proposed"),
    "prize": ("pending",),
    "change": ("proposed",),
    "question": ("asked",),
    "dispute": ("open",),
    "correction": ("proposed",),
    "remote": ("asked", "doubted", "rolling_back", "stopped"),
    "receivable": ("owed",),
}
"""By kind: the statuses of what still waits for somebody."""


class ThingView(BaseModel):
    """Something with stages: ``state`` has the fields that its events gave it."""

    kind: str
    id: str
    status: str
    table: str | None
    network: str | None
    account: str | None
    first_us: int
    last_us: int
    state: dict[str, Any]


class Things(BaseModel):
    """A page of them, the newest first; ``next`` is the ``before`` of the next page."""

    as_of: AsOf
    things: list[ThingView]
    next: int | None


def view(thing: Thing) -> ThingView:
    return ThingView(
        kind=thing.kind,
        id=thing.id,
        status=thing.status,
        table=thing.table,
        network=thing.network,
        account=thing.account,
        first_us=thing.first_us,
        last_us=thing.last_us,
        state=thing.state,
    )


async def things(
    conn: Connection,
    who: Principal,
    kind: str,
    *,
    statuses: Sequence[str] | None = None,
    network: str | None = None,
    table: str | None = None,
    round_no: int | None = None,
    before: int | None = None,
    limit: int = 200,
) -> Things:
    """Those of a kind that the caller sees: by the table that it is about, or its network, or its account.

    ``round_no``: of that round of the table alone; for what is numbered within a round, as disputes are."""
    rows = await conn.fetch(
        f"""
        SELECT {COLUMNS} FROM things
        WHERE kind = $1 AND ($2::text[] IS NULL OR status = ANY($2)) AND ($3::text IS NULL OR network = $3)
          AND ($4::text IS NULL OR table_id = $4) AND ($5::bigint IS NULL OR first_us < $5)
          AND ($7::text[] IS NULL OR network ~ ANY($7) OR table_id ~ ANY($7)
               OR (account IS NOT NULL AND split_part(account, '/', 2) ~ ANY($7)))
          AND ($8::bigint IS NULL OR starts_with(id, $4 || '/' || $8 || '/'))
        ORDER BY first_us DESC LIMIT $6
        """,  # noqa: S608
        kind, None if statuses is None else list(statuses), network, table, before, limit, who.owner_patterns,
        round_no,
    )  # fmt: skip
    found = [view(thing_of(row)) for row in rows]
    following = found[-1].first_us if len(found) == limit else None
    return Things(as_of=await as_of(conn), things=found, next=following)


async def named(conn: Connection, kind: str, ids: Sequence[str]) -> list[Thing]:
    """Some of a kind, by their ids."""
    rows = await conn.fetch(f"SELECT {COLUMNS} FROM things WHERE kind = $1 AND id = ANY($2)", kind, list(ids))  # noqa: S608
    return [thing_of(row) for row in rows]


class MeterView(BaseModel):
    """A meter as it stands, minor units. ``pending``: locked shares that are not decided yet. ``in_ledger`` and
    ``pending_in_ledger``: what the ledger's accounts of it hold, so that both can be laid side by side."""

    network: str
    meter: str
    currency: str
    is_retired: bool
    amount: int
    overflow: int
    reserve: int
    seed: int
    limit: int | None
    contribution_max: int | None
    rate: str
    reserve_rate: str | None
    hits: int
    wins: int
    pending: int
    last_us: int
    in_ledger: int
    reserve_in_ledger: int
    overflow_in_ledger: int
    pending_in_ledger: int


class NetworkView(BaseModel):
    """A network with its meters."""

    network: str
    currency: str
    policy: str
    opened_us: int
    last_us: int
    meters: list[MeterView]


class Networks(BaseModel):
    """Every network that the caller sees, or that a table in the caller's scopes plays on."""

    as_of: AsOf
    networks: list[NetworkView]


async def networks(conn: Connection, who: Principal, network: str | None = None) -> Networks:
    """Networks with their meters."""
    rows = await conn.fetch(
        f"""
        SELECT {COLUMNS} FROM things WHERE kind = 'network' AND ($2::text IS NULL OR id = $2)
          AND ($1::text[] IS NULL OR id ~ ANY($1)
               OR EXISTS (SELECT FROM floor f WHERE f.network = things.id AND f.table_id ~ ANY($1)))
        ORDER BY id
        """,  # noqa: S608
        who.owner_patterns, network,
    )  # fmt: skip
    found = [thing_of(row) for row in rows]
    meters = await meters_of(conn, [f"{one.id}/{meter}" for one in found for meter in one.state["meters"]])
    return Networks(
        as_of=await as_of(conn),
        networks=[
            NetworkView(
                network=one.id,
                currency=one.state["currency"],
                policy=one.state["policy"],
                opened_us=one.first_us,
                last_us=max([one.last_us, *(meter.last_us for meter in meters if meter.network == one.id)]),
                meters=[meter for meter in meters if meter.network == one.id],
            )
            for one in found
        ],
    )


async def meters_of(conn: Connection, ids: Sequence[str]) -> list[MeterView]:
    """Meters by their ids (``network/meter``), in the order asked for."""
    if not ids:
        return []
    found = {thing.id: thing for thing in await named(conn, "meter", ids)}
    of_hits = {
        (row["network"], row["meter"]): row for row in await conn.fetch(_HITS, [one.network for one in found.values()])
    }
    names = [f"{kind}/{one.id}/{one.state['currency']}" for one in found.values() for kind in _KEPT_IN]
    rows = await conn.fetch("SELECT account, balance FROM accounts WHERE account = ANY($1)", names)
    accounts = {row["account"]: int(row["balance"]) for row in rows}
    claims: dict[str, int] = {}
    for row in await conn.fetch(_HANDPAYS, [one.network for one in found.values()]):
        claims[f"{row['network']}/{row['meter']}"] = int(row["held"])
    views = []
    for name in ids:
        thing = found.get(name)
        if thing is None:
            continue
        state, row = thing.state, of_hits.get((thing.network, thing.state["meter"]))
        currency = state["currency"]
        views.append(
            MeterView(
                network=thing.network or "",
                meter=state["meter"],
                currency=currency,
                is_retired=thing.status == "retired",
                amount=state["amount"],
                overflow=state["overflow"],
                reserve=state["reserve"],
                seed=state["seed"],
                limit=state["limit"],
                contribution_max=state["contribution_max"],
                rate=state["rate"],
                reserve_rate=state["reserve_rate"],
                hits=row["hits"] if row else 0,
                wins=int(row["wins"]) if row else 0,
                pending=int(row["pending"]) if row else 0,
                last_us=thing.last_us,
                in_ledger=accounts.get(f"meter/{name}/{currency}", 0),
                reserve_in_ledger=accounts.get(f"reserve/{name}/{currency}", 0),
                overflow_in_ledger=accounts.get(f"overflow/{name}/{currency}", 0),
                pending_in_ledger=claims.get(name, 0),
            )
        )
    return views


_KEPT_IN = ("meter", "reserve", "overflow")
"""Kinds of the accounts in which the ledger has a meter's money."""
_HITS = """
SELECT network, state->>'meter' AS meter, count(*) FILTER (WHERE status <> 'refused') AS hits,
       coalesce(sum((state->>'amount')::numeric) FILTER (WHERE status <> 'refused'), 0) AS wins,
       coalesce(sum((state->>'amount')::numeric) FILTER (WHERE status IN ('locked', 'verified')), 0) AS pending
FROM things WHERE kind = 'hit' AND network = ANY($1) AND status IN ('locked', 'verified', 'paid', 'refused')
GROUP BY network, state->>'meter'
"""
_HANDPAYS = """
SELECT h.network, h.state->>'meter' AS meter, sum(a.balance) AS held
FROM things h JOIN accounts a ON a.account = 'handpay/' || h.network || '/' || h.id || '/' || (h.state->>'currency')
WHERE h.kind = 'hit' AND h.network = ANY($1) GROUP BY h.network, h.state->>'meter'
"""


class Bucket(BaseModel):
    """What went into a meter in a span of time, minor units."""

    from_us: int
    rounds: int
    stakes: int
    posted: int


class Contributions(BaseModel):
    """Buckets in the order of time; those in which nothing came are left out."""

    as_of: AsOf
    network: str
    meter: str
    bucket_s: int
    buckets: list[Bucket]


async def contributions(
    conn: Connection, network: str, meter: str, *, since_us: int, until_us: int, bucket_s: int
) -> Contributions:
    """What went into a meter over time."""
    rows = await conn.fetch(
        "SELECT minute_us / $5 * $5 AS from_us, sum(rounds)::bigint AS rounds, sum(stakes)::bigint AS stakes,"
        " sum(posted)::bigint AS posted FROM contributions"
        " WHERE network = $1 AND meter = $2 AND minute_us >= $3 AND minute_us < $4 GROUP BY 1 ORDER BY 1",
        network, meter, since_us, until_us, bucket_s * 1_000_000,
    )  # fmt: skip
    buckets = [Bucket(**dict(row)) for row in rows]
    return Contributions(as_of=await as_of(conn), network=network, meter=meter, bucket_s=bucket_s, buckets=buckets)


class PastEvent(BaseModel):
    """An event of a network's or an account's history; ``place`` is its number in its key."""

    place: int
    event_id: str
    type: str
    at_us: int
    actor: str
    event: dict[str, Any]


class History(BaseModel):
    """A page of events, the newest first; ``next`` is the ``before`` of the next page."""

    as_of: AsOf
    events: list[PastEvent]
    next: int | None


async def network_history(conn: Connection, network: str, before: int | None, limit: int) -> History:
    """What happened in a network beside its rounds' contributions."""
    rows = await conn.fetch(
        "SELECT key_sequence, envelope FROM told WHERE topic = 'progressives.v1' AND key = $1"
        " AND type NOT IN ('pitstream.progressives.v1.WagersContributed', 'pitstream.progressives.v1.RoundClosed')"
        " AND ($2::bigint IS NULL OR key_sequence < $2) ORDER BY key_sequence DESC LIMIT $3",
        network, before, limit,
    )  # fmt: skip
    return await _history(conn, [(row["key_sequence"], told.opened(row["envelope"])) for row in rows], limit)


async def account_history(conn: Connection, account: str, before: int | None, limit: int) -> History:
    """The events of an account, the newest first."""
    return await _history(conn, await told.of_key(conn, "wallet.v1", account, before=before, limit=limit), limit)


async def _history(conn: Connection, found: Sequence[tuple[int, Any]], limit: int) -> History:
    events = [
        PastEvent(
            place=place,
            event_id=recorded.envelope.event_id,
            type=recorded.envelope.type,
            at_us=recorded.envelope.recorded_at_us,
            actor=recorded.envelope.actor,
            event=recorded.event.model_dump(mode="json"),
        )
        for place, recorded in found
    ]
    return History(as_of=await as_of(conn), events=events, next=events[-1].place if len(events) == limit else None)
