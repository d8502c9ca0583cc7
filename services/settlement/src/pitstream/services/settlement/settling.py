"""A closed round's events to its settlement, and a corrected round to the one that takes its place: pure, the same
live, in a replay and in an audit."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

from pitstream.events import Recorded, ids
from pitstream.events.disputes import RoundCorrected
from pitstream.events.prizes import PrizePending, pending_prizes, prizes_of
from pitstream.events.rounds import RoundFinished, RoundOpened, RoundVoided
from pitstream.events.settlements import (
    ClaimedPrize,
    ClaimedShare,
    Line,
    RoundResettled,
    RoundSettled,
    SeatResettled,
    SeatSettlement,
    pot_wagers,
)
from pitstream.games.corrections import played_of
from pitstream.games.game import FinishedRound
from pitstream.games.judging import why_not_judged
from pitstream.games.paytables import Paytables, bundled
from pitstream.games.round import Finished, Voided, evolve_all, finished_round
from pitstream.games.settlement import RoundResult, settle

CLOSING = (RoundFinished, RoundVoided)
"""The events that end a round's stream."""

Result = RoundSettled | RoundResettled


class UnsettleableError(ValueError):
    """A closed round that this version cannot settle; nothing of it was settled. The text says which and why."""


def settle_stream(stream: Sequence[Recorded], paytables: Paytables | None = None) -> RoundSettled:
    """What a round came to, from all its events, first to last, by the bundled ``paytables`` unless others are given.

    Raises UnsettleableError when events are missing, or when the round was dealt under other rules, another evaluator
    or a paytable of other content than ours; ImpossibleEventError when the events contradict one another.
    """
    opened = _opening(stream)
    known = _judged(opened, paytables)
    state = evolve_all(recorded.event for recorded in stream)
    if not isinstance(state, Finished | Voided):
        raise UnsettleableError(f"{_name(opened)}: was at stage {state.stage!r}; only a closed round is settled")
    result = _settled(opened, finished_round(state), known)
    return RoundSettled(
        table=opened.table,
        round_no=opened.round_no,
        round_id=opened.round_id,
        game=opened.game,
        gaming_day=opened.gaming_day,
        currency=opened.currency,
        void=isinstance(state, Voided),
        seats=result.seats,
        order=result.order,
        network=opened.network,
        rules_version=opened.rules_version,
        closed_by=stream[-1].envelope.event_id,
    )


@dataclass(frozen=True, slots=True)
class InForce:
    """A round's result as the events of its settlement's stream have it so far.

    ``event_id``: of the last of them. ``first``: the round's first settlement. ``posted_in``: by seat, the correction
    that settled it as it is, 0 where none did. ``prizes``: those that need a floorperson, with their ids.
    """

    event_id: str
    first: RoundSettled
    seats: tuple[SeatSettlement, ...]
    posted_in: dict[int, int]
    prizes: tuple[PrizePending, ...]

    @classmethod
    def of(cls, stream: Sequence[Recorded]) -> Self:
        """From all events of a settlement's stream. Raises UnsettleableError without a first settlement."""
        first = stream[0].event if stream else None
        if not isinstance(first, RoundSettled):
            raise UnsettleableError(f"was corrected before it was settled: {first!r}")
        state = cls(stream[0].envelope.event_id, first, first.seats, {}, tuple(pending_prizes(first)))
        for recorded in stream[1:]:
            if not isinstance(recorded.event, RoundResettled):
                raise UnsettleableError(f"{recorded.stream}: {recorded.event.type_name} follows a settlement")
            state = state.after(recorded.envelope.event_id, recorded.event)
        return state

    def after(self, event_id: str, event: RoundResettled) -> Self:
        changed = {change.seat: event.correction for change in event.changes if change.becomes is not None}
        posted_in, prizes = {**self.posted_in, **changed}, tuple(prizes_of(event))
        return replace(self, event_id=event_id, seats=event.seats, posted_in=posted_in, prizes=prizes)


def resettle(
    corrected: RoundCorrected, event_id: str, was: InForce, paytables: Paytables | None = None
) -> RoundResettled:
    """What a corrected round comes to, beside what was in force before it. ``event_id``: of the correction.

    Raises UnsettleableError as ``settle_stream`` does.
    """
    known = _judged(corrected, paytables)
    result = _settled(corrected, played_of(corrected), known)
    prizes = _prizes(corrected, was, result.seats)
    still = {prize.prize_id for prize in prizes}
    return RoundResettled(
        table=corrected.table,
        round_no=corrected.round_no,
        round_id=corrected.round_id,
        game=corrected.game,
        gaming_day=corrected.gaming_day,
        currency=corrected.currency,
        seats=result.seats,
        order=result.order,
        network=corrected.network,
        rules_version=corrected.rules_version,
        closed_by=event_id,
        supersedes=was.event_id,
        correction=corrected.number,
        changes=tuple(_changes(was, result.seats)),
        claims=tuple(_claims(was.first, result.seats)),
        reason=corrected.reason,
        proposed_by=corrected.proposed_by,
        confirmed_by=corrected.confirmed_by,
        prizes=prizes,
        prizes_gone=tuple(prize.prize_id for prize in was.prizes if prize.prize_id not in still),
    )


def _changes(was: InForce, seats: Sequence[SeatSettlement]) -> Iterator[SeatResettled]:
    """The seats that are to be posted anew: also those whose stakes go into a Pot now, or no longer do."""
    before, after = ({seat.seat: seat for seat in some} for some in (was.seats, seats))
    pots_differ = pot_wagers(was.seats) != pot_wagers(seats)
    for number in sorted(before.keys() | after.keys()):
        one, other = before.get(number), after.get(number)
        if one != other or pots_differ:
            yield SeatResettled(seat=number, was=one, becomes=other, posted_in=was.posted_in.get(number, 0))


def _claims(first: RoundSettled, seats: Sequence[SeatSettlement]) -> Iterator[ClaimedShare]:
    """The shares that are won now. One that the first settlement claimed alike keeps its id, any other's is made of
    what it claims: so a share that comes back after a further correction is the same one."""
    firsts = {(seat.seat, seat.player, line.wager): line.share for seat in first.seats for line in seat.lines}
    for seat in seats:
        for line in seat.lines:
            if line.share is not None:
                alike = firsts.get((seat.seat, seat.player, line.wager)) == line.share
                yield ClaimedShare(seat=seat.seat, wager=line.wager, claim_id=_claim_id(first, seat, line, alike=alike))


def _prizes(corrected: RoundCorrected, was: InForce, seats: tuple[SeatSettlement, ...]) -> tuple[ClaimedPrize, ...]:
    """The prizes that need a floorperson now. One is the same as before while everybody is due the same of it."""
    before = {(prize.seat, prize.prize, prize.payees): prize.prize_id for prize in was.prizes}
    claimed = []
    for prize in pending_prizes(was.first.model_copy(update={"seats": seats})):
        salted = ids.prize_id(prize.table, prize.round_no, prize.seat, f"{prize.prize}/correction/{corrected.number}")
        prize_id = before.get((prize.seat, prize.prize, prize.payees), salted)
        claimed.append(ClaimedPrize(seat=prize.seat, prize=prize.prize, prize_id=prize_id))
    return tuple(claimed)


def _claim_id(of: RoundSettled, seat: SeatSettlement, line: Line, *, alike: bool) -> str:
    if alike or line.share is None:
        return ids.claim_id(of.table, of.round_no, seat.seat, line.wager)
    share = f"{line.wager}/{seat.player}/{line.share.meter}/{line.share.percent}"
    return ids.claim_id(of.table, of.round_no, seat.seat, share)


def _opening(stream: Sequence[Recorded]) -> RoundOpened:
    """The first event, when none after it is missing."""
    versions = [recorded.version for recorded in stream]
    if versions != list(range(1, len(stream) + 1)):
        raise UnsettleableError(f"{stream[-1].stream}: was versions {versions}; every version from 1 on is needed")
    opened = stream[0].event
    if not isinstance(opened, RoundOpened):
        raise UnsettleableError(
            f"{stream[0].stream}: was opened by {opened.type_name}; a round begins with RoundOpened"
        )
    return opened


def _judged(dealt: RoundOpened | RoundCorrected, paytables: Paytables | None) -> Paytables:
    """The paytables to judge by: a round is judged by what it was dealt under, or not at all."""
    known = bundled() if paytables is None else paytables
    if why := why_not_judged(dealt, known):
        raise UnsettleableError(f"{_name(dealt)}: {why}")
    return known


def _settled(dealt: RoundOpened | RoundCorrected, played: FinishedRound, known: Paytables) -> RoundResult:
    """What the round comes to. The rules take for granted what the table refuses before: that every wager has a
    paytable, every seat its required wagers and its cards."""
    try:
        return settle(played, known, rules_version=dealt.rules_version)
    except (ArithmeticError, LookupError, ValueError) as error:
        raise UnsettleableError(f"{_name(dealt)}: contradicts the rules of {dealt.game}: {error!r}") from error


def _name(dealt: RoundOpened | RoundCorrected) -> str:
    return f"round {dealt.table}/{dealt.round_no}"
