"""The page of those on call: what lags, what waits, what could not be applied, how long money takes."""

import asyncio
import base64
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import HTMLResponse

from pitstream.events.model import INT64_MAX
from pitstream.events.refusal import Refusal
from pitstream.runtime import AnsweredError, Outcome, Principal, Role, Store, allowed, store_of
from pitstream.services.ops import condition
from pitstream.services.ops.api import HEALTH
from pitstream.services.ops.frame import now_us
from pitstream.services.ops.owners import Owners, UnreachableError
from pitstream.services.ops.rendering import page

router = APIRouter(tags=["pages"], default_response_class=HTMLResponse)

OnCall = Annotated[Principal, Depends(allowed(*HEALTH, everywhere=True))]
Operations = Annotated[Principal, Depends(allowed(Role.OPERATIONS, everywhere=True))]
TheStore = Annotated[Store, Depends(store_of)]
Service = Annotated[Literal["table", "settlement", "progressive", "wallet"], Path()]
Minutes = Annotated[int, Query(ge=1, le=60)]


async def _condition(request: Request, store: Store, minutes: int) -> condition.Condition:
    own: Any = await request.app.state.delivery(store)
    owners: Owners = request.app.state.owners
    return await condition.condition(store.pool, owners, own, request.scope["pitstream.credential"], minutes)


@dataclass(frozen=True, slots=True)
class Letter:
    """A dead letter of a service, as that service tells it."""

    service: str
    told: dict[str, Any]


async def _letters(request: Request) -> tuple[list[Letter], list[str]]:
    """Dead letters that wait, of every service; and the services that did not answer."""
    owners: Owners = request.app.state.owners
    credential = request.scope["pitstream.credential"]

    async def of(service: str) -> list[Letter] | None:
        try:
            status, body = await owners.get(service, "/v1/dead-letters", credential, waiting="true", limit="100")
        except UnreachableError:
            return None
        return [Letter(service, one) for one in body["dead_letters"]] if status == 200 else None

    found = await asyncio.gather(*(of(service) for service in owners.urls))
    silent = [service for service, letters in zip(owners.urls, found, strict=True) if letters is None]
    return [letter for letters in found if letters for letter in letters], silent


async def _letters_for(request: Request, who: Principal) -> dict[str, Any]:
    """Only who may retry a dead letter may see what is in it."""
    if Role.OPERATIONS not in who.roles:
        return {"may_see_letters": False, "letters": [], "silent": []}
    letters, silent = await _letters(request)
    return {"may_see_letters": True, "letters": letters, "silent": silent}


@router.get("/condition")
async def health_page(request: Request, _who: OnCall, minutes: Minutes = 15) -> HTMLResponse:
    """Lag, outbox, parked keys and dead letters of every service, throughput, and how long money takes. Its
    panels come after it, since they ask every service."""
    return page(request, "health.html", minutes=minutes)


@router.get("/condition/{part}")
async def health_part(
    request: Request,
    who: OnCall,
    store: TheStore,
    part: Literal["services", "throughput", "letters"],
    minutes: Minutes = 15,
) -> HTMLResponse:
    """One panel of the page alone."""
    if part == "letters":
        return page(request, "health_letters.html", as_of_us=now_us(), **await _letters_for(request, who))
    found = await _condition(request, store, minutes)
    return page(request, f"health_{part}.html", found=found, minutes=minutes, as_of_us=now_us())


@router.get("/condition/{service}/dead-letters/{dead_letter_id}")
async def dead_letter_page(
    request: Request,
    _who: Operations,
    service: Service,
    dead_letter_id: Annotated[int, Path(ge=1, le=INT64_MAX)],
) -> HTMLResponse:
    """One dead letter with the bytes that came."""
    owners: Owners = request.app.state.owners
    path = f"/v1/dead-letters/{dead_letter_id}"
    try:
        status, told = await owners.get(service, path, request.scope["pitstream.credential"])
    except UnreachableError as error:
        raise AnsweredError(Outcome.refused(Refusal("service_unreachable", "service", str(error)), 503)) from error
    if status != 200:
        raise AnsweredError(Outcome(status, told))
    return page(request, "dead_letter.html", service=service, letter=told, raw=hex_lines(told["value_base64"]))


def hex_lines(value_base64: str | None) -> list[str]:
    """Bytes as one reads them: offset, sixteen bytes, and what of them is text.

    >>> hex_lines(base64.b64encode(b"pit").decode())
    ['00000000  70 69 74                                         pit']
    """
    data = base64.b64decode(value_base64 or "")
    lines = []
    for at in range(0, len(data), 16):
        part = data[at : at + 16]
        text = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in part)
        lines.append(f"{at:08x}  {part.hex(' '):<47}  {text}")
    return lines
