"""What each topic is heard by: its events are kept, then told to the read models, all in the batch's transaction."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from pitstream.events import Recorded
from pitstream.events.progressives import TOPIC as PROGRESSIVES
from pitstream.events.rounds import TOPIC as ROUNDS
from pitstream.events.settlements import TOPIC as SETTLEMENTS
from pitstream.events.wallet import TOPIC as WALLET
from pitstream.runtime import Handler, Transaction
from pitstream.services.ops import floor_store, told
from pitstream.services.ops.on_floor import TableRow, after
from pitstream.services.ops.rounds_live import LiveRounds


@dataclass(frozen=True)
class Hearing:
    """The read models' ears."""

    live: LiveRounds = field(default_factory=LiveRounds)

    @property
    def handlers(self) -> dict[str, Handler]:
        """By topic."""
        return {
            ROUNDS: self.rounds,
            SETTLEMENTS: self.settlements,
            PROGRESSIVES: self.progressives,
            WALLET: self.wallet,
        }

    async def rounds(self, tx: Transaction, batch: Sequence[Recorded]) -> None:
        await told.keep(tx, batch)
        tables = await floor_store.rows_of(tx, sorted({recorded.envelope.key for recorded in batch}))
        for recorded, state in zip(batch, await self.live.after_each(tx.conn, batch), strict=True):
            table = recorded.envelope.key
            row = tables.get(table) or TableRow(table)
            tables[table] = after(row, recorded.event, state, recorded.envelope.recorded_at_us)
        await floor_store.write(tx, tables.values())

    async def settlements(self, tx: Transaction, batch: Sequence[Recorded]) -> None:
        await told.keep(tx, batch)

    async def progressives(self, tx: Transaction, batch: Sequence[Recorded]) -> None:
        await told.keep(tx, batch)

    async def wallet(self, tx: Transaction, batch: Sequence[Recorded]) -> None:
        await told.keep(tx, batch)
