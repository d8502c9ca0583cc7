"""Settlements, as they come, to the prizes of theirs that wait for a floorperson."""

from collections.abc import Sequence

from pitstream.events import Recorded
from pitstream.events.ids import prize_stream
from pitstream.events.prizes import PrizePending, pending_prizes
from pitstream.events.settlements import RoundSettled
from pitstream.runtime import Cause, Transaction
from pitstream.services.progressive import prize_store


async def hold_prizes(tx: Transaction, batch: Sequence[Recorded]) -> None:
    """The waiting prizes of a batch of ``settlements.v1``, also of tables that have no network."""
    found: list[PrizePending] = []
    for recorded in batch:
        settled = recorded.event
        if isinstance(settled, RoundSettled) and (waiting := pending_prizes(settled)):
            stream = prize_stream(settled.table, settled.round_no)
            tx.append(stream, settled.table, waiting, expected_version=0, cause=Cause.of_event(recorded))
            found += waiting
    if found:
        await prize_store.add(tx.conn, found)
