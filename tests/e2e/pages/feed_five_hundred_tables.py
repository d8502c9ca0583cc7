"""``python feed_five_hundred_tables.py KAFKA ROUNDS_PER_S WATCHED``: 500 tables of six seats play at a pace, every
event that such rounds bring into its topic, until the process is ended. Each line says a round of the watched table and
when it was opened, in milliseconds of the wall clock; or how many rounds were played.

A process of its own, and whole batches handed to the producer: the feed stands for services on other machines, and is
to take as little of this one as it can.
"""

import asyncio
import runpy
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from aiokafka import AIOKafkaProducer
from aiokafka.partitioner import murmur2

BENCH = runpy.run_path(str(Path(__file__).parents[3] / "services" / "ops" / "benches" / "five_hundred_tables.py"))
PARTITIONS = 6
TICK_S = 0.02


async def send(producer: AIOKafkaProducer, events: Iterable[tuple[str, str, bytes]]) -> None:
    """Each event to its key's partition, in order, as few batches as there is room for."""
    batches: dict[tuple[str, int], Any] = {}
    for topic, key, data in events:
        name = key.encode()
        place = topic, (murmur2(name) & 0x7FFFFFFF) % PARTITIONS
        batch = batches.get(place)
        if batch is None:
            batch = batches[place] = producer.create_batch()
        if batch.append(key=name, value=data, timestamp=None) is None:
            await producer.send_batch(batch, place[0], partition=place[1])
            batches[place] = producer.create_batch()
            batches[place].append(key=name, value=data, timestamp=None)
    for place, batch in batches.items():
        await producer.send_batch(batch, place[0], partition=place[1])


async def play(kafka: str, rounds_per_s: float, watched: str) -> None:
    topics = BENCH["Topics"](at_us=time.time_ns() // 1000, made=lambda topic, key, data: (topic, key, data))
    async with AIOKafkaProducer(bootstrap_servers=kafka, linger_ms=0, acks=1, max_batch_size=1 << 20) as producer:
        await send(producer, BENCH["opened"](topics))
        began, played = time.monotonic(), 0
        while True:
            due = int((time.monotonic() - began) * rounds_per_s)
            events: list[Any] = []
            for one in range(played, due):
                table, number = f"uth-{one % BENCH['TABLES']:03}", 1 + one // BENCH["TABLES"]
                topics.at_us = time.time_ns() // 1000
                if table == watched:
                    sys.stdout.write(f"opened {number} {time.time_ns() // 1_000_000}\n")
                events += BENCH["played"](topics, table, number)
            if events:
                await send(producer, events)
                played = due
                sys.stdout.write(f"played {played}\n")
                sys.stdout.flush()
            await asyncio.sleep(TICK_S)


if __name__ == "__main__":
    asyncio.run(play(sys.argv[1], float(sys.argv[2]), sys.argv[3]))
