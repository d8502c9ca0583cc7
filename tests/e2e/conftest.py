"""The whole platform for the end-to-end tests: Apache Kafka, PostgreSQL and the four services, all real, as processes.

It has a stack of its own: topics and schemas have the services' own names, which other tests use too.
"""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import psutil
import pytest

from pitstream.cli import platform as services
from pitstream.cli.addresses import Addresses, variable
from pitstream.cli.testing import EVERY_ROLE, employ_boss
from pitstream.games.settle_file import Settled, settle_lines
from pitstream.games.settlement import settle
from pitstream.games.totals import WagerTotal, add_up, net_of
from pitstream.stack import Stack, embedded
from pitstream.stack.process import LOOPBACK, free_ports
from pitstream.stack.processes import services_status

DEMO = Path(__file__).parents[2] / "demo"
METER = 1_000_000
RATE = Fraction(1, 5)
START_S = 300
"""Far above what it takes: a process may start beside others on a busy machine."""


@dataclass(frozen=True)
class Platform:
    """The running platform, and the command that works on it."""

    stack: Stack
    home: Path
    addresses: Addresses

    def pitstream(
        self, *arguments: str, stdin: str | None = None, environ: Mapping[str, str] | None = None
    ) -> "subprocess.CompletedProcess[str]":
        """Run the command ``pitstream``; a test looks at its exit code itself."""
        command = Path(sys.executable).with_name("pitstream")
        environment = {**os.environ, "PITSTREAM_DATA_DIR": str(self.home), "COLUMNS": "160", **(environ or {})}
        return subprocess.run(
            [command, *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            env=environment,
            timeout=1500,
            check=False,
        )

    def asked(self, *arguments: str, stdin: str | None = None) -> str:
        """What ``pitstream`` prints when all is well."""
        done = self.pitstream(*arguments, stdin=stdin)
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout

    def feed(self, lines: Sequence[str], *options: str) -> dict[str, Any]:
        """Play the lines and return what it came to; all of them must be playable."""
        found: dict[str, Any] = json.loads(self.asked("feed", "-", "--json", *options, stdin="\n".join(lines)))
        return found

    def dead_letters(self) -> list[dict[str, Any]]:
        """What waits among the dead letters of all services now; others who share the platform may have left some."""
        found: list[dict[str, Any]] = json.loads(self.asked("dead-letters", "list", "--json"))
        return found

    @property
    def credential(self) -> dict[str, str]:
        """The header of somebody who may do everything."""
        return self.addresses.keys.headers(EVERY_ROLE)

    def pid(self, service: str) -> int | None:
        """The service's process as it is now."""
        return next(s.pid for s in services_status(data_dir=self.home) if s.name == service)

    def kill(self, service: str) -> int | None:
        """SIGKILL the service's process; which one it was."""
        pid = self.pid(service)
        if pid is not None:
            os.kill(pid, signal.SIGKILL)
        return pid


@pytest.fixture(scope="session")
def platform_class() -> type[Platform]:
    """For a test that starts its platform in a way of its own."""
    return Platform


NewPlatform = Callable[[], AbstractContextManager[Platform]]


@pytest.fixture(scope="session")
def new_platform(tmp_path_factory: pytest.TempPathFactory) -> NewPlatform:
    """Starts a platform that a test has for itself; its services get the environment as it is then."""

    @contextmanager
    def started() -> Iterator[Platform]:
        home = tmp_path_factory.mktemp("platform")
        employ_boss(home)
        with embedded(data_dir=home / "stack", synced=False) as stack:
            addresses = services.start(stack, name="e2e", data_dir=home)
            try:
                # What one test sets for its own platform must not reach another's.
                for one in services_status(data_dir=home):
                    given = psutil.Process(one.pid).environ()
                    assert (given["PITSTREAM_KAFKA"], given["PITSTREAM_POSTGRES"]) == (stack.kafka, stack.postgres)
                yield Platform(stack, home, addresses)
            finally:
                services.stop(name="e2e", data_dir=home)

    return started


@pytest.fixture(scope="session")
def platform(new_platform: NewPlatform) -> Iterator[Platform]:
    """The platform that tests share."""
    with new_platform() as shared:
        yield shared


@pytest.fixture(scope="module")
def questioned(new_platform: NewPlatform) -> Iterator[Platform]:
    """A platform that takes whatever it is asked: what is made up there is in nobody's way."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("PITSTREAM_WALLET_WEBHOOK_NETWORKS", "127.0.0.0/8")
        with new_platform() as started:
            yield started


class Instances:
    """One more process of each of some services, on ports that they keep; each can be exchanged for another."""

    def __init__(self, stack: Stack, home: Path, name: str, of: Sequence[str]) -> None:
        self.stack, self.home, self.name = stack, home, name
        self.ports = dict(zip(of, free_ports(len(of)), strict=True))
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.urls = {service: f"http://{LOOPBACK}:{port}" for service, port in self.ports.items()}

    @property
    def environ(self) -> dict[str, str]:
        """What tells ``pitstream`` to speak to these."""
        return {variable(service): url for service, url in self.urls.items()}

    def start(self, service: str, code: str = "") -> None:
        """Start it, with the code of these folders before this version's."""
        environ = {
            **os.environ,
            "PYTHONPATH": code,
            "PITSTREAM_KAFKA": self.stack.kafka,
            "PITSTREAM_POSTGRES": self.stack.postgres,
            "PITSTREAM_ACCESS": str(self.home / "access.toml"),
            f"PITSTREAM_{service.upper()}_PORT": str(self.ports[service]),
        }
        command = [sys.executable, "-m", f"pitstream.services.{service}"]
        with (self.home / f"{self.name}-{service}.log").open("ab") as log:
            self.processes[service] = subprocess.Popen(command, env=environ, stdout=log, stderr=log)

    def start_all(self, code: str = "") -> None:
        for service in self.ports:
            self.start(service, code)
        for service in self.ports:
            self.wait_for(service)

    def wait_for(self, service: str) -> None:
        deadline = time.monotonic() + START_S
        while not _is_ready(self.urls[service]):
            assert self.processes[service].poll() is None, f"{self.name} {service} ended; see its log in {self.home}"
            assert time.monotonic() < deadline, f"{self.name} {service} was not ready in {START_S} s"
            time.sleep(0.2)

    def exchange(self, service: str) -> int:
        """Ask the instance to go, and start one of this version in its place; the exit code of the one that went."""
        going = self.processes[service]
        going.send_signal(signal.SIGTERM)
        code = going.wait(60)
        self.start(service)
        self.wait_for(service)
        return code

    def kill(self) -> None:
        for process in self.processes.values():
            process.kill()
        for process in self.processes.values():
            process.wait()


def _is_ready(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/health/ready"):
            return True
    except (urllib.error.URLError, ConnectionError):
        return False


@pytest.fixture(scope="session")
def instances() -> Callable[[Stack, Path, str, Sequence[str]], AbstractContextManager[Instances]]:
    """Further instances beside a platform's own, killed at the end of the block."""

    @contextmanager
    def beside(stack: Stack, home: Path, name: str, of: Sequence[str]) -> Iterator[Instances]:
        found = Instances(stack, home, name, of)
        try:
            yield found
        finally:
            found.kill()

    return beside


def evening(name: str) -> list[str]:
    return (DEMO / f"{name}.jsonl").read_text().splitlines()


@pytest.fixture(scope="session")
def evening_uth() -> list[str]:
    """Round records of an evening at six tables of Ultimate Texas Hold'em."""
    return evening("evening-uth")


@pytest.fixture(scope="session")
def evening_small() -> list[str]:
    """Round records of an evening of all three games, with voids, a forfeit and a whole meter won."""
    return evening("evening-small")


@pytest.fixture(scope="session")
def evening_seamless() -> list[str]:
    """Round records of a short evening of all three games, of players whose operator keeps their money."""
    return evening("evening-seamless")


def books_of(lines: Sequence[str]) -> dict[str, Any]:
    """What the rounds come to, by settlement alone, with meters kept here by hand and opened at their seed."""
    players: dict[str, int] = {}
    totals: dict[str, dict[str, WagerTotal]] = {}
    meters: dict[str, Fraction] = {}
    for one in settle_lines(line.encode() for line in lines):
        assert isinstance(one, Settled)
        played = one.record.round
        stakes = sum(seat.wagers.get("progressive", 0) for seat in played.seats)
        if "progressive" in played.paytables:
            meters.setdefault(played.game, Fraction(METER))
            meters[played.game] += RATE * stakes if played.void is None else 0
        standing = {"main": int(meters[played.game])} if played.game in meters else {}
        result = settle(played, meters=standing, seeds={"main": METER})
        add_up(played.game, result.seats, totals.setdefault(played.game, {}))
        for seat in result.seats:
            players[seat.player] = players.get(seat.player, 0) + net_of(seat)
            for line in seat.lines:
                if line.share is not None:
                    meters[played.game] += (METER if line.share.percent == 100 else 0) - line.won
    return {
        "players": dict(sorted(players.items())),
        "totals": {
            game: {
                wager: {"stake": t.stake, "returned": t.returned, "won": t.won, "awards": t.awards}
                for wager, t in wagers.items()
            }
            for game, wagers in totals.items()
        },
        "meters": {game: {"main": int(amount)} for game, amount in meters.items()},
        "rounds": len(lines),
    }


def added(found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The sums of what the parts of an evening came to; meters stand where the last part left them."""
    players: Counter[str] = Counter()
    totals: dict[str, dict[str, Counter[str]]] = {}
    for one in found:
        players.update(one["players"])
        for game, wagers in one["totals"].items():
            for wager, sums in wagers.items():
                totals.setdefault(game, {}).setdefault(wager, Counter()).update(sums)
    meters = {game: standing for one in found for game, standing in one["meters"].items()}
    return {"players": players, "totals": totals, "meters": meters, "rounds": sum(one["rounds"] for one in found)}


@pytest.fixture(scope="session")
def on_day() -> Callable[[Sequence[str], str], list[str]]:
    """The same rounds on another gaming day, under ids of that day: new rounds for every service."""

    def moved(lines: Sequence[str], day: str) -> list[str]:
        records = [json.loads(line) for line in lines]
        return [json.dumps({**record, "gaming_day": day, "id": f"{day}:{record['id']}"}) for record in records]

    return moved


@pytest.fixture(scope="session", name="added")
def _added() -> Callable[[Sequence[dict[str, Any]]], dict[str, Any]]:
    return added


@pytest.fixture(scope="session", name="books_of")
def _books_of() -> Callable[[Sequence[str]], dict[str, Any]]:
    return books_of
