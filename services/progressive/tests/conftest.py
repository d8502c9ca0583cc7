"""The progressive service as it runs: a database of its own, real HTTP, real topics."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import asyncpg
import pytest
import uvicorn
from aiokafka import AIOKafkaProducer

from pitstream.events import Event, Recorded, open_envelope, seal
from pitstream.events.ids import round_stream, settlement_stream
from pitstream.events.rounds import BettingClosed, WagerCount
from pitstream.events.settlements import Line, RoundSettled, SeatSettlement, Share
from pitstream.services.progressive.app import build
from pitstream.services.progressive.config import ProgressiveSettings
from pitstream.stack import Stack

Answer = tuple[int, Any]


@dataclass
class Client:
    """The service's HTTP edge; every POST has its own command id unless one is given."""

    session: aiohttp.ClientSession

    async def get(self, path: str, **query: Any) -> Answer:
        async with self.session.get(path, params=query) as response:
            return response.status, await response.json()

    async def post(self, path: str, body: Any, command_id: str | None = None) -> Answer:
        headers = {"Idempotency-Key": command_id or str(uuid.uuid4())}
        async with self.session.post(path, json=body, headers=headers) as response:
            return response.status, await response.json()


async def until(check: Callable[[], Awaitable[Any]], wait_s: float = 30.0) -> Any:
    """The first truthy answer of ``check``; fails after ``wait_s``."""
    deadline = asyncio.get_running_loop().time() + wait_s
    while not (found := await check()):
        if asyncio.get_running_loop().time() > deadline:
            pytest.fail(f"nothing after {wait_s} s")
        await asyncio.sleep(0.05)
    return found


@dataclass
class Floor:
    """Stands where the tables and the settlement service would. Names are new in each test, the topics are not."""

    producer: AIOKafkaProducer
    network: str
    tables: tuple[str, str]
    published: list[Recorded] = field(default_factory=list)
    _last: dict[tuple[str, str], int] = field(default_factory=dict)

    async def closes_betting(self, table: str, round_no: int, stakes: int) -> None:
        """The table service says how much stands on the progressive wager."""
        wagers = (WagerCount(wager="progressive", count=1, total=stakes),)
        event = BettingClosed(table=table, round_no=round_no, currency="USD", network=self.network, wagers=wagers)
        await self._publish("table", round_stream(table, round_no), table, event)

    async def settles(
        self, table: str, round_no: int, stakes: int, *shares: tuple[str, int], void: bool = False
    ) -> None:
        """The settlement service settles a round: one seat for each share, (meter, percent), or one that lost."""
        lines = [
            Line(
                wager="progressive",
                stake=stakes // len(shares),
                outcome="win",
                returned=0,
                won=0,
                rule="653a.11(k)",
                share=Share(meter=meter, percent=percent),
                paid_from="meter",
            )
            for meter, percent in shares
        ] or [
            Line(
                wager="progressive",
                stake=stakes,
                outcome="void" if void else "lose",
                returned=stakes if void else 0,
                won=0,
                rule="653a.11(k)",
            )
        ]
        seats = tuple(
            SeatSettlement(seat=number, player=f"p{number}", lines=(line,))
            for number, line in enumerate(lines, start=1)
        )
        event = RoundSettled(
            table=table,
            round_no=round_no,
            round_id=f"{table}-{round_no}",
            game="ultimate_texas_holdem",
            gaming_day="2025-06-14",
            currency="USD",
            void=void,
            seats=seats,
            order=tuple(seat.seat for seat in reversed(seats)),
            network=self.network,
            rules_version="1",
            closed_by="",
        )
        await self._publish("settlement", settlement_stream(table, round_no), table, event)

    async def delivers_everything_again(self) -> None:
        """Every event once more, byte for byte, as a producer does that never saw its acknowledgements."""
        for recorded in self.published:
            await self._send(recorded)

    async def _publish(self, source: str, stream: str, key: str, event: Event) -> None:
        sequence = self._last[source, key] = self._last.get((source, key), 0) + 1
        data = seal(
            event,
            stream=stream,
            version=1,
            source=source,
            key=key,
            key_sequence=sequence,
            recorded_at_us=1_750_000_000_000_000,
            cause_id="",
            actor="test",
            traceparent="",
            previous_hash=b"",
        )
        self.published.append(open_envelope(data))
        await self._send(self.published[-1])

    async def _send(self, recorded: Recorded) -> None:
        key = recorded.envelope.key.encode("ascii")
        await self.producer.send_and_wait(recorded.event.topic, recorded.data, key=key)


@pytest.fixture
async def database(stack: Stack) -> AsyncIterator[str]:
    """The address of a new, empty database; dropped afterwards."""
    name = f"test_{uuid.uuid4().hex}"
    admin = await asyncpg.connect(stack.postgres)
    await admin.execute(f"CREATE DATABASE {name}")
    yield f"{stack.postgres.rpartition('/')[0]}/{name}"
    await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await admin.close()


@pytest.fixture(name="until")
def _until() -> Callable[..., Awaitable[Any]]:
    return until


@pytest.fixture
def serving(stack: Stack, database: str) -> Callable[[], AbstractAsyncContextManager[Client]]:
    """Runs the service on the test's own database for the length of a block."""

    @asynccontextmanager
    async def run() -> AsyncIterator[Client]:
        settings = ProgressiveSettings(kafka=stack.kafka, postgres=database, port=0)
        server = uvicorn.Server(uvicorn.Config(build(settings).app, host="127.0.0.1", port=0, log_config=None))
        running = asyncio.create_task(server.serve())

        async def port() -> int | None:
            if running.done():
                await running
            return server.servers[0].sockets[0].getsockname()[1] if server.started else None

        address = f"http://127.0.0.1:{await until(port, wait_s=60)}"
        async with aiohttp.ClientSession(address) as session:
            yield Client(session)
        server.should_exit = True
        await running

    return run


@pytest.fixture
async def floor(stack: Stack) -> AsyncIterator[Floor]:
    """A network and two tables that no other test has."""
    mark = uuid.uuid4().hex[:8]
    async with AIOKafkaProducer(bootstrap_servers=stack.kafka, acks="all", enable_idempotence=True) as producer:
        yield Floor(producer, f"uth-{mark}", (f"t1-{mark}", f"t2-{mark}"))
