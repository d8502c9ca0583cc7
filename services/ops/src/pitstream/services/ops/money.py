"""What gaming days came to: handle, win and hold, with the theoretical win and how far the win may lie from it."""

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt
from typing import Any, Literal

from pydantic import BaseModel

from pitstream.runtime import Principal
from pitstream.services.ops.edges import Asked, Edges
from pitstream.services.ops.floor import share
from pitstream.services.ops.freshness import AsOf, as_of
from pitstream.services.ops.told import Connection

By = Literal["table", "game", "wager", "shift"]
_COLUMN = {"table": "table_id", "game": "game", "wager": "wager", "shift": "shift"}


class MoneyRow(BaseModel):
    """Sums of a gaming day, minor units, of what ``by`` names; a name that was not asked for is None.

    ``win`` = taken - paid, ``hold`` = win / handle. ``theoretical`` = handle x edge, exactly, of the wagers whose edge
    is known; ``theoretical_minor`` is it in whole minor units, ``deviation`` one standard deviation of the win around
    it, as if all bets were independent; ``unpriced`` is the handle whose edge is not known, ``pending`` that of wagers
    whose odds are being counted just now: ask again."""

    table: str | None
    game: str | None
    wager: str | None
    shift: str | None
    currency: str
    bets: int
    handle: int
    taken: int
    paid: int
    win: int
    hold: str | None
    theoretical: str
    theoretical_minor: int
    deviation: int
    unpriced: int
    pending: int


class Money(BaseModel):
    """A gaming day's sums."""

    as_of: AsOf
    gaming_day: str
    by: list[By]
    rows: list[MoneyRow]


class Days(BaseModel):
    """Gaming days with rounds, the newest first."""

    as_of: AsOf
    gaming_days: list[str]


async def days(conn: Connection, who: Principal, limit: int) -> Days:
    """The gaming days of the tables that the caller sees."""
    rows = await conn.fetch(
        "SELECT DISTINCT gaming_day FROM table_days WHERE ($1::text[] IS NULL OR table_id ~ ANY($1))"
        " ORDER BY gaming_day DESC LIMIT $2",
        who.owner_patterns,
        limit,
    )
    return Days(as_of=await as_of(conn), gaming_days=[row["gaming_day"] for row in rows])


async def money(
    conn: Connection, edges: Edges, who: Principal, gaming_day: str, by: Sequence[By], table: str | None = None
) -> Money:
    """The sums of a day by any of table, game, wager and shift; all together where none is named."""
    names = [_COLUMN[one] for one in by]
    rows = await conn.fetch(
        f"""
        SELECT {"".join(f"{name} AS by_{name}, " for name in names)} currency, game, wager, terms,
               sum(bets)::bigint AS bets, sum(handle) AS handle, sum(taken) AS taken, sum(paid) AS paid,
               sum(squares) AS squares
        FROM day_wagers WHERE gaming_day = $1 AND ($2::text[] IS NULL OR table_id ~ ANY($2))
          AND ($3::text IS NULL OR table_id = $3)
        GROUP BY {"".join(f"{name}, " for name in dict.fromkeys((*names, "currency", "game", "wager")))} terms
        """,  # noqa: S608
        gaming_day, who.owner_patterns, table,
    )  # fmt: skip
    asked: set[Asked] = {(row["game"], row["wager"], row["terms"]) for row in rows}
    known = await edges.of(asked)
    sums: dict[tuple[str | None, ...], _Sum] = {}
    for row in rows:
        of = {one: row[f"by_{_COLUMN[one]}"] for one in by}
        key = (of.get("table"), of.get("game"), of.get("wager"), of.get("shift"), row["currency"])
        total = sums.setdefault(key, _Sum())
        handle = int(row["handle"])
        total.bets += row["bets"]
        total.handle += handle
        total.taken += int(row["taken"])
        total.paid += int(row["paid"])
        place = (row["game"], row["wager"], row["terms"])
        edge = known.get(place)
        if edge is not None:
            total.theoretical += handle * edge.mean
            total.variance += int(row["squares"]) * edge.variance
        elif place in known:
            total.unpriced += handle
        else:
            total.pending += handle
    found = [
        total.row(*key) for key, total in sorted(sums.items(), key=lambda one: tuple(part or "" for part in one[0]))
    ]
    return Money(as_of=await as_of(conn), gaming_day=gaming_day, by=list(by), rows=found)


class _Sum:
    def __init__(self) -> None:
        self.bets = self.handle = self.taken = self.paid = self.unpriced = self.pending = 0
        self.theoretical = self.variance = Fraction(0)

    def row(
        self, table: str | None, game: str | None, wager: str | None, shift: str | None, currency: str | None
    ) -> MoneyRow:
        win = self.taken - self.paid
        return MoneyRow(
            table=table,
            game=game,
            wager=wager,
            shift=shift,
            currency=currency or "",
            bets=self.bets,
            handle=self.handle,
            taken=self.taken,
            paid=self.paid,
            win=win,
            hold=share(win, self.handle),
            theoretical=str(self.theoretical),
            theoretical_minor=round(self.theoretical),
            deviation=isqrt(int(self.variance)),
            unpriced=self.unpriced,
            pending=self.pending,
        )


class AccountView(BaseModel):
    """An account of the ledger as its events leave it, minor units."""

    account: str
    kind: str
    currency: str
    balance: int
    last_us: int


class Accounts(BaseModel):
    """Accounts by name; ``next`` is the ``after`` of the next page."""

    as_of: AsOf
    accounts: list[AccountView]
    next: str | None


async def accounts(
    conn: Connection, who: Principal, *, kind: str | None, beginning: str | None, after: str | None, limit: int
) -> Accounts:
    """Accounts that the caller sees: whose second word is an id in their scopes, or the operator itself."""
    rows = await conn.fetch(
        """
        SELECT account, kind, currency, balance, last_us FROM accounts
        WHERE ($1::text IS NULL OR kind = $1) AND ($2::text IS NULL OR starts_with(account, $2))
          AND ($3::text IS NULL OR account COLLATE "C" > $3) AND ($4::text[] IS NULL OR (
            account LIKE '%/%/%' AND CASE WHEN kind IN ('operator', 'suspense', 'cash')
                THEN split_part(account, '/', 2) || ':' ~ ANY($4) OR split_part(account, '/', 2) = ANY($6)
                ELSE split_part(account, '/', 2) ~ ANY($4) END))
        ORDER BY account COLLATE "C" LIMIT $5
        """,
        kind, beginning, after, who.owner_patterns, limit, sorted(who.scopes),
    )  # fmt: skip
    found = [_account(row) for row in rows]
    return Accounts(as_of=await as_of(conn), accounts=found, next=found[-1].account if len(found) == limit else None)


async def account(conn: Connection, name: str) -> AccountView | None:
    """One account; None when it was never heard of."""
    row = await conn.fetchrow("SELECT account, kind, currency, balance, last_us FROM accounts WHERE account = $1", name)
    return None if row is None else _account(row)


def _account(row: Any) -> AccountView:
    return AccountView(**{**dict(row), "balance": int(row["balance"])})
