"""Progressive networks, as they come: which there are, and for which rounds they have answered."""

from collections.abc import Sequence
from typing import Final

from pitstream.events import Recorded
from pitstream.events.progressives import (
    ContributionQuestioned,
    ContributionsReturned,
    MeterRetired,
    NetworkOpened,
    RoundClosed,
    WagersContributed,
)
from pitstream.runtime import Transaction
from pitstream.services.table import network_store

ANSWERS: Final = (WagersContributed, ContributionsReturned, ContributionQuestioned, RoundClosed)
"""What a network says of one round of one table. It takes a table's rounds in order."""


async def hear_networks(tx: Transaction, batch: Sequence[Recorded]) -> None:
    """A batch of ``progressives.v1``. What a table makes of it, it decides when it next asks."""
    answered: dict[tuple[str, str], int] = {}
    for recorded in batch:
        event = recorded.event
        match event:
            case NetworkOpened():
                await network_store.add_network(tx.conn, event)
            case MeterRetired():
                await network_store.retire_meter(tx.conn, event.network, event.meter)
            case WagersContributed() | ContributionsReturned() | ContributionQuestioned() | RoundClosed():
                # What a network says of one round of a table. It takes a table's rounds in order.
                key = (event.network, event.table)
                answered[key] = max(event.round_no, answered.get(key, 0))
            case _:
                pass
    if answered:
        await network_store.set_answered(tx.conn, dict(sorted(answered.items())))
