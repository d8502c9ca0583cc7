"""The ops room knows events alone, and says what the services that own the facts say.

Method: an evening of all three games is played through the running services; meanwhile the ops room is killed (SIGKILL)
again and again, and its read models are made anew beside those in use. Then every figure is laid beside its owner's:
wagers beside table accounting, meters beside their networks, accounts beside the ledger, cards and players beside the
round records that were played. At the end its schema is dropped, and made again from the topics alone.
"""

import asyncio
import json
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from typing import Any

import asyncpg
import pytest
import requests

pytestmark = pytest.mark.stack

DAY = "2025-11-20"
ROUNDS = 60
PATIENCE_S = 120


class Room:
    """The services, asked by somebody who may see everything."""

    def __init__(self, platform: Any) -> None:
        self.platform = platform
        self.session = requests.Session()
        self.session.headers.update(platform.credential)

    def get(self, service: str, path: str, **query: Any) -> Any:
        answer = self.session.get(self.platform.addresses.of(service) + path, params=query, timeout=60)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def pages(self, path: str, what: str, cursor: str, **query: Any) -> list[Any]:
        """Every page of a list of the ops room."""
        found: list[Any] = []
        following: dict[str, Any] = {}
        while True:
            page = self.get("ops", path, **query, **following)
            found += page[what]
            if page["next"] is None:
                return found
            following = {cursor: page["next"]}

    def rebuild(self) -> Any:
        """Make the read models anew beside those in use."""
        environ = {"PITSTREAM_POSTGRES": self.platform.stack.postgres, "PITSTREAM_KAFKA": self.platform.stack.kafka}
        return self.platform.pitstream("ops", "rebuild", "--json", environ=environ)

    def heard(self) -> int:
        """Events that the ops room has heard."""
        return sum(topic["events"] for topic in self.get("ops", "/v1/floor")["as_of"]["topics"].values())

    async def published(self) -> int:
        """Events that the services have stored."""
        conn = await asyncpg.connect(self.platform.stack.postgres)
        try:
            schemas = ("table", "settlement", "progressive", "wallet")
            return sum([await conn.fetchval(f'SELECT count(*) FROM "{schema}".events') for schema in schemas])
        finally:
            await conn.close()

    def catch_up(self) -> None:
        """Wait until it has heard everything."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                heard, published = self.heard(), asyncio.run(self.published())
            except (requests.ConnectionError, AssertionError):
                heard, published = -1, 0
            if heard == published:
                return
            assert time.monotonic() < deadline, f"heard {heard} of {published} events"
            time.sleep(0.5)


@pytest.fixture(scope="module")
def played(platform: Any, evening_small: list[str], on_day: Any) -> tuple[Room, list[dict[str, Any]]]:
    """The evening, with the ops room killed and made anew while it is played."""
    lines = on_day(evening_small[:ROUNDS], DAY)
    room = Room(platform)
    with ThreadPoolExecutor() as pool:
        feed = pool.submit(platform.feed, lines, "--network-suffix=-ops", "--patience=120")
        kills = 0
        while not feed.done():
            time.sleep(1.5)
            if kills < 3:
                platform.kill("ops")
                kills += 1
            elif kills == 3:
                done = room.rebuild()
                # Tables that are never free may refuse the exchange; a difference would be a fault of ours.
                assert done.returncode == 0 or "in use without a break" in done.stderr, done.stdout + done.stderr
                kills += 1
        feed.result()
    room.catch_up()
    return room, [json.loads(line) for line in lines]


def tables_of(records: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Table -> currency."""
    return {record["table"]: record.get("currency", "USD") for record in records}


def test_wagers_are_those_of_table_accounting(played: tuple[Room, list[dict[str, Any]]]):
    room, records = played
    floor = {one["table"]: one for one in room.get("ops", "/v1/floor")["tables"]}
    for table, currency in tables_of(records).items():
        counted = room.get("wallet", f"/v1/tables/{table}/days/{DAY}/{currency}")
        rows = room.get("ops", f"/v1/gaming-days/{DAY}/money", by=["shift", "game", "wager"], table=table)["rows"]
        figures = ("shift", "game", "wager", "bets", "handle", "taken", "paid")
        theirs: dict[tuple[Any, ...], list[int]] = {}
        for one in counted["wagers"]:
            sums = theirs.setdefault(tuple(one[name] for name in figures[:3]), [0] * 4)
            sums[:] = [a + one[name] for a, name in zip(sums, figures[3:], strict=True)]
        assert {tuple(row[name] for name in figures[:3]): [row[name] for name in figures[3:]] for row in rows} == theirs
        # Priced by the same edges, awards too; a policy's odds may be being counted still.
        expected: dict[tuple[Any, ...], Fraction] = {}
        for one in counted["wagers"]:
            key = tuple(one[name] for name in figures[:3])
            expected[key] = expected.get(key, Fraction(0)) + Fraction(one["theoretical_win"])
        priced = [row for row in rows if not row["pending"] and not row["unpriced"]]
        assert {tuple(row[name] for name in figures[:3]): Fraction(row["theoretical"]) for row in priced} == {
            tuple(row[name] for name in figures[:3]): expected[tuple(row[name] for name in figures[:3])]
            for row in priced
        }
        shown = floor[table]
        assert (shown["gaming_day"], shown["rounds"], shown["handle"], shown["win"]) == (
            DAY,
            counted["rounds"],
            counted["settled"]["handle"],
            counted["settled"]["win"],
        )


def test_meters_are_those_of_their_networks_and_of_the_ledger(played: tuple[Room, list[dict[str, Any]]]):
    room, _ = played
    networks = [one for one in room.get("ops", "/v1/networks")["networks"] if one["network"].endswith("-ops")]
    assert networks
    for network in networks:
        report = room.get("progressive", f"/v1/networks/{network['network']}/report")
        theirs = {meter["meter"]: meter for meter in report["meters"]}
        for meter in network["meters"]:
            one = theirs[meter["meter"]]
            assert (meter["amount"], meter["hits"], meter["wins"]) == (one["amount"], one["hits"], one["wins"])
            assert (meter["in_ledger"], meter["pending_in_ledger"]) == (meter["amount"], meter["pending"])


def test_accounts_are_those_of_the_ledger(played: tuple[Room, list[dict[str, Any]]]):
    room, records = played
    players = {
        f"player/{seat['player']}/{record.get('currency', 'USD')}" for record in records for seat in record["seats"]
    }
    ours = {one["account"]: one["balance"] for one in room.pages("/v1/accounts", "accounts", "after", limit=1000)}
    assert sum(ours.values()) == 0
    for account in sorted(players)[:20]:
        assert ours[account] == room.get("wallet", f"/v1/accounts/{account}")["balance"], account


def test_who_was_dealt_what_is_found(played: tuple[Room, list[dict[str, Any]]]):
    room, records = played
    dealt = [(record["id"], seat) for record in records for seat in record["seats"] if seat.get("cards")]
    for round_id, seat in dealt[:10]:
        cards = seat["cards"] if isinstance(seat["cards"], str) else " ".join(seat["cards"])
        asked = set(cards.split())
        wanted = {
            other
            for other, one in dealt
            if asked <= set(one["cards"].split() if isinstance(one["cards"], str) else one["cards"])
        }
        found = room.pages("/v1/search", "rounds", "before", cards=cards, day=DAY)
        assert {one["round_id"] for one in found} == wanted
        assert round_id in wanted
    player = dealt[0][1]["player"]
    theirs = {record["id"] for record in records if any(seat["player"] == player for seat in record["seats"])}
    assert {one["round_id"] for one in room.pages("/v1/search", "rounds", "before", player=player, day=DAY)} == theirs


def test_read_models_made_anew_are_the_same(played: tuple[Room, list[dict[str, Any]]]):
    room, _ = played
    done = room.rebuild()
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["difference"], told["events"]) == (None, room.heard())


def test_a_dropped_schema_is_made_again_from_the_topics(played: tuple[Room, list[dict[str, Any]]]):
    room, _ = played

    def everything() -> Any:
        floor = room.get("ops", "/v1/floor")["tables"]
        days = room.get("ops", f"/v1/gaming-days/{DAY}/money", by=["table", "shift", "game", "wager"])["rows"]
        sums = [
            {**row, "theoretical": 0, "theoretical_minor": 0, "deviation": 0, "unpriced": 0, "pending": 0}
            for row in days
        ]
        networks = room.get("ops", "/v1/networks")["networks"]
        hits = room.get("ops", "/v1/things/hit")["things"]
        return floor, sums, networks, hits, room.pages("/v1/accounts", "accounts", "after", limit=1000)

    before = everything()

    async def drop() -> None:
        conn = await asyncpg.connect(room.platform.stack.postgres)
        await conn.execute("DROP SCHEMA ops CASCADE")
        await conn.close()

    asyncio.run(drop())
    room.platform.kill("ops")
    room.catch_up()
    assert everything() == before
