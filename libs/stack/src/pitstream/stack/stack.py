"""The stack: brokers and a PostgreSQL server started together, found again by any later process, stopped together.

Everything about a stack is in its home folder: `state.json` (ports and processes), `lock` (held while anything is
started or stopped), `kafka/`, `postgres/` and `logs/`. Whoever opens the same home sees the same stack.
"""

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

import psutil
from filelock import FileLock
from platformdirs import user_cache_path
from pydantic import BaseModel, ConfigDict, ValidationError

from pitstream.stack import jars, kafka, postgres
from pitstream.stack.kafka import Broker
from pitstream.stack.postgres import Postgres
from pitstream.stack.process import StackError, Started, find, free_ports, is_free, marked, stop, wait_until

READY_S = 120.0  # far above the few seconds it takes, for machines that are busy
STOP_S = 20.0


class State(BaseModel):
    """What `state.json` holds."""

    model_config = ConfigDict(frozen=True)

    brokers: tuple[Broker, ...]
    postgres: Postgres

    @property
    def servers(self) -> list[Broker | Postgres]:
        return [*self.brokers, self.postgres]


class Part(BaseModel):
    """One server as `status` reports it. `pid` is None when it doesn't run."""

    name: str
    address: str
    pid: int | None
    log: Path


class Status(BaseModel):
    """A stack as it is now: `running` (every part), `stopped` (none), `partly`, or `external` (not ours to run)."""

    state: Literal["running", "partly", "stopped", "external"]
    kafka: str
    postgres: str
    home: Path | None
    parts: list[Part]


class Stack:
    """A handle on a stack. `home` is None for an external one, which can be used but not stopped."""

    def __init__(self, home: Path | None, *, kafka: str = "", postgres: str = "") -> None:
        self.home = home
        self._external = (kafka, postgres)

    @property
    def kafka(self) -> str:
        """Bootstrap servers, "127.0.0.1:21000,127.0.0.1:21001"."""
        return self._external[0] if self.home is None else ",".join(b.address for b in self._state().brokers)

    @property
    def postgres(self) -> str:
        """A DSN, "postgresql://pitstream@127.0.0.1:21002/pitstream"."""
        return self._external[1] if self.home is None else self._state().postgres.address

    def status(self) -> Status:
        """What runs now."""
        if self.home is None:
            return Status(state="external", kafka=self.kafka, postgres=self.postgres, home=None, parts=[])
        state = _read(self.home)
        if state is None:
            return Status(state="stopped", kafka="", postgres="", home=self.home, parts=[])
        parts = []
        for part in state.servers:
            process = _process(part, self.home)
            pid = process.pid if process else None
            parts.append(Part(name=part.name, address=part.address, pid=pid, log=part.log(self.home)))
        up = sum(p.pid is not None for p in parts)
        word: Literal["running", "partly", "stopped"] = "running" if up == len(parts) else "partly" if up else "stopped"
        return Status(state=word, kafka=self.kafka, postgres=self.postgres, home=self.home, parts=parts)

    def kill_broker(self, node: int) -> None:
        """SIGKILL the broker with this node id (1 to the number of brokers); returns once it is dead."""
        self._kill(self._broker(node))

    def start_broker(self, node: int) -> None:
        """Start a dead broker again on the same port; returns once it serves. Does nothing when it runs."""
        self._start(self._broker(node))

    def kill_postgres(self) -> None:
        """SIGKILL the postmaster; returns once it is dead."""
        self._kill(self._state().postgres)

    def start_postgres(self) -> None:
        """Start a dead PostgreSQL again on the same port; returns once it serves. Does nothing when it runs."""
        self._start(self._state().postgres)

    def down(self, *, purge: bool = False) -> list[str]:
        """Stop what runs and return the names of what did. With `purge`, delete the data too.

        An external stack is left alone.
        """
        if self.home is None or not self.home.exists():
            return []
        with _locked(self.home):
            stopped = _stop_all(self.home, kill=purge)
            if purge:
                _purge(self.home)
        return stopped

    def _state(self) -> State:
        state = _read(self.home) if self.home else None
        if state is None:
            raise StackError(f"no stack of ours at {self.home or self._external}: start one with up()")
        return state

    def _broker(self, node: int) -> Broker:
        brokers = self._state().brokers
        if not 1 <= node <= len(brokers):
            raise StackError(f"node: was {node}; allowed: 1..{len(brokers)}")
        return brokers[node - 1]

    def _kill(self, part: Broker | Postgres) -> None:
        assert self.home is not None
        with _locked(self.home):
            if process := _process(part, self.home):
                stop([process], sig=signal.SIGKILL, grace_s=10)

    def _start(self, part: Broker | Postgres) -> None:
        assert self.home is not None
        with _locked(self.home):
            _start_missing(self.home, self._state(), only=part.name)


def up(
    *,
    name: str = "default",
    data_dir: Path | None = None,
    brokers: int | None = None,
    kafka_port: int | None = None,
    postgres_port: int | None = None,
    fresh: bool = False,
    synced: bool = True,
    environ: Mapping[str, str] = os.environ,
) -> Stack:
    """Start what of the stack doesn't run yet, and return once all of it serves.

    name: which stack, when no `data_dir` is given; each has a folder in the user's cache.
    brokers: how many; None means as many as the folder was made for, else 1.
    kafka_port, postgres_port: None means the ports of last time, else free ones. Further brokers take the next ports.
    fresh: stop and delete what is there first.
    synced: False for a database that need not outlive the machine's power: nothing waits for a disk.
    environ: with PITSTREAM_KAFKA and PITSTREAM_POSTGRES in it nothing is started, and those addresses are returned.

    Raises StackError when a port is taken, a number doesn't fit what is there, or a part doesn't come up; what this
    call had started is stopped again.
    """
    if given := external(environ):
        return given
    home = home_of(name, data_dir)
    home.mkdir(parents=True, exist_ok=True)
    with _locked(home):
        if fresh:
            _stop_all(home, kill=True)
            _purge(home)
        state = _read(home)
        # An `up` that was killed before it could write its state leaves a process that only its mark tells.
        for part in _parts(home, state):
            if not _process(part, home):
                _stop(part, home)
        state = _plan(home, state, brokers, kafka_port, postgres_port, synced=synced)
        _write(home, state)
        _start_missing(home, state)
    return Stack(home)


def prepare() -> None:
    """Download what `up` needs and, once, record an archive that halves the time a broker takes to start.

    Takes about 20 seconds the first time, and nothing after it. `up` doesn't need it: it is for machines that start
    stacks often, and for building images that start without a network.
    """
    jars.install()
    kafka.record_archive()


def down(*, name: str = "default", data_dir: Path | None = None, purge: bool = False) -> list[str]:
    """Stop a stack; see `Stack.down`."""
    return Stack(home_of(name, data_dir)).down(purge=purge)


def status(*, name: str = "default", data_dir: Path | None = None, environ: Mapping[str, str] = os.environ) -> Status:
    """What of a stack runs."""
    return (external(environ) or Stack(home_of(name, data_dir))).status()


def home_of(name: str, data_dir: Path | None) -> Path:
    """The home folder of a stack."""
    return (data_dir or user_cache_path("pitstream") / "stack" / name).resolve()


@contextmanager
def embedded(*, brokers: int = 1, data_dir: Path | None = None, synced: bool = True) -> Iterator[Stack]:
    """A stack for the length of a `with` block, always embedded; its data is deleted at the end.

    data_dir: None means a temporary folder. Temporary stacks whose owner was killed are removed first.
    synced: as for `up`; False is for tests, and nothing that is measured.
    """
    _sweep()
    home = data_dir
    if home is None:
        home = Path(tempfile.mkdtemp(prefix=_TEMPORARY))
        _write(home, Started.of(psutil.Process()), "owner.json")
    try:
        yield up(data_dir=home, brokers=brokers, synced=synced, environ={})
    finally:
        down(data_dir=home, purge=True)
        if data_dir is None:
            shutil.rmtree(home)


_TEMPORARY = "pitstream-stack-"


def _sweep() -> None:
    for owner in Path(tempfile.gettempdir()).glob(f"{_TEMPORARY}*/owner.json"):
        # Another run may be sweeping too, and be faster.
        with suppress(FileNotFoundError):
            started = Started.model_validate_json(owner.read_bytes())
            if owner.stat().st_uid == os.geteuid() and find(started, ()) is None:
                down(data_dir=owner.parent, purge=True)
                shutil.rmtree(owner.parent)


def external(environ: Mapping[str, str]) -> Stack | None:
    given = {name: environ.get(name, "") for name in ("PITSTREAM_KAFKA", "PITSTREAM_POSTGRES")}
    missing = [name for name, value in given.items() if not value]
    if len(missing) == len(given):
        return None
    if missing:
        other = next(name for name in given if name not in missing)
        raise StackError(f"{missing[0]}: was not set; allowed: an address, as {other} is set too (or neither)")
    return Stack(None, kafka=given["PITSTREAM_KAFKA"], postgres=given["PITSTREAM_POSTGRES"])


def _plan(
    home: Path,
    state: State | None,
    brokers: int | None,
    kafka_port: int | None,
    postgres_port: int | None,
    *,
    synced: bool,
) -> State:
    """The state to bring about: what was there last time, with the ports that are wanted and can be had."""
    formatted = len(list((home / "kafka").glob("*/formatted")))
    made_for = len(state.brokers) if state and formatted else formatted
    if brokers is not None and brokers < 1:
        raise StackError(f"brokers: was {brokers}; allowed: 1 or more")
    if brokers and made_for and brokers != made_for:
        raise StackError(f"brokers: was {brokers}; allowed: {made_for}, for which {home} was made (or a fresh start)")
    count = made_for or brokers or 1
    known = state.brokers if state and len(state.brokers) == count else ()
    running = [b for b in known if _process(b, home)]

    wanted = [kafka_port + n for n in range(count)] if kafka_port else [b.port for b in known]
    if running and wanted != [b.port for b in known]:
        raise StackError(f"kafka_port: was {kafka_port}; allowed: {known[0].port}, which the running stack has")
    if not running:
        _must_be_free("kafka_port", wanted if kafka_port else [])
        controllers = [b.controller_port for b in known]
        if not (wanted and all(map(is_free, wanted))):
            wanted = free_ports(count)
        if not (controllers and all(map(is_free, controllers)) and not set(controllers) & set(wanted)):
            controllers = free_ports(count, avoid=wanted)
        ports = enumerate(zip(wanted, controllers, strict=True), start=1)
        known = tuple(Broker(node=n, port=port, controller_port=controller) for n, (port, controller) in ports)

    server = state.postgres if state else None
    if server and _process(server, home):
        if postgres_port not in (None, server.port):
            raise StackError(f"postgres_port: was {postgres_port}; allowed: {server.port}, which the running stack has")
    else:
        _must_be_free("postgres_port", [postgres_port] if postgres_port else [])
        port = postgres_port or (server.port if server and is_free(server.port) else 0)
        taken = [p for b in known for p in (b.port, b.controller_port)]
        server = Postgres(port=port or free_ports(1, avoid=taken)[0], synced=synced)
    return State(brokers=known, postgres=server)


def _must_be_free(field: str, ports: list[int]) -> None:
    for port in ports:
        if not is_free(port):
            raise StackError(f"{field}: was {port}; allowed: a free port, and another process listens on that one")


def _process(part: Broker | Postgres, home: Path) -> psutil.Process | None:
    return find(part.process, part.mark(home))


def _start_missing(home: Path, state: State, *, only: str | None = None) -> None:
    """Start each part that doesn't run (or the one named `only`) and wait until it serves."""
    missing = [p for p in state.servers if only in (None, p.name) and not _process(p, home)]
    if any(isinstance(p, Broker) for p in missing):
        jars.install()  # before the threads, for one progress line

    def start(part: Broker | Postgres) -> Broker | Postgres:
        return kafka.start(part, state.brokers, home) if isinstance(part, Broker) else postgres.start(part, home)

    try:
        with ThreadPoolExecutor() as pool:
            for part in pool.map(start, missing):
                state = _with(state, part)
                _write(home, state)
        _wait_ready([p for p in state.servers if only in (None, p.name)], home)
    except BaseException:
        # Also on Ctrl-C: what was there before stays, what this call started goes.
        for part in missing:
            _stop(part, home, kill=True)
        raise


def _wait_ready(parts: list[Broker | Postgres], home: Path) -> None:
    waiting = list(parts)

    def all_ready() -> bool:
        for part in list(waiting):
            if _process(part, home) is None:
                reason = kafka.why(part, home) if isinstance(part, Broker) else postgres.why(part, home)
                raise StackError(f"{part.name} stopped:\n{reason}")
            if part.is_ready():
                waiting.remove(part)
        return not waiting

    if not wait_until(all_ready, READY_S):
        names = ", ".join(p.name for p in waiting)
        raise StackError(f"{names} did not serve within {READY_S:.0f} seconds; logs are in {home / 'logs'}")


def _with(state: State, part: Broker | Postgres) -> State:
    if isinstance(part, Postgres):
        return state.model_copy(update={"postgres": part})
    return state.model_copy(update={"brokers": tuple(part if b.node == part.node else b for b in state.brokers)})


def _stop_all(home: Path, *, kill: bool) -> list[str]:
    """Stop every part that runs, all at the same time, whether or not the state file knows of it."""
    state = _read(home)
    parts = _parts(home, state)
    with ThreadPoolExecutor() as pool:
        ran = list(pool.map(lambda part: _stop(part, home, kill=kill), parts))
    if state:
        gone = tuple(b.model_copy(update={"process": None}) for b in state.brokers)
        _write(home, State(brokers=gone, postgres=state.postgres.model_copy(update={"process": None})))
    return [part.name for part, did_run in zip(parts, ran, strict=True) if did_run]


def _parts(home: Path, state: State | None) -> list[Broker | Postgres]:
    """The servers of the state; without one, those whose folders are there, enough to find their processes."""
    if state:
        return state.servers
    nodes = sorted(int(p.name) for p in (home / "kafka").glob("[0-9]*"))
    return [*(Broker(node=n, port=0, controller_port=0) for n in nodes), Postgres(port=0)]


def _stop(part: Broker | Postgres, home: Path, *, kill: bool = False) -> bool:
    """Stop a part, with SIGKILL or cleanly, and return whether it ran."""
    processes = marked(part.mark(home))
    # SIGINT is PostgreSQL's fast shutdown: clean, and it doesn't wait for clients as SIGTERM would.
    polite = signal.SIGTERM if isinstance(part, Broker) else signal.SIGINT
    stop(processes, sig=signal.SIGKILL if kill else polite, grace_s=STOP_S)
    return bool(processes)


def _purge(home: Path) -> None:
    """Delete what a stack keeps, and nothing else: the folder may be the user's own."""
    postgres.remove(home)
    for folder in ("kafka", "logs"):
        shutil.rmtree(home / folder, ignore_errors=True)
    (home / "state.json").unlink(missing_ok=True)


def _locked(home: Path) -> FileLock:
    return FileLock(home / "lock")


def _read(home: Path) -> State | None:
    """The state file's content; None when there is none or it is damaged (processes are then found by their marks)."""
    try:
        return State.model_validate_json((home / "state.json").read_bytes())
    except (FileNotFoundError, ValidationError):
        return None


def _write(home: Path, content: BaseModel, name: str = "state.json") -> None:
    new = home / f"{name}.new"
    new.write_text(content.model_dump_json(indent=2))
    new.replace(home / name)  # atomic: a reader sees the old or the new, never half
