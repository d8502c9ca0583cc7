"""Method: a decision's value is the mean of the best that follows; odds found for an edge give it when counted."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import combinations

import pytest

from pitstream.evaluator import rank
from pitstream.games.hands import five_card_rows
from pitstream.odds import ParResult, inputs, result_of
from pitstream.odds import stud as stud_odds
from pitstream.odds import uth as uth_odds
from pitstream.odds.bad_beat import adapted
from pitstream.odds.card import card_of
from pitstream.odds.decisions import files, stud_fifths, uth_rivers
from pitstream.odds.solve import solve, with_odds
from pitstream.odds.strategy import Strategy, best, ids_of, strategy

UTH = "ultimate_texas_holdem"


@pytest.fixture(scope="module")
def holdem() -> Strategy:
    return strategy(inputs(UTH))


@pytest.fixture(scope="module")
def raise_it_up() -> Strategy:
    return strategy(inputs("raise_it_up_stud"))


@pytest.mark.parametrize(
    ("own", "board", "choice"),
    [
        pytest.param("Ah 2d", "", "4x", id="every ace raises at once"),
        pytest.param("3h 3d", "", "4x", id="threes raise at once"),
        pytest.param("2h 2d", "", "check", id="twos do not"),
        pytest.param("Kh 2h", "", "4x", id="K2 suited does"),
        pytest.param("Kh 4d", "", "check", id="K4 of two suits does not"),
        pytest.param("Jh 8h", "", "4x", id="J8 suited does"),
        pytest.param("Jh 9d", "", "check", id="J9 of two suits does not"),
        pytest.param("8h 7d", "8c Kd 2s", "2x", id="a pair with the flop"),
        pytest.param("Th 3h", "7h 2h Ks", "2x", id="four hearts with a ten"),
        pytest.param("9h 3h", "7h 2h Ks", "check", id="four hearts below a ten"),
        pytest.param("7h 2d", "Kc Qd 9s 8h 4c", "fold", id="nothing at all"),
        pytest.param("7h 2d", "As Ks Qs Js Ts", "1x", id="a royal flush on the board ties"),
    ],
)
def test_ultimate_texas_holdem_is_played_as_is_known(holdem: Strategy, own: str, board: str, choice: str) -> None:
    assert best(holdem.values(ids_of(own), ids_of(board), ())) == choice


def test_the_flop_s_check_is_the_mean_of_the_best_on_every_turn_and_river(holdem: Strategy) -> None:
    own, flop = ids_of("9h 3h"), ids_of("7h 2h Ks")
    left = [card for card in range(52) if card not in own + flop]
    rivers = [max(holdem.values(own, flop + bytes(cards), ()).values()) for cards in combinations(left, 2)]
    assert len(rivers) == 1_081
    assert holdem.values(own, flop, ())["check"] == sum(rivers, Fraction(0)) / 1_081


def test_each_street_of_stud_is_the_mean_of_the_best_on_the_next(raise_it_up: Strategy) -> None:
    own = ids_of("Th 8h 2d")
    left = [card for card in range(52) if card not in own]
    fourth = [raise_it_up.values(own, bytes([card]), ("check",)) for card in left]
    assert raise_it_up.values(own, b"", ())["check"] == sum((max(each.values()) for each in fourth), Fraction(0)) / 49
    fifth = [max(raise_it_up.values(own, bytes([left[0], card]), ("check", "check")).values()) for card in left[1:]]
    assert fourth[0]["check"] == sum(fifth, Fraction(0)) / 48


def test_flop_poker_s_decisions_make_its_value(flop_poker: ParResult) -> None:
    (lines,) = files(flop_poker.inputs).values()
    head, *told = [line.rstrip().split(",") for line in lines]
    assert head == ["hand", "stands_for", "flop", "fold"]
    assert len(told) == 1_755
    assert sum(int(count) for _, count, _, _ in told) == 22_100
    best_sum = sum(int(count) * max(Fraction(bet), Fraction(fold)) for _, count, bet, fold in told)
    assert best_sum / 22_100 == flop_poker.value


def paid(table: Mapping[str, int | Fraction], value: int, otherwise: int) -> int | Fraction:
    """What a hand of this value is paid for its highest row."""
    return next((table[row] for row in five_card_rows(value) if row in table), otherwise)


def listed(chunks: Iterable[str]) -> list[list[str]]:
    """Lines as their fields, the head first."""
    return [line.split(",") for line in "".join(chunks).splitlines()]


def test_the_files_of_stud_hold_every_hand_with_every_first_card(stud: ParResult) -> None:
    made = files(stud.inputs)
    third, fourth = (listed(made[name])[1:] for name in ("third_street.csv", "fourth_street.csv"))
    assert [len(third), len(fourth)] == [1_755, 1_755 * 49]
    value = sum(int(count) * max(map(Fraction, values)) for _, count, *values in third)
    assert value / 22_100 == stud.value


def test_a_river_s_decisions_are_those_of_990_dealers_one_by_one() -> None:
    """Method: hands of some classes of boards, each against every dealer by the evaluator and the rules alone."""
    found, pays = uth_odds.solve(inputs(UTH))
    blind = {"royal_flush": 500, "straight_flush": 50, "four_of_a_kind": 10, "full_house": 3, "straight": 1}
    blind["flush"] = Fraction(3, 2)
    # Without a flush; three, four and five of a suit.
    for at in (0, 3_000, 6_175, 20_000, 40_000, 42_782):
        head, *lines = listed(uth_rivers(found, pays.scale, [at]))
        assert head == ["board", "hand", "stands_for", "1x", "fold"]
        boards = Fraction(sum(int(line[2]) for line in lines), 1_081)
        assert boards.denominator == 1
        for board_text, hand, _, bet, fold in (lines[0], lines[len(lines) // 2], lines[-1]):
            board, own = ids_of(board_text), ids_of(hand)
            left = [card for card in range(52) if card not in board + own]
            mine = rank(board + own)
            won = Fraction(0)
            for dealers in combinations(left, 2):
                theirs = rank(board + bytes(dealers))
                qualifies = theirs >> 12 > 0
                if mine > theirs:
                    won += 1 + qualifies + paid(blind, mine, 0)
                elif mine < theirs:
                    won -= 2 + qualifies
            assert [Fraction(bet), Fraction(fold)] == [won / 990, -2]


def test_fifth_street_s_decisions_are_those_of_47_cards_one_by_one() -> None:
    solved, pays = stud_odds.solve(inputs("raise_it_up_stud"))
    head, *lines = listed(stud_fifths(solved, pays.scale, [0, 700]))
    assert head == ["hand", "board", "stands_for", "1x", "fold"]
    by_hand = [int(line[2]) for line in lines]
    assert sum(by_hand) == sum(solved.hands[place][1] for place in (0, 700)) * 1_176
    play = {"royal_flush": 100, "straight_flush": 20, "four_of_a_kind": 10, "full_house": 6, "flush": 5, "straight": 4}
    play |= {"three_of_a_kind": 3, "two_pair": Fraction(3, 2), "pair_tens_or_better": 1}
    blind = {"royal_flush": 1000, "straight_flush": 200, "four_of_a_kind": 30, "full_house": 4, "flush": 3}
    blind |= {"straight": 2, "three_of_a_kind": 1}
    for hand, board, _, bet, fold in lines[:: len(lines) // 12]:
        own, seen = ids_of(hand), ids_of(board)
        won = Fraction(0)
        for last in set(range(52)) - {*own, *seen}:
            value = rank(own + seen + bytes([last]))
            on_play = paid(play, value, -1)
            won += 1 + on_play + paid(blind, value, 0) if on_play > 0 else -3
        assert [Fraction(bet), Fraction(fold)] == [won / 47, -2]


@pytest.mark.slow
def test_the_file_of_rivers_holds_every_hand_on_every_board() -> None:
    found, pays = uth_odds.solve(inputs(UTH))
    stands_for = lines = 0
    for chunk in uth_rivers(found, pays.scale, range(42_783)):
        for line in chunk.splitlines():
            lines += 1
            stands_for += int(line.split(",")[2]) if line[0] != "b" else 0
    assert [lines - 1, stands_for] == [10_033_062, 2_598_960 * 1_081]


@pytest.mark.slow
def test_the_files_of_holdem_hold_every_class_of_hand_and_flop(uth: ParResult) -> None:
    made = files(uth.inputs)
    starts = listed(made["pre_flop.csv"])[1:]
    assert [len(starts), sum(int(count) for _, count, *_ in starts)] == [169, 1_326]
    assert sum(int(count) * max(map(Fraction, values)) for _, count, *values in starts) / 1_326 == uth.value
    flops = listed(made["flop.csv"])[1:]
    assert [len(flops), sum(int(line[2]) for line in flops)] == [1_286_792, 22_100 * 1_176]


@pytest.mark.parametrize(
    ("game", "wager", "row", "wanted"),
    [
        pytest.param("flop_poker", "flop", "straight", "1/40", id="a main row, play follows"),
        pytest.param("flop_poker", "three_card_bonus", "pair", "1/50", id="a side bet's row"),
        pytest.param("raise_it_up_stud", "play", "two_pair", "3/100", id="a row of Raise It Up Stud"),
    ],
)
def test_odds_found_for_an_edge_give_exactly_that_edge(game: str, wager: str, row: str, wanted: str) -> None:
    asked = inputs(game, side_bets=True)
    found = solve(asked, wager, row, Fraction(wanted))
    assert found.exact
    counted = result_of(with_odds(asked, wager, row, found.odds))
    edge = counted.edge if wager in asked.main else counted.wagers[wager].edge()
    assert edge == Fraction(wanted)
    (low, low_edge), (high, high_edge) = found.near
    assert [low.times, high.times] == [int(found.odds), int(found.odds) + 1]
    assert low_edge > Fraction(wanted) > high_edge


def test_cards_cost_little_against_best_play_and_never_less_than_nothing(flop_poker: ParResult) -> None:
    card = card_of(flop_poker.inputs)
    assert card is not None
    assert (card.best, card.cost) == (flop_poker.value, 0)
    stud = card_of(inputs("raise_it_up_stud"))
    assert stud is not None
    assert 0 < stud.cost < Fraction(2, 1000)


def test_holdem_s_card_is_the_known_one(uth: ParResult) -> None:
    card = card_of(uth.inputs)
    assert card is not None
    assert card.best == uth.value
    assert 0 < card.cost < Fraction(3, 1000)
    assert [(rule.street, rule.choice, rule.when) for rule in card.rules] == [
        (
            "before the flop",
            "4x",
            (
                "pairs: 3+",
                "any ace",
                "K2+ suited",
                "K5+ of two suits",
                "Q6+ suited",
                "Q8+ of two suits",
                "J8+ suited",
                "JT of two suits",
            ),
        ),
        ("before the flop", "check", ("anything else",)),
        (
            "flop",
            "2x",
            (
                "two pair or better with a card of the hand",
                "a pair with any card of the flop",
                "four to a flush with T or higher of the suit in the hand",
            ),
        ),
        ("flop", "check", ("anything else",)),
        (
            "river",
            "1x",
            (
                "a pair or better with a card of the hand",
                "at most 20 unseen cards that alone would beat you in the dealer's hand",
            ),
        ),
        ("river", "fold", ("anything else",)),
    ]


def test_play_adapted_to_the_bad_beat_folds_less_and_gives_the_house_less_of_both(uth: ParResult) -> None:
    found = adapted(uth)
    assert found.best_main.main == uth.edge
    assert found.best_main.bad_beat == uth.wagers["bad_beat"].edge()
    assert found.adapted.main > found.best_main.main
    assert found.adapted.together < found.best_main.together
    assert found.adapted.folds < found.best_main.folds
