"""A command on its way through one transaction: lock the table, fold, decide, append, answer with what is there now."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from pitstream.evaluator import fingerprint
from pitstream.events import Event
from pitstream.events.ids import round_stream, table_stream
from pitstream.events.progressives import TOPIC as PROGRESSIVES
from pitstream.events.refusal import Refusal
from pitstream.events.rounds import BettingClosed, TableOpened
from pitstream.games import referee
from pitstream.games import table as sessions
from pitstream.games.commands import CloseTable, OpenRound, OpenTable, PlaceWagers, RoundCommand, TableCommand
from pitstream.games.network import notice, retired_fault, suspended_fault, wagers_of_the_network
from pitstream.games.paytables import Paytables
from pitstream.games.round import Finished, NoRound, Round, Voided, evolve
from pitstream.games.settlement import RULES_VERSION
from pitstream.runtime import Cause, Outcome, Transaction, unknown
from pitstream.runtime.access import unknown_round
from pitstream.services.table import network_store, store
from pitstream.services.table.view import view

NO_ROUND: Round = NoRound()
NEVER_OPENED: sessions.Session = sessions.Closed()


@dataclass(frozen=True, slots=True)
class NetworkWatch:
    """What a table needs in order to notice that its network is silent."""

    paytables: Paytables
    silence_s: int


def after(state: Round, events: Sequence[Event]) -> Round:
    """The round once these events have happened too."""
    return reduce(evolve, events, state)


async def open_table(tx: Transaction, command: OpenTable, cause: Cause, paytables: Paytables) -> Outcome:
    """Open the table on these terms; answers with them."""
    await store.lock_tables(tx.conn, [command.table])
    if command.network is not None:
        terms = await network_store.terms_of(tx.conn, command.network)
        if terms is None:
            await tx.must_have_heard(PROGRESSIVES, about=f"network {command.network}", key=command.network)
        command = command.model_copy(update={"network_terms": terms})
    answer = await _session_command(tx, command, cause, paytables)
    if isinstance(answer, Refusal):
        return Outcome.refused(answer)
    for event in answer:
        if isinstance(event, TableOpened):
            await store.set_open(tx.conn, event)
    return await table_view(tx, command.table, status=201)


async def close_table(tx: Transaction, table: str, reason: str, cause: Cause) -> Outcome:
    """Close the table, unless a round is being played there."""
    await store.lock_tables(tx.conn, [table])
    last = await store.last_round(tx.conn, table)
    command = CloseTable(table=table, reason=reason, round_in_progress=last.in_progress)
    answer = await _session_command(tx, command, cause)
    if isinstance(answer, Refusal):
        return Outcome.refused(answer)
    await store.set_closed(tx.conn, table)
    return await table_view(tx, table)


async def _session_command(
    tx: Transaction, command: TableCommand, cause: Cause, paytables: Paytables | None = None
) -> Sequence[Event] | Refusal:
    stream = table_stream(command.table)
    folded = await tx.fold(stream, NEVER_OPENED, sessions.evolve)
    answer = sessions.decide(folded.state, command, paytables)
    if not isinstance(answer, Refusal):
        tx.append(stream, command.table, answer, expected_version=folded.version, cause=cause)
    return answer


async def table_view(tx: Transaction, table: str, status: int = 200) -> Outcome:
    """A table as the floor sees it, with the terms that it is open on."""
    rows = await store.floor(tx.conn, table)
    if not rows:
        return unknown("table", table)
    folded = await tx.fold(table_stream(table), NEVER_OPENED, sessions.evolve)
    terms = folded.state.terms if isinstance(folded.state, sessions.Open) else None
    return Outcome(
        status,
        rows[0]
        | {
            "version": folded.version,
            "paytables": {choice.wager: choice.paytable for choice in terms.paytables} if terms else {},
            "policies": terms.policies if terms else {},
            "progressive_suspended": _suspended_view(folded.state),
        },
    )


def _suspended_view(session: sessions.Session) -> dict[str, int] | None:
    suspended = session.suspended if isinstance(session, sessions.Open) else None
    return None if suspended is None else {"round_no": suspended.round_no, "silent_s": suspended.silent_s}


async def _watched_session(tx: Transaction, table: str, watch: NetworkWatch, cause: Cause) -> sessions.Session:
    """The table's session, after it has noticed what there is to notice of its network."""
    stream = table_stream(table)
    folded = await tx.fold(stream, NEVER_OPENED, sessions.evolve)
    session = folded.state
    if not isinstance(session, sessions.Open) or session.terms.network is None:
        return folded.state
    owed = await network_store.oldest_unanswered(tx.conn, table, session.terms.network, tx.store.clock_us())
    events = notice(session.terms, session.suspended, owed, watch.silence_s)
    tx.append(stream, table, events, expected_version=folded.version, cause=cause)
    return reduce(sessions.evolve, events, folded.state)


async def _network_fault(
    tx: Transaction, session: sessions.Open, stakes: Mapping[str, int], paytables: Paytables
) -> Refusal | None:
    """Why these wagers cannot be taken as the table's network is now."""
    network = session.terms.network
    if network is None or not wagers_of_the_network(session.terms, paytables).keys() & stakes.keys():
        return None
    if fault := suspended_fault(session.terms, session.suspended, stakes, paytables):
        return fault
    return retired_fault(session.terms, await network_store.terms_of(tx.conn, network), stakes, paytables)


async def open_round(
    tx: Transaction, table: str, round_id: str, options: dict[str, str], cause: Cause, watch: NetworkWatch
) -> Outcome:
    """Open the table's next round: one at a time, each bound to the one before it by its hash."""
    await store.lock_tables(tx.conn, [table])
    session = await _watched_session(tx, table, watch, cause)
    last = await store.last_round(tx.conn, table)
    command = OpenRound(
        table=session.terms if isinstance(session, sessions.Open) else None,
        round_in_progress=last.in_progress,
        round_no=last.round_no + 1,
        round_id=round_id,
        options=options,
        previous_round_hash=await store.closing_hash(tx.conn, table, last.round_no),
        rules_version=RULES_VERSION,
        evaluator=fingerprint(),
    )
    events = referee.decide(NO_ROUND, command)
    if isinstance(events, Refusal):
        return Outcome.refused(events)
    tx.append(round_stream(table, command.round_no), table, events, expected_version=0, cause=cause)
    await store.add_round(tx.conn, table, command.round_no, round_id)
    return Outcome(201, view(after(NO_ROUND, events), len(events)).model_dump(mode="json"))


async def carry_out(
    tx: Transaction,
    table: str,
    round_no: int,
    command: RoundCommand,
    *,
    command_id: str,
    actor: str,
    watch: NetworkWatch,
) -> Outcome:
    """Carry a command out in a round; answers with the round as it is then.

    Nobody bets on a progressive network that has been silent for too long, or for a meter that is retired; the round
    goes on without.
    """
    await store.lock_tables(tx.conn, [table])
    if isinstance(command, PlaceWagers):
        session = await _watched_session(tx, table, watch, Cause.of_command(command_id, actor))
        if isinstance(session, sessions.Open) and (
            fault := await _network_fault(tx, session, command.stakes, watch.paytables)
        ):
            return Outcome.refused(fault)
    stream = round_stream(table, round_no)
    folded = await tx.fold(stream, NO_ROUND, evolve)
    if isinstance(folded.state, NoRound):
        return unknown_round(table, round_no)
    events = referee.decide(folded.state, command)
    if isinstance(events, Refusal):
        return Outcome.refused(events)
    cause = Cause.of_command(command_id, actor, folded.traceparent)
    tx.append(stream, table, events, expected_version=folded.version, cause=cause)
    state = after(folded.state, events)
    for event in events:
        if isinstance(event, BettingClosed):
            await network_store.add_stakes(tx.conn, event, tx.store.clock_us())
    if isinstance(state, Voided):
        await network_store.set_void(tx.conn, table, round_no)
    if isinstance(state, Finished | Voided):
        await store.close_round(tx.conn, table, round_no)
    return Outcome(200, view(state, folded.version + len(events)).model_dump(mode="json"))
