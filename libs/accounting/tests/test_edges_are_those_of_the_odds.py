"""The table of edges. Method: its last table of each game against the odds themselves, and every bundled
paytable looked up in it."""

import runpy
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from pitstream.accounting.edges import Edge, edge_of
from pitstream.games.paytables import bundled
from pitstream.games.registry import game_named
from pitstream.odds import MAIN_WAGERS

GENERATE = runpy.run_path(str(Path(__file__).parents[1] / "generate_edges.py"))


@pytest.mark.parametrize("game", MAIN_WAGERS)
def test_the_file_says_what_the_odds_say(game: str):
    *_, (main, sides) = GENERATE["tables_of"](game)
    table = {**main, **sides}
    exact = GENERATE["edges"](game, table)
    found = {wager: edge_of(game, wager, table) for wager in exact}
    # The covariance of the Five Card Bonus takes a minute: it is not counted here.
    assert {wager: replace(edge, with_main=None) for wager, edge in found.items() if edge} == {
        wager: replace(edge, with_main=None) for wager, edge in exact.items()
    }
    counted = {wager for wager, edge in exact.items() if edge.with_main is not None}
    assert {wager: found[wager] for wager in counted} == {wager: exact[wager] for wager in counted}


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
    assert edge_of("ultimate_texas_holdem", "trips", {"trips": "our-own"}) is None
    assert edge_of("mississippi_stud", "ante", {}) is None
    assert edge_of("flop_poker", "pot", {}) == Edge(Fraction(0), Fraction(0))
