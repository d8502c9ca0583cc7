"""Rounds and settlements, as they come, to what they do to their network's meters."""

from collections.abc import Sequence

from pitstream.events import Recorded
from pitstream.events.refusal import Refusal
from pitstream.events.settlements import RoundResettled
from pitstream.runtime import Cause, Transaction
from pitstream.services.progressive.commands import CloseRound, Contribute
from pitstream.services.progressive.decisions import decide
from pitstream.services.progressive.intake import command_of, correction_of
from pitstream.services.progressive.network_store import Writing, hits_of_round, rates_of_round


class UnfitEventError(ValueError):
    """An event that its network cannot take as it is: nothing was done, the table's later events have to wait."""

    def __init__(self, recorded: Recorded, refusal: Refusal) -> None:
        super().__init__(f"{refusal.code}: {refusal.field}: {refusal.message} ({recorded.stream} v{recorded.version})")


async def feed_meters(tx: Transaction, batch: Sequence[Recorded]) -> None:
    """Contributions, returns and locked shares of a batch of ``rounds.v1`` or ``settlements.v1``."""
    asked: dict[str, list[tuple[Recorded, Contribute | CloseRound]]] = {}
    for recorded in batch:
        command = command_of(recorded.event)
        if command is not None:
            asked.setdefault(command.network, []).append((recorded, command))
    for network in sorted(asked):  # in one order, so that two batches cannot block each other
        writing = await Writing.begin(tx, network)
        for recorded, command in asked[network]:
            events = decide(writing.state, command)
            if isinstance(events, Refusal):
                raise UnfitEventError(recorded, events)
            writing.append(events, Cause.of_event(recorded))
        await writing.write()


async def correct_rounds(tx: Transaction, batch: Sequence[Recorded]) -> None:
    """What the corrected rounds of a batch of ``settlements.v1`` mean for their networks, in the batch's order."""
    for recorded in batch:
        event = recorded.event
        if not isinstance(event, RoundResettled) or event.network is None:
            continue
        writing = await Writing.begin(tx, event.network)
        rates = await rates_of_round(tx, event.network, event.table, event.round_no)
        hits = await hits_of_round(tx, event.network, event.table, event.round_no)
        command = correction_of(event, rates, hits)
        events = [] if command is None else decide(writing.state, command)
        if isinstance(events, Refusal):
            raise UnfitEventError(recorded, events)
        writing.append(events, Cause.of_event(recorded))
        await writing.write()
