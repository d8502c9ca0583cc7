"""Method: 500 tables of six seats play 100 rounds a second, every event that such rounds bring on all four topics,
into a real Kafka that the ops room reads; a real Chromium has the floor open. The first paint and each update are timed
by the browser's own clock beside the feed's, and the page's heap is weighed, without garbage, for half an hour.

``PITSTREAM_SOAK_MIN`` sets the minutes, ``PITSTREAM_SOAK_ROUNDS_PER_S`` the pace.
"""

import asyncio
import importlib.util
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from aiokafka import AIOKafkaProducer
from playwright.sync_api import Browser

from pitstream.cli.credentials import STAFF, employ_staff, find_passwords, give_logins
from pitstream.runtime.kafka import ensure_topics
from pitstream.stack import embedded

pytestmark = [pytest.mark.stack, pytest.mark.browser, pytest.mark.slow]

ROUNDS_PER_S = float(os.environ.get("PITSTREAM_SOAK_ROUNDS_PER_S", "100"))
MINUTES = float(os.environ.get("PITSTREAM_SOAK_MIN", "30"))
FIRST_PAINT_MS = 1000
BEHIND_MS = 1000
WATCHED = "uth-250"
_BENCH = Path(__file__).parents[3] / "services" / "ops" / "benches" / "five_hundred_tables.py"


@dataclass
class Feed:
    """Plays rounds at a pace. ``sent`` has the moments (ms) at which rounds of the watched table were opened."""

    kafka: str
    ends: threading.Event = field(default_factory=threading.Event)
    sent: dict[int, float] = field(default_factory=dict)
    rounds: int = 0

    def run(self) -> None:
        asyncio.run(self._run())

    async def _run(self) -> None:
        bench = _loaded()
        topics = bench.Topics(at_us=time.time_ns() // 1000)
        async with AIOKafkaProducer(bootstrap_servers=self.kafka, linger_ms=5, acks=1) as producer:

            async def send(events: Any) -> None:
                for recorded in events:
                    key = recorded.envelope.key.encode()
                    await producer.send(recorded.event.topic, value=recorded.data, key=key)

            await send(bench.opened(topics))
            began = time.monotonic()
            while not self.ends.is_set():
                table = self.rounds % bench.TABLES
                name, number = f"uth-{table:03}", 1 + self.rounds // bench.TABLES
                topics.at_us = time.time_ns() // 1000
                if name == WATCHED:
                    self.sent[number] = time.time() * 1000
                await send(bench.played(topics, name, number))
                self.rounds += 1
                await asyncio.sleep(max(0.0, began + self.rounds / ROUNDS_PER_S - time.monotonic()))


def _loaded() -> Any:
    spec = importlib.util.spec_from_file_location("five_hundred_tables", _BENCH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Feed, Path]]:
    """An ops room alone, and the feed into its topics."""
    home = tmp_path_factory.mktemp("large-floor")
    access = employ_staff(home)
    key = give_logins(home)
    with embedded(data_dir=home / "stack") as stack:
        with ThreadPoolExecutor(1) as elsewhere:  # the browser has its loop in this thread
            elsewhere.submit(asyncio.run, ensure_topics(stack.kafka, partitions=6)).result()
        environment = {
            **os.environ,
            "PITSTREAM_KAFKA": stack.kafka,
            "PITSTREAM_POSTGRES": stack.postgres,
            "PITSTREAM_ACCESS": str(access),
            "PITSTREAM_OPS_SESSION_KEY": str(key),
            "PITSTREAM_OPS_PORT": "28085",
        }
        service = subprocess.Popen([sys.executable, "-m", "pitstream.services.ops"], env=environment)
        feed = Feed(stack.kafka)
        playing = threading.Thread(target=feed.run)
        playing.start()
        try:
            yield "http://127.0.0.1:28085", feed, home
        finally:
            feed.ends.set()
            playing.join()
            service.terminate()
            service.wait(30)


def test_five_hundred_tables_are_painted_at_once_and_stay_current(browser: Browser, room: tuple[str, Feed, Path]):
    address, feed, home = room
    here = browser.new_context(viewport={"width": 1280, "height": 900})
    here.set_default_timeout(120_000)
    deadline = time.monotonic() + 180
    while feed.rounds < 600 or not _answers(here, address):
        assert time.monotonic() < deadline, f"{feed.rounds} rounds played"
        time.sleep(1)
    name = STAFF["floorperson"]
    here.request.post(f"{address}/login", form={"name": name, "password": find_passwords(home)[name]})
    page = here.new_page()
    page.goto(address + "/")
    page.wait_for_selector(f'[data-table="{WATCHED}"]')
    painted = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    drawn = page.evaluate("performance.getEntriesByName('floor')[0].startTime")
    rows = page.locator("[data-table]").count()
    page.evaluate(
        """table => {
            const cell = document.querySelector(`[data-table="${table}"] [data-f=round_no]`);
            window.seen = {};
            new MutationObserver(() => { window.seen[cell.textContent] = Date.now(); })
                .observe(cell, { characterData: true, childList: true, subtree: true });
        }""",
        WATCHED,
    )
    devtools = here.new_cdp_session(page)
    devtools.send("Performance.enable")
    heap: list[float] = []
    for _ in range(max(6, int(MINUTES * 2))):
        time.sleep(MINUTES * 60 / max(6, int(MINUTES * 2)))
        devtools.send("HeapProfiler.collectGarbage")
        metrics = {one["name"]: one["value"] for one in devtools.send("Performance.getMetrics")["metrics"]}
        heap.append(metrics["JSHeapUsedSize"] / 2**20)
    seen = page.evaluate("window.seen")
    behind = sorted(at - feed.sent[int(number)] for number, at in seen.items() if int(number) in feed.sent)
    third = max(1, len(heap) // 3)
    before, after = sum(heap[:third]) / third, sum(heap[-third:]) / third
    figures = {
        "rounds_played": feed.rounds, "first_paint_ms": round(painted), "floor_drawn_ms": round(drawn), "rows": rows,
        "updates": len(behind), "behind_ms_p50": round(behind[len(behind) // 2]), "behind_ms_max": round(behind[-1]),
        "heap_mib_first_third": round(before, 1), "heap_mib_last_third": round(after, 1),
    }  # fmt: skip
    sys.stdout.write(f"{json.dumps(figures)}\n")
    here.close()
    assert rows == 500
    assert painted < FIRST_PAINT_MS
    assert drawn < FIRST_PAINT_MS
    assert behind[-1] <= BEHIND_MS
    assert after <= before * 1.1 + 2


def _answers(here: Any, address: str) -> bool:
    try:
        found: bool = here.request.get(address + "/health/live").status == 200
    except Exception:  # not there yet, in whatever way
        return False
    return found
