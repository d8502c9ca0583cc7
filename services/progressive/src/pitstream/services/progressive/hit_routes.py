"""Hits over HTTP: looked at, verified, validated or refused, their cards released."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query
from fastapi.responses import JSONResponse

from pitstream.events.model import INT64_MAX
from pitstream.runtime import Outcome, Principal, Role, Store, Transaction, allowed, unknown
from pitstream.services.progressive.bodies import DocumentBody, RefuseBody, VerifyBody
from pitstream.services.progressive.carrying_out import carry_out
from pitstream.services.progressive.commands import ApproveHit, HitCommand, RefuseHit, ReleaseCards, VerifyHit
from pitstream.services.progressive.network import Network
from pitstream.services.progressive.network_routes import CommandId, NetworkName, Reader, TheStore
from pitstream.services.progressive.network_store import folded, hits_of, past_hit
from pitstream.services.progressive.views import hit_view

router = APIRouter(prefix="/v1/networks", tags=["hits"])

AtTheTable = Annotated[Principal, Depends(allowed(Role.DEALER, Role.FLOORPERSON))]
Floorperson = Annotated[Principal, Depends(allowed(Role.FLOORPERSON))]


@router.get("/{network}/hits")
async def network_hits(
    _who: Reader,
    network: NetworkName,
    store: TheStore,
    status: Literal["locked", "verified", "paid", "refused", "open"] | None = None,
    after: Annotated[int, Query(ge=0, le=INT64_MAX)] = 0,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 200,
) -> JSONResponse:
    """The network's hits in the order of their locks; `open`: whose cards are still at the table. `next` is the `after`
    of the next page, absent on the last."""
    async with store.transaction() as tx:
        if not isinstance((await folded(tx, network)).state, Network):
            return unknown("network", network).response()
        found = await hits_of(tx, network, status=status, after=after, limit=limit)
    following = {"next": found[-1].locked_at} if len(found) == limit else {}
    return JSONResponse({"hits": [hit_view(hit) for hit in found], **following})


@router.post("/{network}/hits/{claim_id}/verify")
async def verify_hit(
    who: AtTheTable, network: NetworkName, claim_id: str, body: VerifyBody, command_id: CommandId, store: TheStore
) -> JSONResponse:
    """Whoever calls has checked the winning hand and the light of its wager at the table."""
    return await _about(
        store, VerifyHit(network, claim_id, who.name, tuple(body.checks)), command_id, body.model_dump()
    )


@router.post("/{network}/hits/{claim_id}/approve")
async def approve_hit(
    who: Floorperson, network: NetworkName, claim_id: str, body: DocumentBody, command_id: CommandId, store: TheStore
) -> JSONResponse:
    """The floorperson who calls, another than who verified the hit, has validated it: the wallet pays it by hand."""
    return await _about(store, ApproveHit(network, claim_id, who.name, body.document), command_id, body.model_dump())


@router.post("/{network}/hits/{claim_id}/refuse")
async def refuse_hit(
    who: Floorperson, network: NetworkName, claim_id: str, body: RefuseBody, command_id: CommandId, store: TheStore
) -> JSONResponse:
    """The floorperson who calls refuses the hit: its amount goes back where it came from."""
    command = RefuseHit(network, claim_id, who.name, body.reason, body.document or "")
    return await _about(store, command, command_id, body.model_dump())


@router.post("/{network}/hits/{claim_id}/release")
async def release_cards(
    who: AtTheTable, network: NetworkName, claim_id: str, command_id: CommandId, store: TheStore
) -> JSONResponse:
    """The cards of a hit that was paid or refused go to the discard rack."""
    return await _about(store, ReleaseCards(network, claim_id, who.name), command_id, {})


async def _about(store: Store, command: HitCommand, command_id: str, body: dict[str, Any]) -> JSONResponse:
    """Carry it out, and answer with the hit as it is then."""

    async def answer(tx: Transaction, _state: Network, _version: int) -> Outcome:
        hit = await past_hit(tx, command.network, command.claim_id)
        if hit is None:
            raise RuntimeError(f"claim {command.claim_id} of {command.network}: its row is not there")
        return Outcome(200, hit_view(hit))

    inputs = {"claim_id": command.claim_id, "by": command.by, **body}
    return (await carry_out(store, command, command_id, by=command.by, inputs=inputs, answer=answer)).response()
