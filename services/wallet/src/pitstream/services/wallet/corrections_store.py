"""The SQL of corrections: the transfer that is to be undone, the sub-accounts that are to be swept, own currencies."""

from collections.abc import Callable

from pitstream.events import ids
from pitstream.events.wallet import Transfer
from pitstream.runtime import Store, Transaction
from pitstream.services.wallet.books import Books
from pitstream.services.wallet.store import load_for_command

_TRANSFER = "transfer_id::text, debit, credit, amount, code"


async def transfer(store: Store, transfer_id: str) -> Transfer | None:
    """A transfer by its id. Nothing edits one, so what is read here stays true."""
    row = await store.pool.fetchrow(
        f"SELECT {_TRANSFER} FROM transfers WHERE transfer_id = $1::uuid",  # noqa: S608
        transfer_id,
    )
    return None if row is None else Transfer(**row)


async def reversal_of(store: Store, transfer_id: str) -> str | None:
    """Id of the transfer that undid this one."""
    found: str | None = await store.pool.fetchval(
        "SELECT transfer_id::text FROM transfers WHERE reverses = $1::uuid", transfer_id
    )
    return found


async def load_for_reversal(tx: Transaction, original: Transfer) -> Books:
    """The books of both sides, locked: so nobody else undoes it meanwhile, and whether somebody did is known."""
    books = await load_for_command(tx, {original.debit, original.credit})
    books.posted[original.transfer_id] = original
    undone = await tx.conn.fetchval(
        "SELECT transfer_id::text FROM transfers WHERE reverses = $1::uuid", original.transfer_id
    )
    if undone is not None:
        books.reversals[original.transfer_id] = undone
    return books


async def load_for_sweep(tx: Transaction, name_of: Callable[[str], str]) -> tuple[Books, list[str]]:
    """The books of every sub-account that is not at 0, and of their main accounts, all locked; and the sub-accounts in
    order of their names. ``name_of`` makes the id of a sub-account's transfer: those posted before are in the books."""
    rows = await tx.conn.fetch(
        "SELECT account FROM accounts WHERE kind IN ('house', 'operator') AND credits_posted <> debits_posted"
    )
    swept = {row["account"]: main for row in rows if (main := ids.main_account(row["account"])) is not None}
    books = await load_for_command(tx, swept.keys() | set(swept.values()))
    posted = await tx.conn.fetch(
        f"SELECT {_TRANSFER} FROM transfers WHERE transfer_id = ANY($1::uuid[])",  # noqa: S608
        [name_of(account) for account in swept],
    )
    books.posted.update((row["transfer_id"], Transfer(**row)) for row in posted)
    return books, sorted(swept)


async def add_currency(tx: Transaction, currency: str, scale: int) -> int:
    """The currency's scale: this one, unless it had one before."""
    await tx.conn.execute(
        "INSERT INTO currencies (currency, scale) VALUES ($1, $2) ON CONFLICT ON CONSTRAINT currencies_once DO NOTHING",
        currency,
        scale,
    )
    known: int = await tx.conn.fetchval("SELECT scale FROM currencies WHERE currency = $1", currency)
    return known
