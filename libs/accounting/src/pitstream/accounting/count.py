"""Counts the edges of a table's terms, in a process of its own: it takes seconds of every core and some hundred MiB.

python -m pitstream.accounting.count TERMS [PAYTABLES]
"""

import json
import os
import sys
from typing import Final

from pitstream.accounting.edges import CONTENT, POLICY, Award, Edge, Edges, told
from pitstream.games.paytable import Paytable
from pitstream.games.paytables import Paytables, with_property_s
from pitstream.odds import OddsError, theoretical

_NICE: Final = 10


def count(key: str, known: Paytables) -> Edges:
    """Wager -> edge, of those that have one. ``key``: as ``key_of`` makes it. A paytable of other content than the
    round's is none."""
    game, terms = json.loads(key)
    rows: dict[str, Paytable] = {}
    for wager, name in terms.items():
        if ":" not in wager:
            periods = known.periods.get((game, wager, name), ())
            content = terms.get(CONTENT + wager)
            fits = [table for table in periods if content in (None, table.sha256)]
            if fits:
                rows[wager] = fits[-1]
    policies = {word.removeprefix(POLICY): value for word, value in terms.items() if word.startswith(POLICY)}
    edges: dict[str, Edge] = {}
    for wager in rows:
        try:
            edges[wager] = edge(game, wager, rows, policies)
        except OddsError as error:
            sys.stderr.write(f"{game} {wager} has no edge: {error}\n")
    return edges


def edge(
    game: str, wager: str, rows: dict[str, Paytable], policies: dict[str, str] | None = None, *, joint: bool = False
) -> Edge:
    """One wager's edge from the odds. Raises OddsError."""
    found = theoretical(game, wager, rows, policies, joint=joint)
    awards = {name: Award(each.mean, each.variance) for name, each in found.awards.items()}
    return Edge(found.mean, found.variance, found.with_main, awards)


if __name__ == "__main__":
    os.nice(_NICE)
    sys.stdout.write(told(count(sys.argv[1], with_property_s(sys.argv[2]))))
