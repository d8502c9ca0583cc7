"""What accounting asks of the odds. Method: figures of the known tables as fractions, and what may not be asked."""

from fractions import Fraction

import pytest

from pitstream.games.paytables import Paytables, bundled
from pitstream.odds import Edge, Moments, OddsError, ParResult, inputs, theoretical

UTH = inputs("ultimate_texas_holdem", side_bets=True).paytables
STUD = inputs("raise_it_up_stud", side_bets=True).paytables
FLOP = inputs("flop_poker", {"flop": "liberal"}, side_bets=True).paytables
NO_MONEY = Edge(Fraction(0), Fraction(0))


def test_the_ante_s_edge_holds_all_main_wagers(stud: ParResult) -> None:
    assert theoretical("raise_it_up_stud", "ante", STUD) == Edge(Fraction(7129937, 203585200), stud.main.variance)
    assert [theoretical("raise_it_up_stud", wager, STUD) for wager in ("blind", "play")] == [NO_MONEY, NO_MONEY]
    assert theoretical("flop_poker", "pot", FLOP) == NO_MONEY


def test_holdem_s_edges_are_the_known_ones(uth: ParResult) -> None:
    rows = {wager: UTH[wager] for wager in ("ante", "blind", "play", "trips", "progressive")}
    found = {wager: theoretical("ultimate_texas_holdem", wager, rows) for wager in rows}
    assert found["ante"] == Edge(Fraction(50_643_648_973, 2_317_817_502_000), uth.main.variance)
    assert found["blind"] == found["play"] == NO_MONEY
    assert found["trips"].mean == Fraction(301_629, 33_446_140)
    assert found["trips"].with_main == uth.covariance("trips")
    assert found["progressive"].mean == Fraction(3_324_619_483, 7_023_689_400)


def test_a_share_of_a_meter_stands_apart_from_what_the_table_pays() -> None:
    """Raise It Up Stud's progressive by hand: 22,100 hands, of which one alone wins the meter; a fold forfeits."""
    found = theoretical("raise_it_up_stud", "progressive", STUD)
    assert found.from_meters == {"main": Fraction(1, 22_100)}
    # Envy 100 for each other player's A-K-Q of spades, 25 for one of another suit: 4 of 22,100 hands.
    times = STUD["progressive"].envy
    royals = [times["three_card_royal_spades"]] + 3 * [times["three_card_royal"]]
    mean = Fraction(sum(royals), 22_100)
    square = Fraction(sum(each * each for each in royals), 22_100)
    assert found.awards == {"envy": Moments(mean, square - mean * mean)}
    assert 0 < found.mean < 1


def test_a_property_s_own_paytable_and_policy_are_priced() -> None:
    own = Paytables(
        '[raise_it_up_stud.pair_plus.mine]\nbasis = "to 1"\nstanding = "house"\nsource = "test"\n'
        "pays = { straight = 6, pair = 1 }\n",
        beside=bundled(),
    )
    rows = {**STUD, "pair_plus": own.named("raise_it_up_stud", "pair_plus", "mine")}
    # 720 straights, 48 straight flushes and 3,744 pairs; a straight flush has no row and fits no other.
    with_wheel = Fraction(22_100 - 720 - 3_744 - 6 * 720 - 3_744, 22_100)
    assert theoretical("raise_it_up_stud", "pair_plus", rows).mean == with_wheel
    # Without the wheel 60 A-2-3 of several suits are no straights any more.
    without = theoretical("raise_it_up_stud", "pair_plus", rows, {"three_card_wheel": "false"})
    assert without.mean == with_wheel + Fraction(7 * 60, 22_100)


@pytest.mark.parametrize(
    ("game", "wager", "rows", "policies", "said"),
    [
        pytest.param("baccarat", "ante", UTH, {}, "game was 'baccarat'", id="no such game"),
        pytest.param("flop_poker", "flop", {"ante": FLOP["ante"]}, {}, "rows.flop was missing", id="a main wager"),
        pytest.param("flop_poker", "insurance", FLOP, {}, "rows.insurance was missing", id="no such wager"),
        pytest.param("flop_poker", "ante", {**FLOP, "trips": UTH["trips"]}, {}, "rows.trips was 'trips'", id="alien"),
        pytest.param("flop_poker", "ante", {**FLOP, "flop": FLOP["ante"]}, {}, "rows.flop was flop_poker.ante.A",
                     id="another wager's table"),
        pytest.param("flop_poker", "ante", FLOP, {"three_card_wheel": "maybe"}, "policies.three_card", id="policy"),
    ],
)  # fmt: skip
def test_what_has_no_edge_is_said(game, wager, rows, policies, said) -> None:
    with pytest.raises(OddsError, match=said):
        theoretical(game, wager, rows, policies)
