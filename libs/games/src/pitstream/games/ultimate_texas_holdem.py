"""Ultimate Texas Hold'em: 58 Pa. Code Chapter 653a, with the temporary wagers of 653b.3 to 653b.5."""

from pitstream.games.game import CARDS, Game, Street

GAME = Game(
    name="ultimate_texas_holdem",
    title="Ultimate Texas Hold'em",
    hole_cards=2,
    dealer_cards=2,
    streets=(
        Street("pre_flop", community=0, burned=0, choices=("check", "3x", "4x"), rule="653a.11(b)"),
        Street("flop", community=3, burned=1, choices=("check", "2x"), rule="653a.11(d)"),
        Street("river", community=2, burned=1, choices=("1x", "fold"), rule="653a.11(f)"),
    ),
    showdown=Street("showdown", community=0, burned=0, choices=(), rule="653a.11(g)"),
    bonus_cards=4,
    bonus_wager="six_card",
    wagers=(
        "ante",
        "blind",
        "play",
        "trips",
        "bad_beat",
        "progressive",
        "five_card",
        "six_card",
        "play_the_board",
        "ultimate_pairs",
    ),
    required=("ante", "blind"),
    equal_to_ante=("blind",),
    same_for_all=(),
    without_paytable=(),
    play="play",
    play_multiple={"1x": 1, "2x": 2, "3x": 3, "4x": 4},
    options={
        "lucky": frozenset(["dealer", *(str(seat) for seat in range(1, 8))]),
        "magic_card": CARDS,
    },
)
