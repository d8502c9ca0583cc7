"""How long exact odds take, beside their targets, and the most memory in use. Run by ``make bench``.

Each count runs in a process of its own, so that its memory is its own.
"""
# ruff: noqa: T201 -- this program's output is what it prints

import os
import platform
import subprocess
import sys
from typing import Final

MEMORY_MAX: Final = 1 << 30
COUNTS: Final = {
    "Ultimate Texas Hold'em, value": (
        6,
        "from pitstream.odds import inputs, uth; uth.value(inputs('ultimate_texas_holdem'))",
    ),
    "Ultimate Texas Hold'em, all": (15, "from pitstream.odds import par; par('ultimate_texas_holdem')"),
    "Raise It Up Stud, all": (8, "from pitstream.odds import par; par('raise_it_up_stud')"),
    "Flop Poker, all": (1, "from pitstream.odds import par; par('flop_poker')"),
}
_TIMED: Final = """
import resource, time
{imports}
began = time.perf_counter()
{count}
used = resource.getrusage(resource.RUSAGE_SELF)
print(time.perf_counter() - began, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)
"""


def main() -> int:
    """Print a line a count; 1 when one is beyond its target."""
    cores = len(os.sched_getaffinity(0))
    print(
        f"exact odds, {platform.processor() or platform.machine()}, {cores} cores, Python {platform.python_version()}"
    )
    beyond = False
    for name, (target, statement) in COUNTS.items():
        imports, _, count = statement.partition("; ")
        timed = subprocess.run(  # noqa: S603  # the statements above
            [sys.executable, "-c", _TIMED.format(imports=imports, count=count)],
            capture_output=True,
            text=True,
            check=True,
        )
        seconds, busy, memory = map(float, timed.stdout.split())
        fits = seconds <= target and memory <= MEMORY_MAX
        beyond = beyond or not fits
        told = f"{seconds:6.2f} s of {target:2} s, {busy:5.2f} s of processor, {memory / (1 << 20):4.0f} MiB"
        print(f"{name:32} {told}{'' if fits else '  BEYOND'}")
    return int(beyond)


if __name__ == "__main__":
    raise SystemExit(main())
