"""A seed, tried: what came of it in words that travel between processes; and a failing one made as small as it goes."""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import pytest

from simulated.faults import Plan
from simulated.mutants import MUTANTS
from simulated.oracle import committed, digest, judge
from simulated.people import Unexpected
from simulated.run import Bench
from simulated.world import Stuck, World, playing

SEED_S = 300
"""More real time than any seed takes on a busy machine; a seed that hangs is a finding."""
LAST_STEPS = 40
SHRINKS_MAX = 40
"""So many further runs a failing seed is worth."""


@dataclass(frozen=True)
class Tried:
    """What came of a plan."""

    plan: Plan
    promise: str = ""
    """The first broken promise; empty when all were kept."""
    found: str = ""
    steps: int = 0
    digest: str = ""
    fired: Mapping[str, int] = field(default_factory=dict)
    done: Mapping[str, int] = field(default_factory=dict)
    """How many events of each type were committed."""
    faults: tuple[str, ...] = ()
    last_steps: tuple[str, ...] = ()


async def try_plan(bench: Bench, plan: Plan, mutant: str = "") -> Tried:
    """Run it and judge it, with a bug planted where one is named."""
    with pytest.MonkeyPatch.context() as patch:
        if mutant:
            MUTANTS[mutant](patch)
        async with playing(plan, bench.database, bench.services, bench.keys) as world:
            promise, found = await _broken(world)
            log = await committed(world)
            return Tried(
                plan,
                promise,
                found,
                len(world.steps),
                digest(world, log),
                dict(world.faults.counted()),
                dict(Counter(type(one.event).__name__ for events in log.values() for one in events)),
                tuple(f"{one.place} {one.family}: {one.said}" for one in world.faults.fired),
                tuple(world.steps[-LAST_STEPS:]),
            )


async def _broken(world: World) -> tuple[str, str]:
    try:
        async with asyncio.timeout(SEED_S):
            await world.run()
    except Unexpected as unexpected:
        return "nobody is told what cannot be", str(unexpected)
    except Stuck as stuck:
        return "everything finishes", str(stuck)
    except TimeoutError:
        return "everything finishes", f"a step took more than {SEED_S} s"
    except Exception as error:
        return "nothing fails outside of its process", repr(error)
    wrong = await judge(world)
    return (wrong[0].promise, "; ".join(one.found for one in wrong[:3])) if wrong else ("", "")


async def shrink(bench: Bench, failed: Tried, mutant: str, report: Callable[[str], None]) -> Tried:
    """The smallest plan found that breaks the same promise: first whole families are left out, then tables, rounds and
    seats, then single faults, half of those left at once."""
    left = SHRINKS_MAX
    best = failed

    async def smaller(plan: Plan) -> bool:
        nonlocal left, best
        if left <= 0:
            return False
        left -= 1
        tried = await try_plan(bench, plan, mutant)
        if tried.promise != failed.promise:
            return False
        best = tried
        report(f"still broken with {sum(tried.fired.values())} faults in {tried.steps} steps")
        return True

    for family in sorted(best.fired, key=lambda one: -best.fired[one]):
        if family in best.fired:
            await smaller(replace(best.plan, families_off=best.plan.families_off | {family}))
    for name in ("tables_max", "rounds_max", "seats_max"):
        while (size := getattr(best.plan, name)) > 1 and await smaller(replace(best.plan, **{name: size - 1})):
            pass
    piece = max(1, len(best.faults) // 2)
    while left > 0 and best.faults:
        places = [one.partition(" ")[0] for one in best.faults]
        for start in range(0, len(places), piece):
            off = best.plan.faults_off | set(places[start : start + piece])
            if await smaller(replace(best.plan, faults_off=off)):
                break
        else:
            if piece == 1:
                break
            piece //= 2
    return best
