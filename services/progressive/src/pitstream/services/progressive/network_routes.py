"""Networks over HTTP: opened, looked at, and changed by two people."""

import uuid
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path, Query
from fastapi.responses import JSONResponse

from pitstream.events.ids import progressive_stream
from pitstream.events.model import INT64_MAX, NetworkId, TableId
from pitstream.runtime import (
    MAY_BE_UNCERTAIN,
    Outcome,
    Principal,
    Role,
    Store,
    Transaction,
    allowed,
    command_id,
    history,
    once_published,
    store_of,
    unknown,
)
from pitstream.runtime.access import READERS
from pitstream.services.progressive.bodies import AnswerBody, OpenBody, ProposalBody, ReasonBody
from pitstream.services.progressive.carrying_out import Answer, carry_out
from pitstream.services.progressive.commands import (
    AnswerContribution,
    ApproveChange,
    OpenNetwork,
    ProposeChange,
    RejectChange,
)
from pitstream.services.progressive.network import Network
from pitstream.services.progressive.network_store import changes_of, folded, latest_hits_of, questions_of
from pitstream.services.progressive.views import network_view, report_view

router = APIRouter(prefix="/v1/networks", tags=["progressive networks"])

LATEST_HITS = 25
"""So many are reported for each meter."""
_PROPOSALS = uuid.uuid5(uuid.NAMESPACE_DNS, "proposals.pitstream")

NetworkName = Annotated[NetworkId, Path()]
CommandId = Annotated[str, Depends(command_id)]
TheStore = Annotated[Store, Depends(store_of)]
Reader = Annotated[Principal, Depends(allowed(*READERS))]
Operator = Annotated[Principal, Depends(allowed(Role.PROGRESSIVE))]


@router.post("/{network}/open", status_code=201, responses=MAY_BE_UNCERTAIN)
async def open_network(
    who: Operator, network: NetworkName, body: OpenBody, command_id: CommandId, store: TheStore
) -> JSONResponse:
    """Open a network with its meters, once and for all. It is answered once other services can hear of it, so that
    tables may open on it from then on."""
    command = OpenNetwork(network, body.currency, tuple(meter.opening() for meter in body.meters), body.policy)
    # Inputs as they were before there was more to say of a meter: a command sent then is the same command now.
    inputs = body.model_dump(exclude_none=True)
    outcome = await carry_out(store, command, command_id, by=who.name, inputs=inputs, answer=_network(201))
    return (await once_published(store, progressive_stream(network), 1, outcome)).response()


@router.get("/{network}")
async def network_view_of(
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
        found = await folded(tx, network)
    if not isinstance(found.state, Network):
        return unknown("network", network).response()
    return JSONResponse(network_view(found.state, found.version))


@router.get("/{network}/report")
async def network_report(_who: Reader, network: NetworkName, store: TheStore) -> JSONResponse:
    """Current, overflow, reserve, base, limit, hits and wins of every meter, and its last 25 hits."""
    async with store.transaction() as tx:
        found = await folded(tx, network)
        if not isinstance(found.state, Network):
            return unknown("network", network).response()
        latest = {name: await latest_hits_of(tx, network, name, LATEST_HITS) for name in found.state.meters}
    return JSONResponse(report_view(found.state, found.version, latest))


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


@router.get("/{network}/questions")
async def contribution_questions(
    _who: Reader, network: NetworkName, store: TheStore, waiting: bool = True
) -> JSONResponse:
    """Contributions that were too much for a meter to take from one round; they feed none before somebody answers."""
    async with store.transaction() as tx:
        if not isinstance((await folded(tx, network)).state, Network):
            return unknown("network", network).response()
        found = await questions_of(tx, network, waiting=waiting)
    return JSONResponse({"questions": found})


@router.post("/{network}/questions/{table}/{round_no}", responses=MAY_BE_UNCERTAIN)
async def answer_question(
    who: Operator,
    network: NetworkName,
    table: TableId,
    round_no: Annotated[int, Path(ge=1, le=INT64_MAX)],
    body: AnswerBody,
    command_id: CommandId,
    store: TheStore,
) -> JSONResponse:
    """Admit a questioned contribution to the meters, or keep it out for good."""
    command = AnswerContribution(network, table, round_no, who.name, body.admitted, body.reason)
    inputs = {"table": table, "round_no": round_no, "by": who.name, **body.model_dump()}
    return (await carry_out(store, command, command_id, by=who.name, inputs=inputs, answer=_network(200))).response()


@router.get("/{network}/proposals")
async def proposed_changes(
    _who: Reader,
    network: NetworkName,
    store: TheStore,
    status: Literal["proposed", "approved", "rejected"] | None = None,
) -> JSONResponse:
    """Changes that were asked for, oldest first, and what became of them."""
    async with store.transaction() as tx:
        if not isinstance((await folded(tx, network)).state, Network):
            return unknown("network", network).response()
        found = await changes_of(tx, network, status)
    return JSONResponse({"proposals": found})


@router.post("/{network}/proposals", status_code=201)
async def propose_change(
    who: Operator, network: NetworkName, body: ProposalBody, command_id: CommandId, store: TheStore
) -> JSONResponse:
    """Ask for one change: new terms of a meter, another policy, a correction, a transfer, the end of a meter. Nothing
    changes before another person approves it."""
    if body.transfer is not None and not who.sees(body.transfer.to_network):
        return unknown("network", body.transfer.to_network).response()
    proposal_id = str(uuid.uuid5(_PROPOSALS, f"{network}/{command_id}"))
    command = ProposeChange(
        network,
        proposal_id,
        who.name,
        body.reason,
        terms=None if body.terms is None else body.terms.terms(),
        policy=body.policy,
        correction=body.corrected(),
        transfer=body.transferred(),
        retire=body.retire,
    )

    async def answer(_tx: Transaction, _state: Network, version: int) -> Outcome:
        return Outcome(201, {"proposal_id": proposal_id, "proposed_by": who.name, "version": version})

    inputs = {"by": who.name, **body.model_dump(exclude_none=True)}
    return (await carry_out(store, command, command_id, by=who.name, inputs=inputs, answer=answer)).response()


@router.post("/{network}/proposals/{proposal_id}/approve")
async def approve_change(
    who: Operator, network: NetworkName, proposal_id: str, command_id: CommandId, store: TheStore
) -> JSONResponse:
    """Make a change that somebody else asked for: it holds from the event on that ``version`` in the answer names."""
    async with store.transaction() as tx:
        state = (await folded(tx, network)).state
    # A proposal never changes, so what is seen here is what will be approved.
    asked = state.proposals.get(proposal_id) if isinstance(state, Network) else None
    if asked is not None and asked.transfer is not None and not who.sees(asked.transfer.to_network):
        return unknown("network", asked.transfer.to_network).response()
    command = ApproveChange(network, proposal_id, who.name)
    inputs = {"proposal_id": proposal_id, "by": who.name}
    return (await carry_out(store, command, command_id, by=who.name, inputs=inputs, answer=_network(200))).response()


@router.post("/{network}/proposals/{proposal_id}/reject")
async def reject_change(
    who: Operator, network: NetworkName, proposal_id: str, body: ReasonBody, command_id: CommandId, store: TheStore
) -> JSONResponse:
    """Take a change off the table; whoever asked for it may do so too."""
    command = RejectChange(network, proposal_id, who.name, body.reason)
    inputs = {"proposal_id": proposal_id, "by": who.name, **body.model_dump()}
    return (await carry_out(store, command, command_id, by=who.name, inputs=inputs, answer=_network(200))).response()


def _network(status: int) -> Answer:
    async def answer(_tx: Transaction, state: Network, version: int) -> Outcome:
        return Outcome(status, network_view(state, version))

    return answer
