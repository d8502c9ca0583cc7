"""Method: real Kafka and PostgreSQL; a toy table publishes, a toy wallet notes what it applies; then something is
delivered again, killed, forgotten or moved, and the notes must be each event once, in order."""

import asyncio
import json
import os
import signal
import sys
import uuid
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

import asyncpg
import pytest
from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType

from pitstream.events.ids import table_stream
from pitstream.runtime import Cause, Store, StreamConflictError
from pitstream.runtime.kafka import ensure_topics
from pitstream.runtime.relay import Relay

pytestmark = pytest.mark.stack

BY_TEST = Cause.of_command("c", "test")
GROUP = "pitstream.wallet.rounds.v1"


def new_table() -> str:
    return f"t-{uuid.uuid4().hex[:10]}"


def numbers(first: int, last: int) -> list[str]:
    return [str(number) for number in range(first, last + 1)]


class Floor:
    """The toy services of one test, in its own database."""

    def __init__(self, toy: Any, kafka: str, postgres: str, applied: Any, until: Any, begin: Any) -> None:
        self.toy, self.applied, self.until, self.begin = toy, applied, until, begin
        self.addresses = {"kafka": kafka, "postgres": postgres}

    def table(self) -> Any:
        return self.toy.toy_table(**self.addresses).running()

    def wallet(self, handler: Any = None, **settings: Any) -> Any:
        return self.toy.toy_wallet(handler or self.toy.ToyWallet(), **{**self.addresses, **settings}).running()

    async def close(self, store: Any, table: str, reasons: list[str]) -> None:
        await store.run(lambda tx: self.toy.close_table(tx, table, reasons, BY_TEST))

    async def all_applied(self, table: str, count: int, wait_s: float = 60) -> None:
        """Waits for ``count`` notes of the table; they must be 1 to ``count``, each once, in order."""
        await self.until(lambda: self._has(table, count), wait_s)
        assert await self.applied(table) == numbers(1, count)

    async def _has(self, table: str, count: int) -> bool:
        return len(await self.applied(table)) >= count

    async def published(self, store: Any) -> None:
        """Waits until the outbox is empty."""
        await self.until(lambda: self._outbox_is_empty(store))

    async def _outbox_is_empty(self, store: Any) -> bool:
        return (await store.pool.fetchval("SELECT count(*) FROM outbox")) == 0


@pytest.fixture
async def floor(toy, kafka, postgres, begin_at_the_end, applied, until) -> Floor:
    await begin_at_the_end(toy.toy_wallet(toy.ToyWallet(), kafka=kafka, postgres=postgres))
    return Floor(toy, kafka, postgres, applied, until, begin_at_the_end)


async def test_what_a_table_commits_a_wallet_applies_once_in_order(floor: Floor) -> None:
    name = new_table()
    async with floor.table() as table, floor.wallet():
        for first in range(1, 50, 7):
            await floor.close(table, name, numbers(first, first + 6))
        await floor.all_applied(name, 49)


async def test_records_that_are_published_again_change_nothing(floor: Floor, producer: Any, kafka: str) -> None:
    name = new_table()
    async with floor.table() as table, floor.wallet() as wallet:
        await floor.close(table, name, numbers(1, 20))
        await floor.all_applied(name, 20)
        rows = await table.pool.fetch(_IN_ORDER)
        for row in [*rows, *reversed(rows)]:
            await producer.send("rounds.v1", row["envelope"], key=name.encode())
        await producer.flush()
        await floor.close(table, name, numbers(21, 22))
        await floor.all_applied(name, 22)
        assert await wallet.pool.fetchval("SELECT count(*) FROM events") == 22
        assert await wallet.pool.fetchval("SELECT count(*) FROM dead_letters") == 0


async def test_a_record_on_the_topic_is_the_stored_envelope_and_says_what_it_is(
    floor: Floor, ends: Any, read: Any
) -> None:
    name, before = new_table(), await ends("rounds.v1")
    async with floor.table() as table:
        await floor.close(table, name, ["1", "2"])
        async with table.transaction() as tx:
            stored = await tx.load(table_stream(name))
        records = await read("rounds.v1", before, 2)
    assert [(record.key, record.value, dict(record.headers)) for record in records] == [
        (
            name.encode(),
            recorded.data,
            {
                "ce_specversion": b"1.0",
                "ce_id": str(recorded.event_id).encode(),
                "ce_source": b"table",
                "ce_type": b"pitstream.rounds.v1.TableClosed",
                "ce_time": _ce_time(recorded.envelope.recorded_at_us),
                "ce_sequence": str(recorded.version).encode(),
                "content-type": b"application/protobuf",
                **({"traceparent": recorded.envelope.traceparent.encode()} if recorded.envelope.traceparent else {}),
            },
        )
        for recorded in stored
    ]


def _ce_time(recorded_at_us: int) -> bytes:
    at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=recorded_at_us)
    return at.strftime("%Y-%m-%dT%H:%M:%S.%fZ").encode()


async def test_an_event_that_comes_before_its_predecessor_waits_for_it(
    floor: Floor, table: Store, producer: Any
) -> None:
    name = new_table()
    await floor.close(table, name, numbers(1, 4))
    one, two, three, four = [row["envelope"] for row in await table.pool.fetch(_IN_ORDER)]
    async with floor.wallet() as wallet:
        for data in (one, three, four, three):
            await producer.send_and_wait("rounds.v1", data, key=name.encode())
        await floor.until(lambda: wallet.pool.fetchval("SELECT count(*) >= 2 FROM parked"))
        assert await floor.applied(name) == ["1"]
        await producer.send_and_wait("rounds.v1", two, key=name.encode())
        await floor.all_applied(name, 4)
        assert await wallet.pool.fetchval("SELECT count(*) FROM parked") == 0
        assert await wallet.pool.fetchval("SELECT count(*) FROM dead_letters") == 0


_IN_ORDER = "SELECT envelope FROM events ORDER BY key_sequence"


async def test_topics_are_made_once_with_every_record_kept_for_ever(kafka: str) -> None:
    await ensure_topics(kafka, partitions=3)
    admin = AIOKafkaAdminClient(bootstrap_servers=kafka)
    await admin.start()
    try:
        names = ["dead-letters.v1", "progressives.v1", "rounds.v1", "settlements.v1", "wallet.v1"]
        found = {topic["topic"]: topic for topic in await admin.describe_topics(names)}
        [answer] = await admin.describe_configs([ConfigResource(ConfigResourceType.TOPIC, name) for name in names])
        configs = {resource[3]: {entry[0]: entry[1] for entry in resource[4]} for resource in answer.resources}
    finally:
        await admin.close()
    assert {name: len(topic["partitions"]) for name, topic in found.items()} == dict.fromkeys(names, 6)
    assert {name: (configs[name]["retention.ms"], configs[name]["cleanup.policy"]) for name in names} == dict.fromkeys(
        names, ("-1", "delete")
    )
    assert configs["dead-letters.v1"]["max.message.bytes"] == str(4 * 1024 * 1024)


@pytest.mark.parametrize("hint", ["ahead", "behind"])
async def test_a_reader_goes_to_its_own_checkpoint_wherever_the_groups_offset_is(
    floor: Floor, kafka: str, ends: Any, hint: str
) -> None:
    name, handler = new_table(), floor.toy.ToyWallet()
    async with floor.table() as table:
        await floor.close(table, name, numbers(1, 10))
        async with floor.wallet():
            await floor.all_applied(name, 10)
        await floor.close(table, name, numbers(11, 20))
        await floor.published(table)
        offsets = await ends("rounds.v1") if hint == "ahead" else dict.fromkeys(range(6), 0)
        await _set_group_offsets(kafka, offsets)
        async with floor.wallet(handler):
            await floor.close(table, name, numbers(21, 22))
            await floor.all_applied(name, 22)
    assert sum(handler.batches) == 12


async def _set_group_offsets(kafka: str, offsets: dict[int, int]) -> None:
    tool = AIOKafkaConsumer(bootstrap_servers=kafka, group_id=GROUP, enable_auto_commit=False)
    await tool.start()
    places = {TopicPartition("rounds.v1", partition): offset for partition, offset in offsets.items()}
    tool.assign(list(places))
    await tool.commit(places)
    await tool.stop()


async def test_a_checkpoint_outside_the_topic_is_read_from_the_beginning_and_applies_nothing_twice(
    floor: Floor,
) -> None:
    name = new_table()
    async with floor.table() as table:
        await floor.close(table, name, numbers(1, 5))
        async with floor.wallet() as wallet:
            await floor.all_applied(name, 5)
            checkpoint = await wallet.pool.fetchrow("SELECT * FROM checkpoints ORDER BY next_offset DESC LIMIT 1")
        connection = await asyncpg.connect(floor.addresses["postgres"])
        await connection.execute("UPDATE wallet.checkpoints SET next_offset = 1000000000")
        await connection.close()
        async with floor.wallet():
            await floor.close(table, name, numbers(6, 7))
            await floor.all_applied(name, 7)
    assert checkpoint is not None


async def test_two_instances_share_the_work_and_one_can_leave_in_the_middle(floor: Floor) -> None:
    names = [new_table() for _ in range(12)]
    async with floor.table() as one, floor.table() as two, floor.wallet():
        async with floor.wallet():
            for first in range(1, 16, 5):
                for number, name in enumerate(names):
                    await floor.close((one, two)[number % 2], name, numbers(first, first + 4))
        for number, name in enumerate(names):
            await floor.close((two, one)[number % 2], name, numbers(16, 20))
        for name in names:
            await floor.all_applied(name, 20)


async def test_a_relay_that_dies_between_acknowledgement_and_delete_publishes_again_and_nothing_happens_twice(
    floor: Floor, table: Store, ends: Any
) -> None:
    """Another session holds the outbox rows, so that the relay's DELETE waits; there its connection is killed."""
    name = new_table()
    await floor.close(table, name, numbers(1, 10))
    before = sum((await ends("rounds.v1")).values())
    admin = await asyncpg.connect(floor.addresses["postgres"])
    holder = await asyncpg.connect(floor.addresses["postgres"])
    await holder.execute('BEGIN; SELECT FROM "table".outbox FOR UPDATE')
    async with floor.wallet(), background(Relay(table, **floor.addresses).run()):
        await floor.until(lambda: admin.fetchval(_KILL_WAITING_RELAY))
        await holder.execute("ROLLBACK")
        await floor.published(table)
        await floor.all_applied(name, 10)
    assert sum((await ends("rounds.v1")).values()) - before == 20
    await admin.close()
    await holder.close()


_KILL_WAITING_RELAY = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE application_name = 'pitstream-table-relay' AND datname = current_database() AND wait_event_type = 'Lock'
"""


@asynccontextmanager
async def background(work: Any) -> AsyncIterator[None]:
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


async def test_a_batch_whose_commit_is_not_heard_of_is_not_applied_again(floor: Floor) -> None:
    """Between wallet and PostgreSQL stands a proxy that passes a COMMIT on and swallows the reply."""
    name, handler = new_table(), floor.toy.ToyWallet()
    async with (
        floor.table() as table,
        losing_replies(floor.addresses["postgres"]) as (proxied, losses),
        floor.wallet(handler, postgres=proxied),
    ):
        await floor.close(table, name, numbers(1, 3))
        await floor.all_applied(name, 3)
        losses.wanted = 1
        await floor.close(table, name, numbers(4, 6))
        await floor.all_applied(name, 6)
        await floor.close(table, name, numbers(7, 9))
        await floor.all_applied(name, 9)
    assert (losses.wanted, sum(handler.batches)) == (0, 9)


class Losses:
    """How many replies to a COMMIT that wrote something are still to be lost."""

    wanted = 0


@asynccontextmanager
async def losing_replies(postgres: str) -> AsyncIterator[tuple[str, Losses]]:
    """Yields the address of a TCP proxy before ``postgres`` and what it is to lose."""
    losses = Losses()
    address = urlsplit(postgres)

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        writer.close()

    async def serve(client: asyncio.StreamReader, answers: asyncio.StreamWriter) -> None:
        server, requests = await asyncio.open_connection(address.hostname, address.port)
        back = asyncio.create_task(pump(server, answers))
        wrote = False
        while data := await client.read(65536):
            wrote = wrote or b"INSERT INTO applied" in data
            if wrote and b"COMMIT;" in data and losses.wanted:
                losses.wanted -= 1
                back.cancel()
                requests.write(data)
                await server.read(1)
                answers.transport.abort()
                break
            requests.write(data)
        requests.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as listening:
        port = listening.sockets[0].getsockname()[1]
        yield postgres.replace(f":{address.port}/", f":{port}/"), losses


async def test_a_handler_that_loses_a_race_or_its_connection_is_run_again(floor: Floor) -> None:
    class Unlucky(type(floor.toy.ToyWallet())):  # type: ignore[misc]
        faults: ClassVar[list[Exception]] = [
            asyncpg.SerializationError("a race"),
            asyncpg.DeadlockDetectedError("a deadlock"),
            StreamConflictError("a stream"),
            ConnectionResetError("a connection"),
        ]

        async def __call__(self, tx: Any, events: Any) -> None:
            await super().__call__(tx, events)
            if self.faults:
                raise self.faults.pop(0)

    name = new_table()
    async with floor.table() as table, floor.wallet(Unlucky()) as wallet:
        await floor.close(table, name, numbers(1, 5))
        await floor.all_applied(name, 5)
        assert await wallet.pool.fetchval("SELECT count(*) FROM dead_letters") == 0
    assert Unlucky.faults == []


async def test_a_killed_process_leaves_no_effect_half_done_or_done_twice(floor: Floor) -> None:
    """SIGKILL a wallet process twice as soon as it works, while a table publishes; a last one finishes."""
    name, closed = new_table(), 0
    async with floor.table() as table:
        for _ in range(2):
            async with _process(floor, "wallet") as process:
                before = len(await floor.applied(name))
                while len(await floor.applied(name)) < before + 10:
                    await floor.close(table, name, numbers(closed + 1, closed + 5))
                    closed += 5
                    await asyncio.sleep(0.02)
                process.kill()
        async with floor.wallet():
            await floor.all_applied(name, closed)


@asynccontextmanager
async def _process(floor: Floor, service: str, **env: str) -> AsyncIterator[Process]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(Path(__file__).parent / "toy_service.py"),
        service,
        env={
            **os.environ,
            "PITSTREAM_KAFKA": floor.addresses["kafka"],
            "PITSTREAM_POSTGRES": floor.addresses["postgres"],
            **env,
        },
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def test_sigterm_ends_a_process_soon_and_well(floor: Floor) -> None:
    name = new_table()
    async with floor.table() as table:
        await floor.close(table, name, numbers(1, 5))
        async with _process(floor, "wallet") as process:
            await floor.all_applied(name, 5)
            process.send_signal(signal.SIGTERM)
            assert await asyncio.wait_for(process.wait(), 8) == 0


@pytest.mark.parametrize(("fault", "says"), [("hang", "no progress"), ("block", "event loop stands still")])
async def test_a_process_that_does_nothing_ends_itself(floor: Floor, fault: str, says: str) -> None:
    """The toy wallet waits for ever on the word "hang", and blocks its event loop on the word "block"."""
    name = new_table()
    async with floor.table() as table, _process(floor, "wallet", PITSTREAM_TOY_WALLET_WATCHDOG_S="5") as process:
        await floor.close(table, name, [fault])
        said, _ = await asyncio.wait_for(process.communicate(), 40)
        assert (process.returncode, json.loads(said.splitlines()[-1])["event"]) == (70, says)
