"""The pages that find: rounds by whatever is known of them, and disputes with the corrections that followed."""

import re
from datetime import date
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from pitstream.events.currencies import ISO_4217
from pitstream.runtime import Principal, Role, Store, allowed, store_of
from pitstream.runtime.access import READERS
from pitstream.services.ops import rounds_read, things_read
from pitstream.services.ops.actions import RULING
from pitstream.services.ops.cards import RANKS, SUITS, UnknownCardsError, asked, name
from pitstream.services.ops.frame import now_us
from pitstream.services.ops.rendering import page
from pitstream.services.ops.rounds_read import Question
from pitstream.services.ops.things_read import ThingView

router = APIRouter(tags=["pages"], default_response_class=HTMLResponse)

Reader = Annotated[Principal, Depends(allowed(*READERS))]
TheStore = Annotated[Store, Depends(store_of)]
Word = Annotated[str, Query(max_length=200, pattern=r"^[^\x00]*$")]
_PAGE = 50
_ROUND = re.compile(r"([A-Za-z0-9][A-Za-z0-9._:-]{0,63})/([1-9][0-9]{0,17})")
_AMOUNT = re.compile(r"([0-9]{1,15})(?:[.]([0-9]{1,4}))?")
_BEFORE = r"^\d{1,18}/[A-Za-z0-9][A-Za-z0-9._:-]{0,63}/\d{1,18}$"


def question_of(words: str) -> Question:
    """What the quick search means: cards, a gaming day, or else the name of a player, table or record.

    >>> question_of("Ah Kh Qh").cards, question_of("2026-03-28").day, question_of("p001").player
    ('Ah Kh Qh', '2026-03-28', 'p001')
    """
    said = words.strip()
    try:
        return Question(day=date.fromisoformat(said).isoformat())
    except ValueError:
        pass
    try:
        asked(said)
        return Question(cards=said)
    except UnknownCardsError:
        return Question(player=said)


def minor_of(said: str, digits: int) -> int | None:
    """An amount as people write it, in minor units; None where nothing is written. Raises ValueError.

    >>> minor_of("1,250.5", 2), minor_of("", 2)
    (125050, None)
    """
    plain = said.replace(",", "").strip()
    if not plain:
        return None
    match = _AMOUNT.fullmatch(plain)
    if match is None or len(match[2] or "") > digits:
        raise ValueError(f"amount: was {said!r}; allowed: digits, and up to {digits} after a point")
    return int(match[1] + (match[2] or "").ljust(digits, "0"))


@router.get("/search", responses={303: {"description": "A round was named: it is shown."}})
async def search_page(
    request: Request,
    who: Reader,
    store: TheStore,
    q: Word = "",
    player: Word = "",
    table: Word = "",
    round_id: Word = "",
    day: Word = "",
    card: Annotated[list[str] | None, Query(max_length=7)] = None,
    with_board: bool = False,
    least: Word = "",
    most: Word = "",
    before: Annotated[str | None, Query(pattern=_BEFORE)] = None,
) -> Response:
    """Rounds by their record, table, player, cards dealt, amount or gaming day."""
    if (named := _ROUND.fullmatch(q.strip())) and who.sees(named[1]):
        return RedirectResponse(f"/rounds/{named[1]}/{named[2]}", 303)
    fault, found = "", None
    question = question_of(q) if q.strip() else Question()
    try:
        question = question.model_copy(
            update={
                name: value
                for name, value in {
                    "player": player.strip(),
                    "table": table.strip(),
                    "round_id": round_id.strip(),
                    "day": day.strip(),
                    "cards": " ".join(card or ()),
                    "amount_min": minor_of(least, ISO_4217["USD"]),
                    "amount_max": minor_of(most, ISO_4217["USD"]),
                }.items()
                if value not in ("", None)
            }
            | {"with_board": with_board}
        )
        if question != Question(with_board=with_board):
            found = await rounds_read.search(store.pool, who, question, before, _PAGE)
            if q.strip() and not found.rounds and question.player == q.strip():
                found = await _by_other_names(store, who, q.strip())
    except (UnknownCardsError, ValueError) as error:
        fault = str(error)
    said = {"q": q, "player": player, "table": table, "round_id": round_id, "day": day, "least": least, "most": most}
    deck = [f"{rank}{suit}" for suit in SUITS[::-1] for rank in RANKS[::-1]]
    return page(
        request,
        "search.html",
        said=said,
        chosen=card or [],
        with_board=with_board,
        question=question,
        found=found,
        wanted=frozenset(name(card) for card in asked(question.cards)) if question.cards and not fault else frozenset(),
        fault=fault,
        deck=deck,
        as_of_us=now_us(),
    )


async def _by_other_names(store: Store, who: Principal, name: str) -> rounds_read.Rounds:
    """Whose player it is not may be a table's name, or a record's."""
    found = await rounds_read.search(store.pool, who, Question(table=name), None, _PAGE)
    return found if found.rounds else await rounds_read.search(store.pool, who, Question(round_id=name), None, _PAGE)


async def rulings(
    store: Store, who: Principal, table: str | None = None, round_no: int | None = None
) -> dict[str, Any]:
    """Disputes and corrections, of everything or of one round, those that wait first."""
    disputes = (await things_read.things(store.pool, who, "dispute", table=table, round_no=round_no)).things
    corrections = (await things_read.things(store.pool, who, "correction", table=table, round_no=round_no)).things
    return {
        "disputes": sorted(disputes, key=_waits_first),
        "corrections": sorted(corrections, key=_waits_first),
        "may_decide": Role.FLOORPERSON in who.roles,
        "may_rule": not who.roles.isdisjoint(RULING),
        "as_of_us": now_us(),
    }


def _waits_first(thing: ThingView) -> tuple[bool, int]:
    return thing.status not in ("open", "proposed"), -thing.first_us


@router.get("/disputes")
async def disputes_page(request: Request, who: Reader, store: TheStore) -> HTMLResponse:
    """Disputes and corrections, those that wait first."""
    return page(request, "disputes.html", **await rulings(store, who))


@router.get("/disputes/list")
async def disputes_list(request: Request, who: Reader, store: TheStore) -> HTMLResponse:
    """The disputes alone."""
    return page(request, "dispute_list.html", **await rulings(store, who))


@router.get("/disputes/corrections")
async def corrections_list(request: Request, who: Reader, store: TheStore) -> HTMLResponse:
    """The corrections alone."""
    return page(request, "correction_list.html", **await rulings(store, who))
