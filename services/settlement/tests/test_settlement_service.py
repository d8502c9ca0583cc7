"""The settlement service on real topics and a real PostgreSQL: a closed round is settled once, however it comes."""

import asyncio
import json
import uuid
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from pitstream.events import Event, Recorded
from pitstream.events.ids import claim_id
from pitstream.events.rounds import RoundOpened
from pitstream.runtime.access import unknown_round
from pitstream.services.progressive.app import build as build_progressive
from pitstream.services.progressive.config import ProgressiveSettings
from pitstream.services.settlement.settling import settle_stream

pytestmark = pytest.mark.stack

Serving = Callable[[], AbstractAsyncContextManager[Any]]
Until = Callable[..., Awaitable[Any]]
EventsOf = Callable[..., list[Event]]
Sealed = Callable[..., list[Recorded]]
Publish = Callable[[list[Recorded]], Awaitable[None]]

EVENING = Path(__file__).parents[3] / "demo" / "evening-uth.jsonl"
DAY = "2025-06-14"
ROYAL: dict[str, Any] = {
    "id": "r1",
    "table": "t1",
    "game": "ultimate_texas_holdem",
    "gaming_day": DAY,
    "currency": "USD",
    "paytables": {"ante": "A", "blind": "A", "play": "A", "progressive": "sister-A"},
    "cards": {"dealer": ["9h", "9d"], "community": ["Qs", "Js", "Ts", "2d", "3c"]},
    "seats": [
        {
            "seat": 1,
            "player": "p1",
            "cards": ["As", "Ks"],
            "wagers": {"ante": 1000, "blind": 1000, "progressive": 100},
            "decisions": ["4x"],
        }
    ],
}


def at(table: str, record: dict[str, Any] = ROYAL) -> dict[str, Any]:
    return {**record, "table": table}


@pytest.fixture
def table() -> str:
    """A table that no other test has: the topics are shared."""
    return f"t1-{uuid.uuid4().hex[:8]}"


async def answered(client: Any, path: str) -> Any:
    status, body = await client.get(path)
    return body if status == 200 else None


async def test_a_round_that_comes_in_pieces_and_twice_is_settled_once(
    settlement: Serving,
    database: str,
    table: str,
    until: Until,
    events_of: EventsOf,
    sealed: Sealed,
    publish: Publish,
) -> None:
    stream = sealed(events_of(at(table), network="uth"), table=table, round_no=1)
    path = f"/v1/rounds/{table}/1"
    half = len(stream) // 2
    async with settlement() as client:
        await publish(stream[:half])

        async def kept() -> bool:
            return await count(database, "open_round_events", "stream LIKE $1", f"round/{table}/%") == half

        await until(kept)
        assert await client.get(path) == (
            404,
            unknown_round(table, 1).body,
        )
    await publish(stream[half:])
    async with settlement() as client:
        settled = settle_stream(stream).model_dump(mode="json")
        assert await until(lambda: answered(client, path)) == settled

        await publish(stream)
        following = sealed(events_of(at(table), 2), table=table, round_no=2, first_sequence=len(stream) + 1)
        await publish(following)
        await until(lambda: answered(client, f"/v1/rounds/{table}/2"))
        query = {"rounds": [{"table": table, "round_no": number} for number in (2, 1, 3)]}
        assert await client.post("/v1/rounds/query", query) == (
            200,
            {"settled": [settle_stream(following).model_dump(mode="json"), settled]},
        )
        (event,) = await answered(client, f"{path}/events")
        assert (event["version"], event["type"], event["cause_id"]) == (
            1,
            "pitstream.settlements.v1.RoundSettled",
            stream[-1].envelope.event_id,
        )
        assert await count(database, "open_round_events", "stream LIKE $1", f"round/{table}/%") == 0
        assert await count(database, "results", "table_id = $1", table) == 2 * 4


async def count(database: str, name: str, where: str, value: str) -> int:
    """Rows of the service's own table."""
    conn = await asyncpg.connect(database, server_settings={"search_path": "settlement"})
    try:
        found: int = await conn.fetchval(f"SELECT count(*) FROM {name} WHERE {where}", value)
        return found
    finally:
        await conn.close()


async def test_an_evening_of_many_tables_is_settled_in_batches_and_summed_by_day_and_game(
    settlement: Serving, table: str, until: Until, events_of: EventsOf, sealed: Sealed, publish: Publish
) -> None:
    records = [json.loads(line) for line in EVENING.read_text(encoding="utf-8").splitlines()[:120]]
    day = "2025-06-13"  # no other test's
    played: dict[str, list[Recorded]] = {}
    rounds: list[list[Recorded]] = []
    for record in records:
        name = f"{record['table']}-{table}"
        before = played.setdefault(name, [])
        number = 1 + sum(isinstance(recorded.event, RoundOpened) for recorded in before)
        events = events_of({**record, "table": name, "gaming_day": day}, number)
        rounds.append(sealed(events, table=name, round_no=number, first_sequence=len(before) + 1))
        before += rounds[-1]
    expected: dict[str, dict[str, int]] = {}
    for stream in rounds:
        for seat in settle_stream(stream).seats:
            for line in seat.lines:
                total = expected.setdefault(line.wager, dict.fromkeys(("stake", "returned", "won"), 0))
                for name in total:
                    total[name] += getattr(line, name)
    async with settlement() as client:
        # Tables play at the same time: their events lie between one another's in the topic.
        await asyncio.gather(*(publish(events) for events in played.values()))
        query = {"rounds": [{"table": s[0].envelope.key, "round_no": int(s[0].stream.split("/")[2])} for s in rounds]}

        async def all_settled() -> bool:
            _, found = await client.post("/v1/rounds/query", query)
            return len(found["settled"]) == len(rounds)

        await until(all_settled)
        _, answer = await client.get("/v1/totals", gaming_day=day, game="ultimate_texas_holdem")
        assert {
            total["wager"]: {name: total[name] for name in ("stake", "returned", "won")} for total in answer["totals"]
        } == expected
        assert await client.get("/v1/totals", gaming_day=day, game="flop_poker") == (200, {"totals": []})


async def test_a_round_dealt_under_another_paytable_holds_up_its_own_table_alone(
    settlement: Serving, table: str, until: Until, events_of: EventsOf, sealed: Sealed, publish: Publish
) -> None:
    events = events_of(at(table))
    assert isinstance(events[0], RoundOpened)
    choices = tuple(choice.model_copy(update={"sha256": "00"}) for choice in events[0].paytables)
    spoiled = sealed([events[0].model_copy(update={"paytables": choices}), *events[1:]], table=table, round_no=1)
    following = sealed(events_of(at(table), 2), table=table, round_no=2, first_sequence=len(spoiled) + 1)
    other = f"other-{table}"
    async with settlement() as client:
        await publish([*spoiled, *following])
        await publish(sealed(events_of(at(other)), table=other, round_no=1))
        await until(lambda: answered(client, f"/v1/rounds/{other}/1"))
        (letter,) = await until(lambda: client.holding_up(table))
        assert f"round {table}/1: sha256 of ultimate_texas_holdem.ante.A was '00'" in letter["error"]
        assert (await client.get(f"/v1/rounds/{table}/2"))[0] == 404


async def test_a_royal_flush_at_a_table_locks_the_meter_exactly_once(
    settlement: Serving,
    serving: Callable[..., AbstractAsyncContextManager[Any]],
    table: str,
    until: Until,
    events_of: EventsOf,
    sealed: Sealed,
    publish: Publish,
) -> None:
    network = f"uth-{table}"
    stream = sealed(events_of(at(table), network=network), table=table, round_no=1)
    main = {"meter": "main", "seed": 1_000_000, "amount": 1_234_567, "rate": "1/5"}
    async with settlement(), serving(build_progressive, ProgressiveSettings) as progressive:
        await progressive.post(f"/v1/networks/{network}/open", {"currency": "USD", "meters": [main]})
        await publish(stream)
        await publish(stream)

        async def closed() -> Any:
            _, view = await progressive.get(f"/v1/networks/{network}")
            return view if view["closed_rounds"] == {table: 1} else None

        view = await until(closed)
        assert view["meters"][0]["amount"] == 1_000_000
        _, hits = await progressive.get(f"/v1/networks/{network}/hits")
        assert [(hit["claim_id"], hit["amount"], hit["status"]) for hit in hits["hits"]] == [
            (claim_id(table, 1, 1, "progressive"), 1_234_587, "locked")
        ]
