"""What players owe since rounds were corrected: the open items, collected from a player or written off by the house."""

from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Depends, Path, Query
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from pitstream.events import ids
from pitstream.events.model import AMOUNT_MAX, INT64_MAX
from pitstream.events.money import Whole
from pitstream.events.refusal import Refusal
from pitstream.runtime import (
    Cause,
    Outcome,
    Principal,
    Role,
    Store,
    Transaction,
    allowed,
    command_id,
    run_command,
    store_of,
    unknown,
)
from pitstream.services.wallet import receivables_store as sql
from pitstream.services.wallet import store as ledger_store
from pitstream.services.wallet.books import Books
from pitstream.services.wallet.platform.words import UUID_PATTERN
from pitstream.services.wallet.remote.desk import kept_elsewhere
from pitstream.services.wallet.resettling import How, pay

router = APIRouter(prefix="/v1", tags=["receivables"])

TheStore = Annotated[Store, Depends(store_of)]
CommandId = Annotated[str, Depends(command_id)]
Reader = Annotated[
    Principal, Depends(allowed(Role.CASHIER, Role.FLOORPERSON, Role.PLATFORM, Role.AUDITOR, Role.OPERATIONS))
]
Cashier = Annotated[Principal, Depends(allowed(Role.CASHIER))]
Keeper = Annotated[Principal, Depends(allowed(Role.AUDITOR))]
ReceivableName = Annotated[str, Path(pattern=UUID_PATTERN, examples=["0c9c3f0c-6ed0-5f43-9a3e-9d6a37c7c1f5"])]


class CollectBody(BaseModel):
    """How much is collected; all that is owed unless ``amount`` says less."""

    model_config = ConfigDict(extra="forbid", strict=True, json_schema_extra={"example": {"amount": 500}})

    amount: Annotated[Whole, Field(ge=1, le=AMOUNT_MAX)] | None = None


class WriteOffBody(BaseModel):
    """Why the house bears it."""

    model_config = ConfigDict(
        extra="forbid", strict=True, json_schema_extra={"example": {"reason": "the player has left the property"}}
    )

    reason: Annotated[str, Field(min_length=1, max_length=500, pattern=r"^[^\x00-\x1f\x7f]+$")]


class PaymentView(BaseModel):
    """What was paid of an open item: ``offset`` by a later correction, ``collected``, or ``written_off``."""

    transfer_id: str
    amount: int
    how: str
    by: str
    reason: str


class ReceivableView(BaseModel):
    """What a player owes since a correction of a round, minor units."""

    receivable_id: str
    player: str
    currency: str
    table: str
    round_no: int
    correction: int
    amount: int
    owed: int
    opened_at: str
    payments: list[PaymentView]


class ReceivablesView(BaseModel):
    """Open items in the order in which they were opened; ``next`` is the ``after`` of the next page."""

    receivables: list[ReceivableView]
    next: int | None


@router.get("/receivables", response_model=ReceivablesView)
async def receivables(
    who: Reader,
    store: TheStore,
    state: Literal["open", "paid"] | None = None,
    after: Annotated[int, Query(ge=0, le=INT64_MAX)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> JSONResponse:
    """What the caller's players owe, or owed, since rounds were corrected."""
    rows = await sql.receivables(store, who.owner_patterns, state=state, after=after, limit=limit)
    following = rows[-1]["position"] if len(rows) == limit else None
    page = ReceivablesView(receivables=[_view(row) for row in rows], next=following)
    return JSONResponse(page.model_dump(mode="json"))


@router.post("/receivables/{receivable_id}/collect", response_model=ReceivableView)
async def collect_a_receivable(
    who: Cashier, receivable_id: ReceivableName, body: CollectBody, command_id: CommandId, store: TheStore
) -> JSONResponse:
    """Take what is owed, or a part of it, from what is available on the player's account."""
    return await _pay(who, receivable_id, "collected", body.amount, "", command_id, store)


@router.post("/receivables/{receivable_id}/write-off", response_model=ReceivableView)
async def write_a_receivable_off(
    who: Keeper, receivable_id: ReceivableName, body: WriteOffBody, command_id: CommandId, store: TheStore
) -> JSONResponse:
    """The house bears what is still owed, on its sub-account of the table."""
    return await _pay(who, receivable_id, "written_off", None, body.reason, command_id, store)


async def _pay(
    who: Principal, receivable_id: str, how: How, amount: int | None, reason: str, command_id: str, store: Store
) -> JSONResponse:
    row = await sql.receivable(store.pool, UUID(receivable_id))
    if row is None or not who.sees(row["player"]):
        return unknown("receivable", receivable_id).response()

    async def act(tx: Transaction) -> Outcome:
        player = ids.player_account(row["player"], row["currency"])
        elsewhere = await kept_elsewhere(tx, [player]) if how == "collected" else None
        if elsewhere is not None:
            return Outcome.refused(elsewhere)
        books = await _books(tx, row, player)
        events = pay(books, receivable_id, how, amount, who.name, reason, command_id)
        if isinstance(events, Refusal):
            return Outcome.refused(events)
        await ledger_store.write(tx, books, [ledger_store.Answer(Cause.of_command(command_id, who.name), events)])
        after = await sql.receivable(tx.conn, UUID(receivable_id))
        return Outcome(200, _view(after).model_dump(mode="json"))

    outcome = await run_command(
        store,
        scope=f"receivable/{receivable_id}",
        command_id=command_id,
        inputs={"command": how, "amount": amount, "reason": reason},
        act=act,
        actor=who.name,
    )
    return outcome.response()


async def _books(tx: Transaction, row: Any, player: str) -> Books:
    """Locked as everywhere: the table's account first, then the others."""
    books = await ledger_store.load_for_command(tx, {ids.table_account(row["table_id"], row["currency"])})
    house = ids.house_sub_account(row["table_id"], row["currency"])
    books.accounts |= (await ledger_store.load_for_command(tx, {player, row["account"], house})).accounts
    await ledger_store.load_receivable(tx, books, str(row["receivable_id"]))
    return books


def _view(row: Any) -> ReceivableView:
    return ReceivableView(
        receivable_id=str(row["receivable_id"]),
        player=row["player"],
        currency=row["currency"],
        table=row["table_id"],
        round_no=row["round_no"],
        correction=row["correction"],
        amount=row["amount"],
        owed=row["amount"] - sum(one["amount"] for one in row["payments"]),
        opened_at=row["opened_at"].isoformat(),
        payments=[PaymentView(**one) for one in row["payments"]],
    )
