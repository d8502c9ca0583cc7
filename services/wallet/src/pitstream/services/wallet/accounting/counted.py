"""Edges that were counted beside the service: those of a property's own paytables, and of other policies."""

from typing import Final

from pitstream.runtime.beside import Beside

COUNTED: Final = Beside("pitstream.accounting.count", failed="{}")
"""The process's own: an edge is the same whoever asks for it."""
