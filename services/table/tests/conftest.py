"""A floor for the table service: a stand-in for the wallet, so that wagers can stand without the whole ledger."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer

from pitstream.events import Recorded, open_envelope, seal
from pitstream.events.ids import account_stream, hold_id, player_account
from pitstream.events.rounds import WagersPlaced
from pitstream.events.wallet import FundsDeclined, FundsHeld
from pitstream.services.table.app import build
from pitstream.services.table.config import TableSettings


@dataclass
class StandInWallet:
    """Holds whatever is bet, except what players in ``broke`` bet; silent while ``answering`` is not set."""

    producer: AIOKafkaProducer
    mark: str
    broke: set[str] = field(default_factory=set)
    answering: asyncio.Event = field(default_factory=asyncio.Event)
    published: list[Recorded] = field(default_factory=list)
    _last: dict[str, Recorded] = field(default_factory=dict)

    @property
    def table(self) -> str:
        """A table that no other test has."""
        return f"t-{self.mark}"

    def player(self, name: str) -> str:
        return f"{name}-{self.mark}"

    async def answer(self, placed: WagersPlaced) -> None:
        await self.answering.wait()
        account = player_account(placed.player, placed.currency)
        fields = {
            "account": account,
            "hold_id": hold_id(placed.table, placed.round_no, placed.seat, placed.bundle),
            "table": placed.table,
            "round_no": placed.round_no,
            "seat": placed.seat,
            "bundle": placed.bundle,
            "amount": sum(stake.stake for stake in placed.stakes),
        }
        broke = placed.player in self.broke
        event = FundsDeclined(**fields, reason="insufficient_funds") if broke else FundsHeld(**fields)
        last = self._last.get(account)
        version = last.version + 1 if last else 1
        data = seal(
            event,
            stream=account_stream(account),
            version=version,
            source="wallet",
            key=account,
            key_sequence=version,
            recorded_at_us=1_750_000_000_000_000,
            cause_id="",
            actor="test",
            traceparent="",
            previous_hash=last.hash if last else b"",
        )
        recorded = self._last[account] = open_envelope(data)
        self.published.append(recorded)
        await self.publish(recorded)

    async def publish(self, recorded: Recorded) -> None:
        key = recorded.envelope.key.encode("ascii")
        await self.producer.send_and_wait(recorded.event.topic, recorded.data, key=key)


@pytest.fixture
def wallet(producer: AIOKafkaProducer) -> StandInWallet:
    standing_in = StandInWallet(producer, uuid.uuid4().hex[:8])
    standing_in.answering.set()
    return standing_in


@pytest.fixture
async def client(serving: Any, kafka: str, wallet: StandInWallet) -> AsyncIterator[Any]:
    """The table service's HTTP edge, with the wallet listening to what it publishes."""
    async with serving(build, TableSettings) as serving_client:
        heard = asyncio.create_task(_hear_wagers(kafka, wallet))
        yield serving_client
        heard.cancel()
        with suppress(asyncio.CancelledError):
            await heard


async def _hear_wagers(kafka: str, standing_in: StandInWallet) -> None:
    async with AIOKafkaConsumer("rounds.v1", bootstrap_servers=kafka, auto_offset_reset="earliest") as consumer:
        async for record in consumer:
            event = open_envelope(record.value).event
            if isinstance(event, WagersPlaced) and event.table == standing_in.table:
                await standing_in.answer(event)
