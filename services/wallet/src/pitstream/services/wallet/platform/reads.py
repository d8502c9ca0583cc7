"""What platforms, cashiers and auditors read: accounts, statements, holds, results, the proof of the ledger."""

from dataclasses import fields
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse
from pydantic import BaseModel, Field

from pitstream.events import ids
from pitstream.events.model import INT64_MAX, Currency
from pitstream.events.wallet import AccountKind
from pitstream.runtime import Store, history, unknown
from pitstream.services.wallet import store as ledger_store
from pitstream.services.wallet.books import Account, HoldState, PlacedHold
from pitstream.services.wallet.platform import store as sql
from pitstream.services.wallet.platform.cursors import LIMIT_MAX, cursor_of, name, place_of, position
from pitstream.services.wallet.platform.moves import hold_view
from pitstream.services.wallet.platform.page import statement_page
from pitstream.services.wallet.platform.views import (
    AccountsView,
    AccountView,
    HoldsView,
    HoldView,
    LedgerCheck,
    PostingsPage,
    PostingsView,
    PostingView,
    RoundsBody,
    StatementLine,
    StatementView,
)
from pitstream.services.wallet.platform.words import (
    PAGE,
    AccountName,
    After,
    CurrencyCode,
    HoldId,
    Limit,
    Moment,
    PlayerName,
    Reader,
    TheStore,
    WholeLedger,
)

router = APIRouter(prefix="/v1", tags=["accounts and statements"])


@router.get("/accounts", response_model=AccountsView)
async def list_accounts(
    who: Reader,
    store: TheStore,
    kind: AccountKind | None = None,
    currency: Annotated[Currency | None, Query(examples=["USD"])] = None,
    after: After = None,
    limit: Limit = PAGE,
) -> JSONResponse:
    """The accounts that the caller sees, by name."""
    found = await sql.accounts(
        store,
        who.owner_patterns,
        kind=kind,
        currency=currency,
        after=place_of(after, "accounts", name) or "",
        limit=limit + 1,
    )
    page = AccountsView(
        accounts=[AccountView.of(account) for account in found[:limit]],
        next=cursor_of("accounts", found[limit - 1].account) if len(found) > limit else None,
    )
    return JSONResponse(page.model_dump(mode="json"))


# Before the account's own route, whose name would swallow the last step.
@router.get("/accounts/{account:path}/events", response_model=list[dict[str, Any]])
async def account_events(
    _who: Reader,
    account: AccountName,
    store: TheStore,
    after_version: Annotated[int, Query(ge=0, le=INT64_MAX)] = 0,
    limit: Limit = LIMIT_MAX,
) -> JSONResponse:
    """The account's own events after a version, with the exact bytes stored: ``limit`` of them at most. Those after
    them are asked for by the last one's version, until none comes."""
    async with store.transaction() as tx:
        recorded = await tx.load(ids.account_stream(account), after_version, limit)
    if not recorded and after_version == 0:
        return unknown("account", account).response()
    return JSONResponse(history(recorded))


@router.get(
    "/accounts/{account:path}/statement",
    response_model=StatementView,
    responses={200: {"content": {"text/html": {"schema": {"type": "string"}}}}},
)
async def account_statement(
    request: Request,
    _who: Reader,
    account: AccountName,
    store: TheStore,
    since: Annotated[Moment | None, Query(examples=["2026-01-01T00:00:00Z"])] = None,
    until: Annotated[Moment | None, Query(examples=["2026-02-01T00:00:00Z"])] = None,
    after: After = None,
    limit: Limit = PAGE,
) -> Response:
    """Every transfer of a period, ``since`` included and ``until`` not, with the balance after each.

    Without ``until`` it ends with what is there when the first page is asked for; the pages after it, by ``after``
    alone, belong to the same period. ``Accept: text/html`` gives the page as a document to print.
    """
    known = await ledger_store.account(store, account)
    if known is None:
        return unknown("account", account).response()
    page = await _statement(store, known, since, until, after, limit)
    if "text/html" in request.headers.get("accept", ""):
        return HTMLResponse(statement_page(page))
    return JSONResponse(page.model_dump(mode="json"))


async def _statement(
    store: Store, account: Account, since: datetime | None, until: datetime | None, after: str | None, limit: int
) -> StatementView:
    kind = f"statement of {account.account}"
    place = place_of(after, kind, _Place.model_validate_json)
    async with store.pool.acquire() as conn, conn.transaction(isolation="repeatable_read", readonly=True):
        if place is None:
            low, high = await sql.period(conn, account.account, since, until)
            place = _Place(low=low, high=high, at=low, since=since, until=until or datetime.now(UTC))
        rows = await sql.lines(conn, account.account, place.at, place.high, limit + 1)
        opening, balance, closing = [
            await sql.balance_at(conn, account.account, bound) for bound in (place.low, place.at, place.high)
        ]
    lines = []
    for row in rows[:limit]:
        balance += row["amount"]
        lines.append(
            StatementLine(
                transfer_id=str(row["transfer_id"]),
                at=row["recorded_at"],
                code=row["code"],
                counter_account=row["counter_account"],
                amount=row["amount"],
                balance=balance,
            )
        )
    more = len(rows) > limit
    return StatementView(
        account=account.account,
        currency=account.currency,
        scale=account.scale,
        since=place.since,
        until=place.until,
        opening_balance=opening,
        closing_balance=closing,
        lines=lines,
        next=cursor_of(kind, place.on_to(rows[limit - 1]["position"]).model_dump_json()) if more else None,
    )


Position = Annotated[int, Field(ge=0, le=INT64_MAX)]


class _Place(BaseModel):
    """Where a statement goes on: the bounds that its first page found, and the position of the last line shown."""

    low: Position
    high: Position
    at: Position
    since: Moment | None
    until: Moment

    def on_to(self, at: int) -> "_Place":
        return self.model_copy(update={"at": at})


@router.get("/accounts/{account:path}/results", response_model=PostingsPage)
async def account_results(
    _who: Reader, account: AccountName, store: TheStore, after: After = None, limit: Limit = PAGE
) -> JSONResponse:
    """What rounds came to for this account's player, and what was paid by hand, in the order in which it was posted."""
    if await ledger_store.account(store, account) is None:
        return unknown("account", account).response()
    kind = f"results of {account}"
    rows = await sql.results(store, account, place_of(after, kind, position) or 0, limit + 1)
    page = PostingsPage(
        postings=[PostingView(**ledger_store.posting(row)) for row in rows[:limit]],
        next=cursor_of(kind, rows[limit - 1]["position"]) if len(rows) > limit else None,
    )
    return JSONResponse(page.model_dump(mode="json", exclude_none=False))


@router.get("/accounts/{account:path}", response_model=AccountView)
async def account_now(_who: Reader, account: AccountName, store: TheStore) -> JSONResponse:
    """Balance, what is held of it, and what is available, in minor units."""
    found = await ledger_store.account(store, account)
    if found is None:
        return unknown("account", account).response()
    return JSONResponse(AccountView.of(found).model_dump(mode="json"))


@router.get("/players/{player}/{currency}/holds", response_model=HoldsView)
async def list_holds(
    _who: Reader,
    player: PlayerName,
    currency: CurrencyCode,
    store: TheStore,
    state: HoldState | None = None,
    after: After = None,
    limit: Limit = PAGE,
) -> JSONResponse:
    """A player's holds in the order in which they were placed. Wagers' holds are the floor's and not among them."""
    account = ids.player_account(player, currency)
    kind = f"holds of {account}"
    rows = await sql.holds(store, account, state=state, after=place_of(after, kind, position) or 0, limit=limit + 1)
    page = HoldsView(
        holds=[_hold(row) for row in rows[:limit]],
        next=cursor_of(kind, rows[limit - 1]["position"]) if len(rows) > limit else None,
    )
    return JSONResponse(page.model_dump(mode="json"))


@router.get("/players/{player}/{currency}/holds/{hold_id}", response_model=HoldView)
async def hold_now(
    _who: Reader, player: PlayerName, currency: CurrencyCode, hold_id: HoldId, store: TheStore
) -> JSONResponse:
    """One hold as it stands."""
    row = await sql.hold(store, ids.player_account(player, currency), hold_id)
    return unknown("hold", hold_id).response() if row is None else JSONResponse(_hold(row).model_dump(mode="json"))


def _hold(row: dict[str, Any]) -> HoldView:
    hold = PlacedHold(**{column.name: row[column.name] for column in fields(PlacedHold)})
    return hold_view(hold).model_copy(update={"placed_at": row["placed_at"]})


@router.post("/rounds/query", response_model=PostingsView, response_model_exclude_none=True)
async def postings(who: Reader, body: RoundsBody, store: TheStore) -> JSONResponse:
    """What was posted for each seat of these rounds; changes nothing, so it needs no ``Idempotency-Key``."""
    rounds = [(asked.table, asked.round_no) for asked in body.rounds]
    found = await ledger_store.postings_of(store, rounds)
    return JSONResponse({"postings": [one for one in found if who.sees(one["table"]) or who.sees(one["player"])]})


@router.get("/ledger/check", response_model=LedgerCheck)
async def ledger_check(_who: WholeLedger, store: TheStore) -> JSONResponse:
    """Is every cent somewhere? In one snapshot of the whole ledger: the balances of each currency add up to 0, each
    balance is the sum of its transfers, and what is pending is the sum of the open holds."""
    return JSONResponse(await ledger_store.ledger_check(store))
