"""Exact odds of the table games: what any paytable earns, and how it is best played.

>>> result = par("flop_poker", {"flop": "liberal"})
>>> result.value, f"{float(result.edge):.4%}"
(Fraction(-2760479, 50896300), '5.4237%')
"""

from pitstream.odds.cells import Cell, Moments, Row, Wager
from pitstream.odds.errors import OddsError
from pitstream.odds.inputs import MAIN_WAGERS, Inputs, inputs
from pitstream.odds.par import edge, edges, par, result_of
from pitstream.odds.pays import Net
from pitstream.odds.result import ParResult

__all__ = [
    "MAIN_WAGERS",
    "Cell",
    "Inputs",
    "Moments",
    "Net",
    "OddsError",
    "ParResult",
    "Row",
    "Wager",
    "edge",
    "edges",
    "inputs",
    "par",
    "result_of",
]
