"""What is fed, and the loop that feeds it: one input after the other, each drawn from the seed and its own number."""

import random
import signal
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, Protocol

DEADLINE_S = 2.0
"""Processor time of this process that one input may take. Most take less than a thousandth of it."""
FOUND = Path(__file__).parents[1] / "found"
"""Where inputs that broke something are kept, to be given again."""


class Broken(AssertionError):  # noqa: N818 - it is what an input is reported for
    """An input was not answered as it must be."""


class TooLong(BaseException):
    """An input took more than its time."""


class Target(Protocol):
    """Something that takes bytes from outside."""

    name: str
    outcomes: frozenset[str]
    """Every way in which an input ends. Ten thousand inputs meet all of them, else they are drawn badly."""

    def draw(self, chance: random.Random) -> bytes:
        """An input. It holds all that it takes to feed it again."""
        ...

    def close(self) -> None:
        """Leave nothing behind."""
        ...

    def feed(self, data: bytes) -> str:
        """How the input ended, one of ``outcomes``. Raises Broken, or anything, for an input that broke something."""
        ...


@dataclass(frozen=True, slots=True)
class Failure:
    """An input that broke something."""

    number: int
    data: bytes
    said: str

    def keep(self, target: str) -> Path:
        """Write the input of this target to a file that ``make fuzz FILE=`` takes."""
        FOUND.mkdir(exist_ok=True)
        file = FOUND / f"{target}-{self.number}"
        file.write_bytes(self.data)
        return file


@dataclass(slots=True)
class Fed:
    """What came of many inputs."""

    ended: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)


def drawn(target: Target, seed: str, number: int) -> bytes:
    """The input of this seed and number: the same for ever, whichever came before it."""
    return target.draw(random.Random(f"{seed}/{target.name}/{number}"))


def feed_many(
    target: Target,
    seed: str,
    numbers: Iterable[int],
    *,
    failures_max: int = 1,
    begins: Callable[[int], Any] = lambda _: None,
) -> Fed:
    """Feed the inputs of these numbers, until all are fed or so many have broken something."""
    fed = Fed()
    with _deadlines() as deadline:
        for number in numbers:
            begins(number)
            data = drawn(target, seed, number)
            failure = fed_one(target, data, number, deadline)
            if isinstance(failure, str):
                fed.ended[failure] += 1
                continue
            fed.failures.append(failure)
            if len(fed.failures) == failures_max:
                break
    return fed


def feed_again(target: Target, data: bytes) -> str | Failure:
    """Feed one input, as it was kept."""
    with _deadlines() as deadline:
        return fed_one(target, data, 0, deadline)


def fed_one(target: Target, data: bytes, number: int, deadline: Callable[[float], None]) -> str | Failure:
    deadline(DEADLINE_S)
    try:
        ended = target.feed(data)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a panic of Rust is no Exception
        deadline(0)
        return Failure(number, data, f"{type(error).__name__}: {error}"[:2000] + _where(error))
    deadline(0)
    if ended not in target.outcomes:
        return Failure(number, data, f"ended as {ended!r}; allowed: {', '.join(sorted(target.outcomes))}")
    return ended


def _where(error: BaseException) -> str:
    """The innermost lines of the error's stack."""
    trace, lines = error.__traceback__, []
    while trace is not None:
        lines.append(f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}")
        trace = trace.tb_next
    return f" [{' > '.join(lines[-5:])}]"


@contextmanager
def _deadlines() -> Iterator[Callable[[float], None]]:
    """Sets how much of the processor's time may pass from now on; 0: any. A busy machine makes nothing late."""

    def late(_signal: int, _frame: FrameType | None) -> None:
        raise TooLong(f"took more than {DEADLINE_S} s of processor time")

    before = signal.signal(signal.SIGVTALRM, late)
    try:
        yield lambda seconds: signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
