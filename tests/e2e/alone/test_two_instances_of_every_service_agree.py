"""Method: a second process of each service joins the platform. Two feeds play at the same time, each over the HTTP of
its own processes, while Kafka's partitions are shared among both; in the middle the second ones are killed (SIGKILL)
and started again. Each feed's books must be those of its rounds alone."""

import json
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from pitstream.cli.addresses import SERVICES

pytestmark = pytest.mark.stack

Books = Callable[[Sequence[str]], dict[str, Any]]
OnDay = Callable[[Sequence[str], str], list[str]]
RESULTS = ("players", "totals", "meters", "rounds")


def test_two_feeds_over_two_instances_of_every_service_come_out_exactly(
    new_platform: Any, instances: Any, evening_uth: list[str], books_of: Books, on_day: OnDay
):
    rounds = on_day(evening_uth[:40], "2025-10-01")
    halves = [
        [line for line in rounds if (int(json.loads(line)["table"][-1]) % 2 == 0) is even] for even in (True, False)
    ]
    assert min(map(len, halves)) > 10

    with (
        new_platform() as platform,
        instances(platform.stack, platform.home, "second", SERVICES) as seconds,
        ThreadPoolExecutor() as pool,
    ):
        seconds.start_all()

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
        seconds.start_all()
        played = [one.result() for one in feeds]

        assert [{name: one[name] for name in RESULTS} for one in played] == [books_of(half) for half in halves]
        assert json.loads(platform.asked("ledger", "check", "--json"))["ok"]
        assert platform.dead_letters() == []
