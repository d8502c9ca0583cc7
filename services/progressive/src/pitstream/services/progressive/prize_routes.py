"""Prizes that wait for a floorperson, over HTTP: which there are, and what was decided of each."""

from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Depends, Path, Query
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from pitstream.events.ids import prize_stream
from pitstream.events.model import INT64_MAX, RoundNo, TableId
from pitstream.events.prizes import PrizeRefused
from pitstream.events.refusal import Refusal
from pitstream.events.settlements import TOPIC as SETTLEMENTS
from pitstream.runtime import (
    MAY_BE_UNCERTAIN,
    Cause,
    Outcome,
    Principal,
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
from pitstream.runtime.access import READERS
from pitstream.services.progressive import prize_store
from pitstream.services.progressive.prizes import ApprovePrize, Prize, Prizes, RefusePrize, decide, evolve

router = APIRouter(prefix="/v1", tags=["prizes that wait for a floorperson"])

NO_PRIZES: Final[Prizes] = {}
# What a person wrote is stored as text: no control characters, of which databases refuse some.
_Line = Annotated[str, Field(min_length=1, max_length=500, pattern=r"^[^\x00-\x1f\x7f]+$")]

TableName = Annotated[TableId, Path(examples=["uth-04"])]
PrizeName = Annotated[str, Path(max_length=64, pattern=r"^[0-9a-f-]+$")]
CommandId = Annotated[str, Depends(command_id)]
TheStore = Annotated[Store, Depends(store_of)]
Reader = Annotated[Principal, Depends(allowed(*READERS))]
Floorperson = Annotated[Principal, Depends(allowed(Role.FLOORPERSON))]


class Approval(BaseModel):
    """The form or slip that the floorperson signed."""

    model_config = ConfigDict(extra="forbid", strict=True, json_schema_extra={"example": {"document": "W2G 00417"}})

    document: _Line


class Refused(BaseModel):
    """Why a prize is not paid, and the report that says so where there is one."""

    model_config = ConfigDict(
        extra="forbid", strict=True, json_schema_extra={"example": {"reason": "the hand held six cards"}}
    )

    reason: _Line
    document: Annotated[str, Field(max_length=500, pattern=r"^[^\x00-\x1f\x7f]*$")] = ""


@router.get("/prizes")
async def prizes(
    who: Reader,
    store: TheStore,
    table: TableId | None = None,
    status: Literal["pending", "approved", "refused"] | None = None,
    after: Annotated[int, Query(ge=0, le=INT64_MAX)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> JSONResponse:
    """Prizes in the order in which they came, those of the caller's tables: fixed prizes that need a floorperson, and
    the envy of a hand. ``next`` is the ``after`` of the next page, absent on the last."""
    async with store.transaction() as tx:
        found = await prize_store.page(
            tx.conn, tables=who.owner_patterns, table=table, status=status, after=after, limit=limit
        )
        views = []
        for _, table_id, round_no, prize_id in found:
            folded = await tx.fold(prize_stream(table_id, round_no), NO_PRIZES, evolve)
            views.append(prize_view(folded.state[prize_id]))
    following = {"next": found[-1][0]} if len(found) == limit else {}
    return JSONResponse({"prizes": views, **following})


@router.get("/questioned-prizes")
async def questioned_prizes(
    who: Reader,
    store: TheStore,
    after: Annotated[int, Query(ge=0, le=INT64_MAX)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> JSONResponse:
    """Prizes that had been paid before a correction of their round took them away, or changed them: what was paid, and
    ``becomes``, what it should have been. ``next`` is the ``after`` of the next page, absent on the last."""
    async with store.transaction() as tx:
        found = await prize_store.questioned(tx.conn, tables=who.owner_patterns, after=after, limit=limit)
    following = {"next": found[-1]["place"]} if len(found) == limit else {}
    return JSONResponse({"prizes": found, **following})


@router.get("/tables/{table}/prizes/{prize_id}")
async def prize(_who: Reader, table: TableName, prize_id: PrizeName, store: TheStore) -> JSONResponse:
    """One prize: what it is, who is paid, and what was decided of it."""
    async with store.transaction() as tx:
        round_no = await prize_store.round_of(tx.conn, table, prize_id)
        if round_no is None:
            return unknown("prize", prize_id).response()
        folded = await tx.fold(prize_stream(table, round_no), NO_PRIZES, evolve)
    return JSONResponse(prize_view(folded.state[prize_id]))


@router.get("/tables/{table}/rounds/{round_no}/prizes/events")
async def prize_events(
    _who: Reader, table: TableName, round_no: Annotated[RoundNo, Path(examples=[17])], store: TheStore
) -> JSONResponse:
    """Every event about a round's prizes, with the exact bytes stored; none where no prize had to wait."""
    async with store.transaction() as tx:
        return JSONResponse(history(await tx.load(prize_stream(table, round_no))))


@router.post("/tables/{table}/prizes/{prize_id}/approve", responses=MAY_BE_UNCERTAIN)
async def approve_prize(
    who: Floorperson, table: TableName, prize_id: PrizeName, body: Approval, command_id: CommandId, store: TheStore
) -> JSONResponse:
    """The floorperson who calls has validated the hand: every payee is paid."""
    return await _carry_out(store, table, ApprovePrize(prize_id, who.name, body.document), command_id)


@router.post("/tables/{table}/prizes/{prize_id}/refuse", responses=MAY_BE_UNCERTAIN)
async def refuse_prize(
    who: Floorperson, table: TableName, prize_id: PrizeName, body: Refused, command_id: CommandId, store: TheStore
) -> JSONResponse:
    """The floorperson who calls refuses the prize: its money is the table's again."""
    return await _carry_out(store, table, RefusePrize(prize_id, who.name, body.reason, body.document), command_id)


async def _carry_out(store: Store, table: str, command: ApprovePrize | RefusePrize, command_id: str) -> JSONResponse:
    """Decide once, append, and answer with the prize as it is then."""

    async def act(tx: Transaction) -> Outcome:
        round_no = await prize_store.round_of(tx.conn, table, command.prize_id)
        if round_no is None:
            await tx.must_have_heard(SETTLEMENTS, about=f"prize {command.prize_id}", key=table)
            return unknown("prize", command.prize_id)
        stream = prize_stream(table, round_no)
        folded = await tx.fold(stream, NO_PRIZES, evolve)
        events = decide(folded.state, command)
        if isinstance(events, Refusal):
            return Outcome.refused(events)
        cause = Cause.of_command(command_id, command.by, folded.traceparent)
        tx.append(stream, table, events, expected_version=folded.version, cause=cause)
        decided = evolve(folded.state, events[0])[command.prize_id]
        await prize_store.set_status(tx.conn, command.prize_id, decided.status)
        return Outcome(200, prize_view(decided))

    inputs = {"command": type(command).__name__, "by": command.by, "document": command.document}
    outcome = await run_command(
        store,
        scope=f"prize/{command.prize_id}",
        command_id=command_id,
        inputs=inputs | ({"reason": command.reason} if isinstance(command, RefusePrize) else {}),
        act=act,
        actor=command.by,
    )
    return outcome.response()


def prize_view(prize: Prize) -> dict[str, Any]:
    """A prize as JSON; money in minor units. ``seat`` is whose hand is to be validated."""
    decided = prize.decided
    return {
        **prize.pending.model_dump(mode="json"),
        "amount": sum(payee.amount for payee in prize.pending.payees),
        "status": prize.status,
        "decided_by": decided.floorperson if decided else None,
        "document": decided.document if decided else None,
        "reason": decided.reason if isinstance(decided, PrizeRefused) else None,
    }
