"""Rounds and settlements, as they come, to what they do to their network's meters."""

from collections.abc import Sequence

from pitstream.events import Recorded
from pitstream.events.ids import progressive_stream
from pitstream.events.refusal import Refusal
from pitstream.runtime import Cause, Transaction
from pitstream.services.progressive.intake import command_of
from pitstream.services.progressive.meter import CloseRound, Contribute, NotOpened, State, decide, evolve

NOT_OPENED: State = NotOpened()


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
        await lock_network(tx, network)
        stream = progressive_stream(network)
        folded = await tx.fold(stream, NOT_OPENED, evolve)
        state, version = folded.state, folded.version
        for recorded, command in asked[network]:
            events = decide(state, command)
            if isinstance(events, Refusal):
                raise UnfitEventError(recorded, events)
            tx.append(stream, network, events, expected_version=version, cause=Cause.of_event(recorded))
            for event in events:
                state = evolve(state, event)
            version += len(events)


async def lock_network(tx: Transaction, network: str) -> None:
    """One writer a network until this transaction ends: both topics and every floorperson write to the same stream,
    and a batch that waits its turn is cheaper than one that loses the race and is run again."""
    await tx.conn.execute("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", progressive_stream(network))
