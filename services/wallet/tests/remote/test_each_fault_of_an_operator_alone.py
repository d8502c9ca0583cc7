"""Whatever an operator's wallet does to one request, money moves once or never.

Method: the operator's wallet is a process of its own that is told to spoil the next request of one kind; one bundle is
placed and, if it stands, settled; in the end both ledgers are compared to the cent.
"""

import json

import pytest

from pitstream.operator.faults import KINDS

pytestmark = pytest.mark.stack

STANDS_ALL_THE_SAME = {"duplicate"}
"""A debit that meets one of these is answered as it should be."""
COMES_LATE = {"delay", "late"}
"""Carried out after the caller has given up, and after its rollback."""


async def booked(server, player):
    return [(row["kind"], int(row["amount"])) for row in await server.statement() if row["player"] == player]


async def meets_the_tombstone(server, say, debits_before):
    async def carried_out():
        return await debits(server) > debits_before

    await say.until(carried_out)


async def debits(server):
    return json.loads(await server.get("/health"))["carried_out"].get("debit", 0)


@pytest.mark.parametrize("kind", sorted(KINDS))
async def test_a_debit_stands_or_is_off_and_rolled_back(kind, desk, acme_server, say):
    before = await debits(acme_server)
    await acme_server.misbehave("debit", kind)
    await desk.hears(desk.places(ante=1_000, blind=1_000))
    answer = await desk.answer_to()
    if kind in STANDS_ALL_THE_SAME:
        assert answer == ("held", "")
        await desk.hears(desk.settles(say.lost("ante", 1_000), say.pushed("blind", 1_000)))
        assert await desk.settles_down() == [("debit", "taken"), ("credit", "paid")]
        assert await booked(acme_server, desk.player()) == [("debit", 2_000), ("credit", 1_000)]
    else:
        assert answer == ("declined", "operator_uncertain")
        assert await desk.settles_down() == [("debit", "undone")]
        if kind in COMES_LATE:
            await meets_the_tombstone(acme_server, say, before)
        assert (await acme_server.balances())[desk.player()] == 10_000
    await desk.balances_agree(acme_server)


@pytest.mark.parametrize("kind", sorted(KINDS))
async def test_a_credit_arrives_once_however_often_it_must_be_sent(kind, desk, acme_server, say):
    await desk.hears(desk.places(ante=1_000))
    assert await desk.answer_to() == ("held", "")
    await acme_server.misbehave("credit", kind, kind)
    await desk.hears(desk.settles(say.won("ante", 1_000, 1_500)))
    assert await desk.settles_down() == [("debit", "taken"), ("credit", "paid")]
    statement = [row for row in await acme_server.statement() if row["player"] == desk.player()]
    assert [(row["kind"], row["amount"]) for row in statement] == [("debit", "1000"), ("credit", "2500")]
    assert statement[1]["reference"] == statement[0]["transaction_id"]
    await desk.balances_agree(acme_server)


@pytest.mark.parametrize("kind", sorted(KINDS))
async def test_a_rollback_is_sent_until_its_answer_is_certain(kind, desk, acme_server):
    await acme_server.misbehave("debit", "drop_reply")
    await acme_server.misbehave("rollback", kind, kind)
    await desk.hears(desk.places(ante=1_000))
    assert await desk.answer_to() == ("declined", "operator_uncertain")
    assert await desk.settles_down() == [("debit", "undone")]
    assert await booked(acme_server, desk.player()) == [("debit", 1_000), ("rollback", 1_000)]
    await desk.balances_agree(acme_server)


@pytest.mark.parametrize("policy", ["success", "not_found", "parent_failed"])
async def test_an_unknown_rollback_means_what_was_agreed_with_the_operator(policy, new_desk, new_operator, say):
    server = new_operator("--unknown-rollback", policy)
    desk = await new_desk(server, policy, unknown_rollback=policy)
    await server.open_player(desk.player(), 10_000)
    await server.misbehave("debit", "late")
    await desk.hears(desk.places(ante=1_000))
    assert await desk.answer_to() == ("declined", "operator_uncertain")
    assert await desk.settles_down() == [("debit", "undone")]
    await meets_the_tombstone(server, say, 0)
    assert await server.balances() == {desk.player(): 10_000}
    await desk.balances_agree(server)
