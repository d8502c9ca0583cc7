"""Rounds as they come: kept while they are open, settled when they are closed, settled anew when they are corrected."""

from collections.abc import Sequence

from pitstream.events import Recorded
from pitstream.events.disputes import RoundCorrected
from pitstream.events.ids import settlement_stream
from pitstream.games.paytables import Paytables
from pitstream.runtime import Cause, Transaction
from pitstream.services.settlement import store
from pitstream.services.settlement.settling import CLOSING, InForce, resettle, settle_stream


async def settle_rounds(tx: Transaction, batch: Sequence[Recorded], paytables: Paytables | None = None) -> None:
    """Settle each round of a batch of ``rounds.v1`` that the batch closes, keep the others' events for later; then
    settle anew what the batch corrects.

    A round that begins and ends within one batch never touches the database but for its settlement.
    """
    rounds: dict[str, list[Recorded]] = {}
    for recorded in batch:
        if recorded.stream.startswith("round/"):
            rounds.setdefault(recorded.stream, []).append(recorded)
    closed = [stream for stream, events in rounds.items() if any(isinstance(each.event, CLOSING) for each in events)]
    earlier = await store.take(tx.conn, [stream for stream in closed if rounds[stream][0].version > 1])
    results = []
    for stream in closed:
        events = [*earlier.get(stream, ()), *rounds.pop(stream)]
        settled = settle_stream(events, paytables)
        tx.append(
            settlement_stream(settled.table, settled.round_no),
            settled.table,
            [settled],
            expected_version=0,
            cause=Cause.of_event(events[-1]),
        )
        results.append(settled)
    await store.add_results(tx.conn, results)
    await store.keep(tx.conn, [recorded for events in rounds.values() for recorded in events])
    for recorded in batch:
        if isinstance(recorded.event, RoundCorrected):
            await _settle_anew(tx, recorded, recorded.event, paytables)


async def _settle_anew(
    tx: Transaction, recorded: Recorded, corrected: RoundCorrected, paytables: Paytables | None
) -> None:
    """A further version of the round's settlement, in the place of the one before."""
    stream = settlement_stream(corrected.table, corrected.round_no)
    events = await tx.load(stream)
    resettled = resettle(corrected, recorded.envelope.event_id, InForce.of(events), paytables)
    tx.append(stream, corrected.table, [resettled], expected_version=events[-1].version, cause=Cause.of_event(recorded))
    await store.replace_results(tx.conn, resettled.in_force)
