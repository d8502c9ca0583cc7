"""What the service counts of tables, and shows of them."""

from collections.abc import Sequence

from pitstream.events import Event
from pitstream.events.disputes import DisputeOpened
from pitstream.events.rounds import RoundFinished, RoundOpened, RoundVoided
from pitstream.runtime import Store
from pitstream.runtime.metrics import Reading, Tallies
from pitstream.runtime.telemetry import Metric

GAME = "pitstream.game"
KIND = "pitstream.void.kind"

OPENED = Metric("pitstream.rounds.opened", "counter", "{round}", "by game", (GAME,))
FINISHED = Metric("pitstream.rounds.finished", "counter", "{round}", "the dealer's hand was turned up")
VOIDED = Metric("pitstream.rounds.voided", "counter", "{round}", "by what went wrong", (KIND,))
DISPUTED = Metric("pitstream.disputes.opened", "counter", "{dispute}", "a player did not agree")
METRICS = (OPENED, FINISHED, VOIDED, DISPUTED)
TABLES_OPEN = Metric("pitstream.tables.open", "gauge", "{table}", "that are open")
IN_PROGRESS = Metric("pitstream.rounds.in_progress", "gauge", "{round}", "that were opened and are not over")
SHOWN = (TABLES_OPEN, IN_PROGRESS)

_sums = Tallies(*METRICS)


def count(events: Sequence[Event]) -> None:
    for event in events:
        match event:
            case RoundOpened():
                _sums.add(OPENED, 1, event.game)
            case RoundFinished():
                _sums.add(FINISHED, 1)
            case RoundVoided():
                _sums.add(VOIDED, 1, event.kind or "other")
            case DisputeOpened():
                _sums.add(DISPUTED, 1)
            case _:
                pass
    _sums.tell()


async def show(store: Store) -> list[Reading]:
    (row,) = await store.pool.fetch(
        "SELECT count(*) FILTER (WHERE is_open) AS open, count(*) FILTER (WHERE round_is_open) AS playing FROM tables"
    )
    return [Reading(TABLES_OPEN, row["open"]), Reading(IN_PROGRESS, row["playing"])]
