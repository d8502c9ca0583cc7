"""The Bad Beat under best play of the main game, and under play that is adapted to it: a fold loses both."""

from dataclasses import dataclass
from fractions import Fraction

from pitstream.odds import uth
from pitstream.odds.cells import collected, moments, wagers_of
from pitstream.odds.errors import OddsError
from pitstream.odds.inputs import Inputs


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


def adapted(asked: Inputs, progress: uth.Progress | None = None) -> Adapted:
    """Raises OddsError: another game, or no Bad Beat among the paytables."""
    if asked.game.name != "ultimate_texas_holdem" or "bad_beat" not in asked.paytables:
        raise OddsError("paytables", "were without bad_beat; allowed: Ultimate Texas Hold'em with a Bad Beat")
    return Adapted(_played(asked, progress, bad_beat=False), _played(asked, progress, bad_beat=True))


def _played(asked: Inputs, progress: uth.Progress | None, *, bad_beat: bool) -> Played:
    found, pays = uth.solve(asked, progress, bad_beat=bad_beat)
    cells = tuple(uth.cells(found, pays))
    main = moments(collected((cell.net, cell.deals) for cell in cells))
    (side,) = (wager for wager in wagers_of(cells) if wager.name == "bad_beat")
    folded = sum(cell.deals for cell in cells if cell.decision == "fold")
    return Played(-main.mean, side.edge(), Fraction(folded, side.deals))
