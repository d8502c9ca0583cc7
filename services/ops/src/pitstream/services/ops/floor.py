"""The floor as it is read: every table live."""

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from pydantic import BaseModel

from pitstream.runtime import Principal
from pitstream.services.ops.freshness import AsOf, as_of
from pitstream.services.ops.on_floor import pace_of
from pitstream.services.ops.told import Connection


class SeatOnFloor(BaseModel):
    """A seat with wagers down; ``is_in``: not folded and not forfeited."""

    seat: int
    player: str
    staked: int
    is_in: bool


class TableOnFloor(BaseModel):
    """A table as it stands. Amounts are minor units; ``pace`` is rounds an hour, ``hold`` win / handle as a fraction.

    ``handle``, ``win`` and ``rounds`` are of its gaming day, as settled."""

    table: str
    is_open: bool
    game: str
    gaming_day: str
    currency: str
    network: str | None
    suspended: bool
    round_no: int
    stage: str | None
    street: str | None
    asked: int | None
    seats: list[SeatOnFloor]
    round_began_us: int | None
    pace: int | None
    rounds: int
    handle: int
    win: int
    hold: str | None
    last_event_us: int


class Floor(BaseModel):
    """Every table that the caller sees, by name."""

    as_of: AsOf
    tables: list[TableOnFloor]


async def floor_of(conn: Connection, who: Principal) -> Floor:
    """The floor in these scopes."""
    rows = await conn.fetch(f"{SELECT} WHERE ($1::text[] IS NULL OR f.table_id ~ ANY($1)) {ORDER}", who.owner_patterns)
    return Floor(as_of=await as_of(conn), tables=[table_of(row) for row in rows])


async def tables_named(conn: Connection, tables: Sequence[str]) -> list[TableOnFloor]:
    """Some tables as they stand."""
    return [table_of(row) for row in await conn.fetch(f"{SELECT} WHERE f.table_id = ANY($1) {ORDER}", list(tables))]


SELECT = """
SELECT f.*, coalesce(d.rounds, 0) AS rounds, coalesce(d.handle, 0)::bigint AS handle, coalesce(d.win, 0)::bigint AS win
FROM floor f LEFT JOIN table_days d USING (gaming_day, table_id, currency)
"""
ORDER = 'ORDER BY f.table_id COLLATE "C"'


def table_of(row: Any) -> TableOnFloor:
    """A row of ``SELECT``."""
    return TableOnFloor(
        table=row["table_id"],
        is_open=row["is_open"],
        game=row["game"],
        gaming_day=row["gaming_day"],
        currency=row["currency"],
        network=row["network"],
        suspended=row["suspended"] is not None,
        round_no=row["last_round_no"],
        stage=row["stage"],
        street=row["street"],
        asked=row["asked"],
        seats=[SeatOnFloor(**seat) for seat in json.loads(row["seats"])],
        round_began_us=row["round_began_us"],
        pace=pace_of(row["ends_us"]),
        rounds=row["rounds"],
        handle=row["handle"],
        win=row["win"],
        hold=share(row["win"], row["handle"]),
        last_event_us=row["last_event_us"],
    )


def share(part: int, whole: int) -> str | None:
    """An exact fraction in lowest terms; None of nothing.

    >>> share(5, 20), share(-1, 3), share(0, 0)
    ('1/4', '-1/3', None)
    """
    return str(Fraction(part, whole)) if whole else None
