"""Topic ``progressives.v1``, key: network. Stream ``progressive/<network>``: what fed each meter, who locked what."""

from typing import Annotated

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


class MeterOpening(Part):
    """A meter as its network opens it. Its rate of progression is exactly numerator / denominator of a wager."""

    meter: MeterId
    seed: Minor
    amount: Minor
    rate_numerator: Minor
    rate_denominator: Denominator


class MeterContribution(Part):
    """What one round added to one meter: it stands at amount_after + carry_numerator / rate_denominator exactly.

    Below 0 only where a share was locked between a round's contribution and its being declared void.
    """

    meter: MeterId
    posted: SignedMinor
    amount_after: SignedMinor
    carry_numerator: Minor


class NetworkOpened(Event, package=TOPIC):
    """A network of tables opens with its meters."""

    network: NetworkId
    currency: Currency
    meters: tuple[MeterOpening, ...]


class WagersContributed(Event, package=TOPIC):
    """The progressive wagers of one round went into the meters."""

    network: NetworkId
    table: TableId
    round_no: RoundNo
    stakes: Minor
    contributions: tuple[MeterContribution, ...]
    currency: Currency


class ContributionsReturned(Event, package=TOPIC):
    """A void round took its contributions back; ``posted`` is negative or 0."""

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
    policy: Word


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
