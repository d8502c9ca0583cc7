"""What a platform may do with its players' money. Pure: each command reads the books, and returns events or a Refusal.

Every event returned has been applied to the books. The operator outside the floor is the other side of whatever comes
in or leaves; money between two players stays on the floor.
"""

from collections.abc import Iterable

from pitstream.events import Event, ids
from pitstream.events.model import INT64_MAX
from pitstream.events.refusal import Refusal
from pitstream.events.wallet import (
    FundsMoved,
    HoldCaptured,
    HoldPlaced,
    HoldVoided,
    Transfer,
)
from pitstream.services.wallet.books import Account, Books, PlacedHold
from pitstream.services.wallet.posting import opened

Decision = list[Event] | Refusal


def open_account(books: Books, player: str, currency: str) -> Decision:
    """An account without money; nothing when it exists, since that is all that was asked for."""
    if books.scale_of(currency) is None:
        return Refusal(
            "unknown_currency", "currency", f"was {currency!r}; allowed: ISO 4217, or one that was added here"
        )
    return _applied(books, opened(books, ids.player_account(player, currency)))


def transfer(books: Books, player: str, to: str, currency: str, amount: int, transfer_id: str) -> Decision:
    """From one player to another of the same operator; both have accounts."""
    giver = ids.player_account(player, currency)
    receiver = ids.player_account(to, currency)
    if player == to:
        return Refusal("same_account", "to", f"was {to!r}; allowed: another player than the one who gives")
    for field, account in (("player", giver), ("to", receiver)):
        if account not in books.accounts:
            return Refusal("unknown_account", field, f"{account} was never opened")
    refusal = _short_of(books.accounts[giver], amount) or _no_room(books, giver, receiver, amount)
    if refusal is not None:
        return refusal
    moved = Transfer(transfer_id=transfer_id, debit=giver, credit=receiver, amount=amount, code="transfer")
    return _applied(books, [_moved(books, giver, moved)])


def place_hold(
    books: Books, account: str, amount: int, hold_id: str, purpose: str, expires_at_us: int, now_us: int
) -> Decision:
    """Set money aside. ``expires_at_us`` is 0 for a hold that stands until it is resolved."""
    known = books.accounts.get(account)
    if known is None:
        return Refusal("unknown_account", "player", f"{account} was never opened")
    if 0 < expires_at_us <= now_us:
        return Refusal("expired_already", "expires_at", "was in the past; allowed: a moment to come, or none")
    refusal = _short_of(known, amount)
    if refusal is not None:
        return refusal
    placed = HoldPlaced(account=account, hold_id=hold_id, amount=amount, purpose=purpose, expires_at_us=expires_at_us)
    return _applied(books, [placed])


def capture_hold(books: Books, hold: PlacedHold, amount: int | None, counter: str, now_us: int) -> Decision:
    """Take the money that was set aside, all of it unless ``amount`` says less; the rest is free again.

    ``counter``: the account that receives it, opened with the first money it sees.
    """
    taken = hold.amount if amount is None else amount
    if hold.state != "held":
        return _resolved_before(hold)
    if 0 < hold.expires_at_us <= now_us:
        return Refusal("hold_expired", "hold_id", f"hold {hold.hold_id} is past its expiry; allowed: a new hold")
    if taken > hold.amount:
        return Refusal("more_than_held", "amount", f"was {taken}; allowed: 1 to {hold.amount} minor units")
    refusal = _no_room(books, hold.account, counter, taken)
    if refusal is not None:
        return refusal
    moved = Transfer(
        transfer_id=ids.transfer_id(hold.hold_id, "capture"),
        debit=hold.account,
        credit=counter,
        amount=taken,
        code="capture",
    )
    left = books.accounts[hold.account].balance - taken
    captured = HoldCaptured(account=hold.account, hold_id=hold.hold_id, transfer=moved, balance_after=left)
    return _applied(books, [*opened(books, counter), captured])


def void_hold(books: Books, hold: PlacedHold) -> Decision:
    """Free the money; nothing moves."""
    if hold.state != "held":
        return _resolved_before(hold)
    return _applied(books, [HoldVoided(account=hold.account, hold_id=hold.hold_id, reason="voided")])


def expire_hold(books: Books, hold: PlacedHold, now_us: int) -> list[Event]:
    """What the passing of time does to a hold; nothing while it may stand, or once it was resolved."""
    due = hold.state == "held" and 0 < hold.expires_at_us <= now_us
    return _applied(books, [HoldVoided(account=hold.account, hold_id=hold.hold_id, reason="expired")] if due else [])


def _resolved_before(hold: PlacedHold) -> Refusal:
    return Refusal("hold_resolved", "hold_id", f"hold {hold.hold_id} was {hold.state} before; a hold is resolved once")


def _short_of(account: Account, amount: int) -> Refusal | None:
    if account.available >= amount:
        return None
    return Refusal(
        "insufficient_funds", "amount", f"was {amount}; available: {account.available} of {account.balance} minor units"
    )


def _no_room(books: Books, gives: str, receives: str, amount: int) -> Refusal | None:
    """Sums have 64 bits: what would leave them is refused before the database would."""
    given = books.accounts[gives].debits_posted
    received = books.accounts[receives].credits_posted if receives in books.accounts else 0
    room = INT64_MAX - max(given, received)
    if amount <= room:
        return None
    return Refusal("amount_out_of_range", "amount", f"was {amount}; allowed: 1 to {room} minor units")


def _moved(books: Books, account: str, moved: Transfer) -> FundsMoved:
    return FundsMoved(account=account, transfer=moved, balance_after=books.accounts[account].balance - moved.amount)


def _applied(books: Books, events: Iterable[Event]) -> list[Event]:
    applied = list(events)
    for event in applied:
        books.apply(event)
    return applied
