"""What a floorperson rules on during a round: given a table, when a ruling, then whole events or a refusal."""

import pytest
from round_play import FLOORPERSON, Table, betting, cards, deal

from pitstream.events.rounds import (
    CardSetAside,
    DecisionMade,
    PlayerLeft,
    RoundVoided,
    SeatForfeited,
    WagersWithdrawn,
)
from pitstream.games.commands import (
    AnswerDecision,
    AnswerHold,
    DealBonus,
    FinishRound,
    ForfeitSeat,
    LeaveSeat,
    PlaceWagers,
    RevealCommunity,
    SetCardAside,
    VoidRound,
)
from pitstream.games.round import Asking, AwaitingCommunity, Finished, Showdown, evolve_all, finished_round
from pitstream.games.settlement import settle

FLOP = RevealCommunity(cards=cards("9h Ah Kh"), burned=cards("Ac"))
RIVER = RevealCommunity(cards=cards("Ts 7h"), burned=cards("Jc"))


def leave(seat: int, reason: str = "taken ill") -> LeaveSeat:
    return LeaveSeat(seat=seat, reason=reason, floorperson=FLOORPERSON)


def aside(card: str) -> SetCardAside:
    return SetCardAside(card=card, reason="face up in the deck", floorperson=FLOORPERSON)


def left(seat: int) -> PlayerLeft:
    return PlayerLeft(seat=seat, reason="taken ill", floorperson=FLOORPERSON)


def three_seats() -> Table:
    """Seats 1, 3 and 4 of Ultimate Texas Hold'em bet and are dealt in; seat 1 is asked before the flop."""
    table = betting()
    for seat in (1, 3, 4):
        table.bet(seat, ante=1000, blind=1000, trips=500)
    table.do(deal({1: "4d Ks", 3: "5s 5h", 4: "2d 8c"}, dealer="3c 5d"))
    return table


# Void


@pytest.mark.parametrize("kind", ["misdeal", "exposed_card", "wrong_count", "shuffler_jam", "other"])
def test_a_void_round_says_what_went_wrong_in_a_word_and_why_in_words(kind):
    table = three_seats()
    assert table.do(VoidRound(kind=kind, reason="second card of seat 3 face up", floorperson=FLOORPERSON)) == [
        RoundVoided(table="t1", round_no=1, reason="second card of seat 3 face up", floorperson=FLOORPERSON, kind=kind)
    ]


def test_the_words_for_what_went_wrong_are_a_closed_list():
    with pytest.raises(ValueError, match="'misdeal', 'exposed_card', 'wrong_count', 'shuffler_jam' or 'other'"):
        VoidRound(kind="bad_luck", reason="none", floorperson=FLOORPERSON)


def test_a_void_round_returns_every_wager_of_seats_that_folded_left_or_were_forfeited_too():
    table = three_seats()
    table.answer(1, "4x")
    table.do(ForfeitSeat(seat=3, reason="exchanged information", floorperson=FLOORPERSON), leave(4), FLOP)
    table.do(VoidRound(kind="shuffler_jam", reason="jam", floorperson=FLOORPERSON))
    assert [
        (seat.seat, line.wager, line.outcome, line.returned, line.won)
        for seat in settle(finished_round(table.state)).seats
        for line in seat.lines
    ] == [
        (1, "ante", "void", 1000, 0),
        (1, "blind", "void", 1000, 0),
        (1, "play", "void", 4000, 0),
        (1, "trips", "void", 500, 0),
        (3, "ante", "void", 1000, 0),
        (3, "blind", "void", 1000, 0),
        (3, "trips", "void", 500, 0),
        (4, "ante", "void", 1000, 0),
        (4, "blind", "void", 1000, 0),
        (4, "trips", "void", 500, 0),
    ]


# Forfeiture


def test_exchanging_information_forfeits_every_wager_with_reason_and_person():
    table = betting("raise_it_up_stud")
    table.bet(1, ante=1000, blind=1000, pair_plus=500)
    table.bet(2, ante=1000, blind=1000)
    table.do(deal({1: "As Ah Kd", 2: "2c 7d 9h"}))
    assert table.do(ForfeitSeat(seat=1, reason="showed seat 2 an ace", floorperson=FLOORPERSON)) == [
        SeatForfeited(seat=1, reason="showed seat 2 an ace", floorperson=FLOORPERSON)
    ]
    assert isinstance(table.state, Asking)
    assert table.state.seat == 2


# A player who goes away


def test_wagers_of_a_player_who_goes_away_before_the_deal_are_off_and_the_seat_stays_empty():
    table = betting()
    table.bet(1, ante=1000, blind=1000)
    table.bet(2, ante=1000, blind=1000)
    assert table.do(leave(2)) == [WagersWithdrawn(seat=2, reason="taken ill", floorperson=FLOORPERSON)]
    again = PlaceWagers(seat=2, player="p9", stakes={"ante": 1000, "blind": 1000})
    assert table.refused(again) == ("seat_left", "seat")
    table.do(deal({1: "4d Ks"}, dealer="3c 5d"))
    assert [seat.seat for seat in table.state.play.seats] == [1]


def test_a_bundle_that_waits_for_the_wallet_is_not_withdrawn():
    table = betting()
    table.do(PlaceWagers(seat=2, player="p2", stakes={"ante": 1000, "blind": 1000}))
    assert table.refused(leave(2)) == ("awaiting_funds", "seat")


def test_a_hand_without_its_player_checks_where_nobody_may_fold_and_folds_where_it_may():
    table = three_seats()
    assert table.do(leave(3)) == [left(3)]
    assert table.do(AnswerDecision(seat=1, choice="check")) == [
        DecisionMade(seat=1, choice="check"),
        DecisionMade(seat=3, choice="check"),
    ]
    table.answer(4, "check")
    table.do(FLOP)
    assert table.do(AnswerDecision(seat=1, choice="check"))[1:] == [DecisionMade(seat=3, choice="check")]
    table.answer(4, "check")
    table.do(RIVER)
    assert table.do(AnswerDecision(seat=1, choice="fold"))[1:] == [DecisionMade(seat=3, choice="fold")]
    table.answer(4, "1x")
    table.do(FinishRound())
    assert [seat.decisions for seat in finished_round(table.state).seats] == [
        ("check", "check", "fold"),
        ("check", "check", "fold"),
        ("check", "check", "1x"),
    ]
    assert evolve_all(table.events) == table.state


def test_a_player_who_goes_away_while_asked_is_answered_for_at_once():
    table = betting("flop_poker")
    table.bet(1, ante=1000, pot=500)
    table.bet(2, ante=1000, pot=500)
    table.do(deal({1: "4d Ks 2c", 2: "5s 5h 9d"}))
    assert table.do(leave(1)) == [left(1), DecisionMade(seat=1, choice="fold")]
    assert table.state.seat == 2


def test_when_everybody_goes_away_the_round_is_still_played_to_its_end():
    table = three_seats()
    assert table.do(leave(4), leave(3), leave(1)) == [
        left(1),
        *(DecisionMade(seat=seat, choice="check") for seat in (1, 3, 4)),
    ]
    assert table.do(FLOP)[1:] == [DecisionMade(seat=seat, choice="check") for seat in (1, 3, 4)]
    assert isinstance(table.state, AwaitingCommunity)
    assert table.do(RIVER)[1:] == [DecisionMade(seat=seat, choice="fold") for seat in (1, 3, 4)]
    assert isinstance(table.state, Showdown)
    table.do(FinishRound())
    assert isinstance(table.state, Finished)


def test_a_play_wager_that_stands_is_played_without_its_player():
    table = three_seats()
    table.answer(1, "4x")
    assert table.do(leave(1)) == [left(1)]
    table.answer(3, "3x")
    table.answer(4, "4x")
    table.do(FLOP, RIVER, FinishRound())
    assert finished_round(table.state).seats[0].decisions == ("4x",)


def test_a_play_wager_that_is_declined_after_its_player_went_away_is_not_asked_for_again():
    table = three_seats()
    table.do(AnswerDecision(seat=1, choice="4x"), leave(1))
    declined = table.do(AnswerHold(seat=1, bundle=2, held=False, reason="insufficient_funds"))
    assert declined[1:] == [DecisionMade(seat=1, choice="check")]
    assert table.state.seat == 3


@pytest.mark.parametrize(
    ("seat", "refusal"),
    [
        pytest.param(2, ("no_wagers", "seat"), id="nobody sits there"),
        pytest.param(3, ("seat_left", "seat"), id="went away before"),
        pytest.param(4, ("seat_forfeited", "seat"), id="its wagers are taken"),
    ],
)
def test_nobody_goes_away_from(seat, refusal):
    table = three_seats()
    table.do(leave(3), ForfeitSeat(seat=4, reason="talks", floorperson=FLOORPERSON))
    assert table.refused(leave(seat)) == refusal


def test_nobody_goes_away_from_a_round_that_is_over():
    table = three_seats()
    table.do(VoidRound(reason="jam", floorperson=FLOORPERSON))
    assert table.refused(leave(1)) == ("wrong_stage", "seat")


# A card found face up


def test_a_card_found_face_up_is_set_aside_and_cannot_be_dealt_any_more():
    table = betting()
    table.bet(1, ante=1000, blind=1000, six_card=500)
    assert table.do(aside("Qc")) == [CardSetAside(card="Qc", reason="face up in the deck", floorperson=FLOORPERSON)]
    assert table.refused(deal({1: "Qc Ks"}, dealer="3c 5d")) == ("duplicate_card", "hands[0].cards[0]")
    table.do(deal({1: "4d Ks"}, dealer="3c 5d"), aside("9h"))
    table.answer(1, "4x")
    assert table.refused(FLOP) == ("duplicate_card", "cards[0]")
    table.do(RevealCommunity(cards=cards("9d Ah Kh")), aside("2c"), RIVER)
    assert table.refused(DealBonus(cards=cards("2c 2d 8h Js"))) == ("duplicate_card", "cards[0]")
    table.do(DealBonus(cards=cards("3d 2d 8h Js")), FinishRound())
    assert table.state.play.set_aside == ("Qc", "9h", "2c")
    assert evolve_all(table.events) == table.state


@pytest.mark.parametrize(
    ("card", "refusal"),
    [
        pytest.param("4d", ("duplicate_card", "card"), id="in a hand"),
        pytest.param("3c", ("duplicate_card", "card"), id="in the dealer's hand"),
        pytest.param("Qc", ("duplicate_card", "card"), id="set aside before"),
        pytest.param("1x", ("unknown_card", "card"), id="no card"),
    ],
)
def test_what_is_not_in_the_deck_is_not_set_aside(card, refusal):
    table = three_seats()
    table.do(aside("Qc"))
    assert table.refused(aside(card)) == refusal


def test_a_card_set_aside_changes_nothing_that_is_settled():
    def played(*rulings: SetCardAside) -> Table:
        table = three_seats()
        table.do(*rulings)
        for seat in (1, 3, 4):
            table.answer(seat, "4x" if seat == 3 else "3x")
        table.do(FLOP, RIVER, FinishRound())
        return table

    assert finished_round(played(aside("Qc")).state) == finished_round(played().state)
