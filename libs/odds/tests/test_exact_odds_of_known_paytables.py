"""Method: the published and the regulation's figures, digit for digit, and each whole from all of its parts."""

from fractions import Fraction
from math import comb

import pytest

from pitstream.odds import ParResult, edge, par
from pitstream.odds.alone import alone
from pitstream.odds.kinds import KIND_COUNTS, THREE_COUNTS, THREE_KINDS

UTH = "ultimate_texas_holdem"


def test_ultimate_texas_holdem_with_blind_a(uth: ParResult) -> None:
    assert uth.value == Fraction(-50_643_648_973, 2_317_817_502_000)
    assert round(uth.element_of_risk * 10**8) == 526_214
    assert round(uth.mean_wager * 10**6) == 4_152_252
    assert {decision: round(part * 10**6) for decision, part in uth.decisions.items()} == {
        "4x before the flop": 377_074,
        "2x on the flop": 212_846,
        "1x on the river": 218_264,
        "fold": 191_816,
    }


def test_raise_it_up_stud_with_the_published_tables(stud: ParResult) -> None:
    assert stud.value == Fraction(-171_118_488, 4_886_044_800)
    assert round(stud.element_of_risk * 10**6) == 10_574
    assert round(stud.mean_wager * 10**6) == 3_311_960
    assert {decision: round(part * 10**6) for decision, part in stud.decisions.items()} == {
        "3x on Third Street": 245_973,
        "2x on Fourth Street": 173_165,
        "1x on Fifth Street": 227_712,
        "fold": 353_150,
    }


def test_raise_it_up_stud_asked_on_every_street_favours_the_player_by_64_percent() -> None:
    each = par("raise_it_up_stud", policies={"play_wagers": "each"}, side_bets=False)
    assert round(each.value * 100) == 64
    assert max(cell.staked for cell in each.cells) == 2 + 3 + 2 + 1


def test_flop_poker_with_the_liberal_table(flop_poker: ParResult) -> None:
    assert flop_poker.value == Fraction(-22_083_832, 407_170_400)
    assert flop_poker.decisions == {"bet": Fraction(19_100, 22_100), "fold": Fraction(3_000, 22_100)}


@pytest.mark.parametrize(
    ("game", "wager", "paytable", "known"),
    [
        pytest.param("ultimate_texas_holdem", "trips", "A", Fraction(301_629, 33_446_140), id="Trips A 0.9018%"),
        pytest.param(
            "ultimate_texas_holdem", "play_the_board", "A", Fraction(1_347, 43_316), id="Play the Board A 3.1097%"
        ),
        pytest.param(
            "ultimate_texas_holdem", "six_card", "published-1", Fraction(15_306, 149_695), id="Six Card 10.2248%"
        ),
        pytest.param("raise_it_up_stud", "six_card", "published-1", Fraction(15_306, 149_695), id="the same in stud"),
        pytest.param("raise_it_up_stud", "pair_plus", "published-1", Fraction(128, 5_525), id="Pair Plus 2.3167%"),
    ],
)
def test_side_bets_have_their_known_edges(game: str, wager: str, paytable: str, known: Fraction) -> None:
    assert edge(game, wager, paytable) == known


@pytest.mark.parametrize("game", ["uth", "stud", "flop_poker"])
def test_every_wager_is_told_in_every_deal_and_all_add_up(game: str, request: pytest.FixtureRequest) -> None:
    result: ParResult = request.getfixturevalue(game)
    main = [result.wagers[wager] for wager in result.inputs.main]
    assert sum(wager.mean.fixed for wager in main) == result.value
    assert sum(wager.stake for wager in main) == result.mean_wager
    assert sum(result.decisions.values()) == 1
    assert sum(result.results.values()) == result.deals
    # The variance of a sum is all covariances of its parts with it.
    covariances = [wager.covariance(result.value) for wager in main]
    assert sum(each.fixed for each in covariances if each is not None) == result.main.variance
    for wager in result.wagers.values():
        told = [row.with_main for row in wager.rows if row.with_main is not None]
        # Where the main game is joined to a wager, its rows hold the whole of it.
        assert not told or sum(told) / wager.deals == result.value
        assert result.deals % wager.deals == 0 or wager.name == "six_card"


def test_cards_by_kind_are_those_that_the_games_deal(uth: ParResult, stud: ParResult) -> None:
    """The counts that side bets alone use, from the counts of whole games."""
    trips = {row.outcome: Fraction(row.deals, uth.deals) for row in uth.wagers["trips"].rows}
    assert trips["straight"] == Fraction(KIND_COUNTS[7][6], comb(52, 7))
    six = {row.outcome: Fraction(row.deals, stud.deals) for row in stud.wagers["six_card"].rows}
    alone = {row.outcome: Fraction(row.deals, comb(52, 6)) for row in uth.wagers["six_card"].rows}
    assert six == alone
    assert {sum(counts) for counts in KIND_COUNTS.values()} == {comb(52, cards) for cards in KIND_COUNTS}
    assert sum(THREE_COUNTS) == comb(52, 3)
    pairs = {row.outcome: row.deals for row in stud.wagers["pair_plus"].rows}
    assert Fraction(pairs["pair"], stud.deals) == Fraction(THREE_COUNTS[THREE_KINDS.index("pair")], comb(52, 3))


@pytest.mark.parametrize("game", ["uth", "stud", "flop_poker"])
def test_a_side_bet_alone_has_the_edge_that_it_has_beside_the_main_game(
    game: str, request: pytest.FixtureRequest
) -> None:
    result: ParResult = request.getfixturevalue(game)
    told = {wager: alone(result.inputs, wager) for wager in result.inputs.side_bets}
    cards_alone = {wager: found.edge() for wager, found in told.items() if found is not None}
    assert cards_alone == {wager: result.wagers[wager].edge() for wager in cards_alone}
    assert cards_alone


def test_without_the_wheel_a_2_3_is_nothing() -> None:
    with_it = edge("raise_it_up_stud", "pair_plus", "published-1")
    without = edge("raise_it_up_stud", "pair_plus", "published-1", {"three_card_wheel": "false"})
    # 60 straights of 6 to 1 are nothing, 4 straight flushes of 40 to 1 are flushes of 4 to 1.
    assert without - with_it == Fraction(60 * 7 + 4 * 36, 22_100)
