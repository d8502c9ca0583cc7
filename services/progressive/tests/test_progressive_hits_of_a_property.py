"""A network that an operator has for all of its properties: whose hits a property's staff see and decide."""

import uuid
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from pitstream.events.ids import claim_id
from pitstream.runtime import Role
from pitstream.runtime.access_file import entry_text, new_key

pytestmark = pytest.mark.stack

Serving = Callable[[], AbstractAsyncContextManager[Any]]
Until = Callable[..., Awaitable[Any]]


async def test_a_property_s_staff_validate_what_was_hit_at_their_tables_and_see_no_other_s(
    progressive: Serving, staff: Any, floor: Any, until: Until
) -> None:
    mark = uuid.uuid4().hex[:8]
    network, north, south = f"acme:wide-{mark}", f"acme.north:t-{mark}", f"acme.south:t-{mark}"
    floor.network, at = network, f"/v1/networks/{network}/hits"
    keys = {name: new_key() for name in ("dealer", "floor", "stranger")}
    with staff.access.open("a") as file:
        file.write("\n" + entry_text("north-dealer", keys["dealer"], [Role.DEALER], ["acme.north"]))
        file.write("\n" + entry_text("north-floor", keys["floor"], [Role.FLOORPERSON], ["acme.north"]))
        file.write("\n" + entry_text("rival-floor", keys["stranger"], [Role.FLOORPERSON], ["rival"]))

    async def asks(by: str, path: str, body: Any = None) -> tuple[int, Any]:
        headers = {"Authorization": f"Bearer {keys[by]}", "Idempotency-Key": uuid.uuid4().hex}
        method = "GET" if body is None else "POST"
        async with client.session.request(method, path, json=body, headers=headers) as response:
            answer = await response.json()
            return response.status, answer.get("code", answer)

    async def locked() -> bool:
        return len((await client.get(at))[1]["hits"]) == 2

    async with progressive() as client:
        meter = {"meter": "main", "seed": 1_000, "amount": 5_000, "rate": "0/1"}
        status, _ = await client.post(f"/v1/networks/{network}/open", {"currency": "USD", "meters": [meter]})
        assert status == 201
        assert await asks("floor", at) == (404, "unknown_network")
        await floor.settles(north, 1, 100, ("main", 10))
        await floor.settles(south, 1, 100, ("main", 10))
        await until(locked)
        ours, theirs = (claim_id(table, 1, 1, "progressive") for table in (north, south))
        status, seen = await asks("floor", at)
        assert (status, [hit["claim_id"] for hit in seen["hits"]]) == (200, [ours])
        # Neither the other property's hits, nor the network's terms and money: those are the operator's.
        verified = {"checks": ["hand", "light"]}
        for path, body in (
            (f"{at}/{theirs}/verify", verified),
            (f"{at}/{theirs}/refuse", {"reason": "none of mine"}),
            (f"{at}/{uuid.UUID(int=1)}/verify", verified),
            (f"/v1/networks/{network}", None),
            (f"/v1/networks/{network}/report", None),
        ):
            assert await asks("floor", path, body) == (404, "unknown_network"), path
        assert await asks("stranger", at) == (404, "unknown_network")
        assert await asks("stranger", f"{at}/{ours}/approve", {"document": "W-2G 1"}) == (404, "unknown_network")
        assert (await asks("dealer", f"{at}/{ours}/verify", verified))[0] == 200
        status, paid = await asks("floor", f"{at}/{ours}/approve", {"document": "W-2G 1"})
        assert (status, paid["status"], paid["verified_by"], paid["decided_by"]) == (
            200,
            "paid",
            "north-dealer",
            "north-floor",
        )
        assert (await asks("dealer", f"{at}/{ours}/release", {}))[0] == 200
