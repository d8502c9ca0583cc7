"""Rounds as they are looked up: one, those of a table, and those that somebody searches for."""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from pitstream.runtime import Principal
from pitstream.services.ops import cards
from pitstream.services.ops.freshness import AsOf, as_of
from pitstream.services.ops.told import Connection


class SeatOfRound(BaseModel):
    """A seat: its own cards, what it had at risk and what that came to, minor units. ``net`` leaves shares of meters
    out, which are paid by hand; None while the round is not settled."""

    seat: int
    player: str
    cards: list[str]
    staked: int | None
    net: int | None


class RoundOfTable(BaseModel):
    """A round; ``handle`` and ``win`` are the table's, as settled. ``corrected``: number of the correction in force."""

    table: str
    round_no: int
    round_id: str | None
    game: str
    gaming_day: str
    currency: str
    network: str | None
    opened_us: int | None
    ended_us: int | None
    settled_us: int | None
    posted_us: int | None
    void: str | None
    board: list[str]
    corrected: int
    handle: int | None
    win: int | None
    seats: list[SeatOfRound]


class Rounds(BaseModel):
    """A page of rounds, the newest first; ``next`` is the ``before`` of the next page."""

    as_of: AsOf
    rounds: list[RoundOfTable]
    next: str | None


async def round_of(conn: Connection, table: str, round_no: int) -> RoundOfTable | None:
    """One round; None when it was never heard of."""
    found = await _rounds(conn, [(table, round_no)])
    return found[0] if found else None


async def rounds_of_table(conn: Connection, table: str, before: int | None, limit: int) -> Rounds:
    """The table's rounds by number, the newest first."""
    rows = await conn.fetch(
        "SELECT table_id, round_no FROM rounds WHERE table_id = $1 AND ($2::bigint IS NULL OR round_no < $2)"
        " AND game <> '' ORDER BY round_no DESC LIMIT $3",
        table, before, limit,
    )  # fmt: skip
    found = await _rounds(conn, [(row["table_id"], row["round_no"]) for row in rows])
    last = str(found[-1].round_no) if len(found) == limit else None
    return Rounds(as_of=await as_of(conn), rounds=found, next=last)


class Question(BaseModel):
    """What somebody looks for; what is None is not asked. ``cards``: all of them were dealt to one seat, or with
    ``with_board`` to it and the board together. ``amount_min`` and ``amount_max``: of what a seat won or lost."""

    round_id: str | None = None
    table: str | None = None
    player: str | None = None
    cards: str | None = None
    with_board: bool = False
    amount_min: int | None = None
    amount_max: int | None = None
    day: str | None = None


async def search(conn: Connection, who: Principal, asked: Question, before: str | None, limit: int) -> Rounds:
    """The rounds that fit all that is asked, of the tables in the caller's scopes. Raises UnknownCardsError.

    The newest first, by when they were opened.
    """
    wanted = cards.asked(asked.cards) if asked.cards else None
    # By seat where something of a seat is asked; each condition goes by an index of its own.
    of_seat = {
        "s.player = ": asked.player,
        "abs(s.net) >= ": asked.amount_min,
        "abs(s.net) <= ": asked.amount_max,
    }
    arguments: list[Any] = [who.owner_patterns]
    where = ["($1::text[] IS NULL OR r.table_id ~ ANY($1))", "r.game <> ''"]
    for condition, value in {
        "r.round_id = ": asked.round_id, "r.table_id = ": asked.table, "r.gaming_day = ": asked.day, **of_seat,
    }.items():  # fmt: skip
        if value is not None:
            arguments.append(value)
            where.append(f"{condition}${len(arguments)}")
    if wanted is not None:
        arguments.append(wanted)
        held = f"${len(arguments)}::smallint[]"
        # The index finds who holds any of them, then the board is laid beside.
        together = f"(s.cards || r.board) @> {held}"
        where.append(
            f"({together} AND (s.cards && {held} OR r.board @> {held}))" if asked.with_board else f"s.cards @> {held}"
        )
    place = _place(before)
    if place is not None:
        arguments += place
        many = len(arguments)
        where.append(
            f"(coalesce(r.opened_us, r.settled_us), r.table_id, r.round_no) < (${many - 2}, ${many - 1}, ${many})"
        )
    arguments.append(limit)
    seats = "JOIN seats s USING (table_id, round_no)" if wanted or any(v is not None for v in of_seat.values()) else ""
    rows = await conn.fetch(
        f"""
        SELECT DISTINCT coalesce(r.opened_us, r.settled_us) AS at_us, r.table_id, r.round_no FROM rounds r {seats}
        WHERE {" AND ".join(where)} ORDER BY 1 DESC NULLS LAST, 2 DESC, 3 DESC LIMIT ${len(arguments)}
        """,  # noqa: S608
        *arguments,
    )
    found = await _rounds(conn, [(row["table_id"], row["round_no"]) for row in rows])
    last = rows[-1] if len(rows) == limit else None
    following = f"{last['at_us']}/{last['table_id']}/{last['round_no']}" if last else None
    return Rounds(as_of=await as_of(conn), rounds=found, next=following)


def _place(before: str | None) -> tuple[int, str, int] | None:
    """Where the page before ended. Raises ValueError."""
    if before is None:
        return None
    at_us, table, round_no = before.split("/")
    return int(at_us), table, int(round_no)


async def _rounds(conn: Connection, places: Sequence[tuple[str, int]]) -> list[RoundOfTable]:
    """These rounds with their seats, in this order."""
    if not places:
        return []
    asked = [table for table, _ in places], [round_no for _, round_no in places]
    seats: dict[tuple[str, int], list[SeatOfRound]] = {}
    for row in await conn.fetch(_SEATS, *asked):
        seats.setdefault((row["table_id"], row["round_no"]), []).append(
            SeatOfRound(
                seat=row["seat"],
                player=row["player"],
                cards=[cards.name(one) for one in row["cards"] or ()],
                staked=row["staked"],
                net=row["net"],
            )
        )
    return [
        RoundOfTable(
            table=row["table_id"],
            round_no=row["round_no"],
            round_id=row["round_id"],
            game=row["game"],
            gaming_day=row["gaming_day"],
            currency=row["currency"],
            network=row["network"],
            opened_us=row["opened_us"],
            ended_us=row["ended_us"],
            settled_us=row["settled_us"],
            posted_us=row["posted_us"],
            void=row["void"],
            board=[cards.name(one) for one in row["board"]],
            corrected=row["corrected"],
            handle=None if row["handle"] is None else int(row["handle"]),
            win=None if row["win"] is None else int(row["win"]),
            seats=seats.get((row["table_id"], row["round_no"]), []),
        )
        for row in await conn.fetch(_ROUNDS, *asked)
    ]


_SEATS = """
SELECT s.table_id, s.round_no, s.seat, s.player, s.cards, s.staked, s.net
FROM seats s JOIN unnest($1::text[], $2::bigint[]) AS asked (table_id, round_no) USING (table_id, round_no)
ORDER BY s.seat
"""
_ROUNDS = """
SELECT r.*, p.posted_us FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS asked (table_id, round_no, place)
JOIN rounds r USING (table_id, round_no) LEFT JOIN posted p USING (table_id, round_no) WHERE r.game <> '' ORDER BY place
"""
