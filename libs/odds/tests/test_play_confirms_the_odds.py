"""Method: seeded rounds through the referee's commands and the live settlement, each mean in its interval."""

from dataclasses import replace
from fractions import Fraction

import pytest

from pitstream.odds import Net, ParResult
from pitstream.odds.check import check
from pitstream.odds.strategy import strategy


def _confirmed(result: ParResult, rounds: int) -> None:
    checked = check(result, strategy(result.inputs), rounds=rounds, seed=20_240_323)
    off = {wager: one for wager, one in checked.wagers.items() if not one.holds}
    assert off == {}
    assert set(checked.wagers) == {"main", *result.wagers}


@pytest.mark.parametrize("game", ["uth", "stud", "flop_poker"])
def test_rounds_of_the_live_game_come_to_the_exact_means(game: str, request: pytest.FixtureRequest) -> None:
    _confirmed(request.getfixturevalue(game), 1_000)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("game", ["uth", "stud", "flop_poker"])
def test_many_rounds_of_the_live_game_come_to_the_exact_means(game: str, request: pytest.FixtureRequest) -> None:
    _confirmed(request.getfixturevalue(game), 300_000)


def test_a_figure_that_is_half_a_stake_off_would_be_seen(flop_poker: ParResult) -> None:
    bonus = flop_poker.wagers["three_card_bonus"]
    rows = tuple(replace(row, net=Net(row.net.fixed + Fraction(1, 2))) for row in bonus.rows)
    wrong = replace(flop_poker, wagers={**flop_poker.wagers, "three_card_bonus": replace(bonus, rows=rows)})
    checked = check(wrong, strategy(wrong.inputs), rounds=1_000, seed=1)
    assert [wager for wager, one in checked.wagers.items() if not one.holds] == ["three_card_bonus"]
