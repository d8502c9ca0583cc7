"""Operators over HTTP: connect one, see what is uncertain at it, say what was found out."""

from collections.abc import AsyncIterator
from typing import Annotated
from uuid import UUID, uuid4

from fastapi import APIRouter, Depends, Path
from fastapi.responses import JSONResponse

from pitstream.events import ids
from pitstream.events.model import PlayerId
from pitstream.events.refusal import Refusal
from pitstream.events.remote import OperatorId
from pitstream.runtime import (
    AnsweredError,
    Cause,
    Outcome,
    Principal,
    Role,
    Store,
    Transaction,
    allowed,
    history,
    run_command,
    unknown,
)
from pitstream.services.wallet.platform.cursors import cursor_of, place_of, position
from pitstream.services.wallet.platform.words import PAGE, After, CommandId, Limit, TheStore
from pitstream.services.wallet.remote import store as moves_store
from pitstream.services.wallet.remote.desk import move_stream, operator_stream, register, resolve
from pitstream.services.wallet.remote.http import OperatorClient
from pitstream.services.wallet.remote.moves import No, Resolve
from pitstream.services.wallet.remote.operators import Operator
from pitstream.services.wallet.remote.protocol import balance_call
from pitstream.services.wallet.remote.views import (
    BalanceView,
    ConnectBody,
    MoveNow,
    MoveView,
    OperatorList,
    OperatorNow,
    OperatorView,
    ResolveBody,
    ResolvedView,
    TotalsView,
    UncertainPage,
)

router = APIRouter(prefix="/v1/operators", tags=["operators"])

OperatorName = Annotated[OperatorId, Path(examples=["acme"])]
Connecting = Annotated[Principal, Depends(allowed(Role.OPERATIONS))]
Resolving = Annotated[Principal, Depends(allowed(Role.CASHIER, Role.OPERATIONS))]
Reading = Annotated[Principal, Depends(allowed(Role.CASHIER, Role.PLATFORM, Role.AUDITOR, Role.OPERATIONS))]
AskingBalance = Annotated[Principal, Depends(allowed(Role.CASHIER, Role.PLATFORM, Role.FLOORPERSON, Role.OPERATIONS))]


@router.post("/{operator}/connect", status_code=201, response_model=OperatorView)
async def connect_operator(
    who: Connecting, operator: OperatorName, body: ConnectBody, command_id: CommandId, store: TheStore
) -> JSONResponse:
    """Register an operator, or change its terms. The mode changes only while nothing of its players is here."""
    _must_cover(who, operator)
    given = {**body.model_dump(), "retry_ms": tuple(body.retry_ms), "key_ref": body.key_ref or ""}
    terms = Operator(operator=operator, **given)

    async def act(tx: Transaction) -> Outcome:
        refusal = await register(tx, terms, who.name, Cause.of_command(command_id, who.name))
        return Outcome(201, OperatorView.of(terms).model_dump()) if refusal is None else Outcome.refused(refusal)

    outcome = await run_command(
        store,
        scope=operator_stream(operator),
        command_id=command_id,
        inputs={"command": "connect", **body.model_dump()},
        act=act,
        actor=who.name,
    )
    return outcome.response()


@router.get("", response_model=OperatorList)
async def list_operators(who: Reading, store: TheStore) -> JSONResponse:
    """Every registered operator that the caller sees, by name."""
    found = await moves_store.operators(store)
    seen = OperatorList(operators=[OperatorView.of(one) for one in found if who.covers(one.operator)])
    return JSONResponse(seen.model_dump())


@router.get("/{operator}", response_model=OperatorNow)
async def operator_now(who: Reading, operator: OperatorName, store: TheStore) -> JSONResponse:
    """An operator's terms, and what its moves come to."""
    known = await _operator(who, operator, store)
    totals = TotalsView(**await moves_store.totals(store, operator))
    return JSONResponse(OperatorNow(**OperatorView.of(known).model_dump(), moves=totals).model_dump())


@router.get("/{operator}/uncertain", response_model=UncertainPage)
async def uncertain(
    who: Reading,
    operator: OperatorName,
    store: TheStore,
    after: After = None,
    limit: Limit = PAGE,
) -> JSONResponse:
    """What stands at the operator is not known, or not as it must be, for each of these; oldest first."""
    await _operator(who, operator, store)
    place = place_of(after, "uncertain", position) or 0
    rows = await moves_store.uncertain_moves(store, operator, place, limit)
    following = cursor_of("uncertain", rows[-1]["position"]) if len(rows) == limit else None
    page = UncertainPage(moves=[MoveView.of(row) for row in rows], next=following)
    return JSONResponse(page.model_dump(mode="json"))


@router.get("/{operator}/moves/{transaction_id}", response_model=MoveNow)
async def one_move(who: Reading, operator: OperatorName, transaction_id: UUID, store: TheStore) -> JSONResponse:
    """One move: how far it is, and its events with the exact bytes stored."""
    await _operator(who, operator, store)
    row = await moves_store.move_row(store, operator, transaction_id)
    if row is None:
        return unknown("move", str(transaction_id)).response()
    async with store.transaction() as tx:
        recorded = await tx.load(move_stream(str(transaction_id)))
    now = MoveNow(**MoveView.of(row).model_dump(), events=history(recorded))
    return JSONResponse(now.model_dump(mode="json"))


@router.post("/{operator}/moves/{transaction_id}/resolve", response_model=ResolvedView)
async def resolve_move(
    who: Resolving,
    operator: OperatorName,
    transaction_id: UUID,
    body: ResolveBody,
    command_id: CommandId,
    store: TheStore,
) -> JSONResponse:
    """Say what was found out about an uncertain move. The ledger follows it: a credit that stands leaves suspense, one
    that does not was paid by hand; a debit that stands is given back by a credit."""
    known = await _operator(who, operator, store)
    move = str(transaction_id)

    async def act(tx: Transaction) -> Outcome:
        command = Resolve(transaction_id=move, resolution=body.resolution, by=who.name, reason=body.reason)
        refusal = await resolve(tx, known, command, Cause.of_command(command_id, who.name))
        if refusal is not None:
            return Outcome.refused(refusal, 404 if refusal.code == "unknown_move" else 422)
        return Outcome(200, ResolvedView(transaction_id=move, resolution=body.resolution, by=who.name).model_dump())

    outcome = await run_command(
        store,
        scope=move_stream(move),
        command_id=command_id,
        inputs={"command": "resolve", **body.model_dump()},
        act=act,
        actor=who.name,
    )
    return outcome.response()


async def operator_client() -> AsyncIterator[OperatorClient]:
    """FastAPI dependency: a client for one question."""
    async with OperatorClient() as client:
        yield client


@router.get(
    "/{operator}/players/{player}/balance",
    response_model=BalanceView,
    responses={424: {"description": "The operator's wallet gave no answer that can be believed."}},
)
async def balance_there(
    who: AskingBalance,
    operator: OperatorName,
    player: Annotated[PlayerId, Path(examples=["acme:p001"])],
    store: TheStore,
    client: Annotated[OperatorClient, Depends(operator_client)],
) -> JSONResponse:
    """What the operator's own wallet says that a player has, minor units. Asked now, kept nowhere."""
    known = await _operator(who, operator, store)
    if not known.is_seamless or ids.operator_of(player) != operator:
        return unknown("player", player).response()
    answer = await client.balance(known, balance_call(player, known.currency, str(uuid4())))
    if isinstance(answer, int):
        return JSONResponse(BalanceView(player=player, currency=known.currency, balance=answer).model_dump())
    if isinstance(answer, No):
        return unknown("player", player).response()
    return Outcome.refused(Refusal("operator_uncertain", "operator", f"{operator}: {answer.reason}"), 424).response()


def _must_cover(who: Principal, operator: str) -> None:
    if not who.covers(operator):
        raise AnsweredError(unknown("operator", operator))


async def _operator(who: Principal, operator: str, store: Store) -> Operator:
    """The operator, when it is registered and the caller sees it. Raises AnsweredError."""
    _must_cover(who, operator)
    for one in await moves_store.operators(store):
        if one.operator == operator:
            return one
    raise AnsweredError(unknown("operator", operator))
