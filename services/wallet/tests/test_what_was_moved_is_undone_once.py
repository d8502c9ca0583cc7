"""Reversals, sweeps and currencies: the pure decisions, and many at once over real HTTP and PostgreSQL."""

import asyncio
from collections import Counter

import pytest

from pitstream.events import ids
from pitstream.events.refusal import Refusal
from pitstream.events.wallet import SubAccountSwept, Transfer, TransferReversed
from pitstream.services.wallet import store as ledger_store
from pitstream.services.wallet.books import Account, Books
from pitstream.services.wallet.corrections import reversal_id, reverse, sweep, sweep_id
from pitstream.services.wallet.ledger import deposit, post, withdraw

P1, LANE = "player/p1/USD", ids.operator_lane("p1", "USD")
MAIN = "operator/local/USD"


def books_after_a_deposit(amount: int = 500) -> Books:
    """p1 has deposited so much under the id d1, and a correction may speak of it."""
    books = Books()
    events = deposit(books, "p1", "USD", amount, "d1")
    books.posted["d1"] = events[-1].transfer
    return books


def test_a_deposit_is_undone_by_its_mirror_image():
    books = books_after_a_deposit()
    undone = Transfer(transfer_id=reversal_id("d1"), debit=P1, credit=LANE, amount=500, code="reversal")
    assert reverse(books, "d1", "paid in twice", "c. ashier") == [
        TransferReversed(
            account=P1, reversed_id="d1", transfer=undone, reason="paid in twice", by="c. ashier", balance_after=0
        )
    ]
    assert books.accounts[P1] == Account(P1, "player", "USD", 2, 500, 500)


def test_a_withdrawal_is_undone_to_the_player():
    books = books_after_a_deposit()
    books.posted["w1"] = withdraw(books, "p1", "USD", 200, "w1")[-1].transfer
    (event,) = reverse(books, "w1", "never left", "c. ashier")
    assert (event.account, event.transfer.debit, event.transfer.credit, event.balance_after) == (P1, LANE, P1, 500)


def test_a_transfer_is_undone_once():
    books = books_after_a_deposit()
    reverse(books, "d1", "first", "a")
    assert reverse(books, "d1", "second", "b") == Refusal(
        "reversed_already", "transfer_id", f"was 'd1'; {reversal_id('d1')} undid it before"
    )
    assert books.accounts[P1].balance == 0


def test_money_that_was_spent_or_is_held_does_not_go_back(say):
    books = books_after_a_deposit()
    post(books, say.placed(1, "p1", ante=1))
    assert reverse(books, "d1", "late", "a") == Refusal(
        "insufficient_funds", "transfer_id", "500 would go back; available: 499 of 500 minor units"
    )


@pytest.mark.parametrize("code", ["ante", "hand_pay", "contribution", "remote_debit", "reversal", "sweep", "buy_in"])
def test_what_no_command_moved_is_not_undone_here(code):
    books = books_after_a_deposit()
    books.posted["d1"] = books.posted["d1"].model_copy(update={"code": code})
    assert reverse(books, "d1", "x", "a") == Refusal(
        "not_reversible", "transfer_id", f"was one of code {code!r}; allowed: capture, deposit, transfer, withdrawal"
    )


def test_a_transfer_that_never_was_is_not_undone():
    assert reverse(Books(), "d1", "x", "a") == Refusal(
        "unknown_transfer", "transfer_id", "was 'd1'; there is no such transfer"
    )


def test_a_sweep_brings_a_lane_to_0_once_under_its_name():
    books = books_after_a_deposit()
    swept = Transfer(transfer_id=sweep_id(LANE, "2026-11-30"), debit=MAIN, credit=LANE, amount=500, code="sweep")
    events = sweep(books, [LANE], "2026-11-30")
    assert events[1:] == [SubAccountSwept(account=LANE, sweep="2026-11-30", transfer=swept)]
    assert {name: account.balance for name, account in books.accounts.items()} == {P1: 500, LANE: 0, MAIN: -500}
    assert sweep(books, [LANE], "2026-12-01") == []
    books.posted[swept.transfer_id] = swept
    deposit(books, "p1", "USD", 1, "d2")
    assert sweep(books, [LANE], "2026-11-30") == []
    assert sweep(books, [LANE, MAIN, P1], "2026-12-01")[0].transfer.amount == 1


stacked = pytest.mark.stack


async def undo(client, transfer_id: str, command_id: str | None = None, reason: str = "twice"):
    return await client.post(f"/v1/transfers/{transfer_id}/reversal", {"reason": reason}, command_id)


@stacked
@pytest.mark.parametrize("transfers", [60, pytest.param(500, marks=pytest.mark.slow)])
async def test_transfers_each_reversed_twice_at_once_are_reversed_once_each(serving, store, transfers):
    async with serving() as client:
        deposits = [
            client.post(f"/v1/players/p{n % 20}/USD/deposits", {"amount": n + 1}, f"d{n}") for n in range(transfers)
        ]
        made = [body["transfer_id"] for _, body in await asyncio.gather(*deposits)]
        answers = await asyncio.gather(*(undo(client, transfer_id) for _ in range(2) for transfer_id in made))
        told = Counter((status, body.get("code")) for status, body in answers)
        assert told == {(201, None): transfers, (409, "reversed_already"): transfers}
        reversed_ids = sorted(body["reversed_id"] for status, body in answers if status == 201)
        assert reversed_ids == sorted(made)
        players = [await ledger_store.account(store, f"player/p{n}/USD") for n in range(20)]
        assert [player.balance for player in players] == [0] * 20
        status, check = await client.get("/v1/ledger/check")
        assert (status, check["ok"], check["transfers"]) == (200, True, 2 * transfers)


@stacked
async def test_a_reversal_is_answered_alike_for_ever_and_its_deposits_id_is_dead(serving):
    async with serving() as client:
        deposits = "/v1/players/p1/USD/deposits"
        made = (await client.post(deposits, {"amount": 2**53 + 1}, "d1"))[1]["transfer_id"]
        first = await undo(client, made, "r1")
        assert first == (
            201,
            {
                "reversed_id": made,
                "transfer_id": reversal_id(made),
                "debit": P1,
                "credit": LANE,
                "amount": 9_007_199_254_740_993,
                "account": P1,
                "balance": 0,
            },
        )
        assert await undo(client, made, "r1") == first
        assert (await undo(client, made, "r1", "other"))[1]["code"] == "command_id_reused"
        status, body = await client.post(deposits, {"amount": 2**53 + 1}, "d1")
        assert (status, body["code"]) == (409, "compensated")
        assert (await client.get(f"/v1/accounts/{P1}"))[1]["balance"] == 0
        status, body = await client.post(deposits, {"amount": 7}, "d2")
        assert (status, body["balance"]) == (201, 7)
        refused = await undo(client, reversal_id(made), "r2")
        assert (refused[0], refused[1]["code"]) == (422, "not_reversible")
        assert (await undo(client, ids.transfer_id("never"), "r3"))[1]["code"] == "unknown_transfer"


@stacked
async def test_a_refused_reversal_stays_refused_though_the_money_is_there_later(serving):
    async with serving() as client:
        made = (await client.post("/v1/players/p1/USD/deposits", {"amount": 5}, "d1"))[1]["transfer_id"]
        await client.post("/v1/players/p1/USD/withdrawals", {"amount": 5}, "w1")
        refusal = await undo(client, made, "r1")
        assert (refusal[0], refusal[1]["code"]) == (422, "insufficient_funds")
        await client.post("/v1/players/p1/USD/deposits", {"amount": 5}, "d2")
        assert await undo(client, made, "r1") == refusal
        assert (await undo(client, made, "r2"))[0] == 201


@stacked
async def test_a_sweep_over_http_brings_every_lane_to_0_and_tells_what_it_moved(serving):
    async with serving() as client:
        for player in ("p1", "acme:p1", "acme.boardwalk:p2"):
            await client.post(f"/v1/players/{player}/USD/deposits", {"amount": 100}, "d1")
        lanes = sorted(ids.operator_lane(player, "USD") for player in ("p1", "acme:p1", "acme.boardwalk:p2"))
        status, body = await client.post("/v1/sweeps", {"sweep": "2026-11-30"}, "s1")
        assert (status, [swept["account"] for swept in body["swept"]]) == (201, lanes)
        assert [swept["amount"] for swept in body["swept"]] == [-100] * 3
        assert await client.post("/v1/sweeps", {"sweep": "2026-11-30"}, "s1") == (status, body)
        assert (await client.post("/v1/sweeps", {"sweep": "2026-11-30"}, "s2"))[1]["swept"] == []
        assert (await client.get("/v1/accounts/operator/acme/USD"))[1]["balance"] == -200
        assert (await client.get("/v1/ledger/check"))[1]["ok"] is True


@stacked
async def test_a_currency_of_the_propertys_own_has_one_scale_for_good(serving):
    async with serving() as client:
        deposits = "/v1/players/p1/XBT/deposits"
        status, body = await client.post(deposits, {"amount": 1}, "d1")
        assert (status, body["code"]) == (422, "unknown_currency")
        assert await client.post("/v1/currencies/XBT", {"scale": 8}) == (201, {"currency": "XBT", "scale": 8})
        assert await client.post("/v1/currencies/XBT", {"scale": 8}) == (201, {"currency": "XBT", "scale": 8})
        for currency, scale in (("XBT", 7), ("USD", 3)):
            status, body = await client.post(f"/v1/currencies/{currency}", {"scale": scale})
            assert (status, body["code"]) == (409, "currency_differs")
        assert (await client.post("/v1/currencies/XAU", {"scale": 9}))[0] == 422
        assert (await client.post(deposits, {"amount": 1}, "d2"))[0] == 201
