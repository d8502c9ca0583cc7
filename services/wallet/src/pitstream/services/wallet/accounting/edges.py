"""What the house keeps of each wager's handle in the long run: exact fractions.

A game's main wagers are decided together, so their edge is told of the Ante alone: all that a player loses on Ante,
Blind and Play Wager, per unit of Ante, by the best play there is. The others' edge is 0: what they lose is in the
Ante's. A share of a meter is the network's to pay, so it counts as nothing here; no more does envy, a line of its own.

The file beside this one has the edges of every bundled paytable under the default policies. Those of a property's own
paytables and of other policies take seconds of two cores to count: ``counting`` does it once, in a process of its own.
"""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Final

from pitstream.events.rounds import RoundOpened
from pitstream.games.paytables import bundled
from pitstream.games.registry import GAMES

Terms = Mapping[str, str]
"""What a wager's edge depends on: wager -> paytable, and with these words before it:"""
POLICY: Final = "policy:"
"""a policy that is not the default -> its value;"""
CONTENT: Final = "content:"
"""a wager -> SHA-256 of its paytable's content, where that is not a bundled one's."""


@dataclass(frozen=True, slots=True)
class _Edge:
    wager: str
    paytables: Mapping[str, str]
    """Paytables that the table must have, by wager."""
    edge: str


def terms_of(opened: RoundOpened) -> Terms:
    """The terms of a round, as its opening event has them."""
    terms = {choice.wager: choice.paytable for choice in opened.paytables}
    for choice in opened.paytables:
        ours = bundled().get(opened.game, choice.wager, choice.paytable)
        if ours is None or ours.sha256 != choice.sha256:
            terms[CONTENT + choice.wager] = choice.sha256
    defaults = GAMES[opened.game].policies if opened.game in GAMES else {}
    for policy, value in sorted(opened.options.items()):
        if defaults.get(policy, value) != value:
            terms[POLICY + policy] = value
    return terms


def edge_of(game: str, wager: str, terms: Terms) -> str:
    """A wager's edge on these terms, as a fraction in lowest terms; "" where the file does not have it: of a further
    game, a property's own paytable, a policy that is not the default.

    >>> on_a = {"ante": "A", "blind": "A", "play": "A"}
    >>> edge_of("ultimate_texas_holdem", "ante", on_a), edge_of("ultimate_texas_holdem", "play", on_a)
    ('50643648973/2317817502000', '0')
    """
    if any(word.startswith(POLICY) for word in terms):
        return ""
    for one in _edges().get(game, ()):
        same = all(terms.get(other) == name and CONTENT + other not in terms for other, name in one.paytables.items())
        if one.wager == wager and same:
            return one.edge
    return ""


def key_of(game: str, terms: Terms) -> str:
    """What counted edges are kept by."""
    return json.dumps([game, dict(sorted(terms.items()))])


@cache
def _edges() -> Mapping[str, tuple[_Edge, ...]]:
    read = tomllib.loads((files("pitstream.services.wallet.accounting") / "edges.toml").read_text(encoding="utf-8"))
    return {
        game: tuple(_Edge(one["wager"], one.get("paytables", {}), str(Fraction(one["edge"]))) for one in wagers)
        for game, wagers in read.items()
    }
