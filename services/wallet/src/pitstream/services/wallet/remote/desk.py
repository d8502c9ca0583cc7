"""Where moves at operators' wallets and the ledger meet: each in one transaction, and no call to anybody within it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import asyncpg

from pitstream.events import Event, Recorded, ids, open_envelope
from pitstream.events.refusal import Refusal
from pitstream.events.remote import RemoteCreditRequested, RemoteDebitRequested
from pitstream.events.rounds import WagersPlaced
from pitstream.events.settlements import RoundSettled
from pitstream.runtime import Cause, Store, Transaction
from pitstream.services.wallet import store as ledger_store
from pitstream.services.wallet.books import Books
from pitstream.services.wallet.ledger import Fact
from pitstream.services.wallet.remote import store
from pitstream.services.wallet.remote.booking import (
    Moving,
    Operators,
    RoundOf,
    accounts_for,
    ask,
    consequences,
    give_back,
    player_of,
    suspense_of,
    touched_by,
)
from pitstream.services.wallet.remote.moves import (
    NEW,
    Answer,
    Done,
    Hear,
    Intent,
    Move,
    Resolve,
    Step,
    decide,
    evolve,
    kept,
    step_of,
)
from pitstream.services.wallet.remote.operators import Operator, connect
from pitstream.services.wallet.remote.protocol import request_id, rollback_id


def move_stream(transaction_id: str) -> str:
    return f"remote/{transaction_id}"


def operator_stream(operator: str) -> str:
    return f"operator/{operator}"


@dataclass(slots=True)
class Desk:
    """What one batch of facts asks operators for. Without a seamless operator's player in it, it asks nobody anything,
    the database neither."""

    operators: Operators = field(default_factory=dict)
    games: dict[str, str] = field(default_factory=dict)
    """Table -> the game that it opened for."""
    asked: list[tuple[Intent, Cause]] = field(default_factory=list)

    def keeps(self, player: str) -> Operator | None:
        """The operator that keeps this player's money itself; None where it is kept here."""
        return self.operators.get(ids.operator_of(player)) if self.operators else None

    def bundle(self, books: Books, operator: Operator, heard: Recorded, placed: WagersPlaced) -> list[Event]:
        """The wallet's answer to a bundle that ``operator`` must be asked for first: none yet, as a rule."""
        answer = ask(books, operator, placed, heard.envelope.event_id, self.games.get(placed.table, ""))
        if isinstance(answer, RemoteDebitRequested):
            self.asked.append((answer, Cause.of_event(heard)))
            return []
        return answer

    def left_over(self, books: Books, heard: Recorded, fact: Fact, posted: Sequence[Event]) -> list[Event]:
        """What ``posted``, the wallet's answer to a fact, left on accounts of seamless operators' players goes back."""
        if not self.operators or not (of := round_of(fact, self.games)):
            return []
        touched = touched_by(posted)
        events, asked = give_back(books, self.operators, touched, of, heard.envelope.event_id)
        self.asked += [(one, Cause.of_event(heard)) for one in asked]
        return events

    async def write(self, tx: Transaction) -> None:
        """The intents, before anybody is called: what is called for is known, whoever dies."""
        if self.asked:
            await _write_intents(tx, self.asked)


def round_of(fact: Fact, games: dict[str, str]) -> RoundOf | None:
    """The round that a fact pays a player for; None for one that pays nobody."""
    if isinstance(fact, RoundSettled):
        return RoundOf(fact.table, fact.round_no, fact.game)
    table, round_no = getattr(fact, "table", None), getattr(fact, "round_no", None)
    return RoundOf(table, round_no, games.get(table, "")) if table and round_no else None


async def desk_for(tx: Transaction, books: Books, facts: Sequence[Fact]) -> Desk:
    """The desk for a batch of facts whose books are loaded: which operators keep the money of the players in it."""
    players = {player for account in books.accounts if (player := player_of(account)) is not None}
    # A player who bets for the first time has no account yet.
    players |= {fact.player for fact in facts if isinstance(fact, WagersPlaced)}
    names = {ids.operator_of(player) for player in players} - {ids.LOCAL}
    operators = await store.seamless(tx, names) if names else {}
    if not operators:
        return Desk()
    # Locked after every other account of the books, as everywhere.
    await _lock(tx, books, suspense_of(books, operators))
    tables = {table for fact in facts if (table := getattr(fact, "table", None))}
    return Desk(operators, await store.games_of(tx, tables))


async def kept_elsewhere(tx: Transaction, accounts: Iterable[str]) -> Refusal | None:
    """Why a command may not move money of these accounts: it is with the player's operator. None where it is here."""
    names = {ids.operator_of(player) for account in accounts if (player := player_of(account)) is not None}
    found = await store.seamless(tx, names - {ids.LOCAL}) if names - {ids.LOCAL} else {}
    for name in found:
        return Refusal("operator_keeps_money", "player", f"{name} keeps its players' money itself; move it there")
    return None


async def _lock(tx: Transaction, books: Books, accounts: set[str]) -> None:
    more = await ledger_store.load_for_command(tx, accounts - books.accounts.keys())
    books.accounts |= more.accounts
    books.own_currencies = {**books.own_currencies, **more.own_currencies}


async def _write_intents(tx: Transaction, asked: Sequence[tuple[Intent, Cause]]) -> None:
    """Append and insert intents; a credit without a reference refers to the round's first debit."""
    rounds = [(one.account, one.table, one.round_no) for one, _ in asked if isinstance(one, RemoteCreditRequested)]
    firsts = await store.first_debits(tx, rounds) if rounds else {}
    intents: list[Intent] = []
    for one, cause in asked:
        intent = one
        if isinstance(one, RemoteCreditRequested) and not one.reference_id:
            first = firsts.get((one.account, one.table, one.round_no), "")
            intent = one.model_copy(update={"reference_id": first})
        tx.append(move_stream(one.transaction_id), one.account, [intent], expected_version=0, cause=cause)
        intents.append(intent)
    await store.insert_moves(tx, intents)


@dataclass(frozen=True, slots=True)
class Heard:
    """What came of one attempt."""

    operator: Operator
    claim: store.Claim
    answer: Answer


@dataclass(frozen=True, slots=True)
class _Work:
    """A move, and what is to be decided on it."""

    operator: Operator
    moving: Moving
    command: Hear | Resolve
    cause: Cause


async def hear(tx_store: Store, heard: Sequence[Heard]) -> None:
    """Record what came of attempts, with everything that follows in the ledger: all of it in one transaction."""

    async def unit(tx: Transaction) -> None:
        rows = await store.lock_moves(tx, [one.claim.transaction_id for one in heard])
        confirmed = [
            _moving(rows[one.claim.transaction_id]).placed
            for one in heard
            if one.claim.step == "debit" and isinstance(one.answer, Done)
        ]
        # Tables and players first, as everywhere; what is closed by now is known once the tables are locked.
        books = await ledger_store.load_for_facts(tx, confirmed) if confirmed else Books()
        await _go_on(tx, books, [_work(one, rows[one.claim.transaction_id], books) for one in heard])

    await tx_store.run(unit)


def _work(heard: Heard, row: asyncpg.Record, books: Books) -> _Work:
    claim, moving = heard.claim, _moving(row)
    command = Hear(
        transaction_id=claim.transaction_id,
        step=claim.step,
        answer=heard.answer,
        unknown_rollback=heard.operator.unknown_rollback,
        rollback_id=rollback_id(claim.transaction_id),
        wanted=(moving.round.table, moving.round.round_no) not in books.closed,
    )
    attempt = request_id(claim.transaction_id, claim.step, claim.attempt)
    return _Work(heard.operator, moving, command, Cause(attempt, f"operator/{heard.operator.operator}", ""))


async def resolve(tx: Transaction, operator: Operator, command: Resolve, cause: Cause) -> Refusal | None:
    """A person's word on a move, with everything that follows from it in the ledger.

    Refuses ``unknown_move`` where there is no such move at this operator.
    """
    row = (await store.lock_moves(tx, [command.transaction_id])).get(command.transaction_id)
    if row is None or row["operator"] != operator.operator:
        return Refusal("unknown_move", "move", f"was {command.transaction_id!r}; there is no such move")
    moving = _moving(row)
    books = await ledger_store.load_for_command(tx, {moving.account})
    return await _go_on(tx, books, [_Work(operator, moving, command, cause)])


async def _go_on(tx: Transaction, books: Books, work: Sequence[_Work]) -> Refusal | None:
    """Decide, append and post. ``books`` has the tables' and players' accounts that may be moved, locked."""
    states = await _states(tx, {one.moving.transaction_id for one in work})
    await _lock(tx, books, set().union(*(accounts_for(one.moving) for one in work)))
    answers: list[ledger_store.Answer] = []
    further: list[tuple[Intent, Cause]] = []
    due: dict[str, store.Due] = {}
    for one in work:
        known = states[one.moving.transaction_id]
        events = decide(known.move, one.command)
        if isinstance(events, Refusal):
            return events
        cause = Cause(one.cause.cause_id, one.cause.actor, known.traceparent)
        before = step_of(known.move)
        for event in events:
            stream = move_stream(one.moving.transaction_id)
            tx.append(stream, one.moving.account, [event], expected_version=known.version, cause=cause)
            known.move, known.version = evolve(known.move, event), known.version + 1
            posted, asked = consequences(books, {one.operator.operator: one.operator}, one.moving, event, known.move)
            answers.append(ledger_store.Answer(cause, posted))
            further += [(intent, cause) for intent in asked]
        if isinstance(one.command, Resolve) or before == one.command.step:  # else late: what is due was said before
            due[one.moving.transaction_id] = _due(one, known.move, before)
    await ledger_store.write(tx, books, answers)
    if further:
        await _write_intents(tx, further)
    await store.write_due(tx, list(due.values()))
    return None


@dataclass(slots=True)
class _State:
    """A move as its stream tells it."""

    move: Move = NEW
    version: int = 0
    traceparent: str = ""


async def _states(tx: Transaction, transaction_ids: set[str]) -> dict[str, _State]:
    states = {move_stream(one): _State() for one in transaction_ids}
    for data in await store.envelopes(tx, list(states)):
        recorded = open_envelope(data)
        state = states[recorded.stream]
        state.move, state.version = evolve(state.move, recorded.event), recorded.version
        state.traceparent = state.traceparent or recorded.envelope.traceparent
    return {one: states[move_stream(one)] for one in transaction_ids}


def _due(work: _Work, after: Move, before: Step | None) -> store.Due:
    new_step = isinstance(work.command, Resolve) or step_of(after) != before
    doubt = getattr(work.command.answer, "reason", None) if isinstance(work.command, Hear) else None
    pauses = () if new_step else work.operator.retry_ms
    return store.Due(work.moving.transaction_id, after, new_step, pauses, None if doubt is None else kept(doubt))


def _moving(row: asyncpg.Record) -> Moving:
    return Moving(
        transaction_id=str(row["transaction_id"]),
        operator=row["operator"],
        account=row["account"],
        player=row["player"],
        currency=row["currency"],
        amount=row["amount"],
        round=RoundOf(row["table_id"], row["round_no"], row["game"]),
        seat=row["seat"] or 0,
        bundle=row["bundle"] or 0,
    )


async def register(tx: Transaction, terms: Operator, by: str, cause: Cause) -> Refusal | None:
    """Register an operator's terms, or change them; None when that was done."""
    was = await store.locked_operator(tx, terms.operator)
    funds, open_moves = await store.funds_and_open_moves(tx, terms.operator)
    events = connect(was, terms, by, funds=funds, open_moves=open_moves)
    if isinstance(events, Refusal):
        return events
    stream = operator_stream(terms.operator)
    version = len(await tx.load(stream))
    for event in events:
        tx.append(stream, stream, [event], expected_version=version, cause=cause)
        await store.write_operator(tx, event)
    return None
