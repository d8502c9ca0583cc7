"""The wallet over real HTTP, PostgreSQL and Kafka. Topics outlive a test, so every test has names of its own."""

import asyncio
import uuid

import pytest

from pitstream.events import ids
from pitstream.events.progressives import (
    HandPayApproved,
    HitLocked,
    MeterContribution,
    MeterOpening,
    NetworkOpened,
    WagersContributed,
)
from pitstream.events.refusal import Refusal
from pitstream.runtime.problem import problem
from pitstream.services.wallet.codes import REFUSALS

pytestmark = pytest.mark.stack


@pytest.fixture
def mark() -> str:
    return uuid.uuid4().hex[:8]


def view(player: str, balance: int, held: int = 0) -> dict:
    return {
        "account": f"player/{player}/USD",
        "kind": "player",
        "currency": "USD",
        "scale": 2,
        "balance": balance,
        "held": held,
        "available": balance - held,
    }


def moved(player: str, what: str, command_id: str, balance: int, version: int) -> dict:
    transfer_id = ids.transfer_id(f"player/{player}/USD", what, command_id)
    return {**view(player, balance), "version": version, "transfer_id": transfer_id}


async def test_a_deposit_opens_the_account_and_counts_once_however_often_it_is_sent(serving):
    async with serving() as client:
        deposits = "/v1/players/p1/USD/deposits"
        assert await client.get("/v1/accounts/player/p1/USD") == (
            404,
            problem(Refusal("unknown_account", "account", "was 'player/p1/USD'; there is no such account"), 404),
        )
        for _ in range(2):
            assert await client.post(deposits, {"amount": 500}, "d1") == (201, moved("p1", "deposit", "d1", 500, 2))
        assert await client.post(deposits, {"amount": 500}, "d2") == (201, moved("p1", "deposit", "d2", 1_000, 3))
        status, refusal = await client.post(deposits, {"amount": 501}, "d2")
        assert (status, refusal["code"]) == (409, "command_id_reused")
        assert await client.get("/v1/accounts/player/p1/USD") == (200, view("p1", 1_000))
        assert (await client.get(f"/v1/accounts/{ids.operator_lane('p1', 'USD')}"))[1]["balance"] == -1_000
        status, events = await client.get("/v1/accounts/player/p1/USD/events")
        assert (status, [(event["version"], event["type"].rpartition(".")[2]) for event in events]) == (
            200,
            [(1, "AccountOpened"), (2, "FundsMoved"), (3, "FundsMoved")],
        )
        assert events[2]["event"]["balance_after"] == 1_000
        assert (await client.get("/v1/accounts/player/p1/USD/events", after_version=2))[1] == events[2:]
        assert (await client.get("/v1/accounts/player/p1/USD/events", after_version=1, limit=1))[1] == events[1:2]
        assert (await client.get("/v1/accounts/player/p9/USD/events"))[0] == 404


async def test_twenty_deposits_under_one_id_at_once_are_one(serving):
    async with serving() as client:
        jobs = [client.post("/v1/players/p1/USD/deposits", {"amount": 5}, "d1") for _ in range(20)]
        assert await asyncio.gather(*jobs) == [(201, moved("p1", "deposit", "d1", 5, 2))] * 20


async def test_a_withdrawal_beyond_what_is_available_is_refused_for_ever(serving):
    async with serving() as client:
        status, refusal = await client.post("/v1/players/p1/USD/withdrawals", {"amount": 1})
        assert (status, refusal["code"]) == (404, "unknown_account")
        await client.post("/v1/players/p1/USD/deposits", {"amount": 500})
        refused = (
            422,
            problem(Refusal("insufficient_funds", "amount", "was 501; available: 500 of 500 minor units"), 422),
        )
        assert await client.post("/v1/players/p1/USD/withdrawals", {"amount": 501}, "w1") == refused
        await client.post("/v1/players/p1/USD/deposits", {"amount": 500})
        assert await client.post("/v1/players/p1/USD/withdrawals", {"amount": 501}, "w1") == refused
        taken = await client.post("/v1/players/p1/USD/withdrawals", {"amount": 501}, "w2")
        assert taken == (201, moved("p1", "withdrawal", "w2", 499, 4))
        assert {"unknown_account", "insufficient_funds"} < set(REFUSALS)


DEPOSITS, WITHDRAWALS = "/v1/players/p1/USD/deposits", "/v1/players/p1/USD/withdrawals"

WRONG_INPUT = {
    "nothing": (DEPOSITS, {"amount": 0}, "amount"),
    "a negative amount": (DEPOSITS, {"amount": -5}, "amount"),
    "a float": (DEPOSITS, {"amount": 5.0}, "amount"),
    "a text": (DEPOSITS, {"amount": "five"}, "amount"),
    "a float in a text": (DEPOSITS, {"amount": "5.0"}, "amount"),
    "a bool": (DEPOSITS, {"amount": True}, "amount"),
    "more than 64 bits": (DEPOSITS, {"amount": 2**63}, "amount"),
    "a field too many": (DEPOSITS, {"amount": 5, "bonus": 1}, "bonus"),
    "a field missing": (DEPOSITS, {}, "amount"),
    "a player that is no id": ("/v1/players/p%201/USD/deposits", {"amount": 5}, "player"),
    "a currency in small letters": ("/v1/players/p1/usd/deposits", {"amount": 5}, "currency"),
    "nothing withdrawn": (WITHDRAWALS, {"amount": 0}, "amount"),
    "no round number": ("/v1/rounds/query", {"rounds": [{"table": "t1"}]}, "rounds.0.round_no"),
}


async def test_wrong_input_is_named_and_changes_nothing(serving):
    async with serving() as client:
        answers = {name: await client.post(path, body) for name, (path, body, _) in WRONG_INPUT.items()}
        assert {name: (status, said["code"], said["field"]) for name, (status, said) in answers.items()} == {
            name: (422, "invalid_input", field) for name, (_, _, field) in WRONG_INPUT.items()
        }
        assert (await client.get("/v1/accounts/player/p1/USD"))[0] == 404


async def test_a_deposit_needs_an_id(serving):
    async with (
        serving() as client,
        client.session.post(
            "/v1/players/p1/USD/deposits", json={"amount": 5}, headers=client.staff.headers()
        ) as answer,
    ):
        assert (answer.status, (await answer.json())["code"]) == (400, "missing_command_id")


async def test_a_round_is_held_settled_and_told_once_however_often_its_facts_come(serving, floor, say, mark):
    table, player, other = f"t-{mark}", f"p1-{mark}", f"p2-{mark}"
    async with serving() as client:
        await client.post(f"/v1/players/{player}/USD/deposits", {"amount": 5_000})
        await client.post(f"/v1/players/{other}/USD/deposits", {"amount": 300})
        said = await floor.says(
            say.placed(1, player, table=table, ante=1_000, trips=500),
            say.placed(2, other, table=table, ante=1_000),
            say.placed(3, f"p3-{mark}", table=table, ante=1_000),
        )

        async def answered():
            status, statement = await client.get(f"/v1/accounts/player/p3-{mark}/USD/events")
            return status == 200 and statement[0]["event"]["reason"]

        assert await say.until(answered) == "unknown_account"
        assert await client.get(f"/v1/accounts/player/{player}/USD") == (200, view(player, 5_000, held=1_500))
        assert await client.get(f"/v1/accounts/player/{other}/USD") == (200, view(other, 300))
        _, statement = await client.get(f"/v1/accounts/player/{other}/USD/events")
        assert statement[-1]["event"]["reason"] == "insufficient_funds"

        said += await floor.says(
            say.settled(say.seat(1, player, say.won("ante", 1_000, 1_000), say.lost("trips", 500)), table=table)
        )
        posting = {
            "table": table,
            "round_no": 1,
            "seat": 1,
            "player": player,
            "currency": "USD",
            "net": 500,
            "kind": "seat",
        }
        asked = {"rounds": [{"table": table, "round_no": 1}, {"table": table, "round_no": 2}]}

        async def posted():
            return (await client.post("/v1/rounds/query", asked))[1]["postings"]

        assert await say.until(posted) == [posting]
        await floor.repeats(said)
        said += await floor.says(say.placed(4, player, table=table, ante=1))

        async def late():
            statement = (await client.get(f"/v1/accounts/player/{player}/USD/events"))[1]
            return statement[-1]["event"].get("reason") and statement

        statement = await say.until(late)
        assert [event["type"].rpartition(".")[2] for event in statement] == [
            "AccountOpened", "FundsMoved", "FundsHeld", "SeatPosted", "FundsDeclined",
        ]  # fmt: skip
        assert statement[-1]["event"]["reason"] == "round_closed"
        assert await posted() == [posting]
        assert await client.get(f"/v1/accounts/player/{player}/USD") == (200, view(player, 5_500))
        assert (await client.get("/v1/ledger/check"))[1]["ok"] is True


async def test_a_share_of_a_meter_is_reserved_and_paid_by_hand(serving, floor, say, mark):
    table, player, network = f"t-{mark}", f"p-{mark}", f"n-{mark}"
    claim = ids.claim_id(table, 1, 1, "progressive")
    who = {"network": network, "table": table, "round_no": 1, "seat": 1, "player": player, "meter": "main"}
    opening = MeterOpening(meter="main", seed=1_000, amount=1_000, rate_numerator=1, rate_denominator=5)
    part = MeterContribution(meter="main", posted=20, amount_after=1_020, carry_numerator=0)
    hit = HitLocked(
        **who, claim_id=claim, wager="progressive", percent=100, amount=1_020, meter_before=1_020, meter_after=1_000,
        currency="USD", rule="653a.11(k)", policy="sequential",
    )  # fmt: skip
    async with serving() as client:
        await client.post(f"/v1/players/{player}/USD/deposits", {"amount": 100})
        await floor.says(say.placed(1, player, table=table, progressive=100))

        async def holds():
            return (await client.get(f"/v1/accounts/player/{player}/USD"))[1]["held"]

        assert await say.until(holds) == 100
        await floor.says(
            NetworkOpened(network=network, currency="USD", meters=(opening,)),
            WagersContributed(
                network=network, table=table, round_no=1, stakes=100, contributions=(part,), currency="USD"
            ),
            hit,
            HandPayApproved(**who, claim_id=claim, floorperson="f. person", amount=1_020, currency="USD"),
        )
        posting = {"table": table, "round_no": 1, "seat": 1, "player": player, "currency": "USD", "net": 1_020}

        async def posted():
            return (await client.post("/v1/rounds/query", {"rounds": [{"table": table, "round_no": 1}]}))[1]["postings"]

        assert await say.until(posted) == [{**posting, "kind": "hand_pay", "claim_id": claim}]
        balances = {}
        for account in (f"meter/{network}/main/USD", f"handpay/{network}/{claim}/USD", f"table/{table}/USD"):
            balances[account.partition("/")[0]] = (await client.get(f"/v1/accounts/{account}"))[1]["balance"]
        assert balances == {"meter": 1_000, "handpay": 0, "table": -20}
        assert (await client.get("/v1/ledger/check"))[1]["ok"] is True


async def test_a_fact_the_ledger_cannot_take_waits_with_its_table_and_no_other(serving, floor, say, mark):
    bad, good, player = f"bad-{mark}", f"good-{mark}", f"p-{mark}"
    async with serving() as client:
        await client.post(f"/v1/players/{player}/USD/deposits", {"amount": 1_000})
        await floor.says(say.settled(say.seat(1, player, say.won("ante", 200, 200)), table=bad))
        await floor.says(say.settled(table=bad, round_no=2, void=True), say.settled(table=good, void=True))
        await floor.says(*(say.placed(1, player, table=table, ante=100) for table in (good, bad)))

        async def letters():
            _, answer = await client.get("/v1/dead-letters")
            return [letter for letter in answer["dead_letters"] if "stakes_not_held" in letter["error"]]

        (letter,) = await say.until(letters)
        assert letter["topic"] == "settlements.v1"
        assert "seats[1] of " + bad in letter["error"]

        async def only_the_bad_tables_bet_is_held():
            statement = (await client.get(f"/v1/accounts/player/{player}/USD/events"))[1]
            answered = {event["event"].get("table") for event in statement} >= {good, bad}
            return answered and (await client.get(f"/v1/accounts/player/{player}/USD"))[1] == view(
                player, 1_000, held=100
            )

        assert await say.until(only_the_bad_tables_bet_is_held)
        assert (await client.get("/v1/ledger/check"))[1]["ok"] is True
