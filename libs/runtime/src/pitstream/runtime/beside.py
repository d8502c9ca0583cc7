"""Answers that take long to find, found beside the service: whoever asks learns what is known, without waiting.

Each is found by a process of its own, one at a time, and kept for as long as the service runs: it follows from what was
asked alone.
"""

import asyncio
import sys
from typing import Final

from pitstream.runtime.logs import log

_LOOK_S: Final = 0.2


class Beside:
    """Which answers were asked for, and those that were found: what ``python -m MODULE QUESTION …`` wrote."""

    def __init__(self, module: str, *, failed: str) -> None:
        """``failed``: the answer to a question whose process fails; that is told in the log."""
        self._module = module
        self._failed = failed
        self._known: dict[str, str] = {}
        self._wanted: dict[str, None] = {}

    def of(self, question: str) -> str | None:
        """The answer, None while it is not known: then it is wanted from here on."""
        if question not in self._known:
            self._wanted[question] = None
        return self._known.get(question)

    async def run(self, *arguments: str) -> None:
        """Find what is wanted, for as long as the service runs. ``arguments``: what the module is told besides."""
        while True:
            for question in list(self._wanted):
                self._known[question] = await self._found(question, arguments)
                del self._wanted[question]
            await asyncio.sleep(_LOOK_S)

    async def all_known(self, timeout_s: float) -> bool:
        """Whether nothing is wanted any more, waited for so long at most."""
        try:
            async with asyncio.timeout(timeout_s):
                # Not an asyncio.Event: that belongs to one loop, and what is known to the process.
                while self._wanted:  # noqa: ASYNC110
                    await asyncio.sleep(_LOOK_S)
        except TimeoutError:
            return False
        return True

    async def _found(self, question: str, arguments: tuple[str, ...]) -> str:
        command = (sys.executable, "-m", self._module, question, *arguments)
        process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
        try:
            out, _ = await process.communicate()
        except asyncio.CancelledError:
            process.kill()
            raise
        if process.returncode != 0:
            log.error("cannot be found", module=self._module, question=question, exit_code=process.returncode)
            return self._failed
        return out.decode()
