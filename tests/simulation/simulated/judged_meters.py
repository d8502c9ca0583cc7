"""Meters as fractions: what tables counted at a network's rates is on the meters to the last fraction, once a round."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from pitstream.events.corrections import ContributionCorrected, HitProposed
from pitstream.events.progressives import (
    ContributionsReturned,
    HandPayApproved,
    HitLocked,
    HitRefused,
    HitsRedivided,
    NetworkOpened,
    RoundClosed,
    WagersContributed,
)
from pitstream.events.rounds import BettingClosed, RoundVoided
from pitstream.events.settlements import RoundSettled
from simulated.judged_rounds import records_of, results_of

if TYPE_CHECKING:
    from simulated.oracle import Log


def judge(log: "Log") -> Iterator[tuple[str, str]]:
    """Broken promises, and what was found."""
    counted = {
        (event.table, event.round_no): sum(count.total for count in event.wagers if count.wager == "progressive")
        for event in (one.event for one in log["table"])
        if isinstance(event, BettingClosed) and event.network is not None
    }
    void = {(e.table, e.round_no) for e in (one.event for one in log["table"]) if isinstance(e, RoundVoided)}
    contributed: Counter[tuple[str, int, int]] = Counter()
    returned: Counter[tuple[str, int, int]] = Counter()
    closed: Counter[tuple[str, int]] = Counter()
    for one in log["progressive"]:
        match one.event:
            case WagersContributed() as event:
                contributed[event.table, event.round_no, event.stakes] += 1
            case ContributionsReturned() as event:
                returned[event.table, event.round_no, event.stakes] += 1
            case RoundClosed() as event:
                closed[event.table, event.round_no] += 1
    fed = {(*round_, stakes) for round_, stakes in counted.items() if stakes}
    # A void round that the network heard of before its wagers never fed it, and has nothing to be given back.
    back = {one for one in fed if one[:2] in void and contributed[one]}
    if contributed != Counter(one for one in fed if one[:2] not in void or one in back):
        yield "fed once", f"tables counted {sorted(fed)}, the network took {sorted(contributed.items())}"
    if returned != Counter(back):
        yield "fed once", f"void rounds fed {sorted(back)}, the network gave back {sorted(returned.items())}"
    wanted = Counter((s.table, s.round_no) for s in (o.event for o in log["settlement"]) if isinstance(s, RoundSettled))
    if closed != wanted:
        yield "fed once", f"settled {sorted(wanted)}, closed at the network {sorted(closed.items())}"
    yield from _corrected(log)
    yield from _meters(log)
    yield from _claims(log)


def _corrected(log: "Log") -> Iterator[tuple[str, str]]:
    """Every correction that changed a round's progressive stakes changed what it had fed, once, by just that."""
    on = {(e.table, e.round_no) for e in (o.event for o in log["table"]) if isinstance(e, BettingClosed) and e.network}
    wanted: Counter[tuple[str, int, int, int]] = Counter()
    for round_, records in records_of(log).items():
        stakes = [sum(seat["wagers"].get("progressive", 0) for seat in record["seats"]) for record in records]
        for before, after in pairwise(stakes):
            if before != after and round_ in on:
                wanted[*round_, before, after] += 1
    found = Counter(
        (event.table, event.round_no, event.stakes_before, event.stakes_after)
        for event in (one.event for one in log["progressive"])
        if isinstance(event, ContributionCorrected)
    )
    if found != wanted:
        yield "fed once", f"corrections made {sorted(wanted)}, the network took {sorted(found.items())}"


def _meters(log: "Log") -> Iterator[tuple[str, str]]:
    amount: dict[str, int] = {}
    overflow: dict[str, int] = {}
    exact: dict[str, Fraction] = {}
    told: dict[str, Fraction] = {}
    rate: dict[str, Fraction] = {}
    for one in log["progressive"]:
        match one.event:
            case NetworkOpened() as event:
                for meter in event.meters:
                    amount[meter.meter], overflow[meter.meter] = meter.amount, 0
                    rate[meter.meter] = Fraction(meter.rate_numerator, meter.rate_denominator)
                    exact[meter.meter] = told[meter.meter] = Fraction(0)
            case WagersContributed() | ContributionsReturned() | ContributionCorrected() as event:
                for part in event.contributions:
                    name = part.meter
                    exact[name] += added_by(event) * rate[name]
                    amount[name] += part.posted
                    overflow[name] += part.overflow_posted
                    told[name] += part.posted + part.overflow_posted
                    carry = Fraction(part.carry_numerator, part.carry_denominator or rate[name].denominator)
                    if told[name] + carry != exact[name]:
                        yield "meters are exact", f"{name}: {told[name]} and {carry}, should be {exact[name]}"
                    if amount[name] != part.amount_after or overflow[name] != part.overflow_after:
                        yield "meters are exact", f"{name}: says {part.amount_after}, comes to {amount[name]}"
            case HitLocked() as event:
                if event.meter_before != amount[event.meter]:
                    yield "meters are exact", f"{event.meter}: hit at {event.meter_before}, was {amount[event.meter]}"
                if event.policy == "sequential" and event.amount != event.meter_before * event.percent // 100:
                    yield (
                        "meters are exact",
                        f"{event.meter}: {event.percent} % of {event.meter_before}: {event.amount}",
                    )
                amount[event.meter] = event.meter_after
                if event.account is not None:
                    overflow[event.meter] = event.account.overflow_after
            case HitRefused() as event:
                amount[event.meter], overflow[event.meter] = event.amount_after, event.overflow_after


def added_by(event: WagersContributed | ContributionsReturned | ContributionCorrected) -> int:
    """The stakes that an event added to what a round fed."""
    match event:
        case WagersContributed():
            return event.stakes
        case ContributionsReturned():
            return -event.stakes
        case ContributionCorrected():
            return event.stakes_after - event.stakes_before


def _claims(log: "Log") -> Iterator[tuple[str, str]]:
    """Every share that a round won is locked once, and paid at most once, as it stood. One that a correction made a
    round win is proposed, and locked at most once."""
    wanted: Counter[tuple[str, int, int, str]] = Counter()
    every = results_of(log)
    for (table, round_no), results in every.items():
        for seat in results[0].seats:
            wanted.update((table, round_no, seat.seat, line.wager) for line in seat.lines if line.share is not None)
    proposed: set[str] = set()
    later: Counter[str] = Counter()
    locked: Counter[tuple[str, int, int, str]] = Counter()
    worth: dict[str, int] = {}
    for one in log["progressive"]:
        match one.event:
            case HitProposed() as event:
                proposed.add(event.claim_id)
                results = every[event.table, event.round_no]
                if _won(results[event.correction - 1], event) or not _won(results[event.correction], event):
                    yield "a share is proposed when it appears", f"{event.claim_id} of correction {event.correction}"
            case HitLocked() as event:
                if event.claim_id in proposed:
                    later[event.claim_id] += 1
                else:
                    locked[event.table, event.round_no, event.seat, event.wager] += 1
                worth[event.claim_id] = event.amount
            case HitsRedivided() as event:
                worth.update({share.claim_id: share.amount_after for share in event.shares})
            case HandPayApproved() as event:
                if worth.pop(event.claim_id, None) != event.amount:
                    yield "a share is paid once", f"{event.claim_id}: {event.amount}"
    if max(later.values(), default=0) > 1:
        yield "a share is locked once", f"proposed and locked {sorted(later.items())}"
    if locked != wanted:
        yield "a share is locked once", f"won {sorted(wanted)}, locked {sorted(locked.items())}"


def _won(settled: RoundSettled, proposed: HitProposed) -> bool:
    return any(
        (seat.player, line.share.meter, line.share.percent) == (proposed.player, proposed.meter, proposed.percent)
        for seat in settled.seats
        for line in seat.lines
        if seat.seat == proposed.seat and line.wager == proposed.wager and line.share is not None
    )
