"""Exact odds of the table games: what any paytable earns, and how it is best played.

>>> result = par("flop_poker", {"flop": "liberal"})
>>> result.value, f"{float(result.edge):.4%}"
(Fraction(-2760479, 50896300), '5.4237%')
"""

from pitstream.odds.cells import Cell, Moments, Row, Wager
from pitstream.odds.errors import OddsError
from pitstream.odds.inputs import MAIN_WAGERS, Inputs, inputs, inputs_of
from pitstream.odds.par import edge, par, result_of
from pitstream.odds.pays import Net
from pitstream.odds.result import ParResult
from pitstream.odds.theoretical import Edge, theoretical

__all__ = [
    "MAIN_WAGERS",
    "Cell",
    "Edge",
    "Inputs",
    "Moments",
    "Net",
    "OddsError",
    "ParResult",
    "Row",
    "Wager",
    "edge",
    "inputs",
    "inputs_of",
    "par",
    "result_of",
    "theoretical",
]
