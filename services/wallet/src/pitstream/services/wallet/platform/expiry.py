"""Frees the money of holds whose time is over. Until it did, a hold that is past its time cannot be captured."""

import asyncio

import asyncpg

from pitstream.runtime import Cause, Store, Transaction
from pitstream.runtime.logs import log
from pitstream.services.wallet import store as ledger_store
from pitstream.services.wallet.platform import store as sql
from pitstream.services.wallet.platform.commands import expire_hold

AWAY = (asyncpg.PostgresError, asyncpg.InterfaceError, OSError)
"""What is raised when PostgreSQL is restarted under us."""
_POLL_S = 1.0
_AT_ONCE = 200


async def expire_holds(store: Store) -> None:
    """Goes on for as long as the service does."""
    while True:
        try:
            for account, hold_id in await sql.due_holds(store, store.clock_us(), _AT_ONCE):
                await _expire(store, account, hold_id)
        except AWAY as error:
            # PostgreSQL is away; the watchdog knows better than we when that is too long.
            log.warning("holds wait for the database", error=repr(error))
        await asyncio.sleep(_POLL_S)


async def _expire(store: Store, account: str, hold_id: str) -> None:
    async def unit(tx: Transaction) -> None:
        books = await ledger_store.load_for_command(tx, {account})
        hold = await sql.load_hold(tx, books, account, hold_id)
        if hold is None:
            raise RuntimeError(f"hold {hold_id} of {account} was there and is gone")
        events = expire_hold(books, hold, store.clock_us())
        # It may have been captured or voided since it was found.
        if events:
            cause = Cause.of_command(hold_id, actor="expiry")
            await ledger_store.write(tx, books, [ledger_store.Answer(cause, events)])

    await store.run(unit)
