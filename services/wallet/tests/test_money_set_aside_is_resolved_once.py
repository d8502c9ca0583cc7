"""Holds of platforms. Method: any sequence of commands on the pure core; then the database alone, on a real PostgreSQL,
one wrong statement a line."""

import uuid

import asyncpg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitstream.events import ids
from pitstream.events.refusal import Refusal
from pitstream.runtime import Cause
from pitstream.services.wallet import store as ledger_store
from pitstream.services.wallet.books import Books, rebuild
from pitstream.services.wallet.ledger import deposit
from pitstream.services.wallet.platform.commands import (
    capture_hold,
    expire_hold,
    open_account,
    place_hold,
    transfer,
    void_hold,
)

P1, P2 = "player/p1/USD", "player/p2/USD"
OUTSIDE = ids.operator_lane("p1", "USD")
FUNDS = 1_000


def begun() -> tuple[Books, list]:
    books = Books()
    events = deposit(books, "p1", "USD", FUNDS, ids.transfer_id("begin"))
    assert not isinstance(events, Refusal)
    more = open_account(books, "p2", "USD")
    assert not isinstance(more, Refusal)
    return books, [*events, *more]


AMOUNT = st.integers(1, 700)
STEP = st.one_of(
    st.tuples(st.just("place"), AMOUNT, st.integers(0, 20)),
    st.tuples(st.just("capture"), st.integers(0, 9), st.none() | AMOUNT),
    st.tuples(st.just("void"), st.integers(0, 9), st.none()),
    st.tuples(st.just("expire"), st.integers(0, 9), st.none()),
    st.tuples(st.just("transfer"), AMOUNT, st.none()),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(STEP, max_size=30))
def test_whatever_is_asked_no_cent_is_spent_twice_and_no_hold_is_resolved_twice(steps):
    books, told = begun()
    placed: list[str] = []
    resolved: dict[str, str] = {}
    for now, (what, number, more) in enumerate(steps, 1):
        before = books.accounts[P1]
        match what:
            case "place":
                hold_id = ids.transfer_id("hold", now)
                expires = now + more if more else 0
                answer = place_hold(books, P1, number, hold_id, "x", expires, now)
                assert isinstance(answer, Refusal) == (number > before.available)
                placed += [] if isinstance(answer, Refusal) else [hold_id]
            case "transfer":
                answer = transfer(books, "p1", "p2", "USD", number, ids.transfer_id("t", now))
                assert isinstance(answer, Refusal) == (number > before.available)
            case _ if number >= len(placed):
                continue
            case _:
                hold = books.placed[placed[number]]
                over = 0 < hold.expires_at_us <= now
                if what == "expire":
                    answer = expire_hold(books, hold, now)
                    assert bool(answer) == (hold.state == "held" and over)
                elif what == "void":
                    answer = void_hold(books, hold)
                    assert isinstance(answer, Refusal) == (hold.hold_id in resolved)
                else:
                    answer = capture_hold(books, hold, more, OUTSIDE, now)
                    taken = hold.amount if more is None else more
                    assert isinstance(answer, Refusal) == (hold.hold_id in resolved or over or taken > hold.amount)
                if answer and not isinstance(answer, Refusal):
                    assert hold.hold_id not in resolved
                    resolved[hold.hold_id] = books.placed[hold.hold_id].state
        if isinstance(answer, Refusal):
            assert books.accounts[P1] == before, "a refusal changes nothing"
        else:
            told += answer
        account = books.accounts[P1]
        held = {hold_id: hold for hold_id, hold in books.placed.items() if hold.state == "held"}
        assert account.held == sum(hold.amount for hold in held.values())
        assert account.available >= 0
        assert held.keys() == set(placed) - resolved.keys()
        assert sum(one.balance for one in books.accounts.values()) == 0
    assert rebuild(told).accounts == books.accounts
    assert {hold_id: hold.state for hold_id, hold in books.placed.items() if hold.state != "held"} == resolved


@pytest.mark.parametrize(
    ("amount", "code"),
    [(0, "held"), (400, "held"), (401, "more_than_held")],
    ids=["all of it", "exactly what is held", "a cent more"],
)
def test_a_capture_takes_at_most_what_is_held(amount, code):
    books, _ = begun()
    place_hold(books, P1, 400, "h1", "x", 0, 1)
    answer = capture_hold(books, books.placed["h1"], amount or None, OUTSIDE, 2)
    assert (answer.code if isinstance(answer, Refusal) else "held") == code


@pytest.mark.parametrize(
    ("expires_at_us", "now_us", "code"),
    [(0, 10**15, None), (11, 10, None), (10, 10, "hold_expired"), (9, 10, "hold_expired")],
)
def test_a_hold_past_its_time_is_not_captured_even_before_it_is_freed(expires_at_us, now_us, code):
    books, _ = begun()
    place_hold(books, P1, 400, "h1", "x", expires_at_us, 1)
    answer = capture_hold(books, books.placed["h1"], None, OUTSIDE, now_us)
    assert (answer.code if isinstance(answer, Refusal) else None) == code


@pytest.fixture
async def held(store):
    """A connection to a ledger in which p1 has 1,000, of which hold 1 keeps 400."""

    async def begin(tx):
        books = await ledger_store.load_for_command(tx, {P1, OUTSIDE})
        events = deposit(books, "p1", "USD", FUNDS, ids.transfer_id("begin"))
        more = place_hold(books, P1, 400, HOLD_ID, "x", 0, 1)
        assert not isinstance(events, Refusal)
        assert not isinstance(more, Refusal)
        answer = ledger_store.Answer(Cause.of_command("c", "test"), [*events, *more])
        await ledger_store.write(tx, books, [answer])

    await store.run(begin)
    async with store.pool.acquire() as connection:
        yield connection


HOLD_ID = str(uuid.UUID(int=1))
HOLD = "INSERT INTO placed_holds (hold_id, account, amount, purpose, expires_at_us{more}) VALUES "

WRONG = {
    "more than is available": (
        HOLD.format(more="") + f"(gen_random_uuid(), '{P1}', 601, 'x', 0)",
        "accounts_available",
    ),
    "a second one of the same id": (HOLD.format(more="") + f"('{HOLD_ID}', '{P1}', 1, 'x', 0)", "placed_holds_once"),
    "of nothing": (HOLD.format(more="") + f"(gen_random_uuid(), '{P1}', 0, 'x', 0)", "placed_holds_amount"),
    "of nobody": (HOLD.format(more="") + "(gen_random_uuid(), 'player/p9/USD', 1, 'x', 0)", "placed_holds_account"),
    "placed as captured": (
        HOLD.format(more=", state, captured") + f"(gen_random_uuid(), '{P1}', 1, 'x', 0, 'captured', 1)",
        "placed_holds_open_held",
    ),
    "made smaller": ("UPDATE placed_holds SET amount = 1", "placed_holds_resolved_once"),
    "captured for another amount": (
        "UPDATE placed_holds SET state = 'captured', captured = 401",
        "placed_holds_captured",
    ),
    "captured for nothing": ("UPDATE placed_holds SET state = 'captured'", "placed_holds_captured"),
    "voided and captured": ("UPDATE placed_holds SET state = 'voided', captured = 1", "placed_holds_captured"),
    "given to another account": (
        f"UPDATE placed_holds SET state = 'voided', account = '{OUTSIDE}'",
        "placed_holds_resolved_once",
    ),
}


@pytest.mark.stack
async def test_the_database_refuses_a_hold_that_could_not_be(held):
    found = {}
    for name, (statement, _) in WRONG.items():
        with pytest.raises(asyncpg.IntegrityConstraintViolationError) as error:
            async with held.transaction():
                await held.execute(statement)
        found[name] = error.value.constraint_name
    assert found == {name: constraint for name, (_, constraint) in WRONG.items()}
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await held.execute("DELETE FROM placed_holds")
    assert await held.fetchval("SELECT debits_pending FROM accounts WHERE account = $1", P1) == 400


@pytest.mark.stack
@pytest.mark.parametrize("state", ["captured", "voided", "expired"])
async def test_the_database_resolves_a_hold_once_and_frees_its_money_once(held, state):
    captured = 400 if state == "captured" else 0
    await held.execute("UPDATE placed_holds SET state = $1, captured = $2", state, captured)
    assert await held.fetchval("SELECT debits_pending FROM accounts WHERE account = $1", P1) == 0
    for again in ("held", "captured", "voided", "expired"):
        with pytest.raises(asyncpg.IntegrityConstraintViolationError) as error:
            await held.execute("UPDATE placed_holds SET state = $1", again)
        assert error.value.constraint_name == "placed_holds_resolved_once"
