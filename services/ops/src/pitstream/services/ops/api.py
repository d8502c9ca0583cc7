"""The read API: everything that the pages show, as JSON."""

from typing import Annotated

from fastapi import APIRouter, Depends

from pitstream.runtime import Principal, Store, allowed, store_of
from pitstream.runtime.access import READERS
from pitstream.services.ops import floor

router = APIRouter(prefix="/v1", tags=["floor"])

Reader = Annotated[Principal, Depends(allowed(*READERS))]
TheStore = Annotated[Store, Depends(store_of)]


@router.get("/floor", response_model=floor.Floor)
async def floor_now(who: Reader, store: TheStore) -> floor.Floor:
    """Every table that the caller sees: game, seats, street, who is asked, pace; handle, win and hold of its day."""
    return await floor.floor_of(store.pool, who)
