"""`python -m pitstream.stack.supervise specs.json`: keep services running until SIGTERM.

A service that ends by a signal or with a code other than 0 is started again: at once the first time, then ever later
while it keeps dying young. One that ends with 0 is done. SIGTERM is passed on to all; what doesn't heed it is killed.
"""

import asyncio
import contextlib
import os
import signal
import sys
import time
from pathlib import Path

import psutil

from pitstream.stack.process import Started
from pitstream.stack.processes import ENV_MARK, SPECS, ServiceRun, ServiceSpec, log_of, write_runs

FIRST_DELAY_S = 0.1
LAST_DELAY_S = 5.0
YOUNG_S = 3.0  # a service that lived longer had started well: its next death is news, not the same failure again


class Supervisor:
    """Keeps the services of one folder running."""

    def __init__(self, folder: Path, specs: list[ServiceSpec]) -> None:
        self.folder = folder
        self.specs = specs
        self.stopping = asyncio.Event()
        self.runs = {spec.name: ServiceRun(name=spec.name) for spec in specs}

    async def run(self) -> None:
        """Returns when every service is done or stopped."""
        for signum in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(signum, self.stopping.set)
        async with asyncio.TaskGroup() as group:
            for spec in self.specs:
                group.create_task(self._keep(spec))

    async def _keep(self, spec: ServiceSpec) -> None:
        delay_s = FIRST_DELAY_S
        while not self.stopping.is_set():
            began = time.monotonic()
            code = await self._run_once(spec)
            restarts = self.runs[spec.name].restarts
            again = code != 0 and not self.stopping.is_set()
            self._record(spec, process=None, last_exit=code, restarts=restarts + again)
            if not again:
                return
            if time.monotonic() - began > YOUNG_S:
                delay_s = FIRST_DELAY_S
            self._log(spec, f"ended with {code}, starts again in {delay_s:.1f} s")
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.stopping.wait(), delay_s)
            delay_s = min(2 * delay_s, LAST_DELAY_S)

    async def _run_once(self, spec: ServiceSpec) -> int:
        """Start the service and return its exit code; when we are told to stop, stop it."""
        env = os.environ | spec.env | {ENV_MARK: str(self.folder)}
        with log_of(self.folder, spec.name).open("ab") as log:
            try:
                child = await asyncio.create_subprocess_exec(
                    *spec.argv,
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    env=env,
                    start_new_session=True,
                )
            except OSError as fault:
                self._log(spec, f"could not be started: {fault}")
                return 127  # as a shell says it
        with contextlib.suppress(psutil.NoSuchProcess):
            self._record(spec, process=Started.of(psutil.Process(child.pid)))
        ended = asyncio.create_task(child.wait())
        told = asyncio.create_task(self.stopping.wait())
        await asyncio.wait({ended, told}, return_when=asyncio.FIRST_COMPLETED)
        told.cancel()
        if not ended.done():
            child.terminate()
            done, _ = await asyncio.wait({ended}, timeout=spec.stop_s)
            if not done:
                self._log(spec, f"did not stop within {spec.stop_s:g} s of SIGTERM and is killed")
                child.kill()
        return await ended

    def _record(self, spec: ServiceSpec, **changed: object) -> None:
        self.runs[spec.name] = self.runs[spec.name].model_copy(update=changed)
        write_runs(self.folder, list(self.runs.values()))

    def _log(self, spec: ServiceSpec, sentence: str) -> None:
        with log_of(self.folder, spec.name).open("a") as log:
            log.write(f"supervisor: {spec.name} {sentence}\n")


def main() -> None:
    file = Path(sys.argv[1])
    asyncio.run(Supervisor(file.parent, SPECS.validate_json(file.read_bytes())).run())


if __name__ == "__main__":
    main()
