"""What the house keeps of each wager in the long run: from the odds, exactly, counted once and remembered.

To count a table's odds takes seconds of all that a process has, so a process of its own does it, which ends when it is
done: whoever asks waits a moment at most, and learns what is not known yet.
"""

import asyncio
import json
import os
from collections.abc import Collection, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from fractions import Fraction
from multiprocessing import get_context

from pitstream.games.paytable import Paytable
from pitstream.games.paytables import bundled
from pitstream.odds import OddsError, theoretical
from pitstream.runtime.logs import log

Asked = tuple[str, str, str]
"""Game, wager and terms, as sums are kept by them."""
POLICY = "policy:"
"""Before the name of a policy among the terms: the other names are wagers."""


@dataclass(frozen=True, slots=True)
class Edge:
    """What the house keeps of one bet, per unit staked, and the variance of that."""

    mean: Fraction
    variance: Fraction


@dataclass
class Edges:
    """The edges that were asked for. None: there are no odds of that wager."""

    _known: dict[Asked, Edge | None] = field(default_factory=dict)
    _counting: dict[Asked, asyncio.Task[None]] = field(default_factory=dict)
    _one_by_one: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def of(self, asked: Collection[Asked], wait_s: float = 1.5) -> Mapping[Asked, Edge | None]:
        """Those of ``asked`` that are known within that time."""
        wanted = [one for one in asked if one not in self._known and one not in self._counting]
        if wanted:
            counting = asyncio.create_task(self._count(wanted))
            self._counting |= dict.fromkeys(wanted, counting)
        waiting = {self._counting[one] for one in asked if one in self._counting}
        if waiting:
            await asyncio.wait(waiting, timeout=wait_s)
        return {one: self._known[one] for one in asked if one in self._known}

    async def _count(self, wanted: list[Asked]) -> None:
        try:
            async with self._one_by_one:
                with ProcessPoolExecutor(
                    1, mp_context=get_context("spawn"), initializer=os.nice, initargs=(10,)
                ) as pool:
                    counted = asyncio.get_running_loop().run_in_executor(pool, count, wanted)
                    self._known.update(await counted)
        except Exception as error:  # a page without a theoretical win is better than none
            log.error("odds cannot be counted", error=repr(error))
        finally:
            for one in wanted:
                self._counting.pop(one, None)


def count(wanted: list[Asked]) -> dict[Asked, Edge | None]:
    """The edges of these; None where there are no odds."""
    return {one: _edge(*one) for one in wanted}


def _edge(game: str, wager: str, terms: str) -> Edge | None:
    chosen: dict[str, str] = json.loads(terms)
    policies = {name.removeprefix(POLICY): value for name, value in chosen.items() if name.startswith(POLICY)}
    rows: dict[str, Paytable] = {}
    try:
        for name, paytable in chosen.items():
            if not name.startswith(POLICY):
                rows[name] = bundled().named(game, name, paytable)
        found = theoretical(game, wager, rows, policies)
    except (OddsError, KeyError):
        return None
    return Edge(found.mean, found.variance)
