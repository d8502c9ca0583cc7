"""Topic ``progressives.v1``, key: network. Stream ``progressive/<network>``: what fed each meter, who locked what."""

from typing import Annotated, Literal

from pydantic import Field

from pitstream.events.model import (
    INT64_MAX,
    Currency,
    Event,
    MeterId,
    Minor,
    NetworkId,
    Part,
    Percent,
    PlayerId,
    RoundNo,
    SeatNo,
    SignedMinor,
    TableId,
    Text,
    Word,
)

TOPIC = "progressives.v1"

Denominator = Annotated[int, Field(ge=1, le=INT64_MAX)]
Version = Annotated[int, Field(ge=1, le=INT64_MAX)]
"""Number of an event in its stream."""

Policy = Literal["sequential", "full_each", "share"]
"""How hits that come close together share; the contract says what each means."""
MeterPart = Literal["meter", "reserve"]


class Rate(Part):
    """An exact share of a wager."""

    numerator: Minor
    denominator: Denominator


class MeterOpening(Part):
    """A meter as its network opens it. Its rate of progression is exactly numerator / denominator of a wager."""

    meter: MeterId
    seed: Minor
    amount: Minor
    rate_numerator: Minor
    rate_denominator: Denominator
    reserve_rate: Rate | None = None
    """The hidden share of each wager that feeds the reserve, which funds the next seed."""
    limit: Minor | None = None
    """What the meter shows at most; the rest overflows."""
    contribution_max: Minor | None = None
    """The most that one round may add to the meter without a person's word."""


class MeterContribution(Part):
    """What one round added to one meter: with its overflow it stands at amount_after + overflow_after + the carry.

    A carry is numerator / denominator of one minor unit; without a denominator of its own it has its rate's. Below 0
    only where a share was locked, or the reserve spent, between a round's contribution and its being declared void.
    """

    meter: MeterId
    posted: SignedMinor
    amount_after: SignedMinor
    carry_numerator: Minor
    carry_denominator: Denominator | None = None
    overflow_posted: SignedMinor = 0
    overflow_after: Minor = 0
    reserve_posted: SignedMinor = 0
    reserve_after: SignedMinor = 0
    reserve_carry_numerator: Minor = 0
    reserve_carry_denominator: Denominator | None = None


class NetworkOpened(Event, package=TOPIC):
    """A network of tables opens with its meters."""

    network: NetworkId
    currency: Currency
    meters: tuple[MeterOpening, ...]
    policy: Policy | None = None


class WagersContributed(Event, package=TOPIC):
    """The progressive wagers of one round went into the meters."""

    network: NetworkId
    table: TableId
    round_no: RoundNo
    stakes: Minor
    contributions: tuple[MeterContribution, ...]
    currency: Currency


class ContributionsReturned(Event, package=TOPIC):
    """A void round took its contributions back, at the rates it gave them; ``posted`` is negative or 0."""

    network: NetworkId
    table: TableId
    round_no: RoundNo
    stakes: Minor
    contributions: tuple[MeterContribution, ...]
    currency: Currency


class RoundClosed(Event, package=TOPIC):
    """The round is settled for this network: it can neither feed a meter nor claim a share any more."""

    network: NetworkId
    table: TableId
    round_no: RoundNo


class LockAccount(Part):
    """How a locked amount came about: amount = from_meter + from_house + from_earlier.

    The meter stands afterwards at meter_before - from_meter + both parts of the seed - overflow_change.
    """

    base: Minor
    from_meter: Minor
    from_house: Minor = 0
    from_earlier: SignedMinor = 0
    seed_from_reserve: Minor = 0
    seed_from_house: Minor = 0
    overflow_change: SignedMinor = 0
    overflow_after: Minor = 0
    reserve_after: SignedMinor = 0
    together_with: tuple[Text, ...] = ()
    wagers_taken_at: Version | None = None
    reason: Text


class HitLocked(Event, package=TOPIC):
    """A meter's share was fixed for one winning line, by the order of events: 653a.11(k)."""

    network: NetworkId
    claim_id: Text
    table: TableId
    round_no: RoundNo
    seat: SeatNo
    player: PlayerId
    wager: Word
    meter: MeterId
    percent: Percent
    amount: Minor
    meter_before: SignedMinor
    meter_after: SignedMinor
    currency: Currency
    rule: Text
    policy: Policy
    account: LockAccount | None = None


class RedividedShare(Part):
    """What a hit that was locked before stands at now."""

    claim_id: Text
    amount_before: Minor
    amount_after: Minor


class HitsRedivided(Event, package=TOPIC):
    """Another hit joined, or left, those that share a locked amount: it was divided anew, left-over units in order."""

    network: NetworkId
    meter: MeterId
    claim_id: Text
    pool: Minor
    shares: tuple[RedividedShare, ...]
    currency: Currency


class HitVerified(Event, package=TOPIC):
    """The winning hand and the light of its wager were checked at the table."""

    network: NetworkId
    claim_id: Text
    verified_by: Text
    checks: tuple[Word, ...]


class HandPayApproved(Event, package=TOPIC):
    """A floorperson validated the hit: the wallet pays it by hand."""

    network: NetworkId
    claim_id: Text
    floorperson: Text
    player: PlayerId
    table: TableId
    round_no: RoundNo
    seat: SeatNo
    meter: MeterId
    amount: Minor
    currency: Currency
    document: Text = ""


class HitRefused(Event, package=TOPIC):
    """A hit is not paid; what its lock moved goes back where it came from, and the event says how."""

    network: NetworkId
    claim_id: Text
    refused_by: Text
    reason: Text
    document: Text = ""
    table: TableId
    round_no: RoundNo
    seat: SeatNo
    player: PlayerId
    meter: MeterId
    amount: Minor
    currency: Currency
    to_meter: Minor
    to_house: Minor
    to_others: Minor
    seed_to_reserve: Minor
    seed_to_house: Minor
    overflow_change: SignedMinor
    amount_after: SignedMinor
    overflow_after: Minor
    reserve_after: SignedMinor
    account: Text


class CardsReleased(Event, package=TOPIC):
    """The cards of a hit that was paid or refused were released to the discard rack."""

    network: NetworkId
    claim_id: Text
    released_by: Text


class ContributionQuestioned(Event, package=TOPIC):
    """A round would have added more to a meter than it may: it feeds none until somebody answers. The round goes on."""

    network: NetworkId
    table: TableId
    round_no: RoundNo
    stakes: Minor
    currency: Currency
    meter: MeterId
    would_add: Minor
    allowed: Minor


class ContributionAnswered(Event, package=TOPIC):
    """A questioned contribution was admitted, and follows, or never feeds a meter."""

    network: NetworkId
    table: TableId
    round_no: RoundNo
    admitted: bool
    answered_by: Text
    reason: Text


class MeterTerms(Part):
    """All terms of a meter, as its opening has them."""

    meter: MeterId
    seed: Minor
    rate: Rate
    reserve_rate: Rate | None = None
    limit: Minor | None = None
    contribution_max: Minor | None = None


class Correction(Part):
    """Money that the house puts on a meter, or takes off it."""

    meter: MeterId
    part: MeterPart
    change: SignedMinor


class TransferOrder(Part):
    """Money that goes to a meter of another network: from meter and overflow, and from reserve to reserve."""

    meter: MeterId
    to_network: NetworkId
    to_meter: MeterId
    amount: Minor
    reserve: Minor


class ChangeProposed(Event, package=TOPIC):
    """One person asks for one change; nothing changes before another approves it."""

    network: NetworkId
    proposal_id: Text
    proposed_by: Text
    reason: Text
    terms: MeterTerms | None = None
    policy: Policy | None = None
    correction: Correction | None = None
    transfer: TransferOrder | None = None
    retire: MeterId | None = None


class ChangeRejected(Event, package=TOPIC):
    """The proposal is off."""

    network: NetworkId
    proposal_id: Text
    rejected_by: Text
    reason: Text


class TermsChanged(Event, package=TOPIC):
    """A meter has new terms from this event on; what was contributed before stays as it was."""

    network: NetworkId
    proposal_id: Text
    proposed_by: Text
    approved_by: Text
    currency: Currency
    terms: MeterTerms
    overflow_change: SignedMinor
    amount_after: SignedMinor
    overflow_after: Minor
    carry_numerator: Minor
    carry_denominator: Denominator
    reserve_carry_numerator: Minor
    reserve_carry_denominator: Denominator


class PolicyChanged(Event, package=TOPIC):
    """Hits that are locked from here on follow another policy."""

    network: NetworkId
    proposal_id: Text
    proposed_by: Text
    approved_by: Text
    policy: Policy


class MeterCorrected(Event, package=TOPIC):
    """The house put money on a meter or its reserve, or took some off."""

    network: NetworkId
    proposal_id: Text
    proposed_by: Text
    approved_by: Text
    currency: Currency
    meter: MeterId
    part: MeterPart
    change: SignedMinor
    overflow_change: SignedMinor
    amount_after: SignedMinor
    overflow_after: Minor
    reserve_after: SignedMinor
    reason: Text


class TransferSent(Event, package=TOPIC):
    """Money left a meter, and its reserve, for another network."""

    network: NetworkId
    transfer_id: Text
    proposed_by: Text
    approved_by: Text
    currency: Currency
    meter: MeterId
    to_network: NetworkId
    to_meter: MeterId
    amount: Minor
    reserve: Minor
    overflow_change: SignedMinor
    amount_after: SignedMinor
    overflow_after: Minor
    reserve_after: SignedMinor


class TransferReceived(Event, package=TOPIC):
    """Money came from another network's meter, once for each transfer."""

    network: NetworkId
    transfer_id: Text
    currency: Currency
    meter: MeterId
    from_network: NetworkId
    from_meter: MeterId
    amount: Minor
    reserve: Minor
    overflow_change: SignedMinor
    amount_after: SignedMinor
    overflow_after: Minor
    reserve_after: SignedMinor


class MeterRetired(Event, package=TOPIC):
    """The meter stands at 0 and takes no wagers any more; with its last meter the network is retired."""

    network: NetworkId
    proposal_id: Text
    proposed_by: Text
    approved_by: Text
    meter: MeterId
