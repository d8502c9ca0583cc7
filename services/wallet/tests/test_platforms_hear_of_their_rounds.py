"""Webhooks. Method: the wallet as it runs, facts on its topics, and a real HTTP server that fails and is slow."""

import asyncio
import json
import socket
import uuid
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest
from aiohttp import web
from standardwebhooks import Webhook

from pitstream.events.prizes import PrizePosted
from pitstream.events.wallet import HandPayPosted, Transfer, TransferReversed
from pitstream.services.wallet.app import build
from pitstream.services.wallet.config import WalletSettings
from pitstream.services.wallet.webhooks.guard import ForbiddenAddressError, guarded_socket
from pitstream.services.wallet.webhooks.notices import event_notices

pytestmark = pytest.mark.stack


@dataclass
class Receiver:
    """A platform's endpoint: verifies every request with the reference library, then answers as it is told to."""

    url: str = ""
    secret: str = ""
    answers: list[int] = field(default_factory=list)
    """What the next requests are answered with; 200 once it is used up. 0 drops the connection after having read."""
    slow_s: float = 0.0
    """How long it reads each request."""
    open: asyncio.Event = field(default_factory=asyncio.Event)
    """Unless it is set, requests are read and left without an answer."""
    heard: list[dict] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    bodies: dict[str, set[bytes]] = field(default_factory=lambda: defaultdict(set))
    at_once: int = 0
    at_once_max: int = 0

    async def hear(self, request: web.Request) -> web.Response:
        body = await request.read()
        Webhook(self.secret).verify(body, dict(request.headers))
        self.at_once += 1
        self.at_once_max = max(self.at_once, self.at_once_max)
        await asyncio.sleep(self.slow_s)
        await self.open.wait()
        self.at_once -= 1
        self.ids.append(request.headers["webhook-id"])
        self.bodies[request.headers["webhook-id"]].add(body)
        answer = self.answers.pop(0) if self.answers else 200
        if answer == 0:
            request.transport.abort()
        if answer == 200:
            self.heard.append(json.loads(body))
        return web.Response(status=answer or 200, headers={"location": self.url})


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    made = Receiver()
    made.open.set()
    app = web.Application()
    app.router.add_post("/hooks", made.hear)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    made.url = f"http://127.0.0.1:{runner.addresses[0][1]}/hooks"
    yield made
    await runner.cleanup()


@pytest.fixture
def mark() -> str:
    return uuid.uuid4().hex[:8]


@pytest.fixture
def calling(request, monkeypatch):
    """The wallet with webhooks allowed on this machine, hasty enough for a test."""
    monkeypatch.setenv("PITSTREAM_WALLET_WEBHOOK_NETWORKS", "127.0.0.0/8")
    monkeypatch.setenv("PITSTREAM_WALLET_WEBHOOK_PAUSE_MS", "20")
    monkeypatch.setenv("PITSTREAM_WALLET_WEBHOOK_ATTEMPTS_MAX", "4")
    monkeypatch.setenv("PITSTREAM_WALLET_WEBHOOK_TIMEOUT_MS", "10000")
    return request.getfixturevalue("serving")


async def subscribe(client, receiver: Receiver, owner: str = "acme", kinds=("round.settled", "hand_pay.paid")) -> str:
    status, made = await client.post(
        "/v1/webhooks", {"owner": owner, "url": receiver.url, "kinds": list(kinds)}, f"subscribe-{owner}"
    )
    assert status == 201, made
    receiver.secret = made["secret"]
    return made["webhook_id"]


async def play(client, floor, say, table: str, players: list[str], rounds: range) -> None:
    """Rounds at a table in which every player loses an ante of 100 and wins a trips of 50, one after the other."""

    async def held() -> int:
        return (await client.get(f"/v1/accounts/player/{players[-1]}/USD"))[1]["held"]

    async def posted() -> bool:
        return await held() == 0

    for no in rounds:
        await floor.says(
            *(say.placed(s, p, table=table, round_no=no, ante=100, trips=50) for s, p in enumerate(players, 1))
        )
        await say.until(held)
        seats = (say.seat(s, p, say.lost("ante", 100), say.won("trips", 50, 150)) for s, p in enumerate(players, 1))
        await floor.says(say.settled(*seats, table=table, round_no=no))
        await say.until(posted)


async def test_an_operator_hears_of_its_own_players_only_and_can_verify_it(calling, floor, say, receiver, mark):
    table, theirs, other = f"t-{mark}", f"acme:{mark}", f"rival:{mark}"
    property_s = f"acme.boardwalk:{mark}"
    async with calling() as client:
        await subscribe(client, receiver)
        for player in (theirs, other, property_s):
            await client.post(f"/v1/players/{player}/USD/deposits", {"amount": 1_000})
        await play(client, floor, say, table, [theirs, other, property_s], range(1, 2))

        async def both():
            return len(receiver.heard) == 2

        await say.until(both)
        by_player = {one["data"]["seats"][0]["player"]: one for one in receiver.heard}
        assert by_player.keys() == {theirs, property_s}
        told = by_player[theirs]
        assert told["type"] == "round.settled"
        line = {"share": None, "paid_from": None, "awaits_validation": False, "rule": ""}
        assert told["data"] == {
            "table": table,
            "round_no": 1,
            "round_id": "r1",
            "game": "ultimate_texas_holdem",
            "gaming_day": "2026-01-02",
            "currency": "USD",
            "void": False,
            "seats": [
                {
                    "seat": 1,
                    "player": theirs,
                    "net": 50,
                    "balance_after": 1_050,
                    "lines": [
                        {"wager": "ante", "stake": 100, "outcome": "lose", "returned": 0, "won": 0, **line},
                        {"wager": "trips", "stake": 50, "outcome": "win", "returned": 50, "won": 150, **line},
                    ],
                    "awards": [],
                }
            ],
        }


async def test_whatever_a_subscriber_does_each_table_is_told_in_order_and_completely(
    calling, floor, say, receiver, mark, monkeypatch
):
    # More than all failures together: whichever delivery meets them.
    monkeypatch.setenv("PITSTREAM_WALLET_WEBHOOK_ATTEMPTS_MAX", "10")
    tables = {f"t{n}-{mark}": f"acme:p{n}-{mark}" for n in range(3)}
    receiver.answers = [500, 200, 0, 503, 302, 404, 200, 0, 500, 200]
    async with calling() as client:
        await subscribe(client, receiver)
        for player in tables.values():
            await client.post(f"/v1/players/{player}/USD/deposits", {"amount": 10_000})
        await asyncio.gather(*(play(client, floor, say, t, [p], range(1, 6)) for t, p in tables.items()))

        async def all_of_them():
            return len({(one["data"]["table"], one["data"]["round_no"]) for one in receiver.heard}) == 15

        await say.until(all_of_them)
    told: dict[str, list[int]] = defaultdict(list)
    for one in receiver.heard:
        told[one["data"]["table"]].append(one["data"]["round_no"])
    assert {table: sorted(set(rounds)) for table, rounds in told.items()} == {t: [1, 2, 3, 4, 5] for t in tables}
    assert {table: rounds for table, rounds in told.items() if rounds != sorted(rounds)} == {}
    assert {len(bodies) for bodies in receiver.bodies.values()} == {1}, "every attempt sends the same bytes"
    assert len(receiver.ids) == 15 + 7, "each failure is one attempt more, and nothing else is"


async def test_a_delivery_that_never_arrives_is_given_up_listed_and_sent_again_on_demand(
    calling, floor, say, receiver, mark
):
    table, player = f"t-{mark}", f"acme:{mark}"
    async with calling() as client:
        webhook = await subscribe(client, receiver)
        await client.post(f"/v1/players/{player}/USD/deposits", {"amount": 1_000})
        receiver.answers = [500] * 4
        await play(client, floor, say, table, [player], range(1, 3))

        async def second():
            return [one["data"]["round_no"] for one in receiver.heard] == [2]

        await say.until(second)
        _, listed = await client.get(f"/v1/webhooks/{webhook}/deliveries", state="dead")
        (dead,) = listed["deliveries"]
        assert (dead["attempts"], dead["last_answer"], dead["order_key"]) == (4, "500", table)
        path = f"/v1/webhooks/{webhook}/redeliver"
        for _ in range(2):
            assert await client.post(path, {}, "again") == (201, {"queued": 1})

        async def first():
            return [one["data"]["round_no"] for one in receiver.heard] == [2, 1]

        await say.until(first)
        assert Counter(receiver.ids)[dead["delivery_id"]] == 5
        assert (await client.get(f"/v1/webhooks/{webhook}/deliveries", state="dead"))[1]["deliveries"] == []
        one_more = f"/v1/webhooks/{webhook}/deliveries/{dead['delivery_id']}/redeliver"
        assert await client.post(one_more, {}) == (201, {"queued": 1})

        async def third():
            return [one["data"]["round_no"] for one in receiver.heard] == [2, 1, 1]

        await say.until(third)


async def test_a_slow_subscriber_is_called_four_times_at_once_and_no_more(calling, floor, say, receiver, mark):
    receiver.open.clear()
    async with calling() as client:
        await subscribe(client, receiver)
        for n in range(6):
            await client.post(f"/v1/players/acme:{n}{mark}/USD/deposits", {"amount": 1_000})
            await play(client, floor, say, f"t{n}-{mark}", [f"acme:{n}{mark}"], range(1, 2))

        async def four():
            return receiver.at_once == 4

        await say.until(four)
        await asyncio.sleep(1.0)
        assert receiver.at_once == 4
        receiver.open.set()

        async def all_of_them():
            return len(receiver.heard) == 6

        await say.until(all_of_them)
    assert receiver.at_once_max == 4


async def test_who_does_not_answer_in_time_is_told_again(calling, say, receiver, monkeypatch):
    monkeypatch.setenv("PITSTREAM_WALLET_WEBHOOK_TIMEOUT_MS", "200")
    receiver.open.clear()
    async with calling() as client:
        webhook = await subscribe(client, receiver)
        await client.post(f"/v1/webhooks/{webhook}/test", {})

        async def delivery():
            (one,) = (await client.get(f"/v1/webhooks/{webhook}/deliveries"))[1]["deliveries"]
            return one["attempts"] and one

        assert (await say.until(delivery))["last_answer"] == "no answer in 0.2 s"
        receiver.open.set()

        async def told_again():
            return len(set(receiver.ids)) == 1 and receiver.heard

        assert (await say.until(told_again))[0]["type"] == "webhook.test"


async def test_two_instances_of_the_wallet_share_the_calls_and_make_each_once(calling, floor, say, receiver, mark):
    tables = {f"t{n}-{mark}": f"acme:p{n}-{mark}" for n in range(4)}
    receiver.slow_s = 0.05
    async with calling() as client, calling() as other:
        await subscribe(client, receiver)
        for player in tables.values():
            await other.post(f"/v1/players/{player}/USD/deposits", {"amount": 10_000})
        await asyncio.gather(*(play(client, floor, say, t, [p], range(1, 5)) for t, p in tables.items()))

        async def all_of_them():
            return len(receiver.heard) >= 16

        await say.until(all_of_them)
    told: dict[str, list[int]] = defaultdict(list)
    for one in receiver.heard:
        told[one["data"]["table"]].append(one["data"]["round_no"])
    assert told == {table: [1, 2, 3, 4] for table in tables}


async def test_a_killed_sender_s_call_is_made_again_by_the_next(calling, floor, say, receiver, mark):
    """The first process ends while the subscriber is still reading: it may have been heard, so it is said again."""
    table, player = f"t-{mark}", f"acme:{mark}"
    async with calling() as client:
        webhook = await subscribe(client, receiver)
        await client.post(f"/v1/players/{player}/USD/deposits", {"amount": 1_000})
        receiver.open.clear()
        await play(client, floor, say, table, [player], range(1, 2))

        async def reading():
            return receiver.at_once

        await say.until(reading)
    receiver.open.set()
    async with calling() as client:
        # The lease of the first process would run for another 20 s.
        assert await client.post(f"/v1/webhooks/{webhook}/redeliver", {}) == (201, {"queued": 0})
        _, listed = await client.get(f"/v1/webhooks/{webhook}/deliveries")
        (waiting,) = listed["deliveries"]
        assert waiting["state"] == "pending"
        again = f"/v1/webhooks/{webhook}/deliveries/{waiting['delivery_id']}/redeliver"
        assert await client.post(again, {}) == (201, {"queued": 1})

        async def delivered():
            return (await client.get(f"/v1/webhooks/{webhook}/deliveries"))[1]["deliveries"][0]["state"] == "delivered"

        await say.until(delivered)
        assert set(receiver.ids) == {waiting["delivery_id"]}


async def test_a_new_secret_and_the_one_before_it_both_verify_and_an_ended_webhook_is_silent(calling, receiver, say):
    async with calling() as client:
        webhook = await subscribe(client, receiver)
        old = receiver.secret
        _, rotated = await client.post(f"/v1/webhooks/{webhook}/rotate", {}, "r1")
        assert await client.post(f"/v1/webhooks/{webhook}/rotate", {}, "r1") == (201, rotated)
        assert rotated["secret"] != old
        for secret in (old, rotated["secret"]):
            receiver.secret = secret
            before = len(receiver.heard)
            assert await client.post(f"/v1/webhooks/{webhook}/test", {}) == (201, {"queued": 1})

            async def heard(before: int = before):
                return len(receiver.heard) > before

            await say.until(heard)
        assert receiver.heard[0]["type"] == "webhook.test"
        assert (await client.post(f"/v1/webhooks/{webhook}/end", {}))[0] == 201
        status, refused = await client.post(f"/v1/webhooks/{webhook}/test", {})
        assert (status, refused["code"]) == (409, "webhook_ended")
        _, shown = await client.get(f"/v1/webhooks/{webhook}")
        assert shown["ended_at"] is not None
        assert "secret" not in json.dumps(shown)


REFUSED = [
    "http://hooks.acme.example/", "https://10.0.0.1/", "https://169.254.169.254/latest/meta-data", "https://[::1]/",
    "https://[::ffff:127.0.0.1]/", "https://user:word@hooks.acme.example/", "ftp://hooks.acme.example/",
    "hooks.acme.example", "https://", "http://[", "https://hooks.acme.example:x/", "https://hooks.acme.example/\x00",
    "https://１２７.０.０.１/", "https://127。0。0。1/", "https://[64:ff9b::7f00:1]/", "https://[2002:7f00:1::]/",
    "https://[::127.0.0.1]/", "https://[fec0::1]/", "https://127.0.0.1\n.acme.example/",
]  # fmt: skip
NEVER_CALLED = [
    "https://localhost/",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://127.1/",
]


async def test_no_webhook_reaches_into_our_own_network(serving, say):
    """What is no public address is refused at once; what only looking it up tells is never called."""
    async with serving() as client:

        async def subscribed(url: str) -> tuple:
            return await client.post("/v1/webhooks", {"owner": "acme", "url": url, "kinds": ["round.settled"]})

        for url in REFUSED:
            status, refused = await subscribed(url)
            assert (status, refused["code"], refused["field"]) == (422, "webhook_address_forbidden", "url"), url
        made = [(await subscribed(url))[1]["webhook_id"] for url in NEVER_CALLED]
        for webhook in made:
            await client.post(f"/v1/webhooks/{webhook}/test", {})

        async def answers():
            listed = [(await client.get(f"/v1/webhooks/{webhook}/deliveries"))[1]["deliveries"][0] for webhook in made]
            return all(one["attempts"] for one in listed) and [one["last_answer"] for one in listed]

        found = await say.until(answers)
        by_name = "means no address that webhooks may go to"
        assert [by_name in one or "is not a canonical IPv4 address" in one for one in found] == [True] * 4, found


MOVED = Transfer(transfer_id="t1", debit="table/t1/USD", credit="player/acme:p1/USD", amount=5, code="x")
PAID = {"account": "player/acme:p1/USD", "transfer": MOVED, "balance_after": 5}
SEAT = {"table": "t1", "round_no": 1, "seat": 2}


@pytest.mark.parametrize(
    ("event", "kind", "told"),
    [
        (HandPayPosted(**PAID, **SEAT, network="wan", claim_id="c1"), "hand_pay.paid", {**SEAT, "claim_id": "c1"}),
        (PrizePosted(**PAID, **SEAT, prize_id="z1"), "prize.paid", {**SEAT, "prize_id": "z1"}),
        (
            TransferReversed(**PAID, reversed_id="t0", reason="twice", by="c. ashier"),
            "transfer.reversed",
            {"reversed_id": "t0", "reason": "twice", "by": "c. ashier"},
        ),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_what_is_paid_or_undone_beside_rounds_is_told_whole(event, kind, told):
    (notice,) = event_notices([event])
    assert (notice.kind, notice.owner) == (kind, "acme")
    data = json.loads(notice.body(0))["data"]
    moved = {**MOVED.model_dump(), "amount": 5}
    network = {"network": "wan"} if kind == "hand_pay.paid" else {}
    of = {"player": "acme:p1", "currency": "USD", "account": PAID["account"], "balance_after": 5}
    assert data == {**of, **network, **told, "transfer": moved}


@pytest.mark.parametrize("written", ["127.0.0.1", "127.1", "::1", "64:ff9b::7f00:1"])
def test_no_connection_is_made_to_an_address_that_was_not_judged(written):
    """Whatever the client makes of a URL: its sockets are made here."""
    family = socket.AF_INET6 if ":" in written else socket.AF_INET
    with pytest.raises(ForbiddenAddressError):
        guarded_socket(())((family, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (written, 443)))


def test_the_wallet_reads_networks_at_start(monkeypatch):
    with pytest.raises(ValueError, match="webhook_networks"):
        WalletSettings(kafka="k", postgres="p", webhook_networks="10.1.0.0/99")
    assert callable(build)
