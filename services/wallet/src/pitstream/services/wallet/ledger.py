"""What the wallet answers to each fact it hears and each command it is given. Pure: reads the books, returns events.

``post`` decides on one event of another service, ``deposit`` and ``withdraw`` on a command. Each returned event has
already been applied to the books, so that facts of one batch see each other in order. The shell locks the accounts
named by ``accounts_of`` and loads the books before, and stores events and rows after.
"""

from collections.abc import Iterator
from typing import assert_never

from pitstream.events import Event, ids
from pitstream.events.model import INT64_MAX
from pitstream.events.progressives import (
    ContributionsReturned,
    HandPayApproved,
    HitLocked,
    NetworkOpened,
    WagersContributed,
)
from pitstream.events.refusal import Refusal
from pitstream.events.rounds import WagersPlaced
from pitstream.events.settlements import RoundSettled, SeatSettlement
from pitstream.events.wallet import (
    AccountKind,
    AccountOpened,
    ContributionPosted,
    FundsDeclined,
    FundsHeld,
    FundsMoved,
    HandPayPosted,
    HitReserved,
    SeatPosted,
    SeedPosted,
    Transfer,
)
from pitstream.services.wallet.books import Books, Hold
from pitstream.services.wallet.posting import (
    UnpostableError,
    contribution_transfer,
    hand_pay_transfer,
    hit_transfers,
    seat_transfers,
    seed_transfer,
    stakes_of,
)

Fact = (
    WagersPlaced
    | RoundSettled
    | NetworkOpened
    | WagersContributed
    | ContributionsReturned
    | HitLocked
    | HandPayApproved
)
"""The events of other services that move or hold money; the wallet passes over every other."""


def accounts_of(fact: Fact) -> set[str]:
    """Every account that ``fact`` may read or move, but for those of holds that only the store knows."""
    match fact:
        case WagersPlaced():
            return {ids.player_account(fact.player, fact.currency), ids.table_account(fact.table, fact.currency)}
        case RoundSettled():
            players = {ids.player_account(seat.player, fact.currency) for seat in fact.seats}
            return players | {ids.table_account(fact.table, fact.currency)}
        case NetworkOpened():
            meters = {ids.meter_account(fact.network, opening.meter, fact.currency) for opening in fact.meters}
            return meters | {ids.house_account(fact.currency)}
        case WagersContributed() | ContributionsReturned():
            fed = {ids.meter_account(fact.network, part.meter, fact.currency) for part in fact.contributions}
            return fed | {ids.table_account(fact.table, fact.currency)}
        case HitLocked():
            return {
                ids.meter_account(fact.network, fact.meter, fact.currency),
                ids.handpay_account(fact.network, fact.currency),
                ids.house_account(fact.currency),
            }
        case HandPayApproved():
            return {
                ids.handpay_account(fact.network, fact.currency),
                ids.player_account(fact.player, fact.currency),
            }
        case _:
            assert_never(fact)


def post(books: Books, fact: Fact) -> list[Event]:
    """The wallet's events on hearing ``fact``, applied to the books in order. Raises UnpostableError, the books then
    being of no further use."""
    return _applied(books, _answers(books, fact))


def _applied(books: Books, answers: Iterator[Event]) -> list[Event]:
    events = []
    for event in answers:
        # Applied before the generator goes on: the next event of the same fact is decided on what this one left.
        books.apply(event)
        events.append(event)
    return events


def _answers(books: Books, fact: Fact) -> Iterator[Event]:
    match fact:
        case WagersPlaced():
            return _hold(books, fact)
        case RoundSettled():
            return _settle(books, fact)
        case NetworkOpened():
            return _open_meters(books, fact)
        case WagersContributed() | ContributionsReturned():
            return _contribute(books, fact)
        case HitLocked():
            return _reserve(books, fact)
        case HandPayApproved():
            return _pay_by_hand(books, fact)
        case _:
            assert_never(fact)


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
        amount=sum(stake.stake for stake in placed.stakes),
    )
    where = f"seat {hold.seat}, bundle {hold.bundle} of {hold.table}/{hold.round_no}"
    if not 0 < hold.amount <= INT64_MAX:
        raise UnpostableError(
            "amount_out_of_range", f"{where}: was {hold.amount}; allowed: 1 to {INT64_MAX} minor units"
        )
    standing = books.answered.get(hold.hold_id)
    closed = hold.round in books.closed
    if standing is not None and not closed:
        if standing != hold:
            raise UnpostableError(
                "hold_differs",
                f"{where}: {standing.amount} of {standing.account} are held; was {hold.amount} of {hold.account}",
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
    yield from _opened(books, table, "table", placed.currency)
    yield FundsHeld(
        account=hold.account,
        hold_id=hold.hold_id,
        table=hold.table,
        round_no=hold.round_no,
        seat=hold.seat,
        bundle=hold.bundle,
        amount=hold.amount,
    )


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
    yield from _opened(books, ids.table_account(settled.table, settled.currency), "table", settled.currency)
    for seat in settled.seats:
        held = [hold for hold in books.open_holds.get(key, {}).values() if hold.seat == seat.seat]
        yield _seat_posted(books, settled, seat, held)
    left = list(books.open_holds.get(key, {}).values())
    for seat_no, account in sorted({(hold.seat, hold.account) for hold in left}):
        released = [hold for hold in left if (hold.seat, hold.account) == (seat_no, account)]
        yield _posted(books, settled, seat_no, account, released, ())
    books.closed.add(key)


def _seat_posted(books: Books, settled: RoundSettled, seat: SeatSettlement, held: list[Hold]) -> SeatPosted:
    player = ids.player_account(seat.player, settled.currency)
    where = f"seats[{seat.seat}] of {settled.table}/{settled.round_no}"
    if player not in books.accounts:
        raise UnpostableError("unknown_account", f"{where}: {player} was never opened")
    others = sorted({hold.account for hold in held} - {player})
    if others:
        raise UnpostableError("hold_differs", f"{where}: settled for {player}; held from {', '.join(others)}")
    # Money is taken only where it was held. More may be held than settled: a Play Wager whose answer came too late.
    if stakes_of(seat) > sum(hold.amount for hold in held):
        raise UnpostableError(
            "stakes_not_held",
            f"{where}: was {stakes_of(seat)} at risk; held: {sum(hold.amount for hold in held)} minor units",
        )
    return _posted(books, settled, seat.seat, player, held, seat_transfers(settled, seat))


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
    return sum(t.amount * ((t.credit == account) - (t.debit == account)) for t in transfers)


def _open_meters(books: Books, opened: NetworkOpened) -> Iterator[Event]:
    for opening in opened.meters:
        meter = ids.meter_account(opened.network, opening.meter, opened.currency)
        yield from _opened(books, meter, "meter", opened.currency)
        transfer = seed_transfer(opened.network, opened.currency, opening)
        if transfer is not None:
            yield from _opened(books, transfer.debit, "house", opened.currency)
            yield SeedPosted(account=meter, network=opened.network, meter=opening.meter, transfer=transfer)


def _contribute(books: Books, fed: WagersContributed | ContributionsReturned) -> Iterator[Event]:
    for part in fed.contributions:
        meter = ids.meter_account(fed.network, part.meter, fed.currency)
        where = f"{meter} after round {fed.table}/{fed.round_no}"
        _meter_stands_at(books, meter, part.amount_after - part.posted, where)
        transfer = contribution_transfer(fed.network, fed.table, fed.round_no, fed.currency, part)
        if transfer is None:
            continue
        yield from _opened(books, ids.table_account(fed.table, fed.currency), "table", fed.currency)
        yield ContributionPosted(
            account=meter,
            network=fed.network,
            meter=part.meter,
            table=fed.table,
            round_no=fed.round_no,
            transfer=transfer,
        )


def _reserve(books: Books, hit: HitLocked) -> Iterator[Event]:
    meter = ids.meter_account(hit.network, hit.meter, hit.currency)
    transfers = hit_transfers(hit)
    _meter_stands_at(books, meter, hit.meter_before, f"{meter} at claim {hit.claim_id}")
    yield from _opened(books, ids.handpay_account(hit.network, hit.currency), "handpay", hit.currency)
    yield from _opened(books, ids.house_account(hit.currency), "house", hit.currency)
    yield HitReserved(account=meter, network=hit.network, meter=hit.meter, claim_id=hit.claim_id, transfers=transfers)


def _meter_stands_at(books: Books, meter: str, amount: int, where: str) -> None:
    """The ledger and the meter agree before every change; otherwise money went astray, and the network's key waits."""
    account = books.accounts.get(meter)
    if account is None:
        raise UnpostableError("unknown_account", f"{where}: {meter} was never opened")
    if account.balance != amount:
        raise UnpostableError("meter_differs", f"{where}: the meter stood at {amount}, the ledger at {account.balance}")


def _pay_by_hand(books: Books, approved: HandPayApproved) -> Iterator[Event]:
    player = ids.player_account(approved.player, approved.currency)
    where = f"claim {approved.claim_id} of {approved.network}"
    reserved = books.reserved.get(approved.claim_id, 0)
    if reserved != approved.amount:
        raise UnpostableError(
            "hand_pay_not_reserved", f"{where}: was {approved.amount}; reserved: {reserved} minor units"
        )
    if player not in books.accounts:
        raise UnpostableError("unknown_account", f"{where}: {player} was never opened")
    transfer = hand_pay_transfer(approved)
    if transfer is not None:
        yield HandPayPosted(
            account=player,
            network=approved.network,
            claim_id=approved.claim_id,
            table=approved.table,
            round_no=approved.round_no,
            seat=approved.seat,
            transfer=transfer,
            balance_after=books.accounts[player].balance + transfer.amount,
        )


def _opened(books: Books, account: str, kind: AccountKind, currency: str) -> Iterator[Event]:
    if account not in books.accounts:
        yield AccountOpened(account=account, kind=kind, currency=currency)


def deposit(books: Books, player: str, currency: str, amount: int, transfer_id: str) -> list[Event] | Refusal:
    """Money comes in from outside the floor; the first deposit opens the player's account."""
    account = ids.player_account(player, currency)
    transfer = Transfer(
        transfer_id=transfer_id,
        debit=ids.house_account(currency),
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
        credit=ids.house_account(currency),
        amount=amount,
        code="withdrawal",
    )
    return _funds_moved(books, account, currency, transfer)


def _funds_moved(books: Books, account: str, currency: str, transfer: Transfer) -> list[Event] | Refusal:
    gives, receives = books.accounts.get(transfer.debit), books.accounts.get(transfer.credit)
    given, received = (gives.debits_posted if gives else 0), (receives.credits_posted if receives else 0)
    room = INT64_MAX - max(given, received)
    if transfer.amount > room:
        return Refusal("amount_out_of_range", "amount", f"was {transfer.amount}; allowed: 1 to {room} minor units")

    def events() -> Iterator[Event]:
        yield from _opened(books, ids.house_account(currency), "house", currency)
        yield from _opened(books, account, "player", currency)
        balance = books.accounts[account].balance + net(account, (transfer,))
        yield FundsMoved(account=account, transfer=transfer, balance_after=balance)

    return _applied(books, events())
