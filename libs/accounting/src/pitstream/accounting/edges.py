"""What the house keeps of each wager's handle in the long run: exact fractions.

A game's main wagers are decided together, so their edge is told of the Ante alone: all that a player loses on Ante,
Blind and Play Wager, per unit of Ante, by the best play there is. The others' edge is 0: what they lose is in the
Ante's. A share of a meter is the network's to pay, so it counts as nothing here. Awards (envy, lucky, magic) are lines
of their own, and so is what they cost: it hangs on the stakes of their wager.

The file beside this one has the edges of every bundled paytable under the default policies. Those of a property's own
paytables and of other policies take seconds of two cores to count: ``python -m pitstream.accounting.count`` does it, in
a process of its own, and a service keeps what it says (``Counted``).
"""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final, Protocol

from pitstream.accounting.wagers import WagerOutcome
from pitstream.events.rounds import RoundOpened
from pitstream.games.paytables import bundled
from pitstream.games.registry import GAMES

Terms = Mapping[str, str]
"""What a wager's edge depends on: wager -> paytable, and with these words before it:"""
POLICY: Final = "policy:"
"""a policy that is not the default -> its value;"""
CONTENT: Final = "content:"
"""a wager -> SHA-256 of its paytable's content, where that is not a bundled one's."""
ENVY: Final = "envy"
"""The award that is paid for other hands: its exposure is each stake times the other hands at the table."""


@dataclass(frozen=True, slots=True)
class Award:
    """What an award costs of its exposure, and the variance of that."""

    mean: Fraction
    variance: Fraction


@dataclass(frozen=True, slots=True)
class Edge:
    """What the house keeps of one bet, per unit staked."""

    mean: Fraction
    variance: Fraction
    with_main: Fraction | None = Fraction(0)
    """Covariance with what it keeps of an Ante at the same seat; None where no count joins the two."""
    awards: Mapping[str, Award] = field(default_factory=lambda: MappingProxyType({}))


Edges = Mapping[str, Edge]
"""By wager."""


class Counted(Protocol):
    """Edges that were counted beside the file."""

    def of(self, key: str) -> str | None:
        """What was counted of these terms, as ``told`` writes it; None as long as it is not known."""


def terms_of(opened: RoundOpened) -> dict[str, str]:
    """The terms of a round, as its opening event has them. What was drawn for the round is no policy."""
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


def edge_of(game: str, wager: str, terms: Terms, counted: Counted | None = None) -> Edge | None:
    """A wager's edge on these terms: from the file, or else from what was counted, which is asked for then. An award's
    is of its exposure, and below 0.

    None: not known, or not yet. Without ``counted`` that is every edge of a further game, of a property's own paytable,
    and under a policy that is not the default.

    >>> on_a = {"ante": "A", "blind": "A", "play": "A"}
    >>> [edge_of("ultimate_texas_holdem", wager, on_a).mean for wager in ("ante", "play")]
    [Fraction(50643648973, 2317817502000), Fraction(0, 1)]
    """
    if base := awards_of(game).get(wager):
        of_base = edge_of(game, base, terms, counted)
        award = None if of_base is None else of_base.awards.get(wager)
        return None if award is None else Edge(-award.mean, award.variance, None)
    if found := _from_file(game, wager, terms):
        return found
    if counted is None or not is_counted(game, wager, terms):
        return None
    known = counted.of(key_of(game, terms))
    return None if known is None else read(known).get(wager)


def awards_of(game: str) -> Mapping[str, str]:
    """Award -> the wager that it belongs to."""
    return GAMES[game].awards if game in GAMES else {}


def is_counted(game: str, wager: str, terms: Terms) -> bool:
    """Whether an edge that the file does not have can be counted: no award, of a round whose terms are known, and of
    terms of which the file has not all there is."""
    return wager in terms and game in _edges() and any(word.startswith((POLICY, CONTENT)) for word in terms)


def exposures(game: str, wager: str, sums: WagerOutcome) -> dict[str, WagerOutcome]:
    """What a wager's awards hang on, as sums of their own that have no bet: the stakes as ``exposure``, and their
    squares. For envy each stake counts once for each other hand."""
    found = {}
    for award, base in awards_of(game).items():
        if base == wager:
            times = (sums.beside, sums.squares_beside) if award == ENVY else (sums.handle, sums.squares)
            found[award] = WagerOutcome(award, exposure=times[0], squares=times[1])
    return found


def key_of(game: str, terms: Terms) -> str:
    """What counted edges are kept by."""
    return json.dumps([game, dict(sorted(terms.items()))])


def told(edges: Edges) -> str:
    """Edges as text."""
    return json.dumps({wager: written(edge) for wager, edge in edges.items()})


@cache
def read(text: str) -> Edges:
    """What ``told`` wrote."""
    return {wager: _read(raw) for wager, raw in json.loads(text).items()}


def written(edge: Edge) -> dict[str, Any]:
    """An edge as the file has it: fractions as text, and nothing of what is 0 or not there."""
    with_main = {} if edge.with_main == 0 else {"with_main": "" if edge.with_main is None else str(edge.with_main)}
    awards = {name: [str(award.mean), str(award.variance)] for name, award in edge.awards.items()}
    return {
        "edge": str(edge.mean),
        "variance": str(edge.variance),
        **with_main,
        **({"awards": awards} if awards else {}),
    }


def _read(raw: Mapping[str, Any]) -> Edge:
    with_main = raw.get("with_main", "0")
    return Edge(
        Fraction(raw["edge"]),
        Fraction(raw["variance"]),
        Fraction(with_main) if with_main else None,
        {name: Award(Fraction(mean), Fraction(variance)) for name, (mean, variance) in raw.get("awards", {}).items()},
    )


@dataclass(frozen=True, slots=True)
class _Entry:
    wager: str
    paytables: Mapping[str, str]
    """Paytables that the table must have, by wager."""
    edge: Edge


def _from_file(game: str, wager: str, terms: Terms) -> Edge | None:
    if any(word.startswith(POLICY) for word in terms):
        return None
    for one in _edges().get(game, ()):
        same = all(terms.get(other) == name and CONTENT + other not in terms for other, name in one.paytables.items())
        if one.wager == wager and same:
            return one.edge
    return None


@cache
def _edges() -> Mapping[str, tuple[_Entry, ...]]:
    file = tomllib.loads((files("pitstream.accounting") / "edges.toml").read_text(encoding="utf-8"))
    return {
        game: tuple(_Entry(one["wager"], one.get("paytables", {}), _read(one)) for one in wagers)
        for game, wagers in file.items()
    }
