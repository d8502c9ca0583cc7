"""Method: one thing wrong a line, and what is said of it; what only looks wrong has its right result."""

from fractions import Fraction
from types import MappingProxyType

import pytest

from pitstream.games.paytables import PaytableError, Paytables, bundled
from pitstream.odds import OddsError, ParResult, _odds, edge, inputs, par
from pitstream.odds.card import card_of
from pitstream.odds.check import check
from pitstream.odds.progressive import progressive_odds
from pitstream.odds.sheet import sheet_of
from pitstream.odds.solve import solve
from pitstream.odds.strategy import asked_at, ids_of, strategy

HOUSE = """
[flop_poker.flop.house]
basis = "to 1"
standing = "house"
source = "a test"
pays = {{ {pays} }}
"""


@pytest.mark.parametrize(
    ("pays", "said"),
    [
        pytest.param("straight = -1", "pays.straight was -1; allowed: n or [n, m] with 1 <= n", id="negative odds"),
        pytest.param("straight = 1.5", "pays.straight was 1.5", id="odds with a point"),
        pytest.param("streight = 1", "row was 'streight'", id="an unknown row"),
        pytest.param("", "pays was missing or empty", id="no pay rows"),
        pytest.param("royal_flush = 10", "pays leaves out", id="winning hands that nothing is said of"),
    ],
)
def test_a_paytable_that_says_nothing_sensible_is_refused_with_its_line(pays: str, said: str) -> None:
    with pytest.raises(PaytableError, match=r"^line ") as refused:
        Paytables(HOUSE.format(pays=pays), beside=bundled())
    assert said in refused.value.reason


@pytest.mark.parametrize(
    ("arguments", "field", "said"),
    [
        pytest.param({"game": "canasta"}, "game", "was 'canasta'; allowed: ultimate_texas_holdem", id="game"),
        pytest.param({"paytables": {"insurance": "A"}}, "paytables.insurance", "allowed: three_card_bonus", id="wager"),
        pytest.param({"paytables": {"flop": "Z"}}, "paytables.flop", "was 'Z'; allowed: NJ, liberal", id="paytable"),
        pytest.param({"policies": {"jokers": "2"}}, "policies.jokers", "allowed: three_card_wheel", id="policy"),
        pytest.param(
            {"policies": {"three_card_wheel": "maybe"}}, "policies.three_card_wheel", "allowed: false, true", id="value"
        ),
    ],
)
def test_what_no_game_has_is_refused_by_name(arguments: dict[str, object], field: str, said: str) -> None:
    with pytest.raises(OddsError) as refused:
        par(**{"game": "flop_poker", **arguments})  # type: ignore[arg-type]  # wrong on purpose
    assert refused.value.field == field
    assert said in refused.value.message


def _with(pays: str) -> Paytables:
    return Paytables(HOUSE.format(pays=pays), beside=bundled())


def test_a_main_wager_that_pays_a_share_of_a_meter_has_no_odds_of_its_own() -> None:
    rows = "straight_flush = { meter = 'main', percent = 10 }, four_of_a_kind = 1, full_house = 1, flush = 1"
    known = _with(f"{rows}, straight = 1, three_of_a_kind = 1, two_pair = 1, pair_jacks_or_better = 1")
    with pytest.raises(OddsError, match="pays a share of meter main; allowed: odds, or push"):
        par("flop_poker", {"flop": "house"}, known=known)


def test_where_folding_is_never_right_nobody_folds_and_the_player_has_the_advantage() -> None:
    known = _with(
        "straight_flush = 9000, four_of_a_kind = 9000, full_house = 9000, flush = 9000, straight = 9000,"
        " three_of_a_kind = 9000, two_pair = 9000, pair_jacks_or_better = 9000"
    )
    result = par("flop_poker", {"flop": "house"}, known=known)
    assert result.decisions == {"bet": 1}
    assert result.edge < -1_000
    assert result.mean_wager == 2


def test_where_a_win_pays_hardly_anything_everybody_folds_that_may() -> None:
    least = "[1, 9000]"
    rows = "straight_flush four_of_a_kind full_house flush straight three_of_a_kind two_pair pair_jacks_or_better"
    known = _with(", ".join(f"{row} = {least}" for row in rows.split()))
    result = par("flop_poker", {"flop": "house"}, known=known)
    assert 0 < result.decisions["fold"] < 1
    assert 0 < result.edge <= 1


def test_odds_on_a_denominator_too_fine_for_whole_numbers_are_refused_not_rounded() -> None:
    text = """
    [ultimate_texas_holdem.blind.fine]
    basis = "to 1"
    standing = "house"
    source = "a test"
    pays = { royal_flush = [9000, 8999], straight_flush = [9000, 8997], full_house = [9000, 8993], any = [9000, 8992] }
    """
    known = Paytables(text, beside=bundled())
    with pytest.raises(OddsError, match="on their common denominator"):
        par("ultimate_texas_holdem", {"blind": "fine"}, known=known)


@pytest.mark.parametrize(
    ("wager", "row", "wanted", "said"),
    [
        pytest.param("insurance", "pair", "0.02", "was wager 'insurance'; allowed: three_card_bonus", id="wager"),
        pytest.param("flop", "pair", "0.02", "was row 'pair' of flop.NJ; allowed: royal_flush", id="row"),
        pytest.param("flop", "royal_flush", "0.9", "with odds from 1/9000 to 9000", id="out of reach"),
        pytest.param("three_card_bonus", "pair", "2", "with odds from 1/9000 to 9000", id="beyond a stake"),
    ],
)
def test_odds_that_cannot_be_found_are_refused_with_what_can(wager: str, row: str, wanted: str, said: str) -> None:
    with pytest.raises(OddsError) as refused:
        solve(inputs("flop_poker", side_bets=True), wager, row, Fraction(wanted))
    assert said in str(refused.value)


def test_a_meter_that_is_needed_and_not_given_is_named() -> None:
    with pytest.raises(OddsError, match=r"meters.main was missing"):
        edge("raise_it_up_stud", "progressive", "house-1")


def test_cards_that_cannot_be_asked_about_are_refused(stud: ParResult) -> None:
    game = stud.inputs.game
    for own, board, earlier, said in (
        ("As Ks", "", (), "own was 2 cards; allowed: 3"),
        ("As Ks As", "", (), "held As twice"),
        ("As Ks Qs", "Js Ts 9s", (), "board was 3 cards; allowed: 0 or 1 or 2"),
        ("As Ks Qs", "Js", ("3x",), "earlier was 3x; allowed: answers after which the seat is asked"),
        ("As Ks Qs", "Js", ("4x",), "earlier was '4x' on third_street"),
    ):
        with pytest.raises(OddsError) as refused:
            asked_at(game, ids_of(own), ids_of(board), earlier)
        assert said in str(refused.value)
    with pytest.raises(OddsError, match=r"hand\[1\] was '1x'; allowed: a rank"):
        ids_of("As 1x", "hand")


def test_rounds_of_what_no_table_offers_are_not_played() -> None:
    each = par("raise_it_up_stud", policies={"play_wagers": "each"}, side_bets=False)
    with pytest.raises(OddsError, match=r"policies\.play_wagers was 'each'; allowed"):
        check(each, strategy(each.inputs), rounds=1, seed=1)


def test_payoffs_of_the_wrong_shape_or_size_never_reach_a_count() -> None:
    row = [0] * 12
    for arguments, said in (
        ((row[1:], row, -2, -1, False), "base: was 11 numbers; allowed: 12"),
        ((row, [2**60, *row[1:]], -2, -1, False), "payoff: was 1152921504606846976; allowed"),
    ):
        with pytest.raises(ValueError, match=said):
            _odds.stud_solve(*arguments)
    with pytest.raises(ValueError, match="base: was 1 rows; allowed: 12"):
        _odds.uth_value([[0] * 13], [[0] * 13], -2)


def test_a_count_stops_when_whoever_watches_has_seen_enough() -> None:
    class EnoughError(Exception):
        pass

    def stop(_done: int, _steps: int) -> None:
        raise EnoughError

    with pytest.raises(EnoughError):
        par("ultimate_texas_holdem", progress=stop)


def test_a_row_paid_by_no_hand_is_no_row_to_solve() -> None:
    asked = inputs("flop_poker", side_bets=True)
    bonus = asked.paytables["three_card_bonus"]
    assert isinstance(bonus.pays, MappingProxyType)
    with pytest.raises(OddsError, match="allowed: three_card_royal"):
        solve(asked, "three_card_bonus", "any", Fraction(1, 50))


def test_a_meter_that_no_paytable_pays_from_is_refused(flop_poker: ParResult) -> None:
    with pytest.raises(OddsError, match=r"meters\.main was 'main'; allowed: none, no paytable here pays a share"):
        sheet_of(flop_poker, amounts={"main": Fraction(5)})


UTH = "ultimate_texas_holdem"
STUD = "raise_it_up_stud"


def _tables(game: str, **pays: str) -> Paytables:
    head = 'basis = "to 1"\nstanding = "house"\nsource = "a test"\n'
    text = "".join(f"[{game}.{wager}.odd]\n{head}pays = {{ {rows} }}\n" for wager, rows in pays.items())
    return Paytables(text, beside=bundled())


@pytest.mark.parametrize(
    ("game", "pays", "decisions", "rules"),
    [
        pytest.param(
            UTH,
            {"play": "any = 9000"},
            {"4x before the flop": 1},
            [("before the flop", "4x", ("any hand",))],
            id="every hand raises",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            STUD,
            {"play": "any = 9000"},
            {"3x on Third Street": 1},
            [("Third Street", "3x", ("any hand",))],
            id="every hand of stud raises",
        ),
        pytest.param(
            "flop_poker", {"flop": "any = 9000"}, {"bet": 1}, [("deal", "flop", ("any hand",))], id="every hand bets"
        ),
    ],
)
def test_where_every_hand_is_played_alike_the_card_says_so_and_costs_nothing(
    game: str, pays: dict[str, str], decisions: dict[str, int], rules: list[tuple[str, str, tuple[str, ...]]]
) -> None:
    result = par(game, dict.fromkeys(pays, "odd"), known=_tables(game, **pays), side_bets=False)
    assert result.decisions == decisions
    assert result.edge < -2_000
    card = card_of(result.inputs)
    assert card is not None
    assert [(rule.street, rule.choice, rule.when) for rule in card.rules] == rules
    assert card.cost == 0


def test_a_play_wager_that_only_pushes_is_placed_as_late_and_as_small_as_can_be() -> None:
    result = par(UTH, {"play": "odd"}, known=_tables(UTH, play='any = "push"'), side_bets=False)
    assert set(result.decisions) == {"1x on the river", "fold"}
    assert 0 < result.edge < 2


def test_a_royal_that_is_folded_still_brings_the_others_envy_at_stud() -> None:
    known = _tables(STUD, play="any = [1, 9000]", ante="any = [1, 9000]")
    result = par(STUD, {"play": "odd", "ante": "odd"}, known=known)
    assert result.decisions["fold"] > Fraction(1, 2)
    odds = progressive_odds(bundled().named(STUD, "progressive", "house-1"), result.wagers["progressive"], players=2)
    assert odds.envy == Fraction(100 + 3 * 25, 22_100)
