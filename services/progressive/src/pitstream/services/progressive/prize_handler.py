"""Settlements, as they come, to the prizes of theirs that wait for a floorperson."""

from collections.abc import Sequence
from typing import Final

from pitstream.events import Recorded
from pitstream.events.corrections import PrizeQuestioned
from pitstream.events.ids import prize_stream
from pitstream.events.prizes import PrizePending, PrizeRefused, pending_prizes, prizes_of
from pitstream.events.settlements import RoundResettled, RoundSettled
from pitstream.runtime import Cause, Transaction
from pitstream.services.progressive import prize_store
from pitstream.services.progressive.prizes import CorrectPrizes, Prizes, correct, evolve

NO_PRIZES: Final[Prizes] = {}


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
    for recorded in batch:
        if isinstance(recorded.event, RoundResettled) and (recorded.event.prizes or recorded.event.prizes_gone):
            await _correct(tx, recorded, recorded.event)


async def _correct(tx: Transaction, recorded: Recorded, resettled: RoundResettled) -> None:
    """The prizes of a corrected round: what waits in vain is off, what is won anew waits, what was paid is listed."""
    stream = prize_stream(resettled.table, resettled.round_no)
    folded = await tx.fold(stream, NO_PRIZES, evolve)
    command = CorrectPrizes(
        wanted=tuple(prizes_of(resettled)),
        gone=resettled.prizes_gone,
        correction=resettled.correction,
        reason=resettled.reason,
        by=resettled.confirmed_by,
    )
    events = correct(folded.state, command)
    tx.append(stream, resettled.table, events, expected_version=folded.version, cause=Cause.of_event(recorded))
    for event in events:
        match event:
            case PrizePending():
                await prize_store.add(tx.conn, [event])
            case PrizeRefused():
                await prize_store.set_status(tx.conn, event.prize_id, "refused")
            case PrizeQuestioned():
                await prize_store.question(tx.conn, event)
