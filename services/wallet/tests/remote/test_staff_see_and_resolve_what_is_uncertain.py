"""Operators over HTTP: who may connect one, what is uncertain at it, and what a person may say of that.

Method: the whole wallet service against operators' wallets as processes of their own. An operator that lost its books,
or that answers otherwise than was agreed, leaves moves that only a person can end.
"""

import os
from dataclasses import replace

import pytest

from pitstream.events.remote import OperatorConnected
from pitstream.services.wallet.remote.operators import Operator, connect

pytestmark = pytest.mark.stack

REASON = "their statement of 2026-03-28, line 512"


def body_of(terms):
    fields = {name: getattr(terms, name) for name in terms.__slots__ if name != "operator"}
    return {**fields, "retry_ms": list(terms.retry_ms)}


class Floor:
    """One player's bundles and settlements at an operator, through real topics."""

    def __init__(self, client, floor, say, operator, mark):
        self.client, self.floor, self.say = client, floor, say
        self.operator, self.player, self.table = operator, f"{operator}:{mark}", f"t-{operator}-{mark}"
        self.round_no = 0

    async def places(self, ante=1_000):
        self.round_no += 1
        await self.floor.says(self.say.placed(1, self.player, table=self.table, round_no=self.round_no, ante=ante))

    async def settles(self, *lines):
        seat = self.say.seat(1, self.player, *lines)
        await self.floor.says(self.say.settled(seat, table=self.table, round_no=self.round_no))

    async def held(self):
        async def is_held():
            status, account = await self.client.get(f"/v1/accounts/player/{self.player}/USD")
            return status == 200 and account["held"]

        return await self.say.until(is_held)

    async def uncertain(self):
        """The moves that staff see, once there is one that waits for a person."""

        async def stopped():
            _, page = await self.client.get(f"/v1/operators/{self.operator}/uncertain")
            return [move for move in page["moves"] if move["next_step"] is None]

        return await self.say.until(stopped)

    async def resolve(self, move, resolution, **more):
        path = f"/v1/operators/{self.operator}/moves/{move['transaction_id']}/resolve"
        return await self.client.post(path, {"resolution": resolution, "reason": REASON}, **more)

    async def balance(self, account):
        status, found = await self.client.get(f"/v1/accounts/{account}")
        return found["balance"] if status == 200 else 0

    async def until_ended(self, move):
        async def ended():
            path = f"/v1/operators/{self.operator}/moves/{move['transaction_id']}"
            return (await self.client.get(path))[1]["ended"]

        return await self.say.until(ended)


async def test_an_operator_is_connected_seen_and_resolved_over_http(
    serving, floor, say, new_operator, remote, caplog, capfd
):
    server = new_operator()
    terms = body_of(remote.terms(server))
    async with serving() as client:
        # Who may connect, and what.
        status, refusal = await client.post("/v1/operators/beta/connect", terms, by="platform")
        assert (status, refusal["code"]) == (403, "forbidden")
        for field, value, code in [
            ("base_url", "http://wallet.beta.example", "invalid_base_url"),
            ("base_url", "https://user@wallet.beta.example", "invalid_base_url"),
            ("base_url", "https://wallet.beta.example/\x00", "invalid_input"),
            ("key_ref", "s3cret", "invalid_input"),
            ("key_ref", "file:/run/\x00", "invalid_input"),
            ("key_ref", None, "missing_key_ref"),
            ("retry_ms", [], "invalid_input"),
            ("deadline_ms", 0, "invalid_input"),
        ]:
            status, refusal = await client.post("/v1/operators/beta/connect", {**terms, field: value})
            assert (status, refusal["code"]) == (422, code), (field, value)
        assert (await client.post("/v1/operators/local/connect", terms))[1]["code"] == "operator_is_local"
        for _ in range(2):
            assert await client.post("/v1/operators/beta/connect", terms, "c1") == (
                201, {"operator": "beta", **terms},
            )  # fmt: skip
        assert (await client.post("/v1/operators/beta/connect", {**terms, "deadline_ms": 401}, "c1"))[0] == 409
        assert {"operator": "beta", **terms} in (await client.get("/v1/operators"))[1]["operators"]
        assert (await client.get("/v1/operators/gamma"))[1]["code"] == "unknown_operator"

        # A player's balance there.
        seat = Floor(client, floor, say, "beta", "p1")
        asked = f"/v1/operators/beta/players/{seat.player}/balance"
        assert (await client.get(asked))[1]["code"] == "unknown_player"
        await server.open_player(seat.player, 10_000)
        assert await client.get(asked) == (200, {"player": seat.player, "currency": "USD", "balance": 10_000})
        await server.misbehave("balance", "wrong_signature")
        status, refusal = await client.get(asked)
        assert (status, refusal["code"]) == (424, "operator_uncertain")

        # Who keeps the money does not change while some of it is here.
        await seat.places()
        assert await seat.held() == 1_000
        status, refusal = await client.post("/v1/operators/beta/connect", {**terms, "mode": "ledger"})
        assert (status, refusal["code"]) == (422, "operator_has_funds")

        # The operator loses its books: it knows neither the player nor the debit, and refuses the win.
        server.kill()
        server.books.unlink()
        server.start()
        await seat.settles(say.won("ante", 1_000, 1_500))
        (move,) = await seat.uncertain()
        assert {name: move[name] for name in ("verb", "amount", "player", "ended", "last_doubt", "uncertain")} == {
            "verb": "credit",
            "amount": 2_500,
            "player": seat.player,
            "ended": None,
            "last_doubt": f"unknown_player: was '{seat.player}'",
            "uncertain": True,
        }
        assert await seat.balance(f"player/{seat.player}/USD") == 0
        status, refusal = await seat.resolve(move, "void", by="platform")
        assert (status, refusal["code"]) == (403, "forbidden")

        # They open the player again, but their refusal is theirs for ever: the same transaction, the same answer.
        await server.open_player(seat.player, 0)
        assert (await seat.resolve(move, "retry"))[0] == 200
        (move,) = await seat.uncertain()
        # So it is paid by hand, and that is said; once.
        for _ in range(2):
            assert await seat.resolve(move, "void", command_id="v1") == (
                200,
                {"transaction_id": move["transaction_id"], "resolution": "void", "by": "t.boss"},
            )
        assert await seat.until_ended(move) == "paid_by_hand"
        assert (await seat.resolve(move, "confirm"))[1]["code"] == "move_not_uncertain"
        assert await seat.balance(f"house/{seat.table}/USD") == 2_500
        assert (await client.get("/v1/operators/beta/uncertain"))[1] == {"moves": [], "next": None}

        # The stream tells it all, and the secret stands nowhere.
        path = f"/v1/operators/beta/moves/{move['transaction_id']}"
        events = (await client.get(path))[1]["events"]
        assert [event["type"].rpartition(".")[2] for event in events] == [
            "RemoteCreditRequested",
            "RemoteMoveStopped",
            "RemoteMoveResolved",
            "RemoteMoveStopped",
            "RemoteMoveResolved",
        ]
        assert events[-1]["event"]["reason"] == REASON
        assert (await client.get("/v1/ledger/check"))[1]["ok"]
        told = caplog.text + "".join(capfd.readouterr()) + str(await client.get("/v1/operators/beta"))
        assert os.environ[terms["key_ref"].removeprefix("env:")] not in told


async def test_a_debit_that_stands_after_all_is_given_back_by_a_credit(serving, floor, say, new_operator, remote):
    # It was agreed that it always says yes to a rollback; it says no to one that it does not know.
    server = new_operator("--unknown-rollback", "not_found")
    terms = body_of(remote.terms(server, unknown_rollback="success"))
    async with serving() as client:
        assert (await client.post("/v1/operators/delta/connect", terms))[0] == 201
        seat = Floor(client, floor, say, "delta", "p1")
        await server.open_player(seat.player, 10_000)
        await server.misbehave("debit", "late")
        await seat.places()
        (move,) = await seat.uncertain()
        assert (move["verb"], move["last_doubt"]) == (
            "debit",
            "transaction_not_found: there is no transaction to be rolled back",
        )
        assert (await seat.resolve(move, "confirm"))[0] == 200
        assert await seat.until_ended(move) == "returned"

        async def given_back():
            return (await client.get("/v1/operators/delta"))[1]["moves"]

        async def credited():
            return (await given_back())["credits"] == 1

        await say.until(credited)
        assert await given_back() == {
            "debits": 1,
            "debited": 1_000,
            "credits": 1,
            "credited": 1_000,
            "declined": 0,
            "uncertain": 0,
            "open": 0,
        }
        statement = await server.statement()
        assert [(row["kind"], row["reference"], row["amount"]) for row in statement] == [
            ("credit", move["transaction_id"], "1000")
        ]
        assert (await client.get("/v1/ledger/check"))[1]["ok"]


async def test_what_was_moved_before_an_operator_kept_its_money_is_not_undone_here_afterwards(
    serving, new_operator, remote
):
    terms = body_of(remote.terms(new_operator()))
    player = "/v1/players/epsilon:p1/USD"
    async with serving() as client:
        await client.post(f"{player}/deposits", {"amount": 500})
        out = (await client.post(f"{player}/withdrawals", {"amount": 500}))[1]["transfer_id"]
        assert (await client.post("/v1/operators/epsilon/connect", terms))[0] == 201
        status, refusal = await client.post(f"/v1/transfers/{out}/reversal", {"reason": "it never left"})
        assert (status, refusal["code"]) == (422, "operator_keeps_money")
        assert (await client.get("/v1/accounts/player/epsilon:p1/USD"))[1]["balance"] == 0


TERMS = Operator("acme", "seamless", "USD", "https://w.example/x", "env:KEY", 2_000, (500,), "not_found", 16)


def test_terms_that_stay_as_they_are_are_no_event_and_others_are_one():
    assert connect(TERMS, TERMS, "o.p", funds=5, open_moves=1) == []
    (event,) = connect(None, TERMS, "o.p", funds=0, open_moves=0)
    assert isinstance(event, OperatorConnected)
    assert (event.mode, event.key_ref, event.by) == ("seamless", "env:KEY", "o.p")


@pytest.mark.parametrize(
    ("base_url", "allowed"),
    [
        ("https://wallet.acme.example", True),
        ("https://wallet.acme.example:8443/pit/v1", True),
        ("http://127.0.0.1:8080/wallet", True),
        ("http://[::1]:8080", True),
        ("http://localhost:8080", True),
        ("http://wallet.acme.example", False),
        ("http://10.0.0.7/wallet", False),
        ("https://wallet.acme.example/", False),
        ("https://wallet.acme.example/x?y=1", False),
        ("https://a:b@wallet.acme.example", False),
        ("ftp://wallet.acme.example", False),
        ("https://wallet.acme.example:port", False),
        ("https://", False),
        ("", False),
    ],
)
def test_money_is_asked_for_over_https_only_but_on_this_machine(base_url, allowed):
    answer = connect(None, replace(TERMS, base_url=base_url), "o.p", funds=0, open_moves=0)
    assert isinstance(answer, list) == allowed
    if not isinstance(answer, list):
        assert (answer.code, answer.field) == ("invalid_base_url", "base_url")
