"""SQL and nothing but SQL: the events of open rounds, and results to sum up."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import astuple
from datetime import date
from typing import Any, Protocol

from pitstream.events import Recorded, open_envelope
from pitstream.events.ids import settlement_stream
from pitstream.events.settlements import RoundResettled, RoundSettled
from pitstream.games.totals import WagerTotal, add_up


class Connection(Protocol):
    """What is needed of a connection or a pool of them."""

    async def fetch(self, query: str, *args: object) -> Sequence[Any]: ...

    async def execute(self, query: str, *args: object) -> str: ...


async def keep(conn: Connection, events: Sequence[Recorded]) -> None:
    """Keep events of open rounds until their round is closed."""
    if events:
        await conn.execute(
            "INSERT INTO open_round_events (stream, version, envelope)"
            " SELECT * FROM unnest($1::text[], $2::bigint[], $3::bytea[])",
            [recorded.stream for recorded in events],
            [recorded.version for recorded in events],
            [recorded.data for recorded in events],
        )


async def take(conn: Connection, streams: Sequence[str]) -> dict[str, list[Recorded]]:
    """Remove the events kept of these rounds and return them, in order, by stream."""
    taken: dict[str, list[Recorded]] = {stream: [] for stream in streams}
    rows = await conn.fetch(
        "WITH taken AS ("
        " DELETE FROM open_round_events WHERE stream = ANY($1::text[]) RETURNING stream, version, envelope)"
        " SELECT stream, envelope FROM taken ORDER BY stream, version",
        list(streams),
    )
    for row in rows:
        taken[row["stream"]].append(open_envelope(row["envelope"]))
    return taken


async def add_results(conn: Connection, results: Iterable[RoundSettled]) -> None:
    """Add what each wager of each settled round came to at its whole table."""
    rows = [row for settled in results for row in _result_rows(settled)]
    if rows:
        await conn.execute(
            "INSERT INTO results (table_id, round_no, wager, gaming_day, game, currency,"
            " stake, returned, won, awards, claims)"
            " SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::date[], $5::text[], $6::text[],"
            " $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[])",
            *map(list, zip(*rows, strict=True)),
        )


async def replace_results(conn: Connection, settled: RoundSettled) -> None:
    """What the round's wagers come to since it was corrected, in the place of what they came to before."""
    await conn.execute("DELETE FROM results WHERE table_id = $1 AND round_no = $2", settled.table, settled.round_no)
    await add_results(conn, [settled])


def _result_rows(settled: RoundSettled) -> list[tuple[str | int | date, ...]]:
    totals: dict[str, WagerTotal] = {}
    add_up(settled.game, settled.seats, totals)
    claims = Counter(line.wager for seat in settled.seats for line in seat.lines if line.share is not None)
    day = date.fromisoformat(settled.gaming_day)
    name = (settled.table, settled.round_no)
    return [
        (*name, wager, day, settled.game, settled.currency, *astuple(total), claims[wager])
        for wager, total in totals.items()
    ]


async def settled_rounds(conn: Connection, streams: Sequence[str]) -> list[RoundSettled]:
    """The settlements in force among these streams, in the order asked for; an unsettled round is left out."""
    rows = await conn.fetch(
        "SELECT last.envelope FROM unnest($1::text[]) WITH ORDINALITY AS asked (stream, place) CROSS JOIN LATERAL"
        " (SELECT e.envelope FROM events e WHERE e.stream = asked.stream ORDER BY e.version DESC LIMIT 1) AS last"
        " ORDER BY asked.place",
        list(streams),
    )
    events = [open_envelope(row["envelope"]).event for row in rows]
    return [
        event.in_force if isinstance(event, RoundResettled) else event
        for event in events
        if isinstance(event, RoundSettled | RoundResettled)
    ]


async def rounds_of_day(
    conn: Connection, gaming_day: date, *, seen: Sequence[str] | None, after: tuple[str, int], limit: int
) -> list[RoundSettled]:
    """Settled rounds of a gaming day that anybody bet in, by table and number, from ``after`` on; ``seen``: only those
    of tables whose id one of these patterns matches."""
    rows = await conn.fetch(
        "SELECT table_id, round_no FROM results WHERE gaming_day = $1"
        ' AND (table_id COLLATE "C", round_no) > ($3 COLLATE "C", $4) AND ($2::text[] IS NULL OR table_id ~ ANY($2))'
        ' GROUP BY table_id, round_no ORDER BY table_id COLLATE "C", round_no LIMIT $5',
        gaming_day,
        seen,
        *after,
        limit,
    )
    return await settled_rounds(conn, [settlement_stream(row["table_id"], row["round_no"]) for row in rows])


async def wager_totals(
    conn: Connection, gaming_day: date | None, game: str | None, owners: Sequence[str] | None
) -> list[dict[str, Any]]:
    """Sums by gaming day, game, currency and wager, minor units; ``None`` is every day, every game, every table, else
    the tables whose id matches one of ``owners``."""
    rows = await conn.fetch(
        "SELECT gaming_day::text, game, currency, wager, count(*) AS rounds, sum(stake)::text AS stake,"
        " sum(returned)::text AS returned, sum(won)::text AS won, sum(awards)::text AS awards,"
        " sum(claims)::text AS claims"
        " FROM results WHERE ($1::date IS NULL OR gaming_day = $1) AND ($2::text IS NULL OR game = $2)"
        " AND ($3::text[] IS NULL OR table_id ~ ANY($3))"
        " GROUP BY gaming_day, game, currency, wager ORDER BY gaming_day, game, currency, wager",
        gaming_day,
        game,
        owners,
    )
    sums = ("stake", "returned", "won", "awards", "claims")
    return [{**dict(row), **{name: int(row[name]) for name in sums}} for row in rows]
