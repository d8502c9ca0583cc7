"""Ends a process that is alive and does nothing, so that whoever started it starts it afresh.

A Kafka client can stop reading without a word, and a blocked loop cannot even answer that it is blocked.
"""

import asyncio
import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import NoReturn

from aiokafka import TopicPartition  # type: ignore[import-untyped]

from pitstream.runtime import inbox_store
from pitstream.runtime.consumer import TopicConsumer
from pitstream.runtime.kafka import answers
from pitstream.runtime.logs import log
from pitstream.runtime.store import Store

EXIT_STUCK = 70
_EVERY_S = 2.0


def exit_now(reason: str, **fields: object) -> NoReturn:
    """Leave at once: nothing here needs a goodbye, and a stuck process may not be able to say it."""
    log.critical(reason, **fields)
    logging.shutdown()
    sys.stdout.flush()
    os._exit(EXIT_STUCK)


class LagWatch:
    """How far one consumer is behind, and since when it has stood still there."""

    def __init__(
        self, consumer: TopicConsumer, store: Store, kafka: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.consumer = consumer
        self.store = store
        self.kafka = kafka
        self.clock = clock
        self.lag: int | None = None
        """Records of the topic that no instance has applied yet; None when it cannot be told."""
        self._checkpoints: dict[int, int] = {}
        self._still_since: dict[int, float] = {}

    async def look(self) -> None:
        """Measure once. Without an answer from Kafka or PostgreSQL nobody is to blame and no time passes."""
        topic, now = self.consumer.topic, self.clock()
        try:
            checkpoints = await inbox_store.all_checkpoints(self.store, topic)
            async with asyncio.timeout(10):
                ends = await self._ends(sorted(checkpoints))
        except Exception as error:
            self.lag = None
            log.warning("lag is unknown", topic=topic, error=repr(error))
            if not await answers(self.kafka):
                self._still_since.clear()
                return
            # Kafka answers a newcomer but not this consumer: time passes for all that it reads.
            for partition in self.consumer.partitions():
                self._still_since.setdefault(partition, now)
            return
        self.lag = sum(max(0, end - checkpoints[partition]) for partition, end in ends.items())
        for partition, end in ends.items():
            if checkpoints[partition] >= end or checkpoints[partition] != self._checkpoints.get(partition):
                self._still_since.pop(partition, None)
            else:
                self._still_since.setdefault(partition, now)
        self._checkpoints = checkpoints

    async def _ends(self, partitions: Sequence[int]) -> dict[int, int]:
        consumer = self.consumer.consumer
        if consumer is None or not partitions:
            return {}
        places = [TopicPartition(self.consumer.topic, partition) for partition in partitions]
        return {place.partition: end for place, end in (await consumer.end_offsets(places)).items()}

    def still_s(self) -> float:
        """Seconds that a partition of ours, or anybody's while we have none, has had work and no progress."""
        ours = self.consumer.partitions()
        still = [since for partition, since in self._still_since.items() if partition in ours or not ours]
        return self.clock() - min(still) if still else 0.0


async def watch(lags: Sequence[LagWatch], limit_s: float) -> None:
    """Look at every consumer again and again; ends the process when one stands still for ``limit_s``."""
    while True:
        for lag in lags:
            try:
                await lag.consumer.pass_emptiness()
            except Exception as error:  # tried again in a moment; what stands still is found below
                log.warning("checkpoint not moved yet", topic=lag.consumer.topic, error=repr(error))
            await lag.look()
            if lag.still_s() > limit_s:
                exit_now("no progress", topic=lag.consumer.topic, lag=lag.lag, still_s=round(lag.still_s()))
        await asyncio.sleep(_EVERY_S)


class LoopDelay:
    """How late the event loop's turns are: the worst of the last seconds, forgotten by a tenth with each turn."""

    latest_s = 0.0


delay = LoopDelay()


async def guard_loop(limit_s: float) -> None:
    """Ends the process, from a thread, when the event loop does not turn for ``limit_s``; logs a shorter stall."""
    beats = 0
    stopped = threading.Event()

    def count() -> None:
        # Counted in this thread's own turns, so that a stopped and continued process is not taken for a stuck one.
        seen, missed_s = beats, 0.0
        while not stopped.wait(1.0):
            missed_s = missed_s + 1 if beats == seen else 0.0
            seen = beats
            if missed_s > limit_s:
                exit_now("event loop stands still", missed_s=missed_s)

    threading.Thread(target=count, name="loop-guard", daemon=True).start()
    try:
        while True:
            before = time.monotonic()
            await asyncio.sleep(0.25)
            beats += 1
            late_s = time.monotonic() - before - 0.25
            delay.latest_s = max(late_s, delay.latest_s * 0.9)
            if late_s > 1.0:
                log.warning("event loop was late", late_s=round(late_s, 3))
    finally:
        stopped.set()
