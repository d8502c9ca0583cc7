"""Meters as fractions: what tables counted at a network's rates is on the meters to the last fraction, once a round."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

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
    yield from _meters(log)
    yield from _claims(log)


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
            case WagersContributed() | ContributionsReturned() as event:
                sign = 1 if isinstance(event, WagersContributed) else -1
                for part in event.contributions:
                    name = part.meter
                    exact[name] += sign * event.stakes * rate[name]
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


def _claims(log: "Log") -> Iterator[tuple[str, str]]:
    """Every share that a round won is locked once, and paid at most once, as it stood."""
    wanted = Counter(
        (settled.table, settled.round_no, seat.seat, line.wager)
        for settled in (one.event for one in log["settlement"])
        if isinstance(settled, RoundSettled)
        for seat in settled.seats
        for line in seat.lines
        if line.share is not None
    )
    locked: Counter[tuple[str, int, int, str]] = Counter()
    worth: dict[str, int] = {}
    for one in log["progressive"]:
        match one.event:
            case HitLocked() as event:
                locked[event.table, event.round_no, event.seat, event.wager] += 1
                worth[event.claim_id] = event.amount
            case HitsRedivided() as event:
                worth.update({share.claim_id: share.amount_after for share in event.shares})
            case HandPayApproved() as event:
                if worth.pop(event.claim_id, None) != event.amount:
                    yield "a share is paid once", f"{event.claim_id}: {event.amount}"
    if locked != wanted:
        yield "a share is locked once", f"won {sorted(wanted)}, locked {sorted(locked.items())}"
