"""What odds come to: every figure exact, as a fraction."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from pitstream.odds.cells import NONE, Cell, Moments, Wager, collected, moments
from pitstream.odds.inputs import Inputs


@dataclass(frozen=True)
class ParResult:
    """A game under best play with certain paytables."""

    inputs: Inputs
    """What was asked."""
    deals: int
    """Ways to deal, all as likely: of which every probability here is a part."""
    cells: tuple[Cell, ...] = field(repr=False)
    """Every deal, those that come to the same together."""
    wagers: Mapping[str, Wager] = field(repr=False)
    """By wager: main ones and side bets, in line order."""

    @cached_property
    def results(self) -> dict[Fraction, int]:
        """The main game's result in Antes -> deals, the highest first."""
        return collected((cell.net, cell.deals) for cell in self.cells)

    @cached_property
    def main(self) -> Moments:
        """The player's result on the main wagers, in Antes."""
        return moments(self.results)

    @property
    def value(self) -> Fraction:
        """The player's mean result per Ante under best play."""
        return self.main.mean

    @property
    def edge(self) -> Fraction:
        """What the house keeps of an Ante, main wagers together."""
        return -self.main.mean

    @cached_property
    def decisions(self) -> dict[str, Fraction]:
        """How often a round is decided so."""
        found: dict[str, int] = {}
        for cell in self.cells:
            found[cell.decision] = found.get(cell.decision, 0) + cell.deals
        return {decision: Fraction(deals, self.deals) for decision, deals in found.items()}

    @cached_property
    def mean_wager(self) -> Fraction:
        """Antes wagered a round on the main wagers together."""
        return sum((cell.staked * cell.deals for cell in self.cells), NONE) / self.deals

    @property
    def element_of_risk(self) -> Fraction:
        """What the house keeps of a unit wagered, main wagers together."""
        return self.edge / self.mean_wager

    def covariance(self, wager: str) -> Fraction | None:
        """Of a side bet that no meter pays with the main game, in its stakes times Antes; None when it is not known."""
        found = self.wagers[wager].covariance(self.value)
        return None if found is None else found.at({})
