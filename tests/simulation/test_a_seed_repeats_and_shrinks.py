"""A seed is worth something since it repeats, and since what fails becomes small. Method: seeds are played anew."""

import pytest
from simulate import spread
from simulated.faults import Plan
from simulated.run import Bench
from simulated.trying import shrink, try_plan

REPEATED = ("37", "5", "repeated")

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(1800)]


async def test_a_seed_repeats_to_the_last_byte_whoever_ran_before_it(
    ready: Bench, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everything that is told of a seed is compared: its steps and what was answered, its faults, its events."""
    first = [await try_plan(ready, Plan(seed)) for seed in REPEATED]
    assert len({tried.digest for tried in first}) == len(REPEATED)
    assert all(tried.faults and tried.last_steps for tried in first)
    again = [await try_plan(ready, Plan(seed)) for seed in reversed(REPEATED)]
    assert again == first[::-1]
    # A process that was just started, in which sets have another order.
    monkeypatch.setenv("PYTHONHASHSEED", "4711")
    elsewhere = [tried for _, tried in spread(address, [(seed, "") for seed in REPEATED], jobs=1)]
    assert elsewhere == first


async def test_a_failing_seed_is_shrunk_to_less_that_fails_alike(ready: Bench) -> None:
    mutant = "poison is skipped in silence"
    # Not m0: its poison stands behind other draws of its step, so that without those it is another draw.
    failed = await try_plan(ready, Plan("m1", tables_max=1, rounds_max=1, seats_max=2), mutant)
    assert len(failed.faults) > 1
    smallest = await shrink(ready, failed, mutant, print)
    assert smallest.promise == failed.promise == "poison is kept"
    assert [fault.split(" ")[1] for fault in smallest.faults] == ["poison:"]
    assert await try_plan(ready, smallest.plan, mutant) == smallest
