"""What can be made anew from this service's own events (``pitstream rebuild settlement …``)."""

from collections.abc import Sequence
from typing import Final

from pitstream.events import Recorded
from pitstream.events.settlements import RoundResettled, RoundSettled
from pitstream.runtime.rebuild import Connection, Project, Projection
from pitstream.services.settlement import store


async def _add_results(conn: Connection, events: Sequence[Recorded]) -> None:
    """The first settlements of the batch, then those that took the place of one: of one round the first comes first."""
    await store.add_results(conn, [one.event for one in events if isinstance(one.event, RoundSettled)])
    for one in events:
        if isinstance(one.event, RoundResettled):
            await store.replace_results(conn, one.event.in_force)


def _results() -> Project:
    return _add_results


PROJECTIONS: Final = (Projection(name="results", tables=("results",), streams="settlement/", project=_results),)
