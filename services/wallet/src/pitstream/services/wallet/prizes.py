"""What a prize moves that a floorperson must validate: aside from the table's inventory, then to players or back. Pure.

A seat is posted without it. ``PrizePending`` puts it aside and stands before the floorperson's word in one key, so that
what is paid was always put aside before, however the topics run to each other.
"""

from collections.abc import Iterator
from typing import assert_never

from pitstream.events import Event, ids
from pitstream.events.prizes import (
    PrizeApproved,
    PrizePayee,
    PrizePending,
    PrizePosted,
    PrizeRefused,
    PrizeReserved,
    PrizeReturned,
)
from pitstream.events.wallet import Transfer
from pitstream.services.wallet.books import Books
from pitstream.services.wallet.posting import UnpostableError, opened

PrizeFact = PrizePending | PrizeApproved | PrizeRefused


def accounts_of(fact: PrizeFact) -> set[str]:
    """Every account that ``fact`` may read or move."""
    payable, table = ids.payable_account(fact.table, fact.currency), ids.table_account(fact.table, fact.currency)
    match fact:
        case PrizePending() | PrizeRefused():
            return {payable, table}
        case PrizeApproved():
            return {payable} | {ids.player_account(payee.player, fact.currency) for payee in fact.payees}
        case _:
            assert_never(fact)


def answers(books: Books, fact: PrizeFact) -> Iterator[Event]:
    """The wallet's events on hearing ``fact``, each to be applied before the next. Raises UnpostableError."""
    match fact:
        case PrizePending():
            return _reserve(books, fact)
        case PrizeApproved():
            return _pay(books, fact)
        case PrizeRefused():
            return _return(books, fact)
        case _:
            assert_never(fact)


def _reserve(books: Books, fact: PrizePending) -> Iterator[Event]:
    payable, table = ids.payable_account(fact.table, fact.currency), ids.table_account(fact.table, fact.currency)
    yield from opened(books, table)
    yield from opened(books, payable)
    yield PrizeReserved(
        account=payable,
        prize_id=fact.prize_id,
        table=fact.table,
        round_no=fact.round_no,
        transfers=tuple(_transfer(fact, payee, "reserved", table, payable) for payee in fact.payees),
    )


def _pay(books: Books, fact: PrizeApproved) -> Iterator[Event]:
    payable = _waits_at(books, fact)
    for payee in fact.payees:
        player = ids.player_account(payee.player, fact.currency)
        if player not in books.accounts:
            raise UnpostableError("unknown_account", f"{_name(fact)}: {player} was never opened")
        yield PrizePosted(
            account=player,
            prize_id=fact.prize_id,
            table=fact.table,
            round_no=fact.round_no,
            seat=payee.seat,
            transfer=_transfer(fact, payee, "paid", payable, player),
            balance_after=books.accounts[player].balance + payee.amount,
        )


def _return(books: Books, fact: PrizeRefused) -> Iterator[Event]:
    payable, table = _waits_at(books, fact), ids.table_account(fact.table, fact.currency)
    yield PrizeReturned(
        account=payable,
        prize_id=fact.prize_id,
        table=fact.table,
        round_no=fact.round_no,
        transfers=tuple(_transfer(fact, payee, "returned", payable, table) for payee in fact.payees),
    )


def _waits_at(books: Books, fact: PrizeApproved | PrizeRefused) -> str:
    """The account on which the prize waits; there is as much on it at least."""
    payable = ids.payable_account(fact.table, fact.currency)
    put_aside, due = books.accounts.get(payable), sum(payee.amount for payee in fact.payees)
    if put_aside is None or put_aside.balance < due:
        waits = put_aside.balance if put_aside else 0
        raise UnpostableError("prize_not_reserved", f"{_name(fact)}: was {due}; {waits} minor units wait at {payable}")
    return payable


def _name(fact: PrizeFact) -> str:
    return f"prize {fact.prize_id} of {fact.table}/{fact.round_no}"


def _transfer(fact: PrizeFact, payee: PrizePayee, step: str, gives: str, receives: str) -> Transfer:
    return Transfer(
        transfer_id=ids.transfer_id(fact.prize_id, payee.seat, step),
        debit=gives,
        credit=receives,
        amount=payee.amount,
        code=fact.prize,
    )
