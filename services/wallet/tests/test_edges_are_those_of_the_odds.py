"""The wallet's table of edges. Method: its last table of each game against the odds themselves, and every bundled
paytable looked up in it."""

import runpy
from fractions import Fraction
from pathlib import Path

import pytest

from pitstream.games.paytables import bundled
from pitstream.games.registry import game_named
from pitstream.odds import MAIN_WAGERS
from pitstream.services.wallet.accounting.edges import edge_of

GENERATE = runpy.run_path(str(Path(__file__).parents[1] / "generate_edges.py"))


@pytest.mark.parametrize("game", MAIN_WAGERS)
def test_the_file_says_what_the_odds_say(game: str):
    *_, (main, sides) = GENERATE["tables_of"](game)
    table = {**main, **sides}
    exact = GENERATE["edges"](game, table)
    assert {wager: edge_of(game, wager, table) for wager in exact} == {
        wager: str(edge) for wager, edge in exact.items()
    }


@pytest.mark.parametrize("game", MAIN_WAGERS)
def test_every_bundled_paytable_has_its_edge(game: str):
    main = {wager: bundled().ids(game, wager)[0] for wager in MAIN_WAGERS[game]}
    missing = {
        (wager, name)
        for wager in game_named(game).with_paytable
        for name in bundled().ids(game, wager)
        if not edge_of(game, wager, {**main, wager: name})
    }
    assert not missing


def test_a_paytable_or_game_that_nobody_knows_has_no_edge():
    assert edge_of("ultimate_texas_holdem", "trips", {"trips": "our-own"}) == ""
    assert edge_of("mississippi_stud", "ante", {}) == ""
    assert Fraction(edge_of("flop_poker", "pot", {})) == 0
