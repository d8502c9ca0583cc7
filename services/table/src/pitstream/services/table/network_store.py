"""SQL and nothing but SQL: the networks that were heard of, and what tables' rounds are owed an answer for."""

from collections.abc import Mapping, Sequence
from typing import Any

from pitstream.events.disputes import RoundCorrected
from pitstream.events.progressives import NetworkOpened
from pitstream.events.rounds import BettingClosed
from pitstream.games.commands import NetworkTerms
from pitstream.games.network import FEEDING_WAGER, Unanswered
from pitstream.services.table.store import Connection


async def add_network(conn: Connection, opened: NetworkOpened) -> None:
    await conn.execute(
        "INSERT INTO networks (network, currency, meters) VALUES ($1, $2, $3)",
        opened.network,
        opened.currency,
        [meter.meter for meter in opened.meters],
    )


async def retire_meter(conn: Connection, network: str, meter: str) -> None:
    """The meter takes no wagers any more."""
    await conn.execute("UPDATE networks SET meters = array_remove(meters, $2) WHERE network = $1", network, meter)


async def terms_of(conn: Connection, network: str) -> NetworkTerms | None:
    """None when nobody told of the network, or its last meter is retired."""
    row = await conn.fetchrow("SELECT currency, meters FROM networks WHERE network = $1 AND meters <> '{}'", network)
    return None if row is None else NetworkTerms(currency=row["currency"], meters=tuple(row["meters"]))


async def add_stakes(conn: Connection, closed: BettingClosed, at_us: int) -> None:
    """What the network is to answer for from now on, if anything."""
    stakes = sum(count.total for count in closed.wagers if count.wager == FEEDING_WAGER)
    if closed.network is not None and stakes:
        await conn.execute(
            "INSERT INTO network_stakes (table_id, round_no, network, currency, stakes, closed_at_us)"
            " VALUES ($1, $2, $3, $4, $5, $6)",
            closed.table,
            closed.round_no,
            closed.network,
            closed.currency,
            stakes,
            at_us,
        )


async def set_void(conn: Connection, table: str, round_no: int) -> None:
    """The round's stakes come back from the network."""
    await conn.execute("UPDATE network_stakes SET void = true WHERE table_id = $1 AND round_no = $2", table, round_no)


async def correct_stakes(conn: Connection, corrected: RoundCorrected, at_us: int) -> None:
    """What was wagered on the network in a round, as it is known since the round was corrected. The network hears of it
    from the settlement, and is not waited for."""
    if corrected.network is None:
        return
    stakes = sum(one.stake for seat in corrected.seats for one in seat.wagers if one.wager == FEEDING_WAGER)
    if not stakes:
        await conn.execute(
            "DELETE FROM network_stakes WHERE table_id = $1 AND round_no = $2", corrected.table, corrected.round_no
        )
        return
    await conn.execute(
        "INSERT INTO network_stakes (table_id, round_no, network, currency, stakes, closed_at_us, answered)"
        " VALUES ($1, $2, $3, $4, $5, $6, true)"
        " ON CONFLICT ON CONSTRAINT network_stakes_once DO UPDATE SET stakes = excluded.stakes",
        corrected.table,
        corrected.round_no,
        corrected.network,
        corrected.currency,
        stakes,
        at_us,
    )


async def set_answered(conn: Connection, upto: Mapping[tuple[str, str], int]) -> None:
    """The network has answered for every round of the table up to that one: (network, table) -> round_no."""
    networks, tables = map(list, zip(*upto, strict=True))
    await conn.execute(
        "WITH told AS (SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[]) AS t (network, table_id, upto)),"
        " owed AS (SELECT s.table_id, s.round_no FROM network_stakes s JOIN told USING (network, table_id)"
        " WHERE NOT s.answered AND s.round_no <= told.upto ORDER BY s.table_id, s.round_no FOR UPDATE OF s)"
        " UPDATE network_stakes s SET answered = true FROM owed"
        " WHERE s.table_id = owed.table_id AND s.round_no = owed.round_no",
        networks,
        tables,
        list(upto.values()),
    )


async def oldest_unanswered(conn: Connection, table: str, network: str, now_us: int) -> Unanswered | None:
    row = await conn.fetchrow(
        "SELECT round_no, closed_at_us FROM network_stakes WHERE table_id = $1 AND network = $2 AND NOT answered"
        " ORDER BY round_no LIMIT 1",
        table,
        network,
    )
    return None if row is None else Unanswered(row["round_no"], max(0, now_us - row["closed_at_us"]) // 1_000_000)


async def stakes_of(conn: Connection, network: str) -> Sequence[dict[str, Any]]:
    """Table by table: rounds with progressive wagers, what they came to, and how much of that in void rounds; and for
    how many of them the network has not answered."""
    rows = await conn.fetch(
        'SELECT table_id AS "table", count(*) AS rounds, sum(stakes)::text AS stakes,'
        " coalesce(sum(stakes) FILTER (WHERE void), 0)::text AS void_stakes,"
        " count(*) FILTER (WHERE NOT answered) AS unanswered, min(round_no) AS first_round, max(round_no) AS last_round"
        " FROM network_stakes WHERE network = $1 GROUP BY table_id ORDER BY table_id",
        network,
    )
    return [{**dict(row), "stakes": int(row["stakes"]), "void_stakes": int(row["void_stakes"])} for row in rows]


async def stakes_by_round(
    conn: Connection, network: str, table: str, after: int, limit: int
) -> Sequence[dict[str, Any]]:
    """The same of one table's rounds, ``limit`` of them after round ``after``."""
    rows = await conn.fetch(
        "SELECT round_no, stakes, void, answered FROM network_stakes"
        " WHERE network = $1 AND table_id = $2 AND round_no > $3 ORDER BY round_no LIMIT $4",
        network,
        table,
        after,
        limit,
    )
    return [dict(row) for row in rows]
