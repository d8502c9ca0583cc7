"""Tampering where events really are kept: rows of PostgreSQL, changed by their owner, and a Kafka topic that somebody
wrote anew. Method: an evening's events are put there, a seeded hand does one thing to them, and the audit of that one
source, with the signed checkpoints of the evening, must name the event."""

import asyncio
import random
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from aiokafka import AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, RecordsToDelete
from aiokafka.errors import LeaderNotAvailableError, NotLeaderForPartitionError
from playing import Floor, evening
from test_no_tampering_with_events_goes_unseen import names, signed_by

from pitstream.archive import TOPICS, Stored, partition_of
from pitstream.archive.testing import KINDS, Tampering, tampered
from pitstream.audit import Asked, Report, Where, audit
from pitstream.events import Envelope
from pitstream.events.model import INT64_MAX
from pitstream.runtime.relay import event_headers
from pitstream.runtime.settings import TOPIC_SOURCES

pytestmark = pytest.mark.stack

STORE_KINDS = KINDS
TOPIC_KINDS = tuple(kind for kind in KINDS if kind != "duplicate")
"""A record that is there twice, byte for byte, was delivered twice: that is no tampering, and changes nothing."""
EVENTS = """
CREATE TABLE "{schema}".events (
    stream text, version bigint, key text, key_sequence bigint, event_id text, type text, recorded_at_us bigint,
    hash bytea, envelope bytea
)
"""


@pytest.fixture(scope="module")
def floor() -> Floor:
    return evening(rounds=6, tables=3)


@pytest.fixture(scope="module")
def signed(floor: Floor, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return signed_by(floor, tmp_path_factory.mktemp("signed"))


class Rows:
    """The event stores of all services in a database of their own, with nothing that would hold an owner up."""

    def __init__(self, postgres: str) -> None:
        self.name = f"tampered_{uuid.uuid4().hex}"
        self.admin = postgres
        self.postgres = f"{postgres.rpartition('/')[0]}/{self.name}"

    async def make(self) -> None:
        admin = await asyncpg.connect(self.admin)
        await admin.execute(f"CREATE DATABASE {self.name}")
        await admin.close()
        owner = await asyncpg.connect(self.postgres)
        for schema in TOPIC_SOURCES.values():
            await owner.execute(f'CREATE SCHEMA "{schema}"')
            await owner.execute(EVENTS.format(schema=schema))
        await owner.close()

    async def drop(self) -> None:
        admin = await asyncpg.connect(self.admin)
        await admin.execute(f"DROP DATABASE {self.name} WITH (FORCE)")
        await admin.close()

    async def hold(self, topic: str, events: Iterable[Stored]) -> None:
        """The topic's rows are these and no others."""
        schema = TOPIC_SOURCES[topic]
        owner = await asyncpg.connect(self.postgres)
        await owner.execute(f'TRUNCATE "{schema}".events')
        await owner.copy_records_to_table("events", schema_name=schema, records=[_row(one) for one in events])
        await owner.close()


def _row(one: Stored) -> tuple[Any, ...]:
    """A row as PostgreSQL can hold it: no zero byte in a text, no number beyond 64 bits."""
    texts = [text.replace("\x00", "?").encode(errors="replace").decode() for text in (one.stream, one.key, one.type)]
    numbers = [max(-INT64_MAX, min(number, INT64_MAX)) for number in (one.version, one.sequence, one.recorded_at_us)]
    event_id = one.event_id.replace("\x00", "?")
    return texts[0], numbers[0], texts[1], numbers[1], event_id, texts[2], numbers[2], one.hash, one.data


@pytest.fixture(scope="module")
def rows(stack: Any) -> Iterator[Rows]:
    made = Rows(stack.postgres)
    asyncio.run(made.make())
    yield made
    asyncio.run(made.drop())


def exchanged(done: Tampering, before: list[Stored]) -> Tampering:
    """Rows have no order of their own: places are exchanged by exchanging what says them."""
    if done.kind != "swap_places" or len(done.replaced) != 2:
        return done
    one, other = done.replaced
    swapped = {
        one: before[one]._replace(sequence=before[other].sequence),
        other: before[other]._replace(sequence=before[one].sequence),
    }
    return Tampering(done.kind, done.told, replaced=swapped, named=done.named)


def in_the_store(floor: Floor, signed: tuple[Path, Path], rows: Rows, kind: str, seed: int) -> tuple[bool, str, Report]:
    rng = random.Random(f"store/{kind}/{seed}")
    topic = rng.choice(TOPICS)
    before = floor.of(topic)
    done = exchanged(tampered(before, rng, kind), before)
    asyncio.run(rows.hold(topic, done.done(before)))
    report = audit(Where("store", rows.postgres), workers=1, asked=Asked(checkpoints=signed), complete=True)
    asyncio.run(rows.hold(topic, before))
    return names(report, done.named), f"{topic}: {done.told}", report


@pytest.fixture
def filled(floor: Floor, rows: Rows) -> Rows:
    for topic in TOPICS:
        asyncio.run(rows.hold(topic, floor.of(topic)))
    return rows


def test_nothing_is_found_in_a_store_where_nothing_was_done(floor, signed, filled):
    report = audit(Where("store", filled.postgres), workers=2, asked=Asked(checkpoints=signed), complete=True)
    assert (report.findings, sum(report.events.values()), report.rounds) == ((), len(floor.events), 6)


@pytest.mark.parametrize("kind", STORE_KINDS)
def test_a_row_that_its_owner_tampered_with_is_named(floor, signed, filled, kind):
    # Seed 40 gives an event another key than its stream has, where nothing comes before it.
    for seed in (0, 1, *([40] if kind == "byte" else [])):
        is_named, told, report = in_the_store(floor, signed, filled, kind, seed)
        assert is_named, (seed, told, [str(one) for one in report.findings[:5]])


@pytest.mark.slow
@pytest.mark.parametrize("kind", STORE_KINDS)
def test_many_rows_that_their_owner_tampered_with_are_named(floor, signed, filled, kind):
    many, found = 50, 0
    for seed in range(2, 2 + many):
        is_named, told, report = in_the_store(floor, signed, filled, kind, seed)
        assert is_named, (kind, seed, told, [str(one) for one in report.findings[:5]])
        found += 1
    print(f"store: {kind}: {found} of {many} tamperings named")  # noqa: T201  # the figure of the proof


class Topics:
    """The topics, written anew each time, as somebody would who can produce to them."""

    def __init__(self, kafka: str) -> None:
        self.kafka = kafka

    async def hold(self, events: Iterable[Stored]) -> None:
        admin = AIOKafkaAdminClient(bootstrap_servers=self.kafka)
        await admin.start()
        partitions = {
            TopicPartition(topic["topic"], partition["partition"]): RecordsToDelete(before_offset=-1)
            for topic in await admin.describe_topics(list(TOPICS))
            for partition in topic["partitions"]
        }
        while True:
            try:
                await admin.delete_records(partitions)
                break
            except (NotLeaderForPartitionError, LeaderNotAvailableError):
                await asyncio.sleep(0.2)  # topics that were made a moment ago
        await admin.close()
        async with AIOKafkaProducer(bootstrap_servers=self.kafka, acks="all", enable_idempotence=True) as producer:
            count = {topic: sum(place.topic == topic for place in partitions) for topic in TOPICS}
            sent = [
                await producer.send(
                    one.topic,
                    value=one.data,
                    key=one.key.encode(),
                    partition=partition_of(one.key, count[one.topic]),
                    headers=_headers(one),
                )
                for one in events
            ]
            await asyncio.gather(*sent)


def _headers(one: Stored) -> list[tuple[str, bytes]]:
    """As the relay writes them, of what stands beside the bytes."""
    beside = Envelope(
        event_id=one.event_id, source=TOPIC_SOURCES[one.topic], type=one.type, version=max(0, one.version),
        recorded_at_us=max(0, one.recorded_at_us) % 10**17,
    )  # fmt: skip
    return event_headers(beside)


@pytest.fixture
def topics(kafka: str) -> Topics:
    return Topics(kafka)


async def in_the_topic(
    floor: Floor, signed: tuple[Path, Path], topics: Topics, kind: str, seed: int
) -> tuple[bool, str, Report]:
    rng = random.Random(f"topic/{kind}/{seed}")
    topic = rng.choice(TOPICS)
    before = floor.of(topic)
    while True:
        done = tampered(before, rng, kind)
        # Kafka keeps neither of these beside the bytes.
        if not (kind == "column" and done.told in ("sequence", "stream", "hash")):
            break
    await topics.hold(one for other in TOPICS for one in (done.done(before) if other == topic else floor.of(other)))
    asked = Asked(checkpoints=signed)
    report = await asyncio.to_thread(audit, Where("kafka", topics.kafka), workers=1, asked=asked, complete=True)
    return names(report, done.named), f"{topic}: {done.told}", report


async def test_nothing_is_found_in_topics_where_nothing_was_done_and_one_tampered_record_is_named(
    floor, signed, topics
):
    await topics.hold(one for topic in TOPICS for one in floor.of(topic))
    asked = Asked(checkpoints=signed)
    report = await asyncio.to_thread(audit, Where("kafka", topics.kafka), workers=1, asked=asked, complete=True)
    assert (report.findings, sum(report.events.values()), report.rounds) == ((), len(floor.events), 6)
    is_named, told, report = await in_the_topic(floor, signed, topics, "byte_of_payload", 1)
    assert is_named, (told, [str(one) for one in report.findings[:5]])


@pytest.mark.slow
@pytest.mark.parametrize("kind", TOPIC_KINDS)
async def test_many_records_that_were_tampered_with_are_named(floor, signed, topics, kind):
    many, found = 15, 0
    for seed in range(many):
        is_named, told, report = await in_the_topic(floor, signed, topics, kind, seed)
        assert is_named, (kind, seed, told, [str(one) for one in report.findings[:5]])
        found += 1
    print(f"topic: {kind}: {found} of {many} tamperings named")  # noqa: T201  # the figure of the proof
