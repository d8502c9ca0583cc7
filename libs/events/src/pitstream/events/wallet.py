"""Topic ``wallet.v1``, key: account. Stream ``account/<account>``: holds and postings, in minor units.

An account is one owner's money in one currency: ``player/p001/USD``, ``table/uth-04/USD``,
``meter/<network>/<meter>/USD``, ``house/USD``. The contract tells every kind; ``ids`` makes their names.
"""

from typing import Annotated, Literal

from pydantic import Field

from pitstream.events.model import (
    Bundle,
    Currency,
    Event,
    MeterId,
    Minor,
    NetworkId,
    Part,
    RoundNo,
    SeatNo,
    SignedMinor,
    Stake,
    TableId,
    Text,
    Word,
)

TOPIC = "wallet.v1"

AccountId = Annotated[str, Field(pattern=r"^[a-z]+(/[A-Za-z0-9._:-]{1,64}){0,2}/[A-Z]{3}$")]
AccountKind = Literal[
    "player", "table", "pot", "meter", "reserve", "overflow", "transit", "handpay", "payable", "house", "operator",
    "suspense", "cash", "drop", "receivable",
]  # fmt: skip
Scale = Annotated[int, Field(ge=0, le=8)]
"""Decimal places of a currency."""


class Transfer(Part):
    """One double-entry transfer. ``transfer_id`` is derived from what it stands for: it is never posted twice."""

    transfer_id: Text
    debit: AccountId
    credit: AccountId
    amount: Stake
    code: Word


class AccountOpened(Event, package=TOPIC):
    """An account exists from here on."""

    account: AccountId
    kind: AccountKind
    currency: Currency
    scale: Scale | None = None
    """None: as ISO 4217 has it."""


class FundsMoved(Event, package=TOPIC):
    """Money came into an account from outside the floor, or left it: one transfer against the player's operator."""

    account: AccountId
    transfer: Transfer
    balance_after: SignedMinor


class FundsHeld(Event, package=TOPIC):
    """A bundle of wagers' money is held: it cannot be spent twice."""

    account: AccountId
    hold_id: Text
    table: TableId
    round_no: RoundNo
    seat: SeatNo
    bundle: Bundle
    amount: Stake


class FundsDeclined(Event, package=TOPIC):
    """The money of a bundle could not be held. One ``WagersPlaced`` gets one answer for ever; placed again, the bundle
    is judged afresh: a 4x without funds may become a 3x."""

    account: AccountId
    hold_id: Text
    table: TableId
    round_no: RoundNo
    seat: SeatNo
    bundle: Bundle
    amount: Stake
    reason: Text


class SeatPosted(Event, package=TOPIC):
    """A settled seat: its holds are resolved and every line and award is posted, all at once."""

    account: AccountId
    table: TableId
    round_no: RoundNo
    seat: SeatNo
    resolved_holds: tuple[Text, ...]
    transfers: tuple[Transfer, ...]
    balance_after: SignedMinor


class ContributionPosted(Event, package=TOPIC):
    """A round's contribution to one meter, or its return, moved between table inventory and the meter's account."""

    account: AccountId
    network: NetworkId
    meter: MeterId
    table: TableId
    round_no: RoundNo
    transfer: Transfer
    further: tuple[Transfer, ...] = ()
    """What went to, or came back from, the meter's reserve and overflow."""


class SeedPosted(Event, package=TOPIC):
    """A meter was opened: the house put there what it opens with."""

    account: AccountId
    network: NetworkId
    meter: MeterId
    transfer: Transfer


class HitReserved(Event, package=TOPIC):
    """A locked share left its meter for the hand-pay payable; after a whole share the reserve, and then the house,
    put the seed there."""

    account: AccountId
    network: NetworkId
    meter: MeterId
    claim_id: Text
    transfers: tuple[Transfer, ...]


class HandPayPosted(Event, package=TOPIC):
    """A validated share of a meter was paid to the player."""

    account: AccountId
    network: NetworkId
    claim_id: Text
    table: TableId
    round_no: RoundNo
    seat: SeatNo
    transfer: Transfer
    balance_after: SignedMinor


class MeterMoved(Event, package=TOPIC):
    """What a network decided about a meter's money, other than its contributions and hits: a refused hit's return, a
    correction, a changed limit, a transfer between networks. ``reason`` names the event that decided it."""

    account: AccountId
    network: NetworkId
    meter: MeterId
    reason: Word
    transfers: tuple[Transfer, ...]


class TransferReversed(Event, package=TOPIC):
    """A transfer was undone by its mirror image, once and for all."""

    account: AccountId
    reversed_id: Text
    transfer: Transfer
    reason: Text
    by: Text
    balance_after: SignedMinor


class SubAccountSwept(Event, package=TOPIC):
    """A sub-account gave all it had to its main account, or was given what it lacked: it stands at 0."""

    account: AccountId
    sweep: Text
    transfer: Transfer


class HoldPlaced(Event, package=TOPIC):
    """A platform set money of a player aside for a purpose of its own: it cannot be spent until it is captured or
    voided. ``expires_at_us`` is 0 for a hold that stands until then."""

    account: AccountId
    hold_id: Text
    amount: Stake
    purpose: Text
    expires_at_us: Minor


class HoldCaptured(Event, package=TOPIC):
    """A hold was captured, whole or in part: the transfer took its money, what is left of the hold is free again."""

    account: AccountId
    hold_id: Text
    transfer: Transfer
    balance_after: SignedMinor


class HoldVoided(Event, package=TOPIC):
    """A hold was voided by its platform, or expired: its money is free again. Nothing moved."""

    account: AccountId
    hold_id: Text
    reason: Literal["voided", "expired"]
