"""Method: while a feed plays, one service's process is killed (SIGKILL) ten times at random points of the evening. The
supervisor starts it again, the feed sends again what was not answered, and the books must be those of an evening in
which nothing happened. The points come from a seed that a failure prints."""

import json
import random
import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest

pytestmark = pytest.mark.stack

SERVICES = ("table", "settlement", "progressive", "wallet")
Books = Callable[[Sequence[str]], dict[str, Any]]
OnDay = Callable[[Sequence[str], str], list[str]]
RESULTS = ("players", "totals", "meters", "rounds")


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


def play_and_kill(platform: Any, service: str, rounds: list[str], *, kills: int, pause_s: float) -> dict[str, Any]:
    """What the rounds come to while the service is killed ``kills`` times."""
    seed = random.SystemRandom().getrandbits(32)
    print(f"seed {seed}")  # noqa: T201 - pytest shows it beside a failure
    killer = Killer(platform, service, kills_max=kills, pause_s=pause_s, seed=seed)
    killer.start()
    try:
        played: dict[str, Any] = platform.feed(rounds, f"--network-suffix=-{service}")
    finally:
        killer.over.set()
        killer.join()
    print(f"{service} was killed {killer.kills} times, {played['repeated']} requests were sent again")  # noqa: T201
    assert killer.kills == kills
    assert json.loads(platform.asked("ledger", "check", "--json"))["ok"]
    assert json.loads(platform.asked("dead-letters", "list", "--json")) == []
    return {name: played[name] for name in RESULTS}


@pytest.mark.parametrize(("service", "day"), list(zip(SERVICES, ("01", "02", "03", "04"), strict=True)))
def test_ten_deaths_of_a_service_change_nothing(
    platform: Any, evening_uth: list[str], books_of: Books, on_day: OnDay, service: str, day: str
):
    rounds = on_day(evening_uth[:100], f"2025-07-{day}")
    assert play_and_kill(platform, service, rounds, kills=10, pause_s=3.0) == books_of(rounds)


@pytest.mark.slow
@pytest.mark.parametrize(("service", "day"), list(zip(SERVICES, ("05", "06", "07", "08"), strict=True)))
def test_forty_deaths_of_a_service_in_a_whole_evening_change_nothing(
    platform: Any, evening_small: list[str], books_of: Books, on_day: OnDay, service: str, day: str
):
    rounds = on_day(evening_small, f"2025-07-{day}")
    assert play_and_kill(platform, service, rounds, kills=40, pause_s=6.0) == books_of(rounds)
