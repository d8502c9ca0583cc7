"""A command to a network in one transaction: decided on what its events say, appended, answered once for ever."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from pitstream.events.ids import progressive_stream
from pitstream.events.progressives import TransferSent
from pitstream.events.refusal import Refusal
from pitstream.events.rounds import TOPIC as ROUNDS
from pitstream.events.settlements import TOPIC as SETTLEMENTS
from pitstream.runtime import Cause, Outcome, Store, Transaction, run_command, unknown
from pitstream.services.progressive.commands import (
    ApproveChange,
    ApproveHit,
    Command,
    OpenNetwork,
    ReceiveTransfer,
    RefuseHit,
    RejectChange,
    ReleaseCards,
    VerifyHit,
)
from pitstream.services.progressive.decisions import decide
from pitstream.services.progressive.hits import over
from pitstream.services.progressive.network import Hit, Network, NotOpened
from pitstream.services.progressive.network_store import (
    Writing,
    change_decided,
    folded,
    lock_network,
    past_hit,
)

Answer = Callable[[Transaction, Network, int], Awaitable[Outcome]]
"""From the network after the command, and its version, to what is answered."""


_COME_OF_ROUNDS: Final = ("unknown_hit", "unknown_question")
"""What is not there may only not have been read yet."""


class RefusedInsideError(Exception):
    """A part of a command was refused after another part was appended: nothing of it is kept."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal)
        self.refusal = refusal


async def carry_out(
    store: Store, command: Command, command_id: str, *, by: str, inputs: Mapping[str, Any], answer: Answer
) -> Outcome:
    """Decide, append, and answer with what was asked about; the same command id gets the same answer for ever."""

    async def act(tx: Transaction) -> Outcome:
        await _lock_all(tx, command)
        writing = await Writing.begin(tx, command.network)
        events = decide(writing.state, command)
        if isinstance(writing.state, NotOpened) and not isinstance(command, OpenNetwork):
            return unknown("network", command.network)
        if isinstance(events, Refusal):
            known = await _of_the_past(tx, command, events)
            if known.code in _COME_OF_ROUNDS:
                await tx.must_have_heard(ROUNDS, SETTLEMENTS, about=f"{known.field} of {command.network}")
            return refused(known)
        cause = Cause.of_command(command_id, by)
        writing.append(events, cause)
        for sent in events:
            if isinstance(sent, TransferSent):
                refusal = await _receive(tx, sent, cause)
                if refusal is not None:
                    raise RefusedInsideError(refusal)
        await writing.write()
        state = writing.state
        if not isinstance(state, Network):
            raise TypeError(f"an accepted command left {state}")
        return await answer(tx, state, writing.at.version)

    async def all_or_nothing(tx: Transaction) -> Outcome:
        try:
            async with tx.savepoint():
                return await act(tx)
        except RefusedInsideError as inside:
            return refused(inside.refusal)

    return await run_command(
        store,
        scope=progressive_stream(command.network),
        command_id=command_id,
        inputs={"command": type(command).__name__, **inputs},
        act=all_or_nothing if isinstance(command, ApproveChange) else act,
        actor=by,
    )


def refused(refusal: Refusal) -> Outcome:
    """404 where the path names something that is not there."""
    there = refusal.code not in ("unknown_hit", "unknown_proposal", "unknown_question")
    return Outcome.refused(refusal, 422 if there else 404)


async def _lock_all(tx: Transaction, command: Command) -> None:
    """A transfer writes to two networks: both are locked before either is read, in one order for everybody."""
    if not isinstance(command, ApproveChange):
        return
    networks = {command.network}
    # Read before the lock, to know what to lock: a proposal never changes, and whether it still waits is asked later.
    found = (await folded(tx, command.network)).state
    if isinstance(found, Network) and command.proposal_id in found.proposals:
        transfer = found.proposals[command.proposal_id].transfer
        networks |= {transfer.to_network} if transfer is not None else set()
    for name in sorted(networks):
        await lock_network(tx, name)


async def _receive(tx: Transaction, sent: TransferSent, cause: Cause) -> Refusal | None:
    """The other half of a transfer, in the same transaction: money never leaves without arriving."""
    writing = await Writing.begin(tx, sent.to_network)
    if isinstance(writing.state, NotOpened):
        return Refusal(
            "unknown_network", "transfer.to_network", f"was {sent.to_network!r}; no network of that name is open"
        )
    events = decide(writing.state, ReceiveTransfer(sent.to_network, sent))
    if isinstance(events, Refusal):
        return events
    writing.append(events, cause)
    await writing.write()
    return None


async def _of_the_past(tx: Transaction, command: Command, refusal: Refusal) -> Refusal:
    """The state knows nothing of what is over; the tables do, so that one who asks again is told what became of it."""
    match command:
        case VerifyHit() | ApproveHit() | RefuseHit() | ReleaseCards() if refusal.code == "unknown_hit":
            hit = await past_hit(tx, command.network, command.claim_id)
            return refusal if hit is None else _over(hit, command)
        case ApproveChange() | RejectChange() if refusal.code == "unknown_proposal":
            decided = await change_decided(tx, command.network, command.proposal_id)
            if decided is not None:
                status, who = decided
                return Refusal(
                    "proposal_already_decided", "proposal_id", f"was {command.proposal_id!r}; {who} {status} it"
                )
    return refusal


def _over(hit: Hit, command: VerifyHit | ApproveHit | RefuseHit | ReleaseCards) -> Refusal:
    if isinstance(command, ReleaseCards):
        return Refusal("cards_already_released", "claim_id", f"was {command.claim_id!r}; {hit.released_by} did it")
    return over(hit)
