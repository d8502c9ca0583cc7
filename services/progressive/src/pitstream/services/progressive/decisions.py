"""What follows from a command to a network: pure, one ``match`` over all commands."""

from typing import assert_never

from pitstream.events import Event
from pitstream.events.refusal import Refusal
from pitstream.services.progressive.changes import decide_change, receive
from pitstream.services.progressive.commands import (
    AcceptHit,
    AnswerContribution,
    ApproveChange,
    ApproveHit,
    CloseRound,
    Command,
    Contribute,
    CorrectRound,
    DeclineHit,
    OpenNetwork,
    ProposeChange,
    ReceiveTransfer,
    RefuseHit,
    RejectChange,
    ReleaseCards,
    VerifyHit,
)
from pitstream.services.progressive.feeding import answer_contribution, close_round, contribute, open_network
from pitstream.services.progressive.hits import decide_hit
from pitstream.services.progressive.network import NotOpened, State
from pitstream.services.progressive.resettling import correct_round, decide_proposed


def decide(state: State, command: Command) -> list[Event] | Refusal:
    """What follows from a command: events, none when all was done before, or the reason why not."""
    if isinstance(command, OpenNetwork):
        return open_network(state, command)
    if isinstance(state, NotOpened):
        return Refusal("unknown_network", "network", f"was {command.network!r}; no network of that name is open")
    match command:
        case Contribute():
            return contribute(state, command)
        case CloseRound():
            return close_round(state, command)
        case CorrectRound():
            return correct_round(state, command)
        case AcceptHit() | DeclineHit():
            return decide_proposed(state, command)
        case AnswerContribution():
            return answer_contribution(state, command)
        case VerifyHit() | ApproveHit() | RefuseHit() | ReleaseCards():
            return decide_hit(state, command)
        case ProposeChange() | ApproveChange() | RejectChange():
            return decide_change(state, command)
        case ReceiveTransfer():
            return receive(state, command)
        case _:
            assert_never(command)
