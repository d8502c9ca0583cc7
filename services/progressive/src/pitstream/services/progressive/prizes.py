"""A settled round's prizes that wait for a floorperson, as pure functions: who validated or refused which, once.

Stream ``prize/<table>/<round_no>``. No clock, no I/O.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, assert_never

from pitstream.events import Event
from pitstream.events.corrections import PrizeQuestioned
from pitstream.events.prizes import PrizeApproved, PrizePending, PrizeRefused
from pitstream.events.refusal import Refusal

Status = Literal["pending", "approved", "refused"]


@dataclass(frozen=True, slots=True)
class Prize:
    """A prize, and what a floorperson decided; None while it waits."""

    pending: PrizePending
    decided: PrizeApproved | PrizeRefused | None = None

    @property
    def status(self) -> Status:
        match self.decided:
            case None:
                return "pending"
            case PrizeApproved():
                return "approved"
            case PrizeRefused():
                return "refused"


Prizes = Mapping[str, Prize]
"""A round's prizes by their ids."""


@dataclass(frozen=True, slots=True)
class CorrectPrizes:
    """The round was corrected: these prizes need a floorperson now, those are no settled line's any more."""

    wanted: tuple[PrizePending, ...]
    gone: tuple[str, ...]
    correction: int
    reason: str
    by: str


def correct(prizes: Prizes, command: CorrectPrizes) -> list[Event]:
    """What follows from the correction of a round: a prize that waits in vain is off, one that is won anew waits; what
    was paid already stays paid, and is listed with what it should have been."""
    events: list[Event] = []
    anew = {(one.seat, one.prize): one for one in command.wanted if one.prize_id not in prizes}
    for prize_id, prize in prizes.items():
        pending = prize.pending
        if prize_id in command.gone and prize.status == "pending":
            events.append(_withdrawn(pending, command))
        elif prize.status == "approved":
            # Nothing of the kind is paid a second time without a person's word.
            becomes = anew.pop((pending.seat, pending.prize), None)
            if becomes is not None or prize_id in command.gone:
                events.append(_questioned(pending, becomes, command))
    return [*events, *anew.values()]


def _withdrawn(pending: PrizePending, command: CorrectPrizes) -> PrizeRefused:
    return PrizeRefused(
        prize_id=pending.prize_id,
        table=pending.table,
        round_no=pending.round_no,
        seat=pending.seat,
        prize=pending.prize,
        currency=pending.currency,
        payees=pending.payees,
        floorperson=command.by,
        reason=command.reason,
        document="",
        correction=command.correction,
    )


def _questioned(pending: PrizePending, becomes: PrizePending | None, command: CorrectPrizes) -> PrizeQuestioned:
    return PrizeQuestioned(
        prize_id=pending.prize_id,
        table=pending.table,
        round_no=pending.round_no,
        seat=pending.seat,
        prize=pending.prize,
        currency=pending.currency,
        payees=pending.payees,
        becomes=() if becomes is None else becomes.payees,
        correction=command.correction,
        reason=command.reason,
    )


@dataclass(frozen=True, slots=True)
class ApprovePrize:
    """A floorperson has validated the hand: the prize is paid, with the document that goes with it."""

    prize_id: str
    by: str
    document: str


@dataclass(frozen=True, slots=True)
class RefusePrize:
    """A floorperson refuses the prize: its money is the table's again."""

    prize_id: str
    by: str
    reason: str
    document: str = ""


def decide(prizes: Prizes, command: ApprovePrize | RefusePrize) -> list[Event] | Refusal:
    """A prize is validated or refused once, by one named floorperson: 653a.11(k)(5), (l)."""
    prize = prizes.get(command.prize_id)
    if prize is None:
        return Refusal("unknown_prize", "prize_id", f"was {command.prize_id!r}; no such prize waits or waited")
    if prize.decided is not None:
        return Refusal(
            "prize_already_decided",
            "prize_id",
            f"was {command.prize_id!r}; {prize.decided.floorperson} has {prize.status} it",
        )
    pending = prize.pending
    match command:
        case ApprovePrize():
            return [
                PrizeApproved(
                    prize_id=pending.prize_id,
                    table=pending.table,
                    round_no=pending.round_no,
                    seat=pending.seat,
                    prize=pending.prize,
                    currency=pending.currency,
                    payees=pending.payees,
                    floorperson=command.by,
                    document=command.document,
                )
            ]
        case RefusePrize():
            return [
                PrizeRefused(
                    prize_id=pending.prize_id,
                    table=pending.table,
                    round_no=pending.round_no,
                    seat=pending.seat,
                    prize=pending.prize,
                    currency=pending.currency,
                    payees=pending.payees,
                    floorperson=command.by,
                    reason=command.reason,
                    document=command.document,
                )
            ]
        case _:
            assert_never(command)


def evolve(prizes: Prizes, event: Event) -> Prizes:
    """The round's prizes after ``event``. It judges nothing and skips nothing."""
    match event:
        case PrizePending():
            return {**prizes, event.prize_id: Prize(event)}
        case PrizeApproved() | PrizeRefused():
            return {**prizes, event.prize_id: replace(prizes[event.prize_id], decided=event)}
        case PrizeQuestioned():
            return prizes
        case _:
            raise TypeError(f"{event.type_name} is no event of a round's prizes")
