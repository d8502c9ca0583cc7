"""What the house keeps of each wager's handle in the long run: exact fractions, from the file beside this one.

A game's main wagers are decided together, so their edge is told of the Ante alone: all that a player loses on Ante,
Blind and Play Wager, per unit of Ante, by the best play there is. The others' edge is 0: what they lose is in the
Ante's.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class _Edge:
    wager: str
    paytables: Mapping[str, str]
    """Paytables that the table must have, by wager."""
    edge: str


def edge_of(game: str, wager: str, paytables: Mapping[str, str]) -> str:
    """A wager's edge at a table with these paytables, as a fraction in lowest terms; "" where it is not known: of a
    further game, a property's own paytable, a share of a meter.

    >>> on_a = {"ante": "A", "blind": "A", "play": "A"}
    >>> edge_of("ultimate_texas_holdem", "ante", on_a), edge_of("ultimate_texas_holdem", "play", on_a)
    ('50643648973/2317817502000', '0')
    """
    for one in _edges().get(game, ()):
        if one.wager == wager and all(paytables.get(other) == name for other, name in one.paytables.items()):
            return one.edge
    return ""


@cache
def _edges() -> Mapping[str, tuple[_Edge, ...]]:
    read = tomllib.loads((files("pitstream.services.wallet.accounting") / "edges.toml").read_text(encoding="utf-8"))
    return {
        game: tuple(_Edge(one["wager"], one.get("paytables", {}), str(Fraction(one["edge"]))) for one in wagers)
        for game, wagers in read.items()
    }
