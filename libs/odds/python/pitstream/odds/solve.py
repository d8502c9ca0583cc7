"""Advice in reverse: the odds of one row that give the edge that is wanted.

A side bet's result is linear in the odds of its row, so the answer is one division. Under best play a main wager's is
the highest of many lines, one for each way to play: Newton's steps run along them until both neighbours of the answer
lie on one line; on it the answer is exact.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from pitstream.games.odds import MeterShare, Odds, Prize
from pitstream.games.paytables import ODDS_MAX
from pitstream.odds.cells import NONE
from pitstream.odds.errors import OddsError
from pitstream.odds.inputs import Inputs
from pitstream.odds.par import result_of
from pitstream.odds.pays import Amounts

_STEP: Final = Fraction(1, 256)
"""How close the neighbours of an answer are tried."""
_FINEST: Final = Fraction(1, 256**2)
_TRIES: Final = 16
_LEAST: Final = Fraction(1, ODDS_MAX)


@dataclass(frozen=True, slots=True)
class Solved:
    """Odds for a row."""

    wager: str
    row: str
    wanted: Fraction
    """The house's edge that was asked for."""
    odds: Fraction
    """What gives this edge, as the paytable writes odds ("to 1" or "for 1")."""
    exact: bool
    """Whether it gives the edge exactly; where play changes close by, it comes within 1/65536."""
    near: tuple[tuple[Odds, Fraction], ...]
    """The whole odds next to it, each with the edge that it gives."""


@dataclass(frozen=True, slots=True)
class _Point:
    odds: Fraction
    edge: Fraction
    slope: Fraction
    """What one more of the odds takes off the edge while play stays the same."""

    def reach(self, edge: Fraction) -> Fraction:
        """Where this line has that edge."""
        return self.odds + (self.edge - edge) / self.slope

    def moved(self, odds: Fraction) -> "_Point":
        """The same line at other odds."""
        return _Point(odds, self.edge - self.slope * (odds - self.odds), self.slope)


def solve(
    asked: Inputs,
    wager: str,
    row: str,
    edge: Fraction,
    *,
    meters: Amounts | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Solved:
    """The odds of ``row`` in the paytable of ``wager`` with which the house keeps ``edge`` of a unit.

    The edge of a main wager is that of the whole main game, per Ante. ``meters``: what those of the wager stand at.
    Raises OddsError: no such row, a row that no hand wins, or an edge that no odds from 1/9000 to 9000 give.
    """
    _require(asked, wager, row)
    only = {name: table for name, table in asked.paytables.items() if name == wager or name in asked.main}
    asked = replace(asked, paytables=only)
    prize = asked.paytables[wager].pays[row]
    start = Fraction(prize.times, prize.per) if isinstance(prize, Odds) else Fraction(1)
    first = _point(with_odds(asked, wager, row, start), wager, row, start, meters, progress)
    if first.slope == 0:
        raise OddsError(
            "solve", f"was {wager}.{row}, which no hand wins as the game is played; allowed: a row that is won"
        )
    tried = {start: first}

    def at(odds: Fraction) -> _Point:
        if odds not in tried:
            if wager in asked.main:
                tried[odds] = _point(with_odds(asked, wager, row, odds), wager, row, odds, meters, progress)
            else:
                tried[odds] = first.moved(odds)
        return tried[odds]

    found = _newton(at, first, edge)
    if found is None:
        least, most = at(_LEAST), at(Fraction(ODDS_MAX))
        allowed = f"with odds from {_LEAST} to {ODDS_MAX} it goes from {_percent(least.edge)} to {_percent(most.edge)}"
        raise OddsError("edge", f"was {_percent(edge)}; allowed: {allowed}")
    odds, exact = found
    floor = odds.numerator // odds.denominator
    whole = sorted({min(max(1, times), ODDS_MAX) for times in (floor, floor if odds == floor else floor + 1)})
    return Solved(wager, row, edge, odds, exact, tuple((Odds(times), at(Fraction(times)).edge) for times in whole))


def with_odds(asked: Inputs, wager: str, row: str, odds: Fraction) -> Inputs:
    """The same with other odds in one row."""
    table = asked.paytables[wager]
    pays: dict[str, Prize] = {**table.pays, row: Odds(odds.numerator, odds.denominator)}
    changed = replace(table, id=f"{table.id}?{row}={odds}", pays=MappingProxyType(pays), sha256="")
    return replace(asked, paytables={**asked.paytables, wager: changed})


def _require(asked: Inputs, wager: str, row: str) -> None:
    if wager not in asked.paytables:
        raise OddsError("solve", f"was wager {wager!r}; allowed: {', '.join(asked.paytables)}")
    table = asked.paytables[wager]
    if row not in table.pays:
        raise OddsError("solve", f"was row {row!r} of {wager}.{table.id}; allowed: {', '.join(table.pays)}")
    if isinstance(table.pays[row], MeterShare):
        raise OddsError("solve", f"was row {row!r}, which pays {table.pays[row]}; allowed: a row with odds")
    if table.dealer_pays:
        raise OddsError("solve", f"was {wager}, whose prizes are compared with the dealer's; allowed: another wager")


def _point(
    asked: Inputs,
    wager: str,
    row: str,
    odds: Fraction,
    meters: Amounts | None,
    progress: Callable[[int, int], object] | None,
) -> _Point:
    result = result_of(asked, progress)
    if wager in asked.main:
        won = sum(
            (cell.deals * cell.main[wager].stake for cell in result.cells if cell.main[wager].outcome == row), NONE
        )
        return _Point(odds, result.edge, won / result.deals)
    found = result.wagers[wager]
    won = Fraction(sum(each.deals for each in found.rows if each.outcome == row))
    return _Point(odds, found.edge(meters), won / found.deals)


def _newton(at: Callable[[Fraction], _Point], point: _Point, edge: Fraction) -> tuple[Fraction, bool] | None:
    """The odds, and whether they are exact; None when no allowed odds give the edge.

    The edge falls as the odds rise, and every line lies on one side of it, so a step never comes to stand before a
    nearer one was tried.
    """
    step = _STEP
    for _ in range(_TRIES):
        aim = min(max(point.reach(edge), _LEAST), Fraction(ODDS_MAX))
        below = max(aim // step * step, _LEAST)
        above = min(below + step, Fraction(ODDS_MAX))
        low, high = at(below), at(above)
        if (low.edge < edge and below == _LEAST) or (high.edge > edge and above == ODDS_MAX):
            return None
        if low.edge >= edge >= high.edge:
            if low.moved(above).edge == high.edge and low.slope:
                return low.reach(edge), True
            # Play changes between the two.
            if step <= _FINEST:
                return (below if low.edge - edge <= edge - high.edge else above), False
            point, step = low if low.slope else high, step / 256
            continue
        point = low if low.edge < edge else high
        if point.slope == 0:
            return None
    raise OddsError("edge", f"was {_percent(edge)}, which {_TRIES} steps did not reach; allowed: another edge")


def _percent(edge: Fraction) -> str:
    return f"{float(edge):.4%}"
