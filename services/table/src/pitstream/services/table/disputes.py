"""A dispute about a round: what was said, by whom, and what a floorperson decided. Pure.

Stream ``dispute/<table>/<round_no>/<number>``. Nothing of it moves money: that takes a correction of the round.
"""

from dataclasses import dataclass, replace
from typing import assert_never

from pitstream.events import Event
from pitstream.events.disputes import Decision, DisputeDecided, DisputeOpened, StatementAttached
from pitstream.events.refusal import Refusal

STATEMENTS_MAX = 100
DISPUTES_MAX = 100
"""Of one round."""


@dataclass(frozen=True, slots=True)
class NoDispute:
    """Nobody opened it."""


@dataclass(frozen=True, slots=True)
class Dispute:
    """A dispute as its events have it."""

    opened: DisputeOpened
    statements: tuple[StatementAttached, ...] = ()
    decided: DisputeDecided | None = None

    @property
    def state(self) -> str:
        return "open" if self.decided is None else self.decided.decision


State = NoDispute | Dispute
NO_DISPUTE: State = NoDispute()


@dataclass(frozen=True, slots=True)
class OpenDispute:
    """Somebody does not agree with a round. ``number``: the next one of the round."""

    table: str
    round_no: int
    number: int
    seat: int | None
    text: str
    by: str


@dataclass(frozen=True, slots=True)
class AttachStatement:
    """Take down what somebody says."""

    said_by: str
    text: str
    by: str


@dataclass(frozen=True, slots=True)
class DecideDispute:
    """Uphold or deny it, and say why."""

    decision: Decision
    reason: str
    by: str


Command = OpenDispute | AttachStatement | DecideDispute


def decide(state: State, command: Command) -> list[Event] | Refusal:
    """What follows from a command about a dispute."""
    match command:
        case OpenDispute():
            return _open(command)
        case AttachStatement():
            return _attach(state, command)
        case DecideDispute():
            return _decide(state, command)
        case _:
            assert_never(command)


def _open(command: OpenDispute) -> list[Event] | Refusal:
    if command.number > DISPUTES_MAX:
        told = f"{command.table}/{command.round_no} has {DISPUTES_MAX} disputes; attach a statement to one of them"
        return Refusal("too_many_disputes", "round_no", told)
    return [
        DisputeOpened(
            table=command.table,
            round_no=command.round_no,
            number=command.number,
            seat=command.seat,
            text=command.text,
            opened_by=command.by,
        )
    ]


def _attach(state: State, command: AttachStatement) -> list[Event] | Refusal:
    dispute = _undecided(state)
    if isinstance(dispute, Refusal):
        return dispute
    if len(dispute.statements) >= STATEMENTS_MAX:
        return Refusal(
            "too_many_statements", "number", f"the dispute has {STATEMENTS_MAX} statements; allowed: no more"
        )
    opened = dispute.opened
    return [
        StatementAttached(
            table=opened.table,
            round_no=opened.round_no,
            number=opened.number,
            statement=len(dispute.statements) + 1,
            said_by=command.said_by,
            text=command.text,
            taken_by=command.by,
        )
    ]


def _decide(state: State, command: DecideDispute) -> list[Event] | Refusal:
    dispute = _undecided(state)
    if isinstance(dispute, Refusal):
        return dispute
    opened = dispute.opened
    return [
        DisputeDecided(
            table=opened.table,
            round_no=opened.round_no,
            number=opened.number,
            decision=command.decision,
            reason=command.reason,
            decided_by=command.by,
        )
    ]


def _undecided(state: State) -> Dispute | Refusal:
    if isinstance(state, NoDispute):
        return Refusal("unknown_dispute", "number", "the round has no dispute of that number")
    if state.decided is not None:
        told = f"{state.decided.decided_by} has decided it: {state.decided.decision}"
        return Refusal("dispute_already_decided", "number", told)
    return state


def evolve(state: State, event: Event) -> State:
    """The dispute after ``event``. It judges nothing and skips nothing."""
    match state, event:
        case NoDispute(), DisputeOpened():
            return Dispute(event)
        case Dispute(), StatementAttached():
            return replace(state, statements=(*state.statements, event))
        case Dispute(decided=None), DisputeDecided():
            return replace(state, decided=event)
        case _:
            raise TypeError(f"{event.type_name} cannot follow {type(state).__name__} in a dispute's stream")
