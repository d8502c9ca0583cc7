"""What a table is expected to win on a wager, and how far the win may lie from that: for accounting, not for play.

The table's own money: stakes, prizes at odds, awards. A share of a meter is the network's to pay and stands apart,
since what it is worth depends on what the meter stands at when the wager is made.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from pitstream.games.paytable import Paytable
from pitstream.odds.cells import NONE, Moments, Wager, moments
from pitstream.odds.errors import OddsError
from pitstream.odds.inputs import Inputs, inputs_of
from pitstream.odds.par import kept
from pitstream.odds.progressive import envy_moments

Rows = Mapping[str, Paytable]
"""Wager -> the paytable that the table offers it with, content and all."""


@dataclass(frozen=True, slots=True)
class Edge:
    """What the house keeps of one bet, per unit staked; of the main wagers all together, per unit of Ante."""

    mean: Fraction
    """What the house keeps on average; below 0 where the player has the advantage."""
    variance: Fraction
    """Of what the house keeps; times the sum of squared stakes it is that of many independent bets."""
    with_main: Fraction | None = NONE
    """Covariance with what the house keeps of an Ante at the same seat; None where no count joins the two."""
    from_meters: Mapping[str, Fraction] = field(default_factory=lambda: MappingProxyType({}))
    """Meter -> the part of it that one bet wins on average, whatever its stake: the network pays it on top."""
    awards: Mapping[str, Moments] = field(default_factory=lambda: MappingProxyType({}))
    """Award -> what it costs the house beside the bet, per unit staked; of envy for each other hand at the table."""


ENVY: Final = "envy"
NOTHING: Final = Edge(NONE, NONE)
"""Of a wager that another one's edge holds, and of the players' own Pot."""


def theoretical(
    game: str, wager: str, rows: Rows, policies: Mapping[str, str] | None = None, *, joint: bool = False
) -> Edge:
    """The edge of one wager at a table with these paytables and policies, under best play of the main wagers.

    All main wagers are decided together, so the Ante's edge holds them all, and the others' is ``NOTHING``. ``rows``
    are all of the table's paytables: a side bet that a fold loses depends on the main ones. ``joint``: as ``par`` says.

    >>> from pitstream.odds.inputs import inputs
    >>> rows = inputs("raise_it_up_stud", side_bets=True).paytables
    >>> theoretical("raise_it_up_stud", "pair_plus", rows).mean
    Fraction(128, 5525)

    Raises OddsError: a game that has no odds engine, a wager without a paytable, a paytable that odds cannot be told
    of. The first wager of a table takes a second or two of two cores, the others nothing: answers are kept by content.
    """
    asked = inputs_of(game, rows, policies or {})
    if wager in asked.game.without_paytable:
        return NOTHING
    if wager not in asked.paytables:
        raise OddsError(f"rows.{wager}", f"was missing; allowed: {', '.join(asked.paytables)}")
    if wager in asked.main:
        result = kept(asked, joint=joint)
        return Edge(result.edge, result.main.variance) if wager == "ante" else NOTHING
    return _side_bet(asked, wager, joint=joint)


def _side_bet(asked: Inputs, name: str, *, joint: bool) -> Edge:
    result = kept(asked, joint=joint)
    found: Wager = result.wagers[name]
    mean = found.mean
    alone = moments(found.results(dict.fromkeys(mean.shares, NONE)))
    together = found.covariance(result.value)
    table = asked.paytables[name]
    return Edge(
        mean=-mean.fixed,
        variance=alone.variance,
        with_main=None if together is None else together.fixed,
        from_meters=mean.shares,
        awards=dict(found.awards) | ({ENVY: envy_moments(table, found, wheel=asked.wheel)} if table.envy else {}),
    )
