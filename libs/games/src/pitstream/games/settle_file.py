"""Settle a file of round records: one line out for each record in, in the same order."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from pitstream.events.settlements import SeatSettlement
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


def settlement_json(settled: Settled | RecordError) -> dict[str, Any]:
    """The line of a settlement or of an error, as JSON types."""
    if isinstance(settled, RecordError):
        return {"id": settled.id, "error": {"code": settled.code, "message": settled.message, "path": settled.path}}
    return {
        "id": settled.record.id,
        "game": settled.record.round.game,
        "seats": [_seat_json(seat) for seat in settled.result.seats],
        "order": list(settled.result.order),
    }


def _seat_json(seat: SeatSettlement) -> dict[str, Any]:
    # Written field by field: pydantic's model_dump takes several times as long, and most of a file's time is here.
    lines: list[dict[str, Any]] = []
    for line in seat.lines:
        written: dict[str, Any] = {
            "wager": line.wager,
            "stake": line.stake,
            "outcome": line.outcome,
            "returned": line.returned,
            "won": line.won,
            "rule": line.rule,
        }
        if line.share is not None:
            written["share"] = {"meter": line.share.meter, "percent": line.share.percent}
        if line.paid_from is not None:
            written["paid_from"] = line.paid_from
        lines.append(written)
    awards: list[dict[str, Any]] = []
    for award in seat.awards:
        written = {"award": award.award, "amount": award.amount}
        if award.for_seat is not None:
            written["for_seat"] = award.for_seat
        written["rule"] = award.rule
        if award.paid_from is not None:
            written["paid_from"] = award.paid_from
        awards.append(written)
    return {"seat": seat.seat, "player": seat.player, "lines": lines, "awards": awards, "net": net_of(seat)}
