"""An operator's wallet as its own process over real HTTP, and the wallet's side of it on a real PostgreSQL."""

import asyncio
import csv
import io
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import aiohttp
import asyncpg
import pytest

from pitstream.events import Event, open_envelope
from pitstream.events.wallet import FundsDeclined, FundsHeld
from pitstream.runtime import Cause, Store
from pitstream.services.wallet.handlers import post_facts
from pitstream.services.wallet.remote.desk import register
from pitstream.services.wallet.remote.operators import Operator
from pitstream.services.wallet.remote.worker import RemoteWorker
from pitstream.services.wallet.store import ledger_check
from pitstream.stack import Stack

KEY = "a key that only the two of them know"
KEY_ENV = "PITSTREAM_TEST_OPERATOR_KEY"
DEADLINE_MS = 1_000


@dataclass
class OperatorServer:
    """``python -m pitstream.operator`` as a process. Its books stay when it is killed."""

    books: Path
    port: int
    options: tuple[str, ...] = ()
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "pitstream.operator", "--port", str(self.port), "--books", str(self.books),
             "--key-env", KEY_ENV, "--delay-s", "1.3", *self.options],
            env={**os.environ, KEY_ENV: KEY},
        )  # fmt: skip
        for _ in range(400):
            with suppress(OSError), urllib.request.urlopen(f"{self.url}/health", timeout=5):
                return
            time.sleep(0.05)
        pytest.fail("the operator's wallet does not answer")

    def kill(self) -> None:
        """SIGKILL, in the middle of whatever it does."""
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process = None

    async def _ask(self, method: str, path: str, body: Any = None) -> str:
        async with aiohttp.ClientSession() as session, session.request(method, self.url + path, json=body) as answer:
            assert answer.status == 200, await answer.text()
            return await answer.text()

    async def get(self, path: str) -> str:
        return await self._ask("GET", path)

    async def open_player(self, player: str, balance: int, currency: str = "USD") -> None:
        await self._ask("PUT", f"/players/{player}", {"currency": currency, "balance": balance})

    async def misbehave(self, verb: str, *kinds: str) -> None:
        """The next requests for ``verb`` meet these faults, one each."""
        await self._ask("POST", "/faults", {"path": f"/wallet/{verb}", "kinds": list(kinds)})

    async def behave(self) -> dict[str, int]:
        """No further fault by chance; how often each kind was done."""
        told = await self._ask("POST", "/faults", {"per_mille": 0})
        return dict(json.loads(told)["done"])

    async def balances(self) -> dict[str, int]:
        return {row["player"]: row["balance"] for row in json.loads(await self.get("/players"))}

    async def changes(self) -> Counter[str]:
        """Player -> what its balance came to since its opening, minor units."""
        return Counter(
            {row["player"]: row["balance"] - row["opening"] for row in json.loads(await self.get("/players"))}
        )

    async def statement(self) -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO(await self.get("/statement.csv"))))


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port: int = listening.getsockname()[1]
        return port


@pytest.fixture(scope="session", autouse=True)
def _key() -> Iterator[None]:
    os.environ[KEY_ENV] = KEY
    yield
    del os.environ[KEY_ENV]


@pytest.fixture(scope="session")
def new_operator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., OperatorServer]]:
    """Starts operators' wallets, each with books of its own; all are stopped at the end."""
    started: list[OperatorServer] = []
    folder = tmp_path_factory.mktemp("operators")

    def start(*options: str) -> OperatorServer:
        server = OperatorServer(folder / f"books-{len(started)}.sqlite", free_port(), options)
        started.append(server)
        server.start()
        return server

    yield start
    for server in started:
        server.kill()


@pytest.fixture(scope="session")
def acme_server(new_operator: Callable[..., OperatorServer]) -> OperatorServer:
    return new_operator()


@pytest.fixture(scope="session")
def wallet_database(stack: Stack, drop_database: Callable[[str], Coroutine[Any, Any, None]]) -> Iterator[str]:
    """A database that the tests of this folder share: each has players and tables of its own."""
    name = f"remote_{uuid.uuid4().hex}"

    async def create() -> None:
        admin = await asyncpg.connect(stack.postgres)
        await admin.execute(f"CREATE DATABASE {name}")
        await admin.close()

    asyncio.run(create())
    yield f"{stack.postgres.rpartition('/')[0]}/{name}"
    asyncio.run(drop_database(name))


@pytest.fixture
def database(wallet_database: str) -> str:
    """With what the tests before left there."""
    return wallet_database


def terms(server: OperatorServer, **changes: Any) -> Operator:
    """How an operator is connected in these tests: little patience, so that they are short."""
    given: dict[str, Any] = {
        "operator": "acme",
        "mode": "seamless",
        "currency": "USD",
        "base_url": f"{server.url}/wallet",
        "key_ref": f"env:{KEY_ENV}",
        "deadline_ms": DEADLINE_MS,
        "retry_ms": (30, 60, 120),
        "unknown_rollback": "not_found",
        "calls_at_once": 16,
    }
    return Operator(**{**given, **changes})


@dataclass
class Desk:
    """The wallet without Kafka: facts go to its handler, its worker asks the operators."""

    store: Store
    postgres: str
    say: SimpleNamespace
    operator: str
    server: OperatorServer
    mark: str = field(default_factory=lambda: uuid.uuid4().hex[:8])
    heard: Any = field(init=False)

    def __post_init__(self) -> None:
        self.heard = self.say.heard()

    @property
    def table(self) -> str:
        return f"t-{self.mark}"

    def player(self, number: int = 1) -> str:
        """A player of the operator that no other test has."""
        return f"{self.operator}:{self.mark}-{number}"

    def places(self, seat: int = 1, round_no: int = 1, bundle: int = 1, **stakes: int) -> Event:
        """The seat's player puts a bundle down."""
        placed: Event = self.say.placed(
            seat, self.player(seat), table=self.table, round_no=round_no, bundle=bundle, **stakes
        )
        return placed

    def settles(self, *lines: Any, seat: int = 1, round_no: int = 1) -> Event:
        """The round of one seat is settled."""
        settled: Event = self.say.settled(
            self.say.seat(seat, self.player(seat), *lines), table=self.table, round_no=round_no
        )
        return settled

    @asynccontextmanager
    async def working(self) -> AsyncIterator[None]:
        """A worker asks the operators for the length of the block."""
        running = asyncio.create_task(RemoteWorker(self.store, postgres=self.postgres).run())
        try:
            yield
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running

    async def hears(self, *facts: Event) -> None:
        recorded = self.heard(*facts)
        await self.store.run(lambda tx: post_facts(tx, recorded))

    async def connects(self, operator: Operator) -> Any:
        cause = Cause.of_command("connect", "o.perations")
        return await self.store.run(lambda tx: register(tx, operator, "o.perations", cause))

    async def answer_to(self, seat: int = 1, round_no: int = 1) -> tuple[str, str]:
        """("held" or "declined", reason): the last answer to the seat's bundle, once there is one."""
        stream = f"account/player/{self.player(seat)}/USD"

        async def answer() -> tuple[str, str] | None:
            rows = await self.store.pool.fetch("SELECT envelope FROM events WHERE stream = $1 ORDER BY version", stream)
            events = [open_envelope(row["envelope"]).event for row in rows]
            answers = [one for one in events if isinstance(one, FundsHeld | FundsDeclined) and one.round_no == round_no]
            if not answers:
                return None
            last = answers[-1]
            return ("held", "") if isinstance(last, FundsHeld) else ("declined", last.reason)

        answered: tuple[str, str] = await self.say.until(answer, wait_s=60)
        return answered

    async def moves(self) -> list[tuple[str, str | None, bool]]:
        """(verb, how it ended, uncertain) of this table's moves, in the order asked for."""
        rows = await self.store.pool.fetch(
            "SELECT verb, ended, uncertain FROM remote_moves WHERE table_id = $1 ORDER BY position", self.table
        )
        return [tuple(row) for row in rows]

    async def settles_down(self, wait_s: float = 90) -> list[tuple[str, str]]:
        """Wait until every move has ended; (verb, how it ended) of each."""

        async def ended() -> bool:
            return all(end is not None for _, end, _ in await self.moves())

        await self.say.until(ended, wait_s=wait_s)
        return [(verb, end or "") for verb, end, _ in await self.moves()]

    async def balance(self, prefix: str) -> int:
        """What all accounts whose name starts so come to, minor units."""
        total: int = await self.store.pool.fetchval(
            "SELECT coalesce(sum(credits_posted - debits_posted), 0)::bigint FROM accounts"
            " WHERE account LIKE $1 || '%'",
            prefix,
        )
        return total

    async def balances_agree(self, server: OperatorServer) -> None:
        """Both ledgers to the cent, all that ever was between them, and nothing left on the way."""
        assert (await ledger_check(self.store))["ok"]
        assert await self.balance(f"suspense/{self.operator}/") == 0
        assert await self.balance(f"player/{self.operator}:") == 0
        assert await self.balance(f"operator/{self.operator}/") == sum((await server.changes()).values())


@pytest.fixture
async def idle_desk(
    store: Store, say: SimpleNamespace, database: str, new_operator: Callable[..., OperatorServer]
) -> Callable[[str], Awaitable[Desk]]:
    """Connects an operator of its own under a name; nobody works at it until ``working`` is entered."""

    async def connect(name: str) -> Desk:
        server = new_operator()
        desk = Desk(store, database, say, name, server)
        assert await desk.connects(terms(server, operator=name)) is None
        await server.open_player(desk.player(), 10_000)
        return desk

    return connect


@pytest.fixture
async def new_desk(store: Store, say: SimpleNamespace, database: str) -> AsyncIterator[Callable[..., Awaitable[Desk]]]:
    """Connects an operator under a name, and opens a desk for it; one worker serves all of a test's."""

    async def connect(server: OperatorServer, name: str, **changes: Any) -> Desk:
        desk = Desk(store, database, say, name, server)
        assert await desk.connects(terms(server, operator=name, **changes)) is None
        return desk

    async with Desk(store, database, say, "", acme_server).working():
        yield connect


@pytest.fixture
async def desk(new_desk: Callable[..., Awaitable[Desk]], acme_server: OperatorServer) -> Desk:
    """The wallet's side of acme, with its worker running."""
    desk = await new_desk(acme_server, "acme")
    await acme_server.open_player(desk.player(), 10_000)
    return desk


@pytest.fixture(scope="session")
def remote() -> SimpleNamespace:
    """What the tests of this folder share."""
    return SimpleNamespace(terms=terms, Desk=Desk, free_port=free_port, OperatorServer=OperatorServer)
