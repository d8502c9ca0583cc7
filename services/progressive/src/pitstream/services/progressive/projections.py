"""What can be made anew from this service's own events (``pitstream rebuild progressive …``)."""

from collections.abc import Sequence
from typing import Final

from pitstream.events import Recorded
from pitstream.runtime.rebuild import Connection, Projection
from pitstream.services.progressive.evolution import evolve
from pitstream.services.progressive.network import Network, State
from pitstream.services.progressive.network_store import NOT_OPENED, write_rows
from pitstream.services.progressive.projection import Rows


class _Networks:
    """Every network's meters, moves, hits, changes and questions: each network's state is kept from batch to batch."""

    def __init__(self) -> None:
        self._states: dict[str, State] = {}

    async def __call__(self, conn: Connection, events: Sequence[Recorded]) -> None:
        rows: dict[str, Rows] = {}
        versions: dict[str, int] = {}
        for recorded in events:
            before = self._states.get(recorded.stream, NOT_OPENED)
            after = self._states[recorded.stream] = evolve(before, recorded.event)
            rows.setdefault(recorded.stream, Rows()).add(before, recorded.event, after, recorded.version)
            versions[recorded.stream] = recorded.version
        for stream, of_network in rows.items():
            state = self._states[stream]
            if isinstance(state, Network):
                await write_rows(conn, state, versions[stream], of_network)


PROJECTIONS: Final = (
    Projection(
        name="networks",
        tables=("meters", "meter_moves", "hits", "proposed_hits", "changes", "questions"),
        streams="progressive/",
        project=_Networks,
    ),
)
