"""What moves at an operator's wallet mean for the books here. Pure: reads and changes the books, returns events.

The ledger's own pipeline stays one. A bundle of a seamless operator's player waits for the operator's yes; then its
money comes onto the player's account and is held like any other. What a fact leaves on such an account goes back: it
waits in suspense until the operator has booked it. Between facts these accounts hold nothing but what is held.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from pitstream.events import Event, ids
from pitstream.events.model import INT64_MAX
from pitstream.events.remote import (
    RemoteCreditRequested,
    RemoteDebitConfirmed,
    RemoteDebitRefused,
    RemoteDebitRequested,
    RemoteRollbackRequested,
)
from pitstream.events.rounds import Stake, WagersPlaced
from pitstream.events.wallet import FundsDeclined, FundsMoved, Transfer
from pitstream.services.wallet.books import Books
from pitstream.services.wallet.ledger import net, post
from pitstream.services.wallet.posting import opened
from pitstream.services.wallet.remote.moves import Closed, Move
from pitstream.services.wallet.remote.operators import Operator
from pitstream.services.wallet.remote.protocol import credit_id, debit_id

TOLD_AS_THEY_ARE = frozenset({"insufficient_funds", "operator_unreachable"})
"""Refusals of a debit that a table is told in the same words; any other is the operator's own affair."""
Operators = Mapping[str, Operator]
"""The seamless operators that a unit of work has to do with, by name."""


@dataclass(frozen=True, slots=True)
class RoundOf:
    """The round that money comes from."""

    table: str
    round_no: int
    game: str


@dataclass(frozen=True, slots=True)
class Moving:
    """A move's intent, as it was recorded. ``seat`` and ``bundle`` are 0 for a credit."""

    transaction_id: str
    operator: str
    account: str
    player: str
    currency: str
    amount: int
    round: RoundOf
    seat: int
    bundle: int

    @property
    def placed(self) -> WagersPlaced:
        """The bundle that a debit is for. The ledger holds its sum, so one stake stands for all of them."""
        return WagersPlaced(
            table=self.round.table,
            round_no=self.round.round_no,
            seat=self.seat,
            player=self.player,
            bundle=self.bundle,
            currency=self.currency,
            stakes=(Stake(wager="bundle", stake=self.amount),),
        )


def player_of(account: str) -> str | None:
    """Whose account it is; None for one that is no player's.

    >>> player_of("player/acme:p001/USD"), player_of("table/acme:uth-01/USD")
    ('acme:p001', None)
    """
    kind, *rest = account.split("/")
    return rest[0] if kind == "player" else None


def suspense_of(books: Books, operators: Operators) -> set[str]:
    """The suspense accounts that money of these books may go to."""
    return {
        ids.suspense_account(player, account.rpartition("/")[2])
        for account in books.accounts
        if (player := player_of(account)) is not None and ids.operator_of(player) in operators
    }


def touched_by(events: Iterable[Event]) -> set[str]:
    """The accounts that the wallet's own events are of, or give to."""
    found: set[str] = set()
    for event in events:
        transfers = (*getattr(event, "transfers", ()), *filter(None, [getattr(event, "transfer", None)]))
        found |= {transfer.credit for transfer in transfers} | {getattr(event, "account", "")}
    return found


def ask(
    books: Books, operator: Operator, placed: WagersPlaced, event_id: str, game: str
) -> list[Event] | RemoteDebitRequested:
    """What a bundle asks the operator for; or the wallet's answer where there is nothing to ask."""
    hold_id = ids.hold_id(placed.table, placed.round_no, placed.seat, placed.bundle)
    amount = sum(stake.stake for stake in placed.stakes)
    closed = (placed.table, placed.round_no) in books.closed
    if closed or hold_id in books.answered or not 0 < amount <= INT64_MAX:
        return post(books, placed)
    if placed.currency != operator.currency:
        return [_declined(placed, amount, "operator_currency")]
    return RemoteDebitRequested(
        transaction_id=debit_id(event_id),
        operator=operator.operator,
        account=ids.player_account(placed.player, placed.currency),
        player=placed.player,
        currency=placed.currency,
        amount=amount,
        table=placed.table,
        round_no=placed.round_no,
        seat=placed.seat,
        bundle=placed.bundle,
        game=game,
    )


def give_back(
    books: Books, operators: Operators, accounts: Iterable[str], of: RoundOf, cause_id: str, reference_id: str = ""
) -> tuple[list[Event], list[RemoteCreditRequested]]:
    """Everything that is free on these accounts, where they are of seamless operators' players, leaves for their
    operators, through suspense."""
    events: list[Event] = []
    asked_for: list[RemoteCreditRequested] = []
    for account in sorted(accounts):
        player, known = player_of(account), books.accounts.get(account)
        if player is None or known is None or known.available <= 0 or ids.operator_of(player) not in operators:
            continue
        asked = RemoteCreditRequested(
            transaction_id=credit_id(cause_id, account),
            operator=ids.operator_of(player),
            account=account,
            player=player,
            currency=known.currency,
            amount=known.available,
            table=of.table,
            round_no=of.round_no,
            game=of.game,
            reference_id=reference_id,
        )
        asked_for.append(asked)
        events += _moved(
            books,
            account,
            Transfer(
                transfer_id=ids.transfer_id(asked.transaction_id, "suspense"),
                debit=account,
                credit=ids.suspense_account(player, known.currency),
                amount=asked.amount,
                code="remote_credit",
            ),
        )
    return events, asked_for


def accounts_for(moving: Moving) -> set[str]:
    """The accounts, beside the table's and the player's, that what becomes of a move may move."""
    return {
        ids.operator_lane(moving.player, moving.currency),
        ids.suspense_account(moving.player, moving.currency),
        ids.house_sub_account(moving.round.table, moving.currency),
    }


def consequences(
    books: Books, operators: Operators, moving: Moving, event: Event, after: Move
) -> tuple[list[Event], list[RemoteCreditRequested]]:
    """What the ledger does when a move goes on by ``event``: its own events, already applied to the books, and what
    else is asked for."""
    lane = ids.operator_lane(moving.player, moving.currency)
    match event, after:
        case RemoteDebitConfirmed(), _:
            return [*_funded(books, moving), *post(books, moving.placed)], []
        case RemoteDebitRefused(), _:
            reason = event.code if event.code in TOLD_AS_THEY_ARE else "operator_refused"
            return [_declined(moving.placed, moving.amount, reason)], []
        case RemoteRollbackRequested(), _:
            return [_declined(moving.placed, moving.amount, "operator_uncertain")], []
        case _, Closed("paid"):
            return _out_of_suspense(books, moving, lane, "remote_credit"), []
        case _, Closed("paid_by_hand"):
            house = ids.house_sub_account(moving.round.table, moving.currency)
            return _out_of_suspense(books, moving, house, "paid_by_hand"), []
        case _, Closed("returned"):
            funded, of = _funded(books, moving), moving.transaction_id
            events, asked_for = give_back(books, operators, [moving.account], moving.round, f"{of}/returned", of)
            return [*funded, *events], asked_for
        case _:
            return [], []


def _funded(books: Books, moving: Moving) -> list[Event]:
    return _moved(
        books,
        moving.account,
        Transfer(
            transfer_id=ids.transfer_id(moving.transaction_id, "debit"),
            debit=ids.operator_lane(moving.player, moving.currency),
            credit=moving.account,
            amount=moving.amount,
            code="remote_debit",
        ),
    )


def _out_of_suspense(books: Books, moving: Moving, to: str, code: str) -> list[Event]:
    suspense = ids.suspense_account(moving.player, moving.currency)
    return _moved(
        books,
        suspense,
        Transfer(
            transfer_id=ids.transfer_id(moving.transaction_id, "credit"),
            debit=suspense,
            credit=to,
            amount=moving.amount,
            code=code,
        ),
    )


def _moved(books: Books, account: str, transfer: Transfer) -> list[Event]:
    def events() -> Iterator[Event]:
        yield from opened(books, transfer.debit)
        yield from opened(books, transfer.credit)
        balance = books.accounts[account].balance + net(account, (transfer,))
        yield FundsMoved(account=account, transfer=transfer, balance_after=balance)

    done: list[Event] = []
    for event in events():
        books.apply(event)
        done.append(event)
    return done


def _declined(placed: WagersPlaced, amount: int, reason: str) -> FundsDeclined:
    return FundsDeclined(
        account=ids.player_account(placed.player, placed.currency),
        hold_id=ids.hold_id(placed.table, placed.round_no, placed.seat, placed.bundle),
        table=placed.table,
        round_no=placed.round_no,
        seat=placed.seat,
        bundle=placed.bundle,
        amount=amount,
        reason=reason,
    )
