"""A table and its network: real HTTP, PostgreSQL and topics; the network is a stand-in that may fall silent."""

import asyncio
import uuid
from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiokafka import AIOKafkaProducer

from pitstream.events import Event, Recorded, open_envelope, seal
from pitstream.events.ids import progressive_stream
from pitstream.events.progressives import (
    MeterContribution,
    MeterOpening,
    MeterRetired,
    NetworkOpened,
    RoundClosed,
    WagersContributed,
)
from pitstream.events.rounds import ProgressiveResumed, ProgressiveSuspended, TableOpened
from pitstream.services.progressive.app import build as progressive_service
from pitstream.services.progressive.config import ProgressiveSettings

pytestmark = pytest.mark.stack

TERMS = {
    "game": "ultimate_texas_holdem",
    "gaming_day": "2025-05-03",
    "currency": "USD",
    "paytables": {"ante": "A", "blind": "A", "play": "A", "progressive": "sister-A"},
}
BET = {"ante": 1000, "blind": 1000, "progressive": 100}


@dataclass
class Network:
    """Says what the progressive service would."""

    producer: AIOKafkaProducer
    name: str
    _last: Recorded | None = field(default=None)

    async def opens(self, meter: str = "main", currency: str = "USD") -> None:
        opening = MeterOpening(meter=meter, seed=1000, amount=1000, rate_numerator=1, rate_denominator=5)
        await self.says(NetworkOpened(network=self.name, currency=currency, meters=(opening,)))

    async def takes(self, table: str, round_no: int) -> None:
        part = MeterContribution(meter="main", posted=20, amount_after=1000 + 20 * round_no, carry_numerator=0)
        fed = {"network": self.name, "table": table, "round_no": round_no, "stakes": 100, "currency": "USD"}
        await self.says(WagersContributed(**fed, contributions=(part,)))

    async def says(self, event: Event) -> None:
        version = self._last.version + 1 if self._last else 1
        data = seal(
            event,
            stream=progressive_stream(self.name),
            version=version,
            source="progressive",
            key=self.name,
            key_sequence=version,
            recorded_at_us=1_750_000_000_000_000,
            cause_id="",
            actor="test",
            traceparent="",
            previous_hash=self._last.hash if self._last else b"",
        )
        self._last = open_envelope(data)
        await self.producer.send_and_wait(event.topic, data, key=self.name.encode())


@pytest.fixture
def network(producer: AIOKafkaProducer) -> Network:
    return Network(producer, f"n-{uuid.uuid4().hex[:8]}")


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PITSTREAM_TABLE_NETWORK_SILENCE_S", "1")


async def opens(client: Any, table: str, network: str, **changed: Any) -> tuple[int, Any]:
    status, answer = await client.post(f"/v1/tables/{table}/open", {**TERMS, "network": network, **changed})
    return status, answer if status == 201 else (answer["code"], answer["field"], answer["detail"])


async def test_a_table_hears_of_its_network_before_it_opens_or_says_what_is_wrong(
    client: Any, wallet: Any, network: Network
) -> None:
    nobody = ("unknown_network", "network", f"was {network.name!r}; no network of that name is open")
    # At the first asking: where not all was heard in time, the answer is `not_heard_yet`.
    assert await opens(client, wallet.table, network.name) == (422, nobody)

    # Opened a moment ago: what Kafka has is heard before the table answers.
    await network.opens()
    status, opened = await opens(client, wallet.table, network.name)
    assert (status, opened["network"], opened["progressive_suspended"]) == (201, network.name, None)

    other = f"{wallet.table}-eur"
    counts = ("wrong_currency", "currency", f"was EUR; {network.name} counts in USD")
    assert await opens(client, other, network.name, currency="EUR") == (422, counts)
    mega = {**TERMS["paytables"], "progressive": "sister-C"}  # type: ignore[dict-item]
    lacks = f"was 'sister-C', which pays shares of meter 'major'; {network.name} has main"
    assert await opens(client, other, network.name, paytables=mega) == (
        422,
        ("unknown_meter", "paytables.progressive", lacks),
    )


@dataclass
class Terminal:
    client: Any
    wallet: Any

    async def sends(self, path: str, body: Any) -> tuple[int, Any]:
        status, answer = await self.client.post(f"/v1/tables/{self.wallet.table}{path}", body)
        return status, answer

    async def bets(self, round_no: int, stakes: dict[str, int]) -> tuple[int, Any]:
        body = {"seat": 1, "player": self.wallet.player("p1"), "stakes": stakes}
        return await self.sends(f"/rounds/{round_no}/wagers", body)

    async def opens_round(self, round_no: int) -> None:
        status, view = await self.sends("/rounds", {"round_id": f"r{round_no}", "options": {}})
        assert (status, view.get("round_no")) == (201, round_no), view

    async def plays(self, round_no: int, stakes: dict[str, int]) -> None:
        """A round from the deal, where its wagers wait for the wallet, to a fold."""
        path = f"/v1/tables/{self.wallet.table}/rounds/{round_no}"
        _, view = await self.client.get(path)
        async with asyncio.timeout(30):
            while view["waiting_for"]:
                _, view = await self.client.get(path, after_version=view["version"], wait_ms=10_000)
        assert view["seats"][0]["wagers"] == stakes
        hands = [{"seat": 1, "cards": ["4d", "Ks"]}]
        for step, body in (
            ("deal", {"hands": hands, "dealer": ["3c", "5d"]}),
            ("decisions", {"seat": 1, "choice": "check"}),
            ("community", {"cards": ["9h", "Ah", "Kh"], "burned": ["Ac"]}),
            ("decisions", {"seat": 1, "choice": "check"}),
            ("community", {"cards": ["Ts", "7h"], "burned": ["Jc"]}),
            ("decisions", {"seat": 1, "choice": "fold"}),
            ("finish", {}),
        ):
            status, answer = await self.sends(f"/rounds/{round_no}/{step}", body)
            assert status == 200, answer

    async def suspended(self) -> Any:
        return (await self.client.get(f"/v1/tables/{self.wallet.table}"))[1]["progressive_suspended"]


async def test_a_silent_network_closes_the_progressive_wager_and_its_answers_open_it_again(
    client: Any, wallet: Any, network: Network, until: Any
) -> None:
    table, terminal = wallet.table, Terminal(client, wallet)
    await network.opens()
    assert (await opens(client, table, network.name))[0] == 201
    await terminal.opens_round(1)
    assert (await terminal.bets(1, BET))[0] == 200
    await terminal.plays(1, BET)
    await asyncio.sleep(1.1)

    await terminal.opens_round(2)
    assert (await terminal.suspended())["round_no"] == 1
    status, refused = await terminal.bets(2, BET)
    assert (status, refused["code"], refused["field"]) == (422, "progressive_suspended", "stakes.progressive")
    assert refused["detail"].startswith(f"network {network.name} has not answered for round 1 in ")
    alone = {"ante": 1000, "blind": 1000}
    assert (await terminal.bets(2, alone))[0] == 200
    await terminal.plays(2, alone)

    await network.takes(table, 1)
    await network.says(RoundClosed(network=network.name, table=table, round_no=1))
    await terminal.opens_round(3)

    async def taken_again() -> bool:
        return bool((await terminal.bets(3, BET))[0] == 200)

    await until(taken_again)
    assert await terminal.suspended() is None
    await terminal.plays(3, BET)
    _, history = await client.get(f"/v1/tables/{table}/events")
    assert [one["type"].rpartition(".")[2] for one in history] == [
        TableOpened.__name__,
        ProgressiveSuspended.__name__,
        ProgressiveResumed.__name__,
    ]
    _, report = await client.get(f"/v1/networks/{network.name}/stakes")
    (told,) = report["tables"]
    assert told == {
        "table": table,
        "rounds": 2,
        "stakes": 200,
        "void_stakes": 0,
        "unanswered": 1,
        "first_round": 1,
        "last_round": 3,
    }


async def test_what_was_wagered_while_the_network_was_away_joins_its_meter_once(
    client: Any, wallet: Any, network: Network, serving: Any, until: Any
) -> None:
    """The progressive service itself, stopped and started again."""
    table, terminal = wallet.table, Terminal(client, wallet)
    meter = {"meter": "main", "seed": 1000, "amount": 1000, "rate": "1/3"}

    async def plays(round_no: int, stakes: dict[str, int]) -> None:
        await terminal.opens_round(round_no)
        assert (await terminal.bets(round_no, stakes))[0] == 200
        await terminal.plays(round_no, stakes)

    async def stands_at(progressive: Any) -> Any:
        _, view = await progressive.get(f"/v1/networks/{network.name}")
        return (view["meters"][0]["amount"], view["meters"][0]["carry"])

    async with serving(progressive_service, ProgressiveSettings) as progressive:
        path = f"/v1/networks/{network.name}/open"
        assert (await progressive.post(path, {"currency": "USD", "meters": [meter]}))[0] == 201
        assert (await opens(client, table, network.name))[0] == 201
        await plays(1, BET)
        await until(lambda: is_now(stands_at(progressive), (1033, "1/3")))
    await plays(2, BET)
    await asyncio.sleep(1.1)
    await terminal.opens_round(3)
    status, refused = await terminal.bets(3, BET)
    assert (status, refused["code"]) == (422, "progressive_suspended")
    assert refused["detail"].startswith(f"network {network.name} has not answered for round 2 in ")
    alone = {"ante": 1000, "blind": 1000}
    assert (await terminal.bets(3, alone))[0] == 200
    await terminal.plays(3, alone)
    async with serving(progressive_service, ProgressiveSettings) as progressive:
        await terminal.opens_round(4)

        async def taken_again() -> bool:
            return bool((await terminal.bets(4, BET))[0] == 200)

        await until(taken_again)
        assert await stands_at(progressive) == (1066, "2/3")
        await terminal.plays(4, BET)
        await until(lambda: is_now(stands_at(progressive), (1100, "0/3")))
        _, report = await client.get(f"/v1/networks/{network.name}/stakes")
        assert [(told["rounds"], told["stakes"]) for told in report["tables"]] == [(3, 300)]


async def is_now(answer: Awaitable[Any], expected: Any) -> bool:
    return bool(await answer == expected)


async def test_a_meter_that_is_retired_while_its_table_is_open_takes_no_wagers_there(
    client: Any, wallet: Any, network: Network, until: Any
) -> None:
    terminal = Terminal(client, wallet)
    await network.opens()
    assert (await opens(client, wallet.table, network.name))[0] == 201
    await network.says(
        MeterRetired(network=network.name, proposal_id="c1", proposed_by="a", approved_by="b", meter="main")
    )
    await terminal.opens_round(1)
    refused: list[Any] = []

    async def is_refused() -> bool:
        # The table hears of it a moment later; until then these are refused because ante and blind differ.
        status, answer = await terminal.bets(1, {"ante": 1, "blind": 2, "progressive": 100})
        refused.append((status, answer["code"], answer["field"], answer["detail"]))
        return bool(answer["code"] == "meter_retired")

    await until(is_refused)
    why = f"meter main of network {network.name} is retired; the round goes on without progressive"
    assert refused[-1] == (422, "meter_retired", "stakes.progressive", why)
    alone = {"ante": 1000, "blind": 1000}
    assert (await terminal.bets(1, alone))[0] == 200
    await terminal.plays(1, alone)
