"""The real services in one process, one step at a time, under drawn faults. Method: deterministic simulation, judged by
code of its own. ``docs/simulation.md`` tells more; the long run is ``make simulate``."""

from collections import Counter

import pytest
from simulate import commit
from simulated.faults import FAMILIES, Plan
from simulated.run import Bench
from simulated.trying import Tried, shrink, try_plan

SEEDS = 120
"""Of every normal run: as many as two minutes and a half of a core are enough for."""
DONE = (
    "RoundVoided", "ContributionsReturned", "PlayerLeft", "FundsDeclined", "WagersDeclined", "HitLocked",
    "HandPayApproved", "PrizeApproved", "PrizeRefused", "DisputeDecided", "RoundCorrectionDeclined", "RoundResettled",
    "SeatCorrected", "PrizeQuestioned",
)  # fmt: skip
"""Events that tell of what goes another way than most: a fault that comes meanwhile is worth nothing if they do not."""

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(1800)]


async def test_no_seed_breaks_a_promise_and_every_fault_fires(ready: Bench) -> None:
    fired: Counter[str] = Counter()
    done: Counter[str] = Counter()
    for number in range(SEEDS):
        tried = await try_plan(ready, Plan(str(number)))
        if tried.promise:
            smallest = await shrink(ready, tried, "", print)
            pytest.fail(f"{told(tried)}\n\nthe smallest schedule that was found:\n{told(smallest)}")
        fired.update(tried.fired)
        done.update(tried.done)
    assert [family for family in FAMILIES if not fired[family]] == []
    assert [act for act in DONE if not done[act]] == []


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
