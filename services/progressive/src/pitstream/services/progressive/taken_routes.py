"""What a network's meters took of each table's wagers: the network's own side of its reconciliation, over HTTP."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query
from fastapi.responses import JSONResponse

from pitstream.events.model import INT64_MAX, NetworkId, TableId
from pitstream.runtime import Principal, Store, allowed, store_of, unknown
from pitstream.runtime.access import READERS
from pitstream.services.progressive import taken_store

router = APIRouter(prefix="/v1/networks", tags=["progressive networks"])


@router.get("/{network}/contributions")
async def contributions_of_a_network(
    who: Annotated[Principal, Depends(allowed(*READERS))],
    network: Annotated[NetworkId, Path()],
    store: Annotated[Store, Depends(store_of)],
    table: TableId | None = None,
    after_round: Annotated[int, Query(ge=0, le=INT64_MAX)] = 0,
    limit: Annotated[int, Query(ge=1, le=10_000)] = 1000,
) -> JSONResponse:
    """Table by table: the stakes that the meters took less those they gave back, the stakes that wait for a person's
    word or were kept out, and what each meter rose by. With ``table`` also that table's ``rounds``, ``limit`` of them
    after ``after_round``."""
    async with store.transaction() as tx:
        if not await taken_store.is_open(tx.conn, network):
            return unknown("network", network).response()
        tables = await taken_store.by_table(tx.conn, network)
        rounds = await taken_store.by_round(tx.conn, network, table, after_round, limit) if table else []
    seen = [one for one in tables if who.sees(one["table"]) and table in (None, one["table"])]
    shown = {"rounds": rounds} if table and who.sees(table) else {}
    return JSONResponse({"network": network, "tables": seen, **shown})
