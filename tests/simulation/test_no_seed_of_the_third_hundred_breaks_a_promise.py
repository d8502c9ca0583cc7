"""The real services in one process, one step at a time, under drawn faults. Method: deterministic simulation, judged by
code of its own. ``docs/simulation.md`` tells more; the long run is ``make simulate``."""

import pytest
from simulated.run import Bench
from simulated.seeds import keeps_every_promise

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(1800)]


async def test_no_seed_breaks_a_promise_and_every_fault_fires(ready: Bench) -> None:
    await keeps_every_promise(ready, part=2)
