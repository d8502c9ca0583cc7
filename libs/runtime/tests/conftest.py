"""What the runtime's tests share: a database of each test's own, and readers that begin where the topics end now."""

import asyncio
import importlib.util
import socket
import sys
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import aiohttp
import asyncpg
import pytest
import uvicorn
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, ConsumerRecord, TopicPartition

from pitstream.runtime import Role, Service, Store
from pitstream.runtime.access_file import entry_text, new_key
from pitstream.stack import Stack


@pytest.fixture(scope="session")
def key() -> str:
    """The key of ``t.boss``, who has every role everywhere."""
    return new_key()


@pytest.fixture(scope="session")
def access_file(tmp_path_factory: pytest.TempPathFactory, key: str) -> Path:
    file = tmp_path_factory.mktemp("access") / "access.toml"
    file.write_text(entry_text("t.boss", key, list(Role), ["*"]))
    return file


@pytest.fixture(autouse=True)
def _access(access_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PITSTREAM_ACCESS", str(access_file))


@pytest.fixture(scope="session")
def toy() -> ModuleType:
    """The toy services. A script beside this file, loaded by its path: test folders are no packages."""
    spec = importlib.util.spec_from_file_location("pitstream_runtime_toy", Path(__file__).parent / "toy_service.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
async def postgres(stack: Stack, drop_database: Callable[[str], Awaitable[None]]) -> AsyncIterator[str]:
    """A database of the test's own."""
    name = f"runtime_{uuid.uuid4().hex[:12]}"
    admin = await asyncpg.connect(stack.postgres)
    await admin.execute(f"CREATE DATABASE {name}")
    await admin.close()
    yield stack.postgres.rpartition("/")[0] + f"/{name}"
    await drop_database(name)


@pytest.fixture
async def open_table(postgres: str) -> Callable[[], AbstractAsyncContextManager[Store]]:
    """Opens the toy table's store; again for a second instance."""
    return lambda: Store.open(postgres, service="table")


@pytest.fixture
async def table(open_table: Callable[[], AbstractAsyncContextManager[Store]]) -> AsyncIterator[Store]:
    async with open_table() as store:
        yield store


@pytest.fixture
async def until() -> Callable[..., Awaitable[Any]]:
    async def until_true(check: Callable[[], Awaitable[Any]], wait_s: float = 30.0) -> Any:
        """The first truthy answer of ``check``."""
        deadline = asyncio.get_running_loop().time() + wait_s
        while not (found := await check()):
            if asyncio.get_running_loop().time() > deadline:
                pytest.fail(f"nothing after {wait_s} s")
            await asyncio.sleep(0.05)
        return found

    return until_true


@pytest.fixture
async def producer(kafka: str) -> AsyncIterator[AIOKafkaProducer]:
    producer = AIOKafkaProducer(bootstrap_servers=kafka, acks="all", max_request_size=4 * 1024 * 1024)
    await producer.start()
    yield producer
    await producer.stop()


@pytest.fixture
async def ends(kafka: str) -> Callable[[str], Awaitable[dict[int, int]]]:
    """Where each partition of a topic ends now."""

    async def ends_of(topic: str) -> dict[int, int]:
        reader = AIOKafkaConsumer(bootstrap_servers=kafka)
        await reader.start()
        try:
            places = [TopicPartition(topic, partition) for partition in range(6)]
            return {place.partition: end for place, end in (await reader.end_offsets(places)).items()}
        finally:
            await reader.stop()

    return ends_of


@pytest.fixture
async def read(kafka: str) -> Callable[..., Awaitable[list[ConsumerRecord[Any, Any]]]]:
    async def read_from(topic: str, starts: dict[int, int], count: int) -> list[ConsumerRecord[Any, Any]]:
        """``count`` records of a topic from the given offsets on."""
        reader = AIOKafkaConsumer(bootstrap_servers=kafka, enable_auto_commit=False)
        await reader.start()
        try:
            reader.assign([TopicPartition(topic, partition) for partition in starts])
            for partition, offset in starts.items():
                reader.seek(TopicPartition(topic, partition), offset)
            found: list[ConsumerRecord[Any, Any]] = []
            async with asyncio.timeout(20):
                while len(found) < count:
                    for records in (await reader.getmany(timeout_ms=200)).values():
                        found += records
            return found
        finally:
            await reader.stop()

    return read_from


@pytest.fixture
async def begin_at_the_end(
    postgres: str, ends: Callable[[str], Awaitable[dict[int, int]]]
) -> Callable[[Service], Awaitable[None]]:
    """A service in this test's database reads only what comes from now on; other tests' records are not its own."""

    async def begin(service: Service) -> None:
        async with Store.open(postgres, service=service.settings.service, migrations=service.migrations) as store:
            for topic in service.handlers:
                offsets = await ends(topic)
                await store.pool.execute(
                    "INSERT INTO checkpoints SELECT $1, * FROM unnest($2::int[], $3::bigint[])",
                    topic, list(offsets), list(offsets.values()),
                )  # fmt: skip

    return begin


@pytest.fixture
async def served(key: str) -> Callable[[Service], AbstractAsyncContextManager[tuple[Store, "Http"]]]:
    """Runs a service with its HTTP edge in this process."""

    @asynccontextmanager
    async def serving(service: Service) -> AsyncIterator[tuple[Store, Http]]:
        server = uvicorn.Server(uvicorn.Config(service.app, port=0, log_config=None, access_log=False))
        # A socket of ours: a server that is told to end while it starts has none of its own any more.
        listening = socket.create_server(("127.0.0.1", 0))
        port = listening.getsockname()[1]
        task = asyncio.create_task(server.serve(sockets=[listening]))
        while not server.started:
            if task.done():
                task.result()
                pytest.fail("the service ended while it started")
            await asyncio.sleep(0.02)
        async with aiohttp.ClientSession(
            f"http://127.0.0.1:{port}", headers={"Authorization": f"Bearer {key}"}
        ) as session:
            yield service.app.state.store, Http(session)
        server.should_exit = True
        await task

    return serving


async def told(response: aiohttp.ClientResponse) -> tuple[int, Any]:
    """Status and body; a problem without its ``instance``, which is another one each time."""
    body = await response.json()
    if response.status >= 400:
        del body["instance"]
    return response.status, body


class Http:
    """A caller; every POST carries the id it is given."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self.session = session

    async def get(self, path: str) -> tuple[int, Any]:
        async with self.session.get(path) as response:
            return await told(response)

    async def post(self, path: str, body: Any, command_id: str | None) -> tuple[int, Any]:
        headers = {} if command_id is None else {"Idempotency-Key": command_id}
        async with self.session.post(path, json=body, headers=headers) as response:
            return await told(response)


@pytest.fixture
async def applied(postgres: str) -> AsyncIterator[Callable[[str], Awaitable[Sequence[str]]]]:
    """The reasons that the toy wallet has noted for a table, in the order it applied them."""
    connection = await asyncpg.connect(postgres)

    async def noted(table: str) -> list[str]:
        rows = await connection.fetch("SELECT reason FROM wallet.applied WHERE key = $1 ORDER BY place", table)
        return [row["reason"] for row in rows]

    yield noted
    await connection.close()
