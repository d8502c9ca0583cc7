"""What the house keeps of each wager in the long run: from the odds, exactly, counted once and remembered.

To count a table's odds takes seconds, so it is done beside: whoever asks waits a moment at most, and learns what is not
known yet.
"""

import asyncio
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from pitstream.games.paytable import Paytable
from pitstream.games.paytables import bundled
from pitstream.odds import Edge, OddsError, theoretical
from pitstream.runtime.logs import log

Asked = tuple[str, str, str]
"""Game, wager and terms, as sums are kept by them."""
POLICY = "policy:"
"""Before the name of a policy among the terms: the other names are wagers."""


@dataclass
class Edges:
    """The edges that were asked for. None: there are no odds of that wager."""

    _known: dict[Asked, Edge | None] = field(default_factory=dict)
    _counting: dict[Asked, "asyncio.Task[None]"] = field(default_factory=dict)
    _one_by_one: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def of(self, asked: Collection[Asked], wait_s: float = 1.5) -> Mapping[Asked, Edge | None]:
        """Those of ``asked`` that are known within that time."""
        for one in asked:
            if one not in self._known and one not in self._counting:
                self._counting[one] = asyncio.create_task(self._count(one))
        waiting = [self._counting[one] for one in asked if one in self._counting]
        if waiting:
            await asyncio.wait(waiting, timeout=wait_s)
        return {one: self._known[one] for one in asked if one in self._known}

    async def _count(self, one: Asked) -> None:
        try:
            async with self._one_by_one:
                self._known[one] = await asyncio.to_thread(_edge, *one)
        except Exception as error:  # a page without a theoretical win is better than none
            log.error("the odds of a wager cannot be told", game=one[0], wager=one[1], error=repr(error))
            self._known[one] = None
        finally:
            self._counting.pop(one, None)


def _edge(game: str, wager: str, terms: str) -> Edge | None:
    chosen: dict[str, str] = json.loads(terms)
    policies = {name.removeprefix(POLICY): value for name, value in chosen.items() if name.startswith(POLICY)}
    rows: dict[str, Paytable] = {}
    try:
        for name, paytable in chosen.items():
            if not name.startswith(POLICY):
                rows[name] = bundled().named(game, name, paytable)
        return theoretical(game, wager, rows, policies)
    except (OddsError, KeyError, ValueError):
        return None
