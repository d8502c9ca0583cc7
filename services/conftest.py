"""A service as it runs: a database of its own, real HTTP, real topics."""

import asyncio
import re
import socket
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import asyncpg
import pytest
import structlog
import uvicorn
from aiokafka import AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, RecordsToDelete
from aiokafka.errors import LeaderNotAvailableError, NotLeaderForPartitionError

from pitstream.cli.credentials import ACCESS_FILE, Keys
from pitstream.cli.testing import EVERY_ROLE, employ_boss
from pitstream.runtime import Service, ServiceSettings
from pitstream.runtime.settings import DEAD_LETTERS_TOPIC, TOPIC_SOURCES
from pitstream.stack import Stack

Answer = tuple[int, Any]


@dataclass(frozen=True)
class Staff:
    """An access file with a key for each role, and one for all of them."""

    access: Path
    keys: Keys

    def headers(self, role: str = EVERY_ROLE) -> dict[str, str]:
        return self.keys.headers(role)


async def told(response: aiohttp.ClientResponse) -> Answer:
    """Status and body; a problem without its ``instance``, which is another one each time."""
    body = await response.json()
    if response.status >= 400:
        assert response.content_type == "application/problem+json"
        assert re.fullmatch(r"urn:pitstream:request:[0-9a-f]{32}", body.pop("instance"))
    return response.status, body


@pytest.fixture(scope="session")
def staff(tmp_path_factory: pytest.TempPathFactory) -> Staff:
    home = tmp_path_factory.mktemp("staff")
    return Staff(home / ACCESS_FILE, employ_boss(home))


@pytest.fixture(autouse=True)
def _access(staff: Staff, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PITSTREAM_ACCESS", str(staff.access))


@dataclass
class Client:
    """The service's HTTP edge; every POST has its own command id unless one is given.

    ``by`` is the role that somebody calls in; without it the caller has every role.
    """

    session: aiohttp.ClientSession
    staff: Staff

    async def get(self, path: str, *, by: str = EVERY_ROLE, **query: Any) -> Answer:
        async with self.session.get(path, params=query, headers=self.staff.headers(by)) as response:
            return await told(response)

    async def post(self, path: str, body: Any, command_id: str | None = None, *, by: str = EVERY_ROLE) -> Answer:
        headers = {"Idempotency-Key": command_id or str(uuid.uuid4()), **self.staff.headers(by)}
        async with self.session.post(path, json=body, headers=headers) as response:
            return await told(response)

    async def holding_up(self, key: str) -> list[Any]:
        """The dead letters that hold up this key, among those of other tests: the topics are shared."""
        found: list[Any] = []
        after = 0
        while True:
            _, answer = await self.get("/v1/dead-letters", after=after, limit=1000)
            if not answer["dead_letters"]:
                return found
            after = answer["dead_letters"][-1]["id"]
            found += [letter for letter in answer["dead_letters"] if letter["blocks"] == key]


async def until(check: Callable[[], Awaitable[Any]], wait_s: float = 30.0) -> Any:
    """The first truthy answer of ``check``; fails after ``wait_s``."""
    deadline = asyncio.get_running_loop().time() + wait_s
    while not (found := await check()):
        if asyncio.get_running_loop().time() > deadline:
            pytest.fail(f"nothing after {wait_s} s")
        await asyncio.sleep(0.05)
    return found


@pytest.fixture
async def database(stack: Stack, drop_database: Callable[[str], Awaitable[None]]) -> AsyncIterator[str]:
    """The address of a new, empty database; dropped afterwards."""
    name = f"test_{uuid.uuid4().hex}"
    admin = await asyncpg.connect(stack.postgres)
    await admin.execute(f"CREATE DATABASE {name}")
    await admin.close()
    yield f"{stack.postgres.rpartition('/')[0]}/{name}"
    await drop_database(name)


@pytest.fixture(name="until", scope="session")
def _until() -> Callable[..., Awaitable[Any]]:
    return until


@pytest.fixture
async def empty_topics(kafka: str) -> None:
    """The topics without a record: a service that starts on an empty database reads them from their beginning, and
    would take what other tests left there for its own past."""
    admin = AIOKafkaAdminClient(bootstrap_servers=kafka)
    await admin.start()
    try:
        end = RecordsToDelete(before_offset=-1)
        partitions = {
            TopicPartition(topic["topic"], partition["partition"]): end
            for topic in await admin.describe_topics([*TOPIC_SOURCES, DEAD_LETTERS_TOPIC])
            for partition in topic["partitions"]
        }

        async def emptied() -> bool:
            # A partition that was made a moment ago may not have its leader yet.
            with suppress(NotLeaderForPartitionError, LeaderNotAvailableError):
                await admin.delete_records(partitions)
                return True
            return False

        await until(emptied)
    finally:
        await admin.close()


Serving = Callable[[Callable[[Any], Service], type[ServiceSettings]], AbstractAsyncContextManager[Client]]


@pytest.fixture(autouse=True)
def _short_tracebacks() -> None:
    """Logs without the locals of every frame: rendering those holds up the event loop, and so the consumers."""
    renderer = structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)
    structlog.configure(processors=[structlog.processors.add_log_level, renderer])


@pytest.fixture
def serving(kafka: str, database: str, empty_topics: None, staff: Staff) -> Serving:
    """``serving(build, Settings)`` runs a service on the test's own database for the length of a block."""

    @asynccontextmanager
    async def run(build: Callable[[Any], Service], settings: type[ServiceSettings]) -> AsyncIterator[Client]:
        service = build(settings(kafka=kafka, postgres=database, port=0))
        # Idle connections stay: on a busy machine one would be closed in the moment in which the client uses it again.
        server = uvicorn.Server(uvicorn.Config(service.app, timeout_keep_alive=600, log_config=None))
        # A socket of ours: a server that is told to end while it starts has none of its own any more.
        listening = socket.create_server(("127.0.0.1", 0))
        running = asyncio.create_task(server.serve(sockets=[listening]))

        async def started() -> bool:
            if running.done():
                await running
                pytest.fail("the service ended while it started")
            return server.started

        try:
            await until(started, wait_s=60)
            async with aiohttp.ClientSession(f"http://127.0.0.1:{listening.getsockname()[1]}") as session:
                yield Client(session, staff)
        finally:
            server.should_exit = True
            await running

    return run


@pytest.fixture
async def producer(kafka: str) -> AsyncIterator[AIOKafkaProducer]:
    """Writes to the topics as another service's relay would."""
    async with AIOKafkaProducer(bootstrap_servers=kafka, acks="all", enable_idempotence=True) as started:
        yield started
