"""What the wallet answers to each fact it hears and each command it is given. Pure: reads the books, returns events.

``post`` decides on one event of another service, ``deposit`` and ``withdraw`` on a command. Each returned event has
already been applied to the books, so that facts of one batch see each other in order. The shell locks the accounts
named by ``accounts_of`` and loads the books before, and stores events and rows after.
"""

from collections.abc import Iterator
from typing import Final, get_args

from pydantic import ValidationError

from pitstream.events import Event, ids
from pitstream.events.model import INT64_MAX, made
from pitstream.events.refusal import Refusal
from pitstream.events.rounds import WagersPlaced
from pitstream.events.settlements import RoundResettled, RoundSettled, SeatSettlement, pot_wagers
from pitstream.events.wallet import (
    FundsDeclined,
    FundsHeld,
    FundsMoved,
    SeatPosted,
    Transfer,
)
from pitstream.services.wallet import meters, prizes, resettling
from pitstream.services.wallet.books import Books, Hold
from pitstream.services.wallet.meters import MeterFact
from pitstream.services.wallet.posting import UnpostableError, opened, seat_transfers, stakes_of
from pitstream.services.wallet.prizes import PrizeFact

Fact = WagersPlaced | RoundSettled | RoundResettled | MeterFact | PrizeFact
"""The events of other services that move or hold money; the wallet passes over every other."""
FACTS: Final[frozenset[type[Event]]] = frozenset(get_args(Fact))
"""Their classes. Asked of thousands of events a second, a set says so in a tenth of what ``isinstance`` takes."""


def accounts_of(fact: Fact) -> set[str]:
    """Every account that ``fact`` may read or move, but for those of holds that only the store knows."""
    # The two that a floor makes thousands of are asked for first: to tell one class from many takes time.
    if isinstance(fact, WagersPlaced):
        return {ids.player_account(fact.player, fact.currency), ids.table_account(fact.table, fact.currency)}
    if isinstance(fact, RoundSettled):
        players = {ids.player_account(seat.player, fact.currency) for seat in fact.seats}
        return players | {ids.table_account(fact.table, fact.currency)}
    if isinstance(fact, PrizeFact):
        return prizes.accounts_of(fact)
    if isinstance(fact, RoundResettled):
        return resettling.accounts_of(fact)
    return meters.accounts_of(fact)


def post(books: Books, fact: Fact) -> list[Event]:
    """The wallet's events on hearing ``fact``, applied to the books in order. Raises UnpostableError, the books then
    being of no further use."""
    return _applied(books, _answers(books, fact))


def _applied(books: Books, answers: Iterator[Event]) -> list[Event]:
    events = []
    try:
        for event in answers:
            # Applied before the generator goes on: the next event of the same fact is decided on what this one left.
            books.apply(event)
            events.append(event)
    except ValidationError as error:
        # An account is named after what a fact speaks of, of which the contract bounds more than of some facts' ids.
        fault = error.errors()[0]
        code = "unknown_account" if isinstance(fault["input"], str) else "amount_out_of_range"
        where = ".".join(map(str, fault["loc"]))
        raise UnpostableError(code, f"{where}: was {fault['input']!r}; {fault['msg']}") from error
    return events


def _answers(books: Books, fact: Fact) -> Iterator[Event]:
    if isinstance(fact, WagersPlaced):
        return _hold(books, fact)
    if isinstance(fact, RoundSettled):
        return _settle(books, fact)
    if isinstance(fact, PrizeFact):
        return prizes.answers(books, fact)
    if isinstance(fact, RoundResettled):
        return resettling.answers(books, fact)
    return meters.answers(books, fact)


def _hold(books: Books, placed: WagersPlaced) -> Iterator[Event]:
    """A bundle is held whole or declined whole. One that stands already was answered: there is nothing to add."""
    table = ids.table_account(placed.table, placed.currency)
    hold = Hold(
        hold_id=ids.hold_id(placed.table, placed.round_no, placed.seat, placed.bundle),
        account=ids.player_account(placed.player, placed.currency),
        table=placed.table,
        round_no=placed.round_no,
        seat=placed.seat,
        bundle=placed.bundle,
        amount=sum([stake.stake for stake in placed.stakes]),
    )
    if not 0 < hold.amount <= INT64_MAX:
        raise UnpostableError(
            "amount_out_of_range", f"{_where(hold)}: was {hold.amount}; allowed: 1 to {INT64_MAX} minor units"
        )
    standing = books.answered.get(hold.hold_id)
    closed = hold.round in books.closed
    if standing is not None and not closed:
        if standing != hold:
            raise UnpostableError(
                "hold_differs",
                f"{_where(hold)}: {standing.amount} of {standing.account} are held; "
                f"was {hold.amount} of {hold.account}",
            )
        return
    reason = "round_closed" if closed else _why_not(books, hold)
    if reason is not None:
        yield FundsDeclined(
            account=hold.account,
            hold_id=hold.hold_id,
            table=hold.table,
            round_no=hold.round_no,
            seat=hold.seat,
            bundle=hold.bundle,
            amount=hold.amount,
            reason=reason,
        )
        return
    # Also what keeps a hold and the settlement of its round apart: both open, or have locked, the table's account.
    yield from opened(books, table)
    # Not checked a second time: the amount was above, all else is a fact's that was checked when it was read.
    fields = {
        "account": hold.account,
        "hold_id": hold.hold_id,
        "table": hold.table,
        "round_no": hold.round_no,
        "seat": hold.seat,
        "bundle": hold.bundle,
        "amount": hold.amount,
    }
    yield made(FundsHeld, fields, _FUNDS_HELD)


_FUNDS_HELD: Final = set(FundsHeld.model_fields)


def _where(hold: Hold) -> str:
    return f"seat {hold.seat}, bundle {hold.bundle} of {hold.table}/{hold.round_no}"


def _why_not(books: Books, hold: Hold) -> str | None:
    account = books.accounts.get(hold.account)
    if account is None:
        return "unknown_account"
    if account.available < hold.amount:
        return "insufficient_funds"
    return None


def _settle(books: Books, settled: RoundSettled) -> Iterator[Event]:
    """One SeatPosted a seat; every open hold of the round is resolved, those of seats that no line speaks of too."""
    key = (settled.table, settled.round_no)
    if key in books.closed:
        raise UnpostableError("round_posted_already", f"round {settled.table}/{settled.round_no} was posted before")
    numbers = [seat.seat for seat in settled.seats]
    if len(set(numbers)) != len(numbers):
        raise UnpostableError(
            "stakes_not_held",
            f"round {settled.table}/{settled.round_no}: was seats {numbers}; allowed: each once, as money is held once",
        )
    yield from opened(books, ids.table_account(settled.table, settled.currency))
    pots = _pots(settled)
    if pots:
        yield from opened(books, ids.pot_account(settled.table, settled.round_no, settled.currency))
    held: dict[int, list[Hold]] = {}
    for hold in books.open_holds.get(key, {}).values():
        held.setdefault(hold.seat, []).append(hold)
    for seat in settled.seats:
        yield _seat_posted(books, settled, seat, held.get(seat.seat, []), pots)
    left = list(books.open_holds.get(key, {}).values())
    for seat_no, account in sorted({(hold.seat, hold.account) for hold in left}):
        released = [hold for hold in left if (hold.seat, hold.account) == (seat_no, account)]
        yield _posted(books, settled, seat_no, account, released, ())
    books.closed.add(key)


def _pots(settled: RoundSettled) -> frozenset[str]:
    """The wagers that go into the round's pot, having checked that all of it goes out again."""
    pots = pot_wagers(settled.seats)
    if pots:
        lines = [line for seat in settled.seats for line in seat.lines if line.wager in pots]
        put_in, taken_out = (sum(line.stake - line.returned for line in lines), sum(line.won for line in lines))
        if put_in != taken_out:
            raise UnpostableError(
                "pot_differs",
                f"round {settled.table}/{settled.round_no}: {put_in} went into the pot, {taken_out} came out of it; "
                "allowed: all of it, and no more",
            )
    return pots


def _seat_posted(
    books: Books, settled: RoundSettled, seat: SeatSettlement, held: list[Hold], pots: frozenset[str]
) -> SeatPosted:
    player = ids.player_account(seat.player, settled.currency)
    where = f"seats[{seat.seat}] of {settled.table}/{settled.round_no}"
    if player not in books.accounts:
        raise UnpostableError("unknown_account", f"{where}: {player} was never opened")
    others = sorted({hold.account for hold in held if hold.account != player})
    if others:
        raise UnpostableError("hold_differs", f"{where}: settled for {player}; held from {', '.join(others)}")
    # Money is taken only where it was held. More may be held than settled: a Play Wager whose answer came too late.
    at_risk, stands = stakes_of(seat), sum([hold.amount for hold in held])
    if at_risk > stands:
        raise UnpostableError("stakes_not_held", f"{where}: was {at_risk} at risk; held: {stands} minor units")
    return _posted(books, settled, seat.seat, player, held, seat_transfers(settled, seat, pots))


def _posted(
    books: Books, settled: RoundSettled, seat: int, account: str, held: list[Hold], transfers: tuple[Transfer, ...]
) -> SeatPosted:
    return SeatPosted(
        account=account,
        table=settled.table,
        round_no=settled.round_no,
        seat=seat,
        resolved_holds=tuple(sorted(hold.hold_id for hold in held)),
        transfers=transfers,
        balance_after=books.accounts[account].balance + net(account, transfers),
    )


def net(account: str, transfers: tuple[Transfer, ...]) -> int:
    """What ``transfers`` leave on an account: received minus given, minor units."""
    left = 0
    for transfer in transfers:
        if transfer.credit == account:
            left += transfer.amount
        elif transfer.debit == account:
            left -= transfer.amount
    return left


def deposit(books: Books, player: str, currency: str, amount: int, transfer_id: str) -> list[Event] | Refusal:
    """Money comes in from outside the floor; the first deposit opens the player's account."""
    account = ids.player_account(player, currency)
    transfer = Transfer(
        transfer_id=transfer_id,
        debit=ids.operator_lane(player, currency),
        credit=account,
        amount=amount,
        code="deposit",
    )
    return _funds_moved(books, account, currency, transfer)


def withdraw(books: Books, player: str, currency: str, amount: int, transfer_id: str) -> list[Event] | Refusal:
    """Money leaves the floor, never more than is available: what is held stays."""
    account = ids.player_account(player, currency)
    known = books.accounts.get(account)
    if known is None:
        return Refusal("unknown_account", "player", f"was {player!r}; {account} was never opened")
    if known.available < amount:
        return Refusal(
            "insufficient_funds", "amount", f"was {amount}; available: {known.available} of {known.balance} minor units"
        )
    transfer = Transfer(
        transfer_id=transfer_id,
        debit=account,
        credit=ids.operator_lane(player, currency),
        amount=amount,
        code="withdrawal",
    )
    return _funds_moved(books, account, currency, transfer)


def _funds_moved(books: Books, account: str, currency: str, transfer: Transfer) -> list[Event] | Refusal:
    if books.scale_of(currency) is None:
        return Refusal(
            "unknown_currency", "currency", f"was {currency!r}; allowed: ISO 4217, or one that was added here"
        )
    gives, receives = books.accounts.get(transfer.debit), books.accounts.get(transfer.credit)
    given, received = (gives.debits_posted if gives else 0), (receives.credits_posted if receives else 0)
    room = INT64_MAX - max(given, received)
    if transfer.amount > room:
        return Refusal("amount_out_of_range", "amount", f"was {transfer.amount}; allowed: 1 to {room} minor units")

    def events() -> Iterator[Event]:
        yield from opened(books, transfer.debit)
        yield from opened(books, transfer.credit)
        balance = books.accounts[account].balance + net(account, (transfer,))
        yield FundsMoved(account=account, transfer=transfer, balance_after=balance)

    return _applied(books, events())
