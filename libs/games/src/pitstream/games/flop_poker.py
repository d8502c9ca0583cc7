"""Flop Poker: 58 Pa. Code Chapter 583."""

from pitstream.games.game import Game, Street

GAME = Game(
    name="flop_poker",
    title="Flop Poker",
    hole_cards=3,
    dealer_cards=0,
    streets=(Street("deal", community=0, burned=0, choices=("flop", "fold"), rule="583.11(b)"),),
    showdown=Street("flop", community=3, burned=1, choices=(), rule="583.11(c)"),
    bonus_cards=0,
    bonus_wager=None,
    wagers=("three_card_bonus", "ante", "flop", "pot"),
    required=("ante", "pot"),
    equal_to_ante=(),
    same_for_all=("pot",),
    without_paytable=("pot",),
    play="flop",
    play_multiple={"flop": 1},
    options={"three_card_wheel": frozenset({"true", "false"})},
)
