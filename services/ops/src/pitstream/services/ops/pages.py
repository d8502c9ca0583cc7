"""The pages, each made from what the read models say."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse, Response

from pitstream.events.currencies import ISO_4217
from pitstream.games.registry import GAMES
from pitstream.runtime import Principal, Store, allowed, store_of
from pitstream.runtime.access import READERS
from pitstream.services.ops import floor
from pitstream.services.ops.rendering import page
from pitstream.story.page import parts_css, theme_css

router = APIRouter(tags=["pages"], default_response_class=HTMLResponse)

Reader = Annotated[Principal, Depends(allowed(*READERS))]
TheStore = Annotated[Store, Depends(store_of)]


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
