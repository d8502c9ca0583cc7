"""What the wallet's tests share: facts of other services in few words, and the wallet on real parts."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from importlib.resources import files
from types import SimpleNamespace
from typing import Any

import asyncpg
import pytest
from aiokafka import AIOKafkaProducer

from pitstream.events import Event, Recorded, ids, open_envelope, seal
from pitstream.events.prizes import PrizeApproved, PrizePending, PrizeRefused
from pitstream.events.rounds import RoundOpened, Stake, WagersPlaced
from pitstream.events.settlements import Award, Line, RoundResettled, RoundSettled, SeatResettled, SeatSettlement
from pitstream.runtime import Store
from pitstream.services.wallet.app import build
from pitstream.services.wallet.config import WalletSettings
from pitstream.stack import Stack


def placed(
    seat: int, player: str, *, table: str = "t1", round_no: int = 1, bundle: int = 1, **stakes: int
) -> WagersPlaced:
    return WagersPlaced(
        table=table,
        round_no=round_no,
        seat=seat,
        player=player,
        bundle=bundle,
        currency="USD",
        stakes=tuple(Stake(wager=wager, stake=stake) for wager, stake in stakes.items()),
    )


def seat_of(seat: int, player: str, *lines: Line, awards: Sequence[Award] = ()) -> SeatSettlement:
    return SeatSettlement(seat=seat, player=player, lines=lines, awards=tuple(awards))


def settled(*seats: SeatSettlement, table: str = "t1", round_no: int = 1, void: bool = False) -> RoundSettled:
    return RoundSettled(
        table=table,
        round_no=round_no,
        round_id="r1",
        game="ultimate_texas_holdem",
        gaming_day="2026-01-02",
        currency="USD",
        void=void,
        seats=seats,
        order=tuple(seat.seat for seat in reversed(seats)),
        rules_version="1",
        closed_by="",
    )


def resettled(first: RoundSettled, *seats: SeatSettlement, was: RoundResettled | None = None) -> RoundResettled:
    """The round that ``first`` settled comes to this after a correction of it, the first one unless one ``was``."""
    before = {seat.seat: seat for seat in (first if was is None else was).seats}
    after = {seat.seat: seat for seat in seats}
    number = 1 if was is None else was.correction + 1
    return RoundResettled(
        **{name: getattr(first, name) for name in ("table", "round_no", "round_id", "game", "gaming_day", "currency")},
        seats=seats,
        order=tuple(after),
        rules_version="1",
        closed_by=f"c{number}",
        supersedes=f"s{number - 1}",
        correction=number,
        changes=tuple(
            SeatResettled(seat=seat, was=before.get(seat), becomes=after.get(seat), posted_in=number - 1)
            for seat in sorted(before.keys() | after.keys())
            if before.get(seat) != after.get(seat)
        ),
        reason="camera 4",
        proposed_by="f.one",
        confirmed_by="a.two",
    )


def lost(wager: str, stake: int) -> Line:
    return Line(wager=wager, stake=stake, outcome="lose", returned=0, won=0, rule="")


def won(wager: str, stake: int, amount: int) -> Line:
    return Line(wager=wager, stake=stake, outcome="win", returned=stake, won=amount, rule="")


def pushed(wager: str, stake: int) -> Line:
    return Line(wager=wager, stake=stake, outcome="push", returned=stake, won=0, rule="")


def voided(wager: str, stake: int) -> Line:
    return Line(wager=wager, stake=stake, outcome="void", returned=stake, won=0, rule="")


_SOURCES = {"rounds.v1": "table", "settlements.v1": "settlement", "progressives.v1": "progressive"}


def _stream_and_key(event: Event) -> tuple[str, str]:
    match event:
        case RoundOpened() | WagersPlaced():
            return ids.round_stream(event.table, event.round_no), event.table
        case RoundSettled() | RoundResettled():
            return ids.settlement_stream(event.table, event.round_no), event.table
        case PrizePending() | PrizeApproved() | PrizeRefused():
            return ids.prize_stream(event.table, event.round_no), event.table
        case _:
            network: str = event.network  # type: ignore[attr-defined]
            return ids.progressive_stream(network), network


class Heard:
    """Facts as another service stored them, each chained to the one before it in its stream and in its key."""

    def __init__(self) -> None:
        self._streams: dict[str, tuple[int, bytes]] = {}
        self._keys: dict[tuple[str, str], int] = {}

    def __call__(self, *events: Event) -> list[Recorded]:
        return [self._recorded(event) for event in events]

    def _recorded(self, event: Event) -> Recorded:
        stream, key = _stream_and_key(event)
        version, previous_hash = self._streams.get(stream, (0, b""))
        sequence = self._keys[event.topic, key] = self._keys.get((event.topic, key), 0) + 1
        recorded = open_envelope(
            seal(
                event,
                stream=stream,
                version=version + 1,
                source=_SOURCES[event.topic],
                key=key,
                key_sequence=sequence,
                recorded_at_us=1_700_000_000_000_000,
                cause_id="c1",
                actor="test",
                traceparent="",
                previous_hash=previous_hash,
            )
        )
        self._streams[stream] = (version + 1, recorded.hash)
        return recorded


@dataclass(frozen=True)
class Floor:
    """Stands where the table, settlement and progressive services would: says facts on their topics."""

    producer: AIOKafkaProducer
    heard: Heard

    async def says(self, *events: Event) -> list[Recorded]:
        recorded = self.heard(*events)
        await self.repeats(recorded)
        return recorded

    async def repeats(self, published: Sequence[Recorded]) -> None:
        """The same bytes again, as a producer does that never saw its acknowledgements."""
        for recorded in published:
            key = recorded.envelope.key.encode("ascii")
            await self.producer.send_and_wait(recorded.event.topic, recorded.data, key=key)


@pytest.fixture(scope="session")
def say(until: Callable[..., Awaitable[Any]]) -> SimpleNamespace:
    """Builders of facts, by the floor's words."""
    return SimpleNamespace(
        placed=placed,
        seat=seat_of,
        settled=settled,
        resettled=resettled,
        lost=lost,
        won=won,
        pushed=pushed,
        voided=voided,
        heard=Heard,
        until=until,
    )


@pytest.fixture(scope="session")
def wallet_database(stack: Stack, drop_database: Callable[[str], Coroutine[Any, Any, None]]) -> Iterator[str]:
    """The address of a database for the wallet's tests alone; one for all of them, since to make and to drop a database
    costs seconds on a busy machine."""
    name = f"wallet_{uuid.uuid4().hex}"

    async def create() -> None:
        admin = await asyncpg.connect(stack.postgres)
        await admin.execute(f"CREATE DATABASE {name}")
        await admin.close()

    asyncio.run(create())
    yield f"{stack.postgres.rpartition('/')[0]}/{name}"
    asyncio.run(drop_database(name))


@pytest.fixture
async def database(wallet_database: str) -> str:
    """The same, as empty as a new one."""
    admin = await asyncpg.connect(wallet_database)
    await admin.execute("DROP SCHEMA IF EXISTS wallet CASCADE")
    await admin.close()
    return wallet_database


@pytest.fixture
def open_store(database: str) -> Callable[[], AbstractAsyncContextManager[Store]]:
    """Opens the wallet's store; a second one is a second instance of the service."""
    return lambda: Store.open(database, service="wallet", migrations=files("pitstream.services.wallet") / "migrations")


@pytest.fixture
async def store(open_store: Callable[[], AbstractAsyncContextManager[Store]]) -> AsyncIterator[Store]:
    async with open_store() as opened:
        yield opened


@pytest.fixture
async def owner(database: str, store: Store) -> AsyncIterator[asyncpg.Connection]:
    """A connection of the schema's owner, who may do what the service may not."""
    connection = await asyncpg.connect(database, server_settings={"search_path": "wallet"})
    yield connection
    await connection.close()


@pytest.fixture
def serving(serving: Callable[..., AbstractAsyncContextManager[Any]]) -> Callable[[], Any]:
    """Runs the whole service on the wallet's database for the length of a block."""
    return lambda: serving(build, WalletSettings)


@pytest.fixture
async def floor(kafka: str) -> AsyncIterator[Floor]:
    async with AIOKafkaProducer(bootstrap_servers=kafka, acks="all", enable_idempotence=True) as producer:
        yield Floor(producer, Heard())
