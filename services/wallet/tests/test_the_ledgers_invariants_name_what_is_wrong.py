"""On a real PostgreSQL: every named invariant holds on a sound ledger, and finds the fault that is planted for it."""

import asyncpg
import pytest

from pitstream.cli.invariants import invariants_of
from pitstream.events import ids
from pitstream.runtime import Cause
from pitstream.services.wallet import store as ledger_store
from pitstream.services.wallet.corrections import reversal_id, reverse
from pitstream.services.wallet.corrections_store import load_for_reversal, transfer
from pitstream.services.wallet.handlers import post_facts
from pitstream.services.wallet.ledger import deposit

pytestmark = pytest.mark.stack

OWN = {
    "all_accounts_of_a_currency_add_up_to_0",
    "an_account_is_what_its_transfers_made_of_it",
    "nobody_spends_what_is_not_there",
    "a_pot_is_empty_once_its_round_is_posted",
    "a_settled_round_holds_nothing",
    "players_postings_are_what_settlements_left_them",
    "a_transfer_is_told_by_an_event_that_is_there",
    "a_reversal_is_the_mirror_image_of_what_it_undoes",
    "both_sides_of_a_transfer_have_its_currency",
}
OTHER, UNDOING = ids.transfer_id("d", "p2"), reversal_id(ids.transfer_id("d", "again"))


@pytest.fixture
async def evening(store, say) -> None:
    """Two players at a settled round with a Pot, one more bet that is open, and one deposit that was undone."""

    async def fund(tx):
        accounts = {ids.player_account(player, "USD") for player in ("p1", "p2")}
        books = await ledger_store.load_for_command(tx, accounts)
        events = []
        for player in ("p1", "p2"):
            events += deposit(books, player, "USD", 1_000, ids.transfer_id("d", player))
        events += deposit(books, "p1", "USD", 1_000, ids.transfer_id("d", "again"))
        await ledger_store.write(tx, books, [ledger_store.Answer(Cause.of_command("c", "test"), events)])

    def pot(seat: int, won: int):
        told = {"returned": 0, "won": won, "paid_from": "pot" if won else None}
        line = say.lost("pot", 100).model_copy(update={**told, "outcome": "win" if won else "lose"})
        return say.seat(seat, f"p{seat}", line, say.lost("ante", 50))

    await store.run(fund)
    heard = say.heard()
    bets = [say.placed(seat, f"p{seat}", ante=50, pot=100) for seat in (1, 2)]
    for batch in (
        heard(*bets, say.placed(1, "p1", round_no=2, ante=70)),
        heard(say.settled(pot(1, 200), pot(2, 0))),
    ):
        await store.run(lambda tx, batch=batch: post_facts(tx, batch))
    made = await transfer(store, ids.transfer_id("d", "again"))

    async def undo(tx):
        books = await load_for_reversal(tx, made)
        events = reverse(books, made.transfer_id, "twice", "test")
        await ledger_store.write(tx, books, [ledger_store.Answer(Cause.of_command("c", "test"), events)])

    await store.run(undo)


async def broken(owner: asyncpg.Connection) -> set[str]:
    return {one.name for one in invariants_of("wallet") if one.name in OWN and await owner.fetch(one.sql)}


async def test_every_invariant_of_the_ledger_holds_after_an_evening(evening, owner):
    assert {one.name for one in invariants_of("wallet")} >= OWN
    assert await broken(owner) == set()
    assert await owner.fetchval("SELECT count(*) FROM transfers WHERE reverses IS NOT NULL") == 1


CREDIT = "UPDATE accounts SET credits_posted = credits_posted + "


@pytest.mark.parametrize(
    ("fault", "found"),
    [
        pytest.param(
            CREDIT + "1 WHERE kind = 'table'",
            {"all_accounts_of_a_currency_add_up_to_0", "an_account_is_what_its_transfers_made_of_it"},
            id="a cent from nowhere",
        ),
        pytest.param(
            CREDIT + "1 WHERE kind = 'table'; " + CREDIT + "-1 WHERE account = 'player/p1/USD'",
            {"an_account_is_what_its_transfers_made_of_it"},
            id="a cent from one to another without a transfer",
        ),
        pytest.param(
            "UPDATE accounts SET debits_pending = debits_pending + 1 WHERE kind = 'table'",
            {"an_account_is_what_its_transfers_made_of_it"},
            id="held by nobody",
        ),
        pytest.param(
            "UPDATE accounts SET debits_posted = debits_posted + 5000, credits_posted = credits_posted + 1"
            " WHERE account = 'player/p2/USD'",
            {
                "all_accounts_of_a_currency_add_up_to_0",
                "an_account_is_what_its_transfers_made_of_it",
                "nobody_spends_what_is_not_there",
            },
            id="a player below 0",
        ),
        pytest.param(
            CREDIT + "7 WHERE kind = 'pot'; " + CREDIT + "-7 WHERE kind = 'table'",
            {"an_account_is_what_its_transfers_made_of_it", "a_pot_is_empty_once_its_round_is_posted"},
            id="a Pot with something in it",
        ),
        pytest.param(
            "INSERT INTO closed_rounds (table_id, round_no) VALUES ('t1', 2)",
            {"a_settled_round_holds_nothing"},
            id="a closed round that holds money",
        ),
        pytest.param(
            "UPDATE postings SET net = net + 1 WHERE seat = 1",
            {"players_postings_are_what_settlements_left_them"},
            id="a seat that was told another result",
        ),
        pytest.param(
            "UPDATE transfers SET version = 99 WHERE code = 'pot'",
            {"a_transfer_is_told_by_an_event_that_is_there", "players_postings_are_what_settlements_left_them"},
            id="a transfer that no event tells of",
        ),
        pytest.param(
            f"UPDATE transfers SET reverses = '{OTHER}' WHERE transfer_id = '{UNDOING}'",
            {"a_reversal_is_the_mirror_image_of_what_it_undoes"},
            id="an undoing of something else",
        ),
        pytest.param(
            "INSERT INTO accounts (account, kind, currency, scale) VALUES ('house/EUR', 'house', 'EUR', 2);"
            "UPDATE transfers SET currency = 'EUR' WHERE code = 'ante'",
            {"both_sides_of_a_transfer_have_its_currency"},
            id="money that changed its currency",
        ),
    ],
)
async def test_a_planted_fault_is_found_by_the_invariants_it_breaks_and_no_other(evening, owner, fault, found):
    # What no code can do with the ledger's constraints and triggers in place is done without them.
    for table in ("accounts", "transfers", "postings", "closed_rounds"):
        await owner.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
    checks = await owner.fetch(
        "SELECT conrelid::regclass AS place, conname FROM pg_constraint"
        " WHERE connamespace = 'wallet'::regnamespace AND (contype = 'c' AND conrelid = 'accounts'::regclass"
        " OR contype = 'f' AND conrelid = 'transfers'::regclass)"
    )
    for check in checks:
        await owner.execute(f"ALTER TABLE {check['place']} DROP CONSTRAINT {check['conname']}")
    await owner.execute(fault)
    assert await broken(owner) == found
