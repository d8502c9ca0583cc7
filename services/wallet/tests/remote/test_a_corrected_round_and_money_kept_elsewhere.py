"""A corrected round of a player whose operator keeps the money: what is due goes there, what is to be taken back stands
as an open item that staff see, and both books agree all along. Method: the wallet's handlers and worker against an
operator's wallet as a process of its own."""

import uuid

import pytest

from pitstream.services.wallet import receivables_store
from pitstream.services.wallet.handlers import post_facts

pytestmark = pytest.mark.stack

OPENING = 10_000


@pytest.fixture
def acme_server(new_operator):
    """An operator of the test's own: other tests leave uncertain money with theirs."""
    return new_operator()


@pytest.fixture
async def desk(new_desk, acme_server):
    """Of an operator that is given time: what is told here is not how late it answers."""
    patient = await new_desk(acme_server, f"patient-{uuid.uuid4().hex[:6]}", deadline_ms=10_000)
    await acme_server.open_player(patient.player(), OPENING)
    return patient


async def plays(desk, *lines):
    """The player's Ante of 1,000 is debited at the operator, and the round settled."""
    await desk.hears(desk.places(ante=1_000))
    assert await desk.answer_to() == ("held", "")
    first = desk.settles(*lines)
    await desk.hears(first)
    await desk.settles_down()
    return first


def corrected(desk, first, *lines, was=None):
    return desk.say.resettled(first, desk.say.seat(1, desk.player(), *lines), was=was)


async def items(desk):
    """(amount, what was paid of it and how) of every open item of the player."""
    rows = await receivables_store.receivables(desk.store, None, state=None, after=0, limit=500)
    mine = [row for row in rows if row["player"] == desk.player()]
    return [(row["amount"], [(one["how"], one["amount"]) for one in row["payments"]]) for row in mine]


async def test_what_a_correction_gives_goes_to_the_operator_once(desk, acme_server, say):
    first = await plays(desk, say.lost("ante", 1_000))
    assert (await acme_server.balances())[desk.player()] == OPENING - 1_000
    resettled = desk.heard(corrected(desk, first, say.won("ante", 1_000, 1_000)))
    await desk.store.run(lambda tx: post_facts(tx, resettled))
    assert await desk.settles_down() == [("debit", "taken"), ("credit", "paid")]
    assert (await acme_server.balances())[desk.player()] == OPENING + 1_000
    assert await items(desk) == []
    await desk.balances_agree(acme_server)


async def test_what_is_to_be_taken_back_is_owed_and_a_later_correction_pays_it_first(desk, acme_server, say):
    first = await plays(desk, say.won("ante", 1_000, 1_000))
    assert (await acme_server.balances())[desk.player()] == OPENING + 1_000
    moves = await desk.moves()
    lost = corrected(desk, first, say.lost("ante", 1_000))
    await desk.hears(lost)
    # Nothing is taken from an operator that was not asked when the wager was placed: staff see what is owed.
    assert await desk.moves() == moves
    assert await items(desk) == [(2_000, [])]
    assert await desk.balance(f"receivable/{desk.player()}/") == -2_000
    await desk.balances_agree(acme_server)

    pushed = corrected(desk, first, say.pushed("ante", 1_000), was=lost)
    await desk.hears(pushed)
    assert await items(desk) == [(2_000, [("offset", 1_000)])]
    won = corrected(desk, first, say.won("ante", 1_000, 3_000), was=pushed)
    await desk.hears(won)
    assert await items(desk) == [(2_000, [("offset", 1_000), ("offset", 1_000)])]
    # What is left goes to the operator.
    assert [verb for verb, _ in await desk.settles_down()] == ["debit", "credit", "credit"]
    assert (await acme_server.balances())[desk.player()] == OPENING + 1_000 + 2_000
    assert await desk.balance(f"receivable/{desk.player()}/") == 0
    await desk.balances_agree(acme_server)


async def test_money_at_risk_in_a_later_round_is_not_taken_for_an_earlier_one(desk, acme_server, say):
    first = await plays(desk, say.won("ante", 1_000, 1_000))
    await desk.hears(desk.places(round_no=2, ante=1_500))
    assert await desk.answer_to(round_no=2) == ("held", "")
    await desk.hears(corrected(desk, first, say.lost("ante", 1_000)))
    assert await items(desk) == [(2_000, [])]
    await desk.hears(desk.settles(say.pushed("ante", 1_500), round_no=2))
    await desk.settles_down()
    assert (await acme_server.balances())[desk.player()] == OPENING + 1_000
    await desk.balances_agree(acme_server)


async def test_staff_see_what_is_owed_and_an_auditor_writes_it_off(desk, acme_server, say, serving):
    first = await plays(desk, say.won("ante", 1_000, 1_000))
    await desk.hears(corrected(desk, first, say.lost("ante", 1_000)))
    async with serving() as client:
        _, listed = await client.get("/v1/receivables", by="cashier", state="open", limit=500)
        [item] = [one for one in listed["receivables"] if one["player"] == desk.player()]
        assert (item["owed"], item["table"], item["round_no"], item["correction"]) == (2_000, desk.table, 1, 1)
        path = f"/v1/receivables/{item['receivable_id']}"
        status, refused = await client.post(f"{path}/collect", {}, by="cashier")
        assert (status, refused["code"]) == (422, "operator_keeps_money")
        status, after = await client.post(f"{path}/write-off", {"reason": "agreed with acme"}, by="auditor")
        assert (status, after["owed"], [one["how"] for one in after["payments"]]) == (200, 0, ["written_off"])
        status, refused = await client.post(f"{path}/write-off", {"reason": "again"}, by="auditor")
        assert (status, refused["code"]) == (422, "receivable_paid")
    await desk.balances_agree(acme_server)
