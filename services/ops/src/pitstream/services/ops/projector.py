"""From events to the read models: the one place where each topic's events are told to each table."""

from collections.abc import Sequence

from pitstream.accounting.properties import Properties
from pitstream.events import Recorded
from pitstream.events.corrections import ContributionCorrected
from pitstream.events.progressives import TOPIC as PROGRESSIVES
from pitstream.events.progressives import ContributionsReturned, WagersContributed
from pitstream.events.rounds import TOPIC as ROUNDS
from pitstream.events.settlements import TOPIC as SETTLEMENTS
from pitstream.events.wallet import TOPIC as WALLET
from pitstream.runtime.principal import owner_of
from pitstream.services.ops import floor_store, ledger_store, round_store, thing_store
from pitstream.services.ops.ledger import moved
from pitstream.services.ops.of_rounds import played, settled
from pitstream.services.ops.on_floor import TableRow, Told, after
from pitstream.services.ops.rounds_live import LiveRounds
from pitstream.services.ops.things import Key
from pitstream.services.ops.told import Connection

TABLES = (
    "floor", "rounds", "posted", "seats", "day_wagers", "table_days", "things", "contributions", "accounts", "flow",
)  # fmt: skip
"""What is made here, and can be made anew from the kept events."""
_MINUTE_US = 60_000_000
_TEN_S_US = 10_000_000


class Projector:
    """Tells events to the read models, through whichever connection. The events are kept (``told``) before.

    ``follows``: whoever follows changes is told of them; not while the tables are made anew.
    """

    def __init__(self, properties: Properties, *, follows: bool = True) -> None:
        self._properties = properties
        self._follows = follows
        self._live = LiveRounds()

    async def __call__(self, conn: Connection, events: Sequence[Recorded]) -> None:
        """Tell events of any topics, those of a key in their order."""
        by_topic: dict[str, list[Recorded]] = {}
        for recorded in events:
            by_topic.setdefault(recorded.event.topic, []).append(recorded)
        for topic, batch in by_topic.items():
            await _flow(conn, topic, batch)
            touched = await thing_store.tell(conn, batch)
            match topic:
                case _ if topic == ROUNDS:
                    touched += await self._rounds(conn, batch)
                case _ if topic == SETTLEMENTS:
                    touched += await self._settlements(conn, batch)
                case _ if topic == PROGRESSIVES:
                    await _contributions(conn, batch)
                    await round_store.write_refused(conn, batch)
                case _ if topic == WALLET:
                    await ledger_store.write(conn, moved(batch))
                case _:
                    raise ValueError(f"topic: was {topic!r}; allowed: the four that are heard")
            if self._follows:
                await thing_store.touch(conn, touched)

    async def _rounds(self, conn: Connection, batch: Sequence[Recorded]) -> list[Key]:
        names = sorted({recorded.envelope.key for recorded in batch})
        tables = await floor_store.rows_of(conn, names)
        states = await self._live.after_each(conn, batch)
        of_table: dict[str, list[Told]] = {name: [] for name in names}
        for recorded, state in zip(batch, states, strict=True):
            of_table[recorded.envelope.key].append(Told(recorded.event, state, recorded.envelope.recorded_at_us))
        await floor_store.write(
            conn, [after(tables.get(name) or TableRow(name), told) for name, told in of_table.items()]
        )
        await round_store.write_played(conn, played(zip(batch, states, strict=True)))
        return [("table", name) for name in names]

    async def _settlements(self, conn: Connection, batch: Sequence[Recorded]) -> list[Key]:
        every = [settled(one, self._properties, owner_of(one.envelope.key)) for one in batch]
        found = [one for one in every if one is not None]
        await round_store.write_settled(conn, found)
        return [("table", one.table_id) for one in found]


async def _contributions(conn: Connection, batch: Sequence[Recorded]) -> None:
    sums: dict[tuple[str, str, int], list[int]] = {}
    for recorded in batch:
        event = recorded.event
        match event:
            case WagersContributed():
                rounds, stakes = 1, event.stakes
            case ContributionsReturned():
                rounds, stakes = -1, -event.stakes
            case ContributionCorrected():
                rounds, stakes = 0, event.stakes_after - event.stakes_before
            case _:
                continue
        minute = recorded.envelope.recorded_at_us // _MINUTE_US * _MINUTE_US
        for fed in event.contributions:
            total = sums.setdefault((event.network, fed.meter, minute), [0, 0, 0])
            total[0] += rounds
            total[1] += stakes
            total[2] += fed.posted + fed.overflow_posted
    await conn.executemany(_CONTRIBUTIONS, [(*key, *total) for key, total in sorted(sums.items())])


async def _flow(conn: Connection, topic: str, batch: Sequence[Recorded]) -> None:
    counts: dict[int, int] = {}
    for recorded in batch:
        ten_s = recorded.envelope.recorded_at_us // _TEN_S_US
        counts[ten_s] = counts.get(ten_s, 0) + 1
    await conn.executemany(_FLOW, [(topic, ten_s, events) for ten_s, events in sorted(counts.items())])


_CONTRIBUTIONS = """
INSERT INTO contributions (network, meter, minute_us, rounds, stakes, posted) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT ON CONSTRAINT contributions_once DO UPDATE SET
    rounds = contributions.rounds + excluded.rounds, stakes = contributions.stakes + excluded.stakes,
    posted = contributions.posted + excluded.posted
"""
_FLOW = """
INSERT INTO flow (topic, ten_s, events) VALUES ($1, $2, $3)
ON CONFLICT ON CONSTRAINT flow_once DO UPDATE SET events = flow.events + excluded.events
"""
