"""The pages: the floor, a table, a round. Each is made from what the read models say.

A page is made of panels, and each panel has an address of its own, from which the page renews it.
"""

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import HTMLResponse, Response

from pitstream.events import Recorded
from pitstream.events.currencies import ISO_4217
from pitstream.events.model import INT64_MAX, TableId
from pitstream.games.registry import GAMES
from pitstream.runtime import AnsweredError, Principal, Role, Store, allowed, store_of, unknown
from pitstream.runtime.access import READERS, unknown_round
from pitstream.services.ops import floor, pages_health, pages_money, pages_network, pages_search
from pitstream.services.ops.floor import TableOnFloor
from pitstream.services.ops.frame import now_us
from pitstream.services.ops.rendering import page
from pitstream.services.ops.round_told import history_of
from pitstream.services.ops.rounds_read import RoundOfTable, rounds_of_table
from pitstream.services.ops.things_read import OPEN, ThingView, things
from pitstream.story.page import page as printed
from pitstream.story.page import parts_css, theme_css
from pitstream.story.telling import Telling, View, tell

router = APIRouter(tags=["pages"], default_response_class=HTMLResponse)
for part in (pages_network, pages_money, pages_health, pages_search):
    router.include_router(part.router)

Reader = Annotated[Principal, Depends(allowed(*READERS))]
TheStore = Annotated[Store, Depends(store_of)]
TableName = Annotated[TableId, Path(examples=["uth-04"])]
RoundNumber = Annotated[int, Path(ge=1, le=INT64_MAX, examples=[12])]

_LAST_ROUNDS = 16


@router.get("/static/story.css", response_class=Response, responses={200: {"content": {"text/css": {}}}})
async def story_style() -> Response:
    """The tokens and parts that a told round has everywhere."""
    return Response(f"{theme_css()}\n{parts_css()}", media_type="text/css")


@router.get("/")
async def floor_page(request: Request, who: Reader, store: TheStore) -> HTMLResponse:
    """Every table live."""
    now = await floor.floor_of(store.pool, who)
    tables = now.model_dump()["tables"]
    games = {name: GAMES[name].title for name in sorted({table["game"] for table in tables} & GAMES.keys())}
    scales = {currency: ISO_4217.get(currency, 2) for currency in {table["currency"] for table in tables}}
    facts = {"tables": tables, "games": games, "scales": scales}
    return page(request, "floor.html", tables=tables, games=games, facts=facts)


@dataclass(frozen=True, slots=True)
class LiveRound:
    """The table's newest round as it lies on the felt."""

    view: View
    community_cards: int
    dealer_cards: int


async def _table(store: Store, table: str) -> TableOnFloor:
    found = await floor.tables_named(store.pool, [table])
    if not found:
        raise AnsweredError(unknown("table", table))
    return found[0]


async def _live(store: Store, table: TableOnFloor) -> LiveRound | None:
    history = await history_of(store.pool, table.table, table.round_no) if table.round_no else None
    if history is None:
        return None
    telling = tell(history)
    return LiveRound(telling.steps[-1].view, telling.title.community_cards, telling.title.dealer_cards)


async def _last(store: Store, table: str) -> list[RoundOfTable]:
    found = await rounds_of_table(store.pool, table, None, _LAST_ROUNDS)
    return [one for one in found.rounds if one.settled_us is not None]


async def _hits(store: Store, who: Principal, table: str) -> list[ThingView]:
    return (await things(store.pool, who, "hit", statuses=OPEN["hit"], table=table)).things


async def _table_facts(store: Store, table: str) -> dict[str, Any]:
    """What each panel of a table's page is made from."""
    found = await _table(store, table)
    game = GAMES[found.game].title if found.game in GAMES else found.game
    return {"table": found, "game": game, "as_of_us": now_us()}


@router.get("/tables/{table}")
async def table_page(request: Request, who: Reader, store: TheStore, table: TableName) -> HTMLResponse:
    """A table: its felt, its last rounds, its figures, its open hits."""
    facts = await _table_facts(store, table)
    live = await _live(store, facts["table"])
    rounds = await _last(store, table)
    return page(request, "table.html", **facts, live=live, rounds=rounds, hits=await _hits(store, who, table))


@router.get("/tables/{table}/felt")
async def table_felt(request: Request, _who: Reader, store: TheStore, table: TableName) -> HTMLResponse:
    """The felt alone."""
    facts = await _table_facts(store, table)
    return page(request, "table_felt.html", **facts, live=await _live(store, facts["table"]))


@router.get("/tables/{table}/last-rounds")
async def table_rounds(request: Request, _who: Reader, store: TheStore, table: TableName) -> HTMLResponse:
    """The last rounds alone."""
    facts = await _table_facts(store, table)
    return page(request, "table_rounds.html", **facts, rounds=await _last(store, table))


@router.get("/tables/{table}/figures")
async def table_figures(request: Request, _who: Reader, store: TheStore, table: TableName) -> HTMLResponse:
    """The figures alone."""
    return page(request, "table_figures.html", **await _table_facts(store, table))


@router.get("/tables/{table}/open-hits")
async def table_hits(request: Request, who: Reader, store: TheStore, table: TableName) -> HTMLResponse:
    """The open hits alone."""
    return page(request, "table_hits.html", **await _table_facts(store, table), hits=await _hits(store, who, table))


async def _telling(store: Store, table: str, round_no: int) -> Telling:
    history = await history_of(store.pool, table, round_no)
    if history is None:
        raise AnsweredError(unknown_round(table, round_no))
    return tell(history)


def _stage(telling: Telling, at: int) -> dict[str, Any]:
    """The round after one of its events; after its last one where there are not so many."""
    return {"telling": telling, "step": telling.steps[min(at, len(telling.steps)) - 1]}


@router.get("/rounds/{table}/{round_no}")
async def round_page(
    request: Request,
    who: Reader,
    store: TheStore,
    table: TableName,
    round_no: RoundNumber,
    at: Annotated[int, Query(ge=1, le=INT64_MAX)] = INT64_MAX,
) -> HTMLResponse:
    """A round, event by event, with its settlement, its money and its proof."""
    telling = await _telling(store, table, round_no)
    return page(
        request,
        "round.html",
        **_stage(telling, at),
        **await _rulings(store, who, table, round_no),
        trace=_trace(telling.steps[-1].recorded, request.app.state.trace_url),
        may_dispute=Role.FLOORPERSON in who.roles,
        dispute_action=f"/actions/tables/{table}/rounds/{round_no}/disputes",
    )


async def _rulings(store: Store, who: Principal, table: str, round_no: int) -> dict[str, Any]:
    found = await pages_search.rulings(store, who, table, round_no)
    return {**found, "href": f"/rounds/{table}/{round_no}", "table": table}


@router.get("/rounds/{table}/{round_no}/rulings")
async def round_rulings(
    request: Request, who: Reader, store: TheStore, table: TableName, round_no: RoundNumber
) -> HTMLResponse:
    """The round's disputes and corrections alone."""
    return page(request, "round_rulings.html", **await _rulings(store, who, table, round_no))


@router.get("/rounds/{table}/{round_no}/at/{number}")
async def round_stage(
    request: Request, _who: Reader, store: TheStore, table: TableName, round_no: RoundNumber, number: RoundNumber
) -> HTMLResponse:
    """The table after one event of the round, for the slider."""
    return page(request, "stage.html", **_stage(await _telling(store, table, round_no), number))


@router.get("/rounds/{table}/{round_no}/print")
async def round_print(_who: Reader, store: TheStore, table: TableName, round_no: RoundNumber) -> HTMLResponse:
    """The round as one page that needs nothing else, for paper and for files."""
    return HTMLResponse(printed(await _telling(store, table, round_no)), headers={"Content-Security-Policy": _ALONE})


_ALONE = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; sandbox allow-modals allow-scripts"
"""The printed page has its style and its script in itself, and can reach nothing of ours."""


def _trace(recorded: Recorded, url: str) -> dict[str, str]:
    """The trace that an event was made in, and where it can be looked at.

    >>> from pitstream.events.envelope import Envelope
    >>> envelope = Envelope(traceparent="00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
    >>> _trace(Recorded(None, envelope, b""), "https://traces.example/{trace_id}")["href"]
    'https://traces.example/0af7651916cd43dd8448eb211c80319c'
    """
    parts = recorded.envelope.traceparent.split("-")
    trace_id = parts[1] if len(parts) == 4 else ""
    return {"id": trace_id, "href": url.replace("{trace_id}", trace_id) if trace_id else ""}
