"""Where moves at operators' wallets and the ledger meet: each in one transaction, and no call to anybody within it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import asyncpg

from pitstream.events import Event, Recorded, ids
from pitstream.events.refusal import Refusal
from pitstream.events.remote import RemoteCreditRequested, RemoteDebitRequested
from pitstream.events.rounds import WagersPlaced
from pitstream.events.settlements import RoundSettled
from pitstream.runtime import Cause, Store, Transaction
from pitstream.services.wallet import store as ledger_store
from pitstream.services.wallet.books import Books
from pitstream.services.wallet.ledger import Fact, accounts_of
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
    decide,
    evolve,
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


async def desk_for(tx: Transaction, facts: Sequence[Fact]) -> Desk:
    """The desk for a batch of facts: which operators keep the money of the players in it."""
    names = {
        operator
        for fact in facts
        for account in accounts_of(fact)
        if (player := player_of(account)) is not None and (operator := ids.operator_of(player)) != ids.LOCAL
    }
    operators = await store.seamless(tx, names) if names else {}
    if not operators:
        return Desk()
    tables = {table for fact in facts if (table := getattr(fact, "table", None))}
    return Desk(operators, await store.games_of(tx, tables))


async def kept_elsewhere(tx: Transaction, accounts: Iterable[str]) -> Refusal | None:
    """Why a command may not move money of these accounts: it is with the player's operator. None where it is here."""
    names = {ids.operator_of(player) for account in accounts if (player := player_of(account)) is not None}
    found = await store.seamless(tx, names - {ids.LOCAL}) if names - {ids.LOCAL} else {}
    for name in found:
        return Refusal("operator_keeps_money", "player", f"{name} keeps its players' money itself; move it there")
    return None


async def lock_suspense(tx: Transaction, books: Books, operators: Operators) -> None:
    """Load what money may be left over to, locked after every other account of the books."""
    if operators:
        await _lock(tx, books, suspense_of(books, operators))


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


async def hear(tx_store: Store, operator: Operator, claim: store.Claim, answer: Answer) -> Move:
    """Record what came of one attempt, with everything that follows from it in the ledger; the move as it is then."""

    async def unit(tx: Transaction) -> Move:
        row = await store.lock_move(tx, claim.transaction_id)
        if row is None:
            raise RuntimeError(f"move {claim.transaction_id} was claimed and is gone")
        moving = _moving(row)
        books, wanted = Books(), True
        if claim.step == "debit" and isinstance(answer, Done):
            books = await ledger_store.load_for_facts(tx, [moving.placed])
            wanted = (moving.round.table, moving.round.round_no) not in books.closed
        heard = Hear(
            transaction_id=claim.transaction_id,
            step=claim.step,
            answer=answer,
            unknown_rollback=operator.unknown_rollback,
            rollback_id=rollback_id(claim.transaction_id),
            wanted=wanted,
        )
        attempt = request_id(claim.transaction_id, claim.step, claim.attempt)
        cause = Cause(attempt, f"operator/{operator.operator}", "")
        move = await _go_on(tx, operator, moving, heard, cause, books)
        if isinstance(move, Refusal):
            raise TypeError(f"an answer was refused: {move}")
        return move

    return await tx_store.run(unit)


async def resolve(tx: Transaction, operator: Operator, command: Resolve, cause: Cause) -> Move | Refusal | None:
    """A person's word on a move, with everything that follows from it in the ledger; None where no such move is."""
    row = await store.lock_move(tx, command.transaction_id)
    if row is None or row["operator"] != operator.operator:
        return None
    return await _go_on(tx, operator, _moving(row), command, cause, Books())


async def _go_on(
    tx: Transaction, operator: Operator, moving: Moving, command: Hear | Resolve, cause: Cause, books: Books
) -> Move | Refusal:
    """``books`` has the table's and the player's accounts locked already where a bundle may come to be held."""
    stream = move_stream(moving.transaction_id)
    folded = await tx.fold(stream, NEW, evolve)
    before: Move = folded.state
    events = decide(before, command)
    if isinstance(events, Refusal):
        return events
    after = before
    cause = Cause(cause.cause_id, cause.actor, folded.traceparent)
    for version, event in enumerate(events, start=folded.version):
        tx.append(stream, moving.account, [event], expected_version=version, cause=cause)
        after = evolve(after, event)
        # Accounts in one order everywhere: the player's before the operator's lane and its suspense.
        await _lock(tx, books, {moving.account})
        await _lock(tx, books, accounts_for(moving, is_debit=moving.seat > 0))
        answers, asked = consequences(books, {operator.operator: operator}, moving, event, after)
        await ledger_store.write(tx, books, [ledger_store.Answer(cause, answers)])
        if asked:
            await _write_intents(tx, [(one, cause) for one in asked])
    await _schedule(tx, operator, moving, command, before, after)
    return after


async def _schedule(
    tx: Transaction, operator: Operator, moving: Moving, command: Hear | Resolve, before: Move, after: Move
) -> None:
    step = step_of(after)
    if isinstance(command, Hear):
        if step_of(before) != command.step:
            return  # late: what is due now was said when the move left that step
        new_step, doubt = step != command.step, getattr(command.answer, "reason", None)
        attempts = await store.attempts_of(tx, moving.transaction_id)
        pause_ms = 0 if new_step else operator.pause_ms(attempts)
    else:
        new_step, doubt, pause_ms = True, None, 0
    await store.write_move(tx, moving.transaction_id, after, new_step=new_step, pause_ms=pause_ms, last_doubt=doubt)
    if step is not None:
        await store.wake(tx)


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
