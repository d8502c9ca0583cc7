"""Whatever a floorperson rules, every cent is somewhere. Method: a dealer's terminal plays a round at the real
services, rulings in between; then the accounts, the meter and the ledger are asked."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from pitstream.cli.client import Client
from pitstream.cli.testing import EVERY_ROLE

pytestmark = pytest.mark.stack

BANKROLL = 100_000
METER = 1_000_000
TERMS = {
    "game": "ultimate_texas_holdem",
    "gaming_day": "2025-06-14",
    "currency": "USD",
    "paytables": {"ante": "A", "blind": "A", "play": "A", "trips": "A", "progressive": "sister-A"},
}
BET = {"ante": 1000, "blind": 1000, "trips": 500, "progressive": 100}


@dataclass
class Floor:
    """A table, its network and three players of this test alone."""

    client: Client
    mark: str = field(default_factory=lambda: uuid.uuid4().hex[:8])

    @property
    def table(self) -> str:
        return f"uth-{self.mark}"

    def player(self, seat: int) -> str:
        return f"p{seat}-{self.mark}"

    async def does(self, service: str, path: str, **body: Any) -> Any:
        return await self.client.command(service, path, body, command_id=uuid.uuid4(), by=EVERY_ROLE)

    async def plays(self, step: str, **body: Any) -> Any:
        """A step of the round, once no wager waits for its money any more."""
        path = f"/v1/tables/{self.table}/rounds/1"
        view = await self.does("table", f"{path}/{step}", **body)
        while view["waiting_for"]:
            view = await self.client.get("table", path, after_version=view["version"], wait_ms=10_000)
        return view

    async def is_settled(self) -> None:
        """Returns when the wallet has resolved every hold and the network has closed the round."""
        network, version = f"n-{self.mark}", 0
        async with asyncio.timeout(60):
            while True:
                view = await self.client.get(
                    "progressive", f"/v1/networks/{network}", after_version=version, wait_ms=500
                )
                held = [(await self.account(seat))["held"] for seat in (1, 2, 3)]
                if view["closed_rounds"].get(self.table) == 1 and not any(held):
                    return
                version = view["version"]

    async def account(self, seat: int) -> Any:
        return await self.client.get("wallet", f"/v1/accounts/player/{self.player(seat)}/USD")

    async def balances(self) -> dict[int, tuple[int, int, int]]:
        """Seat -> balance, held, available."""
        accounts = {seat: await self.account(seat) for seat in (1, 2, 3)}
        return {seat: (each["balance"], each["held"], each["available"]) for seat, each in accounts.items()}

    async def meter(self) -> tuple[int, str]:
        (meter,) = (await self.client.get("progressive", f"/v1/networks/n-{self.mark}"))["meters"]
        return meter["amount"], meter["carry"]


@pytest.fixture
async def floor(platform: Any) -> AsyncIterator[Floor]:
    """Three players have bet and their money is held; nothing is dealt yet."""
    async with Client(platform.addresses, patience_s=30) as client:
        floor = Floor(client)
        meter = {"meter": "main", "seed": METER, "amount": METER, "rate": "1/3"}
        await floor.does("progressive", f"/v1/networks/n-{floor.mark}/open", currency="USD", meters=[meter])
        await floor.does("table", f"/v1/tables/{floor.table}/open", **TERMS, network=f"n-{floor.mark}")
        await floor.does("table", f"/v1/tables/{floor.table}/rounds", round_id=f"r-{floor.mark}", options={})
        for seat in (1, 2, 3):
            await floor.does("wallet", f"/v1/players/{floor.player(seat)}/USD/deposits", amount=BANKROLL)
            await floor.plays("wagers", seat=seat, player=floor.player(seat), stakes=BET)
        assert await floor.balances() == dict.fromkeys((1, 2, 3), (BANKROLL, 2600, BANKROLL - 2600))
        yield floor


async def deal(floor: Floor) -> None:
    """Seat 3 went away, so seats 1 and 2 are dealt in; the top card lay face up."""
    await floor.plays("leave", seat=3, reason="called away")
    await floor.plays("set-aside", card="Qc", reason="face up in the deck")
    hands = [{"seat": 1, "cards": ["4d", "Ks"]}, {"seat": 2, "cards": ["2d", "8c"]}]
    await floor.plays("deal", hands=hands, dealer=["3c", "5d"])
    await floor.plays("decisions", seat=1, choice="4x")
    assert (await floor.balances())[1] == (BANKROLL, 6600, BANKROLL - 6600)


async def test_a_void_round_returns_every_stake_every_hold_and_every_contribution(platform: Any, floor: Floor):
    await deal(floor)
    await floor.plays("forfeit", seat=2, reason="exchanged information")
    await floor.plays("void", kind="shuffler_jam", reason="the second deck is short")
    await floor.is_settled()
    assert await floor.balances() == dict.fromkeys((1, 2, 3), (BANKROLL, 0, BANKROLL))
    assert await floor.meter() == (METER, "0/3")
    ledger = await floor.client.get("wallet", "/v1/ledger/check")
    assert (ledger["ok"], ledger["open_holds"]) == (True, 0)
    story = platform.asked("replay", f"{floor.table}/1")
    assert "seat 3 went away before the deal, its wagers are off: called away (t.boss)" in story
    assert "set aside unused Q♣: face up in the deck (t.boss)" in story
    assert "the round is void: shuffler jam, the second deck is short (t.boss)" in story
    assert "(policy void_round = returns_all)" in " ".join(story.split())


async def test_a_seat_that_is_left_is_played_to_the_end_and_one_left_before_the_deal_costs_nothing(floor: Floor):
    await deal(floor)
    await floor.plays("leave", seat=2, reason="taken ill")
    await floor.plays("community", cards=["9h", "Ah", "Kh"], burned=["Ac"])
    view = await floor.plays("community", cards=["Ts", "7h"], burned=["Jc"])
    assert [seat["decisions"] for seat in view["seats"]] == [["4x"], ["check", "check", "fold"]]
    await floor.plays("finish")
    await floor.is_settled()
    # Seat 1: a pair of kings beats ace high, which is less than a pair: Play pays, Ante and Blind push, the rest loses.
    assert await floor.balances() == {
        1: (BANKROLL + 4000 - 600, 0, BANKROLL + 4000 - 600),
        2: (BANKROLL - 2600, 0, BANKROLL - 2600),
        3: (BANKROLL, 0, BANKROLL),
    }
    assert await floor.meter() == (METER + 66, "2/3")
    assert (await floor.client.get("wallet", "/v1/ledger/check"))["ok"]
