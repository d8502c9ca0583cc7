"""The accounts that a unit of work touches, as they stand after each of the wallet's own events.

``Books.apply`` alone says what an event of ``wallet.v1`` does to a balance. It serves the live service, one batch at a
time, and the rebuild of every balance from the account streams alone. It judges nothing and skips nothing.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from pitstream.events import Event
from pitstream.events.accounting import (
    BuyInPosted,
    CorrectionDeclined,
    CorrectionPrepared,
    SlipCancelled,
    SlipPrepared,
    SlipSigned,
    TableDayClosed,
    TableDayCorrected,
)
from pitstream.events.corrections import ReceivableOpened, ReceivablePaid, SeatCorrected
from pitstream.events.currencies import ISO_4217
from pitstream.events.prizes import PrizePosted, PrizeReserved, PrizeReturned
from pitstream.events.wallet import (
    AccountKind,
    AccountOpened,
    ContributionPosted,
    FundsDeclined,
    FundsHeld,
    FundsMoved,
    HandPayPosted,
    HitReserved,
    HoldCaptured,
    HoldPlaced,
    HoldVoided,
    MeterMoved,
    SeatPosted,
    SeedPosted,
    SubAccountSwept,
    Transfer,
    TransferReversed,
)

RoundKey = tuple[str, int]
"""Table and round number."""


# Tuples: a ledger makes one with every leg of a transfer, and a frozen dataclass takes four times as long to make.
class Account(NamedTuple):
    """One owner's money in one currency, in minor units."""

    account: str
    kind: AccountKind
    currency: str
    scale: int
    debits_posted: int = 0
    credits_posted: int = 0
    debits_pending: int = 0

    @property
    def balance(self) -> int:
        return self.credits_posted - self.debits_posted

    @property
    def held(self) -> int:
        return self.debits_pending

    @property
    def available(self) -> int:
        return self.balance - self.held


class Hold(NamedTuple):
    """Money held for one bundle of a seat's wagers."""

    hold_id: str
    account: str
    table: str
    round_no: int
    seat: int
    bundle: int
    amount: int

    @property
    def round(self) -> RoundKey:
        return (self.table, self.round_no)


class Receivable(NamedTuple):
    """What a player owes since a correction of a round took back more than was there, minor units."""

    receivable_id: str
    account: str
    player: str
    table: str
    round_no: int
    owed: int

    @property
    def round(self) -> RoundKey:
        return (self.table, self.round_no)

    @property
    def currency(self) -> str:
        return self.account.rpartition("/")[2]


HoldState = Literal["held", "captured", "voided", "expired"]


@dataclass(frozen=True, slots=True)
class PlacedHold:
    """Money that a platform set aside for a purpose of its own; ``captured`` of it was taken in the end."""

    hold_id: str
    account: str
    amount: int
    purpose: str
    expires_at_us: int
    state: HoldState = "held"
    captured: int = 0


@dataclass(slots=True)
class Books:
    """What is known while facts are posted one after the other."""

    accounts: dict[str, Account] = field(default_factory=dict)
    open_holds: dict[RoundKey, dict[str, Hold]] = field(default_factory=dict)
    answered: dict[str, Hold] = field(default_factory=dict)
    """Holds by id that were granted before, resolved ones too."""
    placed: dict[str, PlacedHold] = field(default_factory=dict)
    """Holds of platforms, resolved ones too."""
    closed: set[RoundKey] = field(default_factory=set)
    """Tombstones."""
    reserved: dict[str, int] = field(default_factory=dict)
    """Locked shares by claim, minor units."""
    posted: dict[str, Transfer] = field(default_factory=dict)
    """Transfers by id that a correction speaks of."""
    reversals: dict[str, str] = field(default_factory=dict)
    """By the id of a transfer that was undone, the id of the one that undid it."""
    receivables: dict[str, Receivable] = field(default_factory=dict)
    """Open items by id, in the order in which they were opened; paid ones too."""
    own_currencies: Mapping[str, int] = field(default_factory=dict)
    """Scales of the property's own currencies."""

    def scale_of(self, currency: str) -> int | None:
        """Decimal places; None for a currency that nobody knows."""
        return ISO_4217.get(currency, self.own_currencies.get(currency))

    def apply(self, event: Event) -> None:
        """The books after ``event``; TypeError for an event that is not the wallet's."""
        transfers = transfers_of(event)
        if transfers:
            self._move(transfers)
        match event:
            case FundsHeld():
                self._hold(event)
            case SeatPosted():
                for hold_id in event.resolved_holds:
                    hold = self.open_holds[event.table, event.round_no].pop(hold_id)
                    self._add(hold.account, pending=-hold.amount)
            case AccountOpened():
                # Before scales were told, every currency was one of ISO 4217, or had two decimal places.
                scale = ISO_4217.get(event.currency, 2) if event.scale is None else event.scale
                self.accounts[event.account] = Account(event.account, event.kind, event.currency, scale)
            case HitReserved():
                self.reserved[event.claim_id] = sum(t.amount for t in event.transfers if t.code == "hit")
            case TransferReversed():
                self.reversals[event.reversed_id] = event.transfer.transfer_id
            case HoldPlaced():
                self.placed[event.hold_id] = PlacedHold(
                    event.hold_id, event.account, event.amount, event.purpose, event.expires_at_us
                )
                self._add(event.account, pending=event.amount)
            case HoldCaptured():
                self._resolve(event.hold_id, "captured", event.transfer.amount)
            case HoldVoided():
                self._resolve(event.hold_id, event.reason)
            case ReceivableOpened():
                self.receivables[event.receivable_id] = Receivable(
                    event.receivable_id, event.account, event.player, event.table, event.round_no, event.transfer.amount
                )
            case ReceivablePaid():
                item = self.receivables[event.receivable_id]
                self.receivables[event.receivable_id] = item._replace(owed=event.owed_after)

    def _hold(self, event: FundsHeld) -> None:
        hold = Hold(event.hold_id, event.account, event.table, event.round_no, event.seat, event.bundle, event.amount)
        self.open_holds.setdefault(hold.round, {})[hold.hold_id] = hold
        self.answered[hold.hold_id] = hold
        self._add(hold.account, pending=hold.amount)

    def _resolve(self, hold_id: str, state: HoldState, captured: int = 0) -> None:
        hold = self.placed[hold_id]
        self.placed[hold_id] = replace(hold, state=state, captured=captured)
        self._add(hold.account, pending=-hold.amount)

    def _move(self, transfers: tuple[Transfer, ...]) -> None:
        # Each account once, however many transfers of the event touch it.
        given: dict[str, int] = {}
        received: dict[str, int] = {}
        for transfer in transfers:
            given[transfer.debit] = given.get(transfer.debit, 0) + transfer.amount
            received[transfer.credit] = received.get(transfer.credit, 0) + transfer.amount
        for account in given.keys() | received.keys():
            self._add(account, debits=given.get(account, 0), credits=received.get(account, 0))

    def _add(self, account: str, debits: int = 0, credits: int = 0, pending: int = 0) -> None:  # noqa: A002  # the ledger's word
        was = self.accounts[account]
        self.accounts[account] = Account(
            was.account,
            was.kind,
            was.currency,
            was.scale,
            was.debits_posted + debits,
            was.credits_posted + credits,
            was.debits_pending + pending,
        )


def transfers_of(event: Event) -> tuple[Transfer, ...]:
    """Every transfer that an event tells, in its order; TypeError for an event that is not the wallet's."""
    told = _TRANSFERS_OF.get(type(event))
    if told is None:
        raise TypeError(f"{event.type_name} is no event of the wallet")
    return told(event)


def _one(event: Any) -> tuple[Transfer, ...]:
    return (event.transfer,)


def _several(event: Any) -> tuple[Transfer, ...]:
    transfers: tuple[Transfer, ...] = event.transfers
    return transfers


def _first_and_further(event: Any) -> tuple[Transfer, ...]:
    return (event.transfer, *event.further)


def _undone_and_several(event: Any) -> tuple[Transfer, ...]:
    return (*(one.transfer for one in event.undone), *event.transfers)


def _none(_event: Any) -> tuple[Transfer, ...]:
    return ()


# By the very type: every batch asks of thousands of events, and a class of pydantic's answers isinstance slowly.
_TRANSFERS_OF: dict[type[Event], Callable[[Any], tuple[Transfer, ...]]] = {
    **dict.fromkeys((FundsMoved, SeedPosted, HandPayPosted, PrizePosted, HoldCaptured), _one),
    **dict.fromkeys((TransferReversed, SubAccountSwept), _one),
    **dict.fromkeys((SeatPosted, HitReserved, MeterMoved, PrizeReserved, PrizeReturned), _several),
    **dict.fromkeys((SlipSigned, BuyInPosted, TableDayCorrected), _several),
    **dict.fromkeys((ReceivableOpened, ReceivablePaid), _one),
    SeatCorrected: _undone_and_several,
    ContributionPosted: _first_and_further,
    **dict.fromkeys((AccountOpened, FundsHeld, FundsDeclined, HoldPlaced, HoldVoided), _none),
    **dict.fromkeys((SlipPrepared, SlipCancelled, TableDayClosed, CorrectionPrepared, CorrectionDeclined), _none),
}


def rebuild(events: Iterable[Event]) -> Books:
    """The books from the account streams alone: each stream in its own order, the streams in any order.

    A transfer is told by one stream and touches another's account, so every account is opened first.
    """
    later = []
    books = Books()
    for event in events:
        if isinstance(event, AccountOpened):
            books.apply(event)
        else:
            later.append(event)
    for event in later:
        books.apply(event)
    return books
