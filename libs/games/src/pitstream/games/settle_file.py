"""Settle a file of round records: one line out for each record in, in the same order."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from pitstream.events.settlements import Award, Line, SeatSettlement
from pitstream.games.odds import MissingMeterError
from pitstream.games.paytables import Paytables
from pitstream.games.record import Record, RecordError, read_record
from pitstream.games.settlement import RoundResult, settle
from pitstream.games.totals import net_of

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Settled:
    """A record and what it came to."""

    record: Record
    result: RoundResult


def settle_record(line: bytes, paytables: Paytables | None = None) -> Settled:
    """Settle the record on one line, shares of meters taken from its ``meters``. Raises ``RecordError``."""
    record = read_record(line, paytables)
    try:
        return Settled(record, settle(record.round, paytables, meters=record.meters, seeds=record.seeds))
    except MissingMeterError as error:
        raise RecordError("missing_meter", f"meters.{error.meter}", str(error), record.id) from None


def settle_lines(lines: Iterable[bytes], paytables: Paytables | None = None) -> Iterator[Settled | RecordError]:
    """Settle each line that is not empty, as it comes: a faulty record is an error in its place, the others go on.

    An id that was settled before in the same file is refused: the same round must not be counted twice.
    """
    seen: set[str] = set()
    for number, line in enumerate(lines):
        text = (line.removeprefix(_BOM) if number == 0 else line).strip(b" \t\r\n")
        if not text:
            continue
        try:
            settled = settle_record(text, paytables)
        except RecordError as error:
            yield error
            continue
        if settled.record.id in seen:
            yield RecordError("invalid_json", "id", "was settled before in this file", settled.record.id)
            continue
        seen.add(settled.record.id)
        yield settled


def settlement_line(settled: Settled | RecordError) -> str:
    """The line of a settlement or of an error: one JSON object, without the line's end."""
    if isinstance(settled, RecordError):
        error = {"code": settled.code, "message": settled.message, "path": settled.path}
        return json.dumps({"id": settled.id, "error": error})
    # Written by hand: dicts for the json module would take a third of a file's time.
    seats = ", ".join(map(_seat_text, settled.result.seats))
    order = ", ".join(map(str, settled.result.order))
    id_, game = _quoted(settled.record.id), _quoted(settled.record.round.game)
    return f'{{"id": {id_}, "game": {game}, "seats": [{seats}], "order": [{order}]}}'


# Wagers, rules and players come again and again.
_quoted = lru_cache(maxsize=4096)(json.dumps)


def _seat_text(seat: SeatSettlement) -> str:
    lines, awards = ", ".join(map(_line_text, seat.lines)), ", ".join(map(_award_text, seat.awards))
    return (
        f'{{"seat": {seat.seat}, "player": {_quoted(seat.player)}, "lines": [{lines}], "awards": [{awards}], '
        f'"net": {net_of(seat)}}}'
    )


def _line_text(line: Line) -> str:
    share = line.share
    told = f', "share": {{"meter": {_quoted(share.meter)}, "percent": {share.percent}}}' if share else ""
    paid = f', "paid_from": "{line.paid_from}"' if line.paid_from else ""
    return (
        f'{{"wager": {_quoted(line.wager)}, "stake": {line.stake}, "outcome": "{line.outcome}", '
        f'"returned": {line.returned}, "won": {line.won}, "rule": {_quoted(line.rule)}{told}{paid}}}'
    )


def _award_text(award: Award) -> str:
    for_seat = f', "for_seat": {award.for_seat}' if award.for_seat else ""
    paid = f', "paid_from": "{award.paid_from}"' if award.paid_from else ""
    return (
        f'{{"award": {_quoted(award.award)}, "amount": {award.amount}{for_seat}, "rule": {_quoted(award.rule)}{paid}}}'
    )
