"""The pages, each made from what the read models say."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse

from pitstream.runtime import Principal, Store, allowed, store_of
from pitstream.runtime.access import READERS
from pitstream.services.ops import floor
from pitstream.services.ops.rendering import page

router = APIRouter(tags=["pages"], default_response_class=HTMLResponse)

Reader = Annotated[Principal, Depends(allowed(*READERS))]
TheStore = Annotated[Store, Depends(store_of)]


@router.get("/")
async def floor_page(request: Request, who: Reader, store: TheStore) -> HTMLResponse:
    """Every table live."""
    return page(request, "floor.html", floor=await floor.floor_of(store.pool, who))
