"""The close of a table's day, and the corrections of a closed one: two people, a reason, old and new figures. Pure."""

from collections.abc import Iterable, Sequence

from pitstream.events import Event
from pitstream.events.accounting import (
    CorrectionDeclined,
    CorrectionPrepared,
    CountCorrected,
    Sheet,
    ShiftCount,
    TableDayClosed,
    TableDayCorrected,
    WagerSum,
)
from pitstream.events.model import AMOUNT_MAX
from pitstream.events.refusal import Refusal
from pitstream.events.wallet import Transfer
from pitstream.services.wallet.accounting.day import (
    Place,
    Signer,
    TableDay,
    counts_of,
    role_of,
    second_role,
    slips_waiting,
    unknown_shift,
    wrong_signature,
)
from pitstream.services.wallet.accounting.figures import Counted, spans
from pitstream.services.wallet.accounting.slips import moves


def close_day(
    place: Place, day: TableDay, rounds: int, wagers: Iterable[WagerSum], underway: Sequence[int], who: Signer
) -> list[Event] | Refusal:
    """The day's figures are fixed. ``underway``: rounds of the day that are not settled. Closed again, it stays as it
    was closed: no event."""
    if day.closed:
        return []
    if underway:
        return Refusal(
            "rounds_in_progress", "gaming_day", f"round {underway[0]} and {len(underway) - 1} more are not settled"
        )
    unsigned = day.unsigned()
    if unsigned:
        return slips_waiting("gaming_day", unsigned)
    counts = counts_of(day, place.shifts)
    counted = spans(counts)
    # A drop box may be counted for a shift in which nothing else happened.
    if counted and counted[-1].closer is None and (len(counted) == 1 or _moved(counted[-1])):
        return Refusal("closer_missing", "gaming_day", "the table was opened with a count; allowed: closed with one")
    sheet = Sheet(rounds=rounds, counts=counts, wagers=tuple(wagers))
    return [
        TableDayClosed(
            account=place.account,
            table=place.table,
            gaming_day=place.gaming_day,
            closed_by=who.name,
            sheet=sheet,
        )
    ]


def _moved(span: Counted) -> bool:
    return bool(span.fills or span.credits or span.buy_ins)


def prepare_correction(
    place: Place, day: TableDay, counts: tuple[CountCorrected, ...], settled_differs: bool, reason: str, who: Signer
) -> list[Event] | Refusal:
    """What is wrong with a closed day. ``settled_differs``: its rounds are others by now, and are taken in."""
    if not day.closed:
        return Refusal("day_not_closed", "gaming_day", f"was {place.gaming_day}; an open day is corrected by slips")
    if day.waiting is not None:
        return Refusal("correction_waiting", "gaming_day", f"correction {day.waiting.number} waits for its approval")
    role = role_of("correction", who)
    if role is None:
        return wrong_signature("correction", who)
    if not counts and not settled_differs:
        return Refusal("nothing_to_correct", "counts", "no count is given, and the rounds are those of the figures")
    for index, count in enumerate(counts):
        if count.shift not in place.shifts:
            return unknown_shift(place, count.shift, f"counts[{index}].shift")
        if count.amount > AMOUNT_MAX:
            allowed = f"allowed: 0 to {AMOUNT_MAX} minor units"
            return Refusal("amount_out_of_range", f"counts[{index}].amount", f"was {count.amount}; {allowed}")
    return [
        CorrectionPrepared(
            account=place.account,
            table=place.table,
            gaming_day=place.gaming_day,
            number=len(day.sheets) + day.declined,
            counts=counts,
            reason=reason,
            prepared_by=who.name,
            role=role,
        )
    ]


def approve_correction(
    place: Place, day: TableDay, number: int, dated: str, rounds: int, wagers: Iterable[WagerSum], who: Signer
) -> list[Event] | Refusal:
    """The second person agrees: figures become what they should have been, and the ledger moves what that makes.

    ``rounds`` and ``wagers``: of the whole day as settled by now. ``dated``: the gaming day on which this is done.
    """
    waiting = _waiting(day, number)
    if isinstance(waiting, Refusal):
        return waiting
    role = second_role("correction", waiting.prepared_by, waiting.role, who)
    if isinstance(role, Refusal):
        return role
    counts = _corrected(day.sheet.counts, waiting.counts, place.shifts)
    return [
        TableDayCorrected(
            account=place.account,
            table=place.table,
            gaming_day=place.gaming_day,
            number=number,
            dated=dated,
            reason=waiting.reason,
            prepared_by=waiting.prepared_by,
            approved_by=who.name,
            was=day.sheet,
            becomes=Sheet(rounds=rounds, counts=counts, wagers=tuple(wagers)),
            transfers=tuple(_differences(place, number, day.sheet.counts, counts)),
        )
    ]


def decline_correction(place: Place, day: TableDay, number: int, reason: str, who: Signer) -> list[Event] | Refusal:
    """Whoever may sign a correction may decline it, who prepared it too."""
    waiting = _waiting(day, number)
    if isinstance(waiting, Refusal):
        return waiting
    if role_of("correction", who) is None:
        return wrong_signature("correction", who)
    return [
        CorrectionDeclined(
            account=place.account,
            table=place.table,
            gaming_day=place.gaming_day,
            number=number,
            reason=reason,
            declined_by=who.name,
        )
    ]


def _waiting(day: TableDay, number: int) -> CorrectionPrepared | Refusal:
    if day.waiting is None or day.waiting.number != number:
        allowed = "none waits" if day.waiting is None else f"allowed: {day.waiting.number}"
        return Refusal("unknown_correction", "number", f"was {number}; {allowed}")
    return day.waiting


def _corrected(
    counts: Sequence[ShiftCount], corrections: Iterable[CountCorrected], shifts: Sequence[str]
) -> tuple[ShiftCount, ...]:
    by_shift = {count.shift: count for count in counts}
    for one in corrections:
        count = by_shift.get(one.shift, ShiftCount(shift=one.shift))
        by_shift[one.shift] = count.model_copy(update={one.figure: one.amount})
    order = [*shifts, *(shift for shift in by_shift if shift not in shifts)]
    return tuple(by_shift[shift] for shift in order if shift in by_shift)


def _differences(
    place: Place, number: int, was: Sequence[ShiftCount], becomes: Sequence[ShiftCount]
) -> Iterable[Transfer]:
    before = {count.shift: count for count in was}
    for count in becomes:
        old = before.get(count.shift, ShiftCount(shift=count.shift))
        what = (place.account, place.gaming_day, "correction", str(number), count.shift)
        yield from moves(place, "fill", count.fills - old.fills, *what)
        yield from moves(place, "credit", count.credits - old.credits, *what)
        yield from moves(place, "drop", count.drop - old.drop, *what)
