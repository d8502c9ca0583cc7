"""What gaming days came to: handle, win and hold, with the theoretical win and how far the win may lie from it."""

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import isqrt
from typing import Any, Literal

from pydantic import BaseModel

from pitstream.accounting.edges import Edge, Terms, edge_of, exposures, is_counted, key_of
from pitstream.accounting.wagers import WagerOutcome
from pitstream.runtime import Principal
from pitstream.runtime.beside import Beside
from pitstream.services.ops.floor import share
from pitstream.services.ops.freshness import AsOf, as_of
from pitstream.services.ops.of_rounds import SUMS
from pitstream.services.ops.told import Connection

By = Literal["table", "game", "wager", "shift"]
_WAIT_S = 1.5
"""How long a question waits for odds that are being counted."""
_COLUMN = {"table": "table_id", "game": "game", "wager": "wager", "shift": "shift"}


class MoneyRow(BaseModel):
    """Sums of a gaming day, minor units, of what ``by`` names; a name that was not asked for is None.

    ``win`` = taken - paid, ``hold`` = win / handle. ``theoretical`` = handle x edge, exactly, of the wagers whose edge
    is known, and of their awards what those cost on average; ``theoretical_minor`` is it in whole minor units,
    ``deviation`` one standard deviation of the win around it: with what a seat's bets have in common with its main
    game, where odds tell it, and as if seats, and a seat's side bets between themselves, were independent; ``unpriced``
    is the handle whose edge is not known, ``pending`` that of wagers whose odds are being counted just now: ask
    again."""

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
    conn: Connection, edges: Beside, who: Principal, gaming_day: str, by: Sequence[By], table: str | None = None
) -> Money:
    """The sums of a day by any of table, game, wager and shift; all together where none is named."""
    names = [_COLUMN[one] for one in by]
    rows = await conn.fetch(
        f"""
        SELECT {"".join(f"{name} AS by_{name}, " for name in names)} currency, game, wager, terms,
               sum(bets)::bigint AS bets, sum(handle) AS handle, sum(taken) AS taken, sum(paid) AS paid,
               sum(squares) AS squares, sum(with_ante) AS with_ante, sum(beside) AS beside,
               sum(squares_beside) AS squares_beside
        FROM day_wagers WHERE gaming_day = $1 AND ($2::text[] IS NULL OR table_id ~ ANY($2))
          AND ($3::text IS NULL OR table_id = $3)
        GROUP BY {"".join(f"{name}, " for name in dict.fromkeys((*names, "currency", "game", "wager")))} terms
        """,  # noqa: S608
        gaming_day, who.owner_patterns, table,
    )  # fmt: skip
    priced = [(row, json.loads(row["terms"])) for row in rows]
    if not all(_is_known(edges, row, terms) for row, terms in priced):
        await edges.all_known(_WAIT_S)
    sums: dict[tuple[str | None, ...], _Sum] = {}
    for row, terms in priced:
        own = WagerOutcome(row["wager"], **{name: int(row[name]) for name in SUMS})
        awards = exposures(row["game"], own.wager, own)
        for one in (own, *awards.values()):
            edge = edge_of(row["game"], one.wager, terms, edges)
            if one is not own and (edge is None or not one.exposure):
                continue
            of = {name: row[f"by_{_COLUMN[name]}"] for name in by} | ({"wager": one.wager} if "wager" in by else {})
            key = (of.get("table"), of.get("game"), of.get("wager"), of.get("shift"), row["currency"])
            total = sums.setdefault(key, _Sum(is_of_one_wager="wager" in by))
            if edge is not None or _is_known(edges, row, terms):
                total.add(one, edge)
            else:
                total.wait_for(one)
    found = [
        total.row(*key) for key, total in sorted(sums.items(), key=lambda one: tuple(part or "" for part in one[0]))
    ]
    return Money(as_of=await as_of(conn), gaming_day=gaming_day, by=list(by), rows=found)


def _is_known(edges: Beside, row: Mapping[str, Any], terms: Terms) -> bool:
    """Whether there is nothing to wait for: an edge that is not known now is none."""
    return not is_counted(row["game"], row["wager"], terms) or edges.of(key_of(row["game"], terms)) is not None


class _Sum:
    def __init__(self, *, is_of_one_wager: bool) -> None:
        """``is_of_one_wager``: what it has in common with the main game is not among its own variance."""
        self.bets = self.handle = self.taken = self.paid = self.unpriced = self.pending = 0
        self.theoretical = self.variance = Fraction(0)
        self._is_of_one_wager = is_of_one_wager

    def add(self, one: WagerOutcome, edge: Edge | None) -> None:
        self._count(one)
        if edge is None:
            self.unpriced += one.handle
            return
        self.theoretical += (one.handle + one.exposure) * edge.mean
        self.variance += one.squares * edge.variance
        if not self._is_of_one_wager and edge.with_main is not None:
            self.variance += 2 * one.with_ante * edge.with_main

    def wait_for(self, one: WagerOutcome) -> None:
        self._count(one)
        self.pending += one.handle

    def _count(self, one: WagerOutcome) -> None:
        self.bets += one.bets
        self.handle += one.handle
        self.taken += one.taken
        self.paid += one.paid

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
            deviation=isqrt(max(0, int(self.variance))),
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
