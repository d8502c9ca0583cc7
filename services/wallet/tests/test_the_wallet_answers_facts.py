"""Facts and commands in, the wallet's events out: whole answers, no database."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitstream.events import ids
from pitstream.events.model import INT64_MAX
from pitstream.events.progressives import (
    ContributionsReturned,
    HandPayApproved,
    HitLocked,
    MeterContribution,
    MeterOpening,
    NetworkOpened,
    WagersContributed,
)
from pitstream.events.refusal import Refusal
from pitstream.events.settlements import Line, Share
from pitstream.events.wallet import (
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
from pitstream.services.wallet import ledger
from pitstream.services.wallet.books import Account, Books, rebuild
from pitstream.services.wallet.codes import DECLINED, REFUSALS, UNPOSTABLE
from pitstream.services.wallet.ledger import deposit, post, withdraw
from pitstream.services.wallet.meters import hit_transfers
from pitstream.services.wallet.posting import UnpostableError
from pitstream.services.wallet.store import _REFUSED_BY

P1, P2, T1 = "player/p1/USD", "player/p2/USD", "table/t1/USD"
OUTSIDE = ids.operator_lane("p1", "USD")
METER, HANDPAY, HOUSE = "meter/wan/main/USD", "handpay/wan/c1/USD", "house/wan/USD"


def books_with(**balances: int) -> Books:
    """Books in which each player has deposited so much, in USD."""
    books = Books()
    for player, balance in balances.items():
        assert not isinstance(deposit(books, player, "USD", balance, f"d-{player}"), Refusal)
    return books


def held(seat: int, player: str, amount: int, *, table: str = "t1", round_no: int = 1, bundle: int = 1) -> FundsHeld:
    return FundsHeld(
        account=f"player/{player}/USD",
        hold_id=ids.hold_id(table, round_no, seat, bundle),
        table=table,
        round_no=round_no,
        seat=seat,
        bundle=bundle,
        amount=amount,
    )


def declined(seat: int, player: str, amount: int, reason: str, *, table: str = "t1", bundle: int = 1) -> FundsDeclined:
    fields = held(seat, player, amount, table=table, bundle=bundle).model_dump()
    return FundsDeclined(**fields, reason=reason)


def refused(books: Books, fact, code: str) -> None:
    with pytest.raises(UnpostableError) as error:
        post(books, fact)
    assert error.value.code == code
    assert code in UNPOSTABLE


OPENED_T1 = AccountOpened(account=T1, kind="table", currency="USD", scale=2)


def test_the_first_deposit_opens_the_account():
    books = Books()
    transfer = Transfer(transfer_id="d1", debit=OUTSIDE, credit=P1, amount=500, code="deposit")
    assert deposit(books, "p1", "USD", 500, "d1") == [
        AccountOpened(account=OUTSIDE, kind="operator", currency="USD", scale=2),
        AccountOpened(account=P1, kind="player", currency="USD", scale=2),
        FundsMoved(account=P1, transfer=transfer, balance_after=500),
    ]
    assert books.accounts == {
        OUTSIDE: Account(OUTSIDE, "operator", "USD", 2, debits_posted=500),
        P1: Account(P1, "player", "USD", 2, credits_posted=500),
    }


@pytest.mark.parametrize(("currency", "scale"), [("JPY", 0), ("USD", 2), ("KWD", 3), ("XBT", 8)])
def test_an_account_says_how_many_decimal_places_its_currency_has(currency, scale):
    books = Books(own_currencies={"XBT": 8})
    (_, opened, _) = deposit(books, "p1", currency, 2**53 + 1, "d1")
    assert opened == AccountOpened(account=f"player/p1/{currency}", kind="player", currency=currency, scale=scale)
    assert books.accounts[f"player/p1/{currency}"].balance == 9_007_199_254_740_993


def test_a_currency_that_nobody_knows_is_refused():
    books = Books()
    assert deposit(books, "p1", "QQQ", 1, "d1") == Refusal(
        "unknown_currency", "currency", "was 'QQQ'; allowed: ISO 4217, or one that was added here"
    )
    assert books.accounts == {}


def test_players_of_one_operator_are_funded_from_sixteen_lanes_none_of_them_everybodys():
    lanes = {ids.operator_lane(f"acme.boardwalk:p{n}", "USD") for n in range(1_000)}
    assert lanes == {f"operator/acme/{lane:02}/USD" for lane in range(16)}


def test_a_withdrawal_takes_no_held_money(say):
    books = books_with(p1=500)
    post(books, say.placed(1, "p1", ante=200))
    assert withdraw(books, "p1", "USD", 301, "w1") == Refusal(
        "insufficient_funds", "amount", "was 301; available: 300 of 500 minor units"
    )
    transfer = Transfer(transfer_id="w2", debit=P1, credit=OUTSIDE, amount=300, code="withdrawal")
    assert withdraw(books, "p1", "USD", 300, "w2") == [FundsMoved(account=P1, transfer=transfer, balance_after=200)]


def test_money_does_not_leave_an_account_that_was_never_opened():
    assert withdraw(books_with(p1=500), "p2", "USD", 1, "w") == Refusal(
        "unknown_account", "player", "was 'p2'; player/p2/USD was never opened"
    )


def test_a_deposit_that_would_leave_64_bits_is_refused():
    books = books_with(p1=INT64_MAX - 5)
    assert deposit(books, "p1", "USD", 6, "d") == Refusal(
        "amount_out_of_range", "amount", "was 6; allowed: 1 to 5 minor units"
    )
    assert books.accounts[P1].balance == INT64_MAX - 5


def test_a_bundle_is_held_whole(say):
    assert post(books_with(p1=500), say.placed(1, "p1", ante=200, blind=200, trips=100)) == [
        OPENED_T1,
        held(1, "p1", 500),
    ]


def test_a_bundle_that_is_not_covered_whole_is_declined_whole(say):
    assert post(books_with(p1=499), say.placed(1, "p1", ante=200, blind=200, trips=100)) == [
        declined(1, "p1", 500, "insufficient_funds")
    ]


def test_a_player_without_an_account_is_declined(say):
    assert post(Books(), say.placed(1, "p1", ante=1)) == [declined(1, "p1", 1, "unknown_account")]


def test_six_bets_of_a_thousand_at_two_tables_on_five_thousand_are_five_bets(say):
    books = books_with(p1=5_000)
    answers = []
    for seat in (1, 2, 3):
        for table in ("t1", "t2"):
            answers += post(books, say.placed(seat, "p1", table=table, ante=1_000))
    assert [event for event in answers if not isinstance(event, AccountOpened)] == [
        held(1, "p1", 1_000),
        held(1, "p1", 1_000, table="t2"),
        held(2, "p1", 1_000),
        held(2, "p1", 1_000, table="t2"),
        held(3, "p1", 1_000),
        declined(3, "p1", 1_000, "insufficient_funds", table="t2"),
    ]


def test_a_declined_play_wager_may_be_placed_again_for_less(say):
    books = books_with(p1=4_000)
    post(books, say.placed(1, "p1", ante=1_000))
    assert post(books, say.placed(1, "p1", bundle=2, play=4_000)) == [
        declined(1, "p1", 4_000, "insufficient_funds", bundle=2)
    ]
    assert post(books, say.placed(1, "p1", bundle=2, play=3_000)) == [held(1, "p1", 3_000, bundle=2)]


def test_a_bundle_that_stands_is_answered_once(say):
    books = books_with(p1=1_000)
    post(books, say.placed(1, "p1", ante=400))
    assert post(books, say.placed(1, "p1", ante=400)) == []
    assert books.accounts[P1].held == 400


@pytest.mark.parametrize(("player", "stake"), [("p1", 401), ("p2", 400)])
def test_other_money_for_a_bundle_that_stands_is_an_error(say, player, stake):
    books = books_with(p1=1_000, p2=1_000)
    post(books, say.placed(1, "p1", ante=400))
    refused(books, say.placed(1, player, ante=stake), "hold_differs")


def test_a_late_bet_on_a_settled_round_is_declined(say):
    books = books_with(p1=1_000)
    post(books, say.settled(void=True))
    assert post(books, say.placed(1, "p1", ante=400)) == [declined(1, "p1", 400, "round_closed")]
    assert books.accounts[P1].held == 0


@pytest.mark.parametrize("stakes", [{}, {"ante": INT64_MAX, "blind": INT64_MAX}], ids=["nothing", "more than 64 bits"])
def test_a_bundle_that_no_amount_can_say_is_an_error(say, stakes):
    refused(books_with(p1=1_000), say.placed(1, "p1", **stakes), "amount_out_of_range")


def test_a_settled_seat_is_posted_with_all_its_holds(say):
    books = books_with(p1=10_000)
    post(books, say.placed(1, "p1", ante=1_000, blind=1_000, trips=500))
    post(books, say.placed(1, "p1", bundle=2, play=4_000))
    settled = say.settled(
        say.seat(
            1,
            "p1",
            say.won("ante", 1_000, 1_000),
            say.pushed("blind", 1_000),
            say.won("play", 4_000, 4_000),
            say.lost("trips", 500),
        )
    )
    transfers = (
        Transfer(
            transfer_id=ids.transfer_id("t1", 1, 1, "ante", "win"), debit=T1, credit=P1, amount=1_000, code="ante"
        ),
        Transfer(
            transfer_id=ids.transfer_id("t1", 1, 1, "play", "win"), debit=T1, credit=P1, amount=4_000, code="play"
        ),
        Transfer(
            transfer_id=ids.transfer_id("t1", 1, 1, "trips", "stake"), debit=P1, credit=T1, amount=500, code="trips"
        ),
    )
    assert post(books, settled) == [
        SeatPosted(
            account=P1,
            table="t1",
            round_no=1,
            seat=1,
            resolved_holds=tuple(sorted((ids.hold_id("t1", 1, 1, 1), ids.hold_id("t1", 1, 1, 2)))),
            transfers=transfers,
            balance_after=14_500,
        )
    ]
    assert (books.accounts[P1].balance, books.accounts[P1].held, books.accounts[T1].balance) == (14_500, 0, -4_500)


def pot(outcome: str, won: int = 0) -> Line:
    return Line(wager="pot", stake=100, outcome=outcome, returned=0, won=won, rule="", paid_from="pot" if won else None)


def test_a_pot_is_the_players_own_money_and_empty_when_its_round_is_posted(say):
    books = books_with(p1=100, p2=100, p3=100)
    for seat in (1, 2, 3):
        post(books, say.placed(seat, f"p{seat}", pot=100))
    seats = [say.seat(1, "p1", pot("lose")), say.seat(2, "p2", pot("win", 151)), say.seat(3, "p3", pot("win", 149))]
    post(books, say.settled(*seats))
    assert {name: account.balance for name, account in books.accounts.items() if "operator" not in name} == {
        P1: 0, P2: 151, "player/p3/USD": 149, T1: 0, "pot/t1/1/USD": 0,
    }  # fmt: skip
    assert books.accounts["pot/t1/1/USD"] == Account("pot/t1/1/USD", "pot", "USD", 2, 300, 300)


@pytest.mark.parametrize("won", [199, 201])
def test_a_pot_that_does_not_go_out_as_it_came_in_is_an_error(say, won):
    books = books_with(p1=100, p2=100)
    for seat in (1, 2):
        post(books, say.placed(seat, f"p{seat}", pot=100))
    refused(books, say.settled(say.seat(1, "p1", pot("forfeit")), say.seat(2, "p2", pot("win", won))), "pot_differs")


def test_a_pot_that_every_seat_forfeited_is_the_tables(say):
    books = books_with(p1=100)
    post(books, say.placed(1, "p1", pot=100))
    post(books, say.settled(say.seat(1, "p1", pot("forfeit"))))
    assert (books.accounts[P1].balance, books.accounts[T1].balance) == (0, 100)
    assert "pot/t1/1/USD" not in books.accounts


def test_a_void_round_releases_every_hold_that_of_a_bet_not_yet_standing_too(say):
    books = books_with(p1=1_000, p2=1_000)
    post(books, say.placed(1, "p1", ante=400))
    post(books, say.placed(2, "p2", ante=700))
    released = {"table": "t1", "round_no": 1, "transfers": (), "balance_after": 1_000}
    assert post(books, say.settled(say.seat(1, "p1", say.voided("ante", 400)), void=True)) == [
        SeatPosted(account=P1, seat=1, resolved_holds=(ids.hold_id("t1", 1, 1, 1),), **released),
        SeatPosted(account=P2, seat=2, resolved_holds=(ids.hold_id("t1", 1, 2, 1),), **released),
    ]
    assert [books.accounts[account].held for account in (P1, P2)] == [0, 0]


def test_two_seats_of_one_player_are_posted_one_after_the_other(say):
    books = books_with(p1=1_000)
    post(books, say.placed(1, "p1", ante=400))
    post(books, say.placed(2, "p1", ante=600))
    posted = post(
        books, say.settled(say.seat(1, "p1", say.lost("ante", 400)), say.seat(2, "p1", say.won("ante", 600, 600)))
    )
    assert [(event.seat, event.balance_after) for event in posted] == [(1, 600), (2, 1_200)]


def test_a_play_wager_held_too_late_to_stand_comes_back(say):
    books = books_with(p1=1_000)
    post(books, say.placed(1, "p1", ante=100))
    post(books, say.placed(1, "p1", bundle=2, play=400))
    post(
        books,
        say.settled(say.seat(1, "p1", Line(wager="ante", stake=100, outcome="forfeit", returned=0, won=0, rule=""))),
    )
    assert (books.accounts[P1].balance, books.accounts[P1].available) == (900, 900)


def test_a_round_is_posted_once(say):
    books = books_with(p1=1_000)
    post(books, say.placed(1, "p1", ante=400))
    settled = say.settled(say.seat(1, "p1", say.lost("ante", 400)))
    post(books, settled)
    refused(books, settled, "round_posted_already")


def test_more_is_never_taken_than_was_held(say):
    books = books_with(p1=1_000)
    post(books, say.placed(1, "p1", ante=400))
    refused(books, say.settled(say.seat(1, "p1", say.lost("ante", 401))), "stakes_not_held")


def test_a_seat_is_not_settled_for_another_player_than_it_was_held_from(say):
    books = books_with(p1=1_000, p2=1_000)
    post(books, say.placed(1, "p1", ante=400))
    refused(books, say.settled(say.seat(1, "p2", say.lost("ante", 400))), "hold_differs")


def test_a_seat_is_not_settled_twice_in_one_settlement(say):
    books = books_with(p1=1_000)
    post(books, say.placed(1, "p1", ante=400))
    seat = say.seat(1, "p1", say.lost("ante", 400))
    refused(books, say.settled(seat, seat), "stakes_not_held")


def test_a_seat_of_an_unknown_player_is_an_error(say):
    refused(Books(), say.settled(say.seat(1, "p1", say.lost("ante", 1))), "unknown_account")


def opened(amount: int = 1_000, seed: int = 1_000) -> NetworkOpened:
    opening = MeterOpening(meter="main", seed=seed, amount=amount, rate_numerator=1, rate_denominator=5)
    return NetworkOpened(network="wan", currency="USD", meters=(opening,))


def contributed(posted: int, after: int, *, round_no: int = 1, kind=WagersContributed):
    part = MeterContribution(meter="main", posted=posted, amount_after=after, carry_numerator=0)
    return kind(network="wan", table="t1", round_no=round_no, stakes=100, contributions=(part,), currency="USD")


def hit(percent: int, before: int, amount: int, after: int) -> HitLocked:
    return HitLocked(
        network="wan", claim_id="c1", table="t1", round_no=1, seat=1, player="p1", wager="progressive", meter="main",
        percent=percent, amount=amount, meter_before=before, meter_after=after, currency="USD", rule="",
        policy="sequential",
    )  # fmt: skip


def approved(amount: int) -> HandPayApproved:
    return HandPayApproved(
        network="wan", claim_id="c1", floorperson="f", player="p1", table="t1", round_no=1, seat=1, meter="main",
        amount=amount, currency="USD",
    )  # fmt: skip


def test_the_house_puts_on_a_meter_what_it_opens_with():
    seed = Transfer(
        transfer_id=ids.transfer_id("wan", "main", "seed"), debit=HOUSE, credit=METER, amount=1_000, code="seed"
    )
    assert post(Books(), opened()) == [
        AccountOpened(account=METER, kind="meter", currency="USD", scale=2),
        AccountOpened(account=HOUSE, kind="house", currency="USD", scale=2),
        SeedPosted(account=METER, network="wan", meter="main", transfer=seed),
    ]


def test_a_meter_that_opens_with_nothing_is_opened_all_the_same():
    assert post(Books(), opened(amount=0)) == [AccountOpened(account=METER, kind="meter", currency="USD", scale=2)]


def test_contributions_move_between_the_table_and_the_meter_and_back():
    books = Books()
    post(books, opened())
    post(books, contributed(20, 1_020))
    assert post(books, contributed(0, 1_020, round_no=2)) == []
    back = Transfer(
        transfer_id=ids.transfer_id("wan", "main", "t1", 1, "contribution_returned"),
        debit=METER,
        credit=T1,
        amount=20,
        code="contribution_returned",
    )
    assert post(books, contributed(-20, 1_000, kind=ContributionsReturned)) == [
        ContributionPosted(account=METER, network="wan", meter="main", table="t1", round_no=1, transfer=back)
    ]
    assert {name: account.balance for name, account in books.accounts.items()} == {METER: 1_000, HOUSE: -1_000, T1: 0}


def test_a_meter_below_0_has_nothing_to_lock_and_is_seeded_all_the_same():
    seeded = Transfer(transfer_id=ids.transfer_id("c1", "seed"), debit=HOUSE, credit=METER, amount=1_000, code="seed")
    assert hit_transfers(hit(100, before=-20, amount=0, after=980)) == (seeded,)


def test_a_whole_share_waits_in_the_payable_the_house_seeds_the_meter_and_the_floorperson_pays():
    books = books_with(p1=10)
    post(books, opened())
    post(books, contributed(20, 1_020))
    reserved = Transfer(transfer_id=ids.transfer_id("c1", "hit"), debit=METER, credit=HANDPAY, amount=1_020, code="hit")
    seeded = Transfer(transfer_id=ids.transfer_id("c1", "seed"), debit=HOUSE, credit=METER, amount=1_000, code="seed")
    assert post(books, hit(100, 1_020, 1_020, 1_000)) == [
        AccountOpened(account=HANDPAY, kind="handpay", currency="USD", scale=2),
        HitReserved(account=METER, network="wan", meter="main", claim_id="c1", transfers=(reserved, seeded)),
    ]
    paid = Transfer(
        transfer_id=ids.transfer_id("c1", "hand_pay"), debit=HANDPAY, credit=P1, amount=1_020, code="hand_pay"
    )
    assert post(books, approved(1_020)) == [
        HandPayPosted(
            account=P1,
            network="wan",
            claim_id="c1",
            table="t1",
            round_no=1,
            seat=1,
            transfer=paid,
            balance_after=1_030,
        )
    ]
    assert books.accounts[HANDPAY].balance == 0
    assert books.accounts[METER].balance == 1_000


def test_a_tenth_of_a_meter_moves_no_seed():
    books = Books()
    post(books, opened())
    (_, reserved) = post(books, hit(10, 1_000, 100, 900))
    assert [(t.debit, t.credit, t.amount) for t in reserved.transfers] == [(METER, HANDPAY, 100)]


@pytest.mark.parametrize(
    ("fact", "code"),
    [
        pytest.param(contributed(20, 1_021), "meter_differs", id="the meter rose by another amount than the ledger"),
        pytest.param(hit(10, 999, 99, 900), "meter_differs", id="a hit on a meter that stood elsewhere"),
        pytest.param(hit(10, 1_000, 100, 901), "hit_contradicts_itself", id="a seed after a tenth"),
        pytest.param(hit(100, 1_000, 1_000, 0), None, id="a whole share that leaves no seed is fine"),
        pytest.param(hit(100, 1_000, 1_001, 1_000), "hit_contradicts_itself", id="more than the meter holds"),
        pytest.param(hit(10, 1_000, 100, 899), "hit_contradicts_itself", id="a cent is gone"),
        pytest.param(approved(5), "hand_pay_not_reserved", id="a hand-pay without a hit"),
    ],
)
def test_a_network_that_does_not_add_up_waits(fact, code):
    books = books_with(p1=10)
    post(books, opened())
    if code is None:
        assert post(books, fact)
    else:
        refused(books, fact, code)


def test_a_contribution_to_a_meter_that_no_network_opened_is_an_error():
    refused(Books(), contributed(20, 20), "unknown_account")


def test_a_hand_pay_of_another_amount_than_locked_is_an_error():
    books = books_with(p1=10)
    post(books, opened())
    post(books, hit(10, 1_000, 100, 900))
    refused(books, approved(101), "hand_pay_not_reserved")


def test_a_share_whose_claim_can_name_no_account_is_an_error():
    books = books_with(p1=10)
    post(books, opened())
    refused(books, hit(10, 1_000, 100, 900).model_copy(update={"claim_id": "../.."}), "unknown_account")


def test_a_share_for_a_player_without_an_account_waits_for_the_account():
    books = Books()
    post(books, opened())
    post(books, hit(10, 1_000, 100, 900))
    refused(books, approved(100), "unknown_account")


def test_every_code_that_the_wallet_speaks_is_listed_and_no_other():
    source = "".join(path.read_text() for path in Path(ledger.__file__).parent.glob("*.py"))
    unpostable = set(re.findall(r'UnpostableError\(\s*"(\w+)"', source)) | set(_REFUSED_BY.values())
    refusals = set(re.findall(r'Refusal\(\s*"(\w+)"', source))
    assert unpostable == set(UNPOSTABLE)
    assert refusals == set(REFUSALS)
    assert set(DECLINED) == {"unknown_account", "insufficient_funds", "round_closed"}


bets = st.tuples(st.sampled_from(["t1", "t2"]), st.integers(1, 3), st.sampled_from(["p1", "p2"]), st.integers(1, 400))
results = st.sampled_from(["lose", "push", "to_one", "for_one", "share", "pot"])


def outcome(kind: str, stake: int) -> Line:
    named = {"wager": "ante", "stake": stake, "rule": ""}
    match kind:
        case "lose":
            return Line(**named, outcome="lose", returned=0, won=0)
        case "push":
            return Line(**named, outcome="push", returned=stake, won=0)
        case "to_one":
            return Line(**named, outcome="win", returned=stake, won=3 * stake)
        case "for_one":
            return Line(**named, outcome="win", returned=0, won=3 * stake)
        case "share":
            return Line(
                **named, outcome="win", returned=0, won=0, share=Share(meter="main", percent=10), paid_from="meter"
            )
        case _:
            # One who has the best hand at the table alone takes back what the Pot had of it.
            return Line(**{**named, "wager": "pot"}, outcome="win", returned=0, won=stake, paid_from="pot")


@settings(max_examples=150)
@given(st.lists(st.tuples(st.lists(bets, max_size=6), st.lists(results, min_size=6, max_size=6)), max_size=6))
def test_whatever_is_bet_every_cent_is_somewhere_and_the_events_alone_rebuild_it(say, evening):
    books, events = Books(), []
    for player in ("p1", "p2"):
        events += deposit(books, player, "USD", 1_000, f"d-{player}")
    for round_no, (placed, kinds) in enumerate(evening, start=1):
        stood: dict[str, dict[int, tuple[str, int]]] = {"t1": {}, "t2": {}}
        for table, seat, player, stake in placed:
            if seat in stood[table]:
                continue
            answer = post(books, say.placed(seat, player, table=table, round_no=round_no, ante=stake))
            events += answer
            if isinstance(answer[-1], FundsHeld):
                stood[table][seat] = (player, stake)
            assert all(account.available >= 0 for account in books.accounts.values() if account.kind == "player")
        for table, seats in stood.items():
            settlements = [
                say.seat(seat, player, outcome(kind, stake))
                for (seat, (player, stake)), kind in zip(sorted(seats.items()), kinds, strict=False)
            ]
            events += post(books, say.settled(*settlements, table=table, round_no=round_no))
    assert sum(account.balance for account in books.accounts.values()) == 0
    assert all(account.held == 0 for account in books.accounts.values())
    assert all(account.available >= 0 for account in books.accounts.values() if account.kind == "player")
    by_stream = sorted(events, key=lambda event: event.account)  # stable: each stream keeps its order
    assert rebuild(by_stream).accounts == books.accounts
