"""What every service shows of itself as gauges: how far behind it is, what waits, its connections to the database."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pitstream.runtime import telemetry
from pitstream.runtime.delivery import outbox_of
from pitstream.runtime.metrics import Gauges, Reading
from pitstream.runtime.store import Store
from pitstream.runtime.watchdog import LagWatch, delay

if TYPE_CHECKING:
    from pitstream.runtime.relay import Relay

SHOWN = (
    telemetry.LAG, telemetry.OUTBOX, telemetry.OUTBOX_AGE, telemetry.RELAY_OWNER, telemetry.DEAD_LETTERS,
    telemetry.PARKED_KEYS, telemetry.PARKED, telemetry.DB_CONNECTIONS, telemetry.DB_CONNECTIONS_MAX,
    telemetry.LOOP_LATE,
)  # fmt: skip


def of_service(
    topics: Sequence[str], lags: Callable[[], Sequence[LagWatch]], relay: Callable[[], "Relay | None"]
) -> Gauges:
    """Reads the gauges of a service that reads ``topics``: where nothing waits it stands at 0."""

    async def read(store: Store) -> list[Reading]:
        return [*_of_process(store, lags(), relay()), *await _of_schema(store, topics)]

    return read


def _of_process(store: Store, lags: Sequence[LagWatch], relay: "Relay | None") -> list[Reading]:
    idle = store.pool.get_idle_size()
    found = [
        Reading(telemetry.DB_CONNECTIONS, idle, {telemetry.DB_STATE: "idle"}),
        Reading(telemetry.DB_CONNECTIONS, store.pool.get_size() - idle, {telemetry.DB_STATE: "used"}),
        Reading(telemetry.DB_CONNECTIONS_MAX, store.pool.get_max_size()),
        Reading(telemetry.RELAY_OWNER, int(relay is not None and relay.owner)),
        Reading(telemetry.LOOP_LATE, delay.latest_s),
    ]
    for one in lags:
        if one.lag is not None:
            read = {telemetry.MESSAGING_DESTINATION: one.consumer.topic, telemetry.MESSAGING_GROUP: one.consumer.group}
            found.append(Reading(telemetry.LAG, one.lag, read))
    return found


async def _of_schema(store: Store, topics: Sequence[str]) -> list[Reading]:
    outbox = await outbox_of(store)
    age_us = 0 if outbox["oldest_us"] is None else max(0, store.clock_us() - outbox["oldest_us"])
    found = [Reading(telemetry.OUTBOX, outbox["waiting"]), Reading(telemetry.OUTBOX_AGE, age_us / 1e6)]
    letters = {(topic, ""): 0 for topic in topics}
    for row in await store.pool.fetch(_DEAD_LETTERS):
        letters.pop((row["topic"], ""), None)
        letters[row["topic"], row["reason"]] = row["waiting"]
    for (topic, reason), waiting in letters.items():
        told = {telemetry.MESSAGING_DESTINATION: topic} | ({telemetry.REASON: reason} if reason else {})
        found.append(Reading(telemetry.DEAD_LETTERS, waiting, told))
    parked = dict.fromkeys(topics, (0, 0))
    parked |= {row["topic"]: (row["keys"], row["records"]) for row in await store.pool.fetch(_PARKED)}
    for topic, (keys, records) in parked.items():
        read = {telemetry.MESSAGING_DESTINATION: topic}
        found += [Reading(telemetry.PARKED_KEYS, keys, read), Reading(telemetry.PARKED, records, read)]
    return found


_DEAD_LETTERS = "SELECT topic, reason, count(*) AS waiting FROM dead_letters WHERE retried_at_us IS NULL GROUP BY 1, 2"
_PARKED = """
SELECT topic, count(DISTINCT key) AS keys, sum(records)::bigint AS records FROM (
    SELECT topic, key, 0 AS records FROM key_positions WHERE blocked_by IS NOT NULL
    UNION ALL SELECT topic, key, 1 FROM parked
) AS standing GROUP BY topic
"""
