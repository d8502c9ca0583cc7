"""Method: while a feed plays, one service's process is killed (SIGKILL) again and again, at random moments after each
start. The supervisor starts it anew, the feed sends again what was not answered, and the books must be those of an
evening in which nothing happened. The moments come from a seed that a failure prints."""

import json
import random
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

pytestmark = pytest.mark.stack

SERVICES = ("table", "settlement", "progressive", "wallet")
Books = Callable[[Sequence[str]], dict[str, Any]]
Added = Callable[[Sequence[dict[str, Any]]], dict[str, Any]]
OnDay = Callable[[Sequence[str], str], list[str]]


class Killer(threading.Thread):
    """Kills a service again and again, each time a random moment after it was started anew, until ``over`` is set."""

    def __init__(self, platform: Any, service: str, *, kills_max: int, pause_s: float, seed: int) -> None:
        super().__init__(name=f"killer of {service}", daemon=True)
        self.platform = platform
        self.service = service
        self.kills_max = kills_max
        self.kills = 0
        self.pause_s = pause_s
        self.random = random.Random(seed)
        self.over = threading.Event()

    def run(self) -> None:
        killed = None
        while self.kills < self.kills_max and not self.over.wait(self.random.uniform(0, self.pause_s)):
            pid = self.platform.pid(self.service)
            if pid is not None and pid != killed:
                killed = self.platform.kill(self.service)
                self.kills += 1


def played_while_dying(
    platform: Any, service: str, parts: Iterator[list[str]], *, kills: int, pause_s: float
) -> tuple[list[dict[str, Any]], list[str]]:
    """Play one part after the other until the service was killed ``kills`` times: what they came to, their records."""
    seed = random.SystemRandom().getrandbits(32)
    print(f"seed {seed}")  # noqa: T201 - pytest shows it beside a failure
    killer = Killer(platform, service, kills_max=kills, pause_s=pause_s, seed=seed)
    letters = platform.dead_letters()
    killer.start()
    records: list[str] = []
    found: list[dict[str, Any]] = []
    try:
        while killer.is_alive():
            records += (part := next(parts))
            found.append(platform.feed(part, f"--network-suffix=-{service}-{kills}", "--patience=400"))
    finally:
        killer.over.set()
        killer.join()
    again = sum(one["repeated"] for one in found)
    print(f"{service} died {killer.kills} times in {len(records)} rounds, {again} requests were sent again")  # noqa: T201
    assert killer.kills == kills
    assert json.loads(platform.asked("ledger", "check", "--json"))["ok"]
    assert platform.dead_letters() == letters
    return found, records


@pytest.mark.parametrize("service", SERVICES)
def test_ten_deaths_of_a_service_change_nothing(
    platform: Any, evening_uth: list[str], books_of: Books, added: Added, on_day: OnDay, service: str
):
    rounds = on_day(evening_uth, f"2025-07-0{1 + SERVICES.index(service)}")
    parts = (rounds[start : start + 50] for start in range(0, len(rounds), 50))
    found, records = played_while_dying(platform, service, parts, kills=10, pause_s=2.0)
    assert added(found) == books_of(records)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("service", SERVICES)
def test_forty_deaths_of_a_service_in_whole_evenings_change_nothing(
    platform: Any, evening_small: list[str], books_of: Books, added: Added, on_day: OnDay, service: str
):
    evenings = (on_day(evening_small, f"2025-{8 + SERVICES.index(service):02}-{day:02}") for day in range(1, 29))
    found, records = played_while_dying(platform, service, evenings, kills=40, pause_s=12.0)
    assert added(found) == books_of(records)
