"""Corrections of rounds over HTTP: proposed by one person, confirmed by another; which there are, what is in force."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from pitstream.events.disputes import Fact, RoundCorrected
from pitstream.events.ids import correction_stream, round_stream, table_stream
from pitstream.events.model import INT64_MAX, Part, RoundNo, TableId
from pitstream.events.refusal import Refusal
from pitstream.games.commands import Reason
from pitstream.games.game import FinishedRound
from pitstream.games.paytables import Paytables
from pitstream.games.record import record_of
from pitstream.games.refusals import wrong_stage
from pitstream.games.round import Finished, NoRound
from pitstream.games.round import evolve as evolve_round
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
from pitstream.runtime.access import unknown_round
from pitstream.services.table import dispute_store as sql
from pitstream.services.table import network_store
from pitstream.services.table.carrying_out import NO_ROUND
from pitstream.services.table.corrections import (
    NONE,
    Command,
    ConfirmCorrection,
    Corrections,
    DeclineCorrection,
    ProposeCorrection,
    decide,
    evolve,
    facts_in_force,
)
from pitstream.services.table.store import lock_tables

router = APIRouter(prefix="/v1", tags=["corrections of rounds"])

TableName = Annotated[TableId, Path(examples=["uth-04"])]
RoundNumber = Annotated[RoundNo, Path(examples=[17])]
CorrectionNumber = Annotated[int, Path(ge=1, le=2**32 - 1, examples=[1])]
CommandId = Annotated[str, Depends(command_id)]
TheStore = Annotated[Store, Depends(store_of)]
HandReader = Annotated[Principal, Depends(allowed(Role.FLOORPERSON, Role.AUDITOR, Role.OPERATIONS))]
"""Cards that nobody at the table saw are among what is corrected."""
Corrector = Annotated[Principal, Depends(allowed(Role.FLOORPERSON, Role.AUDITOR))]
"""Two of these, each under an own credential, stand behind every correction."""
Words = Annotated[Reason, Field(min_length=1)]

ROUND = "/tables/{table}/rounds/{round_no}"


class Proposal(Part):
    """The facts that were recorded wrong, each with what was recorded and what it should have been; and why."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "facts": [{"card": {"place": "seat", "seat": 3, "position": 2, "was": "Td", "becomes": "Th"}}],
                "reason": "camera 4: the ten of hearts was read as diamonds",
                "dispute": 1,
            }
        }
    )

    # JSON has lists only, and Python's strict tuples would refuse them; what stands in the list is still strict.
    facts: Annotated[tuple[Fact, ...], Field(strict=False, max_length=64)]
    reason: Words
    dispute: Annotated[int, Field(ge=1, le=2**32 - 1)] | None = None


class Declining(Part):
    """Why it is not agreed to."""

    model_config = ConfigDict(json_schema_extra={"example": {"reason": "the camera does not show the card"}})

    reason: Words


class CorrectionView(BaseModel):
    """A correction. ``state``: proposed, confirmed or declined; ``decided_by``: who confirmed or declined it."""

    table: str
    round_no: int
    number: int
    state: str
    facts: list[dict[str, Any]]
    reason: str
    proposed_by: str
    dispute: int | None
    decided_by: str | None
    declined_because: str | None


class CorrectionsView(BaseModel):
    """Corrections in the order in which they were proposed; ``next`` is the ``after`` of the next page."""

    corrections: list[CorrectionView]
    next: int | None = None


class FactsView(BaseModel):
    """A finished round as it was played, as far as is known by now: ``record`` is its round record. ``correction``: the
    one that told it so, 0 for the round's own events; ``recorded`` is what those events say."""

    table: str
    round_no: int
    correction: int
    record: dict[str, Any]
    recorded: dict[str, Any]


@router.get(ROUND + "/facts", response_model=FactsView)
async def facts_of_a_round(_who: HandReader, table: TableName, round_no: RoundNumber, store: TheStore) -> JSONResponse:
    """What a correction of a round would start from: the round in force, beside the round as it was recorded."""
    async with store.transaction() as tx:
        played = await tx.fold(round_stream(table, round_no), NO_ROUND, evolve_round)
        corrections = await tx.fold(correction_stream(table, round_no), NONE, evolve)
    if isinstance(played.state, NoRound):
        return unknown_round(table, round_no).response()
    if not isinstance(played.state, Finished):
        refused = wrong_stage(played.state, "round_no", "a round has facts to correct once it is finished")
        return Outcome.refused(refused).response()
    in_force = corrections.state.in_force
    view = FactsView(
        table=table,
        round_no=round_no,
        correction=0 if in_force is None else in_force.number,
        record=_record(played.state, facts_in_force(corrections.state, played.state)),
        recorded=_record(played.state, facts_in_force(NONE, played.state)),
    )
    return JSONResponse(view.model_dump(mode="json"))


def _record(finished: Finished, facts: FinishedRound) -> dict[str, Any]:
    opened = finished.play.opened
    return record_of(facts, id_=opened.round_id, table=opened.table)


@router.post(ROUND + "/corrections", status_code=201, response_model=CorrectionView)
async def propose_correction(
    who: Corrector,
    table: TableName,
    round_no: RoundNumber,
    body: Proposal,
    command_id: CommandId,
    store: TheStore,
    request: Request,
) -> JSONResponse:
    """Say which facts of a finished round were recorded wrong. Nothing changes before another person confirms it."""
    command = ProposeCorrection(body.facts, body.reason, who.name, body.dispute)
    inputs = {"command": "ProposeCorrection", "round_no": round_no, **body.model_dump(mode="json")}
    return await _run(who, table, round_no, command, inputs, command_id, store, request.app.state.paytables)


@router.post(ROUND + "/corrections/{number}/confirm", response_model=CorrectionView)
async def confirm_correction(
    who: Corrector,
    table: TableName,
    round_no: RoundNumber,
    number: CorrectionNumber,
    command_id: CommandId,
    store: TheStore,
    request: Request,
) -> JSONResponse:
    """Another person than proposed it agrees: the round is settled anew, and the ledger reverses and posts again."""
    command = ConfirmCorrection(number, who.name)
    inputs = {"command": "ConfirmCorrection", "round_no": round_no, "number": number}
    return await _run(who, table, round_no, command, inputs, command_id, store, request.app.state.paytables)


@router.post(ROUND + "/corrections/{number}/decline", response_model=CorrectionView)
async def decline_correction(
    who: Corrector,
    table: TableName,
    round_no: RoundNumber,
    number: CorrectionNumber,
    body: Declining,
    command_id: CommandId,
    store: TheStore,
    request: Request,
) -> JSONResponse:
    """Whoever may correct may decline what waits, and take back an own proposal."""
    command = DeclineCorrection(number, body.reason, who.name)
    inputs = {"command": "DeclineCorrection", "round_no": round_no, "number": number, **body.model_dump()}
    return await _run(who, table, round_no, command, inputs, command_id, store, request.app.state.paytables)


@router.get("/corrections", response_model=CorrectionsView)
async def corrections(
    who: HandReader,
    store: TheStore,
    table: TableId | None = None,
    state: Literal["proposed", "confirmed", "declined"] | None = None,
    after: Annotated[int, Query(ge=0, le=INT64_MAX)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> JSONResponse:
    """Corrections of rounds of the caller's tables, in the order in which they were proposed."""
    async with store.transaction() as tx:
        rows = await sql.corrections(
            tx.conn, seen=who.owner_patterns, table=table, state=state, after=after, limit=limit
        )
        found = []
        for row in rows:
            folded = await tx.fold(correction_stream(row["table_id"], row["round_no"]), NONE, evolve)
            found.append(correction_view(folded.state, row["number"]))
    page = CorrectionsView(corrections=found, next=rows[-1]["place"] if len(rows) == limit else None)
    return JSONResponse(page.model_dump(mode="json"))


@router.get(ROUND + "/corrections", response_model=CorrectionsView)
async def corrections_of_a_round(
    _who: HandReader, table: TableName, round_no: RoundNumber, store: TheStore
) -> JSONResponse:
    """Every correction of a round, in their order."""
    async with store.transaction() as tx:
        if not await sql.has_round(tx.conn, table, round_no):
            return unknown_round(table, round_no).response()
        state = (await tx.fold(correction_stream(table, round_no), NONE, evolve)).state
    views = [correction_view(state, one.number) for one in state.proposed]
    return JSONResponse(CorrectionsView(corrections=views).model_dump(mode="json"))


@router.get(ROUND + "/corrections/events", response_model=list[RecordedView])
async def correction_events(_who: HandReader, table: TableName, round_no: RoundNumber, store: TheStore) -> JSONResponse:
    """Every event about a round's corrections, with the exact bytes stored; none where nobody proposed any."""
    async with store.transaction() as tx:
        return JSONResponse(history(await tx.load(correction_stream(table, round_no))))


async def _run(
    who: Principal,
    table: str,
    round_no: int,
    command: Command,
    inputs: Mapping[str, Any],
    command_id: str,
    store: Store,
    paytables: Paytables,
) -> JSONResponse:
    async def act(tx: Transaction) -> Outcome:
        return await _carry_out(tx, table, round_no, command, command_id, paytables)

    outcome = await run_command(
        store, scope=table_stream(table), command_id=command_id, inputs=inputs, act=act, actor=who.name
    )
    return outcome.response()


async def _carry_out(
    tx: Transaction, table: str, round_no: int, command: Command, command_id: str, paytables: Paytables
) -> Outcome:
    await lock_tables(tx.conn, [table])
    played = await tx.fold(round_stream(table, round_no), NO_ROUND, evolve_round)
    if isinstance(played.state, NoRound):
        return unknown_round(table, round_no)
    named = command.dispute if isinstance(command, ProposeCorrection) else None
    if named is not None and named > await sql.disputes_of(tx.conn, table, round_no):
        return unknown("dispute", str(named))
    stream = correction_stream(table, round_no)
    folded = await tx.fold(stream, NONE, evolve)
    events = decide(folded.state, played.state, command, paytables)
    if isinstance(events, Refusal):
        return Outcome.refused(events, 404 if events.code == "unknown_correction" else 422)
    [event] = events
    # The correction belongs to the round's trace, whoever makes it and when.
    cause = Cause.of_command(command_id, command.by, played.traceparent)
    tx.append(stream, table, events, expected_version=folded.version, cause=cause)
    after = evolve(folded.state, event)
    match command:
        case ProposeCorrection():
            number = after.proposed[-1].number
            await sql.add_correction(tx.conn, table, round_no, number)
            return Outcome(201, correction_view(after, number).model_dump(mode="json"))
        case ConfirmCorrection() | DeclineCorrection():
            state = "confirmed" if isinstance(event, RoundCorrected) else "declined"
            await sql.set_correction(tx.conn, table, round_no, command.number, state)
            if isinstance(event, RoundCorrected):
                await network_store.correct_stakes(tx.conn, event, tx.store.clock_us())
            return Outcome(200, correction_view(after, command.number).model_dump(mode="json"))


def correction_view(state: Corrections, number: int) -> CorrectionView:
    """One of a round's corrections as JSON has it."""
    proposed = state.proposed[number - 1]
    end = state.ends[number - 1] if number <= len(state.ends) else None
    confirmed = isinstance(end, RoundCorrected)
    return CorrectionView(
        table=proposed.table,
        round_no=proposed.round_no,
        number=number,
        state="proposed" if end is None else "confirmed" if confirmed else "declined",
        facts=[fact.model_dump(mode="json", exclude_none=True) for fact in proposed.facts],
        reason=proposed.reason,
        proposed_by=proposed.proposed_by,
        dispute=proposed.dispute,
        decided_by=None if end is None else end.confirmed_by if isinstance(end, RoundCorrected) else end.declined_by,
        declined_because=None if end is None or isinstance(end, RoundCorrected) else end.reason,
    )
