"""What can be made anew from this service's own events (``pitstream rebuild settlement …``)."""

from collections.abc import Sequence
from typing import Final

from pitstream.events import Recorded
from pitstream.events.settlements import RoundSettled
from pitstream.runtime.rebuild import Connection, Project, Projection
from pitstream.services.settlement import store


async def _add_results(conn: Connection, events: Sequence[Recorded]) -> None:
    await store.add_results(conn, [one.event for one in events if isinstance(one.event, RoundSettled)])


def _results() -> Project:
    return _add_results


PROJECTIONS: Final = (Projection(name="results", tables=("results",), streams="settlement/", project=_results),)
