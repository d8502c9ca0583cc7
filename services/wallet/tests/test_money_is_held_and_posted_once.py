"""On a real PostgreSQL: many at once, things twice, connections cut in the middle; no money moves twice or is lost."""

import asyncio
import random

import pytest

from pitstream.events import ids, open_envelope
from pitstream.events.wallet import FundsDeclined, FundsHeld, SeatPosted
from pitstream.runtime import Cause
from pitstream.services.wallet import store as ledger_store
from pitstream.services.wallet.books import rebuild
from pitstream.services.wallet.handlers import post_facts
from pitstream.services.wallet.ledger import deposit
from pitstream.services.wallet.posting import UnpostableError

pytestmark = pytest.mark.stack


async def give(store, player: str, amount: int, command_id: str = "d") -> None:
    account = ids.player_account(player, "USD")

    async def act(tx):
        books = await ledger_store.load_for_command(tx, {account, ids.operator_lane(player, "USD")})
        events = deposit(books, player, "USD", amount, ids.transfer_id(account, command_id))
        await ledger_store.write(tx, books, [ledger_store.Answer(Cause.of_command(command_id, "test"), events)])

    await store.run(act)


async def hear(store, batch) -> None:
    await store.run(lambda tx: post_facts(tx, batch))


async def told(store) -> list:
    """Every event of the wallet, stream by stream."""
    rows = await store.pool.fetch("SELECT envelope FROM events ORDER BY stream, version")
    return [open_envelope(row["envelope"]).event for row in rows]


async def the_ledger_is_sound(store, open_holds: int = 0) -> None:
    """The database's own check; and the account streams alone rebuild every balance."""
    check = await ledger_store.ledger_check(store)
    assert (check["ok"], check["differing_accounts"], check["open_holds"]) == (True, [], open_holds)
    rows = await store.pool.fetch("SELECT * FROM accounts")
    assert rebuild(await told(store)).accounts == {row["account"]: ledger_store.Account(**row) for row in rows}


async def deadlocks(store) -> int:
    return await store.pool.fetchval("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")


async def test_six_bets_of_a_thousand_at_once_from_two_tables_on_five_thousand_are_five_bets(open_store, say):
    async with open_store() as one, open_store() as other:
        await give(one, "p1", 5_000)
        heard = say.heard()
        bets = [heard(say.placed(n, "p1", table=table, ante=1_000)) for n in (1, 2, 3) for table in ("t1", "t2")]
        await asyncio.gather(*(hear((one, other)[n % 2], bet) for n, bet in enumerate(bets)))
        answers = [event for event in await told(one) if isinstance(event, FundsHeld | FundsDeclined)]
        assert sorted(type(event).__name__ for event in answers) == ["FundsDeclined"] + ["FundsHeld"] * 5
        found = await ledger_store.account(one, "player/p1/USD")
        assert (found.balance, found.held, found.available) == (5_000, 5_000, 0)
        await the_ledger_is_sound(one, open_holds=5)


async def test_a_bet_and_the_void_of_its_round_at_once_leave_nothing_held(open_store, say):
    async with open_store() as tables, open_store() as settlements:
        await give(tables, "p1", 100_000)
        heard = say.heard()
        rounds = range(1, 61)
        bets = [heard(say.placed(1, "p1", table=f"t{n % 7}", round_no=n, ante=100)) for n in rounds]
        voids = [heard(say.settled(table=f"t{n % 7}", round_no=n, void=True)) for n in rounds]

        async def both(bet, void):
            await asyncio.gather(hear(tables, bet), hear(settlements, void))

        for n in range(0, 60, 6):
            await asyncio.gather(*(both(bets[i], voids[i]) for i in range(n, n + 6)))
        answers = await told(tables)
        held = [event for event in answers if isinstance(event, FundsHeld)]
        late = [event for event in answers if isinstance(event, FundsDeclined)]
        released = [event for event in answers if isinstance(event, SeatPosted)]
        assert len(held) + len(late) == 60
        assert {event.reason for event in late} <= {"round_closed"}
        assert sorted(event.resolved_holds[0] for event in released) == sorted(event.hold_id for event in held)
        await the_ledger_is_sound(tables)


async def test_batches_that_name_the_same_accounts_in_any_order_never_wait_in_a_ring(open_store, say):
    async with open_store() as one, open_store() as other:
        players = [f"p{n}" for n in range(8)]
        await asyncio.gather(*(give((one, other)[n % 2], player, 50_000) for n, player in enumerate(players)))
        heard, dice = say.heard(), random.Random(7)
        placed, posted = [], []
        for n in range(1, 25):
            seats = dice.sample(players, 6)
            table = f"t{n % 4}"
            placed.append(heard(*(say.placed(s, p, table=table, round_no=n, ante=100) for s, p in enumerate(seats, 1))))
            ends = (say.seat(s, p, dice.choice([say.lost("ante", 100), say.won("ante", 100, 100)]))
                    for s, p in enumerate(seats, 1))  # fmt: skip
            posted.append(heard(say.settled(*ends, table=table, round_no=n)))
        for batches in (placed, posted):
            await asyncio.gather(*(hear((one, other)[n % 2], batch) for n, batch in enumerate(batches)))
        assert await deadlocks(one) == 0
        await the_ledger_is_sound(one)


async def test_of_many_who_open_one_account_at_once_one_does_and_the_others_are_told(open_store):
    """Method: the statement alone, ten connections at the same new account, three hundred times."""
    async with open_store() as one, open_store() as other:
        for n in range(300):
            row = ([f"table/t{n}/USD"], ["table"], ["USD"], [2])
            opened = await asyncio.gather(
                *((one, other)[n % 2].pool.fetch(ledger_store._OPEN, *row) for n in range(10))
            )
            assert sum(len(rows) for rows in opened) == 1


async def test_deposits_of_many_players_at_once_never_wait_in_a_ring(open_store):
    async with open_store() as one, open_store() as other:
        jobs = [(player, n) for player in range(10) for n in range(3)]
        await asyncio.gather(*(give((one, other)[n % 2], f"p{player}", 100, f"d{n}") for player, n in jobs))
        lanes = {ids.operator_lane(f"p{n}", "USD") for n in range(10)}
        assert sum([(await ledger_store.account(one, lane)).balance for lane in lanes]) == -3_000
        assert [(await ledger_store.account(one, f"player/p{n}/USD")).balance for n in range(10)] == [300] * 10
        assert await deadlocks(one) == 0
        await the_ledger_is_sound(one)


async def test_one_batch_of_many_facts_on_one_account_is_answered_in_order(store, say):
    await give(store, "p1", 1_000)
    heard = say.heard()
    await hear(store, heard(*(say.placed(1, "p1", round_no=n, ante=300) for n in range(1, 6))))
    answers = [event for event in await told(store) if isinstance(event, FundsHeld | FundsDeclined)]
    assert [(event.round_no, type(event)) for event in answers] == [
        (1, FundsHeld), (2, FundsHeld), (3, FundsHeld), (4, FundsDeclined), (5, FundsDeclined),
    ]  # fmt: skip
    ends = [say.settled(say.seat(1, "p1", say.won("ante", 300, 300 * n)), round_no=n) for n in (1, 2, 3)]
    await hear(store, heard(*ends))
    posted = [event.balance_after for event in await told(store) if isinstance(event, SeatPosted)]
    assert posted == [1_300, 1_900, 2_800]
    await the_ledger_is_sound(store)


@pytest.mark.parametrize("moment", ["before the answer is written", "after it is written, before the commit"])
async def test_a_connection_cut_in_the_middle_leaves_the_work_undone_and_it_is_done_again(store, owner, say, moment):
    await give(store, "p1", 1_000)
    heard = say.heard()
    await hear(store, heard(say.placed(1, "p1", ante=400)))
    end = heard(say.settled(say.seat(1, "p1", say.lost("ante", 400))))
    cuts = 0

    async def work(tx):
        nonlocal cuts
        if cuts and moment.startswith("before"):
            await post_facts(tx, end)
            return
        if not moment.startswith("before"):
            await post_facts(tx, end)
            await tx.flush()
        if not cuts:
            cuts += 1
            mine = await tx.conn.fetchval("SELECT pg_backend_pid()")
            assert (await ledger_store.account(store, "player/p1/USD")).balance == 1_000
            await owner.execute("SELECT pg_terminate_backend($1)", mine)
            await tx.conn.execute("SELECT 1")

    await store.run(work)
    assert cuts == 1
    assert [event.balance_after for event in await told(store) if isinstance(event, SeatPosted)] == [600]
    await the_ledger_is_sound(store)


async def test_a_settlement_that_comes_twice_beside_the_inbox_posts_nothing(store, say):
    await give(store, "p1", 1_000)
    heard = say.heard()
    await hear(store, heard(say.placed(1, "p1", ante=400)))
    end = heard(say.settled(say.seat(1, "p1", say.won("ante", 400, 400))))
    await hear(store, end)
    with pytest.raises(UnpostableError) as refused:
        await hear(store, end)
    assert refused.value.code == "round_posted_already"
    assert (await ledger_store.account(store, "player/p1/USD")).balance == 1_400
    await the_ledger_is_sound(store)


async def test_a_batch_with_one_bad_fact_leaves_nothing_of_itself(store, say):
    await give(store, "p1", 1_000)
    heard = say.heard()
    before = await told(store)
    with pytest.raises(UnpostableError) as refused:
        await hear(store, heard(say.placed(1, "p1", ante=400), say.placed(2, "p1")))
    assert refused.value.code == "amount_out_of_range"
    assert await told(store) == before
    await the_ledger_is_sound(store)


async def test_the_check_names_every_account_whose_balance_is_not_its_transfers(store, owner, say):
    await give(store, "p1", 1_000)
    await hear(store, say.heard()(say.placed(1, "p1", ante=400)))
    sound = {
        "ok": True,
        "currencies": [{"currency": "USD", "sum": 0}],
        "differing_accounts": [],
        "open_holds": 1,
        "transfers": 1,
    }
    assert await ledger_store.ledger_check(store) == sound
    # The owner of the tables can switch their triggers off: the check sees what came of it.
    await owner.execute("ALTER TABLE accounts DISABLE TRIGGER USER")
    await owner.execute("UPDATE accounts SET credits_posted = credits_posted + 1 WHERE kind = 'player'")
    await owner.execute("UPDATE accounts SET debits_pending = 7 WHERE kind = 'table'")
    assert await ledger_store.ledger_check(store) == {
        **sound,
        "ok": False,
        "currencies": [{"currency": "USD", "sum": 1}],
        "differing_accounts": ["player/p1/USD", "table/t1/USD"],
    }
