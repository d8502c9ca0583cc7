"""The lists that a gaming day is reconciled by, over HTTP."""

from datetime import date
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Query
from fastapi.responses import JSONResponse
from pydantic import Field

from pitstream.accounting.properties import Properties
from pitstream.events.model import INT64_MAX
from pitstream.runtime import Principal, allowed, unknown
from pitstream.services.wallet.accounting import day_lists as sql
from pitstream.services.wallet.accounting.answers import MovementsAnswer, RoundsAnswer
from pitstream.services.wallet.accounting.api import ALL, READING, Body, Day, PropertyName, TheProperties, TheStore
from pitstream.services.wallet.platform.cursors import cursor_of
from pitstream.services.wallet.platform.cursors import place_of as cursor_place

router = APIRouter(prefix="/v1", tags=["reconciliation"])

Reader = Annotated[Principal, Depends(allowed(*READING))]
After = Annotated[str | None, Query(max_length=500)]
Limit = Annotated[int, Query(ge=1, le=1000)]
Operator = Annotated[PropertyName, Query(examples=["acme"])]


class MovementsBody(Body):
    """Which movements of an operator's players."""

    operator: PropertyName
    transaction_ids: Annotated[list[Annotated[UUID, Field(strict=False)]], Field(max_length=1000)]


@router.get(ALL + "/rounds", response_model=RoundsAnswer)
async def rounds_of_a_day(
    who: Reader, gaming_day: Day, store: TheStore, after: After = None, limit: Limit = 200
) -> JSONResponse:
    """The rounds of a gaming day as the ledger has them, each with what was posted for it, by table and number."""
    began = cursor_place(after, "rounds", _round) or ("", 0)
    found = await sql.rounds_of_day(store.pool, gaming_day, seen=who.owner_patterns, after=began, limit=limit)
    following = cursor_of("rounds", f"{found[-1]['table']}/{found[-1]['round_no']}") if len(found) == limit else None
    return JSONResponse({"rounds": found, "next": following})


@router.get(ALL + "/movements", response_model=MovementsAnswer)
async def movements_of_a_day(
    who: Reader,
    gaming_day: Day,
    operator: Operator,
    store: TheStore,
    properties: TheProperties,
    after: After = None,
    limit: Limit = 200,
) -> JSONResponse:
    """What came from an operator to its players' game accounts, or went back, on a gaming day of the operator's clock.
    ``way``: ``in`` to the game account, or ``out`` of it. ``state``: of a move at the operator's own wallet, whether it
    stands there (``booked``), is ``uncertain``, or nothing of it stands (``undone``)."""
    if not who.covers(operator):
        return unknown("operator", operator).response()
    began = cursor_place(after, "movements", _source_and_position) or (0, -1)
    between_us = properties.calendar_of(operator).bounds_us(date.fromisoformat(gaming_day))
    found = await sql.movements(store.pool, operator, between_us, after=began, limit=limit)
    last = found[-1] if len(found) == limit else None
    following = None if last is None else cursor_of("movements", f"{last['source']}/{last['position']}")
    return JSONResponse({"movements": [_movement(row, properties, operator) for row in found], "next": following})


@router.post("/movements/query", response_model=MovementsAnswer)
async def movements_by_id(who: Reader, body: MovementsBody, store: TheStore, properties: TheProperties) -> JSONResponse:
    """Movements of an operator's players by their ids, with the gaming day that each is of; changes nothing."""
    if not who.covers(body.operator):
        return unknown("operator", body.operator).response()
    found = await sql.movements_named(store.pool, body.operator, [str(one) for one in body.transaction_ids])
    return JSONResponse({"movements": [_movement(row, properties, body.operator) for row in found]})


def _movement(row: dict[str, Any], properties: Properties, operator: str) -> dict[str, Any]:
    at_us = int(row["at"].timestamp()) * 1_000_000 + row["at"].microsecond
    return {
        "transaction_id": str(row["transaction_id"]),
        "player": row["player"],
        "currency": row["currency"],
        "way": row["way"],
        "amount": row["amount"],
        "state": row["state"],
        "gaming_day": properties.calendar_of(operator).gaming_day(at_us).isoformat(),
    }


def _round(text: str) -> tuple[str, int]:
    table, slash, round_no = text.partition("/")
    if not slash or "\x00" in table or not 0 <= int(round_no) <= INT64_MAX:
        raise ValueError("allowed: a table and a round's number")
    return table, int(round_no)


def _source_and_position(text: str) -> tuple[int, int]:
    source, _, position = text.partition("/")
    if int(source) not in (0, 1) or not 0 <= int(position) <= INT64_MAX:
        raise ValueError("allowed: a source and a position")
    return int(source), int(position)
