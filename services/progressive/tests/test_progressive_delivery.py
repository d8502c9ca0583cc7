"""What the topics bring to the progressive service, late, twice and out of step: real Kafka, real PostgreSQL."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from pitstream.cli.credentials import STAFF
from pitstream.events.ids import claim_id

pytestmark = pytest.mark.stack

MAIN = {"meter": "main", "seed": 1_000_000, "amount": 1_000_500, "rate": "1/5"}
Serving = Callable[[], AbstractAsyncContextManager[Any]]
Until = Callable[..., Awaitable[Any]]


async def opened(client: Any, floor: Any) -> None:
    status, _ = await client.post(f"/v1/networks/{floor.network}/open", {"currency": "USD", "meters": [MAIN]})
    assert status == 201


async def meter(client: Any, floor: Any) -> int:
    _, view = await client.get(f"/v1/networks/{floor.network}")
    return int(view["meters"][0]["amount"])


async def history(client: Any, floor: Any) -> list[str]:
    """The network's events after its opening, those of its first table and of its second apart."""
    _, events = await client.get(f"/v1/networks/{floor.network}/events")
    told = [(event["type"].rpartition(".")[2], event["event"]) for event in events[1:]]
    return [f"{name} {of['table'].partition('-')[0]}/{of['round_no']}" if "table" in of else name for name, of in told]


async def closed(client: Any, floor: Any, rounds: dict[str, int]) -> bool:
    _, view = await client.get(f"/v1/networks/{floor.network}")
    return bool(view["closed_rounds"] == rounds)


async def test_a_hit_is_locked_and_approved_once_however_often_its_events_come(
    progressive: Serving, floor: Any, until: Until
) -> None:
    t1, t2 = floor.tables
    network = f"/v1/networks/{floor.network}"
    hit: dict[str, Any] = {
        "network": floor.network,
        "claim_id": claim_id(t1, 1, 1, "progressive"),
        "table": t1,
        "round_no": 1,
        "seat": 1,
        "player": "p1",
        "wager": "progressive",
        "meter": "main",
        "percent": 100,
        "amount": 1_000_800,
        "meter_before": 1_000_800,
        "meter_after": 1_000_000,
        "currency": "USD",
        "rule": "653a.11(k)",
        "policy": "sequential",
        "account": {
            "base": 1_000_800,
            "from_meter": 1_000_800,
            "from_house": 0,
            "from_earlier": 0,
            "seed_from_reserve": 0,
            "seed_from_house": 1_000_000,
            "overflow_change": 0,
            "overflow_after": 0,
            "reserve_after": 0,
            "together_with": [],
            "wagers_taken_at": 2,
            "reason": "100 % of what the meter shows: in the order of events",
        },
        "amount_locked": 1_000_800,
        "status": "locked",
        "verified_by": None,
        "decided_by": None,
        "reason": "",
        "document": "",
        "released_by": None,
        "questioned": 0,
    }
    async with progressive() as client:
        await opened(client, floor)
        await floor.closes_betting(t1, 1, 1_000)
        await floor.closes_betting(t2, 1, 500)
        await until(lambda: reached(client, floor, 1_000_800))
        await floor.settles(t1, 1, 1_000, ("main", 100))
        await until(lambda: closed(client, floor, {t1: 1}))
        _, found = await client.get(f"{network}/hits")
        # Which of the two tables' betting was heard of first is not ours to say.
        hit["account"]["wagers_taken_at"] = found["hits"][0]["account"]["wagers_taken_at"]
        assert hit["account"]["wagers_taken_at"] in (2, 3)
        assert found == {"hits": [hit]}

        at = f"{network}/hits/{hit['claim_id']}"
        verified = {**hit, "status": "verified", "verified_by": STAFF["dealer"]}
        checks = {"checks": ["hand", "light"]}
        assert await client.post(f"{at}/verify", checks, by="dealer") == (200, verified)
        approval = (f"{at}/approve", {"document": "form 1"}, "approval-1")
        paid = {**verified, "status": "paid", "decided_by": STAFF["floorperson"], "document": "form 1"}
        assert await client.post(*approval, by="floorperson") == (200, paid)
        assert await client.post(*approval, by="floorperson") == (200, paid)
        status, refusal = await client.post(*approval[:2], by="floorperson")
        assert (status, refusal["code"]) == (422, "hit_already_paid")
        released = {**paid, "released_by": STAFF["dealer"]}
        assert await client.post(f"{at}/release", {}, by="dealer") == (200, released)
        for what, body in [("verify", checks), ("approve", {"document": "form 2"}), ("refuse", {"reason": "late"})]:
            status, refusal = await client.post(f"{at}/{what}", body, by="floorperson")
            assert (status, refusal["code"]) == (422, "hit_already_paid")

        await floor.delivers_everything_again()
        await floor.settles(t2, 1, 500)
        await until(lambda: closed(client, floor, {t1: 1, t2: 1}))
        assert await meter(client, floor) == 1_000_000
        assert await client.get(f"{network}/hits", status="open") == (200, {"hits": []})
        assert await client.get(f"{network}/hits", status="paid") == (200, {"hits": [released]})
        _, report = await client.get(f"{network}/report")
        main = report["meters"][0]
        assert (main["hits"], main["wins"], main["stakes"]) == (1, 1_000_800, 1_500)
        assert main["latest_hits"] == [released]
        events = await history(client, floor)
    assert sorted(events[:2]) == ["WagersContributed t1/1", "WagersContributed t2/1"]
    assert events[2:] == [
        "HitLocked t1/1",
        "RoundClosed t1/1",
        "HitVerified",
        "HandPayApproved t1/1",
        "CardsReleased",
        "RoundClosed t2/1",
    ]


async def reached(client: Any, floor: Any, amount: int) -> bool:
    return await meter(client, floor) == amount


async def test_a_settlement_that_outruns_its_round_feeds_the_meter_and_the_late_count_is_ignored(
    progressive: Serving, floor: Any, until: Until
) -> None:
    t1, _ = floor.tables
    async with progressive() as client:
        await opened(client, floor)
        await floor.settles(t1, 1, 1_000, ("main", 10))
        await floor.settles(t1, 2, 700, void=True)
        await until(lambda: closed(client, floor, {t1: 2}))
        await floor.closes_betting(t1, 1, 1_000)
        await floor.closes_betting(t1, 2, 700)
        await floor.closes_betting(t1, 3, 5)
        await until(lambda: reached(client, floor, 1_000_700 - 100_070 + 1))
        assert await history(client, floor) == [
            "WagersContributed t1/1",
            "HitLocked t1/1",
            "RoundClosed t1/1",
            "RoundClosed t1/2",
            "WagersContributed t1/3",
        ]


async def test_a_stopped_service_goes_on_where_it_was(progressive: Serving, floor: Any, until: Until) -> None:
    t1, t2 = floor.tables
    async with progressive() as client:
        await opened(client, floor)
        await floor.closes_betting(t1, 1, 1_000)
        await until(lambda: reached(client, floor, 1_000_700))
    await floor.closes_betting(t2, 1, 1_000)
    await floor.settles(t1, 1, 1_000, void=True)
    async with progressive() as client:
        await until(lambda: closed(client, floor, {t1: 1}))
        await until(lambda: reached(client, floor, 1_000_700))
        events = await history(client, floor)
    assert sorted(events) == [
        "ContributionsReturned t1/1",
        "RoundClosed t1/1",
        "WagersContributed t1/1",
        "WagersContributed t2/1",
    ]


async def test_a_claim_on_a_meter_that_is_not_there_holds_up_its_own_table_alone(
    progressive: Serving, floor: Any, until: Until
) -> None:
    t1, t2 = floor.tables
    async with progressive() as client:
        await opened(client, floor)
        await floor.settles(t1, 1, 100, ("main", 10), ("mega", 100))
        await floor.settles(t1, 2, 100)
        await floor.settles(t2, 1, 100)
        await until(lambda: closed(client, floor, {t2: 1}))
        (letter,) = await until(lambda: client.holding_up(t1))
        assert "unknown_meter: share.meter: was 'mega' (progressive); main are open" in letter["error"]
        assert await history(client, floor) == ["WagersContributed t2/1", "RoundClosed t2/1"]


async def test_rounds_that_came_before_their_network_was_open_are_applied_in_order_once_retried(
    progressive: Serving, floor: Any, until: Until
) -> None:
    t1, _ = floor.tables
    async with progressive() as client:
        await floor.settles(t1, 1, 1_000)
        await floor.settles(t1, 2, 1_000, ("main", 10))
        (letter,) = await until(lambda: client.holding_up(t1))
        assert letter["error"].startswith(f"UnfitEventError: unknown_network: network: was '{floor.network}'")

        await opened(client, floor)
        status, _ = await client.post(f"/v1/dead-letters/{letter['id']}/retry", {})
        assert status == 200
        await until(lambda: closed(client, floor, {t1: 2}))
        assert await client.holding_up(t1) == []
        assert await history(client, floor) == [
            "WagersContributed t1/1",
            "RoundClosed t1/1",
            "WagersContributed t1/2",
            "HitLocked t1/2",
            "RoundClosed t1/2",
        ]
