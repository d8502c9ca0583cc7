"""The ops room as people see it: a real Chromium, driven by Playwright, on the platform that end-to-end tests share."""

import asyncio
import json
import os
import shutil
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import requests
from playwright.sync_api import Browser, ConsoleMessage, Page, Playwright, expect, sync_playwright

from pitstream.cli.client import Client
from pitstream.cli.credentials import STAFF, find_passwords
from pitstream.cli.evening import MeterTerms, evening_of
from pitstream.cli.floor import Floor

DAY = "2025-10-05"
NETWORKS = "-pages"
AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text(encoding="utf-8")
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
WAIT_MS = 30_000


@dataclass
class Guest:
    """Somebody at a browser, logged in there; ``faults`` has every error that the browser's console told."""

    page: Page
    name: str
    password: str
    address: str
    faults: list[str] = field(default_factory=list)

    def see(self, path: str) -> Page:
        """The page at a path, with all its panels there."""
        self.page.goto(self.address + path, wait_until="load")
        expect(self.page.locator("ops-panel[data-state=loading]")).to_have_count(0, timeout=WAIT_MS)
        return self.page

    def axe(self) -> list[str]:
        """What axe finds serious or worse on the page: rule and place."""
        self.page.evaluate(AXE)
        rules = "{resultTypes: ['violations'], preload: false, runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa']}"
        found = self.page.evaluate(f"axe.run(document, {rules})")
        return [
            f"{one['id']}: {node['target']}"
            for one in found["violations"]
            if one["impact"] in ("serious", "critical")
            for node in one["nodes"]
        ]

    def get(self, path: str) -> tuple[int, str]:
        """Status and text of what this person's session gets."""
        answer = self.page.request.get(self.address + path, headers={"Accept": "text/html"}, max_redirects=0)
        return answer.status, answer.text()


LogIn = Callable[..., AbstractContextManager[Guest]]


@pytest.fixture(scope="module")
def playwright_engine() -> Iterator[Playwright]:
    """A module's own: as long as it runs, its thread has a running event loop, which other modules' tests must not."""
    with sync_playwright() as engine:
        yield engine


@pytest.fixture(scope="module")
def browser(playwright_engine: Playwright) -> Iterator[Browser]:
    found = os.environ.get("PITSTREAM_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.fail("Chromium is missing: install it (Debian: apt-get install chromium), or name its program in "
                    "PITSTREAM_CHROMIUM; `-m 'not browser'` leaves these tests out")  # fmt: skip
    launched = playwright_engine.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
    yield launched
    launched.close()


def log_in(browser: Browser, platform: Any, role: str, **context: Any) -> AbstractContextManager[Guest]:
    """Somebody of the staff at a browser, until the block ends."""

    @contextmanager
    def at_browser() -> Iterator[Guest]:
        name = STAFF[role]
        password = find_passwords(platform.home)[name]
        here = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **context})
        here.set_default_timeout(WAIT_MS)
        expect.set_options(timeout=WAIT_MS)
        guest = Guest(here.new_page(), name, password, platform.addresses.of("ops"))

        def told(message: ConsoleMessage) -> None:
            if message.type == "error":
                guest.faults.append(f"{message.text} at {message.location.get('url', '')}")

        guest.page.on("console", told)
        guest.page.on("pageerror", lambda error: guest.faults.append(str(error)))
        here.request.post(f"{guest.address}/login", form={"name": name, "password": password})
        yield guest
        here.close()

    return at_browser()


@pytest.fixture(scope="module")
def at_browser(browser: Browser, platform: Any) -> LogIn:
    """``at_browser(role)``: somebody of that role, logged in; more options are Playwright's for the browser."""
    return lambda role, **context: log_in(browser, platform, role, **context)


@pytest.fixture(scope="session")
def evening(platform: Any, evening_small: list[str], on_day: Any) -> list[dict[str, Any]]:
    """A short evening of all three games, played: with a void round, and a whole meter hit that nobody has verified."""
    lines = on_day([*evening_small[:16], evening_small[190], evening_small[434]], DAY)
    feed_leaving_hits(platform, lines)
    heard(platform)
    return [json.loads(line) for line in lines]


def feed_leaving_hits(platform: Any, lines: list[str]) -> None:
    """Play rounds as ``pitstream feed`` does, but leave what is hit to the people at the pages."""

    async def left(_self: Floor, _rounds: Any, _network: Any) -> None:
        return

    async def play() -> None:
        needed = evening_of([line.encode() for line in lines], MeterTerms(network_suffix=NETWORKS))
        async with Client(platform.addresses, patience_s=240) as client:
            floor = Floor(client, tables_at_once=8, patience_s=240, report=lambda: None)
            await floor.open_networks(needed.networks)
            await floor.deposit(needed.needs, needed.identity)
            await floor.play(needed.rounds)
            assert floor.faults == []

    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(1) as elsewhere:
        patch.setattr(Floor, "pay_hits", left)
        elsewhere.submit(asyncio.run, play()).result()


def heard(platform: Any, wait_s: float = 90) -> None:
    """Wait until the ops room has nothing left to read."""
    ops = Owner(platform, "ops")
    deadline = time.monotonic() + wait_s
    while True:
        found = ops.get("/v1/condition")
        delivery = next(one["delivery"] for one in found["services"] if one["service"] == "ops")
        others = [one["delivery"] for one in found["services"] if one["delivery"]]
        behind = [consumer["lag"] for consumer in delivery["consumers"]]
        if all(lag == 0 for lag in behind) and not any(one["outbox"]["waiting"] for one in others):
            return
        assert time.monotonic() < deadline, f"behind: {behind}"
        time.sleep(0.3)


@dataclass(frozen=True)
class Owner:
    """A service, asked by somebody who may see everything."""

    platform: Any
    service: str

    def get(self, path: str) -> Any:
        answer = requests.get(
            self.platform.addresses.of(self.service) + path, headers=self.platform.credential, timeout=60
        )
        assert answer.status_code == 200, answer.text
        return answer.json()


@pytest.fixture(scope="session")
def owner(platform: Any) -> Callable[[str], Owner]:
    """``owner(service).get(path)``: what the service that owns a fact says."""
    return lambda service: Owner(platform, service)


@pytest.fixture(scope="session")
def ask(platform: Any) -> Callable[[str, str, dict[str, Any]], None]:
    """``ask(service, path, body)``: a command of somebody who may give every one."""

    def asked(service: str, path: str, body: dict[str, Any]) -> None:
        headers = {"Idempotency-Key": str(uuid.uuid4()), **platform.credential}
        answer = requests.post(platform.addresses.of(service) + path, json=body, headers=headers, timeout=60)
        assert answer.status_code < 300, answer.text

    return asked


@pytest.fixture(scope="session", name="heard")
def _heard(platform: Any) -> Callable[[], None]:
    return lambda: heard(platform)
