"""Three tables hit one meter within a round of each other, and everything else happens to it meanwhile: a limit and an
overflow, a refusal, new terms, a void round, a transfer. Method: dealers' terminals at the real services; amounts are
worked out here; then `pitstream meter --explain`, `reconcile`, `ledger check` and `audit`."""

import asyncio
import json
import time
import uuid
from typing import Any

import pytest

from pitstream.cli.client import Client, RefusedError
from pitstream.cli.testing import EVERY_ROLE
from pitstream.events.ids import claim_id

pytestmark = pytest.mark.stack

TERMS = {
    "game": "ultimate_texas_holdem",
    "gaming_day": "2025-06-14",
    "currency": "USD",
    "paytables": {"ante": "A", "blind": "A", "play": "A", "progressive": "sister-A"},
}
METER = {"meter": "main", "seed": 500_000, "rate": "1/3", "reserve_rate": "1/100", "limit": 1_000_500}


class Floor:
    """Tables of one network, each with one player."""

    def __init__(self, client: Client) -> None:
        self.client, self.mark = client, uuid.uuid4().hex[:8]
        self.network = f"n-{self.mark}"
        self.at = f"/v1/networks/{self.network}"

    async def does(self, service: str, path: str, by: str = EVERY_ROLE, **body: Any) -> Any:
        return await self.client.command(service, path, body, command_id=uuid.uuid4(), by=by)

    async def opens(self, policy: str, *tables: str) -> None:
        for network in (self.network, f"other-{self.mark}"):
            meters = [{**METER, "amount": 1_000_000}]
            await self.does("progressive", f"/v1/networks/{network}/open", currency="USD", meters=meters, policy=policy)
        for table in tables:
            await self.does("wallet", f"/v1/players/{table}-p-{self.mark}/USD/deposits", amount=1_000_000)
            await self.does("table", f"/v1/tables/{table}-{self.mark}/open", **TERMS, network=self.network)

    async def plays(self, table: str, round_no: int, step: str, **body: Any) -> Any:
        path = f"/v1/tables/{table}-{self.mark}/rounds/{round_no}"
        view = await self.does("table", f"{path}/{step}", **body)
        while view["waiting_for"]:
            view = await self.client.get("table", path, after_version=view["version"], wait_ms=10_000)
        return view

    async def deals(self, table: str, round_no: int) -> None:
        rounds = f"/v1/tables/{table}-{self.mark}/rounds"
        await self.does("table", rounds, round_id=f"{table}-{round_no}-{self.mark}", options={})
        stakes = {"ante": 1000, "blind": 1000, "progressive": 1000}
        await self.plays(table, round_no, "wagers", seat=1, player=f"{table}-p-{self.mark}", stakes=stakes)
        hands = [{"seat": 1, "cards": ["As", "Ks"]}]
        await self.plays(table, round_no, "deal", hands=hands, dealer=["3c", "5d"])

    async def hits(self, table: str) -> str:
        """A royal flush; the claim, once its share is locked."""
        await self.plays(table, 1, "decisions", seat=1, choice="4x")
        await self.plays(table, 1, "community", cards=["Qs", "Js", "Ts"])
        await self.plays(table, 1, "community", cards=["2c", "7d"])
        await self.plays(table, 1, "finish")
        claim = claim_id(f"{table}-{self.mark}", 1, 1, "progressive")
        await self.until(lambda: self.amount_of(claim))
        return claim

    async def amount_of(self, claim: str) -> int | None:
        found = await self.client.get("progressive", f"{self.at}/hits")
        return {hit["claim_id"]: hit["amount"] for hit in found["hits"]}.get(claim)

    async def meter(self) -> Any:
        (meter,) = (await self.client.get("progressive", self.at))["meters"]
        return meter

    async def stands(self) -> tuple[Any, ...]:
        meter = await self.meter()
        return tuple(meter[name] for name in ("amount", "overflow", "carry", "reserve"))

    async def until(self, asked: Any, *expected: Any) -> None:
        """Returns when the answer is what is expected, or anything; fails with the answer after a minute."""
        deadline = time.monotonic() + 60
        while True:
            answer = await asked()
            if (answer == expected[0]) if expected else answer:
                return
            assert time.monotonic() < deadline, answer
            await asyncio.sleep(0.1)

    async def changes(self, **change: Any) -> None:
        asked = await self.does("progressive", f"{self.at}/proposals", reason="season", **change)
        await self.does("progressive", f"{self.at}/proposals/{asked['proposal_id']}/approve", by="progressive")

    async def refused(self, path: str, by: str, **body: Any) -> str:
        with pytest.raises(RefusedError) as found:
            await self.does("progressive", path, by=by, **body)
        return found.value.code


@pytest.mark.parametrize(
    ("policy", "shared", "alone", "paid", "meter"),
    [
        # Three bets of 1,000 feed 333 1/3 each: the meter shows its limit, 1,000,500, and 500 have overflowed.
        # Each wins all of it. When b is locked the house pays; when a is refused its share is on the meter again, and
        # c is paid from it: what is left of the fed 500 and the seed stays.
        pytest.param("full_each", 1_000_500, 1_000_500, 1_000_500, (500_500, 0), id="each in full"),
        pytest.param("share", 500_250, 1_000_500, 500_250, (500_500, 0), id="they share it", marks=pytest.mark.slow),
        # b wins what a's lock put there, and the 500; c what b's did, and what a's refusal gave back, up to the limit.
        pytest.param("sequential", 500_500, 500_500, None, None, id="one after the other", marks=pytest.mark.slow),
    ],
)
async def test_three_hits_a_refusal_and_everything_else_at_once(
    platform: Any, policy: str, shared: int, alone: int, paid: int | None, meter: tuple[int, int] | None
) -> None:
    async with Client(platform.addresses, patience_s=60) as client:
        floor = Floor(client)
        await floor.opens(policy, "a", "b", "c", "d")
        for table in "abc":
            await floor.deals(table, 1)
        await floor.until(floor.stands, (1_000_500, 500, "0/3", 30))
        a = await floor.hits("a")
        b = await floor.hits("b")
        assert await floor.amount_of(b) == shared
        await floor.does("progressive", f"{floor.at}/hits/{a}/refuse", by="floorperson", reason="fouled")
        assert await floor.amount_of(b) == alone
        c = await floor.hits("c")
        if paid is not None:
            assert (await floor.amount_of(b), await floor.amount_of(c)) == (paid, paid)
            assert (await floor.stands())[:2] == meter
        # New terms while d's round is under way, which is then void: it takes back what it gave, at the old rates.
        before = await floor.meter()
        await floor.deals("d", 1)
        await floor.until(lambda: moved(floor, before))
        await floor.changes(terms={"meter": "main", "seed": 100, "rate": "1/7", "limit": 100_000})
        await floor.plays("d", 1, "void", kind="misdeal", reason="three cards to a seat")
        order = {"meter": "main", "to_network": f"other-{floor.mark}", "to_meter": "main", "amount": 200}
        await floor.changes(transfer=order)
        for claim in (b, c):
            at = f"{floor.at}/hits/{claim}"
            verified = {"checks": ["hand", "light"]}
            assert await floor.refused(f"{at}/approve", "floorperson", document="W-2G") == "hit_not_verified"
            await floor.does("progressive", f"{at}/verify", by=EVERY_ROLE, **verified)
            assert await floor.refused(f"{at}/verify", "dealer", **verified) == "hit_already_verified"
            assert await floor.refused(f"{at}/approve", EVERY_ROLE, document="W-2G") == "same_person"
            assert await floor.refused(f"{at}/approve", "dealer", document="W-2G") == "forbidden"
        for claim in (b, c):
            await floor.does("progressive", f"{floor.at}/hits/{claim}/approve", by="floorperson", document="W-2G")
            again = await floor.refused(f"{floor.at}/hits/{claim}/approve", "floorperson", document="W-2G")
            assert again == "hit_already_paid"
        amounts = {claim: await floor.amount_of(claim) for claim in (b, c)}
        # a played the same hand and its hit was refused: what the others have more is their hits'.
        for claim, table in ((b, "b"), (c, "c")):
            account = f"/v1/accounts/player/{table}-p-{floor.mark}/USD"
            without = f"/v1/accounts/player/a-p-{floor.mark}/USD"

            async def won(account: str = account, without: str = without) -> int:
                mine, of_a = [(await client.get("wallet", one))["balance"] for one in (account, without)]
                return int(mine) - int(of_a)

            await floor.until(won, amounts[claim])
        found = (await client.get("progressive", f"{floor.at}/report"))["meters"][0]["latest_hits"]
    assert [(one["claim_id"], one["status"]) for one in found] == [(c, "paid"), (b, "paid"), (a, "refused")]
    for name in (floor.network, f"other-{floor.mark}"):
        told = json.loads(platform.asked("meter", name, "--explain", "--json"))
        assert told["broken"] is None
        assert [line["differs"] for line in told["lines"] if line["differs"]] == []
    for _ in range(50):
        report = json.loads(platform.pitstream("reconcile", "--network", floor.network, "--json").stdout)
        if report["agrees"]:
            break
        await asyncio.sleep(0.2)
    assert report["agrees"], report
    assert json.loads(platform.asked("ledger", "check", "--json"))["ok"]
    database = {"PITSTREAM_POSTGRES": platform.stack.postgres}
    for service in ("progressive", "wallet"):
        audited = platform.pitstream("audit", "--service", service, "--json", environ=database)
        assert audited.returncode == 0, audited.stdout + audited.stderr


async def moved(floor: Floor, before: Any) -> bool:
    """Whether the meter has taken a further wager."""
    return bool((await floor.meter())["stakes"] == before["stakes"] + 1_000)
