"""Commands of platforms over HTTP: every one carries the caller's ``Idempotency-Key`` and is answered once for ever."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from fastapi import APIRouter
from fastapi.responses import JSONResponse

from pitstream.events import Event, ids
from pitstream.events.refusal import Refusal
from pitstream.runtime import Cause, Outcome, Store, Transaction, run_command, unknown
from pitstream.runtime.access import same_operator
from pitstream.services.wallet import store as ledger_store
from pitstream.services.wallet.books import Books, PlacedHold
from pitstream.services.wallet.corrections_store import reversal_of
from pitstream.services.wallet.ledger import deposit, withdraw
from pitstream.services.wallet.platform import store as sql
from pitstream.services.wallet.platform.commands import (
    Decision,
    capture_hold,
    open_account,
    place_hold,
    transfer,
    void_hold,
)
from pitstream.services.wallet.platform.views import (
    AccountView,
    AmountBody,
    CaptureBody,
    HoldBody,
    HoldView,
    MovedView,
    TransferBody,
)
from pitstream.services.wallet.platform.words import (
    Cashier,
    CommandId,
    CurrencyCode,
    HoldId,
    Platform,
    PlayerName,
    TheStore,
)
from pitstream.services.wallet.remote.desk import kept_elsewhere

router = APIRouter(prefix="/v1/players/{player}/{currency}", tags=["money"])

STATUS = {"unknown_account": 404, "unknown_hold": 404, "hold_resolved": 409}
"""How refusals are answered; all others with 422."""


@router.post("/open", status_code=201, response_model=AccountView)
async def open_player_account(
    who: Cashier, player: PlayerName, currency: CurrencyCode, command_id: CommandId, store: TheStore
) -> JSONResponse:
    """Open an account without money. One that exists is answered as it stands: opening it again changes nothing."""
    account = ids.player_account(player, currency)

    def decide(books: Books) -> Decision:
        return open_account(books, player, currency)

    def view(books: Books, _events: list[Event], _version: int) -> dict[str, Any]:
        return AccountView.of(books.accounts[account]).model_dump(mode="json")

    return await _carry_out(store, account, {account}, command_id, {"command": "open"}, who.name, decide, view)


@router.post("/deposits", status_code=201, response_model=MovedView)
async def deposit_money(
    who: Cashier,
    player: PlayerName,
    currency: CurrencyCode,
    body: AmountBody,
    command_id: CommandId,
    store: TheStore,
) -> JSONResponse:
    """Bring money in from outside the floor; the first deposit opens the account. Answers with the account."""
    return await _move(store, deposit, "deposit", player, currency, body.amount, command_id, who.name)


@router.post("/withdrawals", status_code=201, response_model=MovedView)
async def withdraw_money(
    who: Cashier,
    player: PlayerName,
    currency: CurrencyCode,
    body: AmountBody,
    command_id: CommandId,
    store: TheStore,
) -> JSONResponse:
    """Take money out, never more than is available. Answers with the account."""
    return await _move(store, withdraw, "withdrawal", player, currency, body.amount, command_id, who.name)


async def _move(
    store: Store,
    move: Callable[[Books, str, str, int, str], Decision],
    what: str,
    player: str,
    currency: str,
    amount: int,
    command_id: str,
    actor: str,
) -> JSONResponse:
    account, outside = ids.player_account(player, currency), ids.operator_lane(player, currency)
    transfer_id = ids.transfer_id(account, what, command_id)

    def decide(books: Books) -> Decision:
        return move(books, player, currency, amount, transfer_id)

    inputs = {"command": what, "amount": amount}
    view = _moved(account, transfer_id)
    return await _carry_out(store, account, {account, outside}, command_id, inputs, actor, decide, view)


@router.post("/transfers", status_code=201, response_model=MovedView)
async def transfer_money(
    who: Platform,
    player: PlayerName,
    currency: CurrencyCode,
    body: TransferBody,
    command_id: CommandId,
    store: TheStore,
) -> JSONResponse:
    """Give money to another player of the same operator, never more than is available. Answers with the giver's
    account."""
    account, receiver = ids.player_account(player, currency), ids.player_account(body.to, currency)
    if not (who.sees(body.to) and same_operator(player, body.to)):
        return unknown("account", receiver).response()
    transfer_id = ids.transfer_id(account, "transfer", command_id)

    def decide(books: Books) -> Decision:
        return transfer(books, player, body.to, currency, body.amount, transfer_id)

    inputs = {"command": "transfer", **body.model_dump()}
    view = _moved(account, transfer_id)
    return await _carry_out(store, account, {account, receiver}, command_id, inputs, who.name, decide, view)


@router.post("/holds", status_code=201, response_model=HoldView)
async def place_a_hold(
    who: Platform, player: PlayerName, currency: CurrencyCode, body: HoldBody, command_id: CommandId, store: TheStore
) -> JSONResponse:
    """Set money aside for a purpose of the platform's own: it cannot be wagered or withdrawn until the hold is captured
    or voided, or its time is over."""
    account = ids.player_account(player, currency)
    hold_id = ids.transfer_id(account, "hold", command_id)
    now_us = store.clock_us()
    expires_at_us = 0 if body.expires_in_s is None else now_us + body.expires_in_s * 1_000_000

    def decide(books: Books) -> Decision:
        return place_hold(books, account, body.amount, hold_id, body.purpose, expires_at_us, now_us)

    inputs = {"command": "hold", **body.model_dump()}
    return await _carry_out(store, account, {account}, command_id, inputs, who.name, decide, _held(hold_id))


@router.post("/holds/{hold_id}/capture", status_code=201, response_model=HoldView)
async def capture_a_hold(
    who: Platform,
    player: PlayerName,
    currency: CurrencyCode,
    hold_id: HoldId,
    body: CaptureBody,
    command_id: CommandId,
    store: TheStore,
) -> JSONResponse:
    """Take the money of a hold out, as a withdrawal would; what is not taken is free again. A hold is resolved once."""
    account, outside = ids.player_account(player, currency), ids.operator_lane(player, currency)

    def decide(books: Books, hold: PlacedHold) -> Decision:
        return capture_hold(books, hold, body.amount, outside, store.clock_us())

    inputs = {"command": "capture", "hold_id": hold_id, **body.model_dump()}
    return await _resolve(store, account, {account, outside}, command_id, inputs, who.name, hold_id, decide)


@router.post("/holds/{hold_id}/void", status_code=201, response_model=HoldView)
async def void_a_hold(
    who: Platform,
    player: PlayerName,
    currency: CurrencyCode,
    hold_id: HoldId,
    command_id: CommandId,
    store: TheStore,
) -> JSONResponse:
    """Free the money of a hold; nothing moves."""
    account = ids.player_account(player, currency)
    inputs = {"command": "void", "hold_id": hold_id}
    return await _resolve(store, account, {account}, command_id, inputs, who.name, hold_id, void_hold)


async def _resolve(
    store: Store,
    account: str,
    touched: set[str],
    command_id: str,
    inputs: dict[str, Any],
    actor: str,
    hold_id: str,
    decide: Callable[[Books, PlacedHold], Decision],
) -> JSONResponse:
    def on_hold(books: Books) -> Decision:
        hold = books.placed.get(hold_id)
        if hold is None:
            return Refusal("unknown_hold", "hold_id", f"was {hold_id!r}; {account} has no such hold")
        return decide(books, hold)

    return await _carry_out(store, account, touched, command_id, inputs, actor, on_hold, _held(hold_id), hold_id)


View = Callable[[Books, list[Event], int], dict[str, Any]]


def _moved(account: str, transfer_id: str) -> View:
    def view(books: Books, _events: list[Event], version: int) -> dict[str, Any]:
        now = AccountView.of(books.accounts[account])
        return MovedView(**now.model_dump(), version=version, transfer_id=transfer_id).model_dump(mode="json")

    return view


def _held(hold_id: str) -> View:
    def view(books: Books, _events: list[Event], _version: int) -> dict[str, Any]:
        return hold_view(books.placed[hold_id]).model_dump(mode="json")

    return view


def hold_view(hold: PlacedHold) -> HoldView:
    """A hold as JSON."""
    return HoldView(
        hold_id=hold.hold_id,
        account=hold.account,
        amount=hold.amount,
        purpose=hold.purpose,
        state=hold.state,
        captured=hold.captured,
        expires_at=datetime.fromtimestamp(hold.expires_at_us / 1e6, UTC) if hold.expires_at_us else None,
    )


async def _carry_out(
    store: Store,
    account: str,
    touched: set[str],
    command_id: str,
    inputs: dict[str, Any],
    actor: str,
    decide: Callable[[Books], Decision],
    view: View,
    hold_id: str | None = None,
) -> JSONResponse:
    """Decide on the books of ``touched`` accounts, locked; write, and keep the answer under the command's id.

    An id whose transfer was undone since is dead: who sends it again must not take its money for moved.
    """
    decided_now = False

    async def act(tx: Transaction) -> Outcome:
        nonlocal decided_now
        decided_now = True
        elsewhere = await kept_elsewhere(tx, touched)
        if elsewhere is not None:
            return Outcome.refused(elsewhere)
        books = await ledger_store.load_for_command(tx, touched)
        if hold_id is not None:
            await sql.load_hold(tx, books, account, hold_id)
        events = decide(books)
        if isinstance(events, Refusal):
            return Outcome.refused(events, STATUS.get(events.code, 422))
        answer = ledger_store.Answer(Cause.of_command(command_id, actor=actor), events)
        versions = await ledger_store.write(tx, books, [answer])
        return Outcome(201, view(books, events, versions.get(ids.account_stream(account), 0)))

    outcome = await run_command(
        store,
        scope=ids.account_stream(account),
        command_id=command_id,
        inputs=inputs,
        act=act,
        actor=actor,
    )
    if not decided_now and (moved := _moved_by(outcome)) is not None:
        undone_by = await reversal_of(store, moved)
        if undone_by is not None:
            why = f"was {command_id!r}; its transfer {moved} was undone by {undone_by}; allowed: a new id"
            return Outcome.refused(Refusal("compensated", "Idempotency-Key", why), 409).response()
    return outcome.response()


def _moved_by(outcome: Outcome) -> str | None:
    """The transfer that an answer tells of."""
    if outcome.body.get("state") == "captured":
        return ids.transfer_id(outcome.body["hold_id"], "capture")
    return outcome.body.get("transfer_id")
