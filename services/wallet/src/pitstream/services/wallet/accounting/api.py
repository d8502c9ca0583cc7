"""Table accounting over HTTP: slips, buy-ins, the close of a day, its corrections, and reports of all of it."""

from datetime import date
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import JSONResponse
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from pitstream.accounting.properties import Properties
from pitstream.events import Event
from pitstream.events.accounting import CountCorrected, CountName, Pieces, SlipKind, SlipNo
from pitstream.events.model import INT64_MAX, Currency, PlayerId, TableId, Word
from pitstream.events.money import Amount, AmountOrNone
from pitstream.events.refusal import Refusal
from pitstream.runtime import (
    MAY_BE_UNCERTAIN,
    Outcome,
    Principal,
    Role,
    Store,
    allowed,
    command_id,
    has_heard,
    store_of,
    unknown,
)
from pitstream.runtime.access import same_operator
from pitstream.runtime.logs import log
from pitstream.services.wallet.accounting import closing, slips, views
from pitstream.services.wallet.accounting import store as sql
from pitstream.services.wallet.accounting.answers import (
    BuyInAnswer,
    ClosedAnswer,
    NowAnswer,
    SlipAnswer,
    TableDayAnswer,
    TablesAnswer,
    TotalsAnswer,
)
from pitstream.services.wallet.accounting.commands import OF_ROUNDS, Desk, place_of, shift_now, today
from pitstream.services.wallet.accounting.counted import COUNTED
from pitstream.services.wallet.accounting.store import Figures
from pitstream.services.wallet.platform.cursors import cursor_of
from pitstream.services.wallet.platform.cursors import place_of as cursor_place

router = APIRouter(prefix="/v1", tags=["table accounting"])
_COUNT_S_MAX = 60


def _date(text: str) -> str:
    day = date.fromisoformat(text)
    # Beyond these years a gaming day ends outside of the calendar.
    if day.isoformat() != text or not 1970 <= day.year <= 9998:
        raise ValueError("allowed: a date, YYYY-MM-DD, from 1970-01-01 to 9998-12-31")
    return text


TableName = Annotated[TableId, Path(examples=["uth-04"])]
CurrencyCode = Annotated[Currency, Path(examples=["USD"])]
Day = Annotated[str, Path(pattern=r"^\d{4}-\d{2}-\d{2}$", examples=["2026-03-28"]), AfterValidator(_date)]
SlipName = Annotated[SlipNo, Path(examples=["F-10017"])]
Number = Annotated[int, Path(ge=1, le=2**31 - 1, examples=[1])]
PropertyName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$", examples=["local"])]
CommandId = Annotated[str, Depends(command_id)]
TheStore = Annotated[Store, Depends(store_of)]
CLOSING = (Role.AUDITOR, Role.OPERATIONS)
Closing = Annotated[Principal, Depends(allowed(*CLOSING))]
READING = (Role.FLOORPERSON, Role.CASHIER, Role.AUDITOR, Role.OPERATIONS, Role.PLATFORM)
Reader = Annotated[Principal, Depends(allowed(*READING))]


Reason = Annotated[str, Field(min_length=1, max_length=2000, pattern=r"^[^\x00-\x1f\x7f]*$")]


class Body(BaseModel):
    """A body: exact types, no unknown field."""

    model_config = ConfigDict(extra="forbid", strict=True)


class PiecesBody(Body):
    """So many chips, notes or vouchers of one value, minor units."""

    denomination: Amount
    pieces: Annotated[int, Field(ge=1, le=INT64_MAX)]


class SlipBody(Body):
    """A slip as it is made out. ``shift``: the one that it is now unless it is given."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "kind": "fill",
                "slip": "F-10017",
                "pieces": [{"denomination": 500, "pieces": 200}, {"denomination": 2500, "pieces": 40}],
            }
        }
    )

    kind: SlipKind
    slip: SlipNo
    pieces: Annotated[list[PiecesBody], Field(max_length=100)]
    shift: Word | None = None


class BuyInBody(Body):
    """Cash that a player puts into the drop box for as much on the game account, minor units."""

    player: PlayerId
    amount: Amount
    shift: Word | None = None


class ReasonBody(Body):
    """Why."""

    reason: Reason


class CountBody(Body):
    """One count as it should have been."""

    shift: Word
    figure: CountName
    amount: AmountOrNone


class CorrectionBody(Body):
    """What is wrong with a closed day; no count where only its rounds have changed."""

    counts: Annotated[list[CountBody], Field(max_length=100)] = []
    reason: Reason


class PropertyBody(Body):
    """Which property."""

    property: PropertyName


async def _properties(request: Request) -> Properties:
    found: Properties = request.app.state.properties
    return found


TheProperties = Annotated[Properties, Depends(_properties)]


def _desk(*roles: Role) -> Any:
    """The dependency that finds a table's day for a command of people in one of these roles."""

    async def found(
        who: Annotated[Principal, Depends(allowed(*roles))],
        table: TableName,
        gaming_day: Day,
        currency: CurrencyCode,
        command_id: CommandId,
        store: TheStore,
        properties: TheProperties,
    ) -> Desk:
        place = place_of(properties, table, currency, gaming_day)
        return Desk(place, today(properties, place.owner, store.clock_us()), who, command_id, store)

    return Depends(found)


FloorDesk = Annotated[Desk, _desk(Role.DEALER, Role.FLOORPERSON, Role.CASHIER, Role.AUDITOR)]
AuditDesk = Annotated[Desk, _desk(Role.FLOORPERSON, Role.AUDITOR)]
ClosingDesk = Annotated[Desk, _desk(*CLOSING)]
DAY = "/tables/{table}/days/{gaming_day}/{currency}"


@router.post(DAY + "/slips", status_code=201, response_model=SlipAnswer)
async def make_out_slip(desk: FloorDesk, body: SlipBody, properties: TheProperties) -> JSONResponse:
    """The first signature of a slip: dealer or floorperson for an opener and a closer, cashier or floorperson for a
    fill and a credit, cashier or auditor for a drop. It counts once a second person has signed it."""
    shift = body.shift or shift_now(properties, desk.place, desk.store.clock_us())
    pieces = tuple(Pieces(denomination=one.denomination, pieces=one.pieces) for one in body.pieces)

    def decide(figures: Figures) -> list[Event] | Refusal:
        return slips.prepare_slip(desk.place, figures.day, body.kind, body.slip, shift, pieces, desk.signer)

    outcome = await desk.carry_out(
        "MakeOutSlip", body.model_dump(), decide, lambda figures, _: _slip(desk, figures, body.slip), 201
    )
    return outcome.response()


@router.post(DAY + "/slips/{slip}/sign", response_model=SlipAnswer)
async def sign_slip(desk: FloorDesk, slip: SlipName) -> JSONResponse:
    """The second signature, by another person of the other role: the slip counts, and what it brings moves."""
    outcome = await desk.carry_out(
        "SignSlip",
        {"slip": slip},
        lambda figures: slips.sign_slip(desk.place, figures.day, slip, desk.signer),
        lambda figures, _: _slip(desk, figures, slip),
    )
    return outcome.response()


@router.post(DAY + "/slips/{slip}/cancel", response_model=SlipAnswer)
async def cancel_slip(desk: FloorDesk, slip: SlipName, body: ReasonBody) -> JSONResponse:
    """A slip with one signature is void. Its number is not used again."""
    outcome = await desk.carry_out(
        "CancelSlip",
        {"slip": slip, "reason": body.reason},
        lambda figures: slips.cancel_slip(desk.place, figures.day, slip, body.reason, desk.signer),
        lambda figures, _: _slip(desk, figures, slip),
    )
    return outcome.response()


def _slip(desk: Desk, figures: Figures, slip: str) -> dict[str, Any]:
    sheet = views.open_sheet(desk.place, figures)
    counted = views.summary(sheet)["counted"]
    return {**views.name_of(desk.place), **views.slip_view(figures.day.slips[slip]), "counted": counted}


@router.post(DAY + "/buy-ins", status_code=201, response_model=BuyInAnswer)
async def buy_in_at_the_table(desk: FloorDesk, body: BuyInBody, properties: TheProperties) -> JSONResponse:
    """A player of the table's operator buys in at the table: cash into the drop box, as much from the table's inventory
    to the game account, which the first buy-in opens. Answers with the account."""
    if not same_operator(body.player, desk.place.table):
        return unknown("player", body.player).response()
    shift = body.shift or shift_now(properties, desk.place, desk.store.clock_us())
    return (await desk.buy_in(body.player, body.amount, shift)).response()


@router.post(DAY + "/close", response_model=TableDayAnswer, responses=MAY_BE_UNCERTAIN)
async def close_table_day(desk: ClosingDesk) -> JSONResponse:
    """The table's day is closed and its figures are fixed, once all was heard of its rounds, every round is settled,
    every slip signed, and a table that was opened with a count was closed with one. Closed again, it answers what it
    was closed with."""
    return (await _close(desk)).response()


async def _edges_known(desk: Desk) -> None:
    """What is fixed has every edge that can be known: those of a property's own paytables are counted first, so long as
    that takes no minute. Outside of the command's transaction, which holds the table's lock."""
    await sql.figures_of(desk.store.pool, desk.place)
    if not await COUNTED.all_known(_COUNT_S_MAX):
        log.warning("the odds of a table are not counted yet", table=desk.place.table, timeout_s=_COUNT_S_MAX)


async def _close(desk: Desk) -> Outcome:
    await _edges_known(desk)

    def decide(figures: Figures) -> list[Event] | Refusal:
        if views.empty(figures.day, figures):
            return Refusal(
                "nothing_to_close", "gaming_day", f"was {desk.place.gaming_day}; nothing was dealt or counted"
            )
        if not figures.fits_an_event:
            return Refusal("amount_out_of_range", "gaming_day", f"a sum of the day is above {INT64_MAX} minor units")
        return closing.close_day(desk.place, figures.day, figures.rounds, figures.wagers, figures.underway, desk.signer)

    view = _day(desk)
    return await desk.carry_out("CloseTableDay", {}, decide, view, rests_on_rounds=True)


@router.post(DAY + "/corrections", status_code=201, response_model=TableDayAnswer, responses=MAY_BE_UNCERTAIN)
async def prepare_correction(desk: AuditDesk, body: CorrectionBody) -> JSONResponse:
    """What is wrong with a closed day, by a floorperson or an auditor. Nothing changes before the other one agrees.
    Rounds that came late, and prizes refused since, are taken in with it, whatever counts it has."""
    counts = tuple(CountCorrected(**one.model_dump()) for one in body.counts)

    def decide(figures: Figures) -> list[Event] | Refusal:
        return closing.prepare_correction(
            desk.place, figures.day, counts, figures.settled_differs, body.reason, desk.signer
        )

    outcome = await desk.carry_out("PrepareCorrection", body.model_dump(), decide, _day(desk), 201)
    return outcome.response()


@router.post(DAY + "/corrections/{number}/approve", response_model=TableDayAnswer, responses=MAY_BE_UNCERTAIN)
async def approve_correction(desk: AuditDesk, number: Number) -> JSONResponse:
    """The second person agrees: the day's figures are the corrected ones from here on, dated with the property's
    present gaming day; the old ones stay beside them."""

    def decide(figures: Figures) -> list[Event] | Refusal:
        if not figures.fits_an_event:
            return Refusal("amount_out_of_range", "gaming_day", f"a sum of the day is above {INT64_MAX} minor units")
        return closing.approve_correction(
            desk.place, figures.day, number, desk.today, figures.rounds, figures.wagers, desk.signer
        )

    await _edges_known(desk)
    outcome = await desk.carry_out("ApproveCorrection", {"number": number}, decide, _day(desk), rests_on_rounds=True)
    return outcome.response()


@router.post(DAY + "/corrections/{number}/decline", response_model=TableDayAnswer)
async def decline_correction(desk: AuditDesk, number: Number, body: ReasonBody) -> JSONResponse:
    """A prepared correction is not agreed to."""
    outcome = await desk.carry_out(
        "DeclineCorrection",
        {"number": number, "reason": body.reason},
        lambda figures: closing.decline_correction(desk.place, figures.day, number, body.reason, desk.signer),
        _day(desk),
    )
    return outcome.response()


def _day(desk: Desk) -> Any:
    return lambda figures, _: views.day_view(desk.place, figures)


@router.get(DAY, response_model=TableDayAnswer)
async def table_day(
    _who: Reader, table: TableName, gaming_day: Day, currency: CurrencyCode, store: TheStore, properties: TheProperties
) -> JSONResponse:
    """A table's day: what was counted, what was settled, and the difference; by shift, game and wager."""
    place = place_of(properties, table, currency, gaming_day)
    figures = await sql.figures_of(store.pool, place)
    if views.empty(figures.day, figures):
        return unknown("table", table).response()
    return JSONResponse(views.day_view(place, figures))


ALL = "/gaming-days/{gaming_day}"


@router.get(ALL + "/tables", response_model=TablesAnswer)
async def tables_of_a_day(
    who: Reader,
    gaming_day: Day,
    store: TheStore,
    properties: TheProperties,
    property: Annotated[PropertyName | None, Query()] = None,  # noqa: A002  # the floor's word
    after: Annotated[str | None, Query(max_length=500)] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> JSONResponse:
    """The day of every table that the caller sees, in order of their names: ``next`` is the cursor of the next page."""
    began = cursor_place(after, "tables", _table_and_currency)
    names = await sql.tables_of_day(
        store.pool, gaming_day, owner=property, seen=who.owner_patterns, after=began or ("", ""), limit=limit
    )
    places = [place_of(properties, table, currency, gaming_day) for table, currency in names]
    figures = await sql.figures_of_all(store.pool, places)
    days = [views.day_view(place, one) for place, one in zip(places, figures, strict=True)]
    following = cursor_of("tables", "/".join(names[-1])) if len(names) == limit else None
    return JSONResponse({"tables": days, "next": following})


def _table_and_currency(text: str) -> tuple[str, str]:
    table, slash, currency = text.partition("/")
    if not slash or "\x00" in text:
        raise ValueError("allowed: a table and a currency")
    return table, currency


@router.get(ALL + "/totals", response_model=TotalsAnswer)
async def totals_of_a_day(
    who: Reader,
    gaming_day: Day,
    store: TheStore,
    properties: TheProperties,
    per: Annotated[Literal["day", "game", "shift"], Query()] = "day",
    property: Annotated[PropertyName | None, Query()] = None,  # noqa: A002
) -> JSONResponse:
    """What the tables that the caller sees come to together, by currency and day, game or shift."""
    names = await sql.tables_of_day(store.pool, gaming_day, owner=property, seen=who.owner_patterns)
    places = [place_of(properties, table, currency, gaming_day) for table, currency in names]
    figures = await sql.figures_of_all(store.pool, places)
    sheets = [
        (place, one.day.sheet if one.day.closed else views.open_sheet(place, one))
        for place, one in zip(places, figures, strict=True)
    ]
    return JSONResponse({"gaming_day": gaming_day, "totals": views.totals_view(sheets, per)})


@router.post(ALL + "/close", response_model=ClosedAnswer, responses=MAY_BE_UNCERTAIN)
async def close_gaming_day(
    who: Closing, gaming_day: Day, body: PropertyBody, command_id: CommandId, store: TheStore, properties: TheProperties
) -> JSONResponse:
    """Close the day of every table of a property. Each table is closed by itself; those that cannot be are named with
    the reason, and are closed by a later command once it is gone."""
    if not who.covers(body.property):
        return unknown("property", body.property).response()
    if not await has_heard(store, OF_ROUNDS):
        unread = Refusal("not_heard_yet", "", f"{gaming_day}: not all that was played was read yet")
        return Outcome.again(unread).response()
    names = await sql.tables_of_day(store.pool, gaming_day, owner=body.property)
    closed, left = [], []
    for table, currency in names:
        place = place_of(properties, table, currency, gaming_day)
        now = today(properties, place.owner, store.clock_us())
        desk = Desk(place, now, who, f"{command_id}/{table}/{currency}", store, frozenset(OF_ROUNDS))
        outcome = await _close(desk)
        name = {"table": table, "currency": currency}
        if outcome.status == 200:
            closed.append(name)
        else:
            left.append({**name, **{key: outcome.body[key] for key in ("code", "detail")}})
    return JSONResponse({"gaming_day": gaming_day, "property": body.property, "closed": closed, "open": left})


@router.get("/gaming-days/now", response_model=NowAnswer)
async def gaming_day_now(
    who: Reader,
    store: TheStore,
    properties: TheProperties,
    property: Annotated[PropertyName, Query()] = "local",  # noqa: A002
) -> JSONResponse:
    """The gaming day and shift of a property at this moment, and when the day begins and ends."""
    if not who.covers(property):
        return unknown("property", property).response()
    now_us = store.clock_us()
    calendar = properties.calendar_of(property)
    day = calendar.gaming_day(now_us)
    begins_us, ends_us = calendar.bounds_us(day)
    return JSONResponse(
        {
            "property": property,
            "time_zone": calendar.zone.key,
            "gaming_day": day.isoformat(),
            "shift": calendar.shift_at(day, now_us),
            "begins_at_us": begins_us,
            "ends_at_us": ends_us,
            "hours": str((ends_us - begins_us) // 3_600_000_000),
        }
    )
