"""What each topic is heard by: its events are kept, then told to the read models, all in the batch's transaction."""

from collections.abc import Sequence

from pitstream.events import Recorded
from pitstream.runtime import Handler, Transaction
from pitstream.runtime.settings import TOPIC_SOURCES
from pitstream.services.ops import told
from pitstream.services.ops.projector import Projector


def handlers(projector: Projector) -> dict[str, Handler]:
    """By topic: the same for all of them."""

    async def hear(tx: Transaction, batch: Sequence[Recorded]) -> None:
        # The disk is not waited for: what a crash of PostgreSQL takes goes with its checkpoint, and is heard again.
        await tx.conn.execute("SET LOCAL synchronous_commit = off")
        await told.keep(tx, batch)
        await projector(tx.conn, batch)

    return dict.fromkeys(TOPIC_SOURCES, hear)
