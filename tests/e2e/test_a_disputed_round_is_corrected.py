"""From the dispute to the corrected ledger, as people at a table walk it.

Method: a dealer's terminal plays rounds at the real services; every command that ``docs/disputes.md`` shows is carried
out on one of them, in order; then every account, the meter, the books of the day and the audit are asked.
"""

import asyncio
import json
import re
import shlex
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from pitstream.cli.client import Client
from pitstream.cli.testing import EVERY_ROLE

pytestmark = pytest.mark.stack

PAGE = (Path(__file__).parents[2] / "docs" / "disputes.md").read_text(encoding="utf-8")
BANKROLL = 100_000
METER = 1_000_000
DAY = "2025-06-14"
TERMS = {
    "game": "ultimate_texas_holdem",
    "gaming_day": DAY,
    "currency": "USD",
    "paytables": {"ante": "A", "blind": "A", "play": "A", "trips": "A", "progressive": "sister-A"},
}
BETS = {1: {"ante": 1000, "blind": 1000, "trips": 500, "progressive": 100}, 2: {"ante": 1000, "blind": 1000}}
HANDS = {1: ["Ah", "Kh"], 2: ["9c", "9d"]}
ANSWERS = {1: ["check", "check", "1x"], 2: ["check", "check", "1x"]}
DEALER = ["3c", "5d"]
BOARD = (["Qh", "2d", "7s"], ["8h", "Jc"])
"""Seat 1 has ace high, seat 2 a pair of nines, the dealer nothing."""


@dataclass
class Floor:
    """A table, its network and players of this test alone."""

    platform: Any
    client: Client
    page: Path
    """Where the printed round goes."""
    mark: str = field(default_factory=lambda: uuid.uuid4().hex[:8])

    @property
    def table(self) -> str:
        return f"uth-{self.mark}"

    @property
    def network(self) -> str:
        return f"n-{self.mark}"

    def player(self, seat: int) -> str:
        return f"p{seat}-{self.mark}"

    async def does(self, service: str, path: str, **body: Any) -> Any:
        return await self.client.command(service, path, body, command_id=uuid.uuid4(), by=EVERY_ROLE)

    async def balance(self, account: str) -> int:
        return int((await self.client.get("wallet", f"/v1/accounts/{account}"))["balance"])

    async def balances(self) -> dict[str, int]:
        found = {f"seat {seat}": await self.balance(f"player/{self.player(seat)}/USD") for seat in (1, 2)}
        return {**found, "table": await self.balance(f"table/{self.table}/USD")}

    async def stands(self, expected: dict[str, int]) -> None:
        """The network and the ledger each hear of a correction on their own way: wait for both, then compare."""
        with suppress(TimeoutError):
            async with asyncio.timeout(90):
                while await self.balances() != expected:  # noqa: ASYNC110  # another process makes it true
                    await asyncio.sleep(0.1)
        assert await self.balances() == expected

    async def meter(self) -> tuple[int, str]:
        (meter,) = (await self.client.get("progressive", f"/v1/networks/{self.network}"))["meters"]
        return meter["amount"], meter["carry"]

    async def plays(
        self, round_no: int, bets: dict[int, dict[str, int]], hands: dict[int, list[str]], answers: dict[int, list[str]]
    ) -> None:
        """A whole round, from its opening to its posting."""
        path = f"/v1/tables/{self.table}/rounds/{round_no}"

        async def step(name: str, **body: Any) -> Any:
            view = await self.does("table", f"{path}/{name}", **body)
            while view["waiting_for"]:
                view = await self.client.get("table", path, after_version=view["version"], wait_ms=10_000)
            return view

        await self.does("table", f"/v1/tables/{self.table}/rounds", round_id=f"r{round_no}-{self.mark}", options={})
        for seat, stakes in bets.items():
            await step("wagers", seat=seat, player=self.player(seat), stakes=stakes)
        view = await step("deal", hands=[{"seat": s, "cards": c} for s, c in hands.items()], dealer=DEALER)
        said = {seat: iter(words) for seat, words in answers.items()}
        streets = iter(BOARD)
        while view["asking"] or view["awaiting_cards"]:
            if view["asking"]:
                seat = view["asking"]["seat"]
                view = await step("decisions", seat=seat, choice=next(said[seat]))
            else:
                view = await step("community", cards=next(streets), burned=[])
        await step("finish")
        await self.until(lambda: self._closed(round_no))

    async def _closed(self, round_no: int) -> bool:
        network = await self.client.get("progressive", f"/v1/networks/{self.network}")
        accounts = [f"/v1/accounts/player/{self.player(seat)}/USD" for seat in (1, 2)]
        held = [(await self.client.get("wallet", account))["held"] for account in accounts]
        return network["closed_rounds"].get(self.table, 0) >= round_no and not any(held)

    async def until(self, true: Callable[[], Any]) -> None:
        async with asyncio.timeout(90):
            while not await true():  # noqa: ASYNC110  # another process makes it true
                await asyncio.sleep(0.1)

    async def is_corrected(self, round_no: int, correction: int) -> None:
        """Returns when the ledger and the network have done what the correction asks of them."""

        async def told() -> bool:
            body = {"rounds": [{"table": self.table, "round_no": round_no}]}
            found = (await self.client.query("wallet", "/v1/rounds/query", body))["postings"]
            return any(one.get("correction") == correction for one in found)

        await self.until(told)

    async def corrects(self, round_no: int, *facts: dict[str, Any]) -> None:
        """A floorperson proposes, an auditor confirms."""
        path = f"/v1/tables/{self.table}/rounds/{round_no}/corrections"
        body = {"facts": list(facts), "reason": "camera 4"}
        proposed = await self.client.command("table", path, body, command_id=uuid.uuid4(), by="floorperson")
        confirm = f"{path}/{proposed['number']}/confirm"
        await self.client.command("table", confirm, {}, command_id=uuid.uuid4(), by="auditor")

    async def stands_at(self, amount: int, carry: str) -> bool:
        return await self.meter() == (amount, carry)

    async def receivables(self) -> list[dict[str, Any]]:
        found = (await self.client.get("wallet", "/v1/receivables", limit=500))["receivables"]
        return [one for one in found if one["table"] == self.table]

    def walks(self, part: str) -> dict[str, str]:
        """Every command that a part of the page shows, carried out about this table's first round: by its first words,
        what it printed."""
        printed = {}
        for block in re.findall(r"^```sh\n(.*?)^```$", part, flags=re.MULTILINE | re.DOTALL):
            for line in block.splitlines():
                words = shlex.split(line.replace("uth-04/17", f"{self.table}/1").replace("round.html", str(self.page)))
                assert words[0] == "pitstream"
                name = " ".join(words[1:3]) if words[1] in ("dispute", "correct", "ledger") else words[1]
                done = self.platform.pitstream(*words[1:], environ={"PITSTREAM_POSTGRES": self.platform.stack.postgres})
                assert done.returncode == 0, (line, done.stdout + done.stderr)
                printed[name] = done.stdout
        return printed

    def asked(self, *arguments: str) -> Any:
        return json.loads(self.platform.asked(*arguments, "--json"))


def _section(title: str) -> str:
    return PAGE.split(f"## {title}\n")[1].split("\n## ")[0]


@pytest.fixture
async def floor(platform: Any, tmp_path: Path) -> AsyncIterator[Floor]:
    """Two players with money at a table of a network."""
    async with Client(platform.addresses, patience_s=60) as client:
        floor = Floor(platform, client, tmp_path / "round.html")
        meter = {"meter": "main", "seed": METER, "amount": METER, "rate": "1/3"}
        await floor.does("progressive", f"/v1/networks/{floor.network}/open", currency="USD", meters=[meter])
        await floor.does("table", f"/v1/tables/{floor.table}/open", **TERMS, network=floor.network)
        for seat in (1, 2):
            await floor.does("wallet", f"/v1/players/{floor.player(seat)}/USD/deposits", amount=BANKROLL)
        yield floor


async def test_a_misread_card_is_disputed_corrected_and_posted_anew(floor: Floor) -> None:
    await floor.plays(1, BETS, HANDS, ANSWERS)
    before = await floor.balances()
    # The dealer has less than a pair: both Plays win, Antes and Blinds push; Trips and the progressive lose.
    assert before == {
        "seat 1": BANKROLL + 1000 - 600,
        "seat 2": BANKROLL + 1000,
        "table": -2000 + 600 - 33,
    }
    where = f"{floor.table}/1"
    told = floor.walks(PAGE.split("## A correction")[0])
    assert "camera 4 shows the queen of diamonds" in told["dispute decide"]
    assert "1. dealer: I read the five of diamonds." in told["dispute show"]
    assert "<svg" in floor.page.read_text(encoding="utf-8")

    refused = floor.platform.pitstream("correct", "propose", where, "--set", "dealer.card2=Qh", "--reason", "camera 4")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "duplicate_card: cards.community[0]: was Qh, which lies at cards.dealer[1] too" in refused.stderr
    told = floor.walks(_section("A correction").replace("pitstream correct confirm uth-04/17/1\n", ""))
    assert "dealer, card 2: 5d was Qd" in told["correct propose"]
    assert await floor.balances() == before, "nothing changes before a second person agrees"
    same = floor.platform.pitstream("correct", "confirm", f"{where}/1", "--as", "floorperson")
    assert same.returncode == 1
    assert "same_person" in same.stderr
    floor.walks("```sh\npitstream correct confirm uth-04/17/1\n```\n")
    await floor.is_corrected(1, 1)
    # A pair of queens beats ace high and a pair of nines.
    await floor.stands({"seat 1": BANKROLL - 3600, "seat 2": BANKROLL - 3000, "table": 6000 + 600 - 33})
    told = floor.walks(_section("Both results, ever after"))
    assert "camera 4, 21:14:07" in " ".join(told["replay"].split())
    versions = (await floor.client.get("settlement", f"/v1/rounds/{where}/versions"))["versions"]
    assert [(one["correction"], one["supersedes"]) for one in versions] == [(0, None), (1, versions[0]["event_id"])]
    play = [line["outcome"] for one in versions for seat in one["settled"]["seats"] for line in seat["lines"][2:3]]
    assert play == ["win", "win", "lose", "lose"]
    assert (await floor.client.get("wallet", "/v1/ledger/check"))["ok"]


async def test_what_was_not_placed_comes_back_and_what_was_spent_is_owed_whoever_is_killed(floor: Floor) -> None:
    await floor.plays(1, BETS, HANDS, ANSWERS)
    assert await floor.meter() == (METER + 33, "1/3")
    # Seat 2 takes all of it away before anybody finds out.
    money = f"/v1/players/{floor.player(2)}/USD"
    await floor.does("wallet", f"{money}/withdrawals", amount=BANKROLL + 1000)
    not_placed = {"wager": {"seat": 1, "wager": "progressive", "was": 100, "becomes": 0}}
    misread = {"card": {"place": "dealer", "position": 2, "was": "5d", "becomes": "Qd"}}
    await floor.corrects(1, not_placed, misread)
    for service in ("settlement", "progressive", "wallet"):
        floor.platform.kill(service)
    await floor.is_corrected(1, 1)
    await floor.until(lambda: floor.stands_at(METER, "0/3"))
    owed = 4000
    await floor.stands({"seat 1": BANKROLL - 3500, "seat 2": 0, "table": 6000 + 500})
    (item,) = await floor.receivables()
    assert (item["player"], item["amount"], item["owed"]) == (floor.player(2), owed, owed)
    await floor.does("wallet", f"{money}/deposits", amount=500)
    collected = await floor.does("wallet", f"/v1/receivables/{item['receivable_id']}/collect", amount=500)
    assert (collected["owed"], [one["how"] for one in collected["payments"]]) == (owed - 500, ["collected"])

    # The camera was another table's: what was taken back is given back, and pays first what is owed of it.
    back = {"card": {"place": "dealer", "position": 2, "was": "Qd", "becomes": "5d"}}
    await floor.corrects(1, back)
    await floor.is_corrected(1, 2)
    await floor.stands({"seat 1": BANKROLL + 1000 - 500, "seat 2": 500, "table": -2000 + 500})
    (item,) = await floor.receivables()
    assert (item["owed"], [one["how"] for one in item["payments"]]) == (0, ["collected", "offset"])
    assert (await floor.client.get("wallet", "/v1/ledger/check"))["ok"]
