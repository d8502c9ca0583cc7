"""What signs are told and when: the pace by a clock that the test reads out, the stream over real HTTP."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from pitstream.events.ids import claim_id
from pitstream.services.progressive.signs import Pace, Sign, Win

Serving = Callable[[], AbstractAsyncContextManager[Any]]
Until = Callable[..., Awaitable[Any]]

WIN = Win("c1", "t1", 3, 100, 500)


def test_a_growing_meter_is_told_of_once_a_second_and_a_lock_at_once() -> None:
    pace = Pace()
    heard = [
        (at_ms, [sign.amount for sign in pace.due([showing], at_ms)], pace.wait_ms([showing], at_ms))
        for at_ms, showing in [
            (0, Sign("main", 500, ())),
            (1, Sign("main", 500, ())),
            (200, Sign("main", 510, ())),
            (900, Sign("main", 520, ())),
            (1_000, Sign("main", 530, ())),
            (1_100, Sign("main", 540, ())),
            (1_150, Sign("main", 100, (WIN,))),
            (1_160, Sign("main", 101, (WIN,))),
            (1_170, Sign("main", 101, ())),
            (2_170, Sign("main", 102, ())),
        ]
    ]
    assert heard == [
        (0, [500], None),
        (1, [], None),
        (200, [], 800),
        (900, [], 100),
        (1_000, [530], None),
        (1_100, [], 900),
        (1_150, [100], None),
        (1_160, [], 990),
        (1_170, [101], None),
        (2_170, [102], None),
    ]


def test_each_meter_has_its_own_pace() -> None:
    pace = Pace()
    assert pace.due([Sign("main", 1, ()), Sign("minor", 1, ())], 0) == [Sign("main", 1, ()), Sign("minor", 1, ())]
    assert pace.due([Sign("main", 2, ()), Sign("minor", 1, (WIN,))], 10) == [Sign("minor", 1, (WIN,))]
    assert pace.wait_ms([Sign("main", 2, ()), Sign("minor", 1, (WIN,))], 10) == 990


async def told(response: Any) -> AsyncIterator[dict[str, Any]]:
    """The data of each server-sent event."""
    async for line in response.content:
        if line.startswith(b"data: "):
            yield json.loads(line.removeprefix(b"data: "))


@pytest.mark.stack
async def test_a_sign_sees_the_meter_the_win_and_the_end_of_it(progressive: Serving, floor: Any, until: Until) -> None:
    t1, _ = floor.tables
    network = f"/v1/networks/{floor.network}"
    meter = {"meter": "main", "seed": 1_000, "amount": 5_000, "rate": "1/5"}
    win = {"claim_id": claim_id(t1, 1, 1, "progressive"), "table": t1, "seat": 1, "percent": 100, "amount": 5_100}
    shown = {"network": floor.network, "meter": "main", "currency": "USD"}
    async with progressive() as client:
        await client.post(f"{network}/open", {"currency": "USD", "meters": [meter]})
        asked = client.session.get(f"{network}/signs", params={"wait_ms": 60_000}, headers=client.staff.headers())
        async with asked as response:
            assert response.content_type == "text/event-stream"
            signs = told(response)
            first = await asyncio.wait_for(anext(signs), 5)
            assert first == {**shown, "version": 1, "amount": 5_000, "status": "open", "pending": []}
            await floor.settles(t1, 1, 500, ("main", 100))
            locked = await asyncio.wait_for(anext(signs), 10)
            while not locked["pending"]:
                locked = await asyncio.wait_for(anext(signs), 10)
            assert locked == {**shown, "version": 4, "amount": 1_000, "status": "pending", "pending": [win]}
            await client.post(f"{network}/hits/{win['claim_id']}/refuse", {"reason": "fouled"}, by="floorperson")
            refused = await asyncio.wait_for(anext(signs), 5)
            assert refused == {**shown, "version": 5, "amount": 5_100, "status": "open", "pending": []}
        async with client.session.get(f"{network}/signs", headers=client.staff.headers()) as response:
            assert [sign async for sign in told(response)] == [refused]
        status, _ = await client.get("/v1/networks/nobody-s/signs")
        assert status == 404
