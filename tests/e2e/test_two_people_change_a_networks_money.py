"""A network with a reserve and a limit, through the real services: a meter is won whole and paid by hand, then two
people correct it, move money to another network and lower its limit. Method: the ledger's accounts beside amounts that
are worked out here, `pitstream meter --explain`, `pitstream audit` and `pitstream ledger check`."""

import asyncio
import json
import time
import uuid
from collections.abc import Mapping
from typing import Any

import pytest

from pitstream.cli.client import Client, RefusedError
from pitstream.cli.testing import EVERY_ROLE

pytestmark = pytest.mark.stack

TERMS = {"seed": 500_000, "rate": "1/5", "reserve_rate": "1/100", "limit": 1_000_050}
HOLDEM = {
    "schema": "pitstream.round/1",
    "game": "ultimate_texas_holdem",
    "gaming_day": "2025-06-14",
    "currency": "USD",
    "paytables": {"ante": "A", "blind": "A", "play": "A", "progressive": "sister-A"},
}


def played(round_id: str, table: str, player: str, cards: str, progressive: int) -> str:
    """A round of one seat at a board of three spades to a royal flush."""
    seat = {
        "seat": 1,
        "player": player,
        "cards": cards.split(),
        "wagers": {"ante": 1_000, "blind": 1_000, "progressive": progressive},
        "decisions": ["4x"],
    }
    board = {"dealer": ["3c", "5d"], "community": ["Qs", "Js", "Ts", "2c", "7d"]}
    # A record tells what its meters showed, for whoever settles it alone; here the network says so.
    meters = {"meters": {"main": 1_000_050}, "seeds": {"main": 500_000}}
    return json.dumps({**HOLDEM, **meters, "id": round_id, "table": table, "cards": board, "seats": [seat]})


async def stands_at(client: Client, expected: Mapping[str, int]) -> dict[str, int]:
    """What the accounts stand at, as soon as that is expected, or after half a minute."""
    deadline = time.monotonic() + 30
    while True:
        found = {}
        for account in expected:
            try:
                found[account] = int((await client.get("wallet", f"/v1/accounts/{account}/USD"))["balance"])
            except RefusedError:
                found[account] = 0
        if found == expected or time.monotonic() > deadline:
            return found
        await asyncio.sleep(0.2)


async def two_people(client: Client, network: str, **change: Any) -> Any:
    """One who has every role asks for it, the network's operator approves it; how the network stands then."""
    body = {"reason": "season", **change}
    at = f"/v1/networks/{network}/proposals"
    asked = await client.command("progressive", at, body, command_id=uuid.uuid4(), by=EVERY_ROLE)
    path = f"{at}/{asked['proposal_id']}/approve"
    with pytest.raises(RefusedError) as refused:
        await client.command("progressive", path, {}, command_id=uuid.uuid4(), by=EVERY_ROLE)
    assert refused.value.code == "same_person"
    return await client.command("progressive", path, {}, command_id=uuid.uuid4(), by="progressive")


async def test_the_ledger_follows_a_networks_money_wherever_two_people_send_it(platform: Any) -> None:
    mark = uuid.uuid4().hex[:8]
    network, other = f"ultimate-texas-holdem-{mark}", f"other-{mark}"
    async with Client(platform.addresses) as client:

        async def opens(name: str, **terms: Any) -> None:
            meter = {"meter": "main", "amount": 1_000_000, **TERMS, **terms}
            body = {"currency": "USD", "meters": [meter], "policy": "share"}
            path = f"/v1/networks/{name}/open"
            await client.command("progressive", path, body, command_id=uuid.uuid4(), by="progressive")

        await opens(network)
        await opens(other, limit=None)
        lines = [
            played(f"r1-{mark}", f"t1-{mark}", f"p1-{mark}", "4h 9c", 1_000),
            played(f"r2-{mark}", f"t2-{mark}", f"p2-{mark}", "As Ks", 500),
        ]
        came_to = await asyncio.to_thread(platform.feed, lines, "--network-suffix", f"-{mark}")
        # 1,000,000 + 200 + 100, of which the meter shows 1,000,050; it restarts with 500,000, of which the reserve had
        # 15, and with the 250 that had overflowed.
        assert came_to["meters"] == {"ultimate_texas_holdem": {"main": 500_250}}
        report = json.loads(platform.asked("meter", network, "--json"))["meters"][0]
        assert (report["hits"], report["wins"], report["reserve"], report["overflow"]) == (1, 1_000_050, 0, 0)
        assert [(hit["status"], hit["released_by"] is None) for hit in report["latest_hits"]] == [("paid", False)]

        await two_people(client, network, correction={"meter": "main", "change": -250})
        order = {"meter": "main", "to_network": other, "to_meter": "main", "amount": 400_000}
        await two_people(client, network, transfer=order)
        view = await two_people(
            client, network, terms={"meter": "main", "seed": 50_000, "rate": "1/7", "limit": 80_000}
        )
        assert (view["meters"][0]["amount"], view["meters"][0]["overflow"]) == (80_000, 20_000)
        expected = {
            f"meter/{network}/main": 80_000,
            f"overflow/{network}/main": 20_000,
            f"reserve/{network}/main": 0,
            f"meter/{other}/main": 1_400_000,
            f"transit/{network}": 0,
        }
        assert await stands_at(client, expected) == expected
    for name in (network, other):
        told = json.loads(platform.asked("meter", name, "--explain", "--json"))
        assert told["broken"] is None
        assert [line["differs"] for line in told["lines"] if line["differs"]] == []
    assert json.loads(platform.asked("ledger", "check", "--json"))["ok"]
    database = {"PITSTREAM_POSTGRES": platform.stack.postgres}
    audited = platform.pitstream("audit", "--service", "progressive", "--json", environ=database)
    assert audited.returncode == 0, audited.stdout + audited.stderr
