"""What may be put right afterwards: a transfer that a command made is undone, a sub-account is swept. Pure.

What another service's fact moved is not undone here: it is corrected where it was decided, and that fact is posted.
"""

from collections.abc import Iterator

from pitstream.events import Event, ids
from pitstream.events.model import INT64_MAX
from pitstream.events.refusal import Refusal
from pitstream.events.wallet import SubAccountSwept, Transfer, TransferReversed
from pitstream.services.wallet.books import Books
from pitstream.services.wallet.ledger import net
from pitstream.services.wallet.posting import opened, reversal_id

REVERSIBLE = frozenset({"deposit", "withdrawal", "transfer", "capture"})
"""Codes of the transfers that commands make."""


def reverse(books: Books, transfer_id: str, reason: str, by: str) -> list[Event] | Refusal:
    """Undo a transfer by its mirror image. It is undone once; an undoing is not undone."""
    original = books.posted.get(transfer_id)
    if original is None:
        return Refusal("unknown_transfer", "transfer_id", f"was {transfer_id!r}; there is no such transfer")
    if original.code not in REVERSIBLE:
        return Refusal(
            "not_reversible",
            "transfer_id",
            f"was one of code {original.code!r}; allowed: {', '.join(sorted(REVERSIBLE))}",
        )
    if transfer_id in books.reversals:
        return Refusal(
            "reversed_already", "transfer_id", f"was {transfer_id!r}; {books.reversals[transfer_id]} undid it before"
        )
    giver, receiver = books.accounts[original.credit], books.accounts[original.debit]
    if giver.kind == "player" and giver.available < original.amount:
        return Refusal(
            "insufficient_funds",
            "transfer_id",
            f"{original.amount} would go back; available: {giver.available} of {giver.balance} minor units",
        )
    room = INT64_MAX - max(giver.debits_posted, receiver.credits_posted)
    if original.amount > room:
        return Refusal(
            "amount_out_of_range", "transfer_id", f"{original.amount} would go back; allowed: up to {room} minor units"
        )
    undone = Transfer(
        transfer_id=reversal_id(transfer_id),
        debit=original.credit,
        credit=original.debit,
        amount=original.amount,
        code="reversal",
    )
    account = giver if giver.kind == "player" else receiver if receiver.kind == "player" else giver
    event = TransferReversed(
        account=account.account,
        reversed_id=transfer_id,
        transfer=undone,
        reason=reason,
        by=by,
        balance_after=account.balance + net(account.account, (undone,)),
    )
    books.apply(event)
    return [event]


def sweep_id(account: str, sweep: str) -> str:
    """Id of the transfer by which ``sweep`` empties a sub-account."""
    return ids.transfer_id(account, "sweep", sweep)


def sweep(books: Books, accounts: list[str], name: str) -> list[Event]:
    """Bring every one of these sub-accounts to 0, for or from its main account; each once in a sweep of this name."""
    events = []
    for event in _swept(books, accounts, name):
        books.apply(event)
        events.append(event)
    return events


def _swept(books: Books, accounts: list[str], name: str) -> Iterator[Event]:
    for account in accounts:
        main, balance, transfer_id = ids.main_account(account), books.accounts[account].balance, sweep_id(account, name)
        if main is None or balance == 0 or transfer_id in books.posted:
            continue
        yield from opened(books, main)
        transfer = Transfer(
            transfer_id=transfer_id,
            debit=account if balance > 0 else main,
            credit=main if balance > 0 else account,
            amount=abs(balance),
            code="sweep",
        )
        yield SubAccountSwept(account=account, sweep=name, transfer=transfer)
