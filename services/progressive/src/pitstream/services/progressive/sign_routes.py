"""The stream that signs listen to: server-sent events, one for each meter that changed."""

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response, StreamingResponse

from pitstream.events.ids import progressive_stream
from pitstream.runtime import Store, unknown
from pitstream.services.progressive.network import Network
from pitstream.services.progressive.network_routes import NetworkName, Reader, TheStore
from pitstream.services.progressive.network_store import folded
from pitstream.services.progressive.signs import PACE_MS, Pace, message, signs_of

router = APIRouter(prefix="/v1/networks", tags=["signs"])

_EVENT_STREAM = "text/event-stream"
_ALIVE_MS = 15_000
"""So often a silent stream says that it is there, or whatever stands between us and the sign closes it."""

_BREATH_MS = 100


@router.get(
    "/{network}/signs",
    response_class=Response,
    responses={200: {"content": {_EVENT_STREAM: {"schema": {"type": "string"}}}}},
)
async def signs(
    _who: Reader,
    network: NetworkName,
    store: TheStore,
    wait_ms: Annotated[int, Query(ge=0, le=86_400_000)] = 0,
) -> Response:
    """What the signs show: first every meter, then for `wait_ms` each that changed, with the amounts that are locked
    and wait as `pending`. One update a second for a meter at most; a lock, a payment or a refusal at once. When the
    stream ends, listen again."""
    async with store.transaction() as tx:
        found = await folded(tx, network)
    if not isinstance(found.state, Network):
        return unknown("network", network).response()
    return StreamingResponse(
        _updates(store, network, wait_ms), media_type=_EVENT_STREAM, headers={"Cache-Control": "no-store"}
    )


async def _updates(store: Store, network: str, wait_ms: int) -> AsyncIterator[str]:
    pace, said_at = Pace(), 0
    ends = _now_ms() + wait_ms
    while True:
        now = _now_ms()
        async with store.transaction() as tx:
            state = (await folded(tx, network)).state
        if not isinstance(state, Network):
            raise TypeError(f"network {network} was open and is not any more")
        showing = signs_of(state)
        for sign in pace.due(showing, now):
            said_at = now
            yield message(sign, state)
        if now - said_at >= _ALIVE_MS:
            said_at = now
            yield ": alive\n\n"
        if now >= ends:
            return
        wait = min(_ALIVE_MS - (now - said_at), ends - now, pace.wait_ms(showing, now) or _ALIVE_MS)
        # A meter that many tables feed changes all the time: looking again at once would be all that this does.
        await asyncio.sleep(min(wait, _BREATH_MS) / 1_000)
        await store.wait_for(progressive_stream(network), state.version, wait - _BREATH_MS, poll_ms=PACE_MS)


def _now_ms() -> int:
    return time.monotonic_ns() // 1_000_000
