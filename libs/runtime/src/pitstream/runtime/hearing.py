"""Whether a service has heard all that there was to hear: what it does not know may only not have reached it yet.

A partition stands still for seconds when its reader was killed, and any instance may be asked meanwhile. So "I have not
heard of it" is no fact before the service, whichever of its instances reads, has read its topics up to where they ended
when it was asked. The checkpoints in PostgreSQL say how far that is.
"""

import asyncio
from collections.abc import Collection, Mapping
from typing import Final

from aiokafka import TopicPartition  # type: ignore[import-untyped]
from aiokafka.errors import KafkaError  # type: ignore[import-untyped]

from pitstream.runtime import inbox_store
from pitstream.runtime.consumer import TopicConsumer
from pitstream.runtime.logs import log
from pitstream.runtime.store import Store

WAIT_S: Final = 3.0
"""How long a command is held back until the topics are read. Then its caller is told to ask again."""
_PAUSE_S = 0.05

Ends = dict[tuple[str, int], int]
"""Where each partition of some topics ended, by (topic, partition)."""


class Hearing:
    """What one service has read, over all of its instances."""

    def __init__(self, store: Store, consumers: Collection[TopicConsumer]) -> None:
        self._store = store
        self._consumers = {consumer.topic: consumer for consumer in consumers}

    async def has_read(self, topics: Collection[str], wait_s: float = WAIT_S) -> bool:
        """Whether the service has read ``topics`` up to where they end now, or does so within ``wait_s`` seconds. False
        too where Kafka does not say where they end."""
        if unread := set(topics) - self._consumers.keys():
            raise ValueError(f"topics: was {sorted(unread)}; this service reads {sorted(self._consumers)}")
        try:
            async with asyncio.timeout(wait_s):
                ends = await self._ends(topics)
                while missing(ends, await self._checkpoints(topics)):  # noqa: ASYNC110  # another process moves them
                    await asyncio.sleep(_PAUSE_S)
        except (TimeoutError, KafkaError) as error:
            log.info("topics are not read up to their ends", topics=sorted(topics), error=repr(error))
            return False
        return True

    async def _ends(self, topics: Collection[str]) -> Ends:
        ends: Ends = {}
        for topic in topics:
            consumer = self._consumers[topic].consumer
            partitions = consumer.partitions_for_topic(topic) if consumer is not None else None
            if consumer is None or not partitions:
                raise TimeoutError(f"{topic}: its partitions are not known yet")
            places = [TopicPartition(topic, partition) for partition in sorted(partitions)]
            found = await consumer.end_offsets(places)
            ends |= {(topic, place.partition): end for place, end in found.items()}
        return ends

    async def _checkpoints(self, topics: Collection[str]) -> Ends:
        return {
            (topic, partition): offset
            for topic in topics
            for partition, offset in (await inbox_store.all_checkpoints(self._store, topic)).items()
        }


def missing(ends: Mapping[tuple[str, int], int], read: Mapping[tuple[str, int], int]) -> set[tuple[str, int]]:
    """The partitions that were not read up to their end; one that nobody has begun to read is at 0.

    >>> sorted(missing({("t", 0): 5, ("t", 1): 0, ("t", 2): 1}, {("t", 0): 4}))
    [('t', 0), ('t', 2)]
    """
    return {place for place, end in ends.items() if read.get(place, 0) < end}
