"""Rounds a second from the first command to the posted ledger, and how long a round waits for its money, beside a
pipeline that does nothing.

    python libs/cli/benches/pipeline.py [--rounds 600] [--tables 48]

Six seats, each with its Ante, Blind, Trips and Progressive, play Ultimate Texas Hold'em, every command over HTTP. The
rounds are played as fast as they go; then again at half that pace, where the time from a round's last decision to the
last of its seats' postings is told, as the events themselves say when they were recorded.

The bare pipeline has the same bytes and rows ready in memory: a process for each service sends what the service sent to
its topic, reads what its consumers read, and copies what it wrote into tables of the same shape with the same indexes.
It decides nothing, waits for nothing and is asked nothing. Its latency, at the pace of the suite's, is what a round's
money cannot do without: a record sent and read, another sent because of it and read, and a piece of the wallet's rows
copied.
"""

import argparse
import asyncio
import io
import json
import multiprocessing
import os
import platform as machine
import random
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import asyncpg
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewTopic

from pitstream.cli import platform
from pitstream.cli.addresses import SERVICES
from pitstream.cli.testing import employ_boss
from pitstream.events import Recorded, open_envelope
from pitstream.events.rounds import DecisionMade
from pitstream.events.wallet import SeatPosted
from pitstream.games.settle_file import Settled, settle_lines
from pitstream.runtime.settings import TOPIC_SOURCES, group_of
from pitstream.stack import embedded

SEATS, PARTITIONS = 6, 6
PAGES_A_COPY = 64
SENT_AT_ONCE = 500
STREETS = (("4x",), ("check", "2x"), ("check", "check", "1x"), ("check", "check", "fold"))


def records(many: int, tables: int) -> list[str]:
    """Rounds that take no share of a meter, since the feed lets those wait for each other."""
    dice, found = random.Random(5), []  # noqa: S311 - the same rounds each time
    deck = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]
    while len(found) < many:
        number = len(found)
        dice.shuffle(deck)
        record = {
            "schema": "pitstream.round/1", "id": f"b{number}", "table": f"uth-{number % tables:03}",
            "game": "ultimate_texas_holdem", "gaming_day": "2025-05-03", "currency": "USD",
            "paytables": {"ante": "A", "blind": "A", "play": "A", "trips": "A", "progressive": "sister-A"},
            "cards": {"dealer": deck[:2], "community": deck[2:7], "burned": deck[7:9]},
            "seats": [
                {
                    "seat": seat, "player": f"p{number % tables:03}{seat}",
                    "cards": deck[9 + 2 * seat : 11 + 2 * seat],
                    "wagers": {"ante": 1000, "blind": 1000, "trips": 500, "progressive": 500},
                    "decisions": list(dice.choice(STREETS)),
                }
                for seat in range(1, SEATS + 1)
            ],
            "meters": {"main": 1_000_000}, "seeds": {"main": 1_000_000},
        }  # fmt: skip
        (settled,) = settle_lines([json.dumps(record).encode()])
        if not isinstance(settled, Settled):
            raise TypeError(f"not a round: {settled}")
        if not any(line.share for seat in settled.result.seats for line in seat.lines):
            found.append(json.dumps(record))
    return found


def feed(home: Path, lines: Sequence[str], day: str, *options: str) -> dict[str, Any]:
    """Play the lines on that gaming day; what the feed says of it."""
    command = [Path(sys.executable).with_name("pitstream"), "feed", "-", "--json", "--patience=400", *options]
    played = "\n".join(line.replace("2025-05-03", day) for line in lines)
    environ = {**os.environ, "PITSTREAM_DATA_DIR": str(home)}
    done = subprocess.run(command, input=played, capture_output=True, text=True, env=environ, check=False)  # noqa: S603
    if done.returncode:
        raise RuntimeError(done.stderr + done.stdout[-2000:])
    found: dict[str, Any] = json.loads(done.stdout)
    if found["rounds"] != len(lines):
        raise RuntimeError(f"rounds: was {found['rounds']}; {len(lines)} were to be played")
    return found


async def sent_to(kafka: str) -> dict[str, list[tuple[bytes, bytes]]]:
    """Every record of every topic, its key and its bytes, partition by partition."""
    found: dict[str, list[tuple[bytes, bytes]]] = {}
    async with AIOKafkaConsumer(bootstrap_servers=kafka, auto_offset_reset="earliest") as consumer:
        for topic in TOPIC_SOURCES:
            places = [TopicPartition(topic, one) for one in range(PARTITIONS)]
            ends = await consumer.end_offsets(places)
            consumer.assign(places)
            read: dict[TopicPartition, list[tuple[bytes, bytes]]] = defaultdict(list)
            while [place for place in places if await consumer.position(place) < ends[place]]:
                for place, some in (await consumer.getmany(timeout_ms=500)).items():
                    read[place] += [(one.key, one.value) for one in some]
            found[topic] = [one for place in places for one in read[place]]
    return found


def waits_s(topics: Mapping[str, Sequence[tuple[bytes, bytes]]], day: str) -> list[float]:
    """Seconds from each round's last decision to its last posting, sorted."""
    rounds: dict[str, str] = {}
    decided: dict[str, int] = {}
    posted: dict[tuple[str, int], int] = {}
    for recorded in events(topics["rounds.v1"]):
        if getattr(recorded.event, "gaming_day", "") == day:
            rounds[recorded.stream] = day
        if isinstance(recorded.event, DecisionMade) and recorded.stream in rounds:
            decided[recorded.stream] = max(decided.get(recorded.stream, 0), recorded.envelope.recorded_at_us)
    for recorded in events(topics["wallet.v1"]):
        if isinstance(recorded.event, SeatPosted):
            place = recorded.event.table, recorded.event.round_no
            posted[place] = max(posted.get(place, 0), recorded.envelope.recorded_at_us)
    by_stream = {f"round/{table}/{number}": at for (table, number), at in posted.items()}
    return sorted((by_stream[stream] - at) / 1e6 for stream, at in decided.items())


def events(records_of_a_topic: Iterable[tuple[bytes, bytes]]) -> Iterable[Recorded]:
    """What the records say."""
    return (open_envelope(value) for _, value in records_of_a_topic)


@dataclass
class Bare:
    """What one process of the bare pipeline does: ``rows`` are pieces of tables as PostgreSQL copies them."""

    service: str
    sends: list[tuple[bytes, bytes]]
    reads: dict[str, int]
    rows: list[tuple[str, bytes]] = field(default_factory=list)


async def rows_of(postgres: str, service: str) -> list[tuple[str, bytes]]:
    """All rows of a service's schema, and empty tables of the same shape for them in another."""
    connection = await asyncpg.connect(postgres)
    found = []
    try:
        await connection.execute(f"DROP SCHEMA IF EXISTS bare_{service} CASCADE; CREATE SCHEMA bare_{service}")
        for row in await connection.fetch(
            "SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace"
            " WHERE nspname = $1 AND relkind = 'r' AND relname <> 'schema_migrations'",
            service,
        ):
            name, table = row["name"], f'"{service}".{row["name"]}'
            await connection.execute(f"CREATE TABLE bare_{service}.{name} (LIKE {table} INCLUDING ALL)")
            size = await connection.fetchval("SELECT pg_relation_size($1::text::regclass) / 8192", table)
            for page in range(0, size, PAGES_A_COPY):
                piece = io.BytesIO()
                asked = (
                    f"SELECT * FROM {table}"  # noqa: S608 - names of our own tables
                    f" WHERE ctid >= '({page},0)' AND ctid < '({page + PAGES_A_COPY},0)'"
                )
                await connection.copy_from_query(asked, output=piece, format="binary")
                found.append((name, piece.getvalue()))
    finally:
        await connection.close()
    return found


async def carry(bare: Bare, kafka: str, postgres: str) -> None:
    """Send, read and copy, all at once."""
    connection = await asyncpg.connect(postgres)
    producer = AIOKafkaProducer(bootstrap_servers=kafka, acks="all", enable_idempotence=True, linger_ms=5)
    await producer.start()

    async def send() -> None:
        topic = next((f"bare.{name}" for name, source in TOPIC_SOURCES.items() if source == bare.service), "")
        for start in range(0, len(bare.sends), SENT_AT_ONCE):
            some = bare.sends[start : start + SENT_AT_ONCE]
            await asyncio.gather(*[await producer.send(topic, value, key=key) for key, value in some])

    async def read(topic: str, many: int) -> None:
        consumer = AIOKafkaConsumer(bootstrap_servers=kafka, auto_offset_reset="earliest")
        async with consumer:
            consumer.assign([TopicPartition(f"bare.{topic}", one) for one in range(PARTITIONS)])
            while many > 0:
                many -= sum(map(len, (await consumer.getmany(timeout_ms=500, max_records=500)).values()))

    async def copy() -> None:
        for name, piece in bare.rows:
            await connection.copy_to_table(
                name, source=io.BytesIO(piece), schema_name=f"bare_{bare.service}", format="binary"
            )

    try:
        await asyncio.gather(send(), copy(), *(read(topic, many) for topic, many in bare.reads.items()))
    finally:
        await producer.stop()
        await connection.close()


def carried(bare: Bare, kafka: str, postgres: str, ready: Any, done: Any) -> None:
    """A process of the bare pipeline, from when all are ready to when all are done."""
    ready.wait()
    asyncio.run(carry(bare, kafka, postgres))
    done.wait()


async def prepared(kafka: str, postgres: str, topics: Mapping[str, Sequence[tuple[bytes, bytes]]]) -> list[Bare]:
    """Topics, tables and what each process is to do."""
    admin = AIOKafkaAdminClient(bootstrap_servers=kafka)
    await admin.start()
    try:
        await admin.create_topics([NewTopic(f"bare.{topic}", PARTITIONS, 1) for topic in TOPIC_SOURCES])
        groups = {name for name, *_ in await admin.list_consumer_groups()}
    finally:
        await admin.close()
    return [
        Bare(
            service,
            [one for topic, source in TOPIC_SOURCES.items() if source == service for one in topics[topic]],
            {topic: len(some) for topic, some in topics.items() if group_of(service, topic) in groups},
            await rows_of(postgres, service),
        )
        for service in SERVICES
    ]


def bare_seconds(parts: Sequence[Bare], kafka: str, postgres: str) -> float:
    """How long the bare pipeline takes for everything, a process for each service."""
    context = multiprocessing.get_context("spawn")
    ready, done = context.Barrier(len(parts) + 1), context.Barrier(len(parts) + 1)
    running = [context.Process(target=carried, args=(part, kafka, postgres, ready, done)) for part in parts]
    for one in running:
        one.start()
    ready.wait(300)
    began = time.perf_counter()
    done.wait(600)
    seconds = time.perf_counter() - began
    for one in running:
        one.join()
    return seconds


def p50_p99_ms(seconds: Sequence[float]) -> tuple[float, float]:
    """Of sorted seconds."""
    return seconds[len(seconds) // 2] * 1000, seconds[min(len(seconds) - 1, int(len(seconds) * 0.99))] * 1000


async def bare_waits_s(wallet: Bare, kafka: str, postgres: str, rounds: int, every_s: float) -> list[float]:
    """Seconds from a record to the rows that are written because of it, two topics further on, sorted."""
    first, second = (TopicPartition(f"bare.{topic}", 0) for topic in ("rounds.v1", "settlements.v1"))
    pieces = [piece for piece in wallet.rows if piece[0] == "events"]
    sent: list[float] = []
    found: list[float] = []
    producer = AIOKafkaProducer(bootstrap_servers=kafka, acks="all", enable_idempotence=True)
    heard, settled = (AIOKafkaConsumer(bootstrap_servers=kafka) for _ in range(2))
    connection = await asyncpg.connect(postgres)
    await connection.execute(f"TRUNCATE bare_{wallet.service}.events")
    async with producer, heard, settled:
        for consumer, place in ((heard, first), (settled, second)):
            consumer.assign([place])
            await consumer.seek_to_end(place)

        async def play() -> None:
            for _ in range(rounds):
                sent.append(time.perf_counter())
                await producer.send_and_wait(first.topic, b"finished", partition=0)
                await asyncio.sleep(max(0.0, sent[0] + len(sent) * every_s - time.perf_counter()))

        async def settle() -> None:
            for _ in range(rounds):
                await heard.getone()
                await producer.send_and_wait(second.topic, b"settled", partition=0)

        async def post() -> None:
            for number in range(rounds):
                await settled.getone()
                name, piece = pieces[number % len(pieces)]
                if number % len(pieces) == 0:
                    await connection.execute(f"TRUNCATE bare_{wallet.service}.events")
                await connection.copy_to_table(
                    name, source=io.BytesIO(piece), schema_name=f"bare_{wallet.service}", format="binary"
                )
                found.append(time.perf_counter() - sent[number])

        await asyncio.gather(play(), settle(), post())
    await connection.close()
    return sorted(found)


def main() -> None:
    """Play, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=600)
    parser.add_argument("--tables", type=int, default=48)
    asked = parser.parse_args()
    lines = records(asked.rounds, asked.tables)
    at_once = f"--tables-at-once={asked.tables}"
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        employ_boss(home)
        with embedded(data_dir=home / "stack") as stack:
            platform.start(stack, name="bench", data_dir=home)
            try:
                feed(home, lines[: asked.tables], "2025-05-02", at_once)
                full = feed(home, lines, "2025-05-03", at_once)
                pace = asked.rounds / full["posted_seconds"]
                half = lines[: max(asked.tables, asked.rounds // 2)]
                feed(home, half, "2025-05-04", at_once, f"--rounds-per-s={pace / 2}")
            finally:
                platform.stop(name="bench", data_dir=home)
            topics = asyncio.run(sent_to(stack.kafka))
            parts = asyncio.run(prepared(stack.kafka, stack.postgres, topics))
            seconds = bare_seconds(parts, stack.kafka, stack.postgres)
            wallet = next(part for part in parts if part.service == "wallet")
            bare_waits = asyncio.run(bare_waits_s(wallet, stack.kafka, stack.postgres, len(half), 2 / pace))
    waits = waits_s(topics, "2025-05-04")
    rounds = asked.rounds + asked.tables + len(half)
    bare = rounds / seconds
    (p50, p99), (bare_p50, bare_p99) = p50_p99_ms(waits), p50_p99_ms(bare_waits)
    versions = ", ".join(f"{name} {version(name)}" for name in ("aiokafka", "faststream", "asyncpg", "protobuf"))
    sys.stdout.write(
        f"{machine.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f},"
        f" Python {machine.python_version()}, {versions}\n"
        f"{asked.rounds} rounds of {SEATS} seats at {asked.tables} tables, {full['commands']} commands\n"
        f"  the suite          {pace:8.1f} rounds/s, from the first command to the last posting\n"
        f"  the bare pipeline  {bare:8.1f} rounds/s: {sum(map(len, topics.values()))} records of {rounds} rounds sent"
        f" and read, {sum(len(piece) for part in parts for _, piece in part.rows) / 1e6:.0f} MB of rows copied\n"
        f"  ratio              {pace / bare:8.2f} (target 0.35, and 100 rounds/s)\n"
        f"  last decision to posted ledger at half that pace ({len(waits)} rounds):"
        f" p50 {p50:.0f} ms, p99 {p99:.0f} ms (target 250)\n"
        f"  the bare pipeline's: p50 {bare_p50:.0f} ms, p99 {bare_p99:.0f} ms;"
        f" ratios {bare_p50 / p50:.2f} and {bare_p99 / p99:.2f}\n"
    )


if __name__ == "__main__":
    main()
