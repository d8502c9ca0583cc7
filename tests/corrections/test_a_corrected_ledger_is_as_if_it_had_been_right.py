"""The ledger after a correction is the ledger as if the round had been recorded right at first.

Method: random rounds of all games and random corrections of them go through the settlement's and the wallet's own pure
functions, and every account is compared with what it would be had the round been recorded so from the beginning.
"""

import random

import pytest
from random_corrections import (
    corrected_event,
    placed,
    players_of,
    random_correction,
    random_round,
    settlement_of,
)

from pitstream.events import Event, ids
from pitstream.events.corrections import ReceivableOpened
from pitstream.events.settlements import RoundResettled
from pitstream.events.wallet import AccountOpened, FundsMoved, Transfer
from pitstream.games.game import FinishedRound
from pitstream.services.settlement.settling import InForce, resettle
from pitstream.services.wallet.books import Books
from pitstream.services.wallet.ledger import post

RICH = 10**17


def books_with(accounts: list[str], opening: int) -> Books:
    """Books in which each of these accounts has so much."""
    books = Books()
    currency = accounts[0].rpartition("/")[2]
    lane = f"operator/local/00/{currency}"
    books.apply(AccountOpened(account=lane, kind="operator", currency=currency))
    for account in accounts:
        books.apply(AccountOpened(account=account, kind="player", currency=currency))
        if opening:
            transfer = Transfer(
                transfer_id=ids.transfer_id(account, "in"), debit=lane, credit=account, amount=opening, code="deposit"
            )
            books.apply(FundsMoved(account=account, transfer=transfer, balance_after=opening))
    return books


def settled(books: Books, played: FinishedRound) -> Books:
    """The books after the round was played and posted."""
    for bet in placed(played):
        assert [type(event).__name__ for event in post(books, bet)][-1] == "FundsHeld"
    post(books, settlement_of(played))
    return books


def corrections(*rounds: FinishedRound) -> list[RoundResettled]:
    """The settlements that follow when the round is corrected to each of these in turn, the first one as recorded."""
    was = InForce("e0", (first := settlement_of(rounds[0])), first.seats, {}, ())
    found = []
    for number, becomes in enumerate(rounds[1:], start=1):
        event = resettle(corrected_event(becomes, (), number), f"e{number}", was)
        found.append(event)
        was = was.after(f"s{number}", event)
    return found


def balances(books: Books) -> dict[str, int]:
    """What each account stands at, those at 0 left out; nobody's money is held any more."""
    assert {account: one.held for account, one in books.accounts.items() if one.held} == {}
    return {account: one.balance for account, one in books.accounts.items() if one.balance}


def worth(books: Books) -> dict[str, int]:
    """The same with what a player owes taken off what that player has."""
    found = balances(books)
    for account in [one for one in found if one.startswith("receivable/")]:
        player = account.replace("receivable/", "player/", 1)
        found[player] = found.get(player, 0) + found.pop(account)
    return {account: balance for account, balance in found.items() if balance}


@pytest.mark.parametrize("batch", range(8))
def test_a_corrected_round_is_posted_as_if_it_had_been_right(batch):
    for number in range(60):
        seed = f"{batch}-{number}"
        chance = random.Random(seed)
        wrong = random_round(seed)
        _, right = random_correction(wrong, chance)
        accounts = players_of(wrong, right)
        books = settled(books_with(accounts, RICH), wrong)
        [resettled] = corrections(wrong, right)
        post(books, resettled)
        assert balances(books) == balances(settled(books_with(accounts, RICH), right)), seed


@pytest.mark.parametrize("batch", range(4))
def test_in_two_steps_it_comes_to_the_same_and_taken_back_to_what_it_was(batch):
    for number in range(40):
        seed = f"two/{batch}-{number}"
        chance = random.Random(seed)
        wrong = random_round(seed)
        _, half = random_correction(wrong, chance)
        _, right = random_correction(half, chance)
        accounts = players_of(wrong, half, right)
        [at_once] = corrections(wrong, right)
        first, second, back = corrections(wrong, half, right, wrong)
        one = settled(books_with(accounts, RICH), wrong)
        post(one, at_once)
        two = settled(books_with(accounts, RICH), wrong)
        post(two, first)
        post(two, second)
        assert balances(one) == balances(two), seed
        post(two, back)
        assert balances(two) == balances(settled(books_with(accounts, RICH), wrong)), seed


@pytest.mark.parametrize("batch", range(4))
def test_who_has_spent_it_owes_it_and_never_has_less_than_nothing(batch):
    owed_at_all = 0
    for number in range(60):
        seed = f"poor/{batch}-{number}"
        chance = random.Random(seed)
        wrong = random_round(seed)
        _, half = random_correction(wrong, chance)
        _, right = random_correction(half, chance)
        accounts = players_of(wrong, half, right)
        books = settled(books_with(accounts, RICH), wrong)
        spent = {account: books.accounts[account].balance for account in accounts}
        _spend(books, spent)
        for resettled in corrections(wrong, half, right):
            events = post(books, resettled)
            owed_at_all += sum(isinstance(event, ReceivableOpened) for event in events)
            assert [one for one in books.accounts.values() if one.kind == "player" and one.balance < 0] == [], seed
            owed = {item.account: 0 for item in books.receivables.values()}
            for item in books.receivables.values():
                owed[item.account] += item.owed
            assert {account: -books.accounts[account].balance for account in owed} == owed, seed
        would_be = settled(books_with(accounts, RICH), right)
        _spend(would_be, spent)
        assert worth(books) == worth(would_be), seed
    assert owed_at_all > 20


def _spend(books: Books, spent: dict[str, int]) -> None:
    """Every player takes away all that the wrong round had left."""
    for account, amount in spent.items():
        lane = f"operator/local/00/{account.rpartition('/')[2]}"
        if amount:
            transfer = Transfer(
                transfer_id=ids.transfer_id(account, "spent"),
                debit=account,
                credit=lane,
                amount=amount,
                code="withdrawal",
            )
            books.apply(
                FundsMoved(account=account, transfer=transfer, balance_after=books.accounts[account].balance - amount)
            )


def test_a_seat_that_comes_out_as_before_is_not_touched():
    untouched = 0
    for number in range(60):
        seed = f"seat/{number}"
        wrong = random_round(seed)
        _, right = random_correction(wrong, random.Random(seed))
        [resettled] = corrections(wrong, right)
        books = settled(books_with(players_of(wrong, right), RICH), wrong)
        events: list[Event] = post(books, resettled)
        before, after = ({seat.seat: seat for seat in settlement_of(one).seats} for one in (wrong, right))
        same = {seat for seat in before if before[seat] == after.get(seat)}
        told = {getattr(event, "seat", None) for event in events}
        changed = {change.seat for change in resettled.changes}
        assert told - {None} <= changed
        untouched += len(same - changed)
    assert untouched > 20
