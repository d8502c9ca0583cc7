"""Method: a second count, slow and written from the rules alone. It shares no code with the odds: no evaluator, no
kinds of hand, no classes, no reader of paytables but the file itself.

Side bets are counted over every set of three cards, and over sets of more drawn by a seed where those are too many:
there each row must lie within four standard errors. The last decision of each game is counted whole, over all that can
come; that those before it are the mean of the best that follows is tested beside the decisions.
"""

import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from importlib.resources import files
from itertools import combinations
from random import Random
from typing import Any

import pytest

from pitstream.odds import ParResult, edge, inputs
from pitstream.odds.strategy import Strategy, ids_of, strategy

RANKS = "23456789TJQKA"
DECK = [rank + suit for rank in RANKS for suit in "cdhs"]
TABLES: dict[str, Any] = tomllib.loads(files("pitstream.games").joinpath("paytables.toml").read_text())
FIVE = ("high", "pair", "two_pair", "three_of_a_kind", "straight", "flush", "full_house", "four_of_a_kind")
Value = tuple[int, list[int]]


def _ranks(cards: Iterable[str]) -> list[int]:
    """Ranks by how often they come, then by height."""
    counts = Counter(RANKS.index(card[0]) for card in cards)
    return sorted(counts, key=lambda rank: (counts[rank], rank), reverse=True)


def five(cards: Sequence[str]) -> Value:
    """Five cards: category 0 (high card) to 8 (straight flush), then what decides within it."""
    counts = sorted(Counter(card[0] for card in cards).values(), reverse=True)
    order = _ranks(cards)
    flush = len({card[1] for card in cards}) == 1
    straight = len(order) == 5 and (max(order) - min(order) == 4 or sorted(order) == [0, 1, 2, 3, 12])
    if straight and 12 in order and 3 in order:
        order = [3]
    if straight:
        return (8 if flush else 4), order[:1]
    if flush:
        return 5, order
    by_counts = {(4, 1): 7, (3, 2): 6, (3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1, (1, 1, 1, 1, 1): 0}
    return by_counts[tuple(counts)], order


def best(cards: Sequence[str]) -> Value:
    return max(five(chosen) for chosen in combinations(cards, 5))


def row_of_five(value: Value) -> list[str]:
    """The rows of a paytable that this hand may fit, the highest first."""
    category, order = value
    if category == 8:
        return ["royal_flush", "straight_flush"] if order == [12] else ["straight_flush"]
    if category == 1:
        return [
            *(["pair_jacks_or_better"] if order[0] >= 9 else []),
            *(["pair_tens_or_better"] if order[0] >= 8 else []),
            "pair",
        ]
    return [FIVE[category]] if category else []


def row_of_three(cards: Sequence[str]) -> list[str]:
    ranks = sorted(RANKS.index(card[0]) for card in cards)
    flush = len({card[1] for card in cards}) == 1
    straight = ranks[0] + 2 == ranks[1] + 1 == ranks[2] or ranks == [0, 1, 12]
    if straight and flush:
        royal = ["three_card_royal"] if ranks == [10, 11, 12] else []
        spades = ["three_card_royal_spades"] if royal and cards[0][1] == "s" else []
        return [*spades, *royal, "straight_flush"]
    if len(set(ranks)) == 1:
        return ["three_of_a_kind"]
    return ["straight"] if straight else ["flush"] if flush else ["pair"] if len(set(ranks)) == 2 else []


def net(table: dict[str, Any], rows: Iterable[str]) -> Fraction:
    """What a stake comes to."""
    prize = next((table["pays"][row] for row in (*rows, "any") if row in table["pays"]), None)
    if prize is None:
        return Fraction(-1)
    if prize == "push":
        return Fraction(0)
    odds = Fraction(*prize) if isinstance(prize, list) else Fraction(prize)
    return odds if table["basis"] == "to 1" else odds - 1


@pytest.mark.parametrize(
    ("game", "wager"),
    [("raise_it_up_stud", "pair_plus"), ("flop_poker", "three_card_bonus")],
)
def test_bets_on_three_cards_over_every_three_cards(game: str, wager: str) -> None:
    fits = [row_of_three(cards) for cards in combinations(DECK, 3)]
    assert len(fits) == 22_100
    for id_, table in TABLES[game][wager].items():
        assert edge(game, wager, id_) == -sum(net(table, rows) for rows in fits) / Fraction(22_100), id_


@pytest.mark.slow
def test_bets_on_the_board_over_every_five_cards() -> None:
    fits = Counter(tuple(row_of_five(five(cards))) for cards in combinations(DECK, 5))
    assert sum(fits.values()) == 2_598_960
    for id_, table in TABLES["ultimate_texas_holdem"]["play_the_board"].items():
        mean = sum(count * net(table, rows) for rows, count in fits.items()) / Fraction(2_598_960)
        assert edge("ultimate_texas_holdem", "play_the_board", id_) == -mean, id_


@pytest.mark.parametrize(("wager", "cards"), [("play_the_board", 5), ("six_card", 6), ("trips", 7)])
def test_bets_on_more_cards_over_hands_that_are_drawn(uth: ParResult, wager: str, cards: int) -> None:
    draw = Random(11)
    drawn = 4_000
    table = TABLES["ultimate_texas_holdem"][wager][uth.inputs.paytables[wager].id]
    found: Counter[str] = Counter()
    for _ in range(drawn):
        rows = row_of_five(best(draw.sample(DECK, cards)))
        found[next((row for row in rows if row in table["pays"]), "lose")] += 1
    exact = {row.outcome: Fraction(row.deals, uth.wagers[wager].deals) for row in uth.wagers[wager].rows}
    assert sum(exact.values()) == 1
    assert set(found) <= set(exact)
    off = {
        row: (found[row], float(part * drawn)) for row, part in exact.items() if not _likely(found[row], drawn, part)
    }
    assert off == {}


def _likely(hits: int, drawn: int, part: Fraction) -> bool:
    """Within four standard errors, and one more for rows that are hardly ever hit."""
    return abs(hits - float(drawn * part)) <= 4 * float(drawn * part * (1 - part)) ** 0.5 + 1


def _net_of_main(own: Value, dealer: Value, antes: int, blind: dict[str, Any]) -> Fraction:
    """653a.11(h): Ante, Blind and a Play Wager of so many Antes."""
    opens = dealer[0] > 0
    if own == dealer:
        return Fraction(0)
    if own < dealer:
        return Fraction(-1 - antes - (1 if opens else 0))
    return (1 if opens else 0) + antes + net(blind, row_of_five(own))


@pytest.mark.parametrize("blind", ["A", "B"])
@pytest.mark.parametrize(
    ("own", "board"),
    [
        pytest.param("7h 2d", "Kc Qd 9s 8h 4c", id="nothing"),
        pytest.param("Qh 3d", "Kc Td 9s 8h 4c", id="a queen that plays"),
        pytest.param("Ah 2h", "Kh Qh 9h 9c 3d", id="the best flush"),
        pytest.param("5s 5d", "9h 9c 9d 2s 3c", id="a full house"),
        pytest.param("2c 3d", "As Ks Qs Js Ts", id="a royal flush for everyone"),
        pytest.param("8c 7c", "6c 5d 4h Ks Kd", id="a straight"),
    ],
)
def test_the_river_s_bet_against_every_dealer(blind: str, own: str, board: str) -> None:
    hand, table = own.split(), board.split()
    left = [card for card in DECK if card not in (*hand, *table)]
    mine = best(hand + table)
    pays = TABLES["ultimate_texas_holdem"]["blind"][blind]
    dealers = [best([*dealer, *table]) for dealer in combinations(left, 2)]
    assert len(dealers) == 990
    bet = sum((_net_of_main(mine, theirs, 1, pays) for theirs in dealers), Fraction(0)) / 990
    found = _strategy_of(blind).values(ids_of(own), ids_of(board), ())
    assert found == {"1x": bet, "fold": -2}


@cache
def _strategy_of(blind: str) -> Strategy:
    return strategy(inputs("ultimate_texas_holdem", {"blind": blind}))


@pytest.mark.parametrize("own", ["Th 8h 2d", "As Ks Qs", "4c 4d 9h", "7c 5d 2h"])
def test_stud_s_last_card_over_all_that_can_come(own: str) -> None:
    hand = own.split()
    tables = {wager: TABLES["raise_it_up_stud"][wager]["published-1"] for wager in ("ante", "blind", "play")}
    draw = Random(7)
    play = strategy(inputs("raise_it_up_stud"))
    for _ in range(12):
        board = draw.sample([card for card in DECK if card not in hand], 2)
        last = [card for card in DECK if card not in (*hand, *board)]
        bet = Fraction(0)
        for card in last:
            value = best([*hand, *board, card])
            rows = row_of_five(value)
            wins = value[0] > 1 or "pair_tens_or_better" in rows
            bet += sum(net(table, rows) for table in tables.values()) if wins else -3
        found = play.values(ids_of(own), ids_of(" ".join(board)), ("check", "check"))
        assert found == {"1x": bet / 47, "fold": -2}


@pytest.mark.parametrize("own", ["As Kd Qc", "Jh 4d 2c", "Th 4d 2c"])
def test_flop_poker_s_bet_over_every_flop(own: str) -> None:
    hand = own.split()
    left = [card for card in DECK if card not in hand]
    pays = TABLES["flop_poker"]["flop"]["liberal"]
    with_two = {two: five([*hand, *two]) for two in combinations(left, 2)}
    total = Fraction(0)
    for flop in combinations(left, 3):
        value = max(with_two[two] for two in combinations(flop, 2))
        rows = row_of_five(value)
        total += 1 + net(pays, rows) if value[0] > 1 or "pair_jacks_or_better" in rows else -2
    found = strategy(inputs("flop_poker", {"flop": "liberal"})).values(ids_of(own), b"", ())
    assert found == {"flop": total / 18_424, "fold": -1}
