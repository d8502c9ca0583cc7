"""Event stores, topics and archive files give the same events, byte for byte. Method: services' own stores and relays
write awkward events to the real PostgreSQL and the real Kafka; each source reads them."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from zoneinfo import ZoneInfo

import asyncpg
import pytest
import pytest_asyncio
from aiokafka import AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, RecordsToDelete
from aiokafka.errors import LeaderNotAvailableError, NotLeaderForPartitionError

from pitstream.archive import (
    TOPICS,
    WHOLE,
    ArchiveSource,
    KafkaSource,
    Shard,
    Source,
    SourceError,
    Stored,
    StoreSource,
    chained,
    fault_of,
)
from pitstream.archive.verify import verify
from pitstream.archive.write import archive_day
from pitstream.events import Envelope, Event, decode_payload, ids
from pitstream.events.rounds import TableClosed, TableOpened
from pitstream.events.wallet import AccountOpened
from pitstream.runtime.checkpoints import keep_taking, read_checkpoint, take_checkpoint
from pitstream.runtime.relay import Relay, event_headers
from pitstream.runtime.settings import TOPIC_SOURCES
from pitstream.runtime.store import Cause, Store
from pitstream.stack import Stack

pytestmark = [pytest.mark.stack, pytest.mark.asyncio(loop_scope="module")]

NEW_YORK = ZoneInfo("America/New_York")
MOMENTS = {
    "before the clocks go back": datetime(2025, 11, 2, 1, 30, tzinfo=NEW_YORK),
    "the same wall time again": datetime(2025, 11, 2, 1, 30, fold=1, tzinfo=NEW_YORK),
    "the year's last microsecond": datetime(2025, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
    "in another zone it is next year": datetime(2026, 1, 1, 0, 0, 0, 1, tzinfo=ZoneInfo("Asia/Kathmandu")),
    "a clock that was set back": datetime(2025, 11, 2, 1, 29, 59, tzinfo=NEW_YORK),
}
ONE_INSTANT = datetime(2026, 3, 8, 7, 0, 0, 123456, tzinfo=UTC)


def ns(moment: datetime) -> int:
    """Nanoseconds with digits below the microsecond, as the system's clock gives them."""
    return int((moment.astimezone(UTC) - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()) * 10**9 + (
        moment.microsecond * 1000 + 789
    )


OPENED = TableOpened(
    table="t-1", game="flop_poker", gaming_day="2025-11-01", currency="USD", paytables=(), policies={"b": "", "a": "x"}
)
AWKWARD: list[tuple[str, str, str, Event]] = [
    ("table", "table/t-1", "t-1", OPENED),
    ("table", "table/t-1", "t-1", TableClosed(table="t-1", reason="")),
    ("table", "table/t-1", "t-1", OPENED.model_copy(update={"policies": {}, "network": "n"})),
    ("table", "table/t-2", "t-2", OPENED.model_copy(update={"table": "t-2"})),
    ("wallet", "account/player/p1/USD", "player/p1/USD",
     AccountOpened(account="player/p1/USD", kind="player", currency="USD")),
    ("wallet", "account/player/p2/JPY", "player/p2/JPY",
     AccountOpened(account="player/p2/JPY", kind="player", currency="JPY", scale=0)),
]  # fmt: skip


@dataclass(frozen=True)
class Written:
    postgres: str
    kafka: str
    stores: dict[str, Store]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def written(stack: Stack, kafka: str) -> AsyncIterator[Written]:
    """Four services' stores, and topics that hold what they published and nothing else."""
    await emptied(kafka)
    name = f"test_{uuid.uuid4().hex}"
    admin = await asyncpg.connect(stack.postgres)
    await admin.execute(f"CREATE DATABASE {name}")
    postgres = f"{stack.postgres.rpartition('/')[0]}/{name}"
    clock = {"now": 0}
    async with AsyncExitStack() as opened:
        stores = {
            service: await opened.enter_async_context(
                Store.open(postgres, service=service, clock_us=lambda: clock["now"] // 1000)
            )
            for service in TOPIC_SOURCES.values()
        }
        for moment in (*MOMENTS.values(), *[ONE_INSTANT] * 20):
            clock["now"] = ns(moment)
            for service, stream, key, event in AWKWARD:
                async with stores[service].transaction() as tx:
                    version = (await tx.versions([stream]))[stream]
                    cause = Cause.of_command(str(uuid.uuid4()), "d.okafor")
                    tx.append(stream, key, [event], expected_version=version, cause=cause)
        await published(postgres, kafka, stores)
        yield Written(postgres, kafka, stores)
    await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await admin.close()


async def emptied(kafka: str) -> None:
    admin = AIOKafkaAdminClient(bootstrap_servers=kafka)
    await admin.start()
    try:
        places = {
            TopicPartition(topic["topic"], partition["partition"]): RecordsToDelete(before_offset=-1)
            for topic in await admin.describe_topics(list(TOPICS))
            for partition in topic["partitions"]
        }
        for _ in range(100):
            with suppress(NotLeaderForPartitionError, LeaderNotAvailableError):
                await admin.delete_records(places)
                return
            await asyncio.sleep(0.1)
        pytest.fail("the topics have no leader")
    finally:
        await admin.close()


async def published(postgres: str, kafka: str, stores: dict[str, Store]) -> None:
    relays = [asyncio.create_task(Relay(one, postgres=postgres, kafka=kafka).run()) for one in stores.values()]
    for store in stores.values():
        while await store.pool.fetchval("SELECT count(*) FROM outbox"):  # noqa: ASYNC110  # another loop's work
            await asyncio.sleep(0.05)
    for relay in relays:
        relay.cancel()
    await asyncio.gather(*relays, return_exceptions=True)


async def everything(source: Source, shard: Shard = WHOLE) -> list[Stored]:
    found = []
    async with source:
        for topic in TOPICS:
            found += [stored async for stored in source.events(topic, shard=shard)]
    return found


def placed(events: list[Stored]) -> list[Stored]:
    """By topic, key and sequence, without the place: what all sources must agree on."""
    return [one._replace(where="") for one in sorted(events, key=lambda one: (one.topic, one.key, one.sequence))]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def folder(written: Written, tmp_path_factory: pytest.TempPathFactory, signing_key) -> Path:
    out = tmp_path_factory.mktemp("three") / "archive"
    async with StoreSource(written.postgres) as source:
        part = await archive_day(source, "2025-11-01", out, signing_key)
    assert part is not None
    return out


async def test_each_event_is_the_same_in_all_three_and_as_it_was_written(written, folder):
    stored = placed(await everything(StoreSource(written.postgres)))
    assert len(stored) == len(AWKWARD) * (len(MOMENTS) + 20)
    assert [one for one in map(fault_of, stored) if one] == []
    assert placed(await everything(KafkaSource(written.kafka))) == stored
    assert placed(await everything(ArchiveSource(folder))) == stored


async def test_optional_fields_absent_and_empty_come_back_as_they_were(written, folder):
    wanted = {stream: [event for _, of, _, event in AWKWARD if of == stream] for _, stream, _, _ in AWKWARD}
    for source in (StoreSource(written.postgres), KafkaSource(written.kafka), ArchiveSource(folder)):
        for stream, events in wanted.items():
            envelopes = [Envelope.FromString(one.data) for one in await everything(source) if one.stream == stream]
            found = [decode_payload(envelope.type, envelope.payload) for envelope in envelopes]
            assert found == events * (len(MOMENTS) + 20), (source.name, stream)


async def test_moments_come_back_to_the_microsecond_whatever_the_wall_clock_said(written, folder):
    wanted = [ns(moment) // 1000 for moment in (*MOMENTS.values(), *[ONE_INSTANT] * 20)]
    for source in (StoreSource(written.postgres), KafkaSource(written.kafka), ArchiveSource(folder)):
        found = [one.recorded_at_us for one in await everything(source) if one.stream == "table/t-2"]
        assert found == wanted, source.name


async def test_every_stream_is_one_unbroken_chain_after_each_round_trip(written, folder):
    for source in (StoreSource(written.postgres), KafkaSource(written.kafka), ArchiveSource(folder)):
        by_stream = sorted(await everything(source), key=lambda one: (one.topic, one.stream, one.version))
        for stream, events in groupby(by_stream, key=lambda one: one.stream):
            assert chained(events) is None, (source.name, stream)


async def test_one_stream_is_had_directly_from_each(written, folder):
    sources = (StoreSource(written.postgres), KafkaSource(written.kafka), ArchiveSource(folder))
    found = []
    for source in sources:
        async with source:
            stream = await source.stream("wallet.v1", "player/p1/USD", ids.account_stream("player/p1/USD"))
            found.append([one._replace(where="") for one in stream])
            assert await source.stream("wallet.v1", "player/p9/USD", ids.account_stream("player/p9/USD")) == []
    assert [one.version for one in found[0]] == list(range(1, len(MOMENTS) + 21))
    assert found[1] == found[0]
    assert found[2] == found[0]


@pytest.mark.parametrize("shares", [2, 6, 7])
async def test_shares_are_the_same_in_each_and_together_everything(written, folder, shares):
    whole = placed(await everything(StoreSource(written.postgres)))
    for make in (
        lambda: StoreSource(written.postgres),
        lambda: KafkaSource(written.kafka),
        lambda: ArchiveSource(folder),
    ):
        found = [await everything(make(), Shard(number, shares)) for number in range(shares)]
        assert placed([one for share in found for one in share]) == whole
        assert [{one.key for one in share} for share in found] == [
            {one.key for one in whole if Shard(number, shares).has(one.key)} for number in range(shares)
        ]


async def test_two_readers_share_one_snapshot(written):
    async with StoreSource(written.postgres) as first:
        async with written.stores["table"].transaction() as tx:
            cause = Cause.of_command(str(uuid.uuid4()), "d.okafor")
            tx.append("table/t-9", "t-9", [TableClosed(table="t-9", reason="late")], expected_version=0, cause=cause)
        async with StoreSource(written.postgres, snapshot=first.exported) as second:
            assert [one.key async for one in second.events("rounds.v1") if one.key == "t-9"] == []
        async with StoreSource(written.postgres) as third:
            assert [one.key async for one in third.events("rounds.v1") if one.key == "t-9"] == ["t-9"]


async def test_a_record_that_comes_again_comes_once_and_one_that_differs_is_handed_out(written):
    """A relay may publish a record twice. Somebody who writes another one into its place is seen."""
    before = placed(await everything(KafkaSource(written.kafka)))
    again = [one for one in before if one.stream == "table/t-2"]
    envelope = Envelope.FromString(again[3].data)
    envelope.actor = "somebody else"
    other = envelope.SerializeToString(deterministic=True)
    async with AIOKafkaProducer(bootstrap_servers=written.kafka, acks="all") as producer:
        for data in (*(one.data for one in again), other):
            said = Envelope.FromString(data)
            await producer.send_and_wait("rounds.v1", data, key=said.key.encode(), headers=event_headers(said))
    after = await everything(KafkaSource(written.kafka))
    assert sorted(one.data for one in after) == sorted([*(one.data for one in before), other])
    [last] = [one for one in after if one.data == other]
    assert (last.key, last.sequence, last.stream, last.version) == again[3][1:5]


async def test_checkpoints_of_the_live_stores_prove_the_archive(written, folder, signing_key):
    connection = await asyncpg.connect(written.postgres)
    try:
        for topic in TOPICS:
            taken = await take_checkpoint(connection, topic, folder, signing_key, lambda: 1)
            if taken is not None:
                assert taken == read_checkpoint(taken.folder)
                assert await take_checkpoint(connection, topic, folder, signing_key, lambda: 2) is None
    finally:
        await connection.close()
    verdict = verify(folder, signing_key.public_key())
    assert (verdict.faults, verdict.parts, verdict.checkpoints) == ([], 1, 2)


async def test_a_service_takes_its_own_checkpoints_when_something_happened(written, tmp_path, signing_key):
    store, of_topic = written.stores["wallet"], tmp_path / "checkpoints" / "wallet.v1"
    taking = [asyncio.create_task(keep_taking(store, tmp_path, signing_key, every_s=0.1)) for _ in range(2)]
    try:
        await there(of_topic / "000001")
        async with store.transaction() as tx:
            event = AccountOpened(account="player/p7/USD", kind="player", currency="USD")
            cause = Cause.of_command(str(uuid.uuid4()), "back-office")
            tx.append("account/player/p7/USD", "player/p7/USD", [event], expected_version=0, cause=cause)
        await there(of_topic / "000002")
        await asyncio.sleep(0.5)
    finally:
        for one in taking:
            one.cancel()
        await asyncio.gather(*taking, return_exceptions=True)
    assert sorted(entry.name for entry in of_topic.iterdir()) == ["000001", "000002"], "and no more without an event"
    first, second = (read_checkpoint(of_topic / name) for name in ("000001", "000002"))
    assert (second.said.previous, second.said.events) == (first.sha256, first.said.events + 1)
    assert [(head.stream, head.version) for head in second.heads()] == [("account/player/p7/USD", 1)]
    assert verify(tmp_path, signing_key.public_key()).faults == []


async def there(folder: Path) -> None:
    for _ in range(300):
        if folder.exists():  # noqa: ASYNC240
            return
        await asyncio.sleep(0.1)
    pytest.fail(f"{folder.name} never came")


@pytest.mark.parametrize(
    ("source", "says"),
    [
        pytest.param(
            StoreSource("postgresql://127.0.0.1:1/none"), "PITSTREAM_POSTGRES: nothing answers there", id="store"
        ),
        pytest.param(KafkaSource("127.0.0.1:1"), "PITSTREAM_KAFKA: was 127.0.0.1:1; nothing answers there", id="kafka"),
        pytest.param(ArchiveSource(Path("/nowhere")), "/nowhere: holds no archive", id="archive"),
    ],
)
async def test_a_source_that_is_not_there_says_so(source, says):
    with pytest.raises(SourceError, match=says):
        await source.__aenter__()
