"""A seed is worth something since it repeats, and since what fails becomes small. Method: seeds are played anew."""

from pathlib import Path

import pytest
from simulated.faults import Plan
from simulated.run import Bench
from simulated.seeds import PARTS, SEEDS_A_PART
from simulated.trying import shrink, try_plan

FLOOR = 300
"""Seeds of every normal run."""

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(1800)]


async def test_a_normal_run_plays_as_many_seeds_as_are_promised() -> None:
    files = sorted(Path(__file__).parent.glob("test_no_seed_of_the_*_hundred_breaks_a_promise.py"))
    played = {line for file in files for line in file.read_text().splitlines() if "keeps_every_promise(" in line}
    assert played == {f"    await keeps_every_promise(ready, part={part})" for part in range(PARTS)}
    assert PARTS * SEEDS_A_PART >= FLOOR


async def test_a_seed_repeats_to_the_last_byte(ready: Bench) -> None:
    first = await try_plan(ready, Plan("repeated"))
    await try_plan(ready, Plan("another"))
    again = await try_plan(ready, Plan("repeated"))
    assert first == again
    assert first.faults


async def test_a_failing_seed_is_shrunk_to_less_that_fails_alike(ready: Bench) -> None:
    mutant = "poison is skipped in silence"
    for number in range(12):
        failed = await try_plan(ready, Plan(f"m{number}", tables_max=1, rounds_max=1, seats_max=2), mutant)
        if failed.promise:
            break
    smallest = await shrink(ready, failed, mutant, print)
    assert smallest.promise == failed.promise == "poison is kept"
    assert [fault.split(" ")[1] for fault in smallest.faults] == ["poison:"]
    assert await try_plan(ready, smallest.plan, mutant) == smallest
