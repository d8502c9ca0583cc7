"""Feed what nobody would send, a million of each, from the command line: ``make fuzz``, ``make fuzz SEED=… TARGET=…``;
and one input again: ``make fuzz FILE=…``. What breaks is kept as a file, and told with all that it takes to repeat it.

Each target runs in a process of its own, so that an input that ends the process, or hangs it where no signal is heard,
is known by its number too.
"""

import argparse
import multiprocessing
import secrets
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

HERE = Path(__file__).parent
for folder in (HERE, HERE.parent / "oracle", HERE.parents[1] / "libs/audit/tests"):
    sys.path.insert(0, str(folder))

from fuzzed.files import Files  # noqa: E402
from fuzzed.hands import Hands  # noqa: E402
from fuzzed.records import Records  # noqa: E402
from fuzzed.target import Failure, Fed, Target, drawn, feed_again, feed_many  # noqa: E402

TARGETS: dict[str, type[Target]] = {"records": Records, "files": Files, "hands": Hands}
STANDS_S = 120.0
"""Real time without a further input, after which a process is taken to hang."""
CONSOLE = Console(highlight=False, soft_wrap=True)


def main() -> int:
    parser = argparse.ArgumentParser(description="Feed made-up inputs, and say which of them broke something.")
    parser.add_argument("--inputs", type=int, default=1_000_000, help="so many of each target")
    parser.add_argument("--seed", default="", help="what they are drawn from; a new one unless given")
    parser.add_argument("--target", default="", choices=["", *TARGETS], help="this one alone")
    parser.add_argument("--first", type=int, default=0, help="the number of the first input")
    parser.add_argument("--file", type=Path, help="one input, as it was kept, again")
    asked = parser.parse_args()
    if asked.file is not None:
        return _again(asked.file)
    seed = asked.seed or secrets.token_hex(4)
    CONSOLE.print(f"seed {seed}")
    whole = [
        _whole(name, seed, range(asked.first, asked.first + asked.inputs))
        for name in ([asked.target] if asked.target else TARGETS)
    ]
    return 0 if all(whole) else 1


def _again(file: Path) -> int:
    target = TARGETS[file.name.partition("-")[0]]()
    ended = feed_again(target, file.read_bytes())
    target.close()
    CONSOLE.print(ended.said if isinstance(ended, Failure) else ended, markup=False)
    return 1 if isinstance(ended, Failure) else 0


def _whole(name: str, seed: str, numbers: range) -> bool:
    """Feed one target; whether nothing broke, and every way to end was met."""
    began = time.monotonic()
    fed = _fed(name, seed, numbers)
    seconds = time.monotonic() - began
    CONSOLE.print(f"{name}: {sum(fed.ended.values()):,} inputs in {seconds:,.0f} s; broken: {len(fed.failures)}")
    for ended, count in sorted(fed.ended.items()):
        CONSOLE.print(f"  {ended:<24}{count:>10,}")
    unmet = sorted(TARGETS[name].outcomes - fed.ended.keys())
    if unmet and not fed.failures:
        CONSOLE.print(f"  never met: {', '.join(unmet)}")
    for failure in fed.failures:
        file = failure.keep(name)
        CONSOLE.print(f"  input {failure.number}: {failure.said}", markup=False)
        CONSOLE.print(f"  again: make fuzz FILE={file}", markup=False)
    return not fed.failures and not unmet


def _fed(name: str, seed: str, numbers: range) -> Fed:
    spawn = multiprocessing.get_context("spawn")
    at: Any = spawn.Value("q", numbers.start - 1, lock=False)
    results: Any = spawn.SimpleQueue()
    work = spawn.Process(target=_work, args=(name, seed, numbers, at, results), daemon=True)
    work.start()
    moved_at, last = time.monotonic(), at.value
    with _bar(name, len(numbers)) as show:
        while work.is_alive() and results.empty():
            work.join(0.5)
            if at.value != last:
                moved_at, last = time.monotonic(), at.value
                show(last - numbers.start)
            elif time.monotonic() - moved_at > STANDS_S:
                work.kill()
                work.join()
    if not results.empty():
        fed: Fed = results.get()
        work.join()
        return fed
    number = at.value
    said = f"ended its process with {work.exitcode}" if work.exitcode != -9 else f"hung for {STANDS_S} s"
    ended: Counter[str] = Counter({"fed before": max(0, number - numbers.start)})
    return Fed(ended, [Failure(number, drawn(TARGETS[name](), seed, number), said)])


def _work(name: str, seed: str, numbers: range, at: Any, results: Any) -> None:
    def begins(number: int) -> None:
        at.value = number

    target = TARGETS[name]()
    fed = feed_many(target, seed, numbers, failures_max=10, begins=begins)
    target.close()
    results.put(fed)


@contextmanager
def _bar(what: str, total: int) -> Iterator[Any]:
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=CONSOLE, transient=True) as progress:
        task = progress.add_task(what, total=total)
        yield lambda completed: progress.update(task, completed=completed)


if __name__ == "__main__":
    sys.exit(main())
