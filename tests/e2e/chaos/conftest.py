"""What can go wrong with a floor's machines, each done to the real thing: three brokers, one PostgreSQL, all services.

A fault is done and undone by one function; nothing but what was broken is mended by it. Services that were killed are
started again by their supervisor, as everywhere; a broker and a postmaster by what stands for the machine's own.
"""

import asyncio
import os
import random
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import pytest

from pitstream.cli import platform as services
from pitstream.cli.addresses import SERVICES
from pitstream.cli.testing import employ_boss
from pitstream.stack import Stack, embedded
from pitstream.stack.process import LOOPBACK

BROKERS = 3
DISK_BYTES = 64 << 20


class Wire:
    """A TCP proxy before one port, in a thread of its own: its connections can be cut, or held without a word."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._loop = asyncio.new_event_loop()
        self._writers: set[asyncio.StreamWriter] = set()
        self._flows = asyncio.Event()
        self._flows.set()
        started = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(started,), name="wire", daemon=True)
        self._thread.start()
        started.wait()

    def cut(self) -> None:
        """Every connection ends now, without a farewell; new ones are taken."""
        self._loop.call_soon_threadsafe(self._cut)

    @contextmanager
    def held(self) -> Iterator[None]:
        """For the length of the block no byte gets through, and nobody is told."""
        self._loop.call_soon_threadsafe(self._flows.clear)
        try:
            yield
        finally:
            self._loop.call_soon_threadsafe(self._flows.set)

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._cut)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self, started: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._connected, LOOPBACK, 0))
        self.port: int = server.sockets[0].getsockname()[1]
        started.set()
        self._loop.run_forever()
        server.close()

    def _cut(self) -> None:
        for writer in self._writers:
            writer.transport.abort()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there_reader, there_writer = await asyncio.open_connection(LOOPBACK, self._target)
        except OSError:
            writer.transport.abort()
            return
        ends = {writer, there_writer}
        self._writers |= ends
        await asyncio.gather(self._flow(reader, there_writer), self._flow(there_reader, writer))
        self._writers -= ends

    async def _flow(self, source: asyncio.StreamReader, into: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await source.read(1 << 16):
                await self._flows.wait()
                into.write(data)
                await into.drain()
        into.transport.abort()


@dataclass
class Room:
    """The machines, and what can be done to them. Each fault returns when it is over, healed or not."""

    platform: Any
    wire: Wire
    disk: Path | None
    dice: random.Random
    wrongs: dict[str, Callable[[], None]] = field(init=False)

    def __post_init__(self) -> None:
        self.wrongs = {f"kill {service}": self._killing(service) for service in SERVICES}
        self.wrongs |= {f"freeze {service}": self._freezing(service) for service in SERVICES}
        self.wrongs |= {
            "kill a broker": self.kill_broker,
            "freeze a broker": self.freeze_broker,
            "kill PostgreSQL": self.kill_postgres,
            "cut all connections to PostgreSQL": self.cut,
            "hold all connections to PostgreSQL": self.hold,
        }
        if self.disk is not None:
            self.wrongs["fill the disk that is logged to"] = self.fill_disk

    def kill_broker(self) -> None:
        node = self.dice.randint(1, BROKERS)
        self.platform.stack.kill_broker(node)
        time.sleep(self.dice.uniform(0, 5))
        self.platform.stack.start_broker(node)

    def freeze_broker(self) -> None:
        parts = [part for part in self.platform.stack.status().parts if part.name.startswith("kafka")]
        self._freeze(self.dice.choice(parts).pid)

    def kill_postgres(self) -> None:
        self.platform.stack.kill_postgres()
        time.sleep(self.dice.uniform(0, 3))
        self.platform.stack.start_postgres()

    def cut(self) -> None:
        self.wire.cut()

    def hold(self) -> None:
        with self.wire.held():
            time.sleep(self.dice.uniform(2, 6))

    def fill_disk(self) -> None:
        """The only disk that the services themselves write to takes no more for a while."""
        assert self.disk is not None
        balloon = self.disk / "balloon"
        try:
            with suppress(OSError), balloon.open("wb", buffering=0) as file:
                while True:
                    file.write(bytes(1 << 12))
            time.sleep(self.dice.uniform(2, 6))
        finally:
            balloon.unlink(missing_ok=True)

    def _killing(self, service: str) -> Callable[[], None]:
        return lambda: self.platform.kill(service)

    def _freezing(self, service: str) -> Callable[[], None]:
        return lambda: self._freeze(self.platform.pid(service))

    def _freeze(self, pid: int | None) -> None:
        """Longer than Kafka waits for a member of a group now and then, so that another has taken its place."""
        if pid is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
                try:
                    time.sleep(self.dice.uniform(1, 10))
                finally:
                    os.kill(pid, signal.SIGCONT)


@pytest.fixture
def room(tmp_path: Path, platform_class: Any) -> Iterator[Room]:
    """A floor whose machines go wrong. Its services reach PostgreSQL over the wire, and log to a small disk."""
    seed = int(os.environ.get("PITSTREAM_CHAOS_SEED", "0")) or random.SystemRandom().getrandbits(32)
    print(f"seed {seed}")  # noqa: T201 - pytest shows it beside a failure
    employ_boss(tmp_path)
    logs = tmp_path / "services" / "logs"
    with embedded(brokers=BROKERS, data_dir=tmp_path / "stack") as stack, _small_disk(logs) as disk:
        address = urlsplit(stack.postgres)
        wire = Wire(address.port or 5432)
        wired = urlunsplit(address._replace(netloc=f"{address.username}@{LOOPBACK}:{wire.port}"))
        try:
            addresses = services.start(Stack(None, kafka=stack.kafka, postgres=wired), name="e2e", data_dir=tmp_path)
            yield Room(platform_class(stack, tmp_path, addresses), wire, disk, random.Random(seed))
        finally:
            services.stop(name="e2e", data_dir=tmp_path)
            wire.close()


@contextmanager
def _small_disk(folder: Path) -> Iterator[Path | None]:
    """A disk of a few megabytes; None for who may not mount one."""
    folder.mkdir(parents=True)
    mount = ("mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", str(folder))
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        yield None
        return
    try:
        yield folder
    finally:
        subprocess.run(("umount", "--lazy", str(folder)), check=True)
