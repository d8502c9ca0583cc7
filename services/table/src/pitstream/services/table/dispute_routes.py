"""Disputes over HTTP: opened, statements taken down, decided; which there are, and each with all that was said."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path, Query
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from pitstream.events.disputes import Decision
from pitstream.events.ids import dispute_stream, table_stream
from pitstream.events.model import INT64_MAX, Part, RoundNo, SeatNo, TableId
from pitstream.events.refusal import Refusal
from pitstream.games.commands import Reason
from pitstream.runtime import (
    Cause,
    Outcome,
    Principal,
    RecordedView,
    Role,
    Store,
    Transaction,
    allowed,
    command_id,
    history,
    run_command,
    store_of,
    unknown,
)
from pitstream.runtime.access import READERS, unknown_round
from pitstream.services.table import dispute_store as sql
from pitstream.services.table.disputes import (
    NO_DISPUTE,
    AttachStatement,
    Command,
    DecideDispute,
    Dispute,
    OpenDispute,
    decide,
    evolve,
)
from pitstream.services.table.store import lock_tables

router = APIRouter(prefix="/v1", tags=["disputes"])

TableName = Annotated[TableId, Path(examples=["uth-04"])]
RoundNumber = Annotated[RoundNo, Path(examples=[17])]
DisputeNumber = Annotated[int, Path(ge=1, le=2**32 - 1, examples=[1])]
CommandId = Annotated[str, Depends(command_id)]
TheStore = Annotated[Store, Depends(store_of)]
Reader = Annotated[Principal, Depends(allowed(*READERS))]
Floorperson = Annotated[Principal, Depends(allowed(Role.FLOORPERSON))]
Words = Annotated[Reason, Field(min_length=1)]
Who = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]+$")]

ROUND = "/tables/{table}/rounds/{round_no}/disputes"


class Opening(Part):
    """What somebody does not agree with, and whose seat it is about where it is about one."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {"seat": 3, "text": "The player says that the second card was the ten of hearts."}
        }
    )

    seat: SeatNo | None = None
    text: Words


class Statement(Part):
    """Somebody's words, and who said them."""

    model_config = ConfigDict(
        json_schema_extra={"example": {"said_by": "dealer d.okafor", "text": "I called it as the ten of diamonds."}}
    )

    said_by: Who
    text: Words


class Deciding(Part):
    """What was decided, and why."""

    model_config = ConfigDict(
        json_schema_extra={"example": {"decision": "upheld", "reason": "camera 4 shows the ten of hearts"}}
    )

    decision: Decision
    reason: Words


class StatementView(BaseModel):
    """Words as they were taken down."""

    statement: int
    said_by: str
    text: str
    taken_by: str


class DisputeView(BaseModel):
    """A dispute with all that was said. ``state``: open, upheld or denied."""

    table: str
    round_no: int
    number: int
    seat: int | None
    state: str
    text: str
    opened_by: str
    statements: list[StatementView]
    reason: str | None
    decided_by: str | None


class DisputesView(BaseModel):
    """Disputes in the order in which they were opened; ``next`` is the ``after`` of the next page, None on the last."""

    disputes: list[DisputeView]
    next: int | None = None


@router.post(ROUND, status_code=201, response_model=DisputeView)
async def open_dispute(
    who: Floorperson, table: TableName, round_no: RoundNumber, body: Opening, command_id: CommandId, store: TheStore
) -> JSONResponse:
    """Open a dispute about a round, finished or not; the answer says its number."""

    async def act(tx: Transaction) -> Outcome:
        await lock_tables(tx.conn, [table])
        if not await sql.has_round(tx.conn, table, round_no):
            return unknown_round(table, round_no)
        number = await sql.disputes_of(tx.conn, table, round_no) + 1
        command = OpenDispute(table, round_no, number, body.seat, body.text, who.name)
        outcome = await _carry_out(tx, table, round_no, number, command, command_id)
        if outcome.status < 400:
            await sql.add_dispute(tx.conn, table, round_no, number, body.seat)
        return Outcome(201, outcome.body) if outcome.status < 400 else outcome

    inputs = {"command": "OpenDispute", "round_no": round_no, **body.model_dump()}
    return await _run(store, table, command_id, inputs, act, who)


@router.post(ROUND + "/{number}/statements", response_model=DisputeView)
async def attach_statement(
    who: Floorperson,
    table: TableName,
    round_no: RoundNumber,
    number: DisputeNumber,
    body: Statement,
    command_id: CommandId,
    store: TheStore,
) -> JSONResponse:
    """Take down what somebody says about it. At most a hundred, each of at most 2,000 characters."""
    command = AttachStatement(body.said_by, body.text, who.name)
    return await _go_on(who, table, round_no, number, command, body, command_id, store)


@router.post(ROUND + "/{number}/decision", response_model=DisputeView)
async def decide_dispute(
    who: Floorperson,
    table: TableName,
    round_no: RoundNumber,
    number: DisputeNumber,
    body: Deciding,
    command_id: CommandId,
    store: TheStore,
) -> JSONResponse:
    """The floorperson who calls upholds or denies it, once. Money moves by a correction of the round only."""
    command = DecideDispute(body.decision, body.reason, who.name)
    return await _go_on(who, table, round_no, number, command, body, command_id, store)


@router.get("/disputes", response_model=DisputesView)
async def disputes(
    who: Reader,
    store: TheStore,
    table: TableId | None = None,
    state: Literal["open", "upheld", "denied"] | None = None,
    after: Annotated[int, Query(ge=0, le=INT64_MAX)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> JSONResponse:
    """Disputes of the caller's tables, in the order in which they were opened."""
    async with store.transaction() as tx:
        rows = await sql.disputes(tx.conn, seen=who.owner_patterns, table=table, state=state, after=after, limit=limit)
        found = [await _view(tx, row["table_id"], row["round_no"], row["number"]) for row in rows]
    page = DisputesView(
        disputes=[one for one in found if one is not None], next=rows[-1]["place"] if len(rows) == limit else None
    )
    return JSONResponse(page.model_dump(mode="json"))


@router.get(ROUND, response_model=DisputesView)
async def disputes_of_a_round(_who: Reader, table: TableName, round_no: RoundNumber, store: TheStore) -> JSONResponse:
    """Every dispute about a round, with all that was said."""
    async with store.transaction() as tx:
        if not await sql.has_round(tx.conn, table, round_no):
            return unknown_round(table, round_no).response()
        count = await sql.disputes_of(tx.conn, table, round_no)
        found = [await _view(tx, table, round_no, number) for number in range(1, count + 1)]
    page = DisputesView(disputes=[one for one in found if one is not None])
    return JSONResponse(page.model_dump(mode="json"))


@router.get(ROUND + "/{number}", response_model=DisputeView)
async def dispute(
    _who: Reader, table: TableName, round_no: RoundNumber, number: DisputeNumber, store: TheStore
) -> JSONResponse:
    """One dispute with all that was said."""
    async with store.transaction() as tx:
        found = await _view(tx, table, round_no, number)
    return unknown("dispute", str(number)).response() if found is None else JSONResponse(found.model_dump(mode="json"))


@router.get(ROUND + "/{number}/events", response_model=list[RecordedView])
async def dispute_events(
    _who: Reader, table: TableName, round_no: RoundNumber, number: DisputeNumber, store: TheStore
) -> JSONResponse:
    """Every event of a dispute, with the exact bytes stored."""
    async with store.transaction() as tx:
        recorded = await tx.load(dispute_stream(table, round_no, number))
    return JSONResponse(history(recorded)) if recorded else unknown("dispute", str(number)).response()


async def _go_on(
    who: Principal,
    table: str,
    round_no: int,
    number: int,
    command: AttachStatement | DecideDispute,
    body: Part,
    command_id: str,
    store: Store,
) -> JSONResponse:
    async def act(tx: Transaction) -> Outcome:
        await lock_tables(tx.conn, [table])
        return await _carry_out(tx, table, round_no, number, command, command_id)

    named = {"command": type(command).__name__, "round_no": round_no, "number": number}
    return await _run(store, table, command_id, {**named, **body.model_dump()}, act, who)


async def _run(
    store: Store, table: str, command_id: str, inputs: Mapping[str, Any], act: Any, who: Principal
) -> JSONResponse:
    outcome = await run_command(
        store, scope=table_stream(table), command_id=command_id, inputs=inputs, act=act, actor=who.name
    )
    return outcome.response()


async def _carry_out(
    tx: Transaction, table: str, round_no: int, number: int, command: Command, command_id: str
) -> Outcome:
    stream = dispute_stream(table, round_no, number)
    folded = await tx.fold(stream, NO_DISPUTE, evolve)
    events = decide(folded.state, command)
    if isinstance(events, Refusal):
        return Outcome.refused(events, 404 if events.code == "unknown_dispute" else 422)
    cause = Cause.of_command(command_id, command.by, folded.traceparent)
    tx.append(stream, table, events, expected_version=folded.version, cause=cause)
    after = evolve(folded.state, events[0])
    if not isinstance(after, Dispute):
        raise TypeError("a dispute that goes on is there")
    decision = None if after.decided is None else after.decided.decision
    await sql.set_dispute(tx.conn, table, round_no, number, len(after.statements), decision)
    return Outcome(200, dispute_view(after).model_dump(mode="json"))


async def _view(tx: Transaction, table: str, round_no: int, number: int) -> DisputeView | None:
    folded = await tx.fold(dispute_stream(table, round_no, number), NO_DISPUTE, evolve)
    return dispute_view(folded.state) if isinstance(folded.state, Dispute) else None


def dispute_view(dispute: Dispute) -> DisputeView:
    """A dispute as JSON has it."""
    opened, decided = dispute.opened, dispute.decided
    return DisputeView(
        table=opened.table,
        round_no=opened.round_no,
        number=opened.number,
        seat=opened.seat,
        state=dispute.state,
        text=opened.text,
        opened_by=opened.opened_by,
        statements=[
            StatementView(statement=one.statement, said_by=one.said_by, text=one.text, taken_by=one.taken_by)
            for one in dispute.statements
        ],
        reason=None if decided is None else decided.reason,
        decided_by=None if decided is None else decided.decided_by,
    )
