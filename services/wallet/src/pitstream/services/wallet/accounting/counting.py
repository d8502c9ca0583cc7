"""Edges that the file does not have, counted beside the service: whoever asks learns what is known, without waiting.

A count takes seconds of every core and some hundred MiB, so it runs in a process of its own, with less right to the
processor, one at a time. Edges follow from what was asked for alone, and are kept for as long as the service runs.
"""

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pitstream.games.paytable import Paytable
from pitstream.games.paytables import Paytables, with_property_s
from pitstream.runtime.logs import log
from pitstream.services.wallet.accounting.edges import CONTENT, POLICY, Terms, edge_of, key_of

_LOOK_S: Final = 0.2
_NICE: Final = 3


class Counting:
    """Which edges were asked for, and those that were counted."""

    def __init__(self) -> None:
        self._counted: dict[str, Mapping[str, str]] = {}
        self._wanted: dict[str, None] = {}

    def edge(self, game: str, wager: str, terms: Terms) -> str:
        """The wager's edge on these terms, "" while it is not known: then it is wanted from here on."""
        if known := edge_of(game, wager, terms):
            return known
        if wager not in terms or not any(word.startswith((POLICY, CONTENT)) for word in terms):
            # An award, a round whose opening was not heard of yet, or terms of which the file has all there is.
            return ""
        key = key_of(game, terms)
        if key not in self._counted:
            self._wanted[key] = None
            return ""
        return self._counted[key].get(wager, "")

    async def run(self, paytables: Path | None) -> None:
        """Count what is wanted, for as long as the service runs. ``paytables``: the property's own."""
        while True:
            for key in list(self._wanted):
                self._counted[key] = await _count(key, paytables)
                del self._wanted[key]
            await asyncio.sleep(_LOOK_S)

    async def all_known(self, timeout_s: float) -> None:
        """Wait until nothing is wanted any more, so long at most."""
        try:
            async with asyncio.timeout(timeout_s):
                # Not an asyncio.Event: that belongs to one loop, and what is known to the process.
                while self._wanted:  # noqa: ASYNC110
                    await asyncio.sleep(_LOOK_S)
        except TimeoutError:
            log.warning("the odds of a table are not counted yet", timeout_s=timeout_s)


COUNTING: Final = Counting()
"""The process's own: an edge is the same whoever asks for it."""


async def _count(key: str, paytables: Path | None) -> Mapping[str, str]:
    """Ask a process of its own; no edge at all where it fails, which is told."""
    module = "pitstream.services.wallet.accounting.counting"
    command = (sys.executable, "-m", module, key, str(paytables or ""))
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    try:
        out, _ = await process.communicate()
    except asyncio.CancelledError:
        process.kill()
        raise
    if process.returncode != 0:
        log.error("the odds of a table cannot be counted", terms=key, exit_code=process.returncode)
        return {}
    counted: Mapping[str, str] = json.loads(out)
    return counted


def count(key: str, known: Paytables) -> dict[str, str]:
    """Wager -> edge, of those that have one. A paytable of other content than the round's is none."""
    from pitstream.odds import OddsError, theoretical

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
    edges: dict[str, str] = {}
    for wager in rows:
        try:
            edges[wager] = str(theoretical(game, wager, rows, policies).mean)
        except OddsError as error:
            log.warning("a wager has no edge", game=game, wager=wager, reason=str(error))
    return edges


if __name__ == "__main__":
    os.nice(_NICE)
    sys.stdout.write(json.dumps(count(sys.argv[1], with_property_s(sys.argv[2]))))
