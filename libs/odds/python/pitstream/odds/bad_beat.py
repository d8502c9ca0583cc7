"""The Bad Beat under best play of the main game, and under play that is adapted to it: a fold loses both."""

from dataclasses import dataclass, replace
from fractions import Fraction

from pitstream.odds import uth
from pitstream.odds.cells import Cell, collected, moments
from pitstream.odds.errors import OddsError
from pitstream.odds.result import ParResult


@dataclass(frozen=True, slots=True)
class Played:
    """The two bets, each at a stake of one Ante, under one way to play."""

    main: Fraction
    """The house's edge on the main wagers, per Ante."""
    bad_beat: Fraction
    """The house's edge on the Bad Beat."""
    folds: Fraction

    @property
    def together(self) -> Fraction:
        """What the house keeps per Ante of both."""
        return self.main + self.bad_beat


@dataclass(frozen=True, slots=True)
class Adapted:
    """Both ways to play."""

    best_main: Played
    """The main game is played as if there were no Bad Beat."""
    adapted: Played
    """Every decision looks at both."""


def adapted(result: ParResult, progress: uth.Progress | None = None) -> Adapted:
    """``result``: with a Bad Beat, under best play of the main game. Raises OddsError for another."""
    asked = result.inputs
    if asked.game.name != "ultimate_texas_holdem" or "bad_beat" not in asked.paytables:
        raise OddsError("paytables", "were without bad_beat; allowed: Ultimate Texas Hold'em with a Bad Beat")
    # The other side bets have no part in the play.
    both = {wager: asked.paytables[wager] for wager in (*asked.main, "bad_beat")}
    found, pays = uth.solve(replace(asked, paytables=both), progress, bad_beat=True)
    return Adapted(_played(result.cells), _played(tuple(uth.cells(found, pays))))


def _played(cells: tuple[Cell, ...]) -> Played:
    main = moments(collected((cell.net, cell.deals) for cell in cells))
    side = collected((cell.side["bad_beat"].net.fixed, cell.deals) for cell in cells)
    deals = sum(side.values())
    folded = sum(cell.deals for cell in cells if cell.decision == "fold")
    return Played(-main.mean, -moments(side).mean, Fraction(folded, deals))
