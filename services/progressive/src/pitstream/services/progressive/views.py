"""Networks, hits and reports as JSON. Money in minor units, fractions of one as text."""

from collections.abc import Mapping, Sequence
from typing import Any

from pitstream.services.progressive.meter import Meter
from pitstream.services.progressive.network import Hit, Network
from pitstream.services.progressive.terms import shown


def network_view(state: Network, version: int) -> dict[str, Any]:
    """A network as it stands; ``carry`` is the exact fraction that a meter holds beside its minor units."""
    waiting = sum(hit.is_open for hit in state.hits.values())
    return {
        "network": state.network,
        "version": version,
        "currency": state.currency,
        "policy": state.policy,
        "retired": state.retired,
        "meters": [meter_view(meter) for meter in state.meters.values()],
        "closed_rounds": dict(state.closed),
        "hits_waiting": waiting,
        "questions": sorted(state.questions),
        "proposals": sorted(state.proposals),
    }


def meter_view(meter: Meter) -> dict[str, Any]:
    """A meter with its terms: what the regulations call current, overflow, reserve, base, limit, hits and wins."""
    terms = meter.terms
    return {
        "meter": meter.meter,
        "amount": meter.amount,
        "carry": f"{meter.carry}/{meter.carry_denominator}",
        "overflow": meter.overflow,
        "reserve": meter.reserve,
        "reserve_carry": f"{meter.reserve_carry}/{meter.reserve_carry_denominator}",
        "seed": terms.seed,
        "rate": shown(terms.rate),
        "reserve_rate": None if terms.reserve_rate is None else shown(terms.reserve_rate),
        "limit": terms.limit,
        "contribution_max": terms.contribution_max,
        "retired": meter.retired,
        "stakes": meter.taken,
        "hits": meter.hits,
        "wins": meter.won,
    }


def hit_view(hit: Hit) -> dict[str, Any]:
    """A hit: its lock with how the amount came about, what it stands at now, who did what about it."""
    return {
        **hit.locked.model_dump(mode="json"),
        "amount_locked": hit.locked.amount,
        "amount": hit.amount,
        "status": hit.status,
        "verified_by": hit.verified_by,
        "decided_by": hit.decided_by,
        "reason": hit.reason,
        "document": hit.document,
        "released_by": hit.released_by,
        "questioned": hit.questioned,
    }


def report_view(state: Network, version: int, latest: Mapping[str, Sequence[Hit]]) -> dict[str, Any]:
    """Every meter with its latest hits, newest first."""
    return {
        "network": state.network,
        "version": version,
        "currency": state.currency,
        "policy": state.policy,
        "meters": [
            {**meter_view(meter), "latest_hits": [hit_view(hit) for hit in latest[name]]}
            for name, meter in state.meters.items()
        ],
    }
