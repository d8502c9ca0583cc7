"""The settlement service's edges: settled rounds and sums over them, read over HTTP."""

from datetime import date
from functools import partial
from importlib.resources import files
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from pitstream.events import Event
from pitstream.events.ids import settlement_stream
from pitstream.events.model import RoundNo, TableId, Word
from pitstream.events.rounds import TOPIC as ROUNDS
from pitstream.events.settlements import RoundResettled, RoundSettled
from pitstream.runtime import Principal, RecordedView, Service, Store, allowed, history, store_of
from pitstream.runtime.access import READERS, unknown_round
from pitstream.services.settlement import store as sql
from pitstream.services.settlement import telemetry
from pitstream.services.settlement.config import SettlementSettings
from pitstream.services.settlement.handlers import settle_rounds

router = APIRouter(prefix="/v1", tags=["settlements"])

TheStore = Annotated[Store, Depends(store_of)]
Reader = Annotated[Principal, Depends(allowed(*READERS))]


class RoundName(BaseModel):
    """A round of a table."""

    model_config = ConfigDict(extra="forbid", strict=True)

    table: TableId
    round_no: RoundNo


class RoundsBody(BaseModel):
    """The rounds asked for."""

    model_config = ConfigDict(
        extra="forbid", strict=True, json_schema_extra={"example": {"rounds": [{"table": "uth-04", "round_no": 17}]}}
    )

    rounds: Annotated[list[RoundName], Field(max_length=10_000)]


class SettledRounds(BaseModel):
    """Settlements, each as its event tells it."""

    settled: list[RoundSettled]


class SettledPage(SettledRounds):
    """A page of settlements; ``next`` is the ``after`` of the page after it."""

    next: str | None


class VersionView(BaseModel):
    """One settlement of a round. ``supersedes``: the event whose settlement it took the place of, if any."""

    event_id: str
    supersedes: str | None
    correction: Annotated[int, Field(description="the correction that it came of; 0: the round as it was played")]
    reason: str | None
    proposed_by: str | None
    confirmed_by: str | None
    settled: RoundSettled


class VersionsView(BaseModel):
    """Every settlement that a round ever had; the last one is in force."""

    versions: list[VersionView]


class TotalView(BaseModel):
    """What a wager came to, minor units."""

    gaming_day: str
    game: str
    currency: str
    wager: str
    rounds: int
    stake: int
    returned: int
    won: int
    awards: int
    claims: int


class TotalsView(BaseModel):
    """In the order of day, game, currency and wager."""

    totals: list[TotalView]


@router.get("/rounds/{table}/{round_no}", response_model=RoundSettled)
async def settled_round(_who: Reader, table: TableId, round_no: RoundNo, store: TheStore) -> JSONResponse:
    """What each wager of a round came to, and by which paragraph: what is in force, should the round have been
    corrected. A share of a meter is claimed, its ``won`` is 0."""
    found = await sql.settled_rounds(store.pool, [settlement_stream(table, round_no)])
    return JSONResponse(found[0].model_dump(mode="json")) if found else unknown_round(table, round_no).response()


@router.get("/rounds/{table}/{round_no}/events", response_model=list[RecordedView])
async def settlement_events(_who: Reader, table: TableId, round_no: RoundNo, store: TheStore) -> JSONResponse:
    """The settlement's stream, with the exact bytes stored."""
    async with store.transaction() as tx:
        recorded = await tx.load(settlement_stream(table, round_no))
    return JSONResponse(history(recorded)) if recorded else unknown_round(table, round_no).response()


@router.get("/rounds/{table}/{round_no}/versions", response_model=VersionsView)
async def settlement_versions(_who: Reader, table: TableId, round_no: RoundNo, store: TheStore) -> JSONResponse:
    """Every settlement of a round, the first one and one for each correction, the last of which is in force."""
    async with store.transaction() as tx:
        recorded = await tx.load(settlement_stream(table, round_no))
    if not recorded:
        return unknown_round(table, round_no).response()
    versions = [_version(one.envelope.event_id, one.event) for one in recorded]
    return JSONResponse(VersionsView(versions=versions).model_dump(mode="json"))


def _version(event_id: str, event: Event) -> VersionView:
    if isinstance(event, RoundResettled):
        return VersionView(
            event_id=event_id,
            supersedes=event.supersedes,
            correction=event.correction,
            reason=event.reason,
            proposed_by=event.proposed_by,
            confirmed_by=event.confirmed_by,
            settled=event.in_force,
        )
    if not isinstance(event, RoundSettled):
        raise TypeError(f"{event.type_name} is no settlement")
    return VersionView(
        event_id=event_id,
        supersedes=None,
        correction=0,
        reason=None,
        proposed_by=None,
        confirmed_by=None,
        settled=event,
    )


@router.post("/rounds/query", response_model=SettledRounds)
async def settled_rounds(who: Reader, body: RoundsBody, store: TheStore) -> JSONResponse:
    """The settlements of many rounds, in the order asked for; a round that is not settled yet is left out."""
    streams = [settlement_stream(asked.table, asked.round_no) for asked in body.rounds if who.sees(asked.table)]
    found = await sql.settled_rounds(store.pool, streams)
    return JSONResponse({"settled": [settled.model_dump(mode="json") for settled in found]})


@router.get("/gaming-days/{gaming_day}/rounds", response_model=SettledPage)
async def settled_rounds_of_a_day(
    who: Reader,
    gaming_day: Annotated[date, Path(examples=["2025-06-14"])],
    store: TheStore,
    after: Annotated[str | None, Query(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}/[0-9]{1,18}$")] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> JSONResponse:
    """The settled rounds of a gaming day that anybody bet in, of the tables that the caller sees, by table and number:
    ``next`` is the ``after`` of the next page."""
    table, _, round_no = (after or "/0").partition("/")
    found = await sql.rounds_of_day(
        store.pool, gaming_day, seen=who.owner_patterns, after=(table, int(round_no)), limit=limit
    )
    last = f"{found[-1].table}/{found[-1].round_no}" if len(found) == limit else None
    return JSONResponse({"settled": [settled.model_dump(mode="json") for settled in found], "next": last})


@router.get("/totals", response_model=TotalsView)
async def totals(
    who: Reader,
    store: TheStore,
    gaming_day: Annotated[date | None, Query(examples=["2025-06-14"])] = None,
    game: Annotated[Word | None, Query(examples=["ultimate_texas_holdem"])] = None,
) -> JSONResponse:
    """Per gaming day, game, currency and wager: rounds in which it was bet, and sums of ``stake``, ``returned``,
    ``won`` and ``awards`` over all lines, void and forfeited ones too, minor units. Envy counts with ``progressive``,
    lucky and magic with ``five_card``. ``claims`` counts shares of meters: their amounts are the progressive service's
    and not in ``won``.
    """
    return JSONResponse({"totals": await sql.wager_totals(store.pool, gaming_day, game, who.owner_patterns)})


def build(settings: SettlementSettings | None = None) -> Service:
    """The service, each part wired once; settings are read from the environment unless given."""
    chosen = settings or SettlementSettings()
    return Service(
        chosen,
        migrations=files("pitstream.services.settlement") / "migrations",
        handlers={ROUNDS: partial(settle_rounds, paytables=chosen.paytables)},
        unhurried={ROUNDS},
        router=router,
        title="pitstream settlement: what each wager came to",
        counting=telemetry.count,
    )
