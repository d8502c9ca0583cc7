"""A wrong record behind each real one loses nothing and stops nobody.

Method: rounds are played through the real services, their real consumers and a real PostgreSQL, as the simulation does
it, without any of its faults; whatever is published is followed by a record that was made of those before it. The
simulation's oracle judges what came of the rounds, and every reader must have kept every wrong record, once.
"""

import asyncio
import os
from collections import Counter

import pytest
from fuzzed.stored import Fuzzed
from simulated.faults import FAMILIES, Plan
from simulated.oracle import judge
from simulated.poison import is_poison
from simulated.run import Bench
from simulated.world import World, playing

from pitstream.runtime.inbox import REASONS

MADE = 300
MADE_IN_THE_LONG_RUN = int(os.environ.get("PITSTREAM_FUZZ_STORED", "10000"))
STRAYS = frozenset(REASONS) - {"handler_failed", "newer_version"}
"""Reasons of what stops nobody."""

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(7200)]


async def play_until(ready: Bench, made: int) -> Counter[str]:
    """How the wrong records ended, by reader, once so many were put in."""
    ended: Counter[str] = Counter()
    put_in = number = 0
    while put_in < made:
        plan = Plan(f"fuzz-{number}", families_off=frozenset(FAMILIES))
        async with playing(plan, ready.database, ready.services, ready.keys) as world:
            world.bus = Fuzzed(world.faults, world.clock_us, plan.seed, world.poisoned)
            async with asyncio.timeout(1800):
                await world.run()
            # Those made wrong are looked at below: the oracle knows what reason each has, and expects none to wait.
            wrong = [one for one in await judge(world) if one.promise != "poison is kept" and "wait" not in one.found]
            assert (plan.seed, wrong) == (plan.seed, [])
            ended += await how_they_ended(world)
            put_in, number = put_in + len(world.poisoned), number + 1
    return ended


async def how_they_ended(world: World) -> Counter[str]:
    ended: Counter[str] = Counter()
    for service, built in world.services.items():
        query = 'SELECT topic, partition, kafka_offset, record_value, reason FROM "{0}".dead_letters UNION ALL '
        query += "SELECT topic, partition, kafka_offset, record_value, 'waits' FROM \"{0}\".parked"
        rows = await world.database.admin.fetch(query.format(service))
        found = {(row["topic"], row["partition"], row["kafka_offset"]): row for row in rows}
        assert len(found) == len(rows), f"{service}: kept twice"
        for topic in built.handlers:
            for partition, log in enumerate(world.bus.topics[topic]):
                values = {kept.record.value for kept in log if not is_poison(kept.record.headers)}
                for offset, kept in enumerate(log):
                    row = found.pop((topic, partition, offset), None)
                    if not is_poison(kept.record.headers):
                        assert row is None, f"{service} {topic} {partition} {offset}: a real event, {row}"
                    elif row is None:
                        assert kept.record.value in values, f"{service} {topic} {partition} {offset}: lost"
                        ended["known"] += 1
                    else:
                        assert row["record_value"] == kept.record.value
                        ended[row["reason"]] += 1
        assert found == {}
    assert ended.keys() <= STRAYS | {"known", "waits"}
    return ended


async def test_what_is_made_wrong_is_kept_and_every_round_is_played_and_paid(ready: Bench) -> None:
    ended = await play_until(ready, MADE)
    assert ended.keys() >= {"undecodable", "differs_from_applied", "foreign_key", "known"}


@pytest.mark.slow
async def test_very_much_of_it_is_kept_too(ready: Bench) -> None:
    ended = await play_until(ready, MADE_IN_THE_LONG_RUN)
    print(f"stored: {dict(sorted(ended.items()))}")  # noqa: T201  # the figures of a long run
    assert ended.keys() == STRAYS | {"known", "waits"}
