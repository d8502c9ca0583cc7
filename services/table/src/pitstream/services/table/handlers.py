"""The wallet's answers, as they come, to the wagers that waited for them."""

from collections.abc import Sequence

from pitstream.events import Recorded
from pitstream.events.ids import round_stream
from pitstream.events.refusal import Refusal
from pitstream.events.wallet import FundsDeclined, FundsHeld
from pitstream.games.commands import AnswerHold
from pitstream.games.referee import decide
from pitstream.games.round import evolve
from pitstream.runtime import Cause, Transaction
from pitstream.runtime.logs import log
from pitstream.services.table import store
from pitstream.services.table.carrying_out import NO_ROUND, after


async def answer_holds(tx: Transaction, batch: Sequence[Recorded]) -> None:
    """Let the wagers of a batch of ``wallet.v1`` stand, or take them off.

    An answer that no wager waits for changes nothing: the round was declared void meanwhile, and the wallet gives the
    money back when it hears of that.
    """
    answers: dict[str, list[tuple[Recorded, FundsHeld | FundsDeclined]]] = {}
    for recorded in batch:
        event = recorded.event
        if isinstance(event, FundsHeld | FundsDeclined):
            answers.setdefault(round_stream(event.table, event.round_no), []).append((recorded, event))
    await store.lock_tables(tx.conn, [event.table for round_ in answers.values() for _, event in round_])
    for stream, of_round in answers.items():
        folded = await tx.fold(stream, NO_ROUND, evolve)
        state, version = folded.state, folded.version
        for recorded, event in of_round:
            events = decide(state, _command(event))
            if isinstance(events, Refusal):
                log.info(
                    "wallet answer without a waiting wager", stream=stream, hold_id=event.hold_id, code=events.code
                )
                continue
            tx.append(stream, event.table, events, expected_version=version, cause=Cause.of_event(recorded))
            state, version = after(state, events), version + len(events)


def _command(event: FundsHeld | FundsDeclined) -> AnswerHold:
    if isinstance(event, FundsHeld):
        return AnswerHold(seat=event.seat, bundle=event.bundle, held=True)
    return AnswerHold(seat=event.seat, bundle=event.bundle, held=False, reason=event.reason)
