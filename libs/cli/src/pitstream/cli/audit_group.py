"""An audit that several processes, on several machines, share: Kafka gives each of them partitions, as to consumers.

A partition is one share of the keys, in every topic. Who is given it reads that share, then commits an offset for it in
the group: done, for whoever is given the partition later. When one dies, Kafka gives its partitions to the others. Only
what was committed has a part's name, so each share is a part of one of them. The parts are put together by
``pitstream audit --combine``.
"""

import asyncio
from collections.abc import Collection, Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Final, Protocol

from aiokafka import AIOKafkaConsumer, TopicPartition  # type: ignore[import-untyped]
from aiokafka.errors import CommitFailedError, IllegalStateError, KafkaError  # type: ignore[import-untyped]

from pitstream.archive import TOPICS, KafkaSource, Shard, SourceError
from pitstream.audit import Asked, Report, Where, audit_share, judge
from pitstream.cli.options import UnusableError
from pitstream.runtime.kafka_security import KafkaRefusedError, connection, explained

_TOPIC: Final = TOPICS[0]
"""Whose partitions are given out; a share of the keys has its partition's number in every topic."""
_DONE: Final = 1
"""The offset that says "read": without one it is None, and nobody fetches from it."""
_POLL_S: Final = 0.5
_A_DAY_MS: Final = 86_400_000


def shared(kafka: str, group: str, folder: Path, asked: Asked) -> Report:
    """Take part in the group's audit until every partition was read by somebody; what those read here come to.

    What one share owes to another is judged when all parts are put together. Raises UnusableError.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnusableError(f"parts: {folder}: cannot be made: {error.strerror}") from error
    try:
        mine = asyncio.run(_take_part(kafka, f"pitstream.audit.{group}", folder, asked))
    except (KafkaRefusedError, SourceError) as error:
        raise UnusableError(str(error)) from error
    except (KafkaError, OSError) as error:
        raise UnusableError(f"PITSTREAM_KAFKA: {error!r}") from error
    return judge(mine, "kafka", scope=asked.scope, some=True)


async def _take_part(kafka: str, group: str, folder: Path, asked: Asked) -> list[Path]:
    async with KafkaSource(kafka) as source:
        count = source.partitions(_TOPIC)
    every = [TopicPartition(_TOPIC, number) for number in range(count)]
    consumer = AIOKafkaConsumer(
        _TOPIC,
        **connection(kafka),
        group_id=group,
        enable_auto_commit=False,
        auto_offset_reset="earliest",
        session_timeout_ms=10_000,
        max_poll_interval_ms=_A_DAY_MS,
    )
    mine: list[Path] = []
    async with explained(kafka):
        await consumer.start()
    try:
        # The reading is another process's work: this one's loop keeps its place in the group.
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            while left := [place for place in every if not await consumer.committed(place)]:
                given = [place for place in left if place in consumer.assignment()]
                if not given:
                    await asyncio.sleep(_POLL_S)
                    continue
                place = given[0]
                reading = folder / f"reading-{place.partition}.sqlite"
                share = Shard(place.partition, count)
                where = Where("kafka", kafka)
                await asyncio.get_running_loop().run_in_executor(pool, audit_share, where, share, reading, asked)
                if (part := await keep(consumer, place, reading)) is not None:
                    mine.append(part)
    finally:
        await consumer.stop()
    return mine


class Member(Protocol):
    """What is asked of a group's consumer."""

    def assignment(self) -> Collection[TopicPartition]: ...

    async def committed(self, place: TopicPartition) -> int | None: ...

    async def commit(self, offsets: Mapping[TopicPartition, int]) -> None: ...


async def keep(member: Member, place: TopicPartition, reading: Path) -> Path | None:
    """Make what was read of a share a part, if it is still ours to read; None, and no file, where it went to somebody
    else meanwhile. While it is ours nobody else commits it, and a commit in the name of an earlier sharing is refused.
    """
    done = False
    try:
        if place in member.assignment() and not await member.committed(place):
            await member.commit({place: _DONE})
            done = True
    except (CommitFailedError, IllegalStateError):
        pass  # The group was shared anew: who has it now reads it too.
    finally:
        part = _named(reading, f"part-{place.partition}.sqlite" if done else None)
    return part


def _named(reading: Path, name: str | None) -> Path | None:
    if name is not None:
        return reading.replace(reading.with_name(name))
    reading.unlink()
    return None
