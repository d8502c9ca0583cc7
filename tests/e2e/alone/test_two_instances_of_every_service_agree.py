"""Method: a second process of each service joins the platform. Two feeds play at the same time, each over the HTTP of
its own four processes, while Kafka's partitions are shared among both; in the middle the second four are killed
(SIGKILL) and started again. Each feed's books must be those of its rounds alone."""

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

from pitstream.cli.addresses import SERVICES, variable
from pitstream.stack.process import LOOPBACK, free_ports

pytestmark = pytest.mark.stack

Books = Callable[[Sequence[str]], dict[str, Any]]
OnDay = Callable[[Sequence[str], str], list[str]]
RESULTS = ("players", "totals", "meters", "rounds")


class Seconds:
    """A second process of each service, on ports of its own."""

    def __init__(self, platform: Any) -> None:
        self.platform = platform
        self.ports = dict(zip(SERVICES, free_ports(len(SERVICES)), strict=True))
        self.processes: list[subprocess.Popen[bytes]] = []

    @property
    def environ(self) -> dict[str, str]:
        """What tells ``pitstream`` to speak to these."""
        return {variable(service): f"http://{LOOPBACK}:{port}" for service, port in self.ports.items()}

    def start(self) -> None:
        """Start them; returns once all are ready."""
        for service, port in self.ports.items():
            environ = {
                **os.environ,
                "PITSTREAM_KAFKA": self.platform.stack.kafka,
                "PITSTREAM_POSTGRES": self.platform.stack.postgres,
                "PITSTREAM_ACCESS": str(self.platform.home / "access.toml"),
                f"PITSTREAM_{service.upper()}_PORT": str(port),
            }
            log = (self.platform.home / f"second-{service}.log").open("ab")
            command = [sys.executable, "-m", f"pitstream.services.{service}"]
            self.processes.append(subprocess.Popen(command, env=environ, stdout=log, stderr=log))
            log.close()
        deadline = time.monotonic() + 300
        while not all(map(ready, self.environ.values())):
            assert time.monotonic() < deadline
            time.sleep(0.2)

    def kill(self) -> None:
        for process in self.processes:
            process.kill()
        for process in self.processes:
            process.wait()
        self.processes = []


def ready(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/health/ready"):
            return True
    except (urllib.error.URLError, ConnectionError):
        return False


@contextmanager
def seconds_of(platform: Any) -> Iterator[Seconds]:
    seconds = Seconds(platform)
    try:
        seconds.start()
        yield seconds
    finally:
        seconds.kill()


def test_two_feeds_over_two_instances_of_every_service_come_out_exactly(
    new_platform: Any, evening_uth: list[str], books_of: Books, on_day: OnDay
):
    rounds = on_day(evening_uth[:40], "2025-10-01")
    halves = [
        [line for line in rounds if (int(json.loads(line)["table"][-1]) % 2 == 0) is even] for even in (True, False)
    ]
    assert min(map(len, halves)) > 10

    with new_platform() as platform, seconds_of(platform) as seconds, ThreadPoolExecutor() as pool:

        def feed(number: int, environ: dict[str, str]) -> dict[str, Any]:
            text = "\n".join(halves[number])
            options = ("--json", f"--network-suffix=-{number}", "--patience=400")
            done = platform.pitstream("feed", "-", *options, stdin=text, environ=environ)
            assert done.returncode == 0, done.stdout + done.stderr
            found: dict[str, Any] = json.loads(done.stdout)
            return found

        feeds = [pool.submit(feed, 0, {}), pool.submit(feed, 1, seconds.environ)]
        time.sleep(2)
        assert not any(one.done() for one in feeds)
        seconds.kill()
        seconds.start()
        played = [one.result() for one in feeds]

        assert [{name: one[name] for name in RESULTS} for one in played] == [books_of(half) for half in halves]
        assert json.loads(platform.asked("ledger", "check", "--json"))["ok"]
        assert platform.dead_letters() == []
