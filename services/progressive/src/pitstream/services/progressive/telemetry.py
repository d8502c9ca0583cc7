"""What the service counts of hits, and shows of what waits for people."""

from collections.abc import Sequence

from pitstream.events import Event
from pitstream.events.progressives import HitLocked, WagersContributed
from pitstream.runtime import Store
from pitstream.runtime.metrics import Reading, Tallies
from pitstream.runtime.telemetry import Metric

STATUS = "pitstream.hit.status"
CURRENCY = "pitstream.currency"

LOCKED = Metric("pitstream.hits.locked", "counter", "{hit}", "shares of a meter that were fixed for a winning line")
LOCKED_AMOUNT = Metric("pitstream.hits.amount", "counter", "{minor_unit}", "what these shares came to", (CURRENCY,))
CONTRIBUTIONS = Metric(
    "pitstream.contributions", "counter", "{round}", "rounds whose wagers fed their network's meters"
)
METRICS = (LOCKED, LOCKED_AMOUNT, CONTRIBUTIONS)
PENDING = Metric(
    "pitstream.hits.pending", "gauge", "{hit}", "that are locked or verified, and neither paid nor refused", (STATUS,)
)
PRIZES = Metric("pitstream.prizes.pending", "gauge", "{prize}", "that a floorperson has not decided yet")
CHANGES = Metric("pitstream.changes.pending", "gauge", "{change}", "of networks, that wait for a second person")
SHOWN = (PENDING, PRIZES, CHANGES)

_sums = Tallies(*METRICS)


def count(events: Sequence[Event]) -> None:
    for event in events:
        match event:
            case HitLocked():
                _sums.add(LOCKED, 1)
                _sums.add(LOCKED_AMOUNT, event.amount, event.currency)
            case WagersContributed():
                _sums.add(CONTRIBUTIONS, 1)
            case _:
                pass
    _sums.tell()


async def show(store: Store) -> list[Reading]:
    rows = await store.pool.fetch(
        "SELECT status, count(*) AS hits FROM hits WHERE NOT released AND status IN ('locked', 'verified') GROUP BY 1"
    )
    pending = {"locked": 0, "verified": 0} | {row["status"]: row["hits"] for row in rows}
    prizes = await store.pool.fetchval("SELECT count(*) FROM prizes WHERE status = 'pending'")
    changes = await store.pool.fetchval("SELECT count(*) FROM changes WHERE status = 'proposed'")
    return [
        *(Reading(PENDING, hits, {STATUS: status}) for status, hits in pending.items()),
        Reading(PRIZES, prizes),
        Reading(CHANGES, changes),
    ]
