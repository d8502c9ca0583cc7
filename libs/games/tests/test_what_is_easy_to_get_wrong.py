"""Where dealers and programs err: one small round each, its wagers asserted whole.

Method: examples worked out by hand from the paragraphs.
"""

import pytest
from told_rounds import Came, awards_of, flop_poker, holdem, lines_of, seat, stud

from pitstream.games.game import FinishedRound
from pitstream.games.settlement import settle

LOST_BELOW = ("lose", 0, 0, "653a.11(h)(2)(i)")


def test_trips_looks_at_seven_cards_the_progressive_at_five_six_card_at_six():
    played = holdem(
        "7h 2s 9c Kd Ks",
        "Qh Jd",
        seat(1, "7c 7d", "check check 1x", ante=1000, blind=1000, trips=500, progressive=100, six_card=200),
        bonus="3c 4c 8h Jh",
    )
    assert lines_of(settle(played), 1) == {
        "ante": ("win", 1000, 1000, "653a.11(h)(2)(ii)"),
        "blind": ("win", 1000, 3000, "653a.11(h)(2)(ii)"),
        "play": ("win", 1000, 1000, "653a.11(h)(2)(ii)"),
        "trips": ("win", 500, 4500, "653a.11(i)(1)"),
        "progressive": ("win", 0, 900, "653a.11(k)(4)"),
        "six_card": ("lose", 0, 0, "653a.11(m)(1)"),
    }


def test_six_card_of_raise_it_up_stud_takes_the_board():
    played = stud("9c 9d 2s", seat(1, "9h 4c 7d", "1x", ante=1000, blind=1000, six_card=200))
    assert lines_of(settle(played), 1)["six_card"] == ("win", 200, 1000, "669a.11(i)(3)(ii)")


HOLDEM_MAIN = [
    pytest.param(
        "2s 7d 9c Jh Ks",
        "Ah 4c",
        "Qd 3c",
        ("push", 1000, 0, "653a.11(h)(1)"),
        LOST_BELOW,
        LOST_BELOW,
        id="(h)(1) dealer below a pair and higher: the Ante alone comes back",
    ),
    pytest.param(
        "2s 7d 9c Jh Ks",
        "Qd 3c",
        "Ah 4c",
        ("push", 1000, 0, "653a.11(h)(1)"),
        ("push", 1000, 0, "653a.11(h)(2)(ii)"),
        ("win", 4000, 4000, "653a.11(h)(2)(ii)"),
        id="(h)(1) dealer below a pair and lower: the Play wins, the Blind has no row",
    ),
    pytest.param(
        "As Ks Qs Js Ts",
        "2c 2d",
        "9s 3c",
        ("push", 1000, 0, "653a.11(h)(2)(iii)"),
        ("push", 1000, 0, "653a.11(h)(2)(iii)"),
        ("push", 4000, 0, "653a.11(h)(2)(iii)"),
        id="(h)(2)(iii) a royal flush on the board is everyone's, the Blind does not pay 500",
    ),
    pytest.param(
        "5c 6d 7h 8s 2c",
        "9h Tc",
        "4h 3d",
        LOST_BELOW,
        LOST_BELOW,
        LOST_BELOW,
        id="(h)(2)(i) a straight that loses loses the Blind too",
    ),
    pytest.param(
        "2h 7h 9h Jc 3s",
        "3c 3d",
        "Ah 4h",
        ("win", 1000, 1000, "653a.11(h)(2)(ii)"),
        ("win", 1000, 1500, "653a.11(h)(2)(ii)"),
        ("win", 4000, 4000, "653a.11(h)(2)(ii)"),
        id="(h)(2)(ii) a flush pays the Blind 3 to 2",
    ),
]


@pytest.mark.parametrize(("community", "dealer", "own", "ante", "blind", "play"), HOLDEM_MAIN)
def test_ante_blind_and_play_against_the_dealer(
    community: str, dealer: str, own: str, ante: Came, blind: Came, play: Came
):
    played = holdem(community, dealer, seat(1, own, "4x", ante=1000, blind=1000))
    assert lines_of(settle(played), 1) == {"ante": ante, "blind": blind, "play": play}


def test_three_to_two_on_one_cent_is_rounded_up():
    played = holdem("2h 7h 9h Jc 3s", "3c 3d", seat(1, "Ah 4h", "4x", ante=1, blind=1))
    assert lines_of(settle(played), 1)["blind"] == ("win", 1, 2, "653a.11(h)(2)(ii)")


@pytest.mark.parametrize(
    ("community", "dealer", "own", "bad_beat"),
    [
        pytest.param(
            "8c 8d 8h Ks 2c",
            "Ah 3c",
            "Qh 4d",
            ("win", 300, 2700, "653a.11(j)(1)"),
            id="board trips, the worse kicker: the player loses with three of a kind",
        ),
        pytest.param(
            "8c 8d 8h Ks 2c",
            "Qh 4d",
            "Ah 3c",
            ("win", 300, 2700, "653a.11(j)(2)"),
            id="board trips, the better kicker: the dealer loses with three of a kind",
        ),
        pytest.param(
            "8c 8d 8h As Ks",
            "Qh 4d",
            "Qc 3c",
            ("lose", 0, 0, "653a.11(j)(3)"),
            id="a tie with three of a kind: nobody loses",
        ),
        pytest.param(
            "8c 8d Kh As 2s",
            "Ah 4d",
            "Kc Qc",
            ("lose", 0, 0, "653a.11(j)(3)"),
            id="two pair that loses is not enough",
        ),
        pytest.param(
            "6h 7h 8h 8c 8d",
            "8s 2c",
            "9h Th",
            ("win", 300, 150_000, "653a.11(j)(2)"),
            id="both far above three of a kind: the loser's rank alone is paid, here the dealer's four of a kind",
        ),
    ],
)
def test_bad_beat_pays_whoever_loses_with_three_of_a_kind_or_better(
    community: str, dealer: str, own: str, bad_beat: Came
):
    played = holdem(community, dealer, seat(1, own, "4x", ante=1000, blind=1000, bad_beat=300))
    assert lines_of(settle(played), 1)["bad_beat"] == bad_beat


def test_a_fold_in_ultimate_texas_holdem_loses_four_wagers_and_leaves_the_rest():
    played = holdem(
        "8c 8d 8h Ks 2c",
        "Ah 8s",
        seat(
            3,
            "Qh 4d",
            "check check fold",
            ante=1000,
            blind=1000,
            trips=100,
            bad_beat=100,
            progressive=100,
            five_card=100,
            six_card=100,
            play_the_board=100,
            ultimate_pairs=100,
        ),
        bonus="Qc Qd 3h 5s",
        options={"lucky": "3", "magic_card": "Qh"},
    )
    result = settle(played)
    assert lines_of(result, 3) == {
        "ante": ("lose", 0, 0, "653a.11(f)(2)"),
        "blind": ("lose", 0, 0, "653a.11(f)(2)"),
        "trips": ("win", 100, 300, "653a.11(i)(1)"),
        "bad_beat": ("lose", 0, 0, "653a.11(f)(2)"),
        "progressive": ("lose", 0, 0, "policy: fold forfeits the progressive payout"),
        # On the dealer's four of a kind: 100 for 1. The folded hand's three of a kind is not looked at.
        "five_card": ("win", 0, 10_000, "653a.11(l)(3)"),
        "six_card": ("win", 100, 500, "653a.11(m)(2)"),
        "play_the_board": ("win", 100, 700, "653b.4(e)"),
        "ultimate_pairs": ("lose", 0, 0, "653b.5"),
    }
    assert awards_of(result, 3) == []
    assert result.order == (3,)


@pytest.mark.parametrize(
    ("community", "own", "ante", "flop"),
    [
        pytest.param(
            "8c 8h Ks",
            "Kc 8d 3h",
            ("win", 500, 500, "583.11(d)(2)"),
            ("win", 500, 2000, "583.11(d)(2)"),
            id="the full house would need all three board cards: it is three of a kind",
        ),
        pytest.param(
            "Jd 9s 4h",
            "Js 7h 2c",
            ("win", 500, 500, "583.11(d)(2)"),
            ("win", 500, 500, "583.11(d)(2)"),
            id="a jack in hand pairs a jack on the board",
        ),
        pytest.param(
            "9d 9s 4h",
            "Js 7h 2c",
            ("lose", 0, 0, "583.11(d)(2)"),
            ("lose", 0, 0, "583.11(d)(2)"),
            id="a pair of nines is below jacks",
        ),
        pytest.param(
            "Ad Jc Jd",
            "9s 7h 2c",
            ("win", 500, 500, "583.11(d)(2)"),
            ("win", 500, 500, "583.11(d)(2)"),
            id="the pair may lie wholly on the board",
        ),
    ],
)
def test_flop_poker_uses_three_own_cards_and_two_of_the_board(community: str, own: str, ante: Came, flop: Came):
    result = lines_of(settle(flop_poker(community, seat(1, own, "flop", ante=500, pot=100))), 1)
    assert (result["ante"], result["flop"]) == (ante, flop)


def test_a_folded_hand_is_not_paid_but_can_win_the_pot():
    result = settle(
        flop_poker(
            "8c 8h Ks",
            seat(2, "Kc 8d 3h", "fold", ante=500, pot=100, three_card_bonus=50),
            seat(4, "Js 7h 2c", "flop", ante=500, pot=100),
        )
    )
    assert lines_of(result, 2) == {
        "three_card_bonus": ("lose", 0, 0, "583.11(d)(1)"),
        "ante": ("lose", 0, 0, "583.11(b)"),
        "pot": ("win", 0, 200, "583.11(e)"),
    }
    assert lines_of(result, 4) == {
        "ante": ("lose", 0, 0, "583.11(d)(2)"),
        "flop": ("lose", 0, 0, "583.11(d)(2)"),
        "pot": ("lose", 0, 0, "583.11(e)"),
    }
    assert result.order == (4, 2)


def test_odd_units_of_a_split_pot_go_to_the_winners_from_the_dealers_left_and_a_forfeited_stake_stays_in_it():
    result = settle(
        flop_poker(
            "8c 8h Ks",
            seat(1, "Ac 5d 3h", "fold", ante=500, pot=101),
            seat(3, "Ad 5h 3c", "flop", ante=500, pot=101),
            seat(6, "Kc Kd 8d", "flop", ante=500, pot=101, forfeited="shows cards"),
        )
    )
    assert [lines_of(result, number)["pot"] for number in (1, 3, 6)] == [
        ("win", 0, 152, "583.11(e)"),
        ("win", 0, 151, "583.11(e)"),
        ("forfeit", 0, 0, "policy: forfeited seat"),
    ]
    assert result.order == (3, 1)


def test_a_pot_that_nobody_may_win_is_not_paid_out():
    result = settle(flop_poker("8c 8h Ks", seat(1, "Ac 5d 3h", "flop", ante=500, pot=100, forfeited="shows cards")))
    assert lines_of(result, 1)["pot"] == ("forfeit", 0, 0, "policy: forfeited seat")
    assert result.order == ()


@pytest.mark.parametrize(
    ("community", "own", "ante", "blind", "play"),
    [
        pytest.param(
            "9d 2c 4h",
            "9c Kd 7s",
            *[("lose", 0, 0, "669a.11(i)(2)(i)")] * 3,
            id="a pair of nines loses all three",
        ),
        pytest.param(
            "Td Tc 4h",
            "9c Kd 7s",
            ("win", 500, 500, "669a.11(i)(2)(ii)"),
            ("push", 500, 0, "669a.11(i)(2)(ii)"),
            ("win", 500, 500, "669a.11(i)(2)(ii)"),
            id="a pair of tens wholly on the board wins",
        ),
        pytest.param(
            "5d 6c Kh",
            "7c 8d 9s",
            ("win", 500, 500, "669a.11(i)(2)(ii)"),
            ("win", 500, 1000, "669a.11(i)(2)(ii)"),
            ("win", 500, 2000, "669a.11(i)(2)(ii)"),
            id="a straight in five cards pays less",
        ),
        pytest.param(
            "5c 6c Kh",
            "2c 9c Jc",
            ("win", 500, 500, "669a.11(i)(2)(ii)"),
            ("win", 500, 1500, "669a.11(i)(2)(ii)"),
            ("win", 500, 2500, "669a.11(i)(2)(ii)"),
            id="than a flush in five cards",
        ),
    ],
)
def test_raise_it_up_stud_asks_for_a_pair_of_tens(community: str, own: str, ante: Came, blind: Came, play: Came):
    played = stud(community, seat(1, own, "1x", ante=500, blind=500))
    assert lines_of(settle(played), 1) == {"ante": ante, "blind": blind, "play": play}


@pytest.mark.parametrize(
    ("own", "wheel", "pair_plus"),
    [
        pytest.param("7c 8d 9s", "true", ("win", 100, 600, "669a.11(i)(1)"), id="a straight in three cards pays 6"),
        pytest.param("2c 9c Jc", "true", ("win", 100, 400, "669a.11(i)(1)"), id="a flush in three cards pays 4"),
        pytest.param("Ac 2d 3s", "true", ("win", 100, 600, "669a.11(i)(1)"), id="A-2-3 is a straight (policy)"),
        pytest.param("Ac 2d 3s", "false", ("lose", 0, 0, "669a.11(i)(1)"), id="unless the table says otherwise"),
        pytest.param("Ac 2c 3c", "true", ("win", 100, 4000, "669a.11(i)(1)"), id="suited it is a straight flush"),
        pytest.param("Ac 2c 3c", "false", ("win", 100, 400, "669a.11(i)(1)"), id="or else a flush"),
        pytest.param("Qc Kd As", "true", ("win", 100, 600, "669a.11(i)(1)"), id="ace high"),
        pytest.param("Kc Ad 2s", "true", ("lose", 0, 0, "669a.11(i)(1)"), id="no straight goes round the ace"),
    ],
)
def test_three_cards_rank_straight_above_flush(own: str, wheel: str, pair_plus: Came):
    played = stud(
        "5d 6h Th", seat(1, own, "1x", ante=500, blind=500, pair_plus=100), options={"three_card_wheel": wheel}
    )
    assert lines_of(settle(played), 1)["pair_plus"] == pair_plus


def test_a_fold_in_raise_it_up_stud_gives_three_different_answers():
    """Progressive lost, envy kept, Six Card kept; and the folder's own royal still earns the others envy."""
    result = settle(
        stud(
            "5c 5d 2h",
            seat(2, "Ah Kh Qh", "check check fold", ante=500, blind=500, progressive=100),
            seat(5, "5h 7d 9s", "check check fold", ante=500, blind=500, progressive=200, six_card=100, pair_plus=100),
            seat(7, "As Ks Qs", "3x", ante=500, blind=500, progressive=100),
        ),
        meters={"main": 1_000_001},
        seeds={"main": 250_000},
    )
    assert lines_of(result, 5) == {
        "pair_plus": ("lose", 0, 0, "669a.11(i)(1)"),
        "ante": ("lose", 0, 0, "669a.11(f)"),
        "blind": ("lose", 0, 0, "669a.11(f)"),
        "progressive": ("lose", 0, 0, "669a.11(g)"),
        "six_card": ("win", 100, 500, "669a.11(i)(3)(ii)"),
    }
    assert awards_of(result, 5) == [("envy", 25 * 200, 2, None), ("envy", 100 * 200, 7, None)]
    assert awards_of(result, 2) == [("envy", 100 * 100, 7, None)]
    assert awards_of(result, 7) == [("envy", 25 * 100, 2, None)]
    assert lines_of(result, 7)["progressive"] == ("win", 0, 1_000_001, "669a.11(i)(3)(i)(D)")
    assert result.order == (7, 5)


def test_a_folded_royal_whose_cards_went_to_the_rack_earns_nobody_envy():
    result = settle(
        stud(
            "5c 5d 2h",
            seat(2, "Ah Kh Qh", "check check fold", ante=500, blind=500, pair_plus=100),
            seat(7, "2s 7s 9d", "1x", ante=500, blind=500, progressive=100),
        )
    )
    assert awards_of(result, 7) == []


TWO_STRAIGHT_FLUSHES = holdem(
    "6h 7h 8h 2c 2d",
    "Kc Qd",
    seat(2, "9h Th", "4x", ante=1000, blind=1000, progressive=100),
    seat(4, "Ac Ad", "check check fold", ante=1000, blind=1000, progressive=300),
    seat(5, "4h 5h", "4x", ante=1000, blind=1000, progressive=100),
)


def test_envy_of_several_holders_adds_up_and_is_never_for_the_own_hand():
    result = settle(TWO_STRAIGHT_FLUSHES, meters={"main": 1_000_005})
    assert {number: awards_of(result, number) for number in (2, 4, 5)} == {
        2: [("envy", 30_000, 5, None)],
        4: [("envy", 90_000, 2, None), ("envy", 90_000, 5, None)],
        5: [("envy", 30_000, 2, None)],
    }


@pytest.mark.parametrize(
    ("table", "meters", "first", "second"),
    [
        pytest.param("sister-A", {"main": 1_000_005}, 100_000, 90_000, id="10 % of what is left, rounded down"),
        pytest.param("sister-C", {"major": 1_000_005}, 1_000_005, 777, id="the whole leaves the seed"),
    ],
)
def test_the_seat_settled_first_locks_its_share_first(table: str, meters: dict[str, int], first: int, second: int):
    played = FinishedRound(
        **{
            **{name: getattr(TWO_STRAIGHT_FLUSHES, name) for name in FinishedRound.__slots__},
            "paytables": {**TWO_STRAIGHT_FLUSHES.paytables, "progressive": table},
        }
    )
    result = settle(played, meters=meters, seeds={"major": 777})
    assert [lines_of(result, number)["progressive"][2] for number in (5, 2)] == [first, second]


def test_without_the_meters_a_share_is_claimed_and_has_no_amount():
    (line,) = [line for line in settle(TWO_STRAIGHT_FLUSHES).seats[0].lines if line.wager == "progressive"]
    assert line.model_dump() == {
        "wager": "progressive",
        "stake": 100,
        "outcome": "win",
        "returned": 0,
        "won": 0,
        "rule": "653a.11(k)(4)",
        "share": {"meter": "main", "percent": 10},
        "paid_from": "meter",
        "awaits_validation": False,
    }


def test_for_one_pays_less_than_the_same_number_to_one():
    """Both bets have three of a kind on three own cards: 30 to 1 keeps the stake, 60 for 1 does not."""
    played = stud("5c 6d Th", seat(1, "9h 9c 9s", "3x", ante=500, blind=500, pair_plus=100, progressive=100))
    lines = lines_of(settle(played), 1)
    assert lines["pair_plus"] == ("win", 100, 3000, "669a.11(i)(1)")
    assert lines["progressive"] == ("win", 0, 6000, "669a.11(i)(3)(i)(D)")


ROYAL_AGAINST_STRAIGHT_FLUSH = ("Ts Js Qs 2c 2d", "9s 8s")


@pytest.mark.parametrize(
    ("meter", "won", "paid_from"),
    [
        pytest.param(24_999, 25_000, "game_account", id="the dealer's 250 for 1 is larger"),
        pytest.param(25_000, 25_000, "meter", id="equal: the player's"),
        pytest.param(25_001, 25_001, "meter", id="the meter is larger"),
    ],
)
def test_five_card_pays_the_larger_prize_alone(meter: int, won: int, paid_from: str):
    played = holdem(*ROYAL_AGAINST_STRAIGHT_FLUSH, seat(1, "As Ks", "4x", ante=1000, blind=1000, five_card=100))
    (line,) = [line for line in settle(played, meters={"main": meter}).seats[0].lines if line.wager == "five_card"]
    assert (line.outcome, line.returned, line.won, line.paid_from) == ("win", 0, won, paid_from)


def test_five_card_sees_the_meter_after_the_seats_own_progressive():
    """The royal took the whole meter, so the five-card share is worth the seed, and the dealer's prize is larger."""
    played = holdem(
        *ROYAL_AGAINST_STRAIGHT_FLUSH,
        seat(1, "As Ks", "4x", ante=1000, blind=1000, progressive=100, five_card=100),
    )
    lines = lines_of(settle(played, meters={"main": 5_000_000}, seeds={"main": 10_000}), 1)
    assert lines["progressive"] == ("win", 0, 5_000_000, "653a.11(k)(4)")
    assert lines["five_card"] == ("win", 0, 25_000, "653a.11(l)(3)")


@pytest.mark.parametrize(
    ("options", "decisions", "awards"),
    [
        pytest.param(
            {"lucky": "1", "magic_card": "9c"},
            "4x",
            [("lucky", 200, None, "game_account"), ("magic", 200, None, "game_account")],
            id="the own position and an own card",
        ),
        pytest.param(
            {"lucky": "dealer", "magic_card": "Kd"},
            "4x",
            [("lucky", 200, None, "game_account"), ("magic", 200, None, "game_account")],
            id="the dealer's position and a card of the dealer's",
        ),
        pytest.param({"lucky": "2", "magic_card": "Qs"}, "4x", [], id="another seat's position, a card of the flop"),
        pytest.param(
            {"lucky": "1", "magic_card": "9c"}, "check check fold", [], id="own cards count no more after a fold"
        ),
        pytest.param(
            {"lucky": "dealer", "magic_card": "Kd"},
            "check check fold",
            [("lucky", 200, None, "game_account"), ("magic", 200, None, "game_account")],
            id="the dealer's still do",
        ),
    ],
)
def test_lucky_and_magic_are_paid_on_top(
    options: dict[str, str], decisions: str, awards: list[tuple[str, int, None, str]]
):
    played = holdem(
        "9d 9h Qs Kh 2c",
        "9s Kd",
        seat(1, "9c 3c", decisions, ante=1000, blind=1000, five_card=100),
        seat(2, "Ac 4c", "check 2x", ante=1000, blind=1000),
        options=options,
    )
    assert awards_of(settle(played), 1) == awards


@pytest.mark.parametrize(
    ("own", "dealer", "came"),
    [
        pytest.param("Ac Ad", "Ah As", ("win", 10, 5000, "653b.5"), id="aces on both sides"),
        pytest.param("Ac Ad", "Ah Ks", ("win", 10, 300, "653b.5"), id="a pair of aces"),
        pytest.param("Ac Kc", "2h 3s", ("win", 10, 200, "653b.5"), id="A-K suited"),
        pytest.param("Kd Ac", "2h 3s", ("win", 10, 100, "653b.5"), id="A-K"),
        pytest.param("Jd Jc", "2h 3s", ("win", 10, 60, "653b.5"), id="jacks"),
        pytest.param("Td Tc", "2h 3s", ("win", 10, 30, "653b.5"), id="tens"),
        pytest.param("Kd Qd", "2h 3s", ("lose", 0, 0, "653b.5"), id="nothing"),
    ],
)
def test_ultimate_pairs_pays_the_best_row_that_fits(own: str, dealer: str, came: Came):
    played = holdem("4s 5d 7c 8h 9d", dealer, seat(1, own, "4x", ante=1000, blind=1000, ultimate_pairs=10))
    assert lines_of(settle(played), 1)["ultimate_pairs"] == came


def test_a_forfeited_seat_loses_every_line_gets_no_award_and_triggers_none():
    played = holdem(
        "6h 7h 8h 2c 2d",
        "Kc Qd",
        seat(2, "9h Th", "4x", ante=1000, blind=1000, progressive=100, trips=50, forfeited="signals"),
        seat(5, "4h 5h", "4x", ante=1000, blind=1000, progressive=100),
    )
    result = settle(played)
    forfeited = ("forfeit", 0, 0, "policy: forfeited seat")
    assert lines_of(result, 2) == dict.fromkeys(("ante", "blind", "play", "trips", "progressive"), forfeited)
    assert (awards_of(result, 2), awards_of(result, 5)) == ([], [])
    assert result.order == (5,)


def test_a_void_round_gives_everything_back_also_to_folded_and_forfeited_seats():
    void = flop_poker(
        "",
        seat(1, "Ac 5d 3h", "fold", ante=500, pot=100),
        seat(3, "Ad", "flop", ante=700, pot=100, forfeited="shows cards"),
        void="one card too few",
    )
    result = settle(void)
    rule = "policy: void round"
    assert lines_of(result, 1) == {"ante": ("void", 500, 0, rule), "pot": ("void", 100, 0, rule)}
    assert lines_of(result, 3) == {
        "ante": ("void", 700, 0, rule),
        "flop": ("void", 700, 0, rule),
        "pot": ("void", 100, 0, rule),
    }
    assert result.order == (3, 1)
