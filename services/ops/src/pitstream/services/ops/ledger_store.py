"""Accounts in PostgreSQL, and when rounds were posted."""

from pitstream.services.ops.ledger import Moved
from pitstream.services.ops.told import Connection


async def write(conn: Connection, found: Moved) -> None:
    """Add what a batch came to; accounts in one order, so that no two batches block each other."""
    if found.accounts:
        names = sorted(found.accounts)
        await conn.execute(
            _ACCOUNTS,
            names,
            [name.partition("/")[0] for name in names],
            [name.rpartition("/")[2] for name in names],
            [found.accounts[name][0] for name in names],
            [found.accounts[name][1] for name in names],
        )
    if found.posted:
        places = sorted(found.posted)
        await conn.execute(
            _POSTED,
            [table for table, _ in places],
            [round_no for _, round_no in places],
            [found.posted[place] for place in places],
        )


_ACCOUNTS = """
INSERT INTO accounts (account, kind, currency, balance, last_us)
SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::numeric[], $5::bigint[])
ON CONFLICT ON CONSTRAINT accounts_once DO UPDATE
SET balance = accounts.balance + excluded.balance, last_us = greatest(accounts.last_us, excluded.last_us)
"""
_POSTED = """
INSERT INTO posted (table_id, round_no, posted_us) SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[])
ON CONFLICT ON CONSTRAINT posted_once DO UPDATE SET posted_us = greatest(posted.posted_us, excluded.posted_us)
"""
