"""Raise It Up Stud: 58 Pa. Code Chapter 669a."""

from pitstream.games.game import Game, Street

GAME = Game(
    name="raise_it_up_stud",
    title="Raise It Up Stud",
    hole_cards=3,
    dealer_cards=0,
    streets=(
        Street("third_street", community=0, burned=0, choices=("check", "1x", "2x", "3x"), rule="669a.11(b)"),
        Street("fourth_street", community=1, burned=0, choices=("check", "1x", "2x"), rule="669a.11(d)"),
        Street("fifth_street", community=1, burned=0, choices=("1x", "fold"), rule="669a.11(f)"),
    ),
    showdown=Street("sixth_street", community=1, burned=0, choices=(), rule="669a.11(h)"),
    bonus_cards=0,
    bonus_wager=None,
    wagers=("pair_plus", "ante", "blind", "play", "progressive", "six_card"),
    required=("ante", "blind"),
    equal_to_ante=("blind",),
    same_for_all=(),
    without_paytable=(),
    play="play",
    play_multiple={"1x": 1, "2x": 2, "3x": 3},
    options={"three_card_wheel": frozenset({"true", "false"}), "play_wagers": frozenset({"one"})},
)
