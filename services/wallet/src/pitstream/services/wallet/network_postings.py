"""What the ledger posted between tables and the meters of a network: the ledger's side of its reconciliation."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Path
from fastapi.responses import JSONResponse

from pitstream.events.model import NetworkId
from pitstream.runtime import Principal, Store, allowed, store_of
from pitstream.runtime.access import READERS

router = APIRouter(prefix="/v1/networks", tags=["wallet"])


@router.get("/{network}/postings")
async def postings_of_a_network(
    who: Annotated[Principal, Depends(allowed(*READERS))],
    network: Annotated[NetworkId, Path()],
    store: Annotated[Store, Depends(store_of)],
) -> JSONResponse:
    """Table by table and meter by meter: what went from the table's inventory to the meter together with its overflow,
    and to its reserve, less what came back for void rounds; minor units."""
    rows = await store.pool.fetch(_POSTED, f"meter/{network}/", f"overflow/{network}/", f"reserve/{network}/")
    tables: dict[str, dict[str, dict[str, int]]] = {}
    for row in rows:
        if who.sees(row["table_id"]):
            of_table = tables.setdefault(row["table_id"], {})
            of_table[row["meter"]] = {"moved": int(row["moved"]), "reserve_moved": int(row["reserve_moved"])}
    told = [{"table": table, "meters": meters} for table, meters in tables.items()]
    return JSONResponse({"network": network, "tables": told})


_POSTED: Final = """
WITH parts AS (
    SELECT account, kind, split_part(account, '/', 3) AS meter FROM accounts
    WHERE starts_with(account, $1) OR starts_with(account, $2) OR starts_with(account, $3)
), legs AS (
    SELECT split_part(t.debit, '/', 2) AS table_id, parts.meter, parts.kind, t.amount
    FROM parts JOIN transfers t ON t.credit = parts.account AND t.code IN ('contribution', 'contribution_returned')
    UNION ALL
    SELECT split_part(t.credit, '/', 2), parts.meter, parts.kind, -t.amount
    FROM parts JOIN transfers t ON t.debit = parts.account AND t.code IN ('contribution', 'contribution_returned')
)
SELECT table_id, meter, coalesce(sum(amount) FILTER (WHERE kind <> 'reserve'), 0)::text AS moved,
       coalesce(sum(amount) FILTER (WHERE kind = 'reserve'), 0)::text AS reserve_moved
FROM legs GROUP BY table_id, meter ORDER BY table_id, meter
"""
