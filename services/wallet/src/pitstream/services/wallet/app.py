"""The wallet's edges: deposits, withdrawals, accounts, and the proof of the ledger over HTTP."""

from collections.abc import Callable
from importlib.resources import files
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from pitstream.events import Event, ids
from pitstream.events.model import INT64_MAX, Currency, PlayerId, RoundNo, TableId
from pitstream.events.money import Amount
from pitstream.events.progressives import TOPIC as PROGRESSIVES
from pitstream.events.refusal import Refusal
from pitstream.events.rounds import TOPIC as ROUNDS
from pitstream.events.settlements import TOPIC as SETTLEMENTS
from pitstream.runtime import (
    Cause,
    Outcome,
    Principal,
    Role,
    Service,
    Store,
    Transaction,
    allowed,
    command_id,
    history,
    run_command,
    store_of,
    unknown,
)
from pitstream.services.wallet import store as ledger_store
from pitstream.services.wallet.books import Account, Books
from pitstream.services.wallet.config import WalletSettings
from pitstream.services.wallet.handlers import post_facts
from pitstream.services.wallet.ledger import deposit, withdraw

ROUNDS_A_QUERY = 10_000


def build(settings: WalletSettings | None = None) -> Service:
    """The service, each part wired once; settings are read from the environment unless given."""
    return Service(
        settings or WalletSettings(),
        migrations=files("pitstream.services.wallet") / "migrations",
        handlers={ROUNDS: post_facts, SETTLEMENTS: post_facts, PROGRESSIVES: post_facts},
        unhurried={SETTLEMENTS, PROGRESSIVES},
        router=router,
        title="pitstream wallet: accounts and the double-entry ledger",
    )


router = APIRouter(prefix="/v1", tags=["wallet"])

PlayerName = Annotated[PlayerId, Path(examples=["p001"])]
# Any text is looked for, but a database takes no character 0.
AccountName = Annotated[str, Path(pattern=r"^[^\x00]+$", examples=["player/p001/USD"])]
CurrencyCode = Annotated[Currency, Path(examples=["USD"])]
CommandId = Annotated[str, Depends(command_id)]
TheStore = Annotated[Store, Depends(store_of)]
Cashier = Annotated[Principal, Depends(allowed(Role.CASHIER, Role.PLATFORM))]
READING = (Role.CASHIER, Role.PLATFORM, Role.FLOORPERSON, Role.AUDITOR, Role.OPERATIONS)
Reader = Annotated[Principal, Depends(allowed(*READING))]
WholeLedger = Annotated[Principal, Depends(allowed(Role.AUDITOR, Role.OPERATIONS, everywhere=True))]
"""The ledger's sums are over everybody's accounts."""


class Strict(BaseModel):
    """A body: exact types, no unknown field."""

    model_config = ConfigDict(extra="forbid", strict=True)


class AmountBody(Strict):
    """Money that moves, in minor units."""

    amount: Amount


class RoundName(Strict):
    """One round of one table."""

    table: TableId
    round_no: RoundNo


class RoundsBody(Strict):
    """The rounds that are asked about."""

    rounds: Annotated[list[RoundName], Field(max_length=ROUNDS_A_QUERY)]


@router.post("/players/{player}/{currency}/deposits", status_code=201)
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


@router.post("/players/{player}/{currency}/withdrawals", status_code=201)
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


Move = Callable[[Books, str, str, int, str], list[Event] | Refusal]


async def _move(
    store: Store, decide: Move, what: str, player: str, currency: str, amount: int, command_id: str, actor: str
) -> JSONResponse:
    account, outside = ids.player_account(player, currency), ids.operator_lane(player, currency)

    async def act(tx: Transaction) -> Outcome:
        books = await ledger_store.load_for_command(tx, {account, outside})
        events = decide(books, player, currency, amount, ids.transfer_id(account, what, command_id))
        if isinstance(events, Refusal):
            return Outcome.refused(events, 404 if events.code == "unknown_account" else 422)
        answer = ledger_store.Answer(Cause.of_command(command_id, actor=actor), events)
        versions = await ledger_store.write(tx, books, [answer])
        view = account_view(books.accounts[account])
        return Outcome(201, {**view, "version": versions[ids.account_stream(account)]})

    outcome = await run_command(
        store,
        scope=ids.account_stream(account),
        command_id=command_id,
        inputs={"command": what, "amount": amount},
        act=act,
        actor=actor,
    )
    return outcome.response()


# Before the account's own route, whose name would swallow the last step.
@router.get("/accounts/{account:path}/events")
async def account_events(
    _who: Reader,
    account: AccountName,
    store: TheStore,
    after_version: Annotated[int, Query(ge=0, le=INT64_MAX)] = 0,
) -> JSONResponse:
    """The account's statement: every event after a version, with the exact bytes stored."""
    async with store.transaction() as tx:
        recorded = await tx.load(ids.account_stream(account), after_version)
    if not recorded and after_version == 0:
        return unknown("account", account).response()
    return JSONResponse(history(recorded))


@router.get("/accounts/{account:path}")
async def account_now(_who: Reader, account: AccountName, store: TheStore) -> JSONResponse:
    """Balance, what is held of it, and what is available, in minor units."""
    found = await ledger_store.account(store, account)
    return unknown("account", account).response() if found is None else JSONResponse(account_view(found))


@router.post("/rounds/query")
async def postings(who: Reader, body: RoundsBody, store: TheStore) -> JSONResponse:
    """What was posted for each seat of these rounds; changes nothing, so it needs no ``Idempotency-Key``."""
    rounds = [(asked.table, asked.round_no) for asked in body.rounds if who.sees(asked.table)]
    return JSONResponse({"postings": await ledger_store.postings_of(store, rounds)})


@router.get("/ledger/check")
async def ledger_check(_who: WholeLedger, store: TheStore) -> JSONResponse:
    """Is every cent somewhere? In one snapshot of the whole ledger: the balances of each currency add up to 0, each
    balance is the sum of its transfers, and what is pending is the sum of the open holds."""
    return JSONResponse(await ledger_store.ledger_check(store))


def account_view(account: Account) -> dict[str, Any]:
    """An account as JSON, amounts in minor units."""
    return {
        "account": account.account,
        "kind": account.kind,
        "currency": account.currency,
        "balance": account.balance,
        "held": account.held,
        "available": account.available,
    }
