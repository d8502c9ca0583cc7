"""The whole history of a network's meters told from its events, with running exact values. Pure.

Every value is derived twice: as the event tells it, and here, from stakes and rates in exact fractions. A line on which
the two differ says so.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from pitstream.cli.cards import money
from pitstream.events import Event, Recorded
from pitstream.events.progressives import (
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
    MeterTerms,
    NetworkOpened,
    PolicyChanged,
    Rate,
    TermsChanged,
    TransferReceived,
    TransferSent,
    WagersContributed,
)

_NONE = Rate(numerator=0, denominator=1)


@dataclass(frozen=True, slots=True)
class Line:
    """One event about one meter (``meter`` is None for one about none): where all of the meter stands after it.

    ``exact`` and ``reserve_exact`` are derived here, whole minor units and the rest below one; ``differs`` says where
    the event tells something else.
    """

    version: int
    recorded_at_us: int
    actor: str
    what: str
    meter: str | None = None
    amount: int = 0
    overflow: int = 0
    reserve: int = 0
    exact: Fraction = Fraction(0)
    reserve_exact: Fraction = Fraction(0)
    differs: str = ""


@dataclass(slots=True)
class _Meter:
    rate: Rate
    reserve_rate: Rate
    amount: int
    overflow: int = 0
    reserve: int = 0
    carry: Fraction = Fraction(0)
    reserve_carry: Fraction = Fraction(0)
    exact: Fraction = Fraction(0)
    reserve_exact: Fraction = Fraction(0)


@dataclass(slots=True)
class _Story:
    currency: str = ""
    meters: dict[str, _Meter] = field(default_factory=dict)
    given: dict[tuple[str, int, str], tuple[Fraction, Fraction]] = field(default_factory=dict)
    """What each round gave each meter and its reserve, should it be declared void."""
    hits: dict[str, HitLocked] = field(default_factory=dict)


def explained(events: Iterable[Recorded]) -> Iterator[Line]:
    """The history line by line; the events of one network, from its first."""
    story = _Story()
    for recorded in events:
        who = recorded.envelope.actor
        for meter, what in _told(story, recorded.event):
            yield _line(story, recorded, who, meter, what)


def _line(story: _Story, recorded: Recorded, who: str, name: str | None, what: str) -> Line:
    if name is None:
        return Line(recorded.version, recorded.envelope.recorded_at_us, who, what)
    one = story.meters[name]
    faults = []
    if one.amount + one.overflow + one.carry != one.exact:
        faults.append(f"the event tells {one.amount + one.overflow + one.carry}, stakes and rates make {one.exact}")
    if one.reserve + one.reserve_carry != one.reserve_exact:
        faults.append(
            f"the event tells a reserve of {one.reserve + one.reserve_carry}, it should be {one.reserve_exact}"
        )
    return Line(
        recorded.version,
        recorded.envelope.recorded_at_us,
        who,
        what,
        name,
        one.amount,
        one.overflow,
        one.reserve,
        one.exact,
        one.reserve_exact,
        "; ".join(faults),
    )


def _told(story: _Story, event: Event) -> Iterator[tuple[str | None, str]]:
    """The meters that an event is about, each with a sentence; the story is brought up to date before each."""
    match event:
        case NetworkOpened():
            yield from _opened(story, event)
        case WagersContributed() | ContributionsReturned():
            yield from _fed(story, event)
        case ContributionQuestioned():
            would, allowed = _money(story, event.would_add), _money(story, event.allowed)
            where = f"round {event.table}/{event.round_no}"
            yield (
                None,
                f"{where} would add {would} to {event.meter}, {allowed} allowed: kept aside until somebody answers",
            )
        case ContributionAnswered():
            verb = "admitted" if event.admitted else "kept out for good"
            by = event.answered_by or "nobody"
            yield None, f"the contribution of round {event.table}/{event.round_no} is {verb} by {by}: {event.reason}"
        case HitLocked():
            yield from _locked(story, event)
        case HitsRedivided():
            parts = ", ".join(
                f"{_whose(story, share.claim_id)} {_money(story, share.amount_before)} → "
                f"{_money(story, share.amount_after)}"
                for share in event.shares
            )
            yield event.meter, f"the hits that share now stand at: {parts}"
        case HitVerified():
            checks = " and ".join(event.checks)
            yield (
                _meter_of(story, event.claim_id),
                f"{event.verified_by} verified {checks} of {_whose(story, event.claim_id)}",
            )
        case HandPayApproved():
            amount = _money(story, event.amount)
            document = f" ({event.document})" if event.document else ""
            yield event.meter, f"{event.floorperson} validated {amount} for {_whose(story, event.claim_id)}{document}"
        case HitRefused():
            one = _stands(story, event.meter, event.amount_after, event.overflow_after, event.reserve_after)
            one.exact += event.to_meter - event.seed_to_reserve - event.seed_to_house
            one.reserve_exact += event.seed_to_reserve
            yield (
                event.meter,
                f"{event.refused_by} refused {_whose(story, event.claim_id)}: {event.reason}; {event.account}",
            )
        case MeterCorrected():
            one = _stands(story, event.meter, event.amount_after, event.overflow_after, event.reserve_after)
            if event.part == "meter":
                one.exact += event.change
            else:
                one.reserve_exact += event.change
            what = f"the {event.part} is corrected by {_money(story, event.change)}: {event.reason}"
            yield event.meter, f"{what} ({event.proposed_by}, {event.approved_by})"
        case TransferSent() | TransferReceived():
            yield _transferred(story, event)
        case TermsChanged():
            _new_terms(story, event)
            what = f"new terms: {_terms(story, event.terms)} ({event.proposed_by}, {event.approved_by})"
            yield event.terms.meter, what
        case PolicyChanged():
            yield None, f"hits close together: {event.policy} from here on ({event.proposed_by}, {event.approved_by})"
        case MeterRetired():
            yield event.meter, f"retired ({event.proposed_by}, {event.approved_by})"
        case ChangeProposed():
            yield None, f"{event.proposed_by} proposes a change: {event.reason}"
        case ChangeRejected():
            yield None, f"{event.rejected_by} rejects a change: {event.reason}"


def _money(story: _Story, amount: int) -> str:
    return money(amount, story.currency)


def _opened(story: _Story, event: NetworkOpened) -> Iterator[tuple[str | None, str]]:
    story.currency = event.currency
    for opening in event.meters:
        rate = Rate(numerator=opening.rate_numerator, denominator=opening.rate_denominator)
        story.meters[opening.meter] = _Meter(
            rate, opening.reserve_rate or _NONE, opening.amount, exact=Fraction(opening.amount)
        )
        terms = MeterTerms(
            meter=opening.meter,
            seed=opening.seed,
            rate=rate,
            reserve_rate=opening.reserve_rate,
            limit=opening.limit,
            contribution_max=opening.contribution_max,
        )
        yield opening.meter, f"opens with {_money(story, opening.amount)}; {_terms(story, terms)}"


def _fed(story: _Story, event: WagersContributed | ContributionsReturned) -> Iterator[tuple[str | None, str]]:
    gives = isinstance(event, WagersContributed)
    for fed in event.contributions:
        one = story.meters[fed.meter]
        place = (event.table, event.round_no, fed.meter)
        if gives:
            story.given[place] = (_part(one.rate, event.stakes), _part(one.reserve_rate, event.stakes))
            column, reserve = story.given[place]
        else:
            column, reserve = (-part for part in story.given.pop(place))
        one.exact += column
        one.reserve_exact += reserve
        _contributed(one, fed)
        verb = "of round" if gives else "are returned for the void round"
        yield fed.meter, f"stakes of {_money(story, event.stakes)} {verb} {event.table}/{event.round_no}"


def _contributed(one: _Meter, fed: MeterContribution) -> None:
    one.amount, one.overflow, one.reserve = fed.amount_after, fed.overflow_after, fed.reserve_after
    one.carry = Fraction(fed.carry_numerator, fed.carry_denominator or one.rate.denominator)
    one.reserve_carry = Fraction(
        fed.reserve_carry_numerator, fed.reserve_carry_denominator or one.reserve_rate.denominator
    )


def _locked(story: _Story, event: HitLocked) -> Iterator[tuple[str | None, str]]:
    story.hits[event.claim_id] = event
    one = story.meters[event.meter]
    account = event.account
    how = f"{event.percent} %" if account is None else account.reason
    if account is None:
        one.exact += event.meter_after - event.meter_before
        one.amount = event.meter_after
        seed = f"; the house put {_money(story, event.meter_after - event.meter_before + event.amount)} there"
    else:
        one.exact += account.seed_from_reserve + account.seed_from_house - account.from_meter
        one.reserve_exact -= account.seed_from_reserve
        _stands(story, event.meter, event.meter_after, account.overflow_after, account.reserve_after)
        sources = (
            ("reserve", account.seed_from_reserve),
            ("house", account.seed_from_house),
            ("overflow", max(0, -account.overflow_change)),
        )
        seed = "".join(f"; {_money(story, part)} from the {source}" for source, part in sources if part)
        paid = (("house", account.from_house), ("earlier hits", account.from_earlier))
        how += "".join(f", {_money(story, part)} of it from the {source}" for source, part in paid if part)
    yield event.meter, f"locked {_money(story, event.amount)} for {_whose(story, event.claim_id)}: {how}{seed}"


def _transferred(story: _Story, event: TransferSent | TransferReceived) -> tuple[str | None, str]:
    one = _stands(story, event.meter, event.amount_after, event.overflow_after, event.reserve_after)
    amount, reserve = _money(story, event.amount), _money(story, event.reserve)
    if isinstance(event, TransferSent):
        one.exact -= event.amount
        one.reserve_exact -= event.reserve
        where = f"sent to {event.to_meter} of {event.to_network} ({event.proposed_by}, {event.approved_by})"
    else:
        one.exact += event.amount
        one.reserve_exact += event.reserve
        where = f"came from {event.from_meter} of {event.from_network}"
    return event.meter, f"{amount} and {reserve} of the reserve {where}"


def _new_terms(story: _Story, event: TermsChanged) -> None:
    one = story.meters[event.terms.meter]
    one.rate, one.reserve_rate = event.terms.rate, event.terms.reserve_rate or _NONE
    one.amount, one.overflow = event.amount_after, event.overflow_after
    one.carry = Fraction(event.carry_numerator, event.carry_denominator)
    one.reserve_carry = Fraction(event.reserve_carry_numerator, event.reserve_carry_denominator)


def _stands(story: _Story, meter: str, amount: int, overflow: int, reserve: int) -> _Meter:
    one = story.meters[meter]
    one.amount, one.overflow, one.reserve = amount, overflow, reserve
    return one


def _part(rate: Rate, stakes: int) -> Fraction:
    return Fraction(rate.numerator * stakes, rate.denominator)


def _whose(story: _Story, claim_id: str) -> str:
    hit = story.hits[claim_id]
    return f"seat {hit.seat} ({hit.player}) of {hit.table}/{hit.round_no}"


def _meter_of(story: _Story, claim_id: str) -> str:
    return story.hits[claim_id].meter


def _terms(story: _Story, terms: MeterTerms) -> str:
    parts = [f"seed {_money(story, terms.seed)}", f"rate {terms.rate.numerator}/{terms.rate.denominator}"]
    if terms.reserve_rate is not None:
        parts.append(f"reserve {terms.reserve_rate.numerator}/{terms.reserve_rate.denominator}")
    if terms.limit is not None:
        parts.append(f"limit {_money(story, terms.limit)}")
    if terms.contribution_max is not None:
        parts.append(f"at most {_money(story, terms.contribution_max)} of one round")
    return ", ".join(parts)
