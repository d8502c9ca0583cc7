"""Run seeds, or planted bugs, from the command line: ``make simulate SEED=7``, ``make simulate SEEDS=10000``."""

import argparse
import asyncio
import multiprocessing
import os
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

TESTS = Path(__file__).parents[1]
for folder in (Path(__file__).parent, TESTS / "oracle", TESTS / "corrections"):
    sys.path.insert(0, str(folder))

from simulated.database import server  # noqa: E402
from simulated.faults import FAMILIES, Plan  # noqa: E402
from simulated.mutants import MUTANTS  # noqa: E402
from simulated.run import bench  # noqa: E402
from simulated.trying import Tried, shrink, try_plan  # noqa: E402

SEEDS_A_MUTANT = 12
"""A planted bug must be caught within so many seeds."""
CONSOLE = Console(highlight=False, soft_wrap=True)


def main() -> int:
    parser = argparse.ArgumentParser(description="Play the services under drawn faults and judge what came of it.")
    parser.add_argument("--seed", help="one seed, again, with its last steps and a shrunk schedule should it fail")
    parser.add_argument("--seeds", type=int, default=0, help="so many seeds")
    parser.add_argument("--first", type=int, default=0, help="the number of the first of them")
    parser.add_argument("--mutants", action="store_true", help="every planted bug: each must be caught")
    parser.add_argument("--mutant", default="", choices=["", *MUTANTS], help="plant this one")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes side by side")
    asked = parser.parse_args()
    warnings.simplefilter("ignore", RuntimeWarning)
    with server() as address:
        ok = True
        if asked.seed is not None:
            ok = asyncio.run(_one(address, asked.seed, asked.mutant))
        if asked.seeds:
            ok = _many(address, asked.first, asked.seeds, asked.mutant, asked.jobs) and ok
        if asked.mutants:
            ok = _all_mutants(address, asked.jobs) and ok
    return 0 if ok else 1


async def _one(address: str, seed: str, mutant: str) -> bool:
    async with bench(address, "simulated_one") as ready:
        tried = await try_plan(ready, Plan(seed), mutant)
        if tried.promise:
            _tell(tried, mutant)
            CONSOLE.print("\nshrinking …")
            smallest = await shrink(ready, tried, mutant, lambda said: CONSOLE.print(f"  {said}"))
            CONSOLE.rule("the smallest schedule that was found")
            _tell(smallest, mutant)
        else:
            CONSOLE.print(f"last steps of {tried.steps}:")
            for step in tried.last_steps:
                CONSOLE.print(f"  {step}", markup=False)
            CONSOLE.print(f"seed {seed}: every promise was kept")
            CONSOLE.print(f"faults: {', '.join(f'{name} {n}' for name, n in sorted(tried.fired.items()))}")
            CONSOLE.print(f"digest of all steps, faults, answers and events: {tried.digest}")
    return not tried.promise


def _tell(tried: Tried, mutant: str) -> None:
    """All that it takes to understand a failing seed, and to repeat it."""
    plan = tried.plan
    CONSOLE.print(f"seed {plan.seed}, commit {commit()}{f', planted: {mutant}' if mutant else ''}")
    CONSOLE.print(f"broken: {tried.promise}: {tried.found}", markup=False)
    CONSOLE.print(
        f"schedule: {plan.tables_max} tables, {plan.rounds_max} rounds, {plan.seats_max} seats at most; "
        f"left out: {', '.join(sorted(plan.families_off)) or 'no family'}, {len(plan.faults_off)} single faults"
    )
    CONSOLE.print(f"faults that fired ({len(tried.faults)}):")
    for fault in tried.faults:
        CONSOLE.print(f"  {fault}", markup=False)
    CONSOLE.print(f"last steps of {tried.steps}:")
    for step in tried.last_steps:
        CONSOLE.print(f"  {step}", markup=False)


def _many(address: str, first: int, count: int, mutant: str, jobs: int) -> bool:
    fired: Counter[str] = Counter()
    failed: list[Tried] = []
    steps = 0
    tasks = [(str(number), mutant) for number in range(first, first + count)]
    with _bar("seeds", count) as advance:
        for _, tried in spread(address, tasks, jobs):
            fired.update(tried.fired)
            steps += tried.steps
            if tried.promise:
                failed.append(tried)
                CONSOLE.print(f"seed {tried.plan.seed}: {tried.promise}: {tried.found[:300]}", markup=False)
            advance()
    CONSOLE.print(
        f"{count} seeds of commit {commit()}, {steps} steps, {sum(fired.values())} faults; broken: {len(failed)}"
    )
    for family in FAMILIES:
        CONSOLE.print(f"  {family:<24}{fired[family]:>9}")
    unseen = [family for family in FAMILIES if not fired[family]]
    if unseen:
        CONSOLE.print(f"never fired: {', '.join(unseen)}")
    if failed:
        CONSOLE.print(f"again: make simulate SEED={failed[0].plan.seed}")
    return not failed and not unseen


def _all_mutants(address: str, jobs: int) -> bool:
    """Every planted bug, over as many seeds as it takes."""
    survived = []
    with _bar("planted bugs", len(MUTANTS)) as advance:
        for name, tried in spread(address, [("", name) for name in MUTANTS], jobs):
            if tried.promise:
                CONSOLE.print(f"{name}: seed {tried.plan.seed}: {tried.promise}", markup=False)
            else:
                survived.append(name)
                CONSOLE.print(f"{name}: SURVIVES {SEEDS_A_MUTANT} seeds")
            advance()
    CONSOLE.print(f"{len(MUTANTS) - len(survived)} of {len(MUTANTS)} planted bugs caught")
    return not survived


def spread(address: str, tasks: Sequence[tuple[str, str]], jobs: int) -> Iterator[tuple[str, Tried]]:
    """Give the tasks, (seed, mutant), to so many processes, and yield results. No seed: seeds until caught."""
    spawn = multiprocessing.get_context("spawn")
    queue: Any = spawn.Queue()
    results: Any = spawn.Queue()
    for task in [*tasks, *[None] * jobs]:
        queue.put(task)
    workers = [
        spawn.Process(target=_work, args=(address, f"simulated_{number}", queue, results), daemon=True)
        for number in range(jobs)
    ]
    for worker in workers:
        worker.start()
    for _ in tasks:
        found = results.get()
        if isinstance(found, str):
            raise RuntimeError(f"a process of the simulation ended: {found}")
        yield found
    for worker in workers:
        worker.join()


def _work(address: str, name: str, queue: Any, results: Any) -> None:
    warnings.simplefilter("ignore", RuntimeWarning)
    try:
        asyncio.run(_work_on(address, name, queue, results))
    except BaseException as error:  # told to who waits for results, who else would wait for ever
        results.put(repr(error))
        raise


async def _work_on(address: str, name: str, queue: Any, results: Any) -> None:
    async with bench(address, name) as ready:
        while (task := queue.get()) is not None:
            seed, mutant = task
            if seed:
                results.put((mutant, await try_plan(ready, Plan(seed), mutant)))
                continue
            for number in range(SEEDS_A_MUTANT):
                tried = await try_plan(ready, Plan(f"m{number}"), mutant)
                if tried.promise:
                    break
            results.put((mutant, tried))


@contextmanager
def _bar(what: str, total: int) -> Iterator[Any]:
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=CONSOLE) as progress:
        task = progress.add_task(what, total=total)
        yield lambda: progress.advance(task)


def commit() -> str:
    """The commit that runs, with a + where files were changed since."""
    git = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--abbrev=12", "--dirty=+"]
    return subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip() or "unknown"


if __name__ == "__main__":
    sys.exit(main())
