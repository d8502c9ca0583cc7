"""What a gaming day is reconciled by: its rounds' postings, and what operators' players brought in and took out."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, Protocol

from pitstream.services.wallet.store import posting

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MoveState = Literal["booked", "uncertain", "undone"]
"""Of a move at an operator's own wallet: it stands there, nobody knows yet, or nothing of it stands."""


class Connection(Protocol):
    """What is needed of a connection or a pool of them."""

    async def fetch(self, query: str, *args: object) -> Sequence[Any]: ...


async def rounds_of_day(
    conn: Connection, gaming_day: str, *, seen: Sequence[str] | None, after: tuple[str, int], limit: int
) -> list[dict[str, Any]]:
    """The day's rounds as the wallet knows them, by table and number, each with its postings. ``late``: settled, or
    settled anew, after the day's figures were fixed and not taken in by a correction of the day since. ``corrected``:
    by how many corrections of the round."""
    rounds = await conn.fetch(_ROUNDS, gaming_day, seen, *after, limit)
    found = {
        (row["table_id"], row["round_no"]): {
            "table": row["table_id"],
            "round_no": row["round_no"],
            "currency": row["currency"],
            "settled": row["settled"],
            "late": row["late"],
            "corrected": row["corrected"],
            "postings": [],
        }
        for row in rounds
    }
    for row in await conn.fetch(_POSTINGS, [key[0] for key in found], [key[1] for key in found]):
        found[row["table_id"], row["round_no"]]["postings"].append(posting(row))
    return list(found.values())


_ROUNDS = """
SELECT table_id, round_no, currency, book IS NOT NULL AS settled,
       coalesce(greatest(book, last_book) > 0
                AND greatest(book, last_book) >= (SELECT max(book) FROM day_sheets AS fixed
                                                  WHERE fixed.table_id = table_rounds.table_id
                                                    AND fixed.currency = table_rounds.currency
                                                    AND fixed.gaming_day = table_rounds.gaming_day), false) AS late,
       corrected
FROM table_rounds CROSS JOIN LATERAL (
    SELECT max(c.book) AS last_book, count(DISTINCT c.correction) AS corrected FROM corrected_wagers AS c
    WHERE (c.table_id, c.round_no) = (table_rounds.table_id, table_rounds.round_no)
) AS corrections
WHERE gaming_day = $1 AND (table_id COLLATE "C", round_no) > ($3 COLLATE "C", $4)
  AND ($2::text[] IS NULL OR table_id ~ ANY($2))
ORDER BY table_id COLLATE "C", round_no LIMIT $5
"""
_POSTINGS = """
SELECT account, table_id, round_no, seat, net, claim_id, correction
FROM postings JOIN unnest($1::text[], $2::bigint[]) AS asked (table_id, round_no) USING (table_id, round_no)
ORDER BY seat, claim_id NULLS FIRST, correction, account
"""


async def movements(
    conn: Connection, operator: str, between_us: tuple[int, int], *, after: tuple[int, int], limit: int
) -> list[dict[str, Any]]:
    """What came to the operator's players' game accounts from it, or went back, between two moments; ``after`` is the
    source and position of the one before."""
    began, ended = (_EPOCH + timedelta(microseconds=moment) for moment in between_us)
    rows = await conn.fetch(f"{_MOVES} {_BETWEEN}", operator, began, ended, *after, limit)
    return [dict(row) for row in rows]


async def movements_named(conn: Connection, operator: str, transaction_ids: Sequence[str]) -> list[dict[str, Any]]:
    """Those of these movements that the operator's players have, whenever they were."""
    rows = await conn.fetch(f"{_MOVES} {_NAMED}", operator, transaction_ids)
    return [dict(row) for row in rows]


# A move at an operator's own wallet is known there by its own id, not by that of the transfers which it makes here.
_MOVES = """
WITH moves AS (
    SELECT 0 AS source, position, transfer_id AS transaction_id, currency, amount, recorded_at AS at, 'booked' AS state,
           CASE WHEN starts_with(debit, 'operator/') THEN 'in' ELSE 'out' END AS way,
           split_part(CASE WHEN starts_with(debit, 'operator/') THEN credit ELSE debit END, '/', 2) AS player
    FROM transfers
    WHERE code NOT IN ('remote_debit', 'remote_credit', 'paid_by_hand')
      AND ((starts_with(debit, 'operator/' || $1 || '/') AND starts_with(credit, 'player/'))
           OR (starts_with(credit, 'operator/' || $1 || '/') AND starts_with(debit, 'player/')))
    UNION ALL
    SELECT 1, position, transaction_id, currency, amount, requested_at,
           CASE WHEN ended IN ('taken', 'returned', 'paid') THEN 'booked' WHEN ended IS NULL THEN 'uncertain'
                ELSE 'undone' END,
           CASE verb WHEN 'debit' THEN 'in' ELSE 'out' END, player
    FROM remote_moves WHERE operator = $1
)
"""
_NAMED = "SELECT * FROM moves WHERE transaction_id = ANY($2::uuid[])"
_BETWEEN = """
SELECT * FROM moves WHERE at >= $2 AND at < $3 AND (source, position) > ($4, $5) ORDER BY source, position LIMIT $6
"""
