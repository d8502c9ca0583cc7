"""The seeds of a normal test run, in parts that stand in files of their own: workers share them, and each part is
judged by itself."""

from collections import Counter

import pytest
from simulate import commit

from simulated.faults import FAMILIES, Plan
from simulated.run import Bench
from simulated.trying import Tried, shrink, try_plan

SEEDS_A_PART = 100
PARTS = 3
DONE = (
    "RoundVoided", "ContributionsReturned", "PlayerLeft", "FundsDeclined", "WagersDeclined", "HitLocked",
    "HandPayApproved", "PrizeApproved", "PrizeRefused", "DisputeDecided", "RoundCorrectionDeclined", "RoundResettled",
    "SeatCorrected", "PrizeQuestioned",
)  # fmt: skip
"""Events that tell of what goes another way than most: a fault that comes meanwhile is worth nothing if they do not."""


async def keeps_every_promise(ready: Bench, part: int) -> None:
    """No seed of this part breaks a promise, it has as many as it should, and every family of faults fires in it."""
    fired: Counter[str] = Counter()
    done: Counter[str] = Counter()
    seeds = 0
    for number in range(part * SEEDS_A_PART, (part + 1) * SEEDS_A_PART):
        tried = await try_plan(ready, Plan(str(number)))
        if tried.promise:
            smallest = await shrink(ready, tried, "", print)
            pytest.fail(f"{told(tried)}\n\nthe smallest schedule that was found:\n{told(smallest)}")
        fired.update(tried.fired)
        done.update(tried.done)
        seeds += 1
    assert seeds == SEEDS_A_PART
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
