"""The states of rounds between one batch and the next, so that each event is folded once."""

from collections import OrderedDict
from collections.abc import Sequence

from pitstream.events import Recorded
from pitstream.games.round import NoRound, Round, evolve, evolve_all
from pitstream.services.ops.told import Connection, of_round

_KEPT = 20_000


class LiveRounds:
    """Remembers the state of each round at a version. What it remembers is always right for that version, so a batch
    that was rolled back does no harm: where the version does not fit, the round is folded from its kept events."""

    def __init__(self) -> None:
        self._states: OrderedDict[str, tuple[int, Round]] = OrderedDict()

    async def after_each(self, conn: Connection, batch: Sequence[Recorded]) -> list[Round | None]:
        """The state of its round after each event of the batch, whose events are kept already; None for an event that
        is of no round."""
        return [await self._after(conn, recorded) for recorded in batch]

    async def _after(self, conn: Connection, recorded: Recorded) -> Round | None:
        stream, version = recorded.stream, recorded.version
        if not stream.startswith("round/"):
            return None
        known, state = self._states.get(stream, (0, NoRound()))
        if known != version - 1:
            table, _, round_no = stream.removeprefix("round/").rpartition("/")
            before = await of_round(conn, table, int(round_no), below=version)
            state = evolve_all(one.event for one in before)
        state = evolve(state, recorded.event)
        self._states[stream] = (version, state)
        self._states.move_to_end(stream)
        if len(self._states) > _KEPT:
            self._states.popitem(last=False)
        return state
