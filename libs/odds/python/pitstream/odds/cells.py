"""Deals that come to the same, and what follows from them: means, variances, distributions.

A game's engine gives cells; all statistics are made here, in whole numbers and fractions.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from pitstream.games.hands import Rows
from pitstream.games.paytable import Paytable
from pitstream.odds.pays import LOSS, Amounts, Net, net_of

LOSE: Final = "lose"
FOLD: Final = "fold"
ANTE: Final = Fraction(1)
NONE: Final = Fraction(0)


@dataclass(frozen=True, slots=True)
class Line:
    """What one wager comes to."""

    outcome: str
    """The row that it is paid for, or why it is not: ``lose``, ``fold``, ``tie``."""
    net: Net
    """In Antes for a main wager, in its own stakes for a side bet."""
    stake: Fraction = ANTE


FOLDED: Final = Line(FOLD, Net(LOSS))
NOT_PLACED: Final = Line(FOLD, Net(NONE), NONE)


@dataclass(frozen=True, slots=True)
class Cell:
    """So many deals that are decided alike and in which every wager comes to the same."""

    deals: int
    """How many."""
    decision: str
    """What the player decides, all decisions of the round together."""
    main: Mapping[str, Line]
    """Main wager -> what it comes to, in Antes."""
    side: Mapping[str, Line] = field(default_factory=lambda: MappingProxyType({}))
    """Side bet -> what it comes to, in its own stakes."""

    @property
    def net(self) -> Fraction:
        """Antes won on the main wagers together."""
        return sum((line.net.fixed for line in self.main.values()), NONE)

    @property
    def staked(self) -> Fraction:
        """Antes wagered on the main wagers together."""
        return sum((line.stake for line in self.main.values()), NONE)


def row_of(paytable: Paytable, rows: Rows) -> str:
    """The row that pays a hand which fits these: the highest that the table has, ``any``, or ``lose``."""
    return next((row for row in (*rows, "any") if row in paytable.pays), LOSE)


def line_of(paytable: Paytable, rows: Rows) -> Line:
    """What a side bet comes to that is paid by rank."""
    return Line(row_of(paytable, rows), net_of(paytable, paytable.prize(rows)))


def collected(parts: Iterable[tuple[Fraction, int]]) -> dict[Fraction, int]:
    """Deals by result, the highest first."""
    found: dict[Fraction, int] = {}
    for result, deals in parts:
        if deals:
            found[result] = found.get(result, 0) + deals
    return dict(sorted(found.items(), reverse=True))


@dataclass(frozen=True, slots=True)
class Moments:
    """Mean and variance of a result."""

    mean: Fraction
    """In the unit of the result."""
    variance: Fraction
    """In the square of that unit."""


def moments(results: Mapping[Fraction, int]) -> Moments:
    """``results``: result -> deals."""
    deals = sum(results.values())
    mean = sum((result * count for result, count in results.items()), NONE) / deals
    square = sum((result * result * count for result, count in results.items()), NONE) / deals
    return Moments(mean, square - mean * mean)


@dataclass(frozen=True, slots=True)
class Row:
    """An outcome of a wager."""

    outcome: str
    """The paytable's row, or ``lose``, ``fold``, ``tie``."""
    net: Net
    """What it brings, in Antes for a main wager, in its own stakes for a side bet."""
    deals: int
    """How many deals come to it."""
    with_main: Fraction | None
    """The main game's result summed over these deals; None when it is not known."""


@dataclass(frozen=True, slots=True)
class Wager:
    """A wager's outcomes."""

    name: str
    """As the game names it."""
    rows: tuple[Row, ...]
    """The best result first."""
    stake: Fraction = ANTE
    """The mean stake: of a main wager in Antes, of a side bet 1."""
    awards: Mapping[str, Moments] = field(default_factory=lambda: MappingProxyType({}))
    """What is drawn for on top, by name: what a bet brings of it, in its stakes. No part of the rows."""

    @property
    def deals(self) -> int:
        """Deals of all outcomes together."""
        return sum(row.deals for row in self.rows)

    def results(self, amounts: Amounts | None = None) -> dict[Fraction, int]:
        """Deals by result. ``amounts``: what the meters stand at. Raises OddsError when one is needed and not given."""
        return collected((row.net.at(amounts or {}), row.deals) for row in self.rows)

    def edge(self, amounts: Amounts | None = None) -> Fraction:
        """What the house keeps of a unit staked; below 0 where the player has the advantage."""
        return -moments(self.results(amounts)).mean / self.stake if self.stake else NONE

    @property
    def mean(self) -> Net:
        """The mean result: exact, and linear in each meter."""
        return self._summed(lambda row: Fraction(row.deals, self.deals))

    def covariance(self, main: Fraction) -> Net | None:
        """With the main game, whose mean is ``main``; None when it is not known."""
        if any(row.with_main is None for row in self.rows):
            return None
        return self._summed(lambda row: ((row.with_main or NONE) - main * row.deals) / self.deals)

    @property
    def hit_frequency(self) -> Fraction:
        """How often it wins anything."""
        return Fraction(sum(row.deals for row in self.rows if row.net.fixed > 0 or row.net.shares), self.deals)

    def _summed(self, weight: Callable[[Row], Fraction]) -> Net:
        fixed, shares = NONE, dict[str, Fraction]()
        for row in self.rows:
            part = weight(row)
            fixed += part * row.net.fixed
            for meter, share in row.net.shares.items():
                shares[meter] = shares.get(meter, NONE) + part * share
        return Net(fixed, shares)


@dataclass(slots=True)
class _Tally:
    deals: int = 0
    with_main: Fraction = NONE


def wagers_of(cells: Iterable[Cell]) -> tuple[Wager, ...]:
    """Every wager of the cells, by outcome and result."""
    found: dict[str, dict[tuple[str, Fraction, tuple[tuple[str, Fraction], ...]], _Tally]] = {}
    staked: dict[str, Fraction] = {}
    for cell in cells:
        net = cell.net
        for wager, line in {**cell.main, **cell.side}.items():
            key = (line.outcome, line.net.fixed, tuple(line.net.shares.items()))
            tally = found.setdefault(wager, {}).setdefault(key, _Tally())
            tally.deals += cell.deals
            tally.with_main += net * cell.deals
            staked[wager] = staked.get(wager, NONE) + line.stake * cell.deals
    wagers = []
    for wager, tallies in found.items():
        rows = [
            Row(outcome, Net(fixed, dict(shares)), tally.deals, tally.with_main)
            for (outcome, fixed, shares), tally in tallies.items()
        ]
        wagers.append(wager_of(wager, rows, staked[wager] / sum(row.deals for row in rows)))
    return tuple(wagers)


def wager_of(name: str, rows: Iterable[Row], stake: Fraction = ANTE) -> Wager:
    """Shares of a meter first, then what pays best."""
    return Wager(name, tuple(sorted(rows, key=_by_result)), stake)


def _by_result(row: Row) -> tuple[Fraction, Fraction, str]:
    return (-sum(row.net.shares.values(), NONE), -row.net.fixed, row.outcome)
