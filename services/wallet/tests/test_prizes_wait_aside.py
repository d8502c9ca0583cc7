"""A prize that a floorperson must validate: posted aside, then to its players or back, whatever comes first."""

from typing import Any

import pytest

from pitstream.events import ids
from pitstream.events.prizes import (
    ContradictoryPrizeError,
    PrizeApproved,
    PrizePayee,
    PrizePending,
    PrizePosted,
    PrizeRefused,
    PrizeReserved,
    PrizeReturned,
    pending_prizes,
)
from pitstream.events.refusal import Refusal
from pitstream.events.settlements import Award, Line, RoundSettled
from pitstream.events.wallet import SeatPosted, Transfer
from pitstream.runtime import Cause
from pitstream.services.wallet.books import Books
from pitstream.services.wallet.codes import UNPOSTABLE
from pitstream.services.wallet.handlers import post_facts
from pitstream.services.wallet.ledger import deposit, post
from pitstream.services.wallet.posting import UnpostableError
from pitstream.services.wallet.store import Answer, ledger_check, load_for_command, postings_of, write

P1, P2, P3, T1, PAYABLE = (f"{one}/USD" for one in ("player/p1", "player/p2", "player/p3", "table/t1", "payable/t1"))
ENVY = ids.prize_id("t1", 1, 1, "envy")
FIVE = ids.prize_id("t1", 1, 1, "five_card")


def envy(amount: int) -> Award:
    return Award(award="envy", amount=amount, rule="653a.11(k)(5)", for_seat=1, awaits_validation=True)


FIVE_CARD = Line(
    wager="five_card",
    stake=100,
    outcome="win",
    returned=0,
    won=50_000,
    rule="653a.11(l)(3)",
    paid_from="game_account",
    awaits_validation=True,
)


@pytest.fixture
def settled(say: Any) -> RoundSettled:
    """Seat 1 won 500 for 1 with a straight flush, which seats 2 and 3 envy."""
    return say.settled(
        say.seat(1, "p1", FIVE_CARD),
        say.seat(2, "p2", say.lost("progressive", 100), awards=[envy(30_000)]),
        say.seat(3, "p3", say.lost("progressive", 200), awards=[envy(60_000)]),
    )


def books_before(say: Any) -> Books:
    books = Books()
    for seat, stake in ((1, 100), (2, 100), (3, 200)):
        assert not isinstance(deposit(books, f"p{seat}", "USD", 1000, f"d-{seat}"), Refusal)
        post(books, say.placed(seat, f"p{seat}", progressive=stake))
    return books


def decided(kind: type[PrizeApproved] | type[PrizeRefused], pending: PrizePending, **more: str) -> Any:
    fields = {name: value for name, value in pending if name != "rule"}
    return kind(**fields, floorperson="f.moreau", document="W2G 1", **more)


def balances(books: Books) -> dict[str, int]:
    return {name: books.accounts[name].balance for name in (P1, P2, P3, T1, PAYABLE)}


def test_the_waiting_prizes_of_a_round_are_one_a_hand_with_all_that_are_paid_for_it(settled: RoundSettled) -> None:
    assert pending_prizes(settled) == [
        PrizePending(
            prize_id=ENVY,
            table="t1",
            round_no=1,
            seat=1,
            prize="envy",
            currency="USD",
            rule="653a.11(k)(5)",
            payees=(
                PrizePayee(seat=2, player="p2", amount=30_000),
                PrizePayee(seat=3, player="p3", amount=60_000),
            ),
        ),
        PrizePending(
            prize_id=FIVE,
            table="t1",
            round_no=1,
            seat=1,
            prize="five_card",
            currency="USD",
            rule="653a.11(l)(3)",
            payees=(PrizePayee(seat=1, player="p1", amount=50_000),),
        ),
    ]


def test_a_prize_that_waits_and_comes_to_nothing_is_a_contradiction(say: Any) -> None:
    nothing = FIVE_CARD.model_copy(update={"won": 0})
    with pytest.raises(ContradictoryPrizeError, match=r"seats\[1\].five_card of t1/1: awaits validation and was 0"):
        pending_prizes(say.settled(say.seat(1, "p1", nothing)))


def test_a_seat_is_posted_without_what_waits_and_the_prize_is_put_aside(say: Any, settled: RoundSettled) -> None:
    books = books_before(say)
    posted = [event for event in post(books, settled) if isinstance(event, SeatPosted)]
    assert [[(t.debit, t.credit, t.amount) for t in event.transfers] for event in posted] == [
        [(P1, T1, 100)],
        [(P2, T1, 100)],
        [(P3, T1, 200)],
    ]
    envies, _ = pending_prizes(settled)
    assert post(books, envies)[-1] == PrizeReserved(
        account=PAYABLE,
        prize_id=ENVY,
        table="t1",
        round_no=1,
        transfers=(
            Transfer(
                transfer_id=ids.transfer_id(ENVY, 2, "reserved"), debit=T1, credit=PAYABLE, amount=30_000, code="envy"
            ),
            Transfer(
                transfer_id=ids.transfer_id(ENVY, 3, "reserved"), debit=T1, credit=PAYABLE, amount=60_000, code="envy"
            ),
        ),
    )
    assert balances(books) == {P1: 900, P2: 900, P3: 800, T1: 400 - 90_000, PAYABLE: 90_000}


def test_one_validation_pays_every_payee_and_a_refusal_gives_the_table_its_money_back(
    say: Any, settled: RoundSettled
) -> None:
    books = books_before(say)
    post(books, settled)
    envies, five_card = pending_prizes(settled)
    post(books, envies)
    post(books, five_card)
    assert post(books, decided(PrizeApproved, envies)) == [
        PrizePosted(
            account=f"player/p{seat}/USD",
            prize_id=ENVY,
            table="t1",
            round_no=1,
            seat=seat,
            transfer=Transfer(
                transfer_id=ids.transfer_id(ENVY, seat, "paid"),
                debit=PAYABLE,
                credit=f"player/p{seat}/USD",
                amount=amount,
                code="envy",
            ),
            balance_after=before + amount,
        )
        for seat, amount, before in ((2, 30_000, 900), (3, 60_000, 800))
    ]
    assert post(books, decided(PrizeRefused, five_card, reason="six cards")) == [
        PrizeReturned(
            account=PAYABLE,
            prize_id=FIVE,
            table="t1",
            round_no=1,
            transfers=(
                Transfer(
                    transfer_id=ids.transfer_id(FIVE, 1, "returned"),
                    debit=PAYABLE,
                    credit=T1,
                    amount=50_000,
                    code="five_card",
                ),
            ),
        )
    ]
    assert balances(books) == {P1: 900, P2: 30_900, P3: 60_800, T1: 400 - 90_000, PAYABLE: 0}


def test_a_prize_may_be_put_aside_and_paid_before_its_seat_is_posted(say: Any, settled: RoundSettled) -> None:
    books = books_before(say)
    for prize in pending_prizes(settled):
        post(books, prize)
        post(books, decided(PrizeApproved, prize))
    post(books, settled)
    assert balances(books) == {P1: 50_900, P2: 30_900, P3: 60_800, T1: 400 - 140_000, PAYABLE: 0}


@pytest.mark.parametrize("kind", [PrizeApproved, PrizeRefused])
def test_what_was_never_put_aside_is_not_paid(
    say: Any, settled: RoundSettled, kind: type[PrizeApproved] | type[PrizeRefused]
) -> None:
    reason = {"reason": "none"} if kind is PrizeRefused else {}
    with pytest.raises(UnpostableError) as error:
        post(books_before(say), decided(kind, pending_prizes(settled)[0], **reason))
    assert error.value.code == "prize_not_reserved" in UNPOSTABLE
    assert "90000; 0 minor units wait at payable/t1/USD" in str(error.value)


def test_a_round_from_before_prizes_waited_is_paid_at_once(say: Any) -> None:
    books = books_before(say)
    line, award = FIVE_CARD, envy(30_000)
    old = {"awaits_validation": False}
    post(
        books,
        say.settled(
            say.seat(1, "p1", line.model_copy(update=old)),
            say.seat(2, "p2", say.lost("progressive", 100), awards=[award.model_copy(update=old)]),
        ),
    )
    assert {name: books.accounts[name].balance for name in (P1, P2)} == {P1: 50_900, P2: 30_900}


@pytest.mark.stack
async def test_the_database_posts_a_prize_once_and_tells_what_each_seat_was_paid(
    store: Any, say: Any, settled: RoundSettled
) -> None:
    heard = say.heard()
    envies, five_card = pending_prizes(settled)
    bets = [say.placed(seat, f"p{seat}", progressive=stake) for seat, stake in ((1, 100), (2, 100), (3, 200))]
    for player in ("p1", "p2", "p3"):
        async with store.transaction() as tx:
            books = await load_for_command(tx, {f"player/{player}/USD", ids.operator_lane(player, "USD")})
            money = deposit(books, player, "USD", 1000, ids.transfer_id(player))
            assert not isinstance(money, Refusal)
            await write(tx, books, [Answer(Cause.of_command("d", "test"), money)])
    paid, refused = decided(PrizeApproved, envies), decided(PrizeRefused, five_card, reason="six cards")
    for batch in (heard(*bets), heard(settled), heard(envies, five_card, paid), heard(refused)):
        async with store.transaction() as tx:
            await post_facts(tx, batch)
    assert [(p["seat"], p["kind"], p["net"]) for p in await postings_of(store, [("t1", 1)])] == [
        (1, "seat", -100),
        (2, "seat", -100),
        (2, "hand_pay", 30_000),
        (3, "seat", -200),
        (3, "hand_pay", 60_000),
    ]
    checked = await ledger_check(store)
    assert (checked["ok"], checked["differing_accounts"]) == (True, [])
