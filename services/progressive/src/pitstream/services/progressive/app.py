"""The progressive service's edges: networks, their meters, hits and approvals over HTTP."""

from collections.abc import Sequence
from fractions import Fraction
from importlib.resources import files
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path, Query
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from pitstream.events import Event, Recorded
from pitstream.events.ids import progressive_stream
from pitstream.events.model import INT64_MAX, Currency, MeterId, NetworkId
from pitstream.events.money import AmountOrNone
from pitstream.events.progressives import MeterOpening
from pitstream.events.refusal import Refusal
from pitstream.events.rounds import TOPIC as ROUNDS
from pitstream.events.settlements import TOPIC as SETTLEMENTS
from pitstream.runtime import (
    Cause,
    Outcome,
    Principal,
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
from pitstream.runtime.access import READERS
from pitstream.services.progressive.config import ProgressiveSettings
from pitstream.services.progressive.handlers import NOT_OPENED, feed_meters, lock_network
from pitstream.services.progressive.meter import ApproveHit, Hit, Meter, Network, OpenNetwork, State, decide, evolve
from pitstream.services.progressive.prize_handler import hold_prizes
from pitstream.services.progressive.prize_routes import router as prize_router

router = APIRouter(prefix="/v1/networks", tags=["progressive networks"])

NetworkName = Annotated[NetworkId, Path()]
CommandId = Annotated[str, Depends(command_id)]
TheStore = Annotated[Store, Depends(store_of)]
Reader = Annotated[Principal, Depends(allowed(*READERS))]
Operator = Annotated[Principal, Depends(allowed(Role.PROGRESSIVE))]
Floorperson = Annotated[Principal, Depends(allowed(Role.FLOORPERSON))]


class MeterBody(BaseModel):
    """A meter as it opens: money in minor units, ``rate`` the share of each progressive wager that feeds it."""

    model_config = ConfigDict(extra="forbid", strict=True)

    meter: MeterId
    seed: AmountOrNone
    amount: AmountOrNone
    rate: Annotated[str, Field(pattern=r"^[0-9]{1,9}/[1-9][0-9]{0,8}$", examples=["1/5"])]

    def opening(self) -> MeterOpening:
        rate = Fraction(self.rate)
        return MeterOpening(
            meter=self.meter,
            seed=self.seed,
            amount=self.amount,
            rate_numerator=rate.numerator,
            rate_denominator=rate.denominator,
        )


class OpenBody(BaseModel):
    """A network with all its meters."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={
            "example": {
                "currency": "USD",
                "meters": [{"meter": "main", "seed": 1_000_000, "amount": 1_000_000, "rate": "1/5"}],
            }
        },
    )

    currency: Currency
    meters: Annotated[list[MeterBody], Field(min_length=1, max_length=32)]


@router.post("/{network}/open", status_code=201)
async def open_network(
    who: Operator, network: NetworkName, body: OpenBody, command_id: CommandId, store: TheStore
) -> JSONResponse:
    """Open a network with its meters, once and for all."""
    command = OpenNetwork(network, body.currency, tuple(meter.opening() for meter in body.meters))

    async def act(tx: Transaction) -> Outcome:
        return await _carry_out(tx, command, command_id, actor=who.name, accepted=201)

    return (
        await run_command(
            store,
            scope=progressive_stream(network),
            command_id=command_id,
            inputs={"command": "open", **body.model_dump()},
            act=act,
            actor=who.name,
        )
    ).response()


@router.get("/{network}")
async def network_view(
    _who: Reader,
    network: NetworkName,
    store: TheStore,
    after_version: Annotated[int | None, Query(ge=0, le=INT64_MAX)] = None,
    wait_ms: Annotated[int, Query(ge=0, le=30_000)] = 0,
) -> JSONResponse:
    """The meters as they stand. With ``after_version`` the answer waits up to ``wait_ms`` for something newer."""
    if after_version is not None:
        await store.wait_for(progressive_stream(network), after_version, wait_ms)
    async with store.transaction() as tx:
        folded = await tx.fold(progressive_stream(network), NOT_OPENED, evolve)
    if not isinstance(folded.state, Network):
        return unknown("network", network).response()
    return JSONResponse(view(folded.state, folded.version))


@router.get("/{network}/hits")
async def hits(
    _who: Reader, network: NetworkName, store: TheStore, status: Literal["locked", "approved"] | None = None
) -> JSONResponse:
    """The network's hits in the order in which they were locked; ``locked`` ones wait for a floorperson."""
    async with store.transaction() as tx:
        folded = await tx.fold(progressive_stream(network), NOT_OPENED, evolve)
    if not isinstance(folded.state, Network):
        return unknown("network", network).response()
    every = [hit_view(hit) for hit in folded.state.hits.values()]
    return JSONResponse({"hits": [hit for hit in every if status in (None, hit["status"])]})


@router.get("/{network}/events")
async def network_events(
    _who: Reader,
    network: NetworkName,
    store: TheStore,
    after_version: Annotated[int, Query(ge=0, le=INT64_MAX)] = 0,
) -> JSONResponse:
    """Every event of the network after a version, with the exact bytes stored."""
    async with store.transaction() as tx:
        recorded = await tx.load(progressive_stream(network), after_version)
    if not recorded and after_version == 0:
        return unknown("network", network).response()
    return JSONResponse(history(recorded))


@router.post("/{network}/hits/{claim_id}/approve")
async def approve_hit(
    who: Floorperson, network: NetworkName, claim_id: str, command_id: CommandId, store: TheStore
) -> JSONResponse:
    """The floorperson who calls has validated a hit: the wallet pays it by hand."""
    command = ApproveHit(network, claim_id, who.name)

    async def act(tx: Transaction) -> Outcome:
        return await _carry_out(tx, command, command_id, actor=who.name, accepted=200)

    return (
        await run_command(
            store,
            scope=progressive_stream(network),
            command_id=command_id,
            inputs={"command": "approve", "claim_id": claim_id, "floorperson": who.name},
            act=act,
            actor=who.name,
        )
    ).response()


async def _carry_out(
    tx: Transaction, command: OpenNetwork | ApproveHit, command_id: str, *, actor: str, accepted: int
) -> Outcome:
    """Decide, append, and answer with what was asked about: the network, or the hit."""
    await lock_network(tx, command.network)
    stream = progressive_stream(command.network)
    folded = await tx.fold(stream, NOT_OPENED, evolve)
    events = decide(folded.state, command)
    if isinstance(events, Refusal):
        return Outcome.refused(events, 404 if events.code.startswith("unknown_") else 422)
    cause = Cause.of_command(command_id, actor)
    tx.append(stream, command.network, events, expected_version=folded.version, cause=cause)
    after = _after(folded.state, events)
    if isinstance(command, ApproveHit):
        return Outcome(accepted, hit_view(after.hits[command.claim_id]))
    return Outcome(accepted, view(after, folded.version + len(events)))


def _after(state: State, events: list[Event]) -> Network:
    for event in events:
        state = evolve(state, event)
    if not isinstance(state, Network):
        raise TypeError(f"an accepted command left {state}")
    return state


def view(state: Network, version: int) -> dict[str, Any]:
    """A network as JSON; money in minor units, ``carry`` the exact fraction that a meter holds beside them."""
    waiting = sum(hit.approved_by is None for hit in state.hits.values())
    return {
        "network": state.network,
        "version": version,
        "currency": state.currency,
        "meters": [_meter_view(meter) for meter in state.meters.values()],
        "closed_rounds": dict(state.closed),
        "hits": {"locked": waiting, "approved": len(state.hits) - waiting},
    }


def _meter_view(meter: Meter) -> dict[str, Any]:
    return {
        "meter": meter.meter,
        "amount": meter.amount,
        "carry": f"{meter.carry}/{meter.rate_denominator}",
        "seed": meter.seed,
        "rate": f"{meter.rate_numerator}/{meter.rate_denominator}",
    }


def hit_view(hit: Hit) -> dict[str, Any]:
    """A hit as JSON: the locked share, whether it was approved and by whom."""
    return {
        **hit.locked.model_dump(mode="json"),
        "status": "locked" if hit.approved_by is None else "approved",
        "approved_by": hit.approved_by,
    }


async def take_settlements(tx: Transaction, batch: Sequence[Recorded]) -> None:
    """A batch of ``settlements.v1``: what it means for meters, and the prizes that wait because of it."""
    await feed_meters(tx, batch)
    await hold_prizes(tx, batch)


def build(settings: ProgressiveSettings | None = None) -> Service:
    """The service, each part wired once; settings are read from the environment unless given."""
    routes = APIRouter()
    routes.include_router(router)
    routes.include_router(prize_router)
    return Service(
        settings or ProgressiveSettings(),
        migrations=files("pitstream.services.progressive") / "migrations",
        handlers={ROUNDS: feed_meters, SETTLEMENTS: take_settlements},
        unhurried={ROUNDS, SETTLEMENTS},
        router=routes,
        title="pitstream progressive: meters, hits and approvals",
    )
