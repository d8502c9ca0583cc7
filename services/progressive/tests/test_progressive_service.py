"""The progressive service over real HTTP, on a real PostgreSQL and real topics."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from pitstream.events.refusal import Refusal
from pitstream.runtime.problem import problem

MAIN = {"meter": "main", "seed": 1_000_000, "amount": 1_000_500, "rate": "2/10"}
OPENED = {
    "network": "uth",
    "version": 1,
    "currency": "USD",
    "policy": "sequential",
    "retired": False,
    "meters": [
        {
            "meter": "main",
            "amount": 1_000_500,
            "carry": "0/5",
            "overflow": 0,
            "reserve": 0,
            "reserve_carry": "0/1",
            "seed": 1_000_000,
            "rate": "1/5",
            "reserve_rate": None,
            "limit": None,
            "contribution_max": None,
            "retired": False,
            "stakes": 0,
            "hits": 0,
            "wins": 0,
        }
    ],
    "closed_rounds": {},
    "hits_waiting": 0,
    "questions": [],
    "proposals": [],
}
Serving = Callable[[], AbstractAsyncContextManager[Any]]


@pytest.mark.stack
async def test_a_network_is_opened_once_and_read_by_anyone(progressive: Serving) -> None:
    async with progressive() as client:
        body = {"currency": "USD", "meters": [MAIN]}
        assert await client.post("/v1/networks/uth/open", body, "open-1") == (201, OPENED)
        assert await client.post("/v1/networks/uth/open", body, "open-1") == (201, OPENED)
        assert await client.post("/v1/networks/uth/open", body) == (
            422,
            problem(Refusal("network_already_open", "network", "was 'uth'; it is open since its first event"), 422),
        )
        assert await client.get("/v1/networks/uth") == (200, OPENED)
        assert await client.get("/v1/networks/uth/hits") == (200, {"hits": []})
        status, events = await client.get("/v1/networks/uth/events")
        assert (status, [(event["version"], event["type"]) for event in events]) == (
            200,
            [(1, "pitstream.progressives.v1.NetworkOpened")],
        )


@pytest.mark.stack
async def test_what_is_wrong_with_a_request_is_said_and_nothing_is_done(progressive: Serving) -> None:
    unknown = problem(Refusal("unknown_network", "network", "was 'uth'; there is no such network"), 404)
    async with progressive() as client:
        for path in ("/v1/networks/uth", "/v1/networks/uth/hits", "/v1/networks/uth/events"):
            assert await client.get(path) == (404, unknown), path
        assert await client.post("/v1/networks/uth/hits/c1/approve", {"document": "form 1"}) == (404, unknown)
        for fault, field in [
            ({**MAIN, "rate": "0.2"}, "meters.0.rate"),
            ({**MAIN, "rate": "1/0"}, "meters.0.rate"),
            ({**MAIN, "seed": -1}, "meters.0.seed"),
            ({**MAIN, "amount": 10.0}, "meters.0.amount"),
            ({**MAIN, "limit": -5}, "meters.0.limit"),
            ({**MAIN, "ceiling": 5}, "meters.0.ceiling"),
        ]:
            status, answer = await client.post("/v1/networks/uth/open", {"currency": "USD", "meters": [fault]})
            assert (status, answer["code"], answer["field"]) == (422, "invalid_input", field)
        assert (await client.get("/v1/networks/uth"))[0] == 404


@pytest.mark.stack
async def test_a_display_that_waits_hears_of_a_change_at_once(progressive: Serving) -> None:
    async with progressive() as client:
        waiting = asyncio.create_task(client.get("/v1/networks/uth", after_version=0, wait_ms=20_000))
        await asyncio.sleep(0.3)
        await client.post("/v1/networks/uth/open", {"currency": "USD", "meters": [MAIN]})
        assert await asyncio.wait_for(waiting, 5) == (200, OPENED)
        assert await client.get("/v1/networks/uth", after_version=1, wait_ms=50) == (200, OPENED)
