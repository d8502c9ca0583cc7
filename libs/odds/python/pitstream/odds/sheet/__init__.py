"""The PAR sheet: inputs, method, counts and results of a game's odds, for people and for machines.

The same inputs and code give the same bytes: no clock, no machine, no timing is in it.
"""

from pitstream.odds.sheet.content import Sheet, content, sheet_of
from pitstream.odds.sheet.page import page
from pitstream.odds.sheet.rows import rows

__all__ = ["Sheet", "content", "page", "rows", "sheet_of"]
