"""On a real PostgreSQL: six bets at once on money for five, from two tables and two instances, again and again; one id
twice in one batch; a commit whose reply was lost; amounts that a float cannot count."""

import asyncio
from collections import Counter
from contextlib import asynccontextmanager

import asyncpg
import pytest

from pitstream.events import ids
from pitstream.runtime import Cause, Outcome, run_command
from pitstream.services.wallet import store as ledger_store
from pitstream.services.wallet.handlers import post_facts
from pitstream.services.wallet.ledger import deposit
from pitstream.services.wallet.posting import UnpostableError

pytestmark = pytest.mark.stack

BEYOND_FLOATS = 2**53 + 1


async def give(tx, player: str, amount: int, *commands: str) -> list:
    account = ids.player_account(player, "USD")
    books = await ledger_store.load_for_command(tx, {account, ids.operator_lane(player, "USD")})
    events = []
    for command in commands or ("d",):
        events += deposit(books, player, "USD", amount, ids.transfer_id(account, command))
    await ledger_store.write(tx, books, [ledger_store.Answer(Cause.of_command("c", "test"), events)])
    return events


@pytest.mark.parametrize("times", [100, pytest.param(1_000, marks=pytest.mark.slow)])
async def test_of_six_bets_at_once_on_money_for_five_exactly_five_are_held(open_store, say, times):
    """Method: each time a new player; every bet is a transaction of its own, all started together."""
    async with open_store() as one, open_store() as other:
        heard = say.heard()
        for number in range(times):
            player = f"p{number}"
            await one.run(lambda tx, player=player: give(tx, player, 5_000))
            bets = [
                heard(say.placed(seat, player, table=table, round_no=number + 1, ante=1_000))
                for seat in (1, 2, 3)
                for table in ("t1", "t2")
            ]
            stores = (one, other) * 3
            await asyncio.gather(
                *(store.run(lambda tx, bet=bet: post_facts(tx, bet)) for store, bet in zip(stores, bets, strict=True))
            )
        rows = await one.pool.fetch(
            "SELECT key, type, count(*) FROM events WHERE type LIKE '%Funds_e%' GROUP BY key, type"
        )
        told = Counter((row["type"].rpartition(".")[2], row["count"]) for row in rows)
        assert told == {("FundsHeld", 5): times, ("FundsDeclined", 1): times}
        standing = await one.pool.fetch(
            "SELECT DISTINCT credits_posted, debits_posted, debits_pending FROM accounts WHERE kind = 'player'"
        )
        assert [tuple(row) for row in standing] == [(5_000, 0, 5_000)]


async def test_one_transfer_twice_in_one_batch_moves_nothing(store):
    with pytest.raises(UnpostableError) as refused:
        await store.run(lambda tx: give(tx, "p1", 500, "same", "same"))
    assert refused.value.code == "already_posted"
    assert await store.pool.fetchval("SELECT count(*) FROM transfers") == 0
    assert await ledger_store.account(store, "player/p1/USD") is None


async def test_one_settlement_twice_in_one_batch_posts_nothing_of_it(store, say):
    heard = say.heard()
    await store.run(lambda tx: give(tx, "p1", 1_000))
    bets = heard(say.placed(1, "p1", ante=400))
    await store.run(lambda tx: post_facts(tx, bets))
    end = heard(say.settled(say.seat(1, "p1", say.lost("ante", 400))))
    with pytest.raises(UnpostableError) as refused:
        await store.run(lambda tx: post_facts(tx, [*end, *end]))
    assert refused.value.code == "round_posted_already"
    found = await ledger_store.account(store, "player/p1/USD")
    assert (found.balance, found.held) == (1_000, 400)


async def test_one_id_of_two_players_is_two_transfers(store):
    for player in ("p1", "p2"):
        await store.run(lambda tx, player=player: give(tx, player, 500, "same"))
    assert await store.pool.fetchval("SELECT count(*) FROM transfers") == 2


async def test_a_command_whose_commit_was_never_answered_moves_its_money_once(store, monkeypatch):
    """Method: the first commit is done and its reply lost; the command is run again, as after any lost connection."""
    lost = 0
    transaction = store.transaction

    @asynccontextmanager
    async def reply_lost():
        nonlocal lost
        async with transaction() as tx:
            yield tx
        if not lost:
            lost += 1
            raise ConnectionResetError("the reply to COMMIT")

    monkeypatch.setattr(store, "transaction", reply_lost)

    async def act(tx):
        events = await give(tx, "p1", BEYOND_FLOATS)
        return Outcome(201, {"balance": events[-1].balance_after})

    answers = [
        await run_command(store, scope="s", command_id="d1", inputs={"amount": 1}, act=act, actor="test")
        for _ in range(2)
    ]
    assert answers == [Outcome(201, {"balance": 9_007_199_254_740_993})] * 2
    assert lost == 1
    assert await store.pool.fetchval("SELECT count(*) FROM transfers") == 1
    assert (await ledger_store.account(store, "player/p1/USD")).balance == 9_007_199_254_740_993


async def test_a_bet_and_its_result_beyond_what_a_float_can_count_are_exact_to_the_unit(store, say):
    heard = say.heard()
    await store.run(lambda tx: give(tx, "p1", BEYOND_FLOATS))
    bets = heard(say.placed(1, "p1", ante=BEYOND_FLOATS))
    await store.run(lambda tx: post_facts(tx, bets))
    ends = heard(say.settled(say.seat(1, "p1", say.won("ante", BEYOND_FLOATS, BEYOND_FLOATS + 2))))
    await store.run(lambda tx: post_facts(tx, ends))
    found = await ledger_store.account(store, "player/p1/USD")
    assert (found.balance, found.held) == (2 * BEYOND_FLOATS + 2, 0)
    row = await store.pool.fetchrow("SELECT amount, net FROM transfers, postings WHERE code = 'ante'")
    assert tuple(row) == (BEYOND_FLOATS + 2, BEYOND_FLOATS + 2)


async def test_a_sum_that_would_leave_64_bits_leaves_nothing_of_its_batch(store):
    largest = 2**63 - 1
    await store.run(lambda tx: give(tx, "p1", largest, "all"))
    with pytest.raises(asyncpg.NumericValueOutOfRangeError):
        await store.pool.execute(
            "INSERT INTO transfers (transfer_id, debit, credit, currency, amount, code, stream, version)"
            " VALUES ($1::uuid, $2, 'player/p1/USD', 'USD', 1, 'x', 's', 1)",
            ids.transfer_id("one"),
            ids.operator_lane("p1", "USD"),
        )
    assert (await ledger_store.account(store, "player/p1/USD")).balance == largest
