"""The SQL of operators and their moves, nothing but SQL. What a move is, its stream says; its row, when it is due."""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import asyncpg

from pitstream.events.remote import OperatorConnected, RemoteCreditRequested, RemoteDebitRequested
from pitstream.runtime import Store, Transaction
from pitstream.services.wallet.remote.moves import Closed, Intent, Move, Step, Stopped, is_uncertain, step_of
from pitstream.services.wallet.remote.operators import Operator

CHANNEL = "remote_moves"
"""Notified when a move is due at once. In the name of the schema's owner: ``<schema>_remote_moves``."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A move that this process alone may ask the operator for, until its time is over."""

    transaction_id: str
    operator: str
    step: Step
    attempt: int
    """1 for the first attempt at this step."""
    player: str
    currency: str
    amount: int
    table: str
    round_no: int
    game: str
    reference_id: str


_OPERATOR = "operator, mode, currency, base_url, key_ref, deadline_ms, retry_ms, unknown_rollback, calls_at_once"


def _operator(row: asyncpg.Record) -> Operator:
    return Operator(**{**row, "retry_ms": tuple(row["retry_ms"])})


async def operators(store: Store) -> list[Operator]:
    """Every operator that was ever registered, by name."""
    rows = await store.pool.fetch(f"SELECT {_OPERATOR} FROM operators ORDER BY operator")  # noqa: S608
    return [_operator(row) for row in rows]


async def seamless(tx: Transaction, names: set[str]) -> dict[str, Operator]:
    """Which of these operators keep their players' money themselves; that stays so until the transaction ends."""
    found = await _registered(tx, names)
    if names > found.keys():
        # Of one that was never registered there is no row to hold. Whoever registers it now waits for us, or we for it.
        missing = sorted(f"operator/{name}" for name in names - found.keys())
        await tx.conn.execute(_NOT_REGISTERED_NOW, missing)
        found |= await _registered(tx, names - found.keys())
    return {name: one for name, one in found.items() if one.is_seamless}


async def _registered(tx: Transaction, names: Set[str]) -> dict[str, Operator]:
    rows = await tx.conn.fetch(
        f"SELECT {_OPERATOR} FROM operators WHERE operator = ANY($1::text[]) ORDER BY operator FOR KEY SHARE",  # noqa: S608
        sorted(names),
    )
    return {row["operator"]: _operator(row) for row in rows}


_NOT_REGISTERED_NOW = "SELECT pg_advisory_xact_lock_shared(hashtextextended(name, 0)) FROM unnest($1::text[]) AS name"


async def locked_operator(tx: Transaction, name: str) -> Operator | None:
    """The operator as it is, while nobody else changes it and nobody asks for its players' money."""
    # Its row may be new: two that register it at once, and those who move its players' money, wait for each other here.
    await tx.conn.execute("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", f"operator/{name}")
    row = await tx.conn.fetchrow(f"SELECT {_OPERATOR} FROM operators WHERE operator = $1 FOR UPDATE", name)  # noqa: S608
    return None if row is None else _operator(row)


async def write_operator(tx: Transaction, event: OperatorConnected) -> None:
    fields = event.model_dump(exclude={"by"})
    await tx.conn.execute(
        f"INSERT INTO operators ({_OPERATOR}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)"  # noqa: S608
        " ON CONFLICT ON CONSTRAINT operators_once DO UPDATE SET mode = excluded.mode, currency = excluded.currency,"
        " base_url = excluded.base_url, key_ref = excluded.key_ref, deadline_ms = excluded.deadline_ms,"
        " retry_ms = excluded.retry_ms, unknown_rollback = excluded.unknown_rollback,"
        " calls_at_once = excluded.calls_at_once",
        *(fields[name] for name in _OPERATOR.split(", ")),
    )


async def funds_and_open_moves(tx: Transaction, name: str) -> tuple[int, int]:
    """Minor units on the accounts of an operator's players, and its moves that are not certain."""
    funds = await tx.conn.fetchval(
        "SELECT coalesce(sum(credits_posted - debits_posted + debits_pending), 0)::BIGINT FROM accounts"
        " WHERE kind = 'player' AND (account LIKE $1 || ':%' OR account LIKE $1 || '.%:%')",
        f"player/{name.replace('_', chr(92) + '_')}",
    )
    moves = await tx.conn.fetchval("SELECT count(*) FROM remote_moves WHERE operator = $1 AND ended IS NULL", name)
    return funds, moves


async def remember_games(tx: Transaction, games: dict[str, str]) -> None:
    """Table -> the game that it opened for: operators are told the game, and a bundle does not name it."""
    await tx.conn.execute(
        "INSERT INTO table_games (table_id, game) SELECT * FROM unnest($1::text[], $2::text[])"
        " ON CONFLICT ON CONSTRAINT table_games_once DO UPDATE SET game = excluded.game",
        list(games),
        list(games.values()),
    )


async def games_of(tx: Transaction, tables: set[str]) -> dict[str, str]:
    rows = await tx.conn.fetch(
        "SELECT table_id, game FROM table_games WHERE table_id = ANY($1::text[])", sorted(tables)
    )
    return {row["table_id"]: row["game"] for row in rows}


async def first_debits(tx: Transaction, rounds: Sequence[tuple[str, str, int]]) -> dict[tuple[str, str, int], str]:
    """(account, table, round) -> the first debit of it that stands at the operator."""
    rows = await tx.conn.fetch(
        "SELECT DISTINCT ON (account, table_id, round_no) account, table_id, round_no, transaction_id"
        " FROM remote_moves JOIN unnest($1::text[], $2::text[], $3::bigint[]) AS t (account, table_id, round_no)"
        " USING (account, table_id, round_no) WHERE verb = 'debit' AND ended = 'taken'"
        " ORDER BY account, table_id, round_no, requested_at, bundle",
        *(list(column) for column in zip(*rounds, strict=True)),
    )
    return {(row["account"], row["table_id"], row["round_no"]): str(row["transaction_id"]) for row in rows}


async def insert_moves(tx: Transaction, intents: Sequence[Intent]) -> None:
    """New moves, due at once. A second one under the same id is our mistake, and an error."""
    rows = [
        (
            one.transaction_id,
            one.operator,
            "debit" if isinstance(one, RemoteDebitRequested) else "credit",
            one.account,
            one.player,
            one.currency,
            one.amount,
            one.table,
            one.round_no,
            one.seat if isinstance(one, RemoteDebitRequested) else None,
            one.bundle if isinstance(one, RemoteDebitRequested) else None,
            one.game,
            (one.reference_id or None) if isinstance(one, RemoteCreditRequested) else None,
        )
        for one in intents
    ]
    await tx.conn.execute(_INSERT_MOVES, *(list(column) for column in zip(*rows, strict=True)))
    await wake(tx)


_INSERT_MOVES = """
INSERT INTO remote_moves (transaction_id, operator, verb, step, account, player, currency, amount, table_id, round_no,
                          seat, bundle, game, reference_id)
SELECT transaction_id, operator, verb, verb, account, player, currency, amount, table_id, round_no, seat, bundle, game,
       reference_id
FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::text[],
            $9::bigint[], $10::smallint[], $11::smallint[], $12::text[], $13::uuid[])
    AS t (transaction_id, operator, verb, account, player, currency, amount, table_id, round_no, seat, bundle, game,
          reference_id)
"""


async def wake(tx: Transaction) -> None:
    """Tell the workers, at the commit, that something is due."""
    await tx.conn.execute("SELECT pg_notify($1, '')", channel_of(tx.store))


def channel_of(store: Store) -> str:
    return f"{store.source}_{CHANNEL}"


async def claim(store: Store, slots: Sequence[tuple[str, int, int, int]]) -> list[Claim]:
    """Take what is due: for each (operator, debits, others, milliseconds) that many moves at most, for that long.

    Debits come first, since a table waits for them. A move is sent by one process at a time, and its attempt is counted
    before it is made: should that process die, the next one knows that there may have been a call.
    """
    if not slots:
        return []
    rows = await store.pool.fetch(_CLAIM, *(list(column) for column in zip(*slots, strict=True)))
    return [
        Claim(
            transaction_id=str(row["transaction_id"]),
            operator=row["operator"],
            step=row["step"],
            attempt=row["attempts"],
            player=row["player"],
            currency=row["currency"],
            amount=row["amount"],
            table=row["table_id"],
            round_no=row["round_no"],
            game=row["game"],
            reference_id=str(row["reference_id"] or ""),
        )
        for row in rows
    ]


_CLAIM = """
WITH free AS (
    SELECT * FROM unnest($1::text[], $2::int[], $3::int[], $4::int[]) AS t (operator, debits, others, ms)
), due AS (
    SELECT found.transaction_id, free.ms
    FROM free CROSS JOIN LATERAL (
        SELECT transaction_id FROM remote_moves
        WHERE operator = free.operator AND step = 'debit' AND due_at <= now()
        ORDER BY due_at LIMIT free.debits FOR UPDATE SKIP LOCKED
    ) AS found
    UNION ALL
    SELECT found.transaction_id, free.ms
    FROM free CROSS JOIN LATERAL (
        SELECT transaction_id FROM remote_moves
        WHERE operator = free.operator AND step IN ('rollback', 'credit') AND due_at <= now()
        ORDER BY due_at LIMIT free.others FOR UPDATE SKIP LOCKED
    ) AS found
)
UPDATE remote_moves AS m SET attempts = m.attempts + 1, due_at = now() + due.ms * interval '1 millisecond'
FROM due WHERE m.transaction_id = due.transaction_id
RETURNING m.transaction_id, m.operator, m.step, m.attempts, m.player, m.currency, m.amount, m.table_id, m.round_no,
          m.game, m.reference_id
"""


async def lock_moves(tx: Transaction, transaction_ids: Sequence[str]) -> dict[str, asyncpg.Record]:
    """The moves' rows by transaction id, locked in one order."""
    rows = await tx.conn.fetch(
        "SELECT transaction_id, operator, account, player, currency, amount, table_id, round_no, game, seat, bundle"
        " FROM remote_moves WHERE transaction_id = ANY($1::uuid[]) ORDER BY transaction_id FOR UPDATE",
        list(transaction_ids),
    )
    return {str(row["transaction_id"]): row for row in rows}


async def envelopes(tx: Transaction, streams: Sequence[str]) -> list[bytes]:
    """The stored events of these streams, each stream in order."""
    rows = await tx.conn.fetch(
        "SELECT envelope FROM events WHERE stream = ANY($1::text[]) ORDER BY stream, version", list(streams)
    )
    return [row["envelope"] for row in rows]


@dataclass(frozen=True, slots=True)
class Due:
    """How far a move is, and when it is due again."""

    transaction_id: str
    move: Move
    new_step: bool
    """Due at once, with its first attempt; else after the pause of ``pauses_ms`` for the attempts made."""
    pauses_ms: tuple[int, ...]
    doubt: str | None
    """What the last attempt told; None leaves what was told before."""


async def write_due(tx: Transaction, moves: Sequence[Due]) -> None:
    """The moves' rows, after what their streams say now."""
    if not moves:
        return
    rows = [
        (
            one.transaction_id,
            step_of(one.move),
            is_uncertain(one.move),
            one.move.end if isinstance(one.move, Closed) else None,
            one.new_step,
            ",".join(map(str, one.pauses_ms)),
            f"{one.move.code}: {one.move.message}" if isinstance(one.move, Stopped) else one.doubt,
        )
        for one in moves
    ]
    await tx.conn.execute(_WRITE_DUE, *(list(column) for column in zip(*rows, strict=True)))
    if any(step_of(one.move) for one in moves):
        await wake(tx)


# A pause for each attempt made, the last one for ever. An array of arrays must be rectangular: pauses come as text.
_WRITE_DUE = """
UPDATE remote_moves AS m
SET step = due.step, uncertain = due.uncertain, ended = due.ended,
    attempts = CASE WHEN due.new_step THEN 0 ELSE m.attempts END,
    due_at = now() + CASE WHEN due.new_step THEN interval '0' ELSE
        (due.pauses)[least(greatest(m.attempts, 1), cardinality(due.pauses))] * interval '1 millisecond' END,
    last_doubt = coalesce(due.doubt, m.last_doubt)
FROM (
    SELECT transaction_id, step, uncertain, ended, new_step, string_to_array(pauses, ',')::int[] AS pauses, doubt
    FROM unnest($1::uuid[], $2::text[], $3::boolean[], $4::text[], $5::boolean[], $6::text[], $7::text[])
        AS t (transaction_id, step, uncertain, ended, new_step, pauses, doubt)
) AS due
WHERE m.transaction_id = due.transaction_id
"""


_MOVE = (
    "transaction_id, operator, verb, step, account, player, currency, amount, table_id, round_no, seat, bundle, game,"
    " reference_id, attempts, uncertain, ended, last_doubt, requested_at, due_at, position"
)


async def uncertain_moves(store: Store, operator: str, after: int, limit: int) -> list[asyncpg.Record]:
    """What staff must know of, oldest first."""
    return list(
        await store.pool.fetch(
            f"SELECT {_MOVE} FROM remote_moves WHERE operator = $1 AND uncertain AND position > $2"  # noqa: S608
            " ORDER BY position LIMIT $3",
            operator,
            after,
            limit,
        )
    )


async def move_row(store: Store, operator: str, transaction_id: UUID) -> asyncpg.Record | None:
    return await store.pool.fetchrow(
        f"SELECT {_MOVE} FROM remote_moves WHERE operator = $1 AND transaction_id = $2",  # noqa: S608
        operator,
        transaction_id,
    )


async def totals(store: Store, operator: str) -> dict[str, Any]:
    """What an operator's moves come to, minor units; one snapshot."""
    row = await store.pool.fetchrow(_TOTALS, operator)
    if row is None:
        raise RuntimeError("an aggregate gives one row")
    return dict(row)


_TOTALS = """
SELECT count(*) FILTER (WHERE ended IN ('taken', 'returned')) AS debits,
       coalesce(sum(amount) FILTER (WHERE ended IN ('taken', 'returned')), 0)::BIGINT AS debited,
       count(*) FILTER (WHERE ended = 'paid') AS credits,
       coalesce(sum(amount) FILTER (WHERE ended = 'paid'), 0)::BIGINT AS credited,
       count(*) FILTER (WHERE ended IN ('refused', 'undone')) AS declined,
       count(*) FILTER (WHERE uncertain) AS uncertain,
       count(*) FILTER (WHERE ended IS NULL) AS open
FROM remote_moves WHERE operator = $1
"""
