"""What a corrected round (``RoundResettled``) means for meters, hits and prizes (``progressives.v1``) and for the
ledger (``wallet.v1``). What a player cannot give back is an open item on ``receivable/<player>/<currency>``, which is
below 0 by what is owed."""

from typing import Literal

from pitstream.events.disputes import Number
from pitstream.events.model import (
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
from pitstream.events.prizes import PrizePayee
from pitstream.events.progressives import TOPIC as PROGRESSIVES
from pitstream.events.progressives import MeterContribution, Rate
from pitstream.events.wallet import TOPIC as WALLET
from pitstream.events.wallet import AccountId, Transfer


class FedRate(Part):
    """At which rates a round fed a meter."""

    meter: MeterId
    rate: Rate
    reserve_rate: Rate | None = None


class ContributionCorrected(Event, package=PROGRESSIVES):
    """A corrected round's progressive stakes were others: its contributions became what they should have been, at the
    rates at which it fed the meters; ``posted`` may be negative."""

    network: NetworkId
    table: TableId
    round_no: RoundNo
    correction: Number
    currency: Currency
    stakes_before: Minor
    stakes_after: Minor
    contributions: tuple[MeterContribution, ...]
    proposed_by: Text
    confirmed_by: Text
    rates: tuple[FedRate, ...]
    """One for each of ``contributions``, in their order."""


class HitQuestioned(Event, package=PROGRESSIVES):
    """A correction took a hit's win away. While the hit is undecided it can only be refused; one that was paid already
    is listed, and what was paid stays paid."""

    network: NetworkId
    claim_id: Text
    table: TableId
    round_no: RoundNo
    correction: Number
    status: Literal["locked", "verified", "paid"]
    reason: Text


class HitRestored(Event, package=PROGRESSIVES):
    """A later correction gave a questioned hit's win back: it is as if nothing had been asked."""

    network: NetworkId
    claim_id: Text
    table: TableId
    round_no: RoundNo
    correction: Number


class HitProposed(Event, package=PROGRESSIVES):
    """A correction made a line win a share. Nothing is locked before one of the network's people accepts it."""

    network: NetworkId
    claim_id: Text
    table: TableId
    round_no: RoundNo
    seat: SeatNo
    player: PlayerId
    wager: Word
    meter: MeterId
    percent: Percent
    currency: Currency
    rule: Text
    correction: Number
    reason: Text


class HitDeclined(Event, package=PROGRESSIVES):
    """A proposed hit is off: a person said so, or a later correction took its win away."""

    network: NetworkId
    claim_id: Text
    declined_by: Text
    reason: Text


class PrizeQuestioned(Event, package=PROGRESSIVES):
    """A correction took away, or changed, a prize that had been paid: it is listed, and what was paid stays paid.
    ``becomes``: what the prize should have been; nobody, where there is none."""

    prize_id: Text
    table: TableId
    round_no: RoundNo
    seat: SeatNo
    prize: Word
    currency: Currency
    payees: tuple[PrizePayee, ...]
    becomes: tuple[PrizePayee, ...] = ()
    correction: Number
    reason: Text


class Undone(Part):
    """A transfer that is undone, and its mirror image."""

    reversed_id: Text
    transfer: Transfer


class SeatCorrected(Event, package=WALLET):
    """What a settlement had posted of one seat is undone, and what it should have been is posted. A seat that belongs
    to another player now is told twice, once on either account."""

    account: AccountId
    table: TableId
    round_no: RoundNo
    seat: SeatNo
    correction: Number
    undone: tuple[Undone, ...]
    transfers: tuple[Transfer, ...]
    balance_after: SignedMinor


class ReceivableOpened(Event, package=WALLET):
    """More had to be taken back by a correction than was available: what was missing was put on the player's account,
    and is owed."""

    account: AccountId
    receivable_id: Text
    player: PlayerId
    table: TableId
    round_no: RoundNo
    correction: Number
    transfer: Transfer


class ReceivablePaid(Event, package=WALLET):
    """Some of what a player owes was paid: out of what a later correction of the same round gave back (``offset``),
    from the player's account (``collected``), or by the house (``written_off``)."""

    account: AccountId
    receivable_id: Text
    how: Literal["offset", "collected", "written_off"]
    transfer: Transfer
    owed_after: Minor
    by: Text
    reason: Text
