"""The SQL of table accounting, and nothing but SQL: tables' days are read, their events become rows."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import asyncpg

from pitstream.accounting.edges import edge_of, exposures
from pitstream.accounting.wagers import WagerOutcome
from pitstream.events import Event
from pitstream.events.accounting import (
    BuyInPosted,
    CorrectionDeclined,
    CorrectionPrepared,
    CountCorrected,
    Sheet,
    SlipCancelled,
    SlipPrepared,
    SlipSigned,
    TableDayClosed,
    TableDayCorrected,
    WagerSum,
)
from pitstream.events.model import INT64_MAX
from pitstream.runtime import StreamConflictError, Transaction
from pitstream.services.wallet.accounting.counted import COUNTED
from pitstream.services.wallet.accounting.day import Place, Slip, TableDay


class Connection(Protocol):
    """What is needed of a connection or a pool of them."""

    async def fetch(self, query: str, *args: object) -> Sequence[Any]: ...

    async def fetchrow(self, query: str, *args: object) -> Any: ...

    async def fetchval(self, query: str, *args: object) -> Any: ...


@dataclass(frozen=True, slots=True)
class Figures:
    """A table's day with what its rounds came to. The sums come with today's edges; one beyond 64 bits is given as it
    is, though no event can carry it."""

    day: TableDay
    rounds: int
    """Settled, void ones too."""
    wagers: tuple[WagerSum, ...]
    underway: tuple[int, ...]
    """Rounds that were opened and are not settled, in order."""
    late: tuple[int, ...]
    """Rounds that were settled, or settled anew, after the figures were fixed that are in force, in order."""

    @property
    def settled_differs(self) -> bool:
        """Whether what was settled is not what was fixed any more: a round came late, or a prize was refused since."""
        if not self.day.closed:
            return False
        fixed = self.day.sheet
        return (self.rounds, _without_edges(self.wagers)) != (fixed.rounds, _without_edges(fixed.wagers))

    @property
    def fits_an_event(self) -> bool:
        """Whether all sums have 64 bits, as an event's fields have."""
        return all(max(one.bets, one.handle, one.taken, one.paid, one.exposure) <= INT64_MAX for one in self.wagers)


def _without_edges(sums: Iterable[WagerSum]) -> dict[tuple[str, ...], tuple[int, ...]]:
    """Money only: an edge that became known since, or a paytable that is told by now, is no difference."""
    found: dict[tuple[str, ...], tuple[int, ...]] = {}
    for one in sums:
        key = (one.shift, one.game, one.wager)
        so_far = found.get(key, (0, 0, 0, 0))
        added = (one.bets, one.handle, one.taken, one.paid)
        if not any(added):  # an award that nobody won
            continue
        found[key] = tuple(a + b for a, b in zip(so_far, added, strict=True))
    return found


async def figures_of(conn: Connection, place: Place) -> Figures:
    """One table's day as it stands."""
    return (await figures_of_all(conn, [place]))[0]


async def figures_of_all(conn: Connection, places: Sequence[Place]) -> list[Figures]:
    """Several tables' days as they stand, in the order asked for."""
    asked = (
        [place.table for place in places],
        [place.currency for place in places],
        [place.gaming_day for place in places],
    )
    slips, buy_ins, sheets, corrections, rounds, wagers, refusals = [
        _by_place(await conn.fetch(query, *asked))
        for query in (_SLIPS, _BUY_INS, _SHEETS, _CORRECTIONS, _ROUNDS, _WAGERS, _REFUSALS)
    ]
    found = []
    for place in places:
        key = (place.table, place.currency, place.gaming_day)
        waiting = [row for row in corrections[key] if not row["done"]]
        day = TableDay(
            slips={row["slip"]: _slip(row) for row in slips[key]},
            buy_ins={row["shift"]: int(row["amount"]) for row in buy_ins[key]},
            sheets=tuple(Sheet.model_validate_json(row["sheet"]) for row in sheets[key]),
            waiting=_correction(place, waiting[0]) if waiting else None,
            declined=sum(row["declined"] for row in corrections[key]),
        )
        settled = [row for row in rounds[key] if row["book"] is not None]
        found.append(
            Figures(
                day=day,
                rounds=len(settled),
                wagers=wager_sums([*wagers[key], *refusals[key]], place.shifts),
                underway=tuple(row["round_no"] for row in rounds[key] if row["book"] is None),
                late=tuple(row["round_no"] for row in settled if day.closed and row["book"] >= len(day.sheets)),
            )
        )
    return found


Key = tuple[str, str, str]


def _by_place(rows: Iterable[Any]) -> dict[Key, list[Any]]:
    found: dict[Key, list[Any]] = defaultdict(list)
    for row in rows:
        found[row["table_id"], row["currency"], row["gaming_day"]].append(row)
    return found


def _slip(row: Any) -> Slip:
    columns = ("slip", "kind", "shift", "amount", "prepared_by", "role", "state")
    return Slip(**{column: row[column] for column in columns})


def _correction(place: Place, row: Any) -> CorrectionPrepared:
    return CorrectionPrepared(
        account=place.account,
        table=place.table,
        gaming_day=place.gaming_day,
        number=row["number"],
        counts=tuple(CountCorrected(**count) for count in json.loads(row["counts"])),
        reason=row["reason"],
        prepared_by=row["prepared_by"],
        role=row["role"],
    )


_ASKED = "unnest($1::text[], $2::text[], $3::text[]) AS asked (table_id, currency, gaming_day)"
_NAME = "table_id, currency, gaming_day"
_SLIPS = f"""
SELECT {_NAME}, slip, kind, shift, amount, prepared_by, slips.role, coalesce(state, 'prepared') AS state
FROM {_ASKED} JOIN slips USING ({_NAME}) LEFT JOIN slip_ends USING (owner, slip) ORDER BY position
"""  # noqa: S608
_BUY_INS = f"""
SELECT {_NAME}, shift, sum(amount) AS amount FROM {_ASKED} JOIN buy_ins USING ({_NAME}) GROUP BY {_NAME}, shift
"""  # noqa: S608
_SHEETS = f"SELECT {_NAME}, sheet FROM {_ASKED} JOIN day_sheets USING ({_NAME}) ORDER BY book"  # noqa: S608
_CORRECTIONS = f"""
SELECT {_NAME}, number, counts, day_corrections.reason, prepared_by, role, declined.number IS NOT NULL AS declined,
       declined.number IS NOT NULL OR approved.number IS NOT NULL AS done
FROM {_ASKED} JOIN day_corrections USING ({_NAME})
LEFT JOIN day_corrections_declined AS declined USING ({_NAME}, number)
LEFT JOIN day_sheets AS approved USING ({_NAME}, number)
ORDER BY number
"""  # noqa: S608
_ROUNDS = f"""
SELECT {_NAME}, round_no, greatest(book, (
    SELECT max(corrected.book) FROM corrected_wagers AS corrected
    WHERE (corrected.table_id, corrected.round_no) = (table_rounds.table_id, table_rounds.round_no)
)) AS book
FROM {_ASKED} JOIN table_rounds USING ({_NAME}) ORDER BY round_no
"""  # noqa: S608
_WAGERS = f"""
SELECT {_NAME}, shift, game, wager, paytables::text AS paytables, sum(bets) AS bets, sum(handle) AS handle,
       sum(taken) AS taken, sum(paid) AS paid, sum(beside) AS beside
FROM {_ASKED} JOIN table_rounds USING ({_NAME}) JOIN (
    SELECT table_id, round_no, wager, bets, handle, taken, paid, beside FROM table_wagers
    UNION ALL
    SELECT table_id, round_no, wager, bets, handle, taken, paid, beside FROM corrected_wagers
) AS wagers USING (table_id, round_no)
GROUP BY {_NAME}, shift, game, wager, paytables
"""  # noqa: S608
_REFUSALS = f"""
SELECT {_NAME}, shift, game, prize AS wager, paytables::text AS paytables, 0 AS bets, 0 AS handle, 0 AS taken,
       -sum(amount) AS paid, 0 AS beside
FROM {_ASKED} JOIN table_rounds USING ({_NAME}) JOIN refused_prizes USING (table_id, round_no)
WHERE book IS NOT NULL AND prize_id NOT IN (SELECT prize_id FROM superseded_prizes)
GROUP BY {_NAME}, shift, game, prize, paytables
"""  # noqa: S608


async def tables_of_day(
    conn: Connection,
    gaming_day: str,
    *,
    owner: str | None = None,
    seen: Sequence[str] | None = None,
    after: tuple[str, str] = ("", ""),
    limit: int = 1_000_000,
) -> list[tuple[str, str]]:
    """Table and currency of every table's day, in order: where a round was opened, or anything was counted.

    ``owner``: only that property's. ``seen``: only those whose id one of these patterns matches.
    """
    rows = await conn.fetch(_TABLES, gaming_day, owner, seen, *after, limit)
    return [(row["table_id"], row["currency"]) for row in rows]


_TABLES = """
SELECT table_id, currency
FROM (
    SELECT table_id, currency FROM table_rounds WHERE gaming_day = $1
    UNION
    SELECT table_id, currency FROM slips WHERE gaming_day = $1
) AS tables
WHERE (table_id COLLATE "C", currency) > ($4 COLLATE "C", $5) AND ($3::text[] IS NULL OR table_id ~ ANY($3))
  AND ($2::text IS NULL OR $2 = CASE WHEN table_id LIKE '%:%' THEN split_part(table_id, ':', 1) ELSE 'local' END)
ORDER BY table_id COLLATE "C", currency LIMIT $6
"""


async def slip_taken(conn: Connection, owner: str, slip: str) -> bool:
    """Whether the property has used this slip's number, at whichever table."""
    return bool(await conn.fetchval("SELECT EXISTS (SELECT FROM slips WHERE (owner, slip) = ($1, $2))", owner, slip))


_OF_ROWS = ("bets", "handle", "taken", "paid", "beside")
_SUMMED = ("bets", "handle", "taken", "paid", "exposure")


def wager_sums(rows: Iterable[Mapping[str, Any]], shifts: Sequence[str]) -> tuple[WagerSum, ...]:
    """Rows of one wager on one set of paytables each, as sums by shift, game, wager, its own paytable and its edge;
    shift by shift in the property's order. An award that a wager may bring is among them, won or not."""
    sums: dict[tuple[str, str, str, str, str], WagerOutcome] = {}

    def add(row: Mapping[str, Any], terms: Mapping[str, str], one: WagerOutcome) -> None:
        edge = edge_of(row["game"], one.wager, terms, COUNTED)
        told = "" if edge is None else str(edge.mean)
        total = sums.setdefault(
            (row["shift"], row["game"], one.wager, terms.get(one.wager, ""), told), WagerOutcome("")
        )
        for figure in _SUMMED:
            setattr(total, figure, getattr(total, figure) + getattr(one, figure))

    for row in rows:
        terms = json.loads(row["paytables"])
        own = WagerOutcome(row["wager"], **{figure: int(row[figure]) for figure in _OF_ROWS})
        add(row, terms, own)
        for award in exposures(row["game"], own.wager, own).values():
            if award.exposure and edge_of(row["game"], award.wager, terms, COUNTED) is not None:
                add(row, terms, award)
    order = {shift: place for place, shift in enumerate(shifts)}
    return tuple(
        WagerSum.model_construct(
            shift=shift,
            game=game,
            wager=wager,
            paytable=paytable,
            bets=total.bets,
            handle=total.handle,
            taken=total.taken,
            paid=total.paid,
            edge=edge,
            exposure=total.exposure,
        )
        for (shift, game, wager, paytable, edge), total in sorted(
            sums.items(), key=lambda item: (order.get(item[0][0], len(order)), item[0])
        )
    )


async def write_rows(tx: Transaction, place: Place, events: Iterable[Event], dated: str) -> None:
    """The rows of a day's events, in the transaction that appends them. ``dated``: today, as the property counts."""
    day = (place.table, place.currency, place.gaming_day)
    for event in events:
        match event:
            case SlipPrepared():
                pieces = json.dumps([one.model_dump() for one in event.pieces])
                try:
                    await tx.conn.execute(
                        _PREPARED, place.owner, event.slip, *day, event.shift, event.kind, event.amount, pieces,
                        event.prepared_by, event.role,
                    )  # fmt: skip
                except asyncpg.UniqueViolationError as taken:
                    # Another table's desk used the number a moment ago: looked at once more, it is taken.
                    raise StreamConflictError(f"slip {event.slip} of {place.owner} was made out elsewhere") from taken
            case SlipSigned():
                await tx.conn.execute(_SIGNED, place.owner, event.slip, event.signed_by, event.role)
            case SlipCancelled():
                await tx.conn.execute(_CANCELLED, place.owner, event.slip, event.cancelled_by, event.reason)
            case BuyInPosted():
                chips = event.transfers[0]
                player = chips.credit.split("/")[1]
                await tx.conn.execute(
                    _BUY_IN, chips.transfer_id, *day, event.shift, player, chips.amount, event.taken_by
                )
            case TableDayClosed():
                await tx.conn.execute(_FIXED, *day, None, event.sheet.model_dump_json(), event.closed_by, dated)
            case CorrectionPrepared():
                counts = json.dumps([count.model_dump() for count in event.counts])
                said = (event.number, counts, event.reason, event.prepared_by, event.role)
                await tx.conn.execute(_CORRECTION, *day, *said)
            case TableDayCorrected():
                fixed = (event.number, event.becomes.model_dump_json(), event.approved_by, event.dated)
                await tx.conn.execute(_FIXED, *day, *fixed)
            case CorrectionDeclined():
                await tx.conn.execute(_DECLINED, *day, event.number, event.reason, event.declined_by)


_PREPARED = """
INSERT INTO slips (owner, slip, table_id, currency, gaming_day, shift, kind, amount, pieces, prepared_by, role)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
"""
_SIGNED = "INSERT INTO slip_ends (owner, slip, state, by, role) VALUES ($1, $2, 'signed', $3, $4)"
_CANCELLED = "INSERT INTO slip_ends (owner, slip, state, by, reason) VALUES ($1, $2, 'cancelled', $3, $4)"
_BUY_IN = """
INSERT INTO buy_ins (transfer_id, table_id, currency, gaming_day, shift, player, amount, taken_by)
VALUES ($1::uuid, $2, $3, $4, $5, $6, $7, $8)
"""
_FIXED = """
INSERT INTO day_sheets (table_id, currency, gaming_day, book, number, sheet, fixed_by, dated)
VALUES ($1, $2, $3, 1 + (SELECT count(*) FROM day_sheets WHERE (table_id, currency, gaming_day) = ($1, $2, $3)),
        $4, $5, $6, $7)
"""
_CORRECTION = """
INSERT INTO day_corrections (table_id, currency, gaming_day, number, counts, reason, prepared_by, role)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
"""
_DECLINED = """
INSERT INTO day_corrections_declined (table_id, currency, gaming_day, number, reason, declined_by)
VALUES ($1, $2, $3, $4, $5, $6)
"""
