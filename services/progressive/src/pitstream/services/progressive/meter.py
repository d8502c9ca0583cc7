"""A network's meters as pure functions: what feeds them, who locks what, who approved it.

A meter holds an exact amount: whole minor units, and a carry in parts of its rate's denominator, so that

    amount + carry / rate_denominator = opening + rate x stakes - locked + reseeds

holds at every step, for ever. No clock, no I/O, no float. Stream ``progressive/<network>``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import assert_never

from pitstream.events import Event
from pitstream.events.progressives import (
    ContributionsReturned,
    HandPayApproved,
    HitLocked,
    MeterContribution,
    MeterOpening,
    NetworkOpened,
    RoundClosed,
    WagersContributed,
)
from pitstream.events.refusal import Refusal

FEEDING_WAGER = "progressive"
"""The wager whose stakes feed the meters; other wagers may claim shares but add nothing."""
SEQUENTIAL = "sequential"
"""Hits that come close together: the first settled is locked first, the next gets of what the meter then stands at."""

# State ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Meter:
    """One meter: it stands at ``amount`` whole minor units and ``carry / rate_denominator`` of one more."""

    meter: str
    seed: int
    rate_numerator: int
    rate_denominator: int
    amount: int
    carry: int = 0

    @property
    def value(self) -> Fraction:
        """Exactly what the meter stands at, minor units."""
        return self.amount + Fraction(self.carry, self.rate_denominator)


@dataclass(frozen=True, slots=True)
class Hit:
    """A locked share; ``approved_by`` is the floorperson who validated it, None while it waits."""

    locked: HitLocked
    approved_by: str | None = None


@dataclass(frozen=True, slots=True)
class NotOpened:
    """A network that nobody opened."""


@dataclass(frozen=True, slots=True)
class Network:
    """An open network.

    ``contributed`` holds the stakes of rounds that fed the meters and are not closed yet; ``closed`` the last closed
    round of each table. A table's rounds arrive in order on both topics, so every round up to that number is closed.
    """

    network: str
    currency: str
    meters: Mapping[str, Meter]
    contributed: Mapping[tuple[str, int], int] = field(default_factory=dict)
    closed: Mapping[str, int] = field(default_factory=dict)
    hits: Mapping[str, Hit] = field(default_factory=dict)

    def has_closed(self, table: str, round_no: int) -> bool:
        """Whether the round can neither feed a meter nor claim a share any more."""
        return round_no <= self.closed.get(table, 0)


State = NotOpened | Network

# Commands ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OpenNetwork:
    """Open a network with its meters."""

    network: str
    currency: str
    meters: tuple[MeterOpening, ...]


@dataclass(frozen=True, slots=True)
class Contribute:
    """A table closed its betting: its progressive stakes feed the meters."""

    network: str
    table: str
    round_no: int
    currency: str
    stakes: int


@dataclass(frozen=True, slots=True)
class Claim:
    """A settled line that won a share of a meter; the line's claim id never changes."""

    claim_id: str
    seat: int
    player: str
    wager: str
    meter: str
    percent: int
    rule: str


@dataclass(frozen=True, slots=True)
class CloseRound:
    """A round is settled: ``stakes`` are its progressive stakes, ``claims`` stand in the order of settlement."""

    network: str
    table: str
    round_no: int
    currency: str
    stakes: int
    void: bool
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True, slots=True)
class ApproveHit:
    """A floorperson has validated a hit: it may be paid by hand."""

    network: str
    claim_id: str
    floorperson: str


Command = OpenNetwork | Contribute | CloseRound | ApproveHit

# Decisions -----------------------------------------------------------------------------------------------------------


def decide(state: State, command: Command) -> list[Event] | Refusal:
    """What follows from a command: events, none when all was done before, or the reason why not."""
    if isinstance(command, OpenNetwork):
        return open_network(state, command)
    if isinstance(state, NotOpened):
        return Refusal("unknown_network", "network", f"was {command.network!r}; no network of that name is open")
    match command:
        case Contribute():
            return contribute(state, command)
        case CloseRound():
            return close_round(state, command)
        case ApproveHit():
            return approve_hit(state, command)
        case _:
            assert_never(command)


def open_network(state: State, command: OpenNetwork) -> list[Event] | Refusal:
    """A network opens once, with at least one meter; no meter takes more than the wager."""
    if isinstance(state, Network):
        return Refusal("network_already_open", "network", f"was {command.network!r}; it is open since its first event")
    if not command.meters:
        return Refusal("invalid_meter", "meters", "was []; at least one meter is needed")
    seen: set[str] = set()
    for position, opening in enumerate(command.meters):
        if opening.meter in seen:
            return Refusal(
                "invalid_meter", f"meters[{position}].meter", f"was {opening.meter!r} again; each meter once"
            )
        seen.add(opening.meter)
        if opening.rate_numerator > opening.rate_denominator:
            return Refusal(
                "invalid_meter",
                f"meters[{position}].rate",
                f"was {opening.rate_numerator}/{opening.rate_denominator}; allowed: 0 to 1, a share of the wager",
            )
    return [NetworkOpened(network=command.network, currency=command.currency, meters=command.meters)]


def contribute(state: Network, command: Contribute) -> list[Event] | Refusal:
    """A round feeds the meters once, whichever of its betting's end and its settlement is heard first."""
    if wrong := _other_currency(state, command):
        return wrong
    if state.has_closed(command.table, command.round_no) or (command.table, command.round_no) in state.contributed:
        return []
    return _contributed(state, command)


def close_round(state: Network, command: CloseRound) -> list[Event] | Refusal:
    """A settled round feeds the meters if it has not, then its claims lock their shares in order: 653a.11(k)."""
    if wrong := _other_currency(state, command):
        return wrong
    if state.has_closed(command.table, command.round_no):
        return []
    for claim in command.claims:
        if claim.meter not in state.meters:
            known = ", ".join(sorted(state.meters))
            return Refusal("unknown_meter", "share.meter", f"was {claim.meter!r} ({claim.wager}); {known} are open")
    events: list[Event] = []
    fed = state.contributed.get((command.table, command.round_no))
    if command.void:
        events += [] if fed is None else [_returned(state, command, fed)]
    elif fed is None:
        events += _contributed(state, command)
    elif fed != command.stakes:
        return Refusal(
            "stakes_differ", "stakes", f"was {command.stakes} at settlement; {fed} stood when betting closed"
        )
    after = evolve_all(state, events)
    for claim in command.claims:
        locked = _locked(after, command, claim)
        events.append(locked)
        after = evolve_all(after, [locked])
    return [*events, RoundClosed(network=state.network, table=command.table, round_no=command.round_no)]


def approve_hit(state: Network, command: ApproveHit) -> list[Event] | Refusal:
    """A hit is validated once, by one named floorperson: 653a.11(k)."""
    hit = state.hits.get(command.claim_id)
    if hit is None:
        return Refusal("unknown_hit", "claim_id", f"was {command.claim_id!r}; {state.network} locked no such claim")
    if hit.approved_by is not None:
        return Refusal("hit_already_approved", "claim_id", f"was {command.claim_id!r}; {hit.approved_by} approved it")
    if not command.floorperson.strip():
        return Refusal("missing_floorperson", "floorperson", f"was {command.floorperson!r}; name who validated the hit")
    locked = hit.locked
    return [
        HandPayApproved(
            network=state.network,
            claim_id=command.claim_id,
            floorperson=command.floorperson,
            player=locked.player,
            table=locked.table,
            round_no=locked.round_no,
            seat=locked.seat,
            meter=locked.meter,
            amount=locked.amount,
            currency=locked.currency,
        )
    ]


def _other_currency(state: Network, command: Contribute | CloseRound) -> Refusal | None:
    if command.currency == state.currency:
        return None
    return Refusal("wrong_currency", "currency", f"was {command.currency}; {state.network} counts in {state.currency}")


def _contributed(state: Network, command: Contribute | CloseRound) -> list[Event]:
    """Nobody bet: nothing happened to the meters, so nothing is recorded."""
    if command.stakes == 0:
        return []
    return [
        WagersContributed(
            network=state.network,
            table=command.table,
            round_no=command.round_no,
            stakes=command.stakes,
            contributions=tuple(_fed(meter, command.stakes) for meter in state.meters.values()),
            currency=state.currency,
        )
    ]


def _returned(state: Network, command: CloseRound, fed: int) -> ContributionsReturned:
    return ContributionsReturned(
        network=state.network,
        table=command.table,
        round_no=command.round_no,
        stakes=fed,
        contributions=tuple(_fed(meter, -fed) for meter in state.meters.values()),
        currency=state.currency,
    )


def _fed(meter: Meter, stakes: int) -> MeterContribution:
    """What ``stakes`` add to a meter (take back, when negative): whole units are posted, the rest is carried exactly.

    A meter may fall below 0 when a share was locked between a round's contribution and its being declared void.
    """
    parts = meter.amount * meter.rate_denominator + meter.carry + meter.rate_numerator * stakes
    amount, carry = divmod(parts, meter.rate_denominator)
    return MeterContribution(
        meter=meter.meter, posted=amount - meter.amount, amount_after=amount, carry_numerator=carry
    )


def _locked(state: Network, command: CloseRound, claim: Claim) -> HitLocked:
    """A share of the whole minor units, rounded down, never below 0; after a whole share the seed is put back."""
    meter = state.meters[claim.meter]
    amount = max(0, meter.amount * claim.percent // 100)
    reseed = meter.seed if claim.percent == 100 else 0
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
        amount=amount,
        meter_before=meter.amount,
        meter_after=meter.amount - amount + reseed,
        currency=state.currency,
        rule=claim.rule,
        policy=SEQUENTIAL,
    )


# Evolution -----------------------------------------------------------------------------------------------------------


def evolve(state: State, event: Event) -> State:
    """The state after ``event``. It judges nothing and skips nothing: an event out of place is an error, by name."""
    match event, state:
        case NetworkOpened(), NotOpened():
            return Network(event.network, event.currency, {opening.meter: _opened(opening) for opening in event.meters})
        case WagersContributed(), Network():
            contributed = {**state.contributed, (event.table, event.round_no): event.stakes}
            return replace(state, meters=_standing(state, event.contributions), contributed=contributed)
        case ContributionsReturned(), Network():
            return replace(state, meters=_standing(state, event.contributions))
        case HitLocked(), Network():
            after = replace(state.meters[event.meter], amount=event.meter_after)
            hits = {**state.hits, event.claim_id: Hit(event)}
            return replace(state, meters={**state.meters, event.meter: after}, hits=hits)
        case RoundClosed(), Network():
            contributed = {key: stakes for key, stakes in state.contributed.items() if key != _round(event)}
            return replace(state, contributed=contributed, closed={**state.closed, event.table: event.round_no})
        case HandPayApproved(), Network():
            approved = replace(state.hits[event.claim_id], approved_by=event.floorperson)
            return replace(state, hits={**state.hits, event.claim_id: approved})
        case _:
            raise TypeError(f"{event.type_name} cannot follow {type(state).__name__} in a network's stream")


def evolve_all(state: Network, events: Sequence[Event]) -> Network:
    """An open network after some of its own events."""
    for event in events:
        after = evolve(state, event)
        if not isinstance(after, Network):
            raise TypeError(f"{event.type_name} closed the network; no event does")
        state = after
    return state


def _opened(opening: MeterOpening) -> Meter:
    return Meter(opening.meter, opening.seed, opening.rate_numerator, opening.rate_denominator, opening.amount)


def _standing(state: Network, contributions: Sequence[MeterContribution]) -> dict[str, Meter]:
    after = dict(state.meters)
    for fed in contributions:
        after[fed.meter] = replace(after[fed.meter], amount=fed.amount_after, carry=fed.carry_numerator)
    return after


def _round(event: RoundClosed) -> tuple[str, int]:
    return event.table, event.round_no
