"""The read API: everything that the pages show, as JSON."""

import time
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Header, Path, Query, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from pitstream.events.model import INT64_MAX, NetworkId, RoundNo, TableId, Word
from pitstream.events.refusal import Refusal
from pitstream.runtime import (
    AnsweredError,
    Outcome,
    Principal,
    RecordedView,
    Role,
    Store,
    allowed,
    history,
    store_of,
    unknown,
)
from pitstream.runtime.access import READERS, unknown_round
from pitstream.services.ops import condition, floor, money, rounds_read, things_read, told
from pitstream.services.ops.cards import UnknownCardsError
from pitstream.services.ops.freshness import as_of
from pitstream.services.ops.live import Live
from pitstream.services.ops.owners import Owners, UnreachableError

router = APIRouter(prefix="/v1")

MONEY = (Role.FLOORPERSON, Role.CASHIER, Role.PLATFORM, Role.AUDITOR, Role.OPERATIONS)
"""Who sees what a table, a day or an account came to: those who see it at the wallet."""
HEALTH = (Role.AUDITOR, Role.OPERATIONS)
_DAY_US = 86_400_000_000

Reader = Annotated[Principal, Depends(allowed(*READERS))]
ReaderOfHits = Annotated[Principal, Depends(allowed(*READERS, itself=["network"]))]
Counting = Annotated[Principal, Depends(allowed(*MONEY))]
OnCall = Annotated[Principal, Depends(allowed(*HEALTH, everywhere=True))]
Operations = Annotated[Principal, Depends(allowed(Role.OPERATIONS, everywhere=True))]
TheStore = Annotated[Store, Depends(store_of)]
TableName = Annotated[TableId, Path(examples=["uth-04"])]
NetworkName = Annotated[NetworkId, Path(examples=["uth"])]
RoundNumber = Annotated[RoundNo, Path(examples=[17])]
Before = Annotated[int | None, Query(ge=0, le=INT64_MAX)]
Limit = Annotated[int, Query(ge=1, le=1000)]
Few = Annotated[int, Query(ge=1, le=200)]
Text = Annotated[str | None, Query(min_length=1, max_length=200, pattern=r"^[^\x00]*$")]
Day = Annotated[str, Path(pattern=r"^\d{4}-\d{2}-\d{2}$", examples=["2026-03-28"])]
Kind = Literal["hit", "prize", "change", "question", "dispute", "correction", "remote", "receivable"]


@router.get("/floor", response_model=floor.Floor, tags=["floor"])
async def floor_now(who: Reader, store: TheStore) -> floor.Floor:
    """Every table that the caller sees: game, seats, street, who is asked, pace; handle, win and hold of its day."""
    return await floor.floor_of(store.pool, who)


@router.get("/tables/{table}", response_model=floor.Floor, tags=["floor"])
async def one_table(_who: Reader, table: TableName, store: TheStore) -> floor.Floor:
    """The same of one table."""
    found = await floor.tables_named(store.pool, [table])
    if not found:
        raise AnsweredError(unknown("table", table))
    return floor.Floor(as_of=await as_of(store.pool), tables=found)


@router.get("/tables/{table}/rounds", response_model=rounds_read.Rounds, tags=["rounds"])
async def rounds_of_a_table(
    _who: Reader, table: TableName, store: TheStore, before: Before = None, limit: Few = 50
) -> rounds_read.Rounds:
    """A table's rounds, the newest first."""
    if not await floor.tables_named(store.pool, [table]):
        raise AnsweredError(unknown("table", table))
    return await rounds_read.rounds_of_table(store.pool, table, before, limit)


@router.get("/rounds/{table}/{round_no}", response_model=rounds_read.RoundOfTable, tags=["rounds"])
async def one_round(_who: Reader, table: TableName, round_no: RoundNumber, store: TheStore) -> rounds_read.RoundOfTable:
    """A round: who sat where, what was dealt, what it came to."""
    found = await rounds_read.round_of(store.pool, table, round_no)
    if found is None:
        raise AnsweredError(unknown_round(table, round_no))
    return found


@router.get("/rounds/{table}/{round_no}/events", response_model=list[RecordedView], tags=["rounds"])
async def events_about_a_round(_who: Reader, table: TableName, round_no: RoundNumber, store: TheStore) -> JSONResponse:
    """Every event that names the round, of all topics, with the exact bytes that were published."""
    found = await told.about_round(store.pool, table, round_no)
    if not found:
        raise AnsweredError(unknown_round(table, round_no))
    return JSONResponse(history(found))


@router.get("/search", response_model=rounds_read.Rounds, tags=["rounds"])
async def search_rounds(
    who: Reader,
    store: TheStore,
    round_id: Text = None,
    table: Text = None,
    player: Text = None,
    cards: Annotated[str | None, Query(max_length=50, examples=["Ah Kh Qh"])] = None,
    with_board: Annotated[bool, Query(description="cards on the board count with a seat's own")] = False,
    amount_min: Annotated[int | None, Query(ge=0, le=INT64_MAX, description="won or lost by a seat")] = None,
    amount_max: Annotated[int | None, Query(ge=0, le=INT64_MAX)] = None,
    day: Annotated[str | None, Query(pattern=r"^\d{4}-\d{2}-\d{2}$")] = None,
    before: Annotated[str | None, Query(pattern=r"^\d{1,18}/[A-Za-z0-9][A-Za-z0-9._:-]{0,63}/\d{1,18}$")] = None,
    limit: Few = 50,
) -> rounds_read.Rounds:
    """Rounds that fit all that is asked: by their own id, table, player, cards dealt to one seat, what a seat won or
    lost, gaming day. The newest first."""
    asked = rounds_read.Question(
        round_id=round_id,
        table=table,
        player=player,
        cards=cards or None,
        with_board=with_board,
        amount_min=amount_min,
        amount_max=amount_max,
        day=day,
    )
    try:
        return await rounds_read.search(store.pool, who, asked, before, limit)
    except UnknownCardsError as error:
        raise AnsweredError(Outcome.refused(Refusal("invalid_input", "cards", str(error)), 422)) from error


@router.get("/networks", response_model=things_read.Networks, tags=["progressives"])
async def every_network(who: Reader, store: TheStore) -> things_read.Networks:
    """Networks with their meters, each beside what the ledger holds of it."""
    return await things_read.networks(store.pool, who)


async def _network(store: Store, who: Principal, network: str) -> things_read.Networks:
    found = await things_read.networks(store.pool, who, network)
    if not found.networks:
        raise AnsweredError(unknown("network", network))
    return found


@router.get("/networks/{network}", response_model=things_read.Networks, tags=["progressives"])
async def one_network(who: ReaderOfHits, network: NetworkName, store: TheStore) -> things_read.Networks:
    """One network; whoever sees a table that plays on it sees its meters too."""
    return await _network(store, who, network)


@router.get("/networks/{network}/contributions", response_model=things_read.Contributions, tags=["progressives"])
async def contributions_over_time(
    who: ReaderOfHits,
    network: NetworkName,
    store: TheStore,
    meter: Annotated[Word | None, Query(examples=["main"], description="the network's first one without it")] = None,
    since_us: Annotated[int | None, Query(ge=0, le=INT64_MAX)] = None,
    until_us: Annotated[int | None, Query(ge=0, le=INT64_MAX)] = None,
    bucket_s: Annotated[int, Query(ge=60, le=86_400)] = 300,
) -> things_read.Contributions:
    """What went into a meter over time; the last day without `since_us`."""
    found = await _network(store, who, network)
    until = until_us if until_us is not None else time.time_ns() // 1000
    since = since_us if since_us is not None else max(0, until - _DAY_US)
    chosen = meter or found.networks[0].meters[0].meter
    return await things_read.contributions(
        store.pool, network, chosen, since_us=since, until_us=until, bucket_s=bucket_s
    )


@router.get("/networks/{network}/history", response_model=things_read.History, tags=["progressives"])
async def network_history(
    _who: Reader, network: NetworkName, store: TheStore, before: Before = None, limit: Few = 50
) -> things_read.History:
    """What happened in a network beside its rounds' contributions, the newest first."""
    found = await things_read.networks(store.pool, _who, network)
    if not found.networks:
        raise AnsweredError(unknown("network", network))
    return await things_read.network_history(store.pool, network, before, limit)


@router.get("/things/{kind}", response_model=things_read.Things, tags=["things"])
async def things_of_a_kind(
    who: Reader,
    kind: Annotated[Kind, Path()],
    store: TheStore,
    open_only: Annotated[bool, Query(description="only those that wait for somebody")] = False,
    network: Text = None,
    table: Text = None,
    before: Before = None,
    limit: Limit = 200,
) -> things_read.Things:
    """Hits, prizes, changes, questions, disputes, corrections, moves at operators' wallets, or receivables, the newest
    first: those of the caller's tables, networks and players."""
    if kind in ("remote", "receivable") and not who.roles.intersection(MONEY):
        refusal = Refusal("forbidden", "Authorization", f"was {who.name}; allowed: {', '.join(MONEY)}")
        raise AnsweredError(Outcome.refused(refusal, 403))
    return await things_read.things(
        store.pool,
        who,
        kind,
        statuses=things_read.OPEN[kind] if open_only else None,
        network=network,
        table=table,
        before=before,
        limit=limit,
    )


@router.get("/gaming-days", response_model=money.Days, tags=["money"])
async def gaming_days(who: Counting, store: TheStore, limit: Few = 30) -> money.Days:
    """Gaming days with settled rounds, the newest first."""
    return await money.days(store.pool, who, limit)


@router.get("/gaming-days/{gaming_day}/money", response_model=money.Money, tags=["money"])
async def money_of_a_day(
    request: Request,
    who: Counting,
    gaming_day: Day,
    store: TheStore,
    by: Annotated[list[money.By] | None, Query(max_length=4)] = None,
    table: Text = None,
) -> money.Money:
    """Handle, win, hold and theoretical win of a gaming day, by any of table, game, wager and shift."""
    chosen = list(dict.fromkeys(by or []))
    return await money.money(store.pool, request.app.state.edges, who, gaming_day, chosen, table)


@router.get("/accounts", response_model=money.Accounts, tags=["money"])
async def accounts_by_name(
    who: Counting, store: TheStore, kind: Text = None, beginning: Text = None, after: Text = None, limit: Limit = 200
) -> money.Accounts:
    """Accounts of the ledger, as its events leave them."""
    return await money.accounts(store.pool, who, kind=kind, beginning=beginning, after=after, limit=limit)


@router.get("/account-history/{account:path}", response_model=things_read.History, tags=["money"])
async def history_of_an_account(
    _who: Counting,
    account: Annotated[
        str, Path(pattern=r"^[a-z]+(/[A-Za-z0-9._:-]{1,64}){0,2}/[A-Z]{3}$", examples=["player/p1/USD"])
    ],
    store: TheStore,
    before: Before = None,
    limit: Few = 50,
) -> things_read.History:
    """The events of one account, the newest first: its statement, from the events alone."""
    if await money.account(store.pool, account) is None:
        raise AnsweredError(unknown("account", account))
    return await things_read.account_history(store.pool, account, before, limit)


@router.get("/condition", response_model=condition.Condition, tags=["health"])
async def condition_now(
    request: Request, _who: OnCall, store: TheStore, minutes: Annotated[int, Query(ge=1, le=60)] = 5
) -> condition.Condition:
    """Lag, outbox, parked keys and dead letters of every service; throughput; how long money takes after a round."""
    delivery: Any = request.app.state.delivery
    owners: Owners = request.app.state.owners
    own = await delivery(store)
    return await condition.condition(store.pool, owners, own, request.scope["pitstream.credential"], minutes)


Service = Annotated[Literal["table", "settlement", "progressive", "wallet"], Path()]


async def _asked(request: Request, service: str, path: str, **query: Any) -> Response:
    """What another service answers to whoever asks here."""
    owners: Owners = request.app.state.owners
    try:
        status, body = await owners.get(service, path, request.scope["pitstream.credential"], **query)
    except UnreachableError as error:
        return Outcome.refused(Refusal("service_unreachable", "service", str(error)), 503).response()
    return Outcome(status, body).response() if status >= 400 else JSONResponse(body, status)


_ANSWER: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/json": {"schema": {"type": "object"}}}},
    503: {"description": "That service does not answer."},
}


@router.get("/services/{service}/dead-letters", responses=_ANSWER, tags=["health"])
async def dead_letters_of_a_service(
    request: Request,
    _who: Operations,
    service: Service,
    after: Annotated[int, Query(ge=0, le=INT64_MAX)] = 0,
    limit: Limit = 100,
    waiting: bool = False,
) -> Response:
    """A service's dead letters, as it tells them itself."""
    query = {"after": str(after), "limit": str(limit), "waiting": "true" if waiting else "false"}
    return await _asked(request, service, "/v1/dead-letters", **query)


@router.get("/services/{service}/dead-letters/{dead_letter_id}", responses=_ANSWER, tags=["health"])
async def dead_letter_of_a_service(
    request: Request,
    _who: Operations,
    service: Service,
    dead_letter_id: Annotated[int, Path(ge=1, le=INT64_MAX)],
) -> Response:
    """One of them with the record's own bytes."""
    return await _asked(request, service, f"/v1/dead-letters/{dead_letter_id}")


_EVENT_STREAM = "text/event-stream"


@router.get(
    "/live",
    response_class=Response,
    responses={200: {"content": {_EVENT_STREAM: {"schema": {"type": "string"}}}}},
    tags=["live"],
)
async def live_changes(
    request: Request,
    who: Reader,
    store: TheStore,
    last_event_id: Annotated[str, Header(max_length=100)] = "",
) -> Response:
    """What changes, as it changes: tables (`floor`), `meters`, `hits` and the like, four times a second at most, and
    once a second how far the topics are heard (`heard`). First everything; with `Last-Event-ID` what changed since."""
    live: Live = request.app.state.live
    return StreamingResponse(
        live.messages(store, who, last_event_id),
        media_type=_EVENT_STREAM,
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )
