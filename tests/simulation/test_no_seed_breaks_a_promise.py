"""The real services in one process, one step at a time, under drawn faults: no seed breaks a promise, and every planted
bug is caught. Method: deterministic simulation, judged by code of its own. ``docs/simulation.md`` tells more; the long
run is ``make simulate``."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio
from simulate import commit
from simulated.database import server
from simulated.faults import FAMILIES, Plan
from simulated.mutants import MUTANTS
from simulated.run import Bench, bench
from simulated.trying import Tried, shrink, try_plan

FLOOR = 50
"""Seeds of every normal run, as many as fit in a minute or so of one core."""
CAUGHT_WITHIN = 12
"""Seeds in which the quick ones of the planted bugs must be caught; in the long run all are planted."""
QUICK = (
    "poison is skipped in silence",
    "a gap is taken for empty",
    "the outbox is emptied before it is sent",
    "what is published is ordered by the clock",
    "who got no reply asks again under a new id",
    "folded jacks or better win the ante",
    "the rest of a contribution is dropped",
)

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.timeout(1800),
]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with server() as started:
        yield started


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def ready(address: str) -> AsyncIterator[Bench]:
    async with bench(address, "simulated_in_tests") as opened:
        yield opened


def told(tried: Tried) -> str:
    """What a failing seed prints: what to repeat, what fired, what happened last."""
    lines = [
        f"seed {tried.plan.seed} at commit {commit()}: {tried.promise}: {tried.found}",
        f"again: make simulate SEED={tried.plan.seed}",
        f"schedule: {tried.plan}",
        "faults:",
        *tried.faults,
        f"last steps of {tried.steps}:",
        *tried.last_steps,
    ]
    return "\n".join(lines)


async def test_no_seed_breaks_a_promise_and_every_fault_fires(ready: Bench) -> None:
    fired: Counter[str] = Counter()
    seeds = 0
    for number in range(FLOOR):
        tried = await try_plan(ready, Plan(str(number)))
        if tried.promise:
            smallest = await shrink(ready, tried, "", print)
            pytest.fail(f"{told(tried)}\n\nthe smallest schedule that was found:\n{told(smallest)}")
        fired.update(tried.fired)
        seeds += 1
    assert seeds >= FLOOR
    assert [family for family in FAMILIES if not fired[family]] == []


async def test_a_seed_repeats_to_the_last_byte(ready: Bench) -> None:
    first = await try_plan(ready, Plan("repeated"))
    await try_plan(ready, Plan("another"))
    again = await try_plan(ready, Plan("repeated"))
    assert first == again
    assert first.faults


@pytest.mark.parametrize("name", QUICK)
async def test_a_planted_bug_is_caught(ready: Bench, name: str) -> None:
    assert await _caught_by(ready, name, CAUGHT_WITHIN) != ""


async def test_a_failing_seed_is_shrunk_to_less_that_fails_alike(ready: Bench) -> None:
    mutant = "poison is skipped in silence"
    for number in range(CAUGHT_WITHIN):
        failed = await try_plan(ready, Plan(f"m{number}", tables_max=1, rounds_max=1, seats_max=2), mutant)
        if failed.promise:
            break
    smallest = await shrink(ready, failed, mutant, print)
    assert smallest.promise == failed.promise == "poison is kept"
    assert [fault.split(" ")[1] for fault in smallest.faults] == ["poison:"]
    assert await try_plan(ready, smallest.plan, mutant) == smallest


@pytest.mark.slow
async def test_every_planted_bug_is_caught(ready: Bench) -> None:
    caught = {}
    for name in MUTANTS:
        caught[name] = await _caught_by(ready, name, 60)
    assert len(MUTANTS) >= 20
    assert [name for name, promise in caught.items() if not promise] == []


async def _caught_by(ready: Bench, name: str, seeds: int) -> str:
    """The promise by which a planted bug was caught; empty when it was not."""
    for number in range(seeds):
        tried = await try_plan(ready, Plan(f"m{number}"), name)
        if tried.promise:
            return tried.promise
        await asyncio.sleep(0)
    return ""
