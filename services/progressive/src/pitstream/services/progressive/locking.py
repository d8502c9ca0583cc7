"""Which amount a claim locks, and where it comes from: the three policies for hits that come close together. Pure.

Two hits of a meter are close together when the later one's wagers were taken by the network before the earlier one was
locked: such a wager was made for the prize that was then won. The order of the network's events alone decides.
"""

from dataclasses import dataclass

from pitstream.events import Event
from pitstream.events.progressives import HitLocked, HitsRedivided, LockAccount, Policy, RedividedShare
from pitstream.services.progressive.commands import Claim, CloseRound
from pitstream.services.progressive.meter import Meter, seed_parts, standing
from pitstream.services.progressive.network import Fed, Group, Hit, Network, round_name, wins_all
from pitstream.services.progressive.shares import divided


@dataclass(frozen=True, slots=True)
class _Amount:
    """A locked amount and where it comes from; ``restarts``: the meter starts anew from its seed."""

    base: int
    total: int
    from_meter: int
    restarts: bool
    reason: str
    from_house: int = 0
    from_earlier: int = 0


def lock(state: Network, command: CloseRound, claim: Claim) -> list[Event]:
    """A claim's share is fixed; under ``share`` what earlier hits had locked is divided anew at once."""
    meter = state.meters[claim.meter]
    fed = state.fed.get(round_name(command.table, command.round_no))
    group = _close_together(state, command, claim, fed)
    after: list[RedividedShare] = []
    if group is None:
        amount = _alone(meter, claim, state.policy)
    elif group.policy == "full_each":
        amount = _in_full(meter, claim, group)
    else:
        amount, after = _shared(meter, command, claim, group, state.members(group))
    locked = _locked(state, command, claim, meter, amount, fed, group)
    if not after:
        return [locked]
    redivision = HitsRedivided(
        network=state.network,
        meter=claim.meter,
        claim_id=claim.claim_id,
        pool=sum(share.amount_after for share in after),
        shares=tuple(after),
        currency=state.currency,
    )
    return [locked, redivision]


def _close_together(state: Network, command: CloseRound, claim: Claim, fed: Fed | None) -> Group | None:
    """The earliest group of the meter that the claim belongs to. One of another policy is not joined: how its hits
    share was recorded with them."""
    here = round_name(command.table, command.round_no)
    for group in state.groups:
        first = state.hits[group.claims[0]].locked
        was_in = (fed is not None and fed.taken_at < group.first_at) or round_name(first.table, first.round_no) == here
        if group.meter == claim.meter and group.policy == state.policy and was_in and state.members(group):
            return group
    return None


def _alone(meter: Meter, claim: Claim, policy: Policy) -> _Amount:
    """A share of what the meter shows, rounded down; a meter below 0 has nothing to lock."""
    base = max(0, meter.amount)
    total = base * claim.percent // 100
    why = "in the order of events" if policy == "sequential" else "no other hit is close to it"
    return _Amount(base, total, total, claim.percent == 100, f"{claim.percent} % of what the meter shows: {why}")


def _in_full(meter: Meter, claim: Claim, group: Group) -> _Amount:
    """As if it were alone: of what the meter stood at before the first; the house adds what is not there any more."""
    total = group.base * claim.percent // 100
    from_meter = 0 if group.emptied else min(total, max(0, meter.amount))
    return _Amount(
        group.base,
        total,
        from_meter,
        claim.percent == 100 and not group.emptied,
        f"{claim.percent} % of what the meter showed before the first of {len(group.claims) + 1} hits close together: "
        "each in full",
        from_house=total - from_meter,
    )


def _shared(
    meter: Meter, command: CloseRound, claim: Claim, group: Group, earlier: list[Hit]
) -> tuple[_Amount, list[RedividedShare]]:
    """Together at most what the meter stood at before the first. Each its percent while that is enough for all; else
    the whole is divided in proportion to the percents."""
    percents = [hit.locked.percent for hit in earlier]
    if sum(percents) + claim.percent <= 100:
        total = min(group.base * claim.percent // 100, max(0, meter.amount))
        emptied = wins_all([*percents, claim.percent])
        reason = f"{claim.percent} % of what the meter showed before the first hit: enough for all that share"
        return _Amount(group.base, total, total, emptied, reason), []
    had = sum(hit.amount for hit in earlier)
    from_meter = 0 if group.emptied else min(max(0, group.base - had), max(0, meter.amount))
    places = _places([hit.locked for hit in earlier], command, claim)
    weights = [claim.percent if hit is None else hit.percent for hit in places]
    parts = divided(had + from_meter, weights)
    total = parts[places.index(None)]
    before = {hit.locked.claim_id: hit.amount for hit in earlier} | {claim.claim_id: total}
    names = [claim.claim_id if hit is None else hit.claim_id for hit in places]
    after = [
        RedividedShare(claim_id=name, amount_before=before[name], amount_after=part)
        for name, part in zip(names, parts, strict=True)
    ]
    reason = f"{claim.percent} of {sum(weights)} parts of what {len(places)} hits close together share"
    return _Amount(group.base, total, from_meter, not group.emptied, reason, from_earlier=total - from_meter), after


def _places(earlier: list[HitLocked], command: CloseRound, claim: Claim) -> list[HitLocked | None]:
    """The earlier hits and the new one (None), in the order in which left-over units go to them."""
    tables = list(dict.fromkeys([*(hit.table for hit in earlier), command.table]))
    new = (tables.index(command.table), claim.seat, claim.wager)
    keyed: list[tuple[tuple[int, int, str], HitLocked | None]] = [
        ((tables.index(hit.table), hit.seat, hit.wager), hit) for hit in earlier
    ]
    return [hit for _, hit in sorted([*keyed, (new, None)], key=lambda placed: placed[0])]


def _locked(
    state: Network,
    command: CloseRound,
    claim: Claim,
    meter: Meter,
    amount: _Amount,
    fed: Fed | None,
    group: Group | None,
) -> HitLocked:
    from_reserve, from_house = seed_parts(meter) if amount.restarts and not meter.retired else (0, 0)
    after = standing(meter, from_reserve + from_house - amount.from_meter)
    return HitLocked(
        network=state.network,
        claim_id=claim.claim_id,
        table=command.table,
        round_no=command.round_no,
        seat=claim.seat,
        player=claim.player,
        wager=claim.wager,
        meter=claim.meter,
        percent=claim.percent,
        amount=amount.total,
        meter_before=meter.amount,
        meter_after=after.amount,
        currency=state.currency,
        rule=claim.rule,
        policy=state.policy,
        account=LockAccount(
            base=amount.base,
            from_meter=amount.from_meter,
            from_house=amount.from_house,
            from_earlier=amount.from_earlier,
            seed_from_reserve=from_reserve,
            seed_from_house=from_house,
            overflow_change=after.overflow_change,
            overflow_after=after.overflow,
            reserve_after=meter.reserve - from_reserve,
            together_with=() if group is None else group.claims,
            wagers_taken_at=None if fed is None else fed.taken_at,
            reason=amount.reason,
        ),
    )
