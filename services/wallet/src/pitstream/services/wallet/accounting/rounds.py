"""The rounds of each gaming day, heard from two topics: which were opened, and what each of their wagers came to.

Runs in the batch's transaction after the ledger has posted it. The ledger has locked the table's account by then, and
so does whoever closes a day: a round is either among the figures that were fixed, or known to have come after them.
"""

import json
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any

from pitstream.accounting.edges import terms_of
from pitstream.accounting.properties import Properties
from pitstream.accounting.wagers import differences_of, wagers_of
from pitstream.events import Recorded
from pitstream.events.prizes import PrizeRefused
from pitstream.events.rounds import RoundOpened
from pitstream.events.settlements import RoundResettled, RoundSettled
from pitstream.runtime import Transaction
from pitstream.runtime.principal import owner_of


async def note_opened(tx: Transaction, batch: Sequence[Recorded]) -> None:
    """Of a batch of ``rounds.v1``: which rounds belong to which gaming day, and the terms they are played on."""
    opened = [recorded.event for recorded in batch if isinstance(recorded.event, RoundOpened)]
    if opened:
        rows = [
            (
                event.table,
                event.round_no,
                event.gaming_day,
                event.currency,
                event.game,
                json.dumps(terms_of(event)),
            )
            for event in opened
        ]
        await tx.conn.execute(_OPENED, *_columns(rows))


async def note_settled(tx: Transaction, batch: Sequence[Recorded], properties: Properties) -> None:
    """Of a batch of ``settlements.v1``: what each wager came to, in the shift in which it was settled."""
    heard = [(recorded, recorded.event) for recorded in batch if isinstance(recorded.event, RoundSettled)]
    if not heard:
        return
    rounds = [
        (
            event.table,
            event.round_no,
            event.gaming_day,
            event.currency,
            event.game,
            _shift(properties, event, recorded.envelope.recorded_at_us),
            event.void,
        )
        for recorded, event in heard
    ]
    await tx.conn.execute(_SETTLED, *_columns(rounds))
    wagers = [
        (event.table, event.round_no, one.wager, one.bets, one.handle, one.taken, one.paid, one.beside)
        for _, event in heard
        for one in wagers_of(event)
    ]
    if wagers:
        await tx.conn.execute(_WAGERS, *_columns(wagers))


async def note_resettled(tx: Transaction, batch: Sequence[Recorded]) -> None:
    """Of a batch of ``settlements.v1``: by how much corrections changed what each wager came to, and which prizes are
    no settled line's any more. What was fixed of a closed day stays as it is until a correction of it takes it in."""
    heard = [recorded.event for recorded in batch if isinstance(recorded.event, RoundResettled)]
    rows = [
        (
            event.table,
            event.round_no,
            event.correction,
            one.wager,
            one.bets,
            one.handle,
            one.taken,
            one.paid,
            one.beside,
        )
        for event in heard
        for one in differences_of(event)
    ]
    if rows:
        await tx.conn.execute(_CORRECTED, *_columns(rows))
    gone = {prize_id for event in heard for prize_id in event.prizes_gone}
    if gone:
        await tx.conn.execute(_SUPERSEDED, sorted(gone))


async def note_refused(tx: Transaction, batch: Sequence[Recorded]) -> None:
    """Of a batch of ``progressives.v1``: prizes that the table keeps after all."""
    refused = [recorded.event for recorded in batch if isinstance(recorded.event, PrizeRefused)]
    if refused:
        rows = [
            (event.prize_id, event.table, event.round_no, event.prize, sum(payee.amount for payee in event.payees))
            for event in refused
        ]
        await tx.conn.execute(_REFUSED, *_columns(rows))


def _shift(properties: Properties, settled: RoundSettled, moment_us: int) -> str:
    calendar = properties.calendar_of(owner_of(settled.table))
    return calendar.shift_at(date.fromisoformat(settled.gaming_day), moment_us)


_OPENED = """
INSERT INTO table_rounds (table_id, round_no, gaming_day, currency, game, paytables)
SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::jsonb[])
ON CONFLICT ON CONSTRAINT table_rounds_once DO UPDATE SET paytables = excluded.paytables
"""
_SETTLED = """
INSERT INTO table_rounds (table_id, round_no, gaming_day, currency, game, shift, void, book)
SELECT settled.*, (SELECT coalesce(max(book), 0) FROM day_sheets AS fixed WHERE fixed.gaming_day = settled.gaming_day
                   AND (fixed.table_id, fixed.currency) = (settled.table_id, settled.currency))
FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::boolean[])
    AS settled (table_id, round_no, gaming_day, currency, game, shift, void)
ON CONFLICT ON CONSTRAINT table_rounds_once
DO UPDATE SET shift = excluded.shift, void = excluded.void, book = excluded.book
"""
_WAGERS = """
INSERT INTO table_wagers (table_id, round_no, wager, bets, handle, taken, paid, beside)
SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::int[], $5::numeric[], $6::numeric[], $7::numeric[],
                     $8::numeric[])
"""
_CORRECTED = """
INSERT INTO corrected_wagers (table_id, round_no, correction, wager, bets, handle, taken, paid, beside, book)
SELECT corrected.*, (SELECT coalesce(max(fixed.book), 0) FROM table_rounds AS round JOIN day_sheets AS fixed
                     ON (fixed.table_id, fixed.currency, fixed.gaming_day)
                      = (round.table_id, round.currency, round.gaming_day)
                     WHERE (round.table_id, round.round_no) = (corrected.table_id, corrected.round_no))
FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::int[], $6::numeric[], $7::numeric[], $8::numeric[],
            $9::numeric[])
    AS corrected (table_id, round_no, correction, wager, bets, handle, taken, paid, beside)
"""
_SUPERSEDED = """
INSERT INTO superseded_prizes (prize_id) SELECT * FROM unnest($1::text[])
ON CONFLICT ON CONSTRAINT superseded_prizes_once DO NOTHING
"""
_REFUSED = """
INSERT INTO refused_prizes (prize_id, table_id, round_no, prize, amount)
SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::numeric[])
"""


def _columns(rows: Iterable[tuple[Any, ...]]) -> list[list[Any]]:
    """Rows as the columns that ``unnest`` takes."""
    return [list(column) for column in zip(*rows, strict=True)]
