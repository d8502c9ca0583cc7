"""What can be made anew from this service's own events (``pitstream rebuild table …``)."""

from collections.abc import Sequence
from typing import Final

from pitstream.events import Recorded
from pitstream.events.rounds import RoundFinished, RoundOpened, RoundVoided, TableClosed, TableOpened
from pitstream.runtime.rebuild import Connection, Project, Projection
from pitstream.services.table import store


async def _write_floor(conn: Connection, events: Sequence[Recorded]) -> None:
    for recorded in events:
        match recorded.event:
            case TableOpened() as opened:
                await store.set_open(conn, opened)
            case TableClosed() as closed:
                await store.set_closed(conn, closed.table)
            case RoundOpened() as opened:
                await store.add_round(conn, opened.table, opened.round_no, opened.round_id)
            case RoundFinished() | RoundVoided() as over:
                await store.close_round(conn, over.table, over.round_no)


def _floor() -> Project:
    return _write_floor


PROJECTIONS: Final = (Projection(name="floor", tables=("tables", "rounds"), project=_floor),)
