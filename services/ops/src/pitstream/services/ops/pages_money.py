"""The pages of money: what gaming days came to, the ledger's accounts, moves whose outcome is not known."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from math import isqrt
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import HTMLResponse

from pitstream.events.model import INT64_MAX
from pitstream.games.registry import GAMES
from pitstream.runtime import AnsweredError, Principal, Role, Store, allowed, store_of, unknown
from pitstream.services.ops import money, things_read
from pitstream.services.ops.api import MONEY
from pitstream.services.ops.frame import now_us, sentence, words
from pitstream.services.ops.money import MoneyRow
from pitstream.services.ops.rendering import page
from pitstream.services.ops.things_read import OPEN, ThingView

router = APIRouter(tags=["pages"], default_response_class=HTMLResponse)

Counting = Annotated[Principal, Depends(allowed(*MONEY))]
TheStore = Annotated[Store, Depends(store_of)]
By = Literal["table", "game", "wager"]
Day = Annotated[date | None, Query(examples=["2026-03-28"], description="the newest one with rounds unless given")]
ODD_DEVIATIONS = 3
"""A win farther than so many standard deviations from the theoretical one stands out: one day in 370 by chance."""
_DAYS = 60
_ACCOUNTS = 100
_RESOLVING = (Role.CASHIER, Role.OPERATIONS)
_AccountName = Annotated[
    str, Path(pattern=r"^[a-z]+(/[A-Za-z0-9._:-]{1,64}){0,2}/[A-Z]{3}$", examples=["player/p1/USD"])
]


@dataclass(frozen=True, slots=True)
class Line:
    """A row of a day's table; places in the band are thousandths of its width."""

    name: str
    href: str
    row: MoneyRow
    is_odd: bool
    band: "Band | None"
    is_part: bool = False
    """Of the main game, whose odds are those of its wagers together."""


@dataclass(frozen=True, slots=True)
class Band:
    """Where the win lies beside the theoretical one: two and three deviations to both sides."""

    inner_from: int
    inner_to: int
    win: int


def line_of(row: MoneyRow, name: str, href: str = "") -> Line:
    """A row as it is shown. Without any priced wager there is no band."""
    if row.deviation <= 0:
        return Line(name, href, row, is_odd=False, band=None)
    away = row.win - row.theoretical_minor
    reach = max(ODD_DEVIATIONS * row.deviation, abs(away)) * 11 // 10 + 1
    inner = 2 * row.deviation

    def place(offset: int) -> int:
        return 500 + offset * 500 // reach

    priced = row.unpriced == 0 and row.pending == 0
    is_odd = priced and abs(away) > ODD_DEVIATIONS * row.deviation
    return Line(name, href, row, is_odd, Band(place(-inner), place(inner), place(away)))


def wager_lines(rows: Sequence[MoneyRow]) -> list[Line]:
    """A day by wager. A game's main wagers are played as one hand, so only their sum has odds to be laid beside."""
    lines: list[Line] = []
    together: dict[tuple[str | None, str], list[MoneyRow]] = {}
    for row in rows:
        game = GAMES.get(row.game or "")
        main = (*game.required, *game.play_wagers) if game else ()
        if game and row.wager in main:
            together.setdefault((row.game, row.currency), []).append(row)
        lines.append(replace(line_of(row, *_name(row, "wager")), is_part=row.wager in main))
    lines = [replace(line, is_odd=False, band=None) if line.is_part else line for line in lines]
    sums = [line_of(_sum(parts), "Main game") for parts in together.values() if len(parts) > 1]
    return sorted([*lines, *sums], key=_main_game_first)


def _main_game_first(line: Line) -> tuple[str, str, int]:
    """The main game, its wagers, then the others."""
    place = 1 if line.is_part else 2 if line.row.wager else 0
    return line.row.currency, line.row.game or "", place


def _sum(rows: Sequence[MoneyRow]) -> MoneyRow:
    """Several rows of one game as one; they are independent of one another but for what their odds tell together."""
    names = ("bets", "handle", "taken", "paid", "win", "theoretical_minor", "unpriced", "pending")
    sums = {name: sum(getattr(row, name) for row in rows) for name in names}
    deviation = isqrt(sum(row.deviation**2 for row in rows))
    return rows[0].model_copy(update={**sums, "wager": None, "deviation": deviation})


def _name(row: MoneyRow, by: By) -> tuple[str, str]:
    game = GAMES.get(row.game or "")
    match by:
        case "table":
            return row.table or "", f"/tables/{row.table}"
        case "game":
            return game.title if game else sentence(words(row.game or "")), ""
        case "wager":
            return game.title_of(row.wager or "") if game else sentence(words(row.wager or "")), ""


async def _days(store: Store, who: Principal, asked: date | None) -> tuple[str, list[str]]:
    """The gaming day that is asked for, "" where there is none yet, and every one to choose from."""
    days = (await money.days(store.pool, who, _DAYS)).gaming_days
    day = asked.isoformat() if asked else days[0] if days else ""
    return day, days if not day or day in days else [day, *days]


async def _uncertain(store: Store, who: Principal) -> list[ThingView]:
    return (await things_read.things(store.pool, who, "remote", statuses=OPEN["remote"])).things


async def _owed(store: Store, who: Principal) -> list[ThingView]:
    return (await things_read.things(store.pool, who, "receivable", statuses=OPEN["receivable"])).things


@router.get("/money")
async def money_page(
    request: Request, who: Counting, store: TheStore, day: Day = None, by: By = "table"
) -> HTMLResponse:
    """A gaming day: handle, win, hold and theoretical win, by table, game or wager; uncertain moves and receivables."""
    shown, days = await _days(store, who, day)
    return page(
        request,
        "money.html",
        day=shown,
        days=days,
        by=by,
        uncertain=await _uncertain(store, who),
        owed=await _owed(store, who),
        may_resolve=not who.roles.isdisjoint(_RESOLVING),
        as_of_us=now_us(),
    )


@router.get("/money/day")
async def money_day(
    request: Request, who: Counting, store: TheStore, day: Day = None, by: By = "table"
) -> HTMLResponse:
    """The day's rows alone: they may wait a moment for the odds to be counted."""
    shown, _ = await _days(store, who, day)
    edges = request.app.state.edges
    columns: Sequence[money.By] = ("game", "wager") if by == "wager" else (by,)
    rows = (await money.money(store.pool, edges, who, shown, columns)).rows
    whole = (await money.money(store.pool, edges, who, shown, ())).rows
    return page(
        request,
        "money_day.html",
        day=shown,
        by=by,
        lines=wager_lines(rows) if by == "wager" else [line_of(row, *_name(row, by)) for row in rows],
        whole=[line_of(row, "Everything") for row in whole],
        games={name: game.title for name, game in GAMES.items()},
        as_of_us=now_us(),
    )


@router.get("/money/uncertain")
async def money_uncertain(request: Request, who: Counting, store: TheStore) -> HTMLResponse:
    """Moves at operators' wallets whose outcome is not known, alone."""
    uncertain = await _uncertain(store, who)
    may_resolve = not who.roles.isdisjoint(_RESOLVING)
    return page(request, "money_uncertain.html", uncertain=uncertain, may_resolve=may_resolve, as_of_us=now_us())


@router.get("/money/owed")
async def money_owed(request: Request, who: Counting, store: TheStore) -> HTMLResponse:
    """What players could not give back, alone."""
    return page(request, "money_owed.html", owed=await _owed(store, who), as_of_us=now_us())


@router.get("/accounts")
async def accounts_page(
    request: Request,
    who: Counting,
    store: TheStore,
    beginning: Annotated[str, Query(max_length=140, pattern=r"^[^\x00]*$")] = "",
    after: Annotated[str | None, Query(max_length=140, pattern=r"^[^\x00]*$")] = None,
) -> HTMLResponse:
    """The ledger's accounts by name."""
    found = await money.accounts(
        store.pool, who, kind=None, beginning=beginning or None, after=after or None, limit=_ACCOUNTS
    )
    return page(request, "accounts.html", found=found, beginning=beginning, as_of_us=now_us())


@router.get("/accounts/{account:path}")
async def account_page(
    request: Request,
    _who: Counting,
    store: TheStore,
    account: _AccountName,
    before: Annotated[int | None, Query(ge=0, le=INT64_MAX)] = None,
) -> HTMLResponse:
    """One account: its balance, and every event of it, the newest first."""
    found = await money.account(store.pool, account)
    if found is None:
        raise AnsweredError(unknown("account", account))
    history = await things_read.account_history(store.pool, account, before, 50)
    return page(request, "account.html", account=found, history=history, as_of_us=now_us())
