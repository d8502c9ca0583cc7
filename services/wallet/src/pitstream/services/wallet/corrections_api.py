"""Corrections over HTTP: undo a transfer, sweep the sub-accounts, add a currency of the property's own."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path
from fastapi.responses import JSONResponse
from pydantic import Field

from pitstream.events import ids
from pitstream.events.refusal import Refusal
from pitstream.events.wallet import Scale, SubAccountSwept, Transfer, TransferReversed
from pitstream.runtime import Cause, Outcome, Principal, Role, Store, Transaction, allowed, run_command, unknown
from pitstream.services.wallet import corrections_store as sql
from pitstream.services.wallet import store as ledger_store
from pitstream.services.wallet.corrections import reverse, sweep, sweep_id
from pitstream.services.wallet.platform.views import Strict
from pitstream.services.wallet.platform.words import UUID_PATTERN, Cashier, CommandId, CurrencyCode, TheStore
from pitstream.services.wallet.remote.desk import kept_elsewhere
from pitstream.services.wallet.webhooks.notices import event_notices
from pitstream.services.wallet.webhooks.store import record

router = APIRouter(prefix="/v1", tags=["corrections"])

TransferName = Annotated[str, Path(pattern=UUID_PATTERN, examples=["5ad3a75f-b1a2-5c51-a9ee-6b5a5f1a4a34"])]
Keeper = Annotated[Principal, Depends(allowed(Role.OPERATIONS, everywhere=True))]
"""Keeps accounts that are nobody's alone."""
_PLAIN = r"^[^\x00-\x1f\x7f]+$"


class ReversalBody(Strict):
    """Why, in the words of whoever undoes it; they stay in the events for good."""

    reason: Annotated[str, Field(min_length=1, max_length=500, pattern=_PLAIN, examples=["paid in twice"])]


class ReversalView(Strict):
    """The transfer that undid another."""

    reversed_id: str
    transfer_id: str
    debit: str
    credit: str
    amount: int
    account: str
    balance: int


class SweepBody(Strict):
    """The sweep's name, such as the gaming day that was closed: a sub-account is swept once under each name."""

    sweep: Annotated[str, Field(min_length=1, max_length=100, pattern=_PLAIN, examples=["2026-11-30"])]


class SweptView(Strict):
    """A sub-account that gave, or below 0 was given, ``amount`` and stands at 0."""

    account: str
    main: str
    amount: int


class SweepView(Strict):
    """What a sweep moved."""

    sweep: str
    swept: list[SweptView]


class CurrencyBody(Strict):
    """How many decimal places an amount's last unit stands for."""

    scale: Annotated[Scale, Field(examples=[8])]


class CurrencyView(CurrencyBody):
    """A currency that accounts may have."""

    currency: str


@router.post("/transfers/{transfer_id}/reversal", status_code=201, response_model=ReversalView)
async def undo_a_transfer(
    who: Cashier, transfer_id: TransferName, body: ReversalBody, command_id: CommandId, store: TheStore
) -> JSONResponse:
    """Undo a deposit, a withdrawal, a captured hold or a transfer between players by its mirror image. It is undone
    once, whoever asks and under whatever id; money that was spent since does not come back."""
    original = await sql.transfer(store, transfer_id)
    if original is None or not all(map(who.sees_account, _players(original))):
        return unknown("transfer", transfer_id).response()

    async def act(tx: Transaction) -> Outcome:
        elsewhere = await kept_elsewhere(tx, [original.debit, original.credit])
        if elsewhere is not None:
            return Outcome.refused(elsewhere)
        books = await sql.load_for_reversal(tx, original)
        events = reverse(books, transfer_id, body.reason, who.name)
        if isinstance(events, Refusal):
            return Outcome.refused(events, 409 if events.code == "reversed_already" else 422)
        await ledger_store.write(tx, books, [ledger_store.Answer(Cause.of_command(command_id, who.name), events)])
        await record(tx, event_notices(events))
        return Outcome(201, _reversal(events[-1]))

    outcome = await run_command(
        store,
        scope=f"transfer/{transfer_id}",
        command_id=command_id,
        inputs={"command": "reversal", **body.model_dump()},
        act=act,
        actor=who.name,
    )
    return outcome.response()


def _players(original: Transfer) -> list[str]:
    """The sides that are somebody's own: what a caller must see. An operator's side goes with its players'."""
    sides = [original.debit, original.credit]
    return [side for side in sides if side.startswith("player/")] or sides


def _reversal(event: Any) -> dict[str, Any]:
    if not isinstance(event, TransferReversed):
        raise TypeError(f"{event!r} undoes no transfer")
    undone = event.transfer
    return ReversalView(
        reversed_id=event.reversed_id,
        transfer_id=undone.transfer_id,
        debit=undone.debit,
        credit=undone.credit,
        amount=undone.amount,
        account=event.account,
        balance=event.balance_after,
    ).model_dump(mode="json")


@router.post("/sweeps", status_code=201, response_model=SweepView)
async def sweep_sub_accounts(who: Keeper, body: SweepBody, command_id: CommandId, store: TheStore) -> JSONResponse:
    """Bring every sub-account of the house and of the operators to 0, for or from its main account."""
    return (await sweep_all(store, body.sweep, command_id, who.name)).response()


async def sweep_all(store: Store, name: str, command_id: str, actor: str) -> Outcome:
    """Sweep every sub-account under this name, as a command of its own."""

    async def act(tx: Transaction) -> Outcome:
        books, accounts = await sql.load_for_sweep(tx, lambda account: sweep_id(account, name))
        events = sweep(books, accounts, name)
        await ledger_store.write(tx, books, [ledger_store.Answer(Cause.of_command(command_id, actor), events)])
        swept = [_swept(event) for event in events if isinstance(event, SubAccountSwept)]
        return Outcome(201, SweepView(sweep=name, swept=swept).model_dump(mode="json"))

    return await run_command(
        store,
        scope="sweeps",
        command_id=command_id,
        inputs={"command": "sweep", "sweep": name},
        act=act,
        actor=actor,
    )


def _swept(event: SubAccountSwept) -> SweptView:
    gave = event.transfer.debit == event.account
    amount = event.transfer.amount if gave else -event.transfer.amount
    return SweptView(account=event.account, main=ids.main_account(event.account) or "", amount=amount)


@router.post("/currencies/{currency}", status_code=201, response_model=CurrencyView)
async def add_a_currency(
    who: Keeper, currency: CurrencyCode, body: CurrencyBody, command_id: CommandId, store: TheStore
) -> JSONResponse:
    """Say how many decimal places a currency has that ISO 4217 does not know, once and for all."""

    async def act(tx: Transaction) -> Outcome:
        known = await sql.add_currency(tx, currency, body.scale)
        if known != body.scale:
            return Outcome.refused(
                Refusal("currency_differs", "scale", f"was {body.scale}; {currency} has {known} decimal places"), 409
            )
        return Outcome(201, CurrencyView(currency=currency, scale=known).model_dump())

    outcome = await run_command(
        store,
        scope=f"currency/{currency}",
        command_id=command_id,
        inputs={"command": "currency", **body.model_dump()},
        act=act,
        actor=who.name,
    )
    return outcome.response()
