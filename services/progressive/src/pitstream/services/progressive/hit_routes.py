"""Hits over HTTP: looked at, verified, validated or refused, their cards released.

Who sees a network sees all of its hits; who does not sees those of the tables in their scopes: a property's staff
validate what was hit at their tables, whoever operates the network."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query
from fastapi.responses import JSONResponse

from pitstream.events.model import INT64_MAX
from pitstream.runtime import (
    MAY_BE_UNCERTAIN,
    AnsweredError,
    Outcome,
    Principal,
    Role,
    Store,
    Transaction,
    allowed,
    unknown,
)
from pitstream.runtime.access import READERS, Allowed
from pitstream.services.progressive.bodies import DocumentBody, RefuseBody, VerifyBody
from pitstream.services.progressive.carrying_out import carry_out
from pitstream.services.progressive.commands import (
    AcceptHit,
    ApproveHit,
    DeclineHit,
    HitCommand,
    RefuseHit,
    ReleaseCards,
    VerifyHit,
)
from pitstream.services.progressive.network import Network
from pitstream.services.progressive.network_routes import CommandId, NetworkName, TheStore
from pitstream.services.progressive.network_store import folded, hits_of, past_hit, proposed_hits_of
from pitstream.services.progressive.views import hit_view

router = APIRouter(prefix="/v1/networks", tags=["hits"])


def _who_sees_the_hit(guard: Allowed) -> Callable[..., Awaitable[Principal]]:
    async def who_sees_the_hit(
        who: Annotated[Principal, Depends(guard)], network: NetworkName, claim_id: str, store: TheStore
    ) -> Principal:
        if not who.sees(network):
            async with store.transaction() as tx:
                hit = await past_hit(tx, network, claim_id)
            # A hit's table never changes, so what is seen here is what will be decided.
            if hit is None or not who.sees(hit.locked.table):
                raise AnsweredError(unknown("network", network))
        return who

    return who_sees_the_hit


Reader = Annotated[Principal, Depends(allowed(*READERS, itself=["network"]))]
AtTheTable = Annotated[
    Principal, Depends(_who_sees_the_hit(allowed(Role.DEALER, Role.FLOORPERSON, itself=["network"])))
]
Floorperson = Annotated[Principal, Depends(_who_sees_the_hit(allowed(Role.FLOORPERSON, itself=["network"])))]

NetworkPerson = Annotated[Principal, Depends(allowed(Role.PROGRESSIVE))]


@router.get("/{network}/hits")
async def network_hits(
    who: Reader,
    network: NetworkName,
    store: TheStore,
    status: Literal["locked", "verified", "paid", "refused", "open", "questioned"] | None = None,
    after: Annotated[int, Query(ge=0, le=INT64_MAX)] = 0,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 200,
) -> JSONResponse:
    """The network's hits in the order of their locks; `open`: whose cards are still at the table; `questioned`: whose
    win a correction of the round took away. `next` is the `after` of the next page, absent on the last. Who does not
    see the network sees the hits of their own tables."""
    whole = who.sees(network)
    async with store.transaction() as tx:
        state = (await folded(tx, network)).state
        if not isinstance(state, Network) or not (whole or state.plays_at(who.sees)):
            return unknown("network", network).response()
        tables = None if whole else who.owner_patterns
        found = await hits_of(tx, network, tables=tables, status=status, after=after, limit=limit)
    following = {"next": found[-1].locked_at} if len(found) == limit else {}
    return JSONResponse({"hits": [hit_view(hit) for hit in found], **following})


@router.post("/{network}/hits/{claim_id}/verify", responses=MAY_BE_UNCERTAIN)
async def verify_hit(
    who: AtTheTable, network: NetworkName, claim_id: str, body: VerifyBody, command_id: CommandId, store: TheStore
) -> JSONResponse:
    """Whoever calls has checked the winning hand and the light of its wager at the table."""
    return await _about(
        store, VerifyHit(network, claim_id, who.name, tuple(body.checks)), command_id, body.model_dump()
    )


@router.post("/{network}/hits/{claim_id}/approve", responses=MAY_BE_UNCERTAIN)
async def approve_hit(
    who: Floorperson, network: NetworkName, claim_id: str, body: DocumentBody, command_id: CommandId, store: TheStore
) -> JSONResponse:
    """The floorperson who calls, another than who verified the hit, has validated it: the wallet pays it by hand."""
    return await _about(store, ApproveHit(network, claim_id, who.name, body.document), command_id, body.model_dump())


@router.post("/{network}/hits/{claim_id}/refuse", responses=MAY_BE_UNCERTAIN)
async def refuse_hit(
    who: Floorperson, network: NetworkName, claim_id: str, body: RefuseBody, command_id: CommandId, store: TheStore
) -> JSONResponse:
    """The floorperson who calls refuses the hit: its amount goes back where it came from."""
    command = RefuseHit(network, claim_id, who.name, body.reason, body.document or "")
    return await _about(store, command, command_id, body.model_dump())


@router.post("/{network}/hits/{claim_id}/release", responses=MAY_BE_UNCERTAIN)
async def release_cards(
    who: AtTheTable, network: NetworkName, claim_id: str, command_id: CommandId, store: TheStore
) -> JSONResponse:
    """The cards of a hit that was paid or refused go to the discard rack."""
    return await _about(store, ReleaseCards(network, claim_id, who.name), command_id, {})


@router.get("/{network}/proposed-hits")
async def proposed_hits(
    _who: Annotated[Principal, Depends(allowed(*READERS))],
    network: NetworkName,
    store: TheStore,
    status: Literal["proposed", "locked", "declined"] | None = None,
    after: Annotated[int, Query(ge=0, le=INT64_MAX)] = 0,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 200,
) -> JSONResponse:
    """Hits that corrections of rounds made appear, oldest first, and what became of them. `next` is the `after` of the
    next page, absent on the last."""
    async with store.transaction() as tx:
        if not isinstance((await folded(tx, network)).state, Network):
            return unknown("network", network).response()
        found = await proposed_hits_of(tx, network, status=status, after=after, limit=limit)
    following = {"next": found[-1]["proposed_at"]} if len(found) == limit else {}
    views = [{**one.pop("proposed"), **one} for one in found]
    return JSONResponse({"proposed_hits": views, **following})


@router.post("/{network}/proposed-hits/{claim_id}/accept", responses=MAY_BE_UNCERTAIN)
async def accept_hit(
    who: NetworkPerson, network: NetworkName, claim_id: str, command_id: CommandId, store: TheStore
) -> JSONResponse:
    """One of the network's people accepts it: its share is locked of what the meter shows now, and the hit goes the way
    of every other: verified, validated, paid by hand."""
    return await _about(store, AcceptHit(network, claim_id, who.name), command_id, {})


@router.post("/{network}/proposed-hits/{claim_id}/decline", responses=MAY_BE_UNCERTAIN)
async def decline_hit(
    who: NetworkPerson, network: NetworkName, claim_id: str, body: RefuseBody, command_id: CommandId, store: TheStore
) -> JSONResponse:
    """One of the network's people does not accept it, and says why: nothing is locked."""
    command = DeclineHit(network, claim_id, who.name, body.reason)

    async def answer(_tx: Transaction, _state: Network, _version: int) -> Outcome:
        return Outcome(200, {"claim_id": claim_id, "status": "declined", "declined_by": who.name})

    inputs = {"claim_id": claim_id, "by": who.name, **body.model_dump()}
    outcome = await carry_out(store, command, command_id, by=who.name, inputs=inputs, answer=answer)
    return outcome.response()


async def _about(store: Store, command: HitCommand | AcceptHit, command_id: str, body: dict[str, Any]) -> JSONResponse:
    """Carry it out, and answer with the hit as it is then."""

    async def answer(tx: Transaction, _state: Network, _version: int) -> Outcome:
        hit = await past_hit(tx, command.network, command.claim_id)
        if hit is None:
            raise RuntimeError(f"claim {command.claim_id} of {command.network}: its row is not there")
        return Outcome(200, hit_view(hit))

    inputs = {"claim_id": command.claim_id, "by": command.by, **body}
    return (await carry_out(store, command, command_id, by=command.by, inputs=inputs, answer=answer)).response()
