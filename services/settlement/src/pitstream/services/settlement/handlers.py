"""Rounds as they come: kept while they are open, settled when they are closed."""

from collections.abc import Sequence

from pitstream.events import Recorded
from pitstream.events.ids import settlement_stream
from pitstream.events.rounds import TableClosed, TableOpened
from pitstream.games.paytables import Paytables
from pitstream.runtime import Cause, Transaction
from pitstream.services.settlement import store
from pitstream.services.settlement.settling import CLOSING, settle_stream


async def settle_rounds(tx: Transaction, batch: Sequence[Recorded], paytables: Paytables | None = None) -> None:
    """Settle each round of a batch of ``rounds.v1`` that the batch closes, keep the others' events for later.

    A round that begins and ends within one batch never touches the database but for its settlement.
    """
    rounds: dict[str, list[Recorded]] = {}
    for recorded in batch:
        if not isinstance(recorded.event, TableOpened | TableClosed):
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
