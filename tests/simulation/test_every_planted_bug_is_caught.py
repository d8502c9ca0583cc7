"""A suite that would not see these bugs proves nothing. Method: each is planted into the real code, and seeds are
played until one breaks a promise."""

import pytest
from simulated.faults import Plan
from simulated.mutants import MUTANTS
from simulated.run import Bench
from simulated.trying import try_plan

CAUGHT_WITHIN = 12
"""Seeds."""

pytestmark = pytest.mark.timeout(1800)


def test_there_are_enough_of_them() -> None:
    assert len(MUTANTS) >= 24


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", MUTANTS)
async def test_a_planted_bug_is_caught(ready: Bench, name: str) -> None:
    for number in range(CAUGHT_WITHIN):
        tried = await try_plan(ready, Plan(f"m{number}"), name)
        if tried.promise:
            return
    pytest.fail(f"{name}: survives {CAUGHT_WITHIN} seeds; more with make simulate MUTANT='{name}'")
