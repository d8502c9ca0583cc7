"""The pages of progressive networks: meters in big digits, hits that wait, contributions, history, reconciliation."""

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse

from pitstream.events.currencies import ISO_4217
from pitstream.events.model import NetworkId
from pitstream.runtime import AnsweredError, Principal, Store, allowed, store_of, unknown
from pitstream.runtime.access import READERS
from pitstream.services.ops import things_read
from pitstream.services.ops.actions import AT_TABLE, FLOOR, NETWORK
from pitstream.services.ops.frame import now_us
from pitstream.services.ops.rendering import ENVIRONMENT, page
from pitstream.services.ops.said import FILTERS
from pitstream.services.ops.things_read import OPEN, NetworkView, PastEvent, ThingView

ENVIRONMENT.filters.update(FILTERS)
router = APIRouter(tags=["pages"], default_response_class=HTMLResponse)

Reader = Annotated[Principal, Depends(allowed(*READERS))]
TheStore = Annotated[Store, Depends(store_of)]
Asked = Annotated[NetworkId | None, Query(alias="network", description="the first one unless given")]
_HISTORY = 40
_POINTS = 120
"""Points of the chart of contributions; the time between two is as long as it takes."""
_BUCKETS_S = (60, 300, 900, 3600, 21_600, 86_400)


async def _facts(store: Store, who: Principal, asked: str | None) -> dict[str, Any]:
    """The network that is shown, and which there are."""
    every = (await things_read.networks(store.pool, who)).networks
    shown = next((one for one in every if asked in (None, one.network)), None)
    if asked is not None and shown is None:
        raise AnsweredError(unknown("network", asked))
    scale = ISO_4217.get(shown.currency, 2) if shown else 2
    return {"network": shown, "networks": [one.network for one in every], "scale": scale, "as_of_us": now_us()}


@dataclass(frozen=True, slots=True)
class HitShown:
    """A hit, and what whoever looks may do about it."""

    thing: ThingView
    may_verify: bool
    may_decide: bool
    may_release: bool

    @property
    def action(self) -> str:
        return f"/actions/networks/{self.thing.network}/hits/{self.thing.id}"


def _hit(thing: ThingView, who: Principal) -> HitShown:
    at_table = not who.roles.isdisjoint(AT_TABLE)
    decided = thing.status in ("paid", "refused")
    return HitShown(
        thing,
        may_verify=at_table and thing.status == "locked",
        may_decide=not who.roles.isdisjoint(FLOOR) and thing.status in ("locked", "verified"),
        may_release=at_table and decided and "released_by" not in thing.state,
    )


async def _hits(store: Store, who: Principal, network: NetworkView) -> list[HitShown]:
    """Hits that are not decided, and those whose cards are still at the table; the oldest first."""
    found = await things_read.things(
        store.pool, who, "hit", statuses=(*OPEN["hit"], "paid", "refused"), network=network.network
    )
    waiting = [one for one in found.things if one.status in OPEN["hit"] or "released_by" not in one.state]
    return [_hit(one, who) for one in reversed(waiting)]


@dataclass(frozen=True, slots=True)
class Point:
    """What went into each meter from ``at_us`` on until the next point, minor units."""

    at_us: int
    amounts: list[int]


async def _flow(store: Store, network: NetworkView) -> list[Point]:
    """Contributions since the network opened, in spans as short as the chart has room for."""
    age_s = max(1, (now_us() - network.opened_us) // 1_000_000)
    bucket_s = next((size for size in _BUCKETS_S if age_s // size <= _POINTS), _BUCKETS_S[-1])
    since_us = max(network.opened_us - bucket_s * 1_000_000, now_us() - _POINTS * bucket_s * 1_000_000)
    # A span in which nothing came is a point at 0, no gap.
    size_us = bucket_s * 1_000_000
    spans = range(since_us // size_us * size_us, now_us() + 1, size_us)
    points = {at_us: [0] * len(network.meters) for at_us in spans}
    for place, meter in enumerate(network.meters):
        found = await things_read.contributions(
            store.pool, network.network, meter.meter, since_us=since_us, until_us=now_us(), bucket_s=bucket_s
        )
        for bucket in found.buckets:
            points.setdefault(bucket.from_us, [0] * len(network.meters))[place] = bucket.posted
    if not any(any(amounts) for amounts in points.values()):
        return []
    return [Point(at_us, amounts) for at_us, amounts in sorted(points.items())]


async def _changes(store: Store, who: Principal, network: NetworkView) -> list[ThingView]:
    found = await things_read.things(store.pool, who, "change", statuses=OPEN["change"], network=network.network)
    return found.things


async def _history(store: Store, network: NetworkView) -> list[PastEvent]:
    return (await things_read.network_history(store.pool, network.network, None, _HISTORY)).events


def _may_change(who: Principal) -> bool:
    return not who.roles.isdisjoint(NETWORK)


@router.get("/progressives")
async def progressives_page(request: Request, who: Reader, store: TheStore, asked: Asked = None) -> HTMLResponse:
    """A network's meters, hits, contributions, history, changes and reconciliation."""
    facts = await _facts(store, who, asked)
    network: NetworkView | None = facts["network"]
    if network is not None:
        facts |= {
            "hits": await _hits(store, who, network),
            "flow": await _flow(store, network),
            "history": await _history(store, network),
            "changes": await _changes(store, who, network),
            "may_change": _may_change(who),
        }
    return page(request, "progressives.html", **facts)


@router.get("/progressives/{part}")
async def progressives_part(
    request: Request, who: Reader, store: TheStore, part: str, asked: Asked = None
) -> HTMLResponse:
    """One panel of the page alone: meters, hits, contributions, history, changes or reconciliation."""
    facts = await _facts(store, who, asked)
    network: NetworkView | None = facts["network"]
    if network is None:
        raise AnsweredError(unknown("network", asked or ""))
    match part:
        case "meters":
            return page(request, "progressive_meters.html", **facts)
        case "hits":
            return page(request, "progressive_hits.html", **facts, hits=await _hits(store, who, network))
        case "contributions":
            return page(request, "progressive_flow.html", **facts, flow=await _flow(store, network))
        case "history":
            return page(request, "progressive_history.html", **facts, history=await _history(store, network))
        case "changes":
            changes = await _changes(store, who, network)
            return page(request, "progressive_changes.html", **facts, changes=changes, may_change=_may_change(who))
        case "reconciliation":
            return page(request, "progressive_reconciled.html", **facts)
        case _:
            raise AnsweredError(unknown("panel", part))


@router.get("/signs/{network}")
async def sign_page(request: Request, who: Reader, store: TheStore, network: NetworkId) -> HTMLResponse:
    """A network's meters for a screen of their own."""
    return page(request, "sign.html", **await _facts(store, who, network))
