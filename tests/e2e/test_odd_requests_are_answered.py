"""Method: raw HTTP to the running services. Whatever is asked gets an answer in the one shape that refusals have, and
what many callers ask at once is done once."""

import asyncio
import json
import uuid
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from yarl import URL

from pitstream.events.model import AMOUNT_MAX

pytestmark = pytest.mark.stack

BEYOND_64_BITS = 2**63
TOO_MUCH = str(AMOUNT_MAX + 1).encode()
EVERY_SERVICE = ("table", "settlement", "progressive", "wallet")
TERMS = {
    "game": "ultimate_texas_holdem",
    "gaming_day": "2025-05-03",
    "currency": "USD",
    "paytables": {"ante": "A", "blind": "A", "play": "A", "trips": "B"},
}
STAKES = {"ante": 1000, "blind": 1000}


class Caller:
    """Sends what it is told, byte for byte."""

    def __init__(self, platform: Any, session: aiohttp.ClientSession) -> None:
        self.platform = platform
        self.session = session

    async def send(self, method: str, service: str, path: str, body: bytes | None = None, key: str = "") -> Any:
        headers = {"Content-Type": "application/json", "Idempotency-Key": key or str(uuid.uuid4())}
        headers |= self.platform.credential
        url = URL(self.platform.addresses.of(service) + path, encoded=True)
        async with self.session.request(method, url, data=body, headers=headers) as answer:
            return answer.status, json.loads(await answer.read())

    async def get(self, service: str, path: str) -> Any:
        return await self.send("GET", service, path)

    async def post(self, service: str, path: str, body: Any, key: str = "") -> Any:
        return await self.send("POST", service, path, json.dumps(body).encode(), key)

    async def codes(self, *posts: tuple[str, str, Any]) -> dict[str, int]:
        """What came of posts that are sent at once: a refusal's code, or "done"."""
        answers = await asyncio.gather(*(self.post(*post) for post in posts))
        assert all(status < 500 for status, _ in answers)
        return dict(Counter(body["code"] if status >= 400 else "done" for status, body in answers))


@pytest.fixture
async def caller(platform: Any) -> AsyncIterator[Caller]:
    connector = aiohttp.TCPConnector(limit=100)
    async with aiohttp.ClientSession(connector=connector, timeout=aiohttp.ClientTimeout(total=20)) as session:
        yield Caller(platform, session)


@pytest.mark.parametrize(
    ("service", "path"),
    [
        *[(service, f"/v1/dead-letters/{BEYOND_64_BITS}") for service in EVERY_SERVICE],
        *[(service, f"/v1/dead-letters?after={BEYOND_64_BITS}") for service in EVERY_SERVICE],
        *[(service, "/v1/dead-letters?limit=0") for service in EVERY_SERVICE],
        ("table", f"/v1/tables/t1/rounds/{BEYOND_64_BITS}"),
        ("table", f"/v1/tables/t1/rounds/1/events?after_version={BEYOND_64_BITS}"),
        ("table", f"/v1/tables/t1/rounds/1?after_version={BEYOND_64_BITS}"),
        ("table", "/v1/tables/t1/rounds/1?after_version=0&wait_ms=30001"),
        ("table", "/v1/tables/t1/rounds/1?after_version=0&wait_ms=-1"),
        ("table", "/v1/tables/t1/rounds/1.5"),
        ("table", "/v1/tables/a%00b"),
        ("table", "/v1/tables/..%2f..%2fetc"),
        ("settlement", "/v1/rounds/%00/1"),
        ("progressive", f"/v1/networks/n1/events?after_version={BEYOND_64_BITS}"),
        ("progressive", f"/v1/networks/n1?after_version={BEYOND_64_BITS}"),
        ("wallet", f"/v1/accounts/house/USD/events?after_version={BEYOND_64_BITS}"),
        ("wallet", "/v1/accounts/player/%00/USD"),
        ("wallet", "/v1/accounts/a%00b/events"),
    ],
)
async def test_what_is_out_of_bounds_is_invalid_input(caller: Caller, service: str, path: str):
    status, answer = await caller.get(service, path)
    assert (status, answer["code"]) in ((422, "invalid_input"), (404, "not_found"))


@pytest.mark.parametrize(
    ("service", "path", "body"),
    [
        *[(service, f"/v1/dead-letters/{BEYOND_64_BITS}/retry", b"{}") for service in EVERY_SERVICE],
        *[
            ("wallet", "/v1/players/p1/USD/deposits", b'{"amount": %s}' % amount)
            for amount in (
                b"0",
                b"-1",
                b"1.5",
                b"true",
                b"1e400",
                b"NaN",
                b'"5.0"',
                b"9" * 5000,
                b"%d" % (AMOUNT_MAX + 1),
            )
        ],
        ("wallet", "/v1/players/%F0%9F%98%80/USD/deposits", b'{"amount": 1}'),
        ("wallet", "/v1/players/p1/USD/deposits", b"[" * 50_000),
        ("wallet", "/v1/players/p1/USD/deposits", b'{"amount": 1, "\\ud800": 1}'),
        (
            "progressive",
            "/v1/networks/n1/open",
            b'{"currency": "USD", "meters": [{"meter": "m", "seed": 9223372036854775807, "amount": 0, "rate": "1/5"}]}',
        ),
        ("table", "/v1/tables/t1/close", b'{"reason": "\\ud800"}'),
        ("table", "/v1/tables/t1/close", b'{"reason": "a\\u0000b"}'),
        ("table", "/v1/tables/t1/close", b"\xff\xfe"),
    ],
)
async def test_a_command_that_cannot_be_read_is_invalid_input(caller: Caller, service: str, path: str, body: bytes):
    status, answer = await caller.send("POST", service, path, body)
    assert (status, answer["code"]) in ((422, "invalid_input"), (400, "invalid_input"))


async def test_many_callers_at_once_are_served_one_after_the_other(caller: Caller):
    mark = uuid.uuid4().hex[:8]
    table, players = f"/v1/tables/{mark}", [f"{mark}-{number}" for number in range(5)]
    one_round = f"{table}/rounds/1"
    for player in players:
        deposits = [
            caller.post("wallet", f"/v1/players/{player}/USD/deposits", {"amount": 10_000}, "d") for _ in range(8)
        ]
        for status, account in await asyncio.gather(*deposits):
            assert (status, account["balance"]) == (201, 10_000)
    withdrawals = [("wallet", f"/v1/players/{players[4]}/USD/withdrawals", {"amount": 3_000})] * 10
    assert await caller.codes(*withdrawals) == {"done": 3, "insufficient_funds": 7}

    assert await caller.codes(*[("table", f"{table}/open", TERMS)] * 5) == {"done": 1, "table_already_open": 4}
    openings = [("table", f"{table}/rounds", {"round_id": f"r{number}"}) for number in range(5)]
    assert await caller.codes(*openings) == {"done": 1, "round_in_progress": 4}
    seatings = [("table", f"{one_round}/wagers", {"seat": 1, "player": one, "stakes": STAKES}) for one in players[:4]]
    assert await caller.codes(*seatings) == {"done": 1, "seat_taken": 3}

    async with asyncio.timeout(20):
        while (await caller.get("table", one_round))[1]["waiting_for"]:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    deal = {"hands": [{"seat": 1, "cards": ["4d", "Ks"]}], "dealer": ["3c", "5d"]}
    assert await caller.codes(*[("table", f"{one_round}/deal", deal)] * 4) == {"done": 1, "wrong_stage": 3}
    choices = [("table", f"{one_round}/decisions", {"seat": 1, "choice": choice}) for choice in ("4x", "check", "3x")]
    assert await caller.codes(*choices) == {"done": 1, "not_asked": 2}
    voids = [("table", f"{one_round}/void", {"kind": "other", "reason": "x"})] * 4
    assert await caller.codes(*voids) == {"done": 1, "wrong_stage": 3}
    assert await caller.codes(*[("table", f"{table}/close", {"reason": "x"})] * 3) == {"done": 1, "table_not_open": 2}

    async with asyncio.timeout(20):
        while (await caller.get("settlement", f"/v1/rounds/{mark}/1"))[0] != 200:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        while (await caller.get("wallet", f"/v1/accounts/player/{players[0]}/USD"))[1]["held"]:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    balances = [(await caller.get("wallet", f"/v1/accounts/player/{p}/USD"))[1]["balance"] for p in players]
    assert balances == [10_000, 10_000, 10_000, 10_000, 1_000]
    status, check = await caller.get("wallet", "/v1/ledger/check")
    assert (status, check["ok"]) == (200, True)
