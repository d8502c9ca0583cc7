"""pytest run as a process of its own, with a conftest that takes the fixture as other packages do."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

CONFTEST = "from pitstream.stack.testing import stack as stack\n"


def _pytest(folder: Path, test: str, **env: str) -> subprocess.Popen[str]:
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "test_it.py").write_text(test)
    (folder / "pytest.ini").write_text("[pytest]\n")
    # With a Ctrl-C of its own: a process that was started in the background hands down that it is ignored.
    run = (
        "import signal, sys, pytest; signal.signal(signal.SIGINT, signal.default_int_handler);"
        " sys.exit(pytest.main(sys.argv[1:]))"
    )
    argv = [sys.executable, "-c", run, "-q", "-s", "-p", "no:cacheprovider", str(folder)]
    return subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, cwd=folder, env={**os.environ, **env})


def test_given_addresses_are_handed_to_the_tests(tmp_path: Path) -> None:
    test = "def test_it(stack): assert (stack.kafka, stack.postgres) == ('k:1', 'postgresql://p')\n"
    with _pytest(tmp_path, test, PITSTREAM_KAFKA="k:1", PITSTREAM_POSTGRES="postgresql://p") as run:
        output, _ = run.communicate(timeout=180)
    assert run.returncode == 0, output


@pytest.mark.stack
def test_ctrl_c_stops_the_stack_too(tmp_path: Path) -> None:
    test = "import time\ndef test_it(stack):\n    print('HOME', stack.home, flush=True)\n    time.sleep(60)\n"
    with _pytest(tmp_path, test, PITSTREAM_KAFKA="", PITSTREAM_POSTGRES="") as run:
        assert run.stdout
        home = next(Path(line.split()[-1]) for line in run.stdout if "HOME" in line)
        assert len(_brokers(home)) == 1
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=180)
    assert run.returncode == pytest.ExitCode.INTERRUPTED
    assert (_brokers(home), home.exists()) == ([], False)


def _brokers(home: Path) -> list[psutil.Process]:
    settings = str(home / "kafka" / "1" / "server.properties")
    return [p for p in psutil.process_iter(["cmdline"]) if settings in (p.info["cmdline"] or [])]
