"""A process may die at any point of a move, and an operator may be slow or gone: the others do not notice.

Method: moves are brought to a point by hand, as a process leaves them that is killed there, and found by the next
worker; a slow and a dead operator stand beside one that answers.
"""

import asyncio
import time

import pytest

from pitstream.events import ids, open_envelope
from pitstream.runtime import Cause
from pitstream.services.wallet import store as ledger_store
from pitstream.services.wallet.handlers import post_facts
from pitstream.services.wallet.ledger import deposit
from pitstream.services.wallet.remote import store as moves_store
from pitstream.services.wallet.remote.desk import kept_elsewhere, register
from pitstream.services.wallet.remote.http import OperatorClient
from pitstream.services.wallet.remote.worker import call_of

pytestmark = pytest.mark.stack

SOON_MS = 1


async def claimed(desk, *, others=0, debits=0):
    """The move, taken by a process that dies before it records anything; its claim is over at once."""

    async def taken():
        return await moves_store.claim(desk.store, [(desk.operator, debits, others, SOON_MS)])

    (claim,) = await desk.say.until(taken)
    return claim


@pytest.mark.parametrize("called", [False, True], ids=["before the call", "after the call"])
async def test_a_debit_whose_process_died_is_rolled_back(called, idle_desk, remote):
    desk = await idle_desk(f"dies-{called}".lower())
    server = desk.server
    await desk.hears(desk.places(ante=1_000))
    claim = await claimed(desk, debits=1)
    if called:
        async with OperatorClient() as client:
            await client.ask(remote.terms(server, operator=desk.operator), call_of(claim))
        assert (await server.balances())[desk.player()] == 9_000
    async with desk.working():
        assert await desk.answer_to() == ("declined", "operator_uncertain")
        assert await desk.settles_down() == [("debit", "undone")]
    assert (await server.balances())[desk.player()] == 10_000
    await desk.balances_agree(server)


@pytest.mark.parametrize("called", [False, True], ids=["before the call", "after the call"])
async def test_a_win_whose_process_died_arrives_once(called, idle_desk, say, remote):
    desk = await idle_desk(f"wins-{called}".lower())
    server = desk.server
    async with desk.working():
        await desk.hears(desk.places(ante=1_000))
        assert await desk.answer_to() == ("held", "")
    await desk.hears(desk.settles(say.won("ante", 1_000, 1_000)))
    claim = await claimed(desk, others=1)
    if called:
        async with OperatorClient() as client:
            await client.ask(remote.terms(server, operator=desk.operator), call_of(claim))
    async with desk.working():
        assert await desk.settles_down() == [("debit", "taken"), ("credit", "paid")]
    assert (await server.balances())[desk.player()] == 11_000
    await desk.balances_agree(server)


async def test_a_round_that_is_settled_before_the_operator_says_yes_gives_the_money_back(idle_desk):
    desk = await idle_desk("late-yes")
    server = desk.server
    await desk.hears(desk.places(ante=1_000))
    await desk.hears(desk.say.settled(table=desk.table, void=True))
    async with desk.working():
        assert await desk.answer_to() == ("declined", "operator_uncertain")
        assert await desk.settles_down() == [("debit", "undone")]
    statement = [(row["kind"], row["amount"]) for row in await server.statement()]
    assert statement == [("debit", "1000"), ("rollback", "1000")]
    await desk.balances_agree(server)


async def test_a_void_round_gives_back_what_was_held(desk, acme_server):
    await desk.hears(desk.places(ante=1_000))
    assert await desk.answer_to() == ("held", "")
    await desk.hears(desk.say.settled(table=desk.table, void=True))
    assert await desk.settles_down() == [("debit", "taken"), ("credit", "paid")]
    assert (await acme_server.balances())[desk.player()] == 10_000


async def test_a_slow_operator_and_a_dead_one_hold_up_nobody_else(new_desk, new_operator, acme_server):
    slow_server, dead_server = new_operator(), new_operator()
    slow = await new_desk(slow_server, "slow", calls_at_once=2, deadline_ms=3_000)
    dead = await new_desk(dead_server, "dead")
    quick = await new_desk(acme_server, "acme")
    dead_server.kill()
    for seat in range(1, 7):
        await slow_server.open_player(slow.player(seat), 10_000)
        await acme_server.open_player(quick.player(seat), 10_000)
    await slow_server.misbehave("debit", *["slow_loris"] * 6)
    for seat in range(1, 7):
        await slow.hears(slow.places(seat, ante=1_000))
        await dead.hears(dead.places(seat, ante=1_000))
    began = time.monotonic()
    for seat in range(1, 7):
        await quick.hears(quick.places(seat, ante=1_000))
    answers = await asyncio.gather(*(quick.answer_to(seat) for seat in range(1, 7)))
    took = time.monotonic() - began
    assert answers == [("held", "")] * 6
    # Nobody is answered for the slow one yet: two of its calls are under way, and the others wait for them alone.
    waiting = await slow.store.pool.fetchval(
        "SELECT count(*) FROM remote_moves WHERE operator = 'slow' AND ended IS NULL"
    )
    assert waiting == 6, f"after {took:.1f} s"
    assert (
        await asyncio.gather(*(dead.answer_to(seat) for seat in range(1, 7)))
        == [("declined", "operator_unreachable")] * 6
    )
    assert [answer[0] for answer in await asyncio.gather(*(slow.answer_to(seat) for seat in range(1, 7)))] == [
        "declined"
    ] * 6
    await slow.settles_down()
    await slow.balances_agree(slow_server)


async def test_a_seamless_players_money_is_not_moved_by_other_commands(desk, acme_server):
    async def refusal(*accounts):
        return await desk.store.run(lambda tx: kept_elsewhere(tx, accounts))

    refused = await refusal("player/p001/USD", f"player/{desk.player()}/USD")
    assert (refused.code, refused.field) == ("operator_keeps_money", "player")
    assert await refusal("player/p001/USD", "player/nobody:p1/USD", "table/acme:t1/USD") is None


async def test_an_operator_is_not_connected_while_money_of_its_players_arrives(store, desk, acme_server, remote):
    """Method: a deposit has looked who keeps the money, and is not committed yet, when the operator is first connected
    as one that keeps it itself."""
    name, account = f"new-{desk.mark}", f"player/new-{desk.mark}:p1/USD"
    terms = remote.terms(acme_server, operator=name)
    async with store.transaction() as tx:
        assert await kept_elsewhere(tx, [account]) is None
        cause = Cause.of_command("connect", "t.boss")
        connecting = asyncio.create_task(store.run(lambda other: register(other, terms, "t.boss", cause)))
        _, waiting = await asyncio.wait([connecting], timeout=0.5)
        assert waiting == {connecting}
        lane = ids.operator_lane(f"{name}:p1", "USD")
        books = await ledger_store.load_for_command(tx, {account, lane})
        events = deposit(books, f"{name}:p1", "USD", 500, ids.transfer_id(account))
        await ledger_store.write(tx, books, [ledger_store.Answer(cause, events)])
    refused = await connecting
    assert (refused.code, refused.field) == ("operator_has_funds", "mode")


async def test_another_currency_than_the_operators_is_declined_without_asking(desk, acme_server):
    placed = desk.places(ante=1_000).model_copy(update={"currency": "EUR"})
    await desk.hears(placed)
    rows = await desk.store.pool.fetch(
        "SELECT envelope FROM events WHERE stream = $1", f"account/player/{desk.player()}/EUR"
    )
    assert [open_envelope(row["envelope"]).event.reason for row in rows] == ["operator_currency"]
    assert await desk.moves() == []


async def test_players_whose_money_is_kept_here_cost_the_database_nothing_more(store, say, desk):
    """Method: the statements of one batch are read as they are sent."""
    asked = []
    heard = say.heard()(
        say.placed(1, f"p-{desk.mark}", table=desk.table, ante=100),
        say.settled(table=desk.table, void=True),
    )
    async with store.transaction() as tx:
        tx.conn.add_query_logger(lambda query: asked.append(query.query))
        await post_facts(tx, heard)
    assert asked
    assert [query for query in asked if "operators" in query or "remote_moves" in query or "table_games" in query] == []
