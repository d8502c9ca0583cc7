"""One network, two tables: a round that is declared void after the other table fed the meter, and the three sides of
the network beside each other. Method: a dealer's terminal at the real services, and `pitstream reconcile`."""

import asyncio
import json
import uuid
from typing import Any

import pytest

from pitstream.cli.client import Client
from pitstream.cli.testing import EVERY_ROLE

pytestmark = pytest.mark.stack

TERMS = {
    "game": "ultimate_texas_holdem",
    "gaming_day": "2025-06-14",
    "currency": "USD",
    "paytables": {"ante": "A", "blind": "A", "play": "A", "progressive": "sister-A"},
}
METER = {"meter": "main", "seed": 1_000_000, "amount": 1_000_000, "rate": "1/3"}
HANDS = {"hands": [{"seat": 1, "cards": ["4d", "Ks"]}], "dealer": ["3c", "5d"]}


class Terminal:
    """A dealer's terminal at tables of this test alone, all on one network."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.mark = uuid.uuid4().hex[:8]
        self.network = f"n-{self.mark}"

    async def does(self, service: str, path: str, **body: Any) -> Any:
        return await self.client.command(service, path, body, command_id=uuid.uuid4(), by=EVERY_ROLE)

    async def opens(self, *tables: str) -> None:
        await self.does("progressive", f"/v1/networks/{self.network}/open", currency="USD", meters=[METER])
        for table in tables:
            player = f"/v1/players/{table}-p-{self.mark}/USD/deposits"
            await self.does("wallet", player, amount=1_000_000)
            await self.does("table", f"/v1/tables/{table}-{self.mark}/open", **TERMS, network=self.network)

    async def plays(self, table: str, round_no: int, step: str, **body: Any) -> Any:
        path = f"/v1/tables/{table}-{self.mark}/rounds/{round_no}"
        view = await self.does("table", f"{path}/{step}", **body)
        while view["waiting_for"]:
            view = await self.client.get("table", path, after_version=view["version"], wait_ms=10_000)
        return view

    async def deals(self, table: str, round_no: int, progressive: int) -> None:
        """A round up to the end of its betting: from here on the meter has its share."""
        rounds = f"/v1/tables/{table}-{self.mark}/rounds"
        await self.does("table", rounds, round_id=f"{table}-{round_no}", options={})
        stakes = {"ante": 1000, "blind": 1000, "progressive": progressive}
        await self.plays(table, round_no, "wagers", seat=1, player=f"{table}-p-{self.mark}", stakes=stakes)
        await self.plays(table, round_no, "deal", **HANDS)

    async def folds(self, table: str, round_no: int) -> None:
        await self.plays(table, round_no, "decisions", seat=1, choice="check")
        await self.plays(table, round_no, "community", cards=["9h", "Ah", "Kh"], burned=["Ac"])
        await self.plays(table, round_no, "decisions", seat=1, choice="check")
        await self.plays(table, round_no, "community", cards=["Ts", "7h"], burned=["Jc"])
        await self.plays(table, round_no, "decisions", seat=1, choice="fold")
        await self.plays(table, round_no, "finish")

    async def meter_is(self, amount: int, carry: str) -> None:
        """Returns when the meter stands there; fails with where it stands after half a minute."""
        for _ in range(300):
            (meter,) = (await self.client.get("progressive", f"/v1/networks/{self.network}"))["meters"]
            if (meter["amount"], meter["carry"]) == (amount, carry):
                return
            await asyncio.sleep(0.1)
        assert (meter["amount"], meter["carry"]) == (amount, carry)


async def test_a_void_round_takes_back_what_it_gave_whoever_fed_the_meter_since(platform: Any) -> None:
    async with Client(platform.addresses, patience_s=60) as client:
        floor = Terminal(client)
        await floor.opens("a", "b")
        await floor.deals("a", 1, 100)
        await floor.meter_is(1_000_033, "1/3")
        await floor.deals("b", 1, 200)
        await floor.meter_is(1_000_100, "0/3")
        await floor.folds("b", 1)
        await floor.deals("b", 2, 50)
        await floor.plays("a", 1, "void", kind="misdeal", reason="three cards to a seat")
        await floor.deals("a", 2, 1)
        await floor.folds("a", 2)
        await floor.folds("b", 2)
        await floor.meter_is(1_000_083, "2/3")  # (200 + 50 + 1) / 3
        # The ledger hears of the return a moment after the network does.
        path, balance = f"/v1/accounts/meter/{floor.network}/main/USD", None
        async with asyncio.timeout(30):
            while balance != 1_000_083:
                balance = (await client.get("wallet", path))["balance"]
                await asyncio.sleep(0.1)
        report = await reconciled(platform, floor.network)
    assert report == {
        "network": floor.network,
        "agrees": True,
        "tables": [
            table_told(f"a-{floor.mark}", wagered=1, rose=report["tables"][0]["meters"]["main"]["rose"]),
            table_told(f"b-{floor.mark}", wagered=250, rose=report["tables"][1]["meters"]["main"]["rose"]),
        ],
    }
    assert sum(one["meters"]["main"]["rose"] for one in report["tables"]) == 83


def table_told(table: str, *, wagered: int, rose: int) -> dict[str, Any]:
    """A table whose three sides agree."""
    meters = {"main": {"rose": rose, "posted": rose, "difference": 0}}
    fields = {"table": table, "wagered": wagered, "taken": wagered, "difference": 0}
    return {**fields, "meters": meters, "incidents": []}


async def reconciled(platform: Any, network: str) -> Any:
    """The report once what was on its way has arrived."""
    for _ in range(100):
        done = platform.pitstream("reconcile", "--network", network, "--json")
        report = json.loads(done.stdout)
        assert (done.returncode == 0) is report["agrees"], done.stderr
        if report["agrees"]:
            return report
        await asyncio.sleep(0.2)
    return report


def test_an_unknown_network_is_refused(platform: Any) -> None:
    done = platform.pitstream("reconcile", "--network", "nobody-s")
    assert (done.returncode, "unknown_network" in done.stderr) == (1, True)
