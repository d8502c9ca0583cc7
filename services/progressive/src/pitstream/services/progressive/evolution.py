"""A network after each of its events. It judges nothing and skips nothing: an event out of place is an error, by name.

The state is shared, never changed: each event makes new maps of what it touches.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from pitstream.events import Event
from pitstream.events.corrections import (
    ContributionCorrected,
    HitDeclined,
    HitProposed,
    HitQuestioned,
    HitRestored,
)
from pitstream.events.progressives import (
    CardsReleased,
    ChangeProposed,
    ChangeRejected,
    ContributionAnswered,
    ContributionQuestioned,
    ContributionsReturned,
    HandPayApproved,
    HitLocked,
    HitRefused,
    HitsRedivided,
    HitVerified,
    MeterContribution,
    MeterCorrected,
    MeterRetired,
    NetworkOpened,
    PolicyChanged,
    RoundClosed,
    TermsChanged,
    TransferReceived,
    TransferSent,
    WagersContributed,
)
from pitstream.services.progressive.meter import Meter, Rates, after_contribution, opened
from pitstream.services.progressive.network import (
    NOTHING_OWED,
    Fed,
    Group,
    Hit,
    Network,
    NotOpened,
    Owed,
    State,
    round_name,
    wins_all,
)

Kept = TypeVar("Kept")

Moved = HitRefused | MeterCorrected | TransferSent | TransferReceived
"""Events that say of one meter where all of its parts stand."""


def evolve(state: State, event: Event) -> State:
    """The state after ``event``."""
    if isinstance(state, NotOpened):
        if isinstance(event, NetworkOpened):
            return _opened(event)
        raise TypeError(f"{event.type_name} cannot follow NotOpened in a network's stream")
    version = state.version + 1
    match event:
        case WagersContributed():
            return _contributed(state, event, version)
        case RoundClosed():
            return _closed(state, event, version)
        case ContributionsReturned():
            return replace(state, version=version, meters=_standing(state, event.contributions, -event.stakes))
        case ContributionQuestioned():
            name = round_name(event.table, event.round_no)
            fed = {**state.fed, name: Fed(version, event.stakes, ())}
            return replace(state, version=version, fed=fed, questions={**state.questions, name: event})
        case ContributionAnswered():
            questions = _without(state.questions, round_name(event.table, event.round_no))
            return replace(state, version=version, questions=questions)
        case HitLocked():
            return _locked(state, event, version)
        case HitsRedivided():
            return _redivided(state, event, version)
        case HitVerified():
            return _hit(state, version, event.claim_id, status="verified", verified_by=event.verified_by)
        case HandPayApproved():
            paid = _hit(
                state, version, event.claim_id, status="paid", decided_by=event.floorperson, document=event.document
            )
            return _owing(paid, event.meter, state.owed.get(event.meter, NOTHING_OWED), event.claim_id)
        case HitRefused():
            return _refused(state, event, version)
        case ContributionCorrected():
            change = event.stakes_after - event.stakes_before
            return replace(state, version=version, meters=_standing(state, event.contributions, change))
        case HitQuestioned():
            return _marked(state, version, event.claim_id, event.correction)
        case HitRestored():
            return _marked(state, version, event.claim_id, 0)
        case HitProposed():
            return replace(state, version=version, proposed_hits={**state.proposed_hits, event.claim_id: event})
        case HitDeclined():
            return replace(state, version=version, proposed_hits=_without(state.proposed_hits, event.claim_id))
        case CardsReleased():
            return _tidied(_hit(state, version, event.claim_id, released_by=event.released_by))
        case ChangeProposed():
            return replace(state, version=version, proposals={**state.proposals, event.proposal_id: event})
        case ChangeRejected():
            return _decided(state, event.proposal_id, version)
        case PolicyChanged():
            return replace(_decided(state, event.proposal_id, version), policy=event.policy)
        case TermsChanged():
            return _terms_changed(state, event, version)
        case MeterCorrected():
            return _moved(_decided(state, event.proposal_id, version), event)
        case TransferSent():
            return _moved(_decided(state, event.transfer_id, version), event)
        case TransferReceived():
            return _moved(replace(state, version=version), event)
        case MeterRetired():
            retired = replace(state.meters[event.meter], retired=True)
            return _with_meter(_decided(state, event.proposal_id, version), retired)
        case _:
            raise TypeError(f"{event.type_name} cannot follow Network in a network's stream")


def evolve_all(state: Network, events: Sequence[Event]) -> Network:
    """An open network after some of its own events."""
    for event in events:
        after = evolve(state, event)
        if not isinstance(after, Network):
            raise TypeError(f"{event.type_name} closed the network; no event does")
        state = after
    return state


def _opened(event: NetworkOpened) -> Network:
    meters = {opening.meter: opened(opening) for opening in event.meters}
    return Network(
        network=event.network,
        currency=event.currency,
        policy=event.policy or "sequential",
        version=1,
        meters=meters,
        rates=_rates(meters.values()),
    )


def _rates(meters: Iterable[Meter]) -> tuple[Rates, ...]:
    return tuple(meter.rates for meter in meters if not meter.retired)


def _contributed(state: Network, event: WagersContributed, version: int) -> Network:
    meters = _standing(state, event.contributions, event.stakes)
    if state.has_closed(event.table, event.round_no):
        # A questioned contribution that was admitted after its round: there is nothing left to void.
        return replace(state, version=version, meters=meters)
    name = round_name(event.table, event.round_no)
    before = state.fed.get(name)
    taken_at = version if before is None else before.taken_at
    fed = dict(state.fed)
    fed[name] = Fed(taken_at, event.stakes, state.rates)
    return replace(state, version=version, meters=meters, fed=fed)


def _standing(state: Network, contributions: Sequence[MeterContribution], stakes: int) -> dict[str, Meter]:
    after = dict(state.meters)
    for fed in contributions:
        after[fed.meter] = after_contribution(after[fed.meter], fed, stakes)
    return after


def _closed(state: Network, event: RoundClosed, version: int) -> Network:
    name = round_name(event.table, event.round_no)
    closed = dict(state.closed)
    closed[event.table] = event.round_no
    fed = _without(state.fed, name) if name in state.fed else state.fed
    after = replace(state, version=version, fed=fed, closed=closed)
    return _tidied(after) if state.groups else after


def _locked(state: Network, event: HitLocked, version: int) -> Network:
    before, account = state.meters[event.meter], event.account
    after = replace(before, amount=event.meter_after, hits=before.hits + 1, won=before.won + event.amount)
    if account is not None:
        after = replace(after, overflow=account.overflow_after, reserve=account.reserve_after)
    if event.claim_id in state.proposed_hits:
        state = replace(state, proposed_hits=_without(state.proposed_hits, event.claim_id))
    hits = {**state.hits, event.claim_id: Hit(event, version, event.amount)}
    state = replace(state, version=version, meters={**state.meters, event.meter: after}, hits=hits)
    return state if event.policy == "sequential" or account is None else _grouped(state, event, version)


def _grouped(state: Network, event: HitLocked, version: int) -> Network:
    """The hit joins those that it was locked together with, or is the first that others may join."""
    account = event.account
    if account is None:
        raise TypeError("a hit under a policy for hits close together says how its amount came about")
    if account.together_with:
        joined = next(group for group in state.groups if account.together_with[0] in group.claims)
    else:
        joined = Group(event.meter, event.policy, version, account.base, ())
    group = replace(
        joined,
        claims=(*joined.claims, event.claim_id),
        seed_from_reserve=joined.seed_from_reserve + account.seed_from_reserve,
        seed_from_house=joined.seed_from_house + account.seed_from_house,
    )
    if event.percent == 100 and not joined.emptied:
        group = replace(group, emptied_by=event.claim_id)
    group = replace(group, emptied=_emptied(state, group))
    if not account.together_with:
        return replace(state, groups=(*state.groups, group))
    return replace(state, groups=tuple(group if one is joined else one for one in state.groups))


def _emptied(state: Network, group: Group) -> bool:
    if group.policy == "full_each":
        return group.emptied_by is not None
    return wins_all(hit.locked.percent for hit in state.members(group))


def _redivided(state: Network, event: HitsRedivided, version: int) -> Network:
    hits = dict(state.hits)
    for share in event.shares:
        hits[share.claim_id] = replace(hits[share.claim_id], amount=share.amount_after)
    meter = state.meters[event.meter]
    won = meter.won + sum(share.amount_after - share.amount_before for share in event.shares)
    return _with_meter(replace(state, version=version, hits=hits), replace(meter, won=won))


def _refused(state: Network, event: HitRefused, version: int) -> Network:
    group, hit = state.group_of(event.claim_id), state.hits[event.claim_id]
    due, earlier = state.seed_due(hit), state.owed.get(event.meter, NOTHING_OWED)
    # Seeds are told apart from nothing else on a meter, so they are owed together.
    owed = Owed(
        (*earlier.claims, *(claim for claim in due.claims if claim not in earlier.claims)),
        earlier.reserve + due.reserve - event.seed_to_reserve,
        earlier.house + due.house - event.seed_to_house,
    )
    state = _hit(
        state,
        version,
        event.claim_id,
        status="refused",
        decided_by=event.refused_by,
        reason=event.reason,
        document=event.document,
    )
    state = _moved(state, event)
    meter = state.meters[event.meter]
    state = _with_meter(state, replace(meter, hits=meter.hits - 1, won=meter.won - event.amount))
    state = _owing(state, event.meter, owed, event.claim_id)
    if group is None:
        return state
    after = group if group.emptied_by != event.claim_id else replace(group, emptied_by=None)
    after = replace(after, emptied=_emptied(state, after))
    if not after.emptied:
        after = replace(after, seed_from_reserve=0, seed_from_house=0)
    return replace(state, groups=tuple(after if one is group else one for one in state.groups))


def _owing(state: Network, meter: str, owed: Owed, decided: str) -> Network:
    """Nothing is owed any more once no undecided hit is left that could pay it: those that were paid had won it. Until
    then they are remembered, also while nothing is owed: what they hold was taken back out of a later seed."""
    claims = tuple(claim for claim in owed.claims if claim != decided)
    if claims:
        return replace(state, owed={**state.owed, meter: replace(owed, claims=claims)})
    return replace(state, owed=_without(state.owed, meter)) if meter in state.owed else state


def _moved(state: Network, event: Moved) -> Network:
    after = replace(
        state.meters[event.meter],
        amount=event.amount_after,
        overflow=event.overflow_after,
        reserve=event.reserve_after,
    )
    return _with_meter(state, after)


def _terms_changed(state: Network, event: TermsChanged, version: int) -> Network:
    after = replace(
        state.meters[event.terms.meter],
        terms=event.terms,
        amount=event.amount_after,
        overflow=event.overflow_after,
        carry=event.carry_numerator,
        carry_denominator=event.carry_denominator,
        reserve_carry=event.reserve_carry_numerator,
        reserve_carry_denominator=event.reserve_carry_denominator,
    )
    return _with_meter(_decided(state, event.proposal_id, version), after)


def _with_meter(state: Network, meter: Meter) -> Network:
    meters = {**state.meters, meter.meter: meter}
    return replace(state, meters=meters, rates=_rates(meters.values()))


def _hit(state: Network, version: int, claim_id: str, **changes: str) -> Network:
    hit = replace(state.hits[claim_id], **changes)  # type: ignore[arg-type]  # each event names fields of a hit
    return replace(state, version=version, hits={**state.hits, claim_id: hit})


def _marked(state: Network, version: int, claim_id: str, correction: int) -> Network:
    """The hit as questioned by a correction, or not any more; one that is over is known by the tables alone."""
    if claim_id not in state.hits:
        return replace(state, version=version)
    hit = replace(state.hits[claim_id], questioned=correction)
    return replace(state, version=version, hits={**state.hits, claim_id: hit})


def _decided(state: Network, proposal_id: str, version: int) -> Network:
    return replace(state, version=version, proposals=_without(state.proposals, proposal_id))


def _without(entries: Mapping[str, Kept], name: str) -> dict[str, Kept]:
    left = dict(entries)
    left.pop(name, None)
    return left


def _tidied(state: Network) -> Network:
    """Without hits that are over, but for those that share with one that is not, or that one may still join."""

    def is_over(claim: str) -> bool:
        return state.hits[claim].released_by is not None

    groups = tuple(
        group for group in state.groups if not all(map(is_over, group.claims)) or any(state.older_rounds(group))
    )
    sharing = {claim for group in groups for claim in group.claims}
    hits = {claim: hit for claim, hit in state.hits.items() if claim in sharing or not is_over(claim)}
    return replace(state, groups=groups, hits=hits)
