"""Real processes: the supervisor runs Python's own web server, or a command that fails."""

import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import psutil
import pytest

from pitstream.stack.process import StackError, free_ports, wait_until
from pitstream.stack.processes import ServiceSpec, ServiceStatus, services_down, services_status, services_up


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    services_down(data_dir=tmp_path)
    assert _processes(tmp_path) == []


def _processes(folder: Path) -> list[psutil.Process]:
    """Whatever still runs with the folder in its command line or environment."""
    found = []
    for process in psutil.process_iter():
        try:
            told = [*process.cmdline(), process.environ().get("PITSTREAM_SUPERVISED", "")]
        except (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess):
            continue
        if any(text.startswith(f"{folder}/") for text in told):
            found.append(process)
    return found


def _web(name: str) -> ServiceSpec:
    port = str(free_ports(1)[0])
    argv = (sys.executable, "-m", "http.server", port, "--bind", "127.0.0.1")
    return ServiceSpec(name=name, argv=argv, ready_url=f"http://127.0.0.1:{port}/")


def _python(name: str, code: str) -> ServiceSpec:
    return ServiceSpec(name=name, argv=(sys.executable, "-c", code))


def _runs_as_another(folder: Path, pid: int) -> bool:
    return _one(folder).pid not in (None, pid)


def _one(folder: Path) -> ServiceStatus:
    (service,) = services_status(data_dir=folder)
    return service


def test_services_are_ready_when_up_returns_and_gone_when_down_returns(folder: Path) -> None:
    table, wallet = services_up([_web("table"), _web("wallet")], data_dir=folder)
    assert (table.name, table.ready, table.restarts) == ("table", True, 0)
    assert (wallet.name, wallet.ready, wallet.restarts) == ("wallet", True, 0)

    assert services_down(data_dir=folder) == ["table", "wallet"]
    assert [(s.name, s.pid, s.ready) for s in services_status(data_dir=folder)] == [
        ("table", None, False),
        ("wallet", None, False),
    ]
    assert services_down(data_dir=folder) == []


def test_the_same_specs_again_change_nothing_and_others_replace_them(folder: Path) -> None:
    specs = [_web("table")]
    assert services_up(specs, data_dir=folder) == services_up(specs, data_dir=folder)
    (other,) = services_up([_web("wallet")], data_dir=folder)
    assert other.name == "wallet"
    assert len([p for p in _processes(folder) if "http.server" in p.cmdline()]) == 1


def test_a_killed_service_runs_again_within_a_second(folder: Path) -> None:
    (before,) = services_up([_web("table")], data_dir=folder)
    assert before.pid
    for restarts in (1, 2):  # a second death soon after the first is no slower
        killed = _one(folder).pid
        assert killed
        time.sleep(3.1)  # long enough to have started well
        psutil.Process(killed).kill()
        assert wait_until(partial(_runs_as_another, folder, killed), 1.0)
        assert _one(folder).restarts == restarts
    assert wait_until(lambda: _one(folder).ready is True, 10)


def test_a_service_that_ends_with_0_is_done_and_not_run_again(folder: Path) -> None:
    ran = folder / "ran"
    services_up([_python("once", f"open({str(ran)!r}, 'a').write('x')"), _web("table")], data_dir=folder)
    assert wait_until(lambda: services_status(data_dir=folder)[0].last_exit == 0, 5)
    time.sleep(0.5)
    once = services_status(data_dir=folder)[0]
    assert (ran.read_text(), once.pid, once.restarts, once.is_up) == ("x", None, 0, True)


def test_a_service_that_keeps_dying_is_reported_with_its_last_words_and_all_is_stopped(folder: Path) -> None:
    dying = _python("dying", "raise SystemExit('no database')").model_copy(update={"ready_url": _web("x").ready_url})
    with pytest.raises(StackError, match=r"dying died 5 times while starting:\n(.*\n)*no database"):
        services_up([_web("table"), dying], data_dir=folder)
    assert _processes(folder) == []


def test_a_service_that_never_answers_is_reported_and_stopped(folder: Path) -> None:
    url = _web("x").ready_url
    silent = _python("silent", "import time; time.sleep(60)").model_copy(update={"ready_url": url})
    with pytest.raises(StackError, match=f"silent did not answer at {url} within 1 seconds"):
        services_up([silent], data_dir=folder, ready_s=1)
    assert _processes(folder) == []


def test_a_command_that_does_not_exist_is_refused_before_anything_starts(folder: Path) -> None:
    with pytest.raises(StackError, match=r"argv\[0\] of x: was 'no-such-program'; allowed: a program"):
        services_up([ServiceSpec(name="x", argv=("no-such-program",))], data_dir=folder)
    assert services_status(data_dir=folder) == []


def test_what_a_killed_supervisor_left_behind_is_replaced_by_the_next_up(folder: Path) -> None:
    specs = [_web("table")]
    (before,) = services_up(specs, data_dir=folder)
    (supervisor,) = [p for p in _processes(folder) if "pitstream.stack.supervise" in p.cmdline()]
    supervisor.kill()
    (after,) = services_up(specs, data_dir=folder)
    assert after.pid != before.pid
    assert len(_processes(folder)) == 2  # a supervisor and its service


def test_a_service_that_ignores_sigterm_is_killed(folder: Path) -> None:
    heedless = _python("heedless", "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)")
    services_up([heedless.model_copy(update={"stop_s": 1.0})], data_dir=folder)
    time.sleep(0.5)  # until it has set its handler
    assert services_down(data_dir=folder) == ["heedless"]
    assert _processes(folder) == []
