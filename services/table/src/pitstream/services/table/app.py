"""The table service's edges: sessions and rounds over HTTP, the wallet's answers from Kafka."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib.resources import files
from typing import Annotated

from fastapi import APIRouter, Body, Depends, Path, Query, Request
from fastapi.responses import JSONResponse
from pydantic import ConfigDict, Field

from pitstream.events.ids import round_stream, table_stream
from pitstream.events.model import INT64_MAX, Currency, NetworkId, Part, RoundNo, SeatNo, TableId
from pitstream.events.progressives import TOPIC as PROGRESSIVES
from pitstream.events.rounds import VoidKind
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
from pitstream.runtime import (
    MAY_BE_UNCERTAIN,
    Cause,
    Outcome,
    Principal,
    RecordedView,
    Role,
    Service,
    Store,
    Transaction,
    allowed,
    command_id,
    history,
    run_command,
    store_of,
    unknown,
)
from pitstream.runtime.access import READERS, Allowed, same_operator, unknown_round
from pitstream.services.table import correction_routes, dispute_routes, network_store, telemetry
from pitstream.services.table import store as sql
from pitstream.services.table.carrying_out import (
    NO_ROUND,
    NetworkWatch,
    carry_out,
    close_table,
    open_round,
    open_table,
    table_view,
)
from pitstream.services.table.config import TableSettings
from pitstream.services.table.handlers import answer_holds
from pitstream.services.table.network_handler import hear_networks
from pitstream.services.table.view import FloorView, PlayedAt, RoundView, TableView, view

router = APIRouter(prefix="/v1", tags=["tables and rounds"])

TableName = Annotated[TableId, Path(examples=["uth-04"])]
Number = Annotated[RoundNo, Path(examples=[17])]
CommandId = Annotated[str, Depends(command_id)]
TheStore = Annotated[Store, Depends(store_of)]
Reader = Annotated[Principal, Depends(allowed(*READERS))]
HandReader = Annotated[Principal, Depends(allowed(Role.FLOORPERSON, Role.AUDITOR, Role.OPERATIONS))]
"""Who may look at face-down cards: nobody at the table."""


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
    """Where a command goes, under which id, and whose it is."""

    table: str
    command_id: str
    store: Store
    who: Principal

    @property
    def cause(self) -> Cause:
        return Cause.of_command(self.command_id, self.who.name)


@dataclass(frozen=True, slots=True)
class AtRound:
    """Where a command goes, under which id, and whose it is."""

    table: str
    round_no: int
    command_id: str
    store: Store
    who: Principal
    watch: NetworkWatch

    async def carry_out(self, command: RoundCommand) -> JSONResponse:
        """Carry it out once, however often it is sent; the answer is the round's view."""

        async def act(tx: Transaction) -> Outcome:
            return await carry_out(
                tx,
                self.table,
                self.round_no,
                command,
                command_id=self.command_id,
                actor=self.who.name,
                watch=self.watch,
            )

        outcome = await run_command(
            self.store,
            scope=table_stream(self.table),
            command_id=self.command_id,
            inputs={"command": type(command).__name__, "round_no": self.round_no, **command.model_dump(mode="json")},
            act=act,
            actor=self.who.name,
        )
        return outcome.response()


# Coroutines, though they wait for nothing: FastAPI sends a plain class to a thread, for two hops a request.
def _at_the_table(guard: Allowed) -> Callable[..., Awaitable[AtTable]]:
    async def at(
        who: Annotated[Principal, Depends(guard)], table: TableName, command_id: CommandId, store: TheStore
    ) -> AtTable:
        return AtTable(table, command_id, store, who)

    return at


def _at_the_round(guard: Allowed) -> Callable[..., Awaitable[AtRound]]:
    async def at(
        who: Annotated[Principal, Depends(guard)],
        table: TableName,
        round_no: Number,
        command_id: CommandId,
        store: TheStore,
        request: Request,
    ) -> AtRound:
        return AtRound(table, round_no, command_id, store, who, request.app.state.watch)

    return at


TableForDealer = Annotated[AtTable, Depends(_at_the_table(allowed(Role.DEALER, Role.FLOORPERSON)))]
RoundForBets = Annotated[AtRound, Depends(_at_the_round(allowed(Role.DEALER, Role.FLOORPERSON, Role.PLATFORM)))]
RoundForDealer = Annotated[AtRound, Depends(_at_the_round(allowed(Role.DEALER, Role.FLOORPERSON)))]
RoundForFloorperson = Annotated[AtRound, Depends(_at_the_round(allowed(Role.FLOORPERSON)))]


class Voiding(Part):
    """What went wrong, and in which words."""

    kind: VoidKind = "other"
    reason: Reason


class SeatRuling(Part):
    """Which seat, and why."""

    seat: SeatNo
    reason: Reason


class SettingAside(Part):
    """Which card, and why."""

    card: Text200
    reason: Reason


@router.post("/tables/{table}/open", status_code=201, response_model=TableView, responses=MAY_BE_UNCERTAIN)
async def open_a_table(at: TableForDealer, body: TableTerms, request: Request) -> JSONResponse:
    """Open a table for a game on a gaming day. Every paytable must be in force on it, and a progressive network that it
    names must be open, in the table's currency, with the meters that its paytables pay shares of; whether it is, is
    known once all was heard that networks had told when this was asked."""
    if body.network is not None and not (at.who.sees(body.network) or same_operator(body.network, at.table)):
        return unknown("network", body.network).response()

    async def act(tx: Transaction) -> Outcome:
        command = OpenTable(table=at.table, **body.model_dump())
        return await open_table(tx, command, at.cause, request.app.state.paytables)

    return await _at_table(at, "OpenTable", body, act)


@router.post("/tables/{table}/close", response_model=TableView)
async def close_a_table(at: TableForDealer, body: Closing) -> JSONResponse:
    """Close a table; a round in progress must be finished or void first."""

    async def act(tx: Transaction) -> Outcome:
        return await close_table(tx, at.table, body.reason, at.cause)

    return await _at_table(at, "CloseTable", body, act)


@router.post("/tables/{table}/rounds", status_code=201, response_model=RoundView)
async def open_a_round(at: TableForDealer, body: RoundOpening, request: Request) -> JSONResponse:
    """Open the table's next round; the answer says its number."""

    async def act(tx: Transaction) -> Outcome:
        return await open_round(tx, at.table, body.round_id, body.options, at.cause, request.app.state.watch)

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
        actor=at.who.name,
    )
    return outcome.response()


@router.get("/tables", response_model=FloorView)
async def tables(who: Reader, store: TheStore) -> JSONResponse:
    """Every table that was ever opened: its game and day, whether it is open, the round being played there."""
    return JSONResponse({"tables": await sql.floor(store.pool, owners=who.owner_patterns)})


@router.get("/tables/{table}", response_model=TableView)
async def table(_who: Reader, table: TableName, store: TheStore) -> JSONResponse:
    """One table, with the terms that it is open on."""
    async with store.transaction() as tx:
        found = await table_view(tx, table)
    return found.response()


@router.get("/rounds", response_model=list[PlayedAt])
async def rounds(
    who: Reader, round_id: Annotated[RoundId, Query(examples=["r00017"])], store: TheStore
) -> JSONResponse:
    """Where the rounds of a caller's id were played: ``[{"table", "round_no"}]``."""
    found = await sql.rounds_of_id(store.pool, round_id)
    return JSONResponse([one for one in found if who.sees(one["table"])])


ROUND = "/tables/{table}/rounds/{round_no}"


@router.post(ROUND + "/wagers", response_model=RoundView)
async def place_wagers(
    at: RoundForBets,
    command: Annotated[
        PlaceWagers,
        Body(examples=[{"seat": 1, "player": "p011", "stakes": {"ante": 1500, "blind": 1500, "trips": 2500}}]),
    ],
) -> JSONResponse:
    """A seat's wagers before the deal, in minor units; they stand once the wallet holds their money.

    A player plays at the tables of the operator that keeps the account, or where the credential covers both. While the
    table's progressive network is silent for too long, wagers that need it are refused and the round goes on without.
    """
    if not (at.who.sees(command.player) or same_operator(command.player, at.table)):
        return unknown("player", command.player).response()
    return await at.carry_out(command)


@router.post(ROUND + "/deal", response_model=RoundView)
async def deal_hands(
    at: RoundForDealer,
    command: Annotated[
        DealHands, Body(examples=[{"hands": [{"seat": 1, "cards": ["4d", "Ks"]}], "dealer": ["3c", "5d"]}])
    ],
) -> JSONResponse:
    """Close the betting: these hands were dealt, one to each seat whose wagers stand."""
    return await at.carry_out(command)


@router.post(ROUND + "/decisions", response_model=RoundView)
async def answer_decision(
    at: RoundForDealer, command: Annotated[AnswerDecision, Body(examples=[{"seat": 1, "choice": "4x"}])]
) -> JSONResponse:
    """The seat that is asked answers; a Play Wager waits for the wallet before the round goes on."""
    return await at.carry_out(command)


@router.post(ROUND + "/community", response_model=RoundView)
async def reveal_community(
    at: RoundForDealer,
    command: Annotated[RevealCommunity, Body(examples=[{"cards": ["9h", "Ah", "Kh"], "burned": ["Ac"]}])],
) -> JSONResponse:
    """The community cards of the street, after its last seat answered."""
    return await at.carry_out(command)


@router.post(ROUND + "/bonus", response_model=RoundView)
async def deal_bonus(
    at: RoundForDealer, command: Annotated[DealBonus, Body(examples=[{"cards": ["2c", "2d", "8h", "Js"]}])]
) -> JSONResponse:
    """The additional cards of the Six Card Bonus, when the board is complete."""
    return await at.carry_out(command)


@router.post(ROUND + "/finish", response_model=RoundView)
async def finish_round(at: RoundForDealer, command: Annotated[FinishRound, Body(examples=[{}])]) -> JSONResponse:
    """The dealer turns the hand up: the round is settled from here."""
    return await at.carry_out(command)


@router.post(ROUND + "/void", response_model=RoundView)
async def void_round(
    at: RoundForFloorperson,
    body: Annotated[Voiding, Body(examples=[{"kind": "exposed_card", "reason": "dealer's second card seen"}])],
) -> JSONResponse:
    """A floorperson declares the round void: every wager comes back. ``kind`` is misdeal (a card too many or too few
    to a hand), exposed_card, wrong_count (of the deck), shuffler_jam or other."""
    return await at.carry_out(VoidRound(kind=body.kind, reason=body.reason, floorperson=at.who.name))


@router.post(ROUND + "/forfeit", response_model=RoundView)
async def forfeit_seat(
    at: RoundForFloorperson,
    body: Annotated[SeatRuling, Body(examples=[{"seat": 3, "reason": "exchanged information"}])],
) -> JSONResponse:
    """A floorperson takes every wager of a seat; it is not asked any more."""
    return await at.carry_out(ForfeitSeat(seat=body.seat, reason=body.reason, floorperson=at.who.name))


@router.post(ROUND + "/leave", response_model=RoundView)
async def leave_seat(
    at: RoundForFloorperson, body: Annotated[SeatRuling, Body(examples=[{"seat": 3, "reason": "taken ill"}])]
) -> JSONResponse:
    """A floorperson states that a player went away. Before the deal the seat's wagers are off and their money is free
    again when the round is settled; after it the hand folds where it may, else checks, whenever it is asked."""
    return await at.carry_out(LeaveSeat(seat=body.seat, reason=body.reason, floorperson=at.who.name))


@router.post(ROUND + "/set-aside", response_model=RoundView)
async def set_card_aside(
    at: RoundForFloorperson,
    body: Annotated[SettingAside, Body(examples=[{"card": "Td", "reason": "face up in the deck"}])],
) -> JSONResponse:
    """A floorperson sets a card aside that was found face up in the deck: it is not dealt in this round."""
    return await at.carry_out(SetCardAside(card=body.card, reason=body.reason, floorperson=at.who.name))


@router.get(ROUND, response_model=RoundView)
async def round_view(
    _who: Reader,
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


@router.get(ROUND + "/events", response_model=list[RecordedView])
async def round_events(
    _who: HandReader,
    table: TableName,
    round_no: Number,
    store: TheStore,
    after_version: Annotated[int, Query(ge=0, le=INT64_MAX)] = 0,
) -> JSONResponse:
    """Every event of the round after a version, with the exact bytes stored. Face-down cards are in it."""
    async with store.transaction() as tx:
        recorded = await tx.load(round_stream(table, round_no), after_version)
    if not recorded and after_version == 0:
        return unknown_round(table, round_no).response()
    return JSONResponse(history(recorded))


@router.get("/tables/{table}/events", response_model=list[RecordedView])
async def table_events(_who: Reader, table: TableName, store: TheStore) -> JSONResponse:
    """Every event of the table's own sessions, with the exact bytes stored."""
    async with store.transaction() as tx:
        recorded = await tx.load(table_stream(table))
        return JSONResponse(history(recorded)) if recorded else (await table_view(tx, table)).response()


@router.get("/networks/{network}/stakes")
async def stakes_of_a_network(
    who: Reader,
    network: Annotated[NetworkId, Path()],
    store: TheStore,
    table: TableId | None = None,
    after_round: Annotated[int, Query(ge=0, le=INT64_MAX)] = 0,
    limit: Annotated[int, Query(ge=1, le=10_000)] = 1000,
) -> JSONResponse:
    """What these tables' players wagered on a progressive network, table by table, as it was counted when betting
    closed: the tables' own side of the network's reconciliation. With ``table`` also that table's ``rounds``, ``limit``
    of them after ``after_round``."""
    rows = await network_store.stakes_of(store.pool, network)
    seen = [row for row in rows if who.sees(row["table"]) and table in (None, row["table"])]
    if table is None or not who.sees(table):
        return JSONResponse({"network": network, "tables": seen})
    rounds = await network_store.stakes_by_round(store.pool, network, table, after_round, limit)
    return JSONResponse({"network": network, "tables": seen, "rounds": rounds})


def routes() -> APIRouter:
    """Every route of the service."""
    every = APIRouter()
    for part in (router, dispute_routes.router, correction_routes.router):
        every.include_router(part)
    return every


def build(settings: TableSettings | None = None) -> Service:
    """The service, each part wired once; settings are read from the environment unless given."""
    chosen = settings or TableSettings()
    service = Service(
        chosen,
        migrations=files("pitstream.services.table") / "migrations",
        handlers={WALLET: answer_holds, PROGRESSIVES: hear_networks},
        unhurried={PROGRESSIVES},
        router=routes(),
        title="pitstream table: what is legal now",
        counting=telemetry.count,
        shown={telemetry.show: telemetry.SHOWN},
    )
    service.app.state.paytables = chosen.paytables
    service.app.state.watch = NetworkWatch(chosen.paytables, chosen.network_silence_s)
    return service
