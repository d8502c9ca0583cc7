"""On a real PostgreSQL: each constraint bites on its own, whatever code runs, and the balances follow the transfers."""

import asyncio
import uuid
from importlib.resources import files

import asyncpg
import pytest

from pitstream.events import ids
from pitstream.events.currencies import ISO_4217
from pitstream.runtime import Cause, Store
from pitstream.services.wallet import store as ledger_store
from pitstream.services.wallet.handlers import post_facts
from pitstream.services.wallet.ledger import deposit

pytestmark = pytest.mark.stack

P1, T1, OUTSIDE = "player/p1/USD", "table/t1/USD", ids.operator_lane("p1", "USD")


@pytest.fixture(scope="module")
def planted(wallet_database, say) -> str:
    """A ledger with 1,000 on p1, 400 of it held at t1, and one round closed at t2: the address of its database."""

    async def begin(tx):
        books = await ledger_store.load_for_command(tx, {P1, OUTSIDE})
        events = deposit(books, "p1", "USD", 1_000, ids.transfer_id("begin"))
        await ledger_store.write(tx, books, [ledger_store.Answer(Cause.of_command("c", "test"), events)])

    async def plant():
        facts = say.heard()(say.placed(1, "p1", ante=400), say.settled(table="t2", void=True))
        admin = await asyncpg.connect(wallet_database)
        await admin.execute("DROP SCHEMA IF EXISTS wallet CASCADE")
        await admin.close()
        migrations = files("pitstream.services.wallet") / "migrations"
        async with Store.open(wallet_database, service="wallet", migrations=migrations) as store:
            await store.run(begin)
            await store.run(lambda tx: post_facts(tx, facts))

    asyncio.run(plant())
    return wallet_database


@pytest.fixture
async def conn(planted):
    """A connection of the wallet's role in a transaction that is rolled back at the end."""
    connection = await asyncpg.connect(planted, server_settings={"search_path": "wallet"})
    transaction = connection.transaction()
    await transaction.start()
    yield connection
    await transaction.rollback()
    await connection.close()


async def refused(conn, statement: str, *arguments) -> str | None:
    """The name of the constraint that refuses the statement."""
    with pytest.raises(asyncpg.IntegrityConstraintViolationError) as error:
        async with conn.transaction():
            await conn.execute(statement, *arguments)
    return error.value.constraint_name


async def sums(conn) -> dict[str, tuple[int, int, int]]:
    rows = await conn.fetch("SELECT account, debits_posted, credits_posted, debits_pending FROM accounts")
    return {row[0]: tuple(row[1:]) for row in rows}


BEGAN = {OUTSIDE: (1_000, 0, 0), P1: (0, 1_000, 400), T1: (0, 0, 0), "table/t2/USD": (0, 0, 0)}

TRANSFER = "INSERT INTO transfers (transfer_id, debit, credit, currency, amount, code, stream, version) VALUES "
HOLD = "INSERT INTO holds (hold_id, account, table_id, round_no, seat, bundle, amount{more}) VALUES "
ID = str(uuid.UUID(int=1))
BEGIN_ID = ids.transfer_id("begin")
HOLD_ID = ids.hold_id("t1", 1, 1, 1)


@pytest.mark.parametrize(
    ("statement", "constraint"),
    [
        pytest.param(
            TRANSFER + f"('{ID}', '{P1}', '{T1}', 'USD', 0, 'x', 's', 1)", "transfers_amount", id="of nothing"
        ),
        pytest.param(TRANSFER + f"('{ID}', '{P1}', '{T1}', 'USD', -1, 'x', 's', 1)", "transfers_amount", id="negative"),
        pytest.param(
            TRANSFER + f"('{ID}', '{P1}', '{P1}', 'USD', 1, 'x', 's', 1)", "transfers_two_sides", id="to itself"
        ),
        pytest.param(
            TRANSFER + f"('{ID}', '{P1}', '{T1}', 'EUR', 1, 'x', 's', 1)", "transfers_debit", id="another currency"
        ),
        pytest.param(
            TRANSFER + f"('{ID}', 'player/p9/USD', '{T1}', 'USD', 1, 'x', 's', 1)", "transfers_debit", id="from nowhere"
        ),
        pytest.param(
            TRANSFER + f"('{ID}', '{T1}', 'player/p9/USD', 'USD', 1, 'x', 's', 1)", "transfers_credit", id="to nowhere"
        ),
        pytest.param(
            TRANSFER + f"('{BEGIN_ID}', '{P1}', '{T1}', 'USD', 1, 'x', 's', 1)",
            "transfers_once",
            id="the same id again",
        ),
        pytest.param(
            TRANSFER + f"('{ID}', '{P1}', '{T1}', 'USD', 601, 'x', 's', 1)", "accounts_available", id="held money"
        ),
        pytest.param("UPDATE transfers SET amount = 2", "transfers_append_only", id="an edited transfer"),
        pytest.param("DELETE FROM transfers", "transfers_append_only", id="a deleted transfer"),
        pytest.param("TRUNCATE transfers CASCADE", "transfers_append_only", id="no transfers at all"),
        pytest.param(
            "UPDATE accounts SET credits_posted = credits_posted + 1", "accounts_moved_by_transfers", id="a gift"
        ),
        pytest.param("UPDATE accounts SET debits_pending = 0", "accounts_moved_by_transfers", id="a hold forgotten"),
        pytest.param("UPDATE accounts SET kind = 'table'", "accounts_moved_by_transfers", id="a player turned table"),
        pytest.param("DELETE FROM accounts", "accounts_append_only", id="an account gone"),
        pytest.param("TRUNCATE accounts CASCADE", "accounts_append_only", id="all accounts gone"),
        pytest.param(
            "INSERT INTO accounts (account, kind, currency, scale, credits_posted)"
            " VALUES ('player/p2/USD', 'player', 'USD', 2, 5)",
            "accounts_open_empty",
            id="an account opened with money",
        ),
        pytest.param(
            f"INSERT INTO accounts (account, kind, currency, scale) VALUES ('{P1}', 'player', 'USD', 2)",
            "accounts_once",
            id="twice",
        ),
        pytest.param(
            "INSERT INTO accounts (account, kind, currency, scale) VALUES ('bank/x/USD', 'bank', 'USD', 2)",
            "accounts_kind",
            id="an unknown kind",
        ),
        pytest.param(
            "INSERT INTO accounts (account, kind, currency, scale) VALUES ('player/p2/USD', 'table', 'USD', 2)",
            "accounts_name",
            id="a kind that is not its name's",
        ),
        pytest.param(
            "INSERT INTO accounts (account, kind, currency, scale) VALUES ('player/p2/USD', 'player', 'EUR', 2)",
            "accounts_name",
            id="a currency that is not its name's",
        ),
        pytest.param(
            HOLD.format(more="") + f"('{ID}', '{P1}', 't1', 1, 2, 1, 601)", "accounts_available", id="601 of 600"
        ),
        pytest.param(
            HOLD.format(more="") + f"('{ID}', '{P1}', 't1', 1, 2, 1, 0)", "holds_amount", id="a hold of nothing"
        ),
        pytest.param(
            HOLD.format(more="") + f"('{ID}', 'player/p9/USD', 't1', 1, 2, 1, 1)", "holds_account", id="of nobody"
        ),
        pytest.param(
            HOLD.format(more="") + f"('{HOLD_ID}', '{P1}', 't1', 1, 2, 1, 1)", "holds_once", id="a hold twice"
        ),
        pytest.param(
            HOLD.format(more="") + f"('{ID}', '{P1}', 't1', 1, 1, 1, 1)", "holds_bundle_once", id="a bundle twice"
        ),
        pytest.param(
            HOLD.format(more=", state") + f"('{ID}', '{P1}', 't1', 1, 2, 1, 1, 'resolved')",
            "holds_open_held",
            id="a hold born resolved",
        ),
        pytest.param("UPDATE holds SET amount = 1", "holds_resolved_once", id="a hold made smaller"),
        pytest.param("UPDATE holds SET state = 'resolved', amount = 1", "holds_resolved_once", id="resolved for less"),
        pytest.param("UPDATE holds SET state = 'held'", "holds_resolved_once", id="held again"),
        pytest.param("DELETE FROM holds", "holds_append_only", id="a hold gone"),
        pytest.param("TRUNCATE holds", "holds_append_only", id="all holds gone"),
        pytest.param(
            "INSERT INTO closed_rounds (table_id, round_no) VALUES ('t2', 1)", "closed_rounds_once", id="closed twice"
        ),
        pytest.param("DELETE FROM closed_rounds", "closed_rounds_append_only", id="a tombstone dug up"),
        pytest.param("UPDATE postings SET net = 1", "postings_append_only", id="an edited posting"),
        pytest.param(
            f"INSERT INTO postings (account, table_id, round_no, seat, net) VALUES ('{P1}', 't1', 1, 1, 5),"
            f" ('{P1}', 't1', 1, 1, 6)",
            "postings_seat_once",
            id="a seat posted twice",
        ),
        pytest.param(
            "INSERT INTO postings (account, table_id, round_no, seat, net) VALUES ('player/p9/USD', 't1', 1, 1, 5)",
            "postings_account",
            id="a posting to nobody",
        ),
    ],
)
async def test_the_database_refuses_what_the_ledger_must_never_say(conn, statement, constraint):
    assert await sums(conn) == BEGAN
    assert await refused(conn, statement) == constraint
    assert await sums(conn) == BEGAN


async def test_a_hold_is_resolved_once_and_then_stays_so(conn):
    await conn.execute("UPDATE holds SET state = 'resolved'")
    assert (await sums(conn))[P1] == (0, 1_000, 0)
    for again in ("resolved", "held"):
        assert await refused(conn, "UPDATE holds SET state = $1", again) == "holds_resolved_once"


async def test_one_statement_of_many_transfers_moves_every_account_once(conn):
    await conn.execute(
        TRANSFER
        + "(gen_random_uuid(), $1, $2, 'USD', 100, 'x', 's', 1), (gen_random_uuid(), $1, $2, 'USD', 200, 'x', 's', 1),"
        " (gen_random_uuid(), $2, $1, 'USD', 50, 'x', 's', 1)",
        P1,
        T1,
    )
    assert await sums(conn) == {**BEGAN, P1: (300, 1_050, 400), T1: (50, 300, 0)}


async def test_a_payable_never_pays_more_than_was_reserved(conn):
    await conn.execute(
        "INSERT INTO accounts (account, kind, currency, scale) VALUES ('handpay/wan/USD', 'handpay', 'USD', 2)"
    )
    payment = TRANSFER + "(gen_random_uuid(), 'handpay/wan/USD', $1, 'USD', 1, 'x', 's', 1)"
    assert await refused(conn, payment, P1) == "accounts_available"


@pytest.fixture
async def service(planted):
    """A connection as the service has it, in a transaction that is rolled back at the end."""
    migrations = files("pitstream.services.wallet") / "migrations"
    opened = Store.open(planted, service="wallet", migrations=migrations)
    async with opened as store, store.pool.acquire() as connection:
        transaction = connection.transaction()
        await transaction.start()
        yield connection
        await transaction.rollback()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE transfers SET amount = 2",
        "DELETE FROM transfers",
        "TRUNCATE transfers CASCADE",
        "UPDATE events SET type = 'x'",
        "DELETE FROM events",
        "TRUNCATE events",
        "UPDATE postings SET net = 1",
        "DELETE FROM closed_rounds",
        "UPDATE currencies SET scale = 3",
        "UPDATE accounts SET credits_posted = credits_posted + 1",
        "UPDATE accounts SET debits_pending = 0",
        "DELETE FROM accounts",
        "DELETE FROM holds",
        "ALTER TABLE transfers DISABLE TRIGGER USER",
        "DROP TRIGGER transfers_append_only ON transfers",
        "ALTER TABLE accounts DROP CONSTRAINT accounts_available",
        "CREATE OR REPLACE FUNCTION move_posted() RETURNS trigger LANGUAGE sql AS 'SELECT 1'",
        "CREATE TABLE wallet.another (id int)",
        "DROP TABLE transfers CASCADE",
        "DELETE FROM schema_migrations",
    ],
)
async def test_the_service_has_no_right_to_edit_what_is_kept_for_ever(service, statement):
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await service.execute(statement)


async def test_the_service_locks_accounts_and_moves_them_by_transfers_alone(service):
    await service.execute("SELECT FROM accounts FOR UPDATE")
    await service.execute(TRANSFER + "(gen_random_uuid(), $1, $2, 'USD', 600, 'x', 's', 1)", P1, T1)
    assert await sums(service) == {**BEGAN, P1: (600, 1_000, 400), T1: (0, 600, 0)}
    # The one column it may write is the name, and the trigger lets nobody.
    assert await refused(service, "UPDATE accounts SET account = 'player/me/USD'") == "accounts_moved_by_transfers"


async def test_the_service_cannot_lend_itself_what_moves_balances(service):
    """Its triggers run as the owner: neither may they be put on another table, nor be shown another one of a name."""
    await service.execute("CREATE TEMP TABLE forged (debit text, credit text, amount bigint)")
    for function in ("move_posted", "move_pending"):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            async with service.transaction():
                await service.execute(
                    "CREATE TRIGGER forged AFTER INSERT ON forged REFERENCING NEW TABLE AS posted"
                    f" FOR EACH STATEMENT EXECUTE FUNCTION wallet.{function}()"
                )
    await service.execute("CREATE TEMP TABLE accounts (LIKE wallet.accounts)")
    await service.execute("CREATE TEMP TABLE transfers (LIKE wallet.transfers)")
    transfer = TRANSFER.replace("INTO transfers", "INTO wallet.transfers")
    await service.execute(transfer + "(gen_random_uuid(), $1, $2, 'USD', 600, 'x', 's', 1)", P1, T1)
    await service.execute("DROP TABLE pg_temp.accounts, pg_temp.transfers")
    assert await sums(service) == {**BEGAN, P1: (600, 1_000, 400), T1: (0, 600, 0)}


async def test_the_ledgers_tables_give_the_service_these_rights_and_no_other(service):
    rows = await service.fetch(
        "SELECT table_name, string_agg(privilege_type, ' ' ORDER BY privilege_type) AS rights"
        " FROM information_schema.role_table_grants"
        " WHERE table_schema = 'wallet' AND grantee = current_user GROUP BY table_name"
    )
    rights = {row["table_name"]: row["rights"] for row in rows}
    kept = ("accounts", "closed_rounds", "currencies", "events", "postings", "transfers")
    assert {name: rights[name] for name in kept} == dict.fromkeys(kept, "INSERT SELECT")
    assert rights["holds"] == "INSERT SELECT UPDATE"
    assert rights["schema_migrations"] == "SELECT"


async def test_every_currency_of_iso_4217_is_there_with_its_scale(service):
    rows = await service.fetch("SELECT currency, scale FROM currencies")
    assert {row["currency"]: row["scale"] for row in rows} == dict(ISO_4217)


async def test_a_pot_is_empty_at_every_commit(conn):
    await conn.execute("INSERT INTO accounts (account, kind, currency, scale) VALUES ('pot/t1/1/USD', 'pot', 'USD', 2)")
    await conn.execute(TRANSFER + "(gen_random_uuid(), $1, 'pot/t1/1/USD', 'USD', 100, 'x', 's', 1)", P1)
    assert await refused(conn, "SET CONSTRAINTS ALL IMMEDIATE") == "accounts_pot_empty"
    await conn.execute(TRANSFER + "(gen_random_uuid(), 'pot/t1/1/USD', $1, 'USD', 100, 'x', 's', 1)", P1)
    await conn.execute("SET CONSTRAINTS ALL IMMEDIATE")


MIRROR = TRANSFER.replace("version)", "version, reverses)")


@pytest.mark.parametrize(
    ("debit", "credit", "amount"),
    [
        pytest.param(OUTSIDE, P1, 1_000, id="the same way again"),
        pytest.param(P1, OUTSIDE, 999, id="less"),
        pytest.param(P1, T1, 1_000, id="to another"),
    ],
)
async def test_a_transfer_is_undone_by_its_mirror_image_alone(conn, debit, credit, amount):
    undo = MIRROR + "($1, $2, $3, 'USD', $4, 'reversal', 's', 1, $5)"
    await conn.execute("UPDATE holds SET state = 'resolved'")
    assert await refused(conn, undo, ID, debit, credit, amount, BEGIN_ID) == "transfers_mirror"


async def test_a_transfer_is_undone_once_and_its_undoing_never(conn):
    undo = MIRROR + "($1, $2, $3, 'USD', 1000, 'reversal', 's', 1, $4)"
    await conn.execute("UPDATE holds SET state = 'resolved'")
    await conn.execute(undo, ID, P1, OUTSIDE, BEGIN_ID)
    again = str(uuid.UUID(int=2))
    assert await refused(conn, undo, again, OUTSIDE, P1, ID) == "transfers_mirror"
    await conn.execute(TRANSFER + "(gen_random_uuid(), $1, $2, 'USD', 1000, 'x', 's', 1)", OUTSIDE, P1)
    assert await refused(conn, undo, again, P1, OUTSIDE, BEGIN_ID) == "transfers_reversed_once"
