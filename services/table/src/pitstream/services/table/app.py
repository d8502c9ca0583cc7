"""The table service's edges: sessions and rounds over HTTP, the wallet's answers from Kafka."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib.resources import files
from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, Path, Query, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from pitstream.events.ids import round_stream, table_stream
from pitstream.events.model import INT64_MAX, Currency, NetworkId, Part, RoundNo, TableId
from pitstream.events.wallet import TOPIC as WALLET
from pitstream.games.commands import (
    AnswerDecision,
    DealBonus,
    DealHands,
    FinishRound,
    ForfeitSeat,
    LeaveSeat,
    OpenTable,
    PlaceWagers,
    Reason,
    RevealCommunity,
    RoundCommand,
    RoundId,
    SetCardAside,
    Text200,
    VoidRound,
)
from pitstream.games.round import NoRound, evolve
from pitstream.runtime import Cause, Outcome, Service, Store, Transaction, command_id, history, run_command, store_of
from pitstream.services.table import store as sql
from pitstream.services.table.carrying_out import (
    NO_ROUND,
    carry_out,
    close_table,
    open_round,
    open_table,
    table_view,
    unknown_round,
)
from pitstream.services.table.config import TableSettings
from pitstream.services.table.handlers import answer_holds
from pitstream.services.table.view import RoundView, view


class Fault(BaseModel):
    """Why a command was refused; ``docs/errors.md`` lists the codes."""

    code: str
    field: str
    message: str


class Refused(BaseModel):
    """The answer to a command that may not be carried out."""

    error: Fault


ANSWERS: dict[int | str, dict[str, Any]] = {
    404: {"model": Refused, "description": "No such table or round."},
    409: {"model": Refused, "description": "The command id came before with other content."},
    422: {"model": Refused, "description": "The command may not be carried out now, or is not well formed."},
}
router = APIRouter(prefix="/v1", tags=["tables and rounds"], responses=ANSWERS)

TableName = Annotated[TableId, Path(examples=["uth-04"])]
Number = Annotated[RoundNo, Path(examples=[17])]
CommandId = Annotated[str, Depends(command_id)]
TheStore = Annotated[Store, Depends(store_of)]


class TableTerms(Part):
    """On what terms a table opens: every round until it closes is played on them."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "game": "ultimate_texas_holdem",
                "gaming_day": "2025-05-03",
                "currency": "USD",
                "paytables": {"ante": "A", "blind": "A", "play": "A", "trips": "B", "progressive": "sister-A"},
                "network": "ultimate-texas-holdem",
            }
        }
    )

    game: Text200
    gaming_day: Text200
    currency: Currency
    paytables: dict[str, str]
    policies: dict[str, str] = Field(default_factory=dict)
    network: NetworkId | None = None


class Closing(Part):
    """Why a table closes."""

    model_config = ConfigDict(json_schema_extra={"example": {"reason": "end of the gaming day"}})

    reason: Reason


class RoundOpening(Part):
    """The caller's own id of the round, and what the table's system drew for it."""

    model_config = ConfigDict(
        json_schema_extra={"example": {"round_id": "r00017", "options": {"lucky": "dealer", "magic_card": "Td"}}}
    )

    round_id: RoundId
    options: dict[str, str] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AtTable:
    """Where a command goes, under which id."""

    table: str
    command_id: str
    store: Store


@dataclass(frozen=True, slots=True)
class AtRound:
    """Where a command goes, under which id."""

    table: str
    round_no: int
    command_id: str
    store: Store

    async def carry_out(self, command: RoundCommand, actor: str) -> JSONResponse:
        """Carry it out once, however often it is sent; the answer is the round's view."""

        async def act(tx: Transaction) -> Outcome:
            return await carry_out(tx, self.table, self.round_no, command, command_id=self.command_id, actor=actor)

        outcome = await run_command(
            self.store,
            scope=table_stream(self.table),
            command_id=self.command_id,
            inputs={"command": type(command).__name__, "round_no": self.round_no, **command.model_dump(mode="json")},
            act=act,
            actor=actor,
        )
        return outcome.response()


# Coroutines, though they wait for nothing: FastAPI sends a plain class to a thread, for two hops a request.
async def _at_the_table(table: TableName, command_id: CommandId, store: TheStore) -> AtTable:
    return AtTable(table, command_id, store)


async def _at_the_round(table: TableName, round_no: Number, command_id: CommandId, store: TheStore) -> AtRound:
    return AtRound(table, round_no, command_id, store)


TheTable = Annotated[AtTable, Depends(_at_the_table)]
TheRound = Annotated[AtRound, Depends(_at_the_round)]
DEALER = "dealer"
"""Actor of what the dealer's terminal reports."""


@router.post("/tables/{table}/open", status_code=201)
async def open_a_table(at: TheTable, body: TableTerms, request: Request) -> JSONResponse:
    """Open a table for a game on a gaming day. Every paytable must be in force on it."""

    async def act(tx: Transaction) -> Outcome:
        command = OpenTable(table=at.table, **body.model_dump())
        return await open_table(tx, command, Cause.of_command(at.command_id, DEALER), request.app.state.paytables)

    return await _at_table(at, "OpenTable", body, act)


@router.post("/tables/{table}/close")
async def close_a_table(at: TheTable, body: Closing) -> JSONResponse:
    """Close a table; a round in progress must be finished or void first."""

    async def act(tx: Transaction) -> Outcome:
        return await close_table(tx, at.table, body.reason, Cause.of_command(at.command_id, DEALER))

    return await _at_table(at, "CloseTable", body, act)


@router.post("/tables/{table}/rounds", status_code=201, response_model=RoundView)
async def open_a_round(at: TheTable, body: RoundOpening) -> JSONResponse:
    """Open the table's next round; the answer says its number."""

    async def act(tx: Transaction) -> Outcome:
        cause = Cause.of_command(at.command_id, DEALER)
        return await open_round(tx, at.table, body.round_id, body.options, cause)

    return await _at_table(at, "OpenRound", body, act)


async def _at_table(
    at: AtTable, name: str, body: Part, act: Callable[[Transaction], Awaitable[Outcome]]
) -> JSONResponse:
    outcome = await run_command(
        at.store,
        scope=table_stream(at.table),
        command_id=at.command_id,
        inputs={"command": name, **body.model_dump(mode="json")},
        act=act,
        actor=DEALER,
    )
    return outcome.response()


@router.get("/tables")
async def tables(store: TheStore) -> JSONResponse:
    """Every table that was ever opened: its game and day, whether it is open, the round being played there."""
    return JSONResponse({"tables": await sql.floor(store.pool)})


@router.get("/tables/{table}")
async def table(table: TableName, store: TheStore) -> JSONResponse:
    """One table, with the terms that it is open on."""
    async with store.transaction() as tx:
        found = await table_view(tx, table)
    return found.response()


@router.get("/rounds")
async def rounds(round_id: Annotated[RoundId, Query(examples=["r00017"])], store: TheStore) -> JSONResponse:
    """Where the rounds of a caller's id were played: ``[{"table", "round_no"}]``."""
    return JSONResponse(await sql.rounds_of_id(store.pool, round_id))


ROUND = "/tables/{table}/rounds/{round_no}"


@router.post(ROUND + "/wagers", response_model=RoundView)
async def place_wagers(
    at: TheRound,
    command: Annotated[
        PlaceWagers,
        Body(examples=[{"seat": 1, "player": "p011", "stakes": {"ante": 1500, "blind": 1500, "trips": 2500}}]),
    ],
) -> JSONResponse:
    """A seat's wagers before the deal, in minor units; they stand once the wallet holds their money."""
    return await at.carry_out(command, actor=command.player)


@router.post(ROUND + "/deal", response_model=RoundView)
async def deal_hands(
    at: TheRound,
    command: Annotated[
        DealHands, Body(examples=[{"hands": [{"seat": 1, "cards": ["4d", "Ks"]}], "dealer": ["3c", "5d"]}])
    ],
) -> JSONResponse:
    """Close the betting: these hands were dealt, one to each seat whose wagers stand."""
    return await at.carry_out(command, actor=DEALER)


@router.post(ROUND + "/decisions", response_model=RoundView)
async def answer_decision(
    at: TheRound, command: Annotated[AnswerDecision, Body(examples=[{"seat": 1, "choice": "4x"}])]
) -> JSONResponse:
    """The seat that is asked answers; a Play Wager waits for the wallet before the round goes on."""
    return await at.carry_out(command, actor=DEALER)


@router.post(ROUND + "/community", response_model=RoundView)
async def reveal_community(
    at: TheRound,
    command: Annotated[RevealCommunity, Body(examples=[{"cards": ["9h", "Ah", "Kh"], "burned": ["Ac"]}])],
) -> JSONResponse:
    """The community cards of the street, after its last seat answered."""
    return await at.carry_out(command, actor=DEALER)


@router.post(ROUND + "/bonus", response_model=RoundView)
async def deal_bonus(
    at: TheRound, command: Annotated[DealBonus, Body(examples=[{"cards": ["2c", "2d", "8h", "Js"]}])]
) -> JSONResponse:
    """The additional cards of the Six Card Bonus, when the board is complete."""
    return await at.carry_out(command, actor=DEALER)


@router.post(ROUND + "/finish", response_model=RoundView)
async def finish_round(at: TheRound, command: Annotated[FinishRound, Body(examples=[{}])]) -> JSONResponse:
    """The dealer turns the hand up: the round is settled from here."""
    return await at.carry_out(command, actor=DEALER)


@router.post(ROUND + "/void", response_model=RoundView)
async def void_round(
    at: TheRound,
    command: Annotated[
        VoidRound,
        Body(examples=[{"kind": "exposed_card", "reason": "dealer's second card seen", "floorperson": "f.moreau"}]),
    ],
) -> JSONResponse:
    """A floorperson declares the round void: every wager comes back. ``kind`` is misdeal (a card too many or too few
    to a hand), exposed_card, wrong_count (of the deck), shuffler_jam or other."""
    return await at.carry_out(command, actor=command.floorperson)


@router.post(ROUND + "/forfeit", response_model=RoundView)
async def forfeit_seat(
    at: TheRound,
    command: Annotated[
        ForfeitSeat, Body(examples=[{"seat": 3, "reason": "exchanged information", "floorperson": "f.moreau"}])
    ],
) -> JSONResponse:
    """A floorperson takes every wager of a seat; it is not asked any more."""
    return await at.carry_out(command, actor=command.floorperson)


@router.post(ROUND + "/leave", response_model=RoundView)
async def leave_seat(
    at: TheRound,
    command: Annotated[LeaveSeat, Body(examples=[{"seat": 3, "reason": "taken ill", "floorperson": "f.moreau"}])],
) -> JSONResponse:
    """A floorperson states that a player went away. Before the deal the seat's wagers are off and their money is free
    again when the round is settled; after it the hand folds where it may, else checks, whenever it is asked."""
    return await at.carry_out(command, actor=command.floorperson)


@router.post(ROUND + "/set-aside", response_model=RoundView)
async def set_card_aside(
    at: TheRound,
    command: Annotated[
        SetCardAside, Body(examples=[{"card": "Td", "reason": "face up in the deck", "floorperson": "f.moreau"}])
    ],
) -> JSONResponse:
    """A floorperson sets a card aside that was found face up in the deck: it is not dealt in this round."""
    return await at.carry_out(command, actor=command.floorperson)


@router.get(ROUND, response_model=RoundView)
async def round_view(
    table: TableName,
    round_no: Number,
    store: TheStore,
    after_version: Annotated[int | None, Query(ge=0, le=INT64_MAX)] = None,
    wait_ms: Annotated[int, Query(ge=0, le=30_000)] = 0,
) -> JSONResponse:
    """The round as it is. With ``after_version`` the answer waits up to ``wait_ms`` for something newer."""
    stream = round_stream(table, round_no)
    if after_version is not None:
        await store.wait_for(stream, after_version, wait_ms)
    async with store.transaction() as tx:
        folded = await tx.fold(stream, NO_ROUND, evolve)
    if isinstance(folded.state, NoRound):
        return unknown_round(table, round_no).response()
    return JSONResponse(view(folded.state, folded.version).model_dump(mode="json"))


@router.get(ROUND + "/events")
async def round_events(
    table: TableName, round_no: Number, store: TheStore, after_version: Annotated[int, Query(ge=0, le=INT64_MAX)] = 0
) -> JSONResponse:
    """Every event of the round after a version, with the exact bytes stored. Face-down cards are in it."""
    async with store.transaction() as tx:
        recorded = await tx.load(round_stream(table, round_no), after_version)
    if not recorded and after_version == 0:
        return unknown_round(table, round_no).response()
    return JSONResponse(history(recorded))


@router.get("/tables/{table}/events")
async def table_events(table: TableName, store: TheStore) -> JSONResponse:
    """Every event of the table's own sessions, with the exact bytes stored."""
    async with store.transaction() as tx:
        recorded = await tx.load(table_stream(table))
        return JSONResponse(history(recorded)) if recorded else (await table_view(tx, table)).response()


def build(settings: TableSettings | None = None) -> Service:
    """The service, each part wired once; settings are read from the environment unless given."""
    chosen = settings or TableSettings()
    service = Service(
        chosen,
        migrations=files("pitstream.services.table") / "migrations",
        handlers={WALLET: answer_holds},
        router=router,
        title="pitstream table: what is legal now",
    )
    service.app.state.paytables = chosen.paytables
    return service
