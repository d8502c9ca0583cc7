"""Topic ``wallet.v1``: every balance from the account streams alone, every hold opened and resolved once, every posting
beside what it follows from."""

from dataclasses import dataclass, field

from pitstream.archive import Stored
from pitstream.audit.findings import found
from pitstream.audit.networks import posting
from pitstream.audit.part import Part
from pitstream.audit.settlements import seat_content
from pitstream.events import Event, Recorded
from pitstream.events.prizes import PrizePosted, PrizeReserved, PrizeReturned
from pitstream.events.wallet import (
    AccountOpened,
    ContributionPosted,
    FundsDeclined,
    FundsHeld,
    HandPayPosted,
    HitReserved,
    HoldCaptured,
    HoldPlaced,
    HoldVoided,
    MeterMoved,
    SeatPosted,
    SeedPosted,
)
from pitstream.services.wallet.books import transfers_of

_POSTINGS = (
    ContributionPosted, SeedPosted, HitReserved, MeterMoved, HandPayPosted, PrizeReserved, PrizePosted, PrizeReturned,
)  # fmt: skip
_OWN = ("player/",)
"""Accounts whose events tell the balance that they left."""


@dataclass(slots=True)
class _Account:
    """A player's account, from its own stream: what that left, and what is held, minor units."""

    left: int = 0
    drift: int = 0
    held: dict[str, int] = field(default_factory=dict)


class Accounts:
    """``see`` every event of the topic; memory holds the players' accounts and their open holds."""

    def __init__(self, part: Part) -> None:
        self._part = part
        self._accounts: dict[str, _Account] = {}

    async def see(self, stored: Stored, recorded: Recorded) -> None:
        """The next event of its key."""
        if not recorded.stream.startswith("account/"):
            return
        event = recorded.event
        account: str = getattr(event, "account")  # noqa: B009  # a field of every event of an account's stream
        if recorded.stream != f"account/{account}" or stored.key != account:
            message = "it stands in another account's stream"
            self._part.report(found("account", stored, message, account, stored.key), stored.recorded_at_us)
        self._moves(stored, event, account)
        if account.startswith(_OWN):
            self._own(stored, event, self._accounts.setdefault(account, _Account()), account)
        self._tells(stored, recorded, account)

    def _moves(self, stored: Stored, event: Event, account: str) -> None:
        part = self._part
        if isinstance(event, AccountOpened):
            part.move(account)
        for transfer in transfers_of(event):
            part.tell("transfer", transfer.transfer_id, account, stored, {})
            part.move(transfer.debit, debits=transfer.amount)
            part.move(transfer.credit, credits=transfer.amount)
            if transfer.debit.rpartition("/")[2] != transfer.credit.rpartition("/")[2]:
                message = f"transfer {transfer.transfer_id} changes currency on the way"
                part.report(found("transfer", stored, message, transfer.debit, transfer.credit), stored.recorded_at_us)
            for side, amount in ((transfer.debit, -transfer.amount), (transfer.credit, transfer.amount)):
                if side != account and side.startswith(_OWN):
                    part.leg(side, stored, amount)

    def _own(self, stored: Stored, event: Event, known: _Account, account: str) -> None:
        for transfer in transfers_of(event):
            known.left += transfer.amount * ((transfer.credit == account) - (transfer.debit == account))
        balance_after = getattr(event, "balance_after", None)
        if balance_after is not None and balance_after - known.left != known.drift:
            known.drift = balance_after - known.left
            self._part.drift(account, stored, known.drift)
        match event:
            case FundsHeld() | HoldPlaced():
                self._hold(stored, event.hold_id, event.amount, known, account)
            case SeatPosted():
                for hold_id in event.resolved_holds:
                    self._resolve(stored, hold_id, known, account)
            case HoldCaptured() | HoldVoided():
                self._resolve(stored, event.hold_id, known, account)

    def _hold(self, stored: Stored, hold_id: str, amount: int, known: _Account, account: str) -> None:
        if hold_id in known.held:
            message = f"hold {hold_id} stands already"
            self._part.report(found("hold", stored, message, amount, known.held[hold_id]), stored.recorded_at_us)
            return
        known.held[hold_id] = amount
        self._part.move(account, pending=amount)

    def _resolve(self, stored: Stored, hold_id: str, known: _Account, account: str) -> None:
        amount = known.held.pop(hold_id, None)
        if amount is None:
            message = f"hold {hold_id} does not stand: it was never placed, or resolved before"
            self._part.report(found("hold", stored, message), stored.recorded_at_us)
            return
        self._part.move(account, pending=-amount)

    def _tells(self, stored: Stored, recorded: Recorded, account: str) -> None:
        part, event, envelope = self._part, recorded.event, recorded.envelope
        if isinstance(event, FundsHeld | FundsDeclined):
            content = {"account": account, "amount": event.amount}
            part.tell("hold", event.hold_id, event.table, stored, content)
        elif isinstance(event, SeatPosted):
            name = f"{event.table}/{event.round_no}/{event.seat}"
            posted = seat_content(account, event.transfers, envelope.cause_id, envelope.actor)
            part.tell("seat", name, event.table, stored, posted)
            if not event.transfers and event.resolved_holds:
                # Holds of a seat that the settlement may have no line of: nothing was due, they are free again.
                part.owe("seat", name, event.table, stored, posted, may=True)
        elif isinstance(event, _POSTINGS):
            name, content = posting(event, envelope.cause_id, envelope.actor)
            part.tell("posting", name, stored.key, stored, content)
