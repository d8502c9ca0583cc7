"""What the wallet's tests share: facts of other services in few words, and a wallet's schema on a real PostgreSQL."""

from collections.abc import AsyncIterator, Callable, Sequence
from importlib.resources import files
from types import SimpleNamespace

import asyncpg
import pytest

from pitstream.events import Event, Recorded, ids, open_envelope, seal
from pitstream.events.rounds import Stake, WagersPlaced
from pitstream.events.settlements import Award, Line, RoundSettled, SeatSettlement
from pitstream.runtime import Store


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
        case WagersPlaced():
            return ids.round_stream(event.table, event.round_no), event.table
        case RoundSettled():
            return ids.settlement_stream(event.table, event.round_no), event.table
        case _:
            network: str = event.network  # type: ignore[attr-defined]
            return ids.progressive_stream(network), network


class Heard:
    """Facts as another service stored them, each on its stream's next version."""

    def __init__(self) -> None:
        self._versions: dict[str, int] = {}

    def __call__(self, *events: Event) -> list[Recorded]:
        return [self._recorded(event) for event in events]

    def _recorded(self, event: Event) -> Recorded:
        stream, key = _stream_and_key(event)
        self._versions[stream] = self._versions.get(stream, 0) + 1
        self._versions[key] = self._versions.get(key, 0) + 1
        return open_envelope(
            seal(
                event,
                stream=stream,
                version=self._versions[stream],
                source=_SOURCES[event.topic],
                key=key,
                key_sequence=self._versions[key],
                recorded_at_us=1_700_000_000_000_000,
                cause_id="c1",
                actor="test",
                traceparent="",
                previous_hash=b"",
            )
        )


@pytest.fixture(scope="session")
def say() -> SimpleNamespace:
    """Builders of facts, by the floor's words."""
    return SimpleNamespace(
        placed=placed,
        seat=seat_of,
        settled=settled,
        lost=lost,
        won=won,
        pushed=pushed,
        voided=voided,
        heard=Heard,
    )


@pytest.fixture
async def open_store(stack) -> AsyncIterator[Callable]:
    """Opens stores of one fresh wallet in a database of its own; a second store is a second instance of the service."""
    admin = await asyncpg.connect(stack.postgres)
    await admin.execute("DROP DATABASE IF EXISTS wallet_tests WITH (FORCE)")
    await admin.execute("CREATE DATABASE wallet_tests")
    postgres = stack.postgres.rpartition("/")[0] + "/wallet_tests"

    def opened():
        return Store.open(postgres, service="wallet", migrations=files("pitstream.services.wallet") / "migrations")

    opened.postgres = postgres
    yield opened
    await admin.execute("DROP DATABASE wallet_tests WITH (FORCE)")
    await admin.close()


@pytest.fixture
async def store(open_store) -> AsyncIterator[Store]:
    async with open_store() as opened:
        yield opened
