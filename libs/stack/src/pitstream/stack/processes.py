"""Our own services as supervised processes: started detached, started again when they die, stopped cleanly.

A folder holds everything about them: `specs.json` (what is to run, written here), `state.json` (what runs, written by
the supervisor alone), `lock` and `logs/`. The supervisor is `python -m pitstream.stack.supervise specs.json`.
"""

import contextlib
import http.client
import os
import shutil
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

import psutil
from filelock import FileLock
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from pitstream.stack.process import Mark, StackError, Started, launch, marked, stop, tail, wait_until
from pitstream.stack.stack import home_of

HOPELESS_DEATHS = 5  # a service that dies this often while we wait for it will not become ready
ENV_MARK = "PITSTREAM_SUPERVISED"  # every process of a service carries it, with the folder it belongs to


class ServiceSpec(BaseModel):
    """What to run.

    `env` is added to the environment of the caller; `ready_url` answers 2xx once the service serves; `stop_s` is how
    many seconds after SIGTERM it has to finish what it has in hand.
    """

    model_config = ConfigDict(frozen=True)

    name: str
    argv: tuple[str, ...]
    env: dict[str, str] = {}
    ready_url: str | None = None
    stop_s: float = 15.0


class ServiceRun(BaseModel):
    """What the supervisor last knew of a service: its process, how often it had to be started again, how it last ended.

    `last_exit` is a return code, negative for a signal, as in `subprocess`.
    """

    model_config = ConfigDict(frozen=True)

    name: str
    process: Started | None = None
    restarts: int = 0
    last_exit: int | None = None


class ServiceStatus(BaseModel):
    """A service as it is now. `ready` is None when it has no URL to ask; `last_exit` as in `ServiceRun`."""

    name: str
    pid: int | None
    ready: bool | None
    restarts: int
    last_exit: int | None
    log: Path

    @property
    def is_up(self) -> bool:
        """Whether it serves, or has done what it was for and ended with 0."""
        return self.ready is not False if self.pid else self.last_exit == 0


SPECS = TypeAdapter(list[ServiceSpec])
RUNS = TypeAdapter(list[ServiceRun])


def services_up(
    specs: Sequence[ServiceSpec], *, name: str = "default", data_dir: Path | None = None, ready_s: float = 60.0
) -> list[ServiceStatus]:
    """Start the services and a supervisor for them, and return once every `ready_url` answers.

    Doing it again with the same specs changes nothing; with others, the old services are stopped first.
    Raises StackError when a command doesn't exist or a service doesn't become ready; everything is stopped again then.
    """
    for spec in specs:
        if shutil.which(spec.argv[0]) is None:
            raise StackError(f"argv[0] of {spec.name}: was {spec.argv[0]!r}; allowed: a program that can be run")
    folder = _folder(name, data_dir)
    (folder / "logs").mkdir(parents=True, exist_ok=True)
    with _locked(folder):
        if not (_supervisors(folder) and _read_specs(folder) == list(specs)):
            _stop_all(folder)
            (folder / "state.json").unlink(missing_ok=True)
            _write_specs(folder, specs)
            launch([sys.executable, "-m", *_mark(folder)], log=folder / "logs" / "supervisor.log", cwd=folder)
        try:
            _wait_ready(folder, specs, ready_s)
        except BaseException:
            _stop_all(folder)
            raise
    return _status(folder)


def services_down(*, name: str = "default", data_dir: Path | None = None) -> list[str]:
    """Stop the services and their supervisor, with SIGTERM first; returns the names of those that ran."""
    folder = _folder(name, data_dir)
    if not folder.exists():
        return []
    with _locked(folder):
        ran = [s.name for s in _status(folder) if s.pid]
        _stop_all(folder)
    return ran


def services_status(*, name: str = "default", data_dir: Path | None = None) -> list[ServiceStatus]:
    """How each service is now; an empty list when none was ever started."""
    return _status(_folder(name, data_dir))


def _wait_ready(folder: Path, specs: Sequence[ServiceSpec], ready_s: float) -> None:
    before = {run.name: run.restarts for run in read_runs(folder)}

    def all_ready() -> bool:
        services = _status(folder)
        for service in services:
            deaths = service.restarts - before.get(service.name, 0)
            if not service.is_up and deaths >= HOPELESS_DEATHS:
                raise StackError(f"{service.name} died {deaths} times while starting:\n{tail(service.log)}")
        if not _supervisors(folder) and not all(s.is_up for s in services):
            raise StackError(f"the supervisor stopped:\n{tail(folder / 'logs' / 'supervisor.log')}")
        return all(s.is_up for s in services)

    if not wait_until(all_ready, ready_s, every_s=0.1):
        late = next(s for s in _status(folder) if not s.is_up)
        url = next(s.ready_url for s in specs if s.name == late.name)
        raise StackError(f"{late.name} did not answer at {url} within {ready_s:.0f} seconds:\n{tail(late.log)}")


def _status(folder: Path) -> list[ServiceStatus]:
    runs = {run.name: run for run in read_runs(folder)}
    found = []
    for spec in _read_specs(folder):
        run = runs.get(spec.name, ServiceRun(name=spec.name))
        process = _process(run.process, folder)
        ready = None if spec.ready_url is None else process is not None and _answers(spec.ready_url)
        found.append(
            ServiceStatus(
                name=spec.name,
                pid=process.pid if process else None,
                ready=ready,
                restarts=run.restarts,
                last_exit=run.last_exit,
                log=log_of(folder, spec.name),
            )
        )
    return found


def _answers(url: str) -> bool:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=2)
    try:
        connection.request("GET", parts.path or "/")
        return 200 <= connection.getresponse().status < 300
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _stop_all(folder: Path) -> None:
    """Stop the supervisor, which stops its services; then what a killed supervisor left behind."""
    grace_s = max((spec.stop_s for spec in _read_specs(folder)), default=0)
    stop(_supervisors(folder), sig=signal.SIGTERM, grace_s=grace_s + 5)
    stop(_left_behind(folder), sig=signal.SIGTERM, grace_s=grace_s)


def _supervisors(folder: Path) -> list[psutil.Process]:
    return marked(_mark(folder))


def _mark(folder: Path) -> Mark:
    return ("pitstream.stack.supervise", str(_specs_file(folder)))


def _left_behind(folder: Path) -> list[psutil.Process]:
    """Every process that carries our mark: the services, and what they started."""
    return [p for p in psutil.process_iter() if p.pid != os.getpid() and _is_marked(p, folder)]


def _is_marked(process: psutil.Process, folder: Path) -> bool:
    with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess):
        return process.environ().get(ENV_MARK) == str(folder)
    return False


def _process(started: Started | None, folder: Path) -> psutil.Process | None:
    """The service's living process: the recorded id may have been given to another since."""
    if started is None or not psutil.pid_exists(started.pid):
        return None
    process = psutil.Process(started.pid)
    return process if _is_marked(process, folder) else None


def _folder(name: str, data_dir: Path | None) -> Path:
    return home_of(name, data_dir) / "services"


def _locked(folder: Path) -> FileLock:
    return FileLock(folder / "lock")


def _specs_file(folder: Path) -> Path:
    return folder / "specs.json"


def log_of(folder: Path, name: str) -> Path:
    """Where a service's output goes."""
    return folder / "logs" / f"{name}.log"


def _read_specs(folder: Path) -> list[ServiceSpec]:
    try:
        return SPECS.validate_json(_specs_file(folder).read_bytes())
    except (FileNotFoundError, ValidationError):
        return []


def _write_specs(folder: Path, specs: Sequence[ServiceSpec]) -> None:
    file = _specs_file(folder)
    file.touch(mode=0o600)  # a service's environment may hold a password
    file.write_bytes(SPECS.dump_json(list(specs), indent=2))


def read_runs(folder: Path) -> list[ServiceRun]:
    """What the supervisor last wrote."""
    try:
        return RUNS.validate_json((folder / "state.json").read_bytes())
    except (FileNotFoundError, ValidationError):
        return []


def write_runs(folder: Path, runs: Sequence[ServiceRun]) -> None:
    """Replace the state file as a whole, so that a reader never sees half of it."""
    new = folder / "state.json.new"
    new.write_bytes(RUNS.dump_json(list(runs), indent=2))
    new.replace(folder / "state.json")
