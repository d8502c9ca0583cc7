"""A whole day's money. Method: part of an evening is played through the real services and reconciled; then one fault of
each kind is planted behind the services' backs, by the owner of the database, and must be found by its cause, alone."""

import asyncio
import json
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import aiohttp
import asyncpg
import pytest

from pitstream.cli.credentials import find_keys
from pitstream.cli.day import figures
from pitstream.cli.reconcile import Reconciled, reconciled
from pitstream.games.settle_file import settle_lines

pytestmark = pytest.mark.stack

DAY = "2026-03-14"
POSTINGS = "postings JOIN table_rounds USING (table_id, round_no)"


@pytest.fixture(scope="module")
def played(platform, evening_small: Sequence[str], on_day: Callable[[Sequence[str], str], list[str]]):
    """Forty rounds and the first one that takes a share of a meter, played to their end."""
    settled = settle_lines(line.encode() for line in evening_small)
    share = next(index for index, one in enumerate(settled) if _takes_share(one))
    some = [line for index, line in enumerate(evening_small) if index < 40 or index == share]
    platform.feed(on_day(some, DAY), "--network-suffix", "-reconciled")
    return platform


def _takes_share(one: Any) -> bool:
    return any(line.share is not None for seat in one.result.seats for line in seat.lines)


def compare(platform, *, day: str = DAY, statement: Path | None = None) -> Reconciled:
    """What ``pitstream reconcile`` finds, without a process of its own."""
    return asyncio.run(reconciled(platform.addresses, day, statement=statement, operators=(), patience_s=30))


def found(platform) -> list[tuple[str, str, str]]:
    return [(one.between, one.cause, one.what) for one in compare(platform).differences]


def ask(platform, path: str, body: Mapping[str, Any] | None = None, *, by: str) -> Any:
    """The wallet's answer to a command, or to a question."""

    async def run() -> Any:
        headers = {**find_keys(platform.home).headers(by), "Idempotency-Key": str(uuid.uuid4())}
        url = platform.addresses.wallet + path
        async with aiohttp.ClientSession(headers=headers) as session:
            call = session.get(url) if body is None else session.post(url, json=body)
            async with call as response:
                told = await response.json()
                assert response.status < 300, told
                return told

    return asyncio.run(run())


async def _owner(postgres: str) -> asyncpg.Connection:
    return await asyncpg.connect(postgres, server_settings={"search_path": "wallet"})


def one_row(postgres: str, sql: str, *values: Any) -> Any:
    async def run() -> Any:
        owner = await _owner(postgres)
        row = await owner.fetchrow(sql, *values)
        await owner.close()
        return row

    return asyncio.run(run())


@contextmanager
def planted(postgres: str, change: str, back: str, where: str, *values: Any) -> Iterator[None]:
    """One posting changed behind the wallet's back, by the owner, who may switch off what forbids it."""

    async def run(change: str, where: str, constraint: str) -> None:
        owner = await _owner(postgres)
        async with owner.transaction():
            await owner.execute("ALTER TABLE postings DISABLE TRIGGER USER")
            await owner.execute("ALTER TABLE postings DROP CONSTRAINT IF EXISTS postings_account")
            assert await owner.execute(f"UPDATE postings SET {change} WHERE {where}", *values) == "UPDATE 1"
            await owner.execute("ALTER TABLE postings ENABLE TRIGGER USER")
            await owner.execute(constraint)
        await owner.close()

    asyncio.run(run(change, where, "SELECT 1"))
    try:
        yield
    finally:
        moved = where.replace("round_no", "abs(round_no)")
        constraint = "ALTER TABLE postings ADD CONSTRAINT postings_account FOREIGN KEY (account) REFERENCES accounts"
        asyncio.run(run(back, moved, constraint))


LEDGER = "settlement and ledger"


def test_an_evening_reconciles_and_each_planted_fault_is_found_alone(played):
    told = json.loads(played.asked("reconcile", "--day", DAY, "--json"))
    assert told["differences"] == []
    assert told["compared"]["settled seats"] == told["compared"]["posted seats"] > 50
    assert told["compared"]["shares and prizes"] >= 1
    postgres = played.stack.postgres
    seat = one_row(
        postgres,
        f"SELECT account, table_id, round_no, seat FROM {POSTINGS} WHERE gaming_day = $1 AND claim_id IS NULL"
        " AND net <> 0 ORDER BY table_id, round_no, seat LIMIT 1",
        DAY,
    )
    what = f"{seat['table_id']}/{seat['round_no']} seat {seat['seat']}"
    where = "table_id = $1 AND round_no = $2 AND seat = $3 AND claim_id IS NULL"
    for cause, change, back in (
        ("amount differs", "net = net + 1", "net = net - 1"),
        ("wrong player", "account = 'player/nobody/USD'", f"account = '{seat['account']}'"),
        ("wrong currency", "account = replace(account, '/USD', '/EUR')", f"account = '{seat['account']}'"),
        ("missing in the ledger", "round_no = -round_no", "round_no = -round_no"),
    ):
        with planted(postgres, change, back, where, *list(seat.values())[1:]):
            assert found(played) == [(LEDGER, cause, what)]
    hit = one_row(
        postgres,
        f"SELECT claim_id FROM {POSTINGS} WHERE gaming_day = $1 AND claim_id IS NOT NULL ORDER BY net DESC LIMIT 1",
        DAY,
    )["claim_id"]
    with planted(postgres, "net = net - 1", "net = net + 1", "claim_id = $1", hit):
        ((between, cause, what),) = found(played)
        assert (between, cause, str(hit) in what) == ("progressive and ledger", "amount differs", True)
        done = played.pitstream("reconcile", "--day", DAY)
        assert (done.returncode, "1 difference" in done.stdout, str(hit) in done.stdout) == (1, True, True)
    assert found(played) == []


def test_a_property_s_day_is_closed_and_tells_its_figures(played):
    done = played.pitstream("day", "close", DAY, "--json")
    closed = json.loads(done.stdout)
    assert (done.returncode, closed["open"]) == (0, [])
    tables, (total,), by_game = (
        asyncio.run(figures(played.addresses, DAY, per, "local", patience_s=30)) for per in ("table", "day", "game")
    )
    assert {one["state"] for one in tables} == {"closed"}
    assert [{"table": one["table"], "currency": one["currency"]} for one in tables] == closed["closed"]
    for figure in ("bets", "handle", "taken", "paid", "win"):
        assert total["settled"][figure] == sum(one["settled"][figure] for one in tables)
        assert total["settled"][figure] == sum(one["settled"][figure] for one in by_game)
    told = played.asked("day", "report", DAY)
    assert all(one["table"] in told for one in tables)
    assert compare(played).open_items == ()


def test_an_operator_s_statement_is_matched_line_by_line(platform, tmp_path):
    operator = f"op{uuid.uuid4().hex[:8]}"
    player, other = f"{operator}:p1", f"{operator}:p2"
    for one, move, amount in (
        (player, "deposits", 2**53 + 1),
        (player, "withdrawals", 7),
        (player, "deposits", 2**53 + 3),
        (other, "deposits", 9),
    ):
        ask(platform, f"/v1/players/{one}/USD/{move}", {"amount": amount}, by="cashier")
    today = ask(platform, f"/v1/gaming-days/now?property={operator}", by="auditor")["gaming_day"]
    booked = ask(platform, f"/v1/gaming-days/{today}/movements?operator={operator}", by="auditor")["movements"]
    assert [(one["player"], one["way"], one["amount"]) for one in booked] == [
        (player, "in", 2**53 + 1), (player, "out", 7), (player, "in", 2**53 + 3), (other, "in", 9),
    ]  # fmt: skip
    kinds = {"in": "deposit", "out": "withdrawal"}
    lines = [
        [one["transaction_id"], "", one["player"], "USD", kinds[one["way"]], str(one["amount"]), f"{today}T20:00:00Z"]
        for one in booked
    ]

    def told(*rows: list[str], day: str = today) -> list[tuple[str, str]]:
        file = tmp_path / "statement.csv"
        header = "transaction_id,reference,player,currency,kind,amount,at"
        file.write_text("\n".join([header, *(",".join(row) for row in rows)]))
        return [(one.cause, one.what) for one in compare(platform, day=day, statement=file).differences]

    first, second, third, fourth = lines
    ids = [line[0] for line in lines]
    unknown = str(uuid.uuid4())
    assert told(*reversed(lines)) == []
    assert told(first, second, third) == [("missing there", ids[3])]
    assert told(*lines, [unknown, *first[1:]]) == [("missing here", f"{unknown} at line 6")]
    assert told(*lines, second) == [("duplicated", f"{ids[1]} at line 6")]
    for cause, field, value in (
        # A float would not have seen it.
        ("amount differs", 5, str(2**53)),
        ("wrong way", 4, "withdrawal"),
        ("wrong currency", 3, "EUR"),
        ("wrong player", 2, other),
    ):
        wrong = [value if index == field else said for index, said in enumerate(first)]
        assert told(wrong, second, third, fourth) == [(cause, f"{ids[0]} at line 2")]
    wrong = [*first[:5], "1.5", first[6]]
    assert told(wrong, second, third, fourth) == [("unreadable", "line 2"), ("missing there", ids[0])]
    assert told(fourth, day="2026-03-15") == [("late", f"{ids[3]} at line 2")]
