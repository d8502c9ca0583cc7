"""The odds of a game with certain paytables, and a wager's edge alone."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache

from pitstream.games.paytables import Paytables
from pitstream.odds import flop_poker, stud, uth
from pitstream.odds.alone import alone
from pitstream.odds.cells import Cell, Wager, wagers_of
from pitstream.odds.inputs import Inputs, inputs
from pitstream.odds.pays import Amounts
from pitstream.odds.result import ParResult

Progress = Callable[[int, int], object]


def par(
    game: str,
    paytables: Mapping[str, str] | None = None,
    policies: Mapping[str, str] | None = None,
    *,
    known: Paytables | None = None,
    side_bets: bool = True,
    joint: bool = False,
    progress: Progress | None = None,
) -> ParResult:
    """Everything about a game under best play of its main wagers: exact.

    ``paytables``: wager -> id; a main wager left out has its first listed one, and so has every side bet unless
    ``side_bets`` is False. ``known``: the paytables to choose from, the bundled ones when None. ``policies``: as a
    table is opened with; ``play_wagers`` of Raise It Up Stud may be "each" here. ``joint``: join the Five Card Bonus of
    Ultimate Texas Hold'em with the main game, for its covariance, in most of a minute of processor time. ``progress``:
    called with the steps done and their number; what it raises stops the count, as Ctrl-C does.

    Raises OddsError: an unknown game, wager, paytable or policy, or a main wager that pays a share of a meter.
    """
    asked = inputs(game, paytables, known=known, policies=policies, side_bets=side_bets)
    return result_of(asked, progress, joint=joint)


def result_of(asked: Inputs, progress: Progress | None = None, *, joint: bool = False) -> ParResult:
    """As ``par``, of checked inputs."""
    further: tuple[Wager, ...] = ()
    cells: tuple[Cell, ...]
    match asked.game.name:
        case "ultimate_texas_holdem":
            found, pays = uth.solve(asked, progress)
            cells = tuple(uth.cells(found, pays))
            further = tuple(uth.side_bets(asked, found, pays, joint=joint, progress=progress))
        case "raise_it_up_stud":
            cells = tuple(stud.cells(*stud.solve(asked, progress)))
        case _:
            cells = tuple(flop_poker.cells(*flop_poker.solve(asked, progress)))
    wagers = {wager.name: wager for wager in (*wagers_of(cells), *further)}
    in_order = {name: wagers[name] for name in asked.paytables}
    return ParResult(asked, sum(cell.deals for cell in cells), cells, in_order)


def edge(
    game: str,
    wager: str,
    paytable: str,
    policies: Mapping[str, str] | None = None,
    *,
    paytables: Mapping[str, str] | None = None,
    known: Paytables | None = None,
    meters: Amounts | None = None,
) -> Fraction:
    """What the house keeps of a unit staked on one wager; of the main ones together, of the Ante.

    ``paytables``: those of the other wagers, else the first listed of each.

    >>> edge("raise_it_up_stud", "pair_plus", "published-1")
    Fraction(128, 5525)

    Raises OddsError, too when a meter is needed and not given.
    """
    asked = inputs(game, {**(paytables or {}), wager: paytable}, known=known, policies=policies)
    if (on_cards := alone(asked, wager)) is not None:
        return on_cards.edge(meters or {})
    result = kept(asked)
    if wager in asked.main:
        return result.edge if wager == "ante" else Fraction(0)
    return result.wagers[wager].edge(meters or {})


class _Asked:
    """Inputs to keep an answer by: the contents of the paytables and the policies."""

    def __init__(self, asked: Inputs) -> None:
        self.asked = asked
        tables = tuple((wager, table.sha256) for wager, table in asked.paytables.items())
        self._key = (asked.game.name, tables, tuple(sorted(asked.policies.items())))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Asked) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


def kept(asked: Inputs, *, joint: bool = False) -> ParResult:
    """As ``result_of``, of paytables and policies with the same content counted once."""
    return _kept(_Asked(asked), joint=joint)


@lru_cache(maxsize=64)
def _kept(asked: _Asked, *, joint: bool) -> ParResult:
    return result_of(asked.asked, joint=joint)
