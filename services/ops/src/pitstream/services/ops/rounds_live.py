"""The rounds in progress between one batch and the next, so that each event is folded once."""

from collections import OrderedDict
from collections.abc import Sequence
from typing import Final

from pitstream.events import Event, Recorded
from pitstream.events.rounds import CommunityDealt, HandsDealt, RoundFinished, RoundOpened, RoundVoided
from pitstream.games.fold import Fold
from pitstream.games.round import Finished, Round, Voided
from pitstream.services.ops.told import Connection, of_round

_KEPT = 20_000
LOOKED_AT: Final[frozenset[type[Event]]] = frozenset((
    RoundOpened, HandsDealt, CommunityDealt, RoundFinished, RoundVoided,
))  # fmt: skip
"""Events after which somebody wants to see the round, even where more of it follows in the same batch."""


class LiveRounds:
    """Remembers each round in progress at a version. What it remembers is always right for that version, so a batch
    that was rolled back does no harm: where the version does not fit, the round is folded from its kept events."""

    def __init__(self) -> None:
        self._folds: OrderedDict[str, tuple[int, Fold]] = OrderedDict()

    async def after_each(self, conn: Connection, batch: Sequence[Recorded]) -> list[Round | None]:
        """The state of its round after each event of the batch, whose events are kept already: after the last one of
        each round, and after those that are ``LOOKED_AT``; None after any other, and after an event of no round.

        A round is told by some forty events, and making a state of it costs more than telling one of them."""
        last = {recorded.stream: place for place, recorded in enumerate(batch)}
        states = []
        for place, recorded in enumerate(batch):
            is_seen = last[recorded.stream] == place or type(recorded.event) in LOOKED_AT
            states.append(await self._after(conn, recorded, is_seen=is_seen))
        return states

    async def _after(self, conn: Connection, recorded: Recorded, *, is_seen: bool) -> Round | None:
        stream, version = recorded.stream, recorded.version
        if not stream.startswith("round/"):
            return None
        # Taken out while it changes: a fold that an event could not follow is of no use any more.
        known, fold = self._folds.pop(stream, (0, Fold()))
        if known != version - 1:
            table, _, round_no = stream.removeprefix("round/").rpartition("/")
            fold = Fold()
            for one in await of_round(conn, table, int(round_no), below=version):
                fold.apply(one.event)
        fold.apply(recorded.event)
        if fold.stage not in (Finished, Voided):
            self._folds[stream] = version, fold
            if len(self._folds) > _KEPT:
                self._folds.popitem(last=False)
        return fold.round() if is_seen else None
