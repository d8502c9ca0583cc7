"""The ledger's SQL, and nothing but SQL: books are loaded under locks, events become rows.

Rows are locked in one order everywhere, tables' accounts by name and then all others by name, so that no two units of
work wait for each other in a ring. A hold and the settlement of its round both lock (or open) the table's account
first, so what is read after that lock is all there is of the round. Balances are moved by the schema's own triggers.
The one row that every deposit of a currency waits for is the house's; no round does, but a network's seeds.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any
from uuid import UUID

import asyncpg

from pitstream.events import Event, ids
from pitstream.events.corrections import ReceivableOpened, ReceivablePaid, SeatCorrected
from pitstream.events.currencies import ISO_4217
from pitstream.events.prizes import PrizePosted
from pitstream.events.progressives import HandPayApproved, HitRefused
from pitstream.events.rounds import WagersPlaced
from pitstream.events.settlements import RoundResettled, RoundSettled
from pitstream.events.wallet import (
    AccountOpened,
    FundsHeld,
    HandPayPosted,
    HoldCaptured,
    HoldPlaced,
    HoldVoided,
    SeatPosted,
    TransferReversed,
)
from pitstream.runtime import Cause, Store, StreamConflictError, Transaction
from pitstream.runtime.bulk import insert
from pitstream.services.wallet.books import Account, Books, Hold, Receivable, RoundKey, transfers_of
from pitstream.services.wallet.ledger import Fact, accounts_of, net
from pitstream.services.wallet.meters import reserve_id
from pitstream.services.wallet.posting import UnpostableError

_REFUSED_BY = {
    "accounts_available": "insufficient_funds",
    "accounts_pot_empty": "pot_differs",
    "accounts_scale": "unknown_currency",
    "closed_rounds_once": "round_posted_already",
    "holds_bundle_once": "hold_differs",
    "holds_once": "hold_differs",
    "placed_holds_once": "already_posted",
    "postings_correction_once": "already_posted",
    "postings_seat_once": "already_posted",
    "receivable_payments_once": "already_posted",
    "receivables_once": "already_posted",
    "transfers_credit": "unknown_account",
    "transfers_debit": "unknown_account",
    "transfers_mirror": "not_reversible",
    "transfers_once": "already_posted",
    "transfers_reversed_once": "reversed_already",
}
"""The code that each constraint speaks when a fact runs into it. The books should have said it before."""


class LedgerDiffersError(RuntimeError):
    """The database and the books do not agree on what a unit of work did: our mistake, so nothing is kept of it."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The wallet's events on one fact or command."""

    cause: Cause
    events: list[Event]
    closes: RoundKey | None = None
    """The round that takes no bet from here on."""


async def load_for_facts(tx: Transaction, facts: Sequence[Fact]) -> Books:
    """The books that ``facts`` need, every account of them locked until the transaction ends."""
    accounts = set().union(*(accounts_of(fact) for fact in facts))
    tables = {account for account in accounts if account.startswith("table/")}
    books = Books()
    await _lock(tx, books, tables)
    # By the very type: a class of pydantic's answers isinstance slowly, and every fact is asked.
    settled = {(fact.table, fact.round_no) for fact in facts if type(fact) is RoundSettled}
    placed = [fact for fact in facts if type(fact) is WagersPlaced]
    await _load_closed(tx, books, settled | {(bet.table, bet.round_no) for bet in placed})
    await _load_holds(tx, books, settled, [ids.hold_id(b.table, b.round_no, b.seat, b.bundle) for b in placed])
    await _load_receivables(tx, books, {(f.table, f.round_no) for f in facts if type(f) is RoundResettled})
    await _load_reserved(tx, books, [f.claim_id for f in facts if type(f) is HandPayApproved or type(f) is HitRefused])
    held = {hold.account for holds in books.open_holds.values() for hold in holds.values()}
    await _lock(tx, books, (accounts | held) - tables)
    return books


async def load_for_command(tx: Transaction, accounts: set[str]) -> Books:
    """The books of these accounts, locked until the transaction ends."""
    books = Books()
    await _lock(tx, books, accounts)
    return books


async def _lock(tx: Transaction, books: Books, accounts: set[str]) -> None:
    rows = await tx.conn.fetch(_LOCK, sorted(accounts)) if accounts else []
    for row in rows:
        books.accounts[row["account"]] = Account(*row)
    unknown = {account.rpartition("/")[2] for account in accounts - books.accounts.keys()} - ISO_4217.keys()
    if unknown:
        known = await tx.conn.fetch("SELECT currency, scale FROM currencies WHERE currency = ANY($1)", list(unknown))
        books.own_currencies = {**books.own_currencies, **{row["currency"]: row["scale"] for row in known}}


_ACCOUNT = ", ".join(Account._fields)
_LOCK = f"SELECT {_ACCOUNT} FROM accounts WHERE account = ANY($1::text[]) ORDER BY account FOR UPDATE"  # noqa: S608


async def _load_closed(tx: Transaction, books: Books, rounds: set[RoundKey]) -> None:
    if rounds:
        rows = await tx.conn.fetch(
            "SELECT table_id, round_no FROM closed_rounds"
            " JOIN unnest($1::text[], $2::bigint[]) AS t (table_id, round_no) USING (table_id, round_no)",
            *_columns(rounds),
        )
        books.closed.update((row["table_id"], row["round_no"]) for row in rows)


async def _load_holds(tx: Transaction, books: Books, settled: set[RoundKey], hold_ids: list[str]) -> None:
    """The open holds of the rounds to settle; and what was answered before to the bundles that are placed now."""
    rows = []
    if settled:
        rows += await tx.conn.fetch(
            f"SELECT {_HOLDS} FROM holds JOIN unnest($1::text[], $2::bigint[]) AS t (table_id, round_no)"  # noqa: S608
            " USING (table_id, round_no) WHERE state = 'held'",
            *_columns(settled),
        )
    if hold_ids:
        rows += await tx.conn.fetch(f"SELECT {_HOLDS} FROM holds WHERE hold_id = ANY($1::uuid[])", hold_ids)  # noqa: S608
    for row in rows:
        hold = Hold(*row)
        books.answered[hold.hold_id] = hold
        if hold.round in settled:
            books.open_holds.setdefault(hold.round, {})[hold.hold_id] = hold


_HOLD = ("hold_id", "account", "table_id", "round_no", "seat", "bundle", "amount")
_HOLDS = "hold_id::text, account, table_id, round_no, seat, bundle, amount"


async def _load_receivables(tx: Transaction, books: Books, rounds: set[RoundKey]) -> None:
    """The open items of corrected rounds. The players' receivable accounts are locked after this; nobody but the holder
    of a round's table account opens an item of it, and who has one paid waits for that account, too."""
    if rounds:
        await load_receivables(tx, books, _RECEIVABLES_OF_ROUNDS, *_columns(rounds))


async def load_receivable(tx: Transaction, books: Books, receivable_id: str) -> None:
    """One open item, whose accounts are locked."""
    await load_receivables(tx, books, _ONE_RECEIVABLE, receivable_id)


async def load_receivables(tx: Transaction, books: Books, query: str, *args: object) -> None:
    for row in await tx.conn.fetch(query, *args):
        books.receivables[row["receivable_id"]] = Receivable(*row)


_RECEIVABLE = """
SELECT receivable_id::text, account, player, table_id, round_no,
       amount - coalesce((SELECT sum(paid.amount) FROM receivable_payments AS paid
                          WHERE paid.receivable_id = receivables.receivable_id), 0)::bigint AS owed
FROM receivables
"""
_RECEIVABLES_OF_ROUNDS = f"""{_RECEIVABLE}
JOIN unnest($1::text[], $2::bigint[]) AS asked (table_id, round_no) USING (table_id, round_no) ORDER BY position
"""
_ONE_RECEIVABLE = f"{_RECEIVABLE} WHERE receivable_id = $1::uuid"


async def _load_reserved(tx: Transaction, books: Books, claims: list[str]) -> None:
    if claims:
        by_transfer = {UUID(reserve_id(claim)): claim for claim in claims}
        rows = await tx.conn.fetch(
            "SELECT transfer_id, amount FROM transfers WHERE transfer_id = ANY($1::uuid[])", list(by_transfer)
        )
        books.reserved.update((by_transfer[row["transfer_id"]], row["amount"]) for row in rows)


async def write(tx: Transaction, books: Books, answers: Sequence[Answer]) -> dict[str, int]:
    """Append the answers' events and write their rows; the version that each stream has then.

    Raises UnpostableError where a constraint refuses, StreamConflictError where another opened an account first,
    LedgerDiffersError where the database moved another amount than the books did.
    """
    streams = {account: ids.account_stream(account) for account in {_account_of(e) for a in answers for e in a.events}}
    versions = await tx.versions(streams.values()) if streams else {}
    rows = _Rows()
    for answer in answers:
        for event in answer.events:
            account = _account_of(event)
            stream = streams[account]
            tx.append(stream, account, [event], expected_version=versions[stream], cause=answer.cause)
            versions[stream] += 1
            rows.add(event, stream, versions[stream])
        if answer.closes is not None:
            rows.closed.append(answer.closes)
    try:
        await _open(tx, rows)
        await tx.flush(beside=_move(tx, books, rows))
    except asyncpg.IntegrityConstraintViolationError as error:
        code = _REFUSED_BY.get(error.constraint_name or "")
        if code is None:
            raise
        raise UnpostableError(code, f"{error.constraint_name}: {error.detail or error}") from error
    except asyncpg.NumericValueOutOfRangeError as error:
        raise UnpostableError("amount_out_of_range", f"an account's sum leaves 64 bits: {error}") from error
    return versions


_account_of: Callable[[Event], str] = attrgetter("account")
"""Each event of the wallet lives on the stream of the account it names: a field of all of them, not of their base."""


class _Rows:
    """What a unit of work writes, table by table."""

    def __init__(self) -> None:
        self.accounts: list[tuple[str, str, str, int | None]] = []
        self.resolved: list[str] = []
        self.transfers: list[tuple[str, str, str, str, int, str, str, int, str | None]] = []
        self.holds: list[tuple[str, str, str, int, int, int, int]] = []
        self.postings: list[tuple[str, str, int, int, int, str | None, int]] = []
        self.closed: list[RoundKey] = []
        self.placed: list[tuple[str, str, int, str, int]] = []
        self.placed_resolved: list[tuple[str, str, int]] = []
        self.owed: list[tuple[str, str, str, str, int, int, int]] = []
        self.paid: list[tuple[str, str, int, str, str, str]] = []

    def add(self, event: Event, stream: str, version: int) -> None:
        transfers = transfers_of(event)
        reverses: dict[str, str] = {}
        match event:
            case FundsHeld() as held:
                self.holds.append(
                    (held.hold_id, held.account, held.table, held.round_no, held.seat, held.bundle, held.amount)
                )
            case SeatPosted():
                self.resolved.extend(event.resolved_holds)
                self.postings.append(
                    (event.account, event.table, event.round_no, event.seat, net(event.account, transfers), None, 0)
                )
            case SeatCorrected():
                reverses = {one.transfer.transfer_id: one.reversed_id for one in event.undone}
                left = net(event.account, transfers)
                self.postings.append(
                    (event.account, event.table, event.round_no, event.seat, left, None, event.correction)
                )
            case ReceivableOpened():
                where = (event.player, event.table, event.round_no, event.correction)
                self.owed.append((event.receivable_id, event.account, *where, event.transfer.amount))
            case ReceivablePaid():
                moved = event.transfer
                self.paid.append(
                    (moved.transfer_id, event.receivable_id, moved.amount, event.how, event.by, event.reason)
                )
            case AccountOpened():
                self.accounts.append((event.account, event.kind, event.currency, event.scale))
            case TransferReversed():
                reverses = {event.transfer.transfer_id: event.reversed_id}
            case PrizePosted():
                self.postings.append(
                    (event.account, event.table, event.round_no, event.seat, event.transfer.amount, event.prize_id, 0)
                )
            case HandPayPosted():
                self.postings.append(
                    (event.account, event.table, event.round_no, event.seat, event.transfer.amount, event.claim_id, 0)
                )
            case HoldPlaced():
                self.placed.append((event.hold_id, event.account, event.amount, event.purpose, event.expires_at_us))
            case HoldCaptured():
                self.placed_resolved.append((event.hold_id, "captured", event.transfer.amount))
            case HoldVoided():
                self.placed_resolved.append((event.hold_id, event.reason, 0))
        for moved in transfers:
            currency = moved.debit.rpartition("/")[2]
            told_in = (stream, version, reverses.get(moved.transfer_id))
            self.transfers.append(
                (moved.transfer_id, moved.debit, moved.credit, currency, moved.amount, moved.code, *told_in)
            )

    def touched(self, books: Books) -> list[str]:
        """Accounts whose sums the rows move."""
        holders = {hold.account for holds in (books.answered, books.placed) for hold in holds.values()}
        return sorted({side for row in self.transfers for side in row[1:3]} | (holders & books.accounts.keys()))


async def _open(tx: Transaction, rows: _Rows) -> None:
    if rows.accounts:
        opened = await tx.conn.fetch(_OPEN, *_columns(sorted(rows.accounts)))
        if len(opened) < len(rows.accounts):
            raise StreamConflictError(f"another opened one of {', '.join(row[0] for row in rows.accounts)} first")


# No constraint sees a state that the events never had: funds are freed before they are spent, and spent before more is
# held.
async def _move(tx: Transaction, books: Books, rows: _Rows) -> None:
    if rows.resolved:
        await tx.conn.execute("UPDATE holds SET state = 'resolved' WHERE hold_id = ANY($1::uuid[])", rows.resolved)
    if rows.placed_resolved:
        await tx.conn.execute(_RESOLVE_PLACED, *_columns(rows.placed_resolved))
    await insert(tx.conn, "transfers", _TRANSFER, rows.transfers)
    await insert(tx.conn, "holds", _HOLD, rows.holds)
    await insert(tx.conn, "placed_holds", _PLACED, rows.placed)
    await insert(tx.conn, "postings", _POSTING, rows.postings)
    await insert(tx.conn, "closed_rounds", ("table_id", "round_no"), rows.closed)
    await insert(tx.conn, "receivables", _OWED, rows.owed)
    await insert(tx.conn, "receivable_payments", _PAID, rows.paid)
    await _check(tx, books, rows)


# No constraint is named: of two who open an account at once, the second may meet either of its unique indexes first,
# and one that is not named would be an error.
_OPEN = """
INSERT INTO accounts (account, kind, currency, scale)
SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::smallint[])
ON CONFLICT DO NOTHING RETURNING account
"""
_TRANSFER = ("transfer_id", "debit", "credit", "currency", "amount", "code", "stream", "version", "reverses")
_PLACED = ("hold_id", "account", "amount", "purpose", "expires_at_us")
_POSTING = ("account", "table_id", "round_no", "seat", "net", "claim_id", "correction")
_OWED = ("receivable_id", "account", "player", "table_id", "round_no", "correction", "amount")
_PAID = ("transfer_id", "receivable_id", "amount", "how", "by", "reason")
_RESOLVE_PLACED = """
UPDATE placed_holds SET state = resolved.state, captured = resolved.captured
FROM unnest($1::uuid[], $2::text[], $3::bigint[]) AS resolved (hold_id, state, captured)
WHERE placed_holds.hold_id = resolved.hold_id
"""


async def _check(tx: Transaction, books: Books, rows: _Rows) -> None:
    """Money is checked in pairs: the books before the write, the rows after it."""
    touched = rows.touched(books)
    if not touched:
        return
    for row in await tx.conn.fetch(f"SELECT {_ACCOUNT} FROM accounts WHERE account = ANY($1::text[])", touched):  # noqa: S608
        kept = books.accounts[row["account"]]
        if tuple(row) != kept:
            raise LedgerDiffersError(f"{row['account']}: the database says {dict(row)}, the books {kept._asdict()}")


async def account(store: Store, name: str) -> Account | None:
    """The account as it stands, None when it was never opened."""
    row = await store.pool.fetchrow(f"SELECT {_ACCOUNT} FROM accounts WHERE account = $1", name)  # noqa: S608
    return None if row is None else Account(*row)


async def postings_of(store: Store, rounds: Sequence[RoundKey]) -> list[dict[str, Any]]:
    """What each seat of these rounds came to, and what was paid by hand, in order of table, round and seat."""
    if not rounds:
        return []
    rows = await store.pool.fetch(
        "SELECT account, table_id, round_no, seat, net, claim_id, correction FROM postings"
        " JOIN (SELECT DISTINCT * FROM unnest($1::text[], $2::bigint[]) AS t (table_id, round_no)) AS asked"
        " USING (table_id, round_no) ORDER BY table_id, round_no, seat, claim_id NULLS FIRST, correction, account",
        *_columns(rounds),
    )
    return [posting(row) for row in rows]


def posting(row: asyncpg.Record) -> dict[str, Any]:
    """A posting as JSON."""
    _, player, currency = row["account"].split("/")
    posting = {
        "table": row["table_id"],
        "round_no": row["round_no"],
        "seat": row["seat"],
        "player": player,
        "currency": currency,
        "net": row["net"],
        "kind": "correction" if row["correction"] else "seat" if row["claim_id"] is None else "hand_pay",
    }
    if row["correction"]:
        return {**posting, "correction": row["correction"]}
    return posting if row["claim_id"] is None else {**posting, "claim_id": str(row["claim_id"])}


async def ledger_check(store: Store) -> dict[str, Any]:
    """Does every cent stand where the transfers put it? One snapshot of the whole ledger; see the route."""
    async with (
        store.pool.acquire() as conn,
        conn.transaction(isolation="repeatable_read", readonly=True),
    ):
        sums = await conn.fetch(_SUMS)
        differing = [row["account"] for row in await conn.fetch(_DIFFERING)]
        open_holds = await conn.fetchval("SELECT count(*) FROM holds WHERE state = 'held'")
        transfers = await conn.fetchval("SELECT count(*) FROM transfers")
    currencies = [{"currency": row["currency"], "sum": int(row["sum"])} for row in sums]
    return {
        "ok": not differing and all(row["sum"] == 0 for row in currencies),
        "currencies": currencies,
        "differing_accounts": differing,
        "open_holds": open_holds,
        "transfers": transfers,
    }


_SUMS = "SELECT currency, sum(credits_posted - debits_posted) AS sum FROM accounts GROUP BY currency ORDER BY currency"
_DIFFERING = """
WITH moved AS (
    SELECT account, sum(debits) AS debits, sum(credits) AS credits
    FROM (
        SELECT debit AS account, amount AS debits, 0 AS credits FROM transfers
        UNION ALL
        SELECT credit, 0, amount FROM transfers
    ) AS legs
    GROUP BY account
), pending AS (
    SELECT account, sum(amount) AS amount
    FROM (
        SELECT account, amount FROM holds WHERE state = 'held'
        UNION ALL
        SELECT account, amount FROM placed_holds WHERE state = 'held'
    ) AS open
    GROUP BY account
)
SELECT account
FROM accounts LEFT JOIN moved USING (account) LEFT JOIN pending USING (account)
WHERE debits_posted <> coalesce(moved.debits, 0)
   OR credits_posted <> coalesce(moved.credits, 0)
   OR debits_pending <> coalesce(pending.amount, 0)
ORDER BY account
"""


def _columns(rows: Sequence[tuple[Any, ...]] | set[RoundKey]) -> list[list[Any]]:
    """Rows as the columns that ``unnest`` takes."""
    return [list(column) for column in zip(*rows, strict=True)]
