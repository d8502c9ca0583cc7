"""Rounds and seats in PostgreSQL, and sums over them. Two topics tell of a round: whichever comes second counts it."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields

from pitstream.events import Recorded
from pitstream.events.prizes import PrizeRefused
from pitstream.services.ops.of_rounds import (
    SUMS,
    Place,
    Played,
    RoundParts,
    SeatParts,
    SettledParts,
    change,
    effective,
)
from pitstream.services.ops.told import Connection

_ROUND = tuple(one.name for one in fields(RoundParts))
_SEAT = tuple(one.name for one in fields(SeatParts))


async def write_played(conn: Connection, found: Played) -> None:
    """What a batch of ``rounds.v1`` means."""
    rounds = [found.rounds[place] for place in sorted(found.rounds)]
    if rounds:
        await conn.executemany(
            _PLAYED,
            [
                tuple(
                    json.dumps(value) if name == "terms" and value is not None else value
                    for name, value in ((name, getattr(one, name)) for name in _ROUND)
                )
                for one in rounds
            ],
        )
    for place in sorted(found.corrected):
        await conn.execute(_NOT_DEALT, *place, found.corrected[place])
        await conn.execute(_EMPTY, *place)
    await _write_seats(conn, found.seats.values())
    # Only its opening says something that counting waits for.
    await count(conn, [(one.table_id, one.round_no) for one in rounds if one.opened_us is not None])


async def write_settled(conn: Connection, every: Sequence[SettledParts]) -> None:
    """What settlements mean; a later one takes the place of the one before, in the first one's shift and time."""
    if not every:
        return
    latest = {(one.table_id, one.round_no): one for one in every}
    gone: dict[Place, list[str]] = {}
    first: dict[Place, SettledParts] = {}
    for one in every:
        first.setdefault((one.table_id, one.round_no), one)
        gone.setdefault((one.table_id, one.round_no), []).extend(one.gone)
    await conn.executemany(
        _SETTLED,
        [
            (
                *place, one.game, one.gaming_day, one.currency, first[place].settled_us, first[place].shift, one.handle,
                one.win,
                json.dumps(one.wagers), json.dumps(gone[place]),
            )
            for place, one in sorted(latest.items())
        ],
    )  # fmt: skip
    for place, one in sorted(latest.items()):
        if not one.is_first:
            await conn.execute(_NOT_SETTLED, *place, [seat.seat for seat in one.seats])
            await conn.execute(_EMPTY, *place)
    await _write_seats(conn, [seat for one in latest.values() for seat in one.seats])
    await count(conn, list(latest))


async def write_refused(conn: Connection, batch: Iterable[Recorded]) -> None:
    """Prizes that a table kept after all."""
    refused = sorted(
        (
            (one.table, one.round_no, one.prize_id, one.prize, sum(payee.amount for payee in one.payees))
            for one in (recorded.event for recorded in batch)
            if isinstance(one, PrizeRefused)
        ),
    )
    for table, round_no, prize_id, prize, amount in refused:
        await conn.execute(_KEPT, table, round_no, json.dumps({prize_id: [prize, amount]}))
    await count(conn, [(table, round_no) for table, round_no, *_ in refused])


async def _write_seats(conn: Connection, seats: Iterable[SeatParts]) -> None:
    ordered = sorted(seats, key=lambda one: (one.table_id, one.round_no, one.seat))
    if ordered:
        await conn.executemany(_SEATS, [tuple(getattr(one, name) for name in _SEAT) for one in ordered])


async def count(conn: Connection, places: Sequence[Place]) -> None:
    """Bring the sums up to what these rounds come to now, once both halves of them are known."""
    if not places:
        return
    ordered = sorted(set(places))
    rows = await conn.fetch(_DUE, [table for table, _ in ordered], [round_no for _, round_no in ordered])
    wagers: dict[tuple[str, ...], list[int]] = {}
    days: dict[tuple[str, str, str], list[int]] = {}
    counted = []
    for row in rows:
        before: Mapping[str, list[int]] = json.loads(row["counted"]) if row["counted"] is not None else {}
        now = effective(json.loads(row["wagers"]), json.loads(row["kept"]), json.loads(row["gone"]))
        terms = json.dumps(json.loads(row["terms"]), sort_keys=True, separators=(",", ":"))
        of_day = row["gaming_day"], row["table_id"], row["currency"]
        day = days.setdefault(of_day, [0, 0, 0])
        day[0] += row["counted"] is None
        for wager, sums in change(before, now).items():
            total = wagers.setdefault((*of_day, row["shift"], row["game"], wager, terms), [0] * len(SUMS))
            total[:] = [one + more for one, more in zip(total, sums, strict=True)]
            day[1] += sums[1]
            day[2] += sums[2] - sums[3]
        counted.append((row["table_id"], row["round_no"], json.dumps(now)))
    if counted:
        await conn.executemany(_COUNTED, counted)
        await conn.executemany(_WAGERS, [(*key, *sums) for key, sums in sorted(wagers.items())])
        if any(row["counted"] is not None for row in rows):
            await conn.executemany(_NOTHING, sorted(wagers))
        await conn.executemany(_DAYS, [(*key, *sums) for key, sums in sorted(days.items())])


def _values(many: int) -> str:
    return ", ".join(f"${n}" for n in range(1, many + 1))


_PLAYED = f"""
INSERT INTO rounds ({", ".join(_ROUND)})
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, coalesce($12::smallint[], '{{}}'), $13)
ON CONFLICT ON CONSTRAINT rounds_once DO UPDATE SET
    game = $3, gaming_day = $4, currency = $5,
    round_id = coalesce($6, rounds.round_id), network = coalesce($7, rounds.network),
    terms = coalesce($8, rounds.terms), opened_us = coalesce($9, rounds.opened_us),
    ended_us = coalesce($10, rounds.ended_us), void = coalesce($11, rounds.void), board = coalesce($12, rounds.board),
    corrected = greatest($13, rounds.corrected)
"""  # noqa: S608
_SETTLED = """
INSERT INTO rounds (table_id, round_no, game, gaming_day, currency, settled_us, shift, handle, win, wagers, gone)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
ON CONFLICT ON CONSTRAINT rounds_once DO UPDATE SET
    game = excluded.game, gaming_day = excluded.gaming_day, currency = excluded.currency,
    settled_us = coalesce(rounds.settled_us, excluded.settled_us), shift = coalesce(rounds.shift, excluded.shift),
    handle = excluded.handle, win = excluded.win, wagers = excluded.wagers, gone = rounds.gone || excluded.gone
"""
_KEPT = """
INSERT INTO rounds (table_id, round_no, game, gaming_day, currency, kept) VALUES ($1, $2, '', '', '', $3)
ON CONFLICT ON CONSTRAINT rounds_once DO UPDATE SET kept = rounds.kept || excluded.kept
"""
_SEATS = f"""
INSERT INTO seats ({", ".join(_SEAT)}) VALUES ({_values(len(_SEAT))})
ON CONFLICT ON CONSTRAINT seats_once DO UPDATE SET
    player = excluded.player, cards = coalesce(excluded.cards, seats.cards),
    staked = coalesce(excluded.staked, seats.staked), net = coalesce(excluded.net, seats.net)
"""  # noqa: S608
# A correction took seats out of a round. Each topic takes back what it said itself, since the other may be ahead by a
# further correction that puts a seat in again; a seat of which neither says anything is none.
_NOT_DEALT = "UPDATE seats SET cards = NULL WHERE table_id = $1 AND round_no = $2 AND seat <> ALL($3::smallint[])"
_NOT_SETTLED = """
UPDATE seats SET staked = NULL, net = NULL WHERE table_id = $1 AND round_no = $2 AND seat <> ALL($3::smallint[])
"""
_EMPTY = "DELETE FROM seats WHERE table_id = $1 AND round_no = $2 AND cards IS NULL AND staked IS NULL"
_DUE = """
SELECT table_id, round_no, game, gaming_day, currency, shift, terms, wagers, kept, gone, counted
FROM rounds JOIN unnest($1::text[], $2::bigint[]) AS asked (table_id, round_no) USING (table_id, round_no)
WHERE opened_us IS NOT NULL AND wagers IS NOT NULL ORDER BY table_id, round_no
"""
_COUNTED = "UPDATE rounds SET counted = $3 WHERE table_id = $1 AND round_no = $2"
_WAGERS = f"""
INSERT INTO day_wagers (gaming_day, table_id, currency, shift, game, wager, terms, {", ".join(SUMS)})
VALUES ({_values(7 + len(SUMS))})
ON CONFLICT ON CONSTRAINT day_wagers_once DO UPDATE SET
{", ".join(f"{name} = day_wagers.{name} + excluded.{name}" for name in SUMS)}
"""  # noqa: S608
# An award that was taken back again leaves nothing: had it never been heard of, there would be no row.
_NOTHING = f"""
DELETE FROM day_wagers WHERE (gaming_day, table_id, currency, shift, game, wager, terms) = ($1, $2, $3, $4, $5, $6, $7)
AND {" AND ".join(f"{name} = 0" for name in SUMS)}
"""  # noqa: S608
_DAYS = """
INSERT INTO table_days (gaming_day, table_id, currency, rounds, handle, win) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT ON CONSTRAINT table_days_once DO UPDATE SET
    rounds = table_days.rounds + excluded.rounds, handle = table_days.handle + excluded.handle,
    win = table_days.win + excluded.win
"""
