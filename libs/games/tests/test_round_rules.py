"""The referee of a live round, example by example: given a table, when a command, then whole events or a refusal."""

import pytest
from round_play import FLOORPERSON, Table, betting, cards, deal, open_round, round_opened, table_opened

from pitstream.events.rounds import (
    BettingClosed,
    BonusDealt,
    CommunityDealt,
    DecisionMade,
    Hand,
    HandsDealt,
    RoundFinished,
    RoundOpened,
    RoundVoided,
    SeatForfeited,
    Stake,
    WagerCount,
    WagersDeclined,
    WagersPlaced,
    WagersStood,
)
from pitstream.games.commands import (
    AnswerDecision,
    AnswerHold,
    DealBonus,
    FinishRound,
    ForfeitSeat,
    PlaceWagers,
    RevealCommunity,
    RoundCommand,
    VoidRound,
)
from pitstream.games.game import FinishedRound, Seat
from pitstream.games.round import (
    AwaitingCommunity,
    AwaitingFunds,
    Betting,
    Finished,
    ImpossibleEventError,
    NoRound,
    Showdown,
    Voided,
    evolve,
    evolve_all,
    finished_round,
    replayed,
)
from pitstream.games.settlement import RoundResult, settle

VOID = VoidRound(kind="exposed_card", reason="card exposed", floorperson=FLOORPERSON)
UTH_POLICIES = {
    "folded_progressive": "forfeited",
    "folded_five_card": "dealer_hand_only",
    "folded_envy": "none",
    "five_card_prize": "larger",
    "meter_order": "settling_order",
    "forfeited_seat": "loses_all",
    "void_round": "returns_all",
}
FLOP = RevealCommunity(cards=cards("9h Ah Kh"), burned=cards("Ac"))
RIVER = RevealCommunity(cards=cards("Ts 7h"), burned=cards("Jc"))


def two_seats() -> Table:
    """Seats 1 and 4 bet and are dealt in; seat 1 is asked before the flop."""
    table = betting()
    table.bet(1, ante=1000, blind=1000, trips=500)
    table.bet(4, ante=2500, blind=2500)
    table.do(deal({4: "2d 8c", 1: "4d Ks"}, dealer="3c 5d"))
    return table


def at_the_river() -> Table:
    """Both seats checked twice; seat 1 is asked for the last time."""
    table = two_seats()
    for command in (FLOP, RIVER):
        table.answer(1, "check")
        table.answer(4, "check")
        table.do(command)
    return table


def at_showdown(**stakes: int) -> Table:
    table = betting()
    table.bet(1, ante=1000, blind=1000, **stakes)
    table.do(deal({1: "4d Ks"}, dealer="3c 5d"))
    table.answer(1, "4x")
    table.do(FLOP, RIVER)
    return table


# Opening


def test_a_round_opens_with_everything_that_its_result_depends_on():
    table = Table()
    opening = open_round(
        table=table_opened(policies={}),
        round_no=7,
        options={"lucky": "dealer", "magic_card": "Td"},
        previous_round_hash=b"h" * 32,
    )
    assert table.do(opening) == [
        RoundOpened(
            table="t1",
            round_no=7,
            round_id="r1",
            game="ultimate_texas_holdem",
            gaming_day="2025-05-03",
            currency="USD",
            paytables=table_opened().paytables,
            options={"lucky": "dealer", "magic_card": "Td", **UTH_POLICIES},
            network="n1",
            previous_round_hash=b"h" * 32,
            rules_version="1",
            evaluator="e1",
        )
    ]
    assert table.state == Betting(evolve(NoRound(), table.events[0]).play)


def test_a_table_s_policies_are_recorded_in_every_round():
    opened = round_opened(table=table_opened("flop_poker", policies={"three_card_wheel": "false"}))
    assert opened.options == {
        "three_card_wheel": "false",
        "odd_pot_units": "from_dealers_left",
        "forfeited_seat": "loses_all",
        "void_round": "returns_all",
    }


@pytest.mark.parametrize(
    ("changed", "refusal"),
    [
        pytest.param({"table": None}, ("table_not_open", "table"), id="the table is closed"),
        pytest.param({"round_in_progress": 1}, ("round_in_progress", "table"), id="a round is being played"),
        pytest.param({"options": {"luck": "2"}}, ("invalid_option", "options"), id="no such option"),
        pytest.param({"options": {"lucky": "8"}}, ("invalid_option", "options.lucky"), id="seat 8 cannot be lucky"),
        pytest.param({"options": {"magic_card": "1x"}}, ("unknown_card", "options.magic_card"), id="no such card"),
        pytest.param({"options": {"three_card_wheel": "true"}}, ("invalid_option", "options"), id="another game's"),
        pytest.param(
            {
                "table": table_opened("flop_poker", policies={"three_card_wheel": "false"}),
                "options": {"three_card_wheel": "true"},
            },
            ("invalid_option", "options.three_card_wheel"),
            id="the table's policy is another",
        ),
    ],
)
def test_a_round_does_not_open_with(changed, refusal):
    assert Table().refused(open_round(**changed)) == refusal


def test_a_round_opens_once():
    assert betting().refused(open_round()) == ("wrong_stage", "round_no")


# Betting


def test_wagers_wait_for_the_wallet_and_then_stand():
    table = betting()
    assert table.do(PlaceWagers(seat=3, player="p3", stakes={"trips": 500, "blind": 1000, "ante": 1000})) == [
        WagersPlaced(
            table="t1",
            round_no=1,
            seat=3,
            player="p3",
            bundle=1,
            currency="USD",
            stakes=(
                Stake(wager="ante", stake=1000),
                Stake(wager="blind", stake=1000),
                Stake(wager="trips", stake=500),
            ),
        )
    ]
    assert table.refused(deal({3: "4d Ks"}, dealer="3c 5d")) == ("awaiting_funds", "hands")
    assert table.do(AnswerHold(seat=3, bundle=1, held=True)) == [WagersStood(seat=3, bundle=1)]
    table.do(deal({3: "4d Ks"}, dealer="3c 5d"))


def test_declined_wagers_are_off_and_the_seat_may_bet_again():
    table = betting()
    declined = WagersDeclined(seat=1, bundle=1, reason="insufficient_funds")
    assert table.bet(1, ante=9000, blind=9000, held=False) == [declined]
    assert table.refused(deal({}, dealer="3c 5d")) == ("no_wagers", "hands")
    assert table.bet(1, player="p9", ante=1000, blind=1000) == [WagersStood(seat=1, bundle=1)]


def test_one_player_may_bet_at_two_seats():
    table = betting()
    table.bet(1, player="p1", ante=1000, blind=1000)
    assert table.bet(2, player="p1", ante=1000, blind=1000) == [WagersStood(seat=2, bundle=1)]


@pytest.mark.parametrize("answered", [True, False])
def test_a_seat_bets_once(answered):
    table = betting()
    first = PlaceWagers(seat=1, player="p1", stakes={"ante": 1000, "blind": 1000})
    table.do(first)
    if answered:
        table.do(AnswerHold(seat=1, bundle=1, held=True))
    assert table.refused(first) == ("seat_taken", "seat")


@pytest.mark.parametrize(
    ("game", "stakes", "refusal"),
    [
        ("ultimate_texas_holdem", {"blind": 10}, ("missing_wager", "stakes")),
        ("ultimate_texas_holdem", {"ante": 10}, ("missing_wager", "stakes")),
        ("ultimate_texas_holdem", {}, ("missing_wager", "stakes")),
        ("ultimate_texas_holdem", {"ante": 10, "blind": 11}, ("invalid_stake", "stakes.blind")),
        ("ultimate_texas_holdem", {"ante": 0, "blind": 0}, ("invalid_stake", "stakes.ante")),
        ("ultimate_texas_holdem", {"ante": 10, "blind": 10, "trips": -1}, ("invalid_stake", "stakes.trips")),
        ("ultimate_texas_holdem", {"ante": 10**12 + 1, "blind": 1}, ("invalid_stake", "stakes.ante")),
        ("ultimate_texas_holdem", {"ante": 10, "blind": 10, "play": 10}, ("unknown_wager", "stakes")),
        ("ultimate_texas_holdem", {"ante": 10, "blind": 10, "bad_beat": 10}, ("unknown_wager", "stakes")),
        ("ultimate_texas_holdem", {"ante": 10, "blind": 10, "pot": 10}, ("unknown_wager", "stakes")),
        ("flop_poker", {"ante": 10}, ("missing_wager", "stakes")),
        ("flop_poker", {"ante": 10, "pot": 5, "flop": 10}, ("unknown_wager", "stakes")),
        ("raise_it_up_stud", {"ante": 10, "blind": 9}, ("invalid_stake", "stakes.blind")),
    ],
)
def test_wagers_are_refused(game, stakes, refusal):
    assert betting(game).refused(PlaceWagers(seat=1, player="p1", stakes=stakes)) == refusal


def test_every_pot_stake_of_a_round_is_the_same():
    table = betting("flop_poker")
    table.bet(1, ante=1000, pot=500)
    assert table.refused(PlaceWagers(seat=2, player="p2", stakes={"ante": 2000, "pot": 600})) == (
        "invalid_stake",
        "stakes.pot",
    )
    table.bet(2, ante=2000, pot=500)


@pytest.mark.parametrize("answer", [(2, 1), (1, 2)], ids=["another seat", "another bundle"])
def test_an_answer_of_the_wallet_that_nobody_waits_for_changes_nothing(answer):
    table = betting()
    table.do(PlaceWagers(seat=1, player="p1", stakes={"ante": 1000, "blind": 1000}))
    seat, bundle = answer
    assert table.refused(AnswerHold(seat=seat, bundle=bundle, held=True)) == ("not_awaiting_funds", "bundle")


# Dealing


def test_dealing_closes_the_betting_and_counts_what_stands():
    table = betting()
    table.bet(4, ante=2500, blind=2500)
    table.bet(1, ante=1000, blind=1000, trips=500)
    assert table.do(deal({4: "2d 8c", 1: "4d Ks"}, dealer="3c 5d")) == [
        BettingClosed(
            table="t1",
            round_no=1,
            currency="USD",
            network="n1",
            wagers=(
                WagerCount(wager="ante", count=2, total=3500),
                WagerCount(wager="blind", count=2, total=3500),
                WagerCount(wager="trips", count=1, total=500),
            ),
        ),
        HandsDealt(
            hands=(Hand(seat=1, cards=("4d", "Ks")), Hand(seat=4, cards=("2d", "8c"))),
            dealer=("3c", "5d"),
        ),
    ]


@pytest.mark.parametrize(
    ("hands", "dealer", "refusal"),
    [
        pytest.param({1: "4d Ks"}, "3c 5d", ("wrong_seats", "hands"), id="a seat left out"),
        pytest.param({1: "4d Ks", 4: "2d 8c", 5: "2h 8h"}, "3c 5d", ("wrong_seats", "hands"), id="a seat too many"),
        pytest.param({1: "4d Ks", 4: "2d"}, "3c 5d", ("wrong_card_count", "hands[1].cards"), id="a card too few"),
        pytest.param({1: "4d Ks 5s", 4: "2d 8c"}, "3c 5d", ("wrong_card_count", "hands[0].cards"), id="too many"),
        pytest.param({1: "4d Ks", 4: "2d 8c"}, "", ("wrong_card_count", "dealer"), id="no dealer's hand"),
        pytest.param({1: "4d 10s", 4: "2d 8c"}, "3c 5d", ("unknown_card", "hands[0].cards[1]"), id="10s is no code"),
        pytest.param({1: "4d ks", 4: "2d 8c"}, "3c 5d", ("unknown_card", "hands[0].cards[1]"), id="ks is no code"),
        pytest.param({1: "4d 4d", 4: "2d 8c"}, "3c 5d", ("duplicate_card", "hands[0].cards[1]"), id="in one hand"),
        pytest.param({1: "4d Ks", 4: "2d Ks"}, "3c 5d", ("duplicate_card", "hands[1].cards[1]"), id="in two hands"),
        pytest.param({1: "4d Ks", 4: "2d 8c"}, "3c 8c", ("duplicate_card", "dealer[1]"), id="with the dealer"),
    ],
)
def test_hands_are_refused(hands, dealer, refusal):
    table = betting()
    table.bet(1, ante=1000, blind=1000)
    table.bet(4, ante=2500, blind=2500)
    assert table.refused(deal(hands, dealer=dealer)) == refusal


def test_no_wager_is_placed_after_the_deal():
    late = PlaceWagers(seat=2, player="p2", stakes={"ante": 1000, "blind": 1000})
    assert two_seats().refused(late) == ("wrong_stage", "stakes")


# Asking


def test_seats_are_asked_clockwise_from_the_dealers_left():
    table = two_seats()
    assert (table.state.stage, table.state.seat, table.state.choices) == ("asking", 1, ("check", "3x", "4x"))
    assert table.refused(AnswerDecision(seat=4, choice="check")) == ("not_asked", "seat")
    assert table.answer(1, "check") == [DecisionMade(seat=1, choice="check")]
    assert (table.state.stage, table.state.seat) == ("asking", 4)
    table.answer(4, "check")
    assert table.refused(AnswerDecision(seat=1, choice="check")) == ("not_asked", "seat")
    assert isinstance(table.state, AwaitingCommunity)


@pytest.mark.parametrize(("choice", "stake"), [("3x", 3000), ("4x", 4000)])
def test_a_play_wager_is_so_many_antes_and_waits_for_the_wallet(choice, stake):
    table = two_seats()
    placed = WagersPlaced(
        table="t1",
        round_no=1,
        seat=1,
        player="p1",
        bundle=2,
        currency="USD",
        stakes=(Stake(wager="play", stake=stake),),
    )
    assert table.do(AnswerDecision(seat=1, choice=choice)) == [DecisionMade(seat=1, choice=choice), placed]
    assert isinstance(table.state, AwaitingFunds)
    assert table.refused(AnswerDecision(seat=1, choice="check")) == ("not_asked", "seat")
    assert table.refused(AnswerDecision(seat=4, choice="check")) == ("not_asked", "seat")
    assert table.do(AnswerHold(seat=1, bundle=2, held=True)) == [WagersStood(seat=1, bundle=2)]
    assert table.state.seat == 4


def test_a_declined_play_wager_leaves_the_seat_to_decide_again_on_the_same_street():
    table = two_seats()
    table.do(AnswerDecision(seat=1, choice="4x"), AnswerHold(seat=1, bundle=2, held=False, reason="insufficient_funds"))
    assert (table.state.stage, table.state.seat, table.state.choices) == ("asking", 1, ("check", "3x", "4x"))
    assert table.state.play.seat(1).decisions == ()
    table.answer(1, "check")
    assert table.state.seat == 4


def test_a_seat_is_not_asked_again_once_a_play_wager_stands():
    table = two_seats()
    table.answer(1, "4x")
    table.answer(4, "check")
    table.do(FLOP)
    assert (table.state.seat, table.state.choices) == (4, ("check", "2x"))
    assert table.refused(AnswerDecision(seat=1, choice="2x")) == ("not_asked", "seat")


@pytest.mark.parametrize("choice", ["fold", "1x", "2x", "flop", "", "CHECK"])
def test_only_the_words_of_the_street_may_be_said(choice):
    assert two_seats().refused(AnswerDecision(seat=1, choice=choice)) == ("illegal_decision", "choice")


def test_at_the_river_a_seat_bets_one_ante_or_folds():
    table = at_the_river()
    assert table.state.choices == ("1x", "fold")
    assert table.refused(AnswerDecision(seat=1, choice="check")) == ("illegal_decision", "choice")
    assert table.answer(1, "fold") == [DecisionMade(seat=1, choice="fold")]
    table.answer(4, "1x")
    assert isinstance(table.state, Showdown)


def test_flop_poker_asks_once_and_then_shows_the_flop():
    table = betting("flop_poker")
    table.bet(2, ante=3000, pot=500)
    table.do(deal({2: "4c 6s Js"}))
    assert table.state.choices == ("flop", "fold")
    placed = table.do(AnswerDecision(seat=2, choice="flop"))[1]
    assert placed.stakes == (Stake(wager="flop", stake=3000),)
    table.do(AnswerHold(seat=2, bundle=2, held=True))
    table.do(RevealCommunity(cards=cards("Td 7s 8c"), burned=cards("2c")), FinishRound())
    assert isinstance(table.state, Finished)


def test_raise_it_up_stud_turns_one_card_at_a_time_and_the_last_after_the_last_answer():
    table = betting("raise_it_up_stud")
    table.bet(1, ante=1000, blind=1000)
    table.do(deal({1: "4d Qd 8c"}))
    told = []
    for choice, card in (("check", "Tc"), ("check", "7c"), ("1x", "As")):
        told.append(table.state.choices)
        table.answer(1, choice)
        assert table.refused(RevealCommunity(cards=(card, "2c"))) == ("wrong_card_count", "cards")
        table.do(RevealCommunity(cards=(card,)))
    assert told == [("check", "1x", "2x", "3x"), ("check", "1x", "2x"), ("1x", "fold")]
    assert isinstance(table.state, Showdown)


# Cards on the board


def test_community_cards_are_kept_in_the_order_revealed():
    table = two_seats()
    table.answer(1, "4x")
    table.answer(4, "4x")
    assert table.do(FLOP) == [CommunityDealt(cards=("9h", "Ah", "Kh"), burned=("Ac",))]
    assert table.do(RIVER) == [CommunityDealt(cards=("Ts", "7h"), burned=("Jc",))]
    assert table.state == Showdown(table.state.play)
    assert table.state.play.community == ("9h", "Ah", "Kh", "Ts", "7h")


def test_the_board_is_completed_although_everybody_folded_or_nobody_is_left_to_ask():
    table = two_seats()
    table.do(ForfeitSeat(seat=1, reason="exchanged information", floorperson=FLOORPERSON))
    table.do(ForfeitSeat(seat=4, reason="exchanged information", floorperson=FLOORPERSON))
    table.do(FLOP, RIVER, FinishRound())
    assert isinstance(table.state, Finished)


@pytest.mark.parametrize(
    ("shown", "burned", "refusal"),
    [
        ("9h Ah", "Ac", ("wrong_card_count", "cards")),
        ("9h Ah Kh 2h", "Ac", ("wrong_card_count", "cards")),
        ("9h Ah Kh", "Ac 2c", ("wrong_card_count", "burned")),
        ("9h Ah 1h", "Ac", ("unknown_card", "cards[2]")),
        ("9h Ah Kh", "?", ("unknown_card", "burned[0]")),
        ("9h Ah 5d", "Ac", ("duplicate_card", "cards[2]")),
        ("9h Ah Ks", "Ac", ("duplicate_card", "cards[2]")),
        ("9h Ah 9h", "Ac", ("duplicate_card", "cards[2]")),
        ("9h Ah Kh", "9h", ("duplicate_card", "burned[0]")),
    ],
)
def test_community_cards_are_refused(shown, burned, refusal):
    table = two_seats()
    table.answer(1, "4x")
    table.answer(4, "check")
    assert table.refused(RevealCommunity(cards=cards(shown), burned=cards(burned))) == refusal


def test_community_cards_wait_for_the_last_answer():
    assert two_seats().refused(FLOP) == ("wrong_stage", "cards")


def test_a_device_that_does_not_see_burn_cards_leaves_them_out():
    table = at_showdown()
    unseen = betting()
    unseen.bet(1, ante=1000, blind=1000)
    unseen.do(deal({1: "4d Ks"}, dealer="3c 5d"))
    unseen.answer(1, "4x")
    unseen.do(RevealCommunity(cards=FLOP.cards), RIVER, FinishRound())
    table.do(FinishRound())
    assert finished_round(table.state).burned == ("Ac", "Jc")
    assert finished_round(unseen.state).burned == ()


def test_the_bonus_cards_are_dealt_before_the_finish_when_somebody_bet_six_card():
    table = at_showdown(six_card=500)
    assert table.refused(FinishRound()) == ("wrong_card_count", "bonus")
    assert table.refused(DealBonus(cards=cards("2c 2d 2h"))) == ("wrong_card_count", "cards")
    assert table.refused(DealBonus(cards=cards("2c 2d 2h Ac"))) == ("duplicate_card", "cards[3]")
    assert table.refused(DealBonus(cards=cards("2c 2d 2h 2x"))) == ("unknown_card", "cards[3]")
    assert table.do(DealBonus(cards=cards("2c 2d 2h 2s"))) == [BonusDealt(cards=("2c", "2d", "2h", "2s"))]
    assert table.refused(DealBonus(cards=cards("6c 6d 6h 6s"))) == ("wrong_stage", "cards")
    assert table.do(FinishRound()) == [RoundFinished(table="t1", round_no=1)]


def test_bonus_cards_wait_for_the_complete_board():
    assert two_seats().refused(DealBonus(cards=cards("2c 2d 2h 2s"))) == ("wrong_stage", "cards")


def test_raise_it_up_stud_has_no_bonus_cards_although_it_has_the_six_card_wager():
    table = betting("raise_it_up_stud")
    table.bet(1, ante=1000, blind=1000, six_card=500)
    table.do(deal({1: "4d Qd 8c"}))
    table.answer(1, "3x")
    table.do(*(RevealCommunity(cards=(card,)) for card in ("Tc", "7c", "As")))
    assert table.refused(DealBonus(cards=cards("2c 2d 2h 2s"))) == ("wrong_card_count", "cards")
    table.do(FinishRound())


# The end


def test_a_finished_round_is_all_that_the_settlement_needs():
    table = at_the_river()
    table.answer(1, "1x")
    table.answer(4, "fold")
    table.do(FinishRound())
    assert finished_round(table.state) == FinishedRound(
        game="ultimate_texas_holdem",
        gaming_day="2025-05-03",
        currency="USD",
        paytables={choice.wager: choice.paytable for choice in table_opened().paytables},
        options=UTH_POLICIES,
        dealer=("3c", "5d"),
        community=("9h", "Ah", "Kh", "Ts", "7h"),
        burned=("Ac", "Jc"),
        bonus=(),
        seats=(
            Seat(1, "p1", ("4d", "Ks"), {"ante": 1000, "blind": 1000, "trips": 500}, ("check", "check", "1x")),
            Seat(4, "p4", ("2d", "8c"), {"ante": 2500, "blind": 2500}, ("check", "check", "fold")),
        ),
    )


def test_a_round_finishes_only_at_the_showdown():
    assert two_seats().refused(FinishRound()) == ("wrong_stage", "round_no")


@pytest.mark.parametrize(
    "command",
    [
        VOID,
        FinishRound(),
        FLOP,
        AnswerDecision(seat=1, choice="check"),
        ForfeitSeat(seat=1, reason="late", floorperson=FLOORPERSON),
        PlaceWagers(seat=2, player="p2", stakes={"ante": 1, "blind": 1}),
        AnswerHold(seat=1, bundle=1, held=True),
        deal({1: "4d Ks"}, dealer="3c 5d"),
        DealBonus(cards=cards("2c 2d 2h 2s")),
        open_round(),
    ],
    ids=lambda command: type(command).__name__,
)
@pytest.mark.parametrize("last", [FinishRound(), VOID], ids=["finished", "voided"])
def test_nothing_happens_in_a_closed_round(command: RoundCommand, last: RoundCommand):
    table = at_showdown()
    table.do(last)
    code, _ = table.refused(command)
    assert code in {"wrong_stage", "not_asked", "not_awaiting_funds"}


def test_a_void_round_keeps_the_wagers_that_stood_and_drops_what_waited_for_the_wallet():
    table = betting()
    table.bet(1, ante=1000, blind=1000)
    table.do(PlaceWagers(seat=2, player="p2", stakes={"ante": 1000, "blind": 1000}))
    assert table.do(VOID) == [
        RoundVoided(table="t1", round_no=1, kind="exposed_card", reason="card exposed", floorperson=FLOORPERSON)
    ]
    assert isinstance(table.state, Voided)
    finished = finished_round(table.state)
    assert finished.void == "card exposed"
    assert finished.seats == (Seat(1, "p1", (), {"ante": 1000, "blind": 1000}, ()),)


def test_a_round_can_be_void_before_anybody_bet():
    table = betting()
    table.do(VOID)
    assert settle(finished_round(table.state)) == RoundResult((), ())


def test_a_void_round_returns_no_play_wager_that_was_never_held():
    table = two_seats()
    table.do(AnswerDecision(seat=1, choice="4x"), VOID)
    assert [seat.decisions for seat in finished_round(table.state).seats] == [(), ()]
    held = two_seats()
    held.answer(1, "4x")
    held.do(VOID)
    assert [seat.decisions for seat in finished_round(held.state).seats] == [("4x",), ()]


# Forfeits


def test_a_forfeited_seat_is_not_asked_any_more():
    table = two_seats()
    assert table.do(ForfeitSeat(seat=1, reason="exchanged information", floorperson=FLOORPERSON)) == [
        SeatForfeited(seat=1, reason="exchanged information", floorperson=FLOORPERSON)
    ]
    assert table.state.seat == 4
    table.answer(4, "check")
    table.do(FLOP)
    assert table.state.seat == 4


def test_a_seat_forfeited_before_the_deal_is_dealt_in_but_never_asked():
    table = betting()
    table.bet(1, ante=1000, blind=1000)
    table.bet(2, ante=1000, blind=1000)
    table.do(ForfeitSeat(seat=1, reason="late", floorperson=FLOORPERSON))
    table.do(deal({1: "4d Ks", 2: "2d 8c"}, dealer="3c 5d"))
    assert table.state.seat == 2


@pytest.mark.parametrize("held", [True, False])
def test_a_seat_forfeited_while_its_play_wager_waits_is_not_asked_again(held):
    table = two_seats()
    table.do(
        AnswerDecision(seat=1, choice="4x"),
        ForfeitSeat(seat=1, reason="exchanged information", floorperson=FLOORPERSON),
    )
    assert isinstance(table.state, AwaitingFunds)
    table.do(AnswerHold(seat=1, bundle=2, held=held))
    assert table.state.seat == 4
    assert table.state.play.seat(1).decisions == (("4x",) if held else ())


def test_forfeiting_another_seat_leaves_the_asked_seat_asked():
    table = two_seats()
    table.do(ForfeitSeat(seat=4, reason="exchanged information", floorperson=FLOORPERSON))
    assert table.state.seat == 1
    table.answer(1, "check")
    assert isinstance(table.state, AwaitingCommunity)


def test_a_seat_is_forfeited_once_and_only_with_wagers_down():
    table = two_seats()
    again = ForfeitSeat(seat=1, reason="exchanged information", floorperson=FLOORPERSON)
    table.do(again)
    assert table.refused(again) == ("seat_forfeited", "seat")
    assert table.refused(ForfeitSeat(seat=2, reason="late", floorperson=FLOORPERSON)) == ("no_wagers", "seat")


# Replay


def test_the_events_alone_rebuild_the_round_after_each_of_them():
    table = at_showdown(six_card=500)
    table.do(DealBonus(cards=cards("2c 2d 2h 2s")), FinishRound())
    told = list(replayed(table.events))
    assert [event for event, _ in told] == table.events
    assert [state.stage for _, state in told] == [
        "betting",  # opened
        "betting",  # wagers placed
        "betting",  # wagers stood
        "dealing",  # betting closed
        "asking",  # hands dealt
        "awaiting_funds",  # 4x
        "awaiting_funds",  # play placed
        "awaiting_community",  # play stood: nobody else to ask
        "awaiting_community",  # flop: nobody to ask, the river comes
        "showdown",  # river
        "showdown",  # bonus
        "finished",
    ]
    assert told[-1][1] == table.state == evolve_all(table.events)


@pytest.mark.parametrize(
    ("table", "event"),
    [
        pytest.param(Table(), RoundFinished(table="t1", round_no=1), id="a finish before anything"),
        pytest.param(betting(), round_opened(), id="a second opening"),
        pytest.param(betting(), WagersStood(seat=1, bundle=1), id="wagers that nobody placed stand"),
        pytest.param(betting(), SeatForfeited(seat=1, reason="", floorperson=""), id="an empty seat is forfeited"),
        pytest.param(two_seats(), DecisionMade(seat=4, choice="check"), id="a seat that is not asked answers"),
        pytest.param(two_seats(), WagersStood(seat=1, bundle=1), id="wagers stand after the deal"),
        pytest.param(two_seats(), table_opened(), id="an event of another stream"),
    ],
)
def test_an_event_that_cannot_follow_stops_the_replay(table, event):
    with pytest.raises(ImpossibleEventError, match=event.type_name):
        evolve(table.state, event)


def test_hands_for_a_seat_without_wagers_stop_the_replay():
    table = betting()
    table.bet(1, ante=1000, blind=1000)
    closed = BettingClosed(table="t1", round_no=1, currency="USD", wagers=())
    state = evolve(table.state, closed)
    with pytest.raises(ImpossibleEventError, match="seat 2 has no wagers"):
        evolve(state, HandsDealt(hands=(Hand(seat=2, cards=("4d", "Ks")),)))


def test_a_round_of_a_game_that_is_not_here_says_which_games_there_are():
    opened = round_opened().model_copy(update={"game": "go_fish"})
    with pytest.raises(ImpossibleEventError, match=r"game was 'go_fish'; here there are .*flop_poker"):
        evolve(NoRound(), opened)
