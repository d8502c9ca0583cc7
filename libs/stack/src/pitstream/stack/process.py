"""Processes of our own: started detached, recognised again later, and stopped without ever touching another's.

A process id alone is no identity, since ids are reused. Ours is known by three things together: its id, its start time
and its *mark*, arguments that follow one another in its command line and end in a path of the stack's own. An editor
that has the same file open lacks the arguments before it.
"""

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from random import SystemRandom

import psutil
from pydantic import BaseModel, ConfigDict

Mark = tuple[str, ...]

LOOPBACK = "127.0.0.1"
# Below the range from which Linux (32768 up) and macOS (49152 up) draw the local port of outgoing connections. Inside
# it, a client that keeps reconnecting to a dead broker's port can be given that very port and block the restart.
PORTS = range(20_000, 32_000)
START_TOLERANCE_S = 1.0  # where only the wall clock tells when a process began, it moves a little when that is set
_BOOT = Path("/proc/sys/kernel/random/boot_id")


class StackError(Exception):
    """Something about the stack that its user can act on; the text names the field, its value and what is allowed."""


class Started(BaseModel):
    """A process as the state file remembers it.

    `started` is its start time in seconds: of the boot named `boot` where the kernel tells that, else since the epoch.
    A wall clock that is set, or that jumps when a virtual machine goes on after a pause, makes no process another.
    """

    model_config = ConfigDict(frozen=True)

    pid: int
    started: float
    boot: str = ""

    @classmethod
    def of(cls, process: psutil.Process) -> "Started":
        """Raises psutil.NoSuchProcess when it is gone."""
        try:
            boot = _BOOT.read_text().strip()
            told = Path(f"/proc/{process.pid}/stat").read_text()
        except OSError:
            return cls(pid=process.pid, started=process.create_time())
        # Behind the name, which may hold anything: the twentieth field, in clock ticks (proc_pid_stat(5)).
        ticks = int(told.rpartition(")")[2].split()[19])
        return cls(pid=process.pid, started=ticks / os.sysconf("SC_CLK_TCK"), boot=boot)

    def is_of(self, process: psutil.Process) -> bool:
        """Whether this is that process, and not a later one with its id."""
        now = Started.of(process)
        return self.boot == now.boot and abs(self.started - now.started) < START_TOLERANCE_S


# Handles of this process's own children: polling them reaps a dead child, which else would stay a zombie until we exit.
_children: dict[int, subprocess.Popen[bytes]] = {}


def launch(
    argv: Sequence[str | Path],
    *,
    log: Path,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    user: int | None = None,
    group: int | None = None,
) -> Started:
    """Start a command in a session of its own, so that it outlives us and our terminal's Ctrl-C.

    Standard output and error are appended to `log`. `user` and `group` are numeric ids (root only).
    """
    with log.open("ab") as out:
        child = subprocess.Popen(  # noqa: S603 - argv is ours, and no shell sees it
            [str(a) for a in argv],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            cwd=cwd,
            env=env,
            user=user,
            group=group,
            extra_groups=None if user is None else [],
            start_new_session=True,
        )
    _children[child.pid] = child
    return Started.of(psutil.Process(child.pid))


def _is_alive(process: psutil.Process) -> bool:
    child = _children.get(process.pid)
    if child is not None and child.poll() is not None:
        del _children[process.pid]
    with contextlib.suppress(psutil.NoSuchProcess):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def _has(argv: Sequence[str] | None, mark: Mark) -> bool:
    args = tuple(argv or ())
    return any(args[n : n + len(mark)] == mark for n in range(len(args)))


def find(started: Started | None, mark: Mark) -> psutil.Process | None:
    """The living process that `started` recorded, or None when it is gone or its id now belongs to another.

    An empty mark leaves the start time to tell.
    """
    if started is None:
        return None
    try:
        process = psutil.Process(started.pid)
        same = started.is_of(process) and _has(process.cmdline(), mark)
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return None
    return process if same and _is_alive(process) else None


def marked(mark: Mark) -> list[psutil.Process]:
    """Living processes with this mark, also one that no state file knows of because the start of it crashed."""
    found = [p for p in psutil.process_iter(["cmdline"]) if _has(p.info["cmdline"], mark)]
    return [p for p in found if _is_alive(p)]


def stop(processes: Iterable[psutil.Process], *, sig: signal.Signals, grace_s: float) -> None:
    """Ask each process to stop with `sig`, and kill what is still there after `grace_s` seconds."""
    alive = [p for p in processes if _is_alive(p)]
    for p in alive:
        with contextlib.suppress(psutil.NoSuchProcess):
            p.send_signal(sig)
    if not wait_until(lambda: not any(_is_alive(p) for p in alive), grace_s):
        for p in alive:
            with contextlib.suppress(psutil.NoSuchProcess):
                p.kill()
        wait_until(lambda: not any(_is_alive(p) for p in alive), 10)


def wait_until(true: Callable[[], bool], timeout_s: float, *, every_s: float = 0.05) -> bool:
    """Whether `true()` became so within `timeout_s` seconds."""
    end = time.monotonic() + timeout_s
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(every_s)
    return True


def is_open(port: int) -> bool:
    """Whether something accepts connections on the loopback port."""
    with socket.socket() as s:
        s.settimeout(1)
        return s.connect_ex((LOOPBACK, port)) == 0


def is_free(port: int) -> bool:
    """Whether the loopback port can be bound now."""
    with socket.socket() as s:
        # As servers do: a port with connections in TIME_WAIT from the last run counts as free.
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            s.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def free_ports(count: int, *, avoid: Iterable[int] = ()) -> list[int]:
    """`count` different free loopback ports, none of `avoid`."""
    taken = set(avoid)
    candidates = SystemRandom().sample(PORTS, len(PORTS))
    ports = [p for _, p in zip(range(count), (p for p in candidates if p not in taken and is_free(p)), strict=False)]
    if len(ports) < count:
        raise StackError(f"ports: {count} wanted; only {len(ports)} of {PORTS.start}..{PORTS.stop - 1} are free")
    return ports


def tail(log: Path, lines: int = 15) -> str:
    """The last lines of a log file, or a word that there is none."""
    if not log.exists():
        return f"(no {log.name})"
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])
