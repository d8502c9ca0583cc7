"""What the service counts of holds and postings, and shows of operators' wallets and webhooks."""

from collections.abc import Sequence

from pitstream.events import Event
from pitstream.events.wallet import FundsDeclined, FundsHeld, SeatPosted
from pitstream.runtime import Store
from pitstream.runtime.metrics import Reading, Tallies
from pitstream.runtime.telemetry import REASON, Metric

STEP = "pitstream.remote.step"

HELD = Metric("pitstream.holds.made", "counter", "{hold}", "wagers whose money is held")
DECLINED = Metric("pitstream.holds.declined", "counter", "{hold}", "wagers whose money could not be held", (REASON,))
POSTED = Metric("pitstream.seats.posted", "counter", "{seat}", "settled seats that are in the ledger")
METRICS = (HELD, DECLINED, POSTED)
UNCERTAIN = Metric(
    "pitstream.remote_moves.uncertain", "gauge", "{move}", "at operators' wallets, that a person decides"
)
ASKED = Metric("pitstream.remote_moves.open", "gauge", "{move}", "that are still being asked for, by step", (STEP,))
ASKED_AGE = Metric("pitstream.remote_moves.age", "gauge", "s", "of the oldest that is not certain yet; 0 without one")
WEBHOOKS = Metric("pitstream.webhooks.waiting", "gauge", "{message}", "deliveries that are due or will be tried again")
SHOWN = (UNCERTAIN, ASKED, ASKED_AGE, WEBHOOKS)

_sums = Tallies(*METRICS)


def count(events: Sequence[Event]) -> None:
    for event in events:
        match event:
            case FundsHeld():
                _sums.add(HELD, 1)
            case FundsDeclined():
                _sums.add(DECLINED, 1, event.reason)
            case SeatPosted():
                _sums.add(POSTED, 1)
            case _:
                pass
    _sums.tell()


async def show(store: Store) -> list[Reading]:
    rows = await store.pool.fetch(_OPEN)
    asked = {"debit": 0, "rollback": 0, "credit": 0} | {row["step"]: row["moves"] for row in rows if row["step"]}
    waiting = await store.pool.fetchval("SELECT count(*) FROM webhook_deliveries WHERE state = 'pending'")
    return [
        Reading(UNCERTAIN, sum(row["moves"] for row in rows if row["step"] is None)),
        *(Reading(ASKED, moves, {STEP: step}) for step, moves in asked.items()),
        Reading(ASKED_AGE, max((row["age_s"] for row in rows), default=0.0)),
        Reading(WEBHOOKS, waiting),
    ]


# Each part by an index of its own: the moves that ended are many, and none of them is looked at.
_OPEN = """
SELECT step, count(*) AS moves, extract(epoch FROM now() - min(requested_at))::float8 AS age_s FROM (
    SELECT step, requested_at FROM remote_moves WHERE step = 'debit'
    UNION ALL SELECT step, requested_at FROM remote_moves WHERE step IN ('rollback', 'credit')
    UNION ALL SELECT NULL, requested_at FROM remote_moves WHERE uncertain
) AS open GROUP BY step
"""
