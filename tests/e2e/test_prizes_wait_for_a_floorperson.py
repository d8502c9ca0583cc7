"""Prizes that a floorperson must validate, from the cards to the last cent. Method: a floor plays three rounds of two
games on two networks through the real services; a floorperson then validates some hands and refuses another."""

import asyncio
import json
import threading
import uuid
from collections import Counter
from collections.abc import Awaitable, Callable
from itertools import cycle
from typing import Any
from urllib.request import urlopen

import pytest

from pitstream.cli.client import Client
from pitstream.cli.evening import MeterTerms, evening_of
from pitstream.cli.floor import Floor
from pitstream.events import ids

pytestmark = pytest.mark.stack

HOLDEM = {
    "schema": "pitstream.round/1",
    "game": "ultimate_texas_holdem",
    "gaming_day": "2025-06-14",
    "currency": "USD",
    "paytables": {"ante": "A", "blind": "A", "play": "A", "progressive": "sister-A", "five_card": "house-1"},
}
STUD = {
    **HOLDEM,
    "game": "raise_it_up_stud",
    "paytables": dict.fromkeys(("ante", "blind", "play"), "published-1") | {"progressive": "house-1"},
}
BETS = {"ante": 1000, "blind": 1000}


def seat(number: int, player: str, cards: str, decisions: str, **wagers: int) -> dict[str, Any]:
    return {
        "seat": number,
        "player": player,
        "cards": cards.split(),
        "wagers": {**BETS, **wagers},
        "decisions": decisions.split(),
    }


def rounds(mark: str) -> list[dict[str, Any]]:
    """Two straight flushes that the table envies; one of them again, to be refused; A-K-Q of one suit."""
    p = {number: f"p{number}-{mark}" for number in range(1, 7)}
    board = {"dealer": ["Ah", "Kd"], "community": ["9s", "8s", "7s", "2c", "3d"]}
    return [
        HOLDEM
        | {"id": f"envy-{mark}", "table": f"uth-{mark}", "cards": board}
        | {
            "seats": [
                seat(1, p[1], "Js Ts", "4x", five_card=100),
                seat(2, p[2], "6s 5s", "4x"),
                seat(4, p[3], "2h 4h", "check check fold", progressive=300),
                seat(5, p[4], "2d 4d", "check check fold", progressive=100),
            ]
        },
        HOLDEM
        | {"id": f"refused-{mark}", "table": f"uth-{mark}", "cards": board}
        | {
            "seats": [
                seat(1, p[1], "Js Ts", "4x", five_card=100),
                seat(4, p[3], "2h 4h", "check check fold", progressive=300),
            ]
        },
        STUD
        | {"id": f"stud-{mark}", "table": f"stud-{mark}", "cards": {"community": ["2c", "7d", "9h"]}}
        | {
            "seats": [
                seat(3, p[5], "Ah Kh Qh", "3x", progressive=100),
                seat(6, p[6], "4s 4d 8c", "check check fold", progressive=200),
            ]
        },
    ]


class Books:
    """What the services say, of this test's rounds alone."""

    def __init__(self, client: Client, mark: str) -> None:
        self.client = client
        self.mark = mark

    async def account(self, name: str) -> int:
        return int((await self.client.get("wallet", f"/v1/accounts/{name}/USD"))["balance"])

    async def players(self) -> dict[int, int]:
        return {n: await self.account(f"player/p{n}-{self.mark}") - BANKROLL for n in range(1, 7)}

    async def prizes(self, status: str) -> dict[str, tuple[str, int]]:
        """Prize id -> what it is and what it comes to, at both tables."""
        found = [
            each
            for table in ("uth", "stud")
            for each in (
                await self.client.get("progressive", "/v1/prizes", table=f"{table}-{self.mark}", status=status)
            )["prizes"]
        ]
        return {each["prize_id"]: (each["prize"], each["amount"]) for each in found}

    async def decides(self, prize_id: str, table: str, word: str, **body: str) -> Any:
        path = f"/v1/tables/{table}-{self.mark}/prizes/{prize_id}/{word}"
        return await self.client.command("progressive", path, body, command_id=uuid.uuid4(), by="floorperson")

    async def until(self, ask: Callable[[], Awaitable[Any]], expected: Any) -> None:
        """Returns when the answer is as expected; fails with what it is after half a minute."""
        for _ in range(300):
            if (found := await ask()) == expected:
                return
            await asyncio.sleep(0.1)
        assert found == expected


BANKROLL = 1_000_000


async def test_prizes_and_envy_are_paid_when_their_hands_are_validated_and_come_back_when_they_are_refused(
    platform: Any,
) -> None:
    mark = uuid.uuid4().hex[:8]
    records = rounds(mark)
    evening = evening_of([json.dumps(record).encode() for record in records], MeterTerms(network_suffix=f"-{mark}"))
    assert evening.faults == ()
    async with Client(platform.addresses, patience_s=60) as client:
        books = Books(client, mark)
        floor = Floor(client, tables_at_once=2, patience_s=60, report=lambda: None)
        await floor.open_networks(evening.networks)
        await floor.deposit(dict.fromkeys(evening.needs, BANKROLL), mark)
        played = {one.round.id: one.round_no for one in await floor.play(evening.rounds)}
        assert floor.faults == []
        (uth, stud) = (f"uth-{mark}", f"stud-{mark}")

        def prize(record: str, hand: int, what: str) -> str:
            table = stud if record == "stud" else uth
            return ids.prize_id(table, played[f"{record}-{mark}"], hand, what)

        waiting = {
            prize("envy", 1, "envy"): ("envy", 300 * (300 + 100)),
            prize("envy", 1, "five_card"): ("five_card", 50_000),
            prize("envy", 2, "envy"): ("envy", 300 * (300 + 100)),
            prize("refused", 1, "envy"): ("envy", 300 * 300),
            prize("refused", 1, "five_card"): ("five_card", 50_000),
            prize("stud", 3, "envy"): ("envy", 25 * 200),
            prize("stud", 3, "progressive"): ("progressive", 50_000),
        }
        await books.until(lambda: books.prizes("pending"), waiting)
        # Nothing of a prize: the Ante pushes, the dealer having less than a pair; A-K-Q of hearts loses in five cards.
        straight_flush = 50_000 + 4000
        unpaid = {1: 2 * (straight_flush - 100), 2: straight_flush, 3: -2 * 2300, 4: -2100, 5: -5100, 6: -2200}
        await books.until(books.players, unpaid)
        await books.until(lambda: books.account(f"payable/{uth}"), 2 * 120_000 + 50_000 + 90_000 + 50_000)
        await books.until(lambda: books.account(f"payable/{stud}"), 55_000)
        before = await books.account(f"table/{uth}")

        for prize_id in (prize("envy", 1, "envy"), prize("envy", 2, "envy"), prize("envy", 1, "five_card")):
            await books.decides(prize_id, "uth", "approve", document="W2G 00417")
        await books.decides(prize("stud", 3, "envy"), "stud", "approve", document="W2G 00418")
        await books.decides(prize("stud", 3, "progressive"), "stud", "approve", document="W2G 00418")
        for what in ("envy", "five_card"):
            await books.decides(prize("refused", 1, what), "uth", "refuse", reason="the deck held 51 cards")
        # Several holders add up: seats 4 and 5 are paid for both straight flushes, 300 times their own stake each.
        await books.until(
            books.players,
            {
                **unpaid,
                1: unpaid[1] + 50_000,
                3: unpaid[3] + 2 * 90_000,
                4: unpaid[4] + 2 * 30_000,
                5: unpaid[5] + 50_000,
                6: unpaid[6] + 5000,
            },
        )
        await books.until(lambda: books.account(f"payable/{uth}"), 0)
        await books.until(lambda: books.account(f"payable/{stud}"), 0)
        assert await books.account(f"table/{uth}") == before + 90_000 + 50_000
        assert await books.prizes("pending") == {}
        assert (await client.get("wallet", "/v1/ledger/check"))["ok"]
    audited = platform.pitstream("audit", "--json", environ={"PITSTREAM_POSTGRES": platform.stack.postgres})
    assert audited.returncode == 0, audited.stderr + audited.stdout


async def test_a_feed_validates_as_a_floor_would_and_nothing_waits_after_it(platform: Any) -> None:
    mark = uuid.uuid4().hex[:8]
    lines = [json.dumps(record) for record in rounds(mark)]
    suffix = ("--network-suffix", f"-{mark}")
    found = platform.feed(lines, *suffix)
    assert found["faults"] == []
    again = platform.feed(lines, *suffix)
    assert (again["players"], again["totals"]) == (found["players"], found["totals"])
    assert sum(found["players"].values()) == sum(
        sums["returned"] + sums["won"] + sums["awards"] - sums["stake"]
        for wagers in found["totals"].values()
        for sums in wagers.values()
    )
    async with Client(platform.addresses, patience_s=30) as client:
        books = Books(client, mark)
        assert await books.prizes("pending") == {}
        assert len(await books.prizes("approved")) == 7
        assert [await books.account(f"payable/{table}-{mark}") for table in ("uth", "stud")] == [0, 0]


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_prizes_are_paid_once_while_the_services_that_pay_them_die(
    platform: Any, books_of: Callable[[list[str]], dict[str, Any]]
) -> None:
    """Progressive and wallet are killed in turn, each as soon as the other serves again, while hands are validated."""
    over, deaths = threading.Event(), Counter[str]()

    def kill() -> None:
        for service in cycle(("progressive", "wallet")):
            platform.kill(service)
            deaths[service] += 1
            while not (is_over := over.wait(0.2)) and not serves(platform.addresses.of(service)):
                pass
            if is_over:
                return

    evening = uuid.uuid4().hex[:6]
    lines = [json.dumps(record) for number in range(EVENINGS) for record in rounds(f"{number}-{evening}")]
    letters = platform.dead_letters()
    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    try:
        found = platform.feed(lines, "--network-suffix", f"-{evening}", "--patience", "400")
    finally:
        over.set()
        killer.join()
    print(f"{dict(deaths)} deaths in {len(lines)} rounds")  # noqa: T201 - pytest shows it beside a failure
    assert min(deaths["progressive"], deaths["wallet"]) >= 1
    assert {name: found[name] for name in ("players", "totals", "meters", "rounds")} == books_of(lines)
    assert json.loads(platform.asked("ledger", "check", "--json"))["ok"]
    assert platform.dead_letters() == letters
    audited = platform.pitstream("audit", "--json", environ={"PITSTREAM_POSTGRES": platform.stack.postgres})
    assert audited.returncode == 0, audited.stderr + audited.stdout


EVENINGS = 20


def serves(address: str) -> bool:
    try:
        with urlopen(f"{address}/health/ready", timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
