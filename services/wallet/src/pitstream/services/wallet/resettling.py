"""What the ledger does about a corrected round: what it posted of a seat is undone, what it should have been is posted.
Pure.

Seats that come out as before are not touched. Every transfer's id is made of its seat, its line and the correction that
posted it, so each is undone once and by one correction only. A player never falls below 0: what is missing is owed, as
an open item of the house, and paid out of what a later correction of the same round gives back, or by a person's word.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from pitstream.events import Event, ids
from pitstream.events.corrections import ReceivableOpened, ReceivablePaid, SeatCorrected, Undone
from pitstream.events.refusal import Refusal
from pitstream.events.settlements import RoundResettled, RoundSettled, SeatSettlement, pot_wagers
from pitstream.events.wallet import Transfer
from pitstream.services.wallet.books import Books, Receivable
from pitstream.services.wallet.posting import opened, reversal_id, seat_transfers

How = Literal["offset", "collected", "written_off"]


def accounts_of(fact: RoundResettled) -> set[str]:
    """Every account that ``fact`` may read or move."""
    seats = [seat for change in fact.changes for seat in (change.was, change.becomes) if seat is not None]
    found = {ids.player_account(seat.player, fact.currency) for seat in seats}
    found |= {ids.receivable_account(seat.player, fact.currency) for seat in seats}
    found.add(ids.table_account(fact.table, fact.currency))
    if pot_wagers(fact.seats) | pot_wagers(fact.superseded.seats):
        found.add(ids.pot_account(fact.table, fact.round_no, fact.currency))
    return found


@dataclass(frozen=True, slots=True)
class _Seat:
    """What is undone and what is posted of one seat on one player's account."""

    seat: int
    player: str
    undone: tuple[Undone, ...]
    transfers: tuple[Transfer, ...]

    def net(self, account: str) -> int:
        every = [*(one.transfer for one in self.undone), *self.transfers]
        return sum(one.amount * ((one.credit == account) - (one.debit == account)) for one in every)


def answers(books: Books, fact: RoundResettled) -> Iterator[Event]:
    """The wallet's events on hearing ``fact``, each to be applied before the next."""
    seats = list(_seats(fact))
    touched = {side for seat in seats for one in _every(seat) for side in (one.debit, one.credit)}
    accounts = {seat.player: ids.player_account(seat.player, fact.currency) for seat in seats}
    for account in sorted(touched | set(accounts.values())):
        yield from opened(books, account)
    gained = {player: sum(seat.net(account) for seat in seats) for player, account in sorted(accounts.items())}
    for player, gain in gained.items():
        missing = -(books.accounts[accounts[player]].available + gain)
        if missing > 0:
            yield from _owe(books, fact, player, missing)
    for seat in seats:
        account = accounts[seat.player]
        yield SeatCorrected(
            account=account,
            table=fact.table,
            round_no=fact.round_no,
            seat=seat.seat,
            correction=fact.correction,
            undone=seat.undone,
            transfers=seat.transfers,
            balance_after=books.accounts[account].balance + seat.net(account),
        )
    for player, gain in gained.items():
        yield from _offset(books, fact, player, gain)


def _every(seat: _Seat) -> list[Transfer]:
    return [*(one.transfer for one in seat.undone), *seat.transfers]


def _seats(fact: RoundResettled) -> Iterator[_Seat]:
    before, after = fact.superseded, fact.in_force
    for change in fact.changes:
        undone: dict[str, tuple[Undone, ...]] = {}
        posted: dict[str, tuple[Transfer, ...]] = {}
        if change.was is not None:
            undone[change.was.player] = tuple(map(_undone, _moved(before, change.was, change.posted_in)))
        if change.becomes is not None:
            posted[change.becomes.player] = _moved(after, change.becomes, fact.correction)
        for player in sorted(undone.keys() | posted.keys()):
            yield _Seat(change.seat, player, undone.get(player, ()), posted.get(player, ()))


def _moved(settled: RoundSettled, seat: SeatSettlement, correction: int) -> tuple[Transfer, ...]:
    return seat_transfers(settled, seat, pot_wagers(settled.seats), correction)


def _undone(transfer: Transfer) -> Undone:
    mirror = Transfer(
        transfer_id=reversal_id(transfer.transfer_id),
        debit=transfer.credit,
        credit=transfer.debit,
        amount=transfer.amount,
        code="correction",
    )
    return Undone(reversed_id=transfer.transfer_id, transfer=mirror)


def _owe(books: Books, fact: RoundResettled, player: str, missing: int) -> Iterator[Event]:
    receivable = ids.receivable_account(player, fact.currency)
    yield from opened(books, receivable)
    receivable_id = ids.transfer_id(fact.table, fact.round_no, player, "receivable", fact.correction)
    yield ReceivableOpened(
        account=receivable,
        receivable_id=receivable_id,
        player=player,
        table=fact.table,
        round_no=fact.round_no,
        correction=fact.correction,
        transfer=Transfer(
            transfer_id=ids.transfer_id(receivable_id, "opened"),
            debit=receivable,
            credit=ids.player_account(player, fact.currency),
            amount=missing,
            code="receivable",
        ),
    )


def _offset(books: Books, fact: RoundResettled, player: str, gain: int) -> Iterator[Event]:
    """What the round gives back pays first what is owed since an earlier correction of it."""
    left = gain
    for item in [one for one in books.receivables.values() if one.round == (fact.table, fact.round_no)]:
        if item.player == player and item.owed and left > 0:
            paid = min(left, item.owed)
            left -= paid
            reason = f"correction {fact.correction} of {fact.table}/{fact.round_no}"
            yield _paid(item, paid, "offset", fact.confirmed_by, reason, str(fact.correction))


def pay(
    books: Books, receivable_id: str, how: How, amount: int | None, by: str, reason: str, command_id: str
) -> list[Event] | Refusal:
    """A person has an open item paid, from the player's account or by the house; all that is owed unless ``amount``."""
    item = books.receivables.get(receivable_id)
    if item is None:
        return Refusal("unknown_receivable", "receivable_id", f"was {receivable_id!r}; there is no such open item")
    if not item.owed:
        return Refusal("receivable_paid", "receivable_id", f"was {receivable_id!r}; nothing of it is owed any more")
    paid = item.owed if amount is None else amount
    if not 1 <= paid <= item.owed:
        return Refusal("amount_out_of_range", "amount", f"was {paid}; allowed: 1 to {item.owed} minor units")
    player = books.accounts[ids.player_account(item.player, item.currency)]
    if how == "collected" and player.available < paid:
        told = f"was {paid}; available: {player.available} of {player.balance} minor units"
        return Refusal("insufficient_funds", "amount", told)
    events: list[Event] = []
    for event in [*opened(books, _payer(item, how)), _paid(item, paid, how, by, reason, command_id)]:
        books.apply(event)
        events.append(event)
    return events


def _payer(item: Receivable, how: How) -> str:
    if how == "written_off":
        return ids.house_sub_account(item.table, item.currency)
    return ids.player_account(item.player, item.currency)


def _paid(item: Receivable, amount: int, how: How, by: str, reason: str, cause: str) -> ReceivablePaid:
    transfer = Transfer(
        transfer_id=ids.transfer_id(item.receivable_id, how, cause),
        debit=_payer(item, how),
        credit=item.account,
        amount=amount,
        code="receivable",
    )
    return ReceivablePaid(
        account=item.account,
        receivable_id=item.receivable_id,
        how=how,
        transfer=transfer,
        owed_after=item.owed - amount,
        by=by,
        reason=reason,
    )
