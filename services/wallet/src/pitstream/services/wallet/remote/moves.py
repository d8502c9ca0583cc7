"""One move of money at an operator's own wallet, from its intent to its certain end. Pure.

A debit is asked for once. Only an answer that can be believed makes it stand; anything else is a doubt, and a doubt is
ended by a rollback that is sent until its own answer is certain. A credit is sent until its answer is certain, for
ever. Money moves once or never, whatever is lost, repeated or late on the way::

    Asked ──done──────────────▶ Closed("taken")           the bundle is held
      │ └──no, never sent─────▶ Closed("refused")         the bundle is off, nothing moved
      └─doubt, not wanted─▶ Undoing ──done, never seen──▶ Closed("undone")
                               └──no──▶ Stopped           a person finds out
    Paying ──done─────────────▶ Closed("paid")
      └──no──▶ Stopped                                    a person finds out

An answer to a step that the move has left is late, and changes nothing: the step that followed has seen to it.
"""

from dataclasses import dataclass, replace
from typing import Literal, assert_never

from pitstream.events import Event
from pitstream.events.refusal import Refusal
from pitstream.events.remote import (
    RemoteCreditConfirmed,
    RemoteCreditDoubted,
    RemoteCreditRequested,
    RemoteDebitConfirmed,
    RemoteDebitRefused,
    RemoteDebitRequested,
    RemoteMoveResolved,
    RemoteMoveStopped,
    RemoteRollbackConfirmed,
    RemoteRollbackRequested,
    Resolution,
    UnknownRollback,
)

Step = Literal["debit", "rollback", "credit"]
"""What the operator is asked next."""
End = Literal["taken", "refused", "undone", "paid", "returned", "paid_by_hand"]
"""How a move ended. ``returned``: a debit that stood after all was given back by a credit."""
TEXT_MAX = 500


@dataclass(frozen=True, slots=True)
class Requested:
    """The intent is not recorded yet: nothing was ever sent."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A debit was asked for, or is about to be."""


@dataclass(frozen=True, slots=True)
class Undoing:
    """The operator may have taken money that is not wanted; a rollback is sent until that is certain."""

    reason: str


@dataclass(frozen=True, slots=True)
class Paying:
    """A credit is sent until it is certain. ``doubt``: why the first attempt told nothing, "" before that."""

    doubt: str = ""


@dataclass(frozen=True, slots=True)
class Stopped:
    """The operator said no to ``step``, which must happen. Nothing is sent until a person has found out."""

    step: Literal["rollback", "credit"]
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Closed:
    """Certain, for ever."""

    end: End


Move = Requested | Asked | Undoing | Paying | Stopped | Closed
NEW: Move = Requested()


@dataclass(frozen=True, slots=True)
class Done:
    """An answer that can be believed: what was asked for stands, or for a rollback, is undone."""


@dataclass(frozen=True, slots=True)
class No:
    """An answer that can be believed: it does not stand, and never will under this id."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class NeverSent:
    """Nothing left this machine: no connection was there to carry it."""

    reason: str


@dataclass(frozen=True, slots=True)
class Doubt:
    """Everything else: no answer, a late one, a wrong one, one that anybody may have written."""

    reason: str


Answer = Done | No | NeverSent | Doubt


@dataclass(frozen=True, slots=True)
class Hear:
    """What came of one attempt at ``step``. ``wanted``: for a debit, whether its round still takes bets."""

    transaction_id: str
    step: Step
    answer: Answer
    unknown_rollback: UnknownRollback
    rollback_id: str
    wanted: bool = True


@dataclass(frozen=True, slots=True)
class Resolve:
    """A person found out what stands at the operator."""

    transaction_id: str
    resolution: Resolution
    by: str
    reason: str


Intent = RemoteDebitRequested | RemoteCreditRequested
Command = Hear | Resolve

NEVER_SEEN: dict[UnknownRollback, frozenset[str]] = {
    "success": frozenset(),
    "not_found": frozenset({"transaction_not_found"}),
    "parent_failed": frozenset({"transaction_not_found", "parent_failed"}),
}
"""Refusals of a rollback that say, by what was agreed with the operator, that there is nothing to undo and that a late
debit will be refused. With ``success`` no refusal does."""


def step_of(move: Move) -> Step | None:
    """What the operator is to be asked; None when it is not to be asked anything."""
    match move:
        case Asked():
            return "debit"
        case Undoing():
            return "rollback"
        case Paying():
            return "credit"
        case Requested() | Stopped() | Closed():
            return None
        case _:
            assert_never(move)


def is_uncertain(move: Move) -> bool:
    """Whether staff must know of it: what stands at the operator is not known, or not as it must be."""
    return isinstance(move, Undoing | Stopped) or (isinstance(move, Paying) and move.doubt != "")


def decide(move: Move, command: Command) -> list[Event] | Refusal:
    """What follows from an answer or a person's word; nothing for an answer that comes too late to matter."""
    match command:
        case Hear():
            return _hear(move, command) if step_of(move) == command.step else []
        case Resolve():
            return _resolve(move, command)
        case _:
            assert_never(command)


def _hear(move: Move, heard: Hear) -> list[Event]:
    of, answer = heard.transaction_id, heard.answer
    match move, answer:
        case Asked(), Done() if heard.wanted:
            return [RemoteDebitConfirmed(transaction_id=of)]
        case Asked(), Done():
            return [_rollback(heard, "the round was closed before the answer came")]
        case Asked(), No():
            return [RemoteDebitRefused(transaction_id=of, code=kept(answer.code), message=kept(answer.message))]
        case Asked(), NeverSent():
            return [RemoteDebitRefused(transaction_id=of, code="operator_unreachable", message=kept(answer.reason))]
        case Asked(), Doubt():
            return [_rollback(heard, answer.reason)]
        case Undoing(), Done():
            return [RemoteRollbackConfirmed(transaction_id=of, answer="rolled_back")]
        case Undoing(), No() if answer.code in NEVER_SEEN[heard.unknown_rollback]:
            return [RemoteRollbackConfirmed(transaction_id=of, answer=kept(answer.code))]
        case Paying(), Done():
            return [RemoteCreditConfirmed(transaction_id=of)]
        case ((Undoing() | Paying()), No()):
            return [RemoteMoveStopped(transaction_id=of, code=kept(answer.code), message=kept(answer.message))]
        case Paying(doubt=""), Doubt() | NeverSent():
            return [RemoteCreditDoubted(transaction_id=of, reason=kept(answer.reason) or "no reason was given")]
        case _:  # the same doubt once more: the next attempt is due, and there is nothing new to tell
            return []


def _rollback(heard: Hear, reason: str) -> RemoteRollbackRequested:
    return RemoteRollbackRequested(
        transaction_id=heard.transaction_id, rollback_id=heard.rollback_id, reason=kept(reason)
    )


def kept(text: str) -> str:
    """What an operator says may be of any length and hold any character; what is kept of it does not.

    >>> kept("not\\x00 today\\x1b[2J"), len(kept("x" * 9_000))
    ('not� today�[2J', 500)
    """
    return "".join(one if one.isprintable() else "\ufffd" for one in text[:TEXT_MAX])


def _resolve(move: Move, command: Resolve) -> list[Event] | Refusal:
    if not is_uncertain(move):
        return Refusal("move_not_uncertain", "transaction_id", f"was {command.transaction_id}; it is {_told(move)}")
    allowed, why = _resolutions(move)
    if command.resolution not in allowed:
        return Refusal("illegal_resolution", "resolution", f"was {command.resolution!r}; allowed: {why}")
    return [
        RemoteMoveResolved(
            transaction_id=command.transaction_id,
            resolution=command.resolution,
            by=command.by,
            reason=command.reason,
        )
    ]


def _resolutions(move: Move) -> tuple[frozenset[Resolution], str]:
    """What a person may say of the move, and why no more: nothing by which a call that is still on its way to the
    operator could move money a second time, or at all."""
    match move:
        case Undoing():
            return frozenset(), "nothing; the debit may still arrive there, so the rollback is sent until it is certain"
        case Paying():
            return frozenset({"confirm"}), "confirm; a credit may still arrive there and pay what we paid by hand too"
        case _:
            return frozenset({"confirm", "void", "retry"}), "confirm, void, retry"


def _told(move: Move) -> str:
    return f"closed: {move.end}" if isinstance(move, Closed) else "on its way, and nothing about it is in doubt"


def evolve(move: Move, event: Event) -> Move:
    """The move after ``event``. TypeError for an event that does not follow."""
    match move, event:
        case Requested(), RemoteDebitRequested():
            return Asked()
        case Requested(), RemoteCreditRequested():
            return Paying()
        case Asked(), RemoteDebitConfirmed():
            return Closed("taken")
        case Asked(), RemoteDebitRefused():
            return Closed("refused")
        case Asked(), RemoteRollbackRequested():
            return Undoing(event.reason)
        case Undoing(), RemoteRollbackConfirmed():
            return Closed("undone")
        case Paying(), RemoteCreditDoubted():
            return replace(move, doubt=event.reason)
        case Paying(), RemoteCreditConfirmed():
            return Closed("paid")
        case ((Undoing() | Paying()), RemoteMoveStopped()):
            return Stopped("rollback" if isinstance(move, Undoing) else "credit", event.code, event.message)
        case Paying(), RemoteMoveResolved(resolution="confirm"):
            return Closed("paid")
        case Stopped(), RemoteMoveResolved():
            return _resolved(move, event.resolution)
        case _:
            raise TypeError(f"{event.type_name} does not follow on {move}")


def _resolved(move: Stopped, resolution: Resolution) -> Move:
    is_debit = move.step == "rollback"
    match resolution:
        case "confirm":
            return Closed("returned" if is_debit else "paid")
        case "void":
            return Closed("undone" if is_debit else "paid_by_hand")
        case "retry":
            why = f"{move.code}: {move.message}"
            return Undoing(why) if is_debit else Paying(doubt=why)
        case _:
            assert_never(resolution)
