"""Method: the table service is killed (SIGKILL), a network is opened, and a table opens on it at once, as a feed does.
The partitions of the dead process stand still for seconds: until they are read again nobody knows what networks there
are, and nobody may say that this one is not there."""

import asyncio
import uuid
from typing import Any

import aiohttp
import pytest

from pitstream.cli.client import Client, RefusedError
from pitstream.cli.testing import EVERY_ROLE

pytestmark = pytest.mark.stack

TERMS = {
    "game": "ultimate_texas_holdem",
    "gaming_day": "2025-06-15",
    "currency": "USD",
    "paytables": {"ante": "A", "blind": "A", "play": "A", "progressive": "sister-A"},
}
METER = {"meter": "main", "seed": 1_000_000, "amount": 1_000_000, "rate": "1/3"}


async def answers_to(platform: Any, path: str, body: dict[str, Any], command_id: str) -> list[tuple[int, str]]:
    """What one command is answered, attempt by attempt, until there is an answer: (status, code)."""
    headers = {"Idempotency-Key": command_id, **platform.credential}
    found: list[tuple[int, str]] = []
    async with aiohttp.ClientSession(headers=headers) as session, asyncio.timeout(90):
        while not found or found[-1][0] >= 500:
            try:
                async with session.post(platform.addresses.of("table") + path, json=body) as response:
                    told = await response.json()
                    found.append((response.status, told.get("code", "")))
                    if response.status == 503:
                        await asyncio.sleep(int(response.headers["Retry-After"]))
            except aiohttp.ClientError:
                await asyncio.sleep(0.05)  # killed, and not there again yet
    return found


async def test_a_table_opens_on_a_network_that_was_opened_while_the_table_service_was_dead(platform: Any) -> None:
    mark = uuid.uuid4().hex[:8]
    path, opening = f"/v1/networks/n-{mark}/open", {"currency": "USD", "meters": [METER]}
    platform.kill("table")
    async with Client(platform.addresses, patience_s=60) as client:
        await client.command("progressive", path, opening, command_id=uuid.uuid4(), by=EVERY_ROLE)
    answers = await asyncio.gather(
        answers_to(platform, f"/v1/tables/a-{mark}/open", {**TERMS, "network": f"n-{mark}"}, f"a-{mark}"),
        answers_to(platform, f"/v1/tables/b-{mark}/open", {**TERMS, "network": f"nobody-{mark}"}, f"b-{mark}"),
    )
    # The one that nobody opened is refused, too, once all was read, and not before.
    uncertain = [one for of_table in answers for one in of_table[:-1]]
    assert {*uncertain} <= {(503, "not_heard_yet")}
    assert [of_table[-1] for of_table in answers] == [(201, ""), (422, "unknown_network")]

    async with Client(platform.addresses, patience_s=60) as client:
        with pytest.raises(RefusedError, match=f"unknown_network: network: was 'never-{mark}'"):
            await client.command(
                "table",
                f"/v1/tables/c-{mark}/open",
                {**TERMS, "network": f"never-{mark}"},
                command_id=uuid.uuid4(),
                by="dealer",
            )
        assert client.repeated == 0
