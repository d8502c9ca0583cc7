"""Takes the pictures of the ops room's pages in docs/screens, from rounds of the demo: ``make screens``.

A stack of its own plays rounds of the demo's evenings, leaves a hit to be verified and a dispute to be decided, and
goes on playing while the pictures are taken.
"""

import argparse
import asyncio
import json
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import requests
from playwright.sync_api import Browser, Page, sync_playwright

from pitstream.cli import platform
from pitstream.cli.addresses import Addresses
from pitstream.cli.client import Client
from pitstream.cli.credentials import STAFF, find_passwords
from pitstream.cli.evening import MeterTerms, evening_of
from pitstream.cli.floor import Floor
from pitstream.stack import home_of, stack

SCREENS = Path(__file__).parent / "screens"
DEMO = Path(__file__).parents[1] / "demo"
NAME = "screens"
DAY = "2025-09-09"
HIT = 434
"""A round of the small evening in which a whole meter is hit."""
TABLE, NETWORK = "uth-02", "ultimate-texas-holdem-floor"
STUD = "raise-it-up-stud-floor"
PAGES = {
    "floor": ("floorperson", "/"),
    "table": ("floorperson", f"/tables/{TABLE}"),
    "round": ("floorperson", f"/rounds/{TABLE}/3"),
    "progressives": ("dealer", f"/progressives?network={STUD}"),
    "sign": ("dealer", f"/signs/{NETWORK}"),
    "money": ("auditor", f"/money?day={DAY}&by=wager"),
    "account": ("auditor", "/accounts/player/p001/USD"),
    "health": ("operations", "/condition"),
    "disputes": ("floorperson", "/disputes"),
    "search": ("floorperson", "/search?card=Ah"),
    "login": ("", "/login"),
}
WIDTHS = {1280: 860, 1920: 1080}


class LeavesHits(Floor):
    """Plays, and leaves what is hit to the people at the pages."""

    async def pay_hits(self, *_: Any) -> None:
        return


def rounds(name: str, chosen: Sequence[int], day: str) -> list[bytes]:
    """Some records of an evening of the demo, moved to a day."""
    lines = (DEMO / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    found = [json.loads(lines[at]) for at in chosen]
    return [json.dumps({**one, "gaming_day": day, "id": f"{day}:{name}:{one['id']}"}).encode() for one in found]


async def play(addresses: Addresses, lines: list[bytes], tables_at_once: int = 8) -> None:
    needed = evening_of(lines, MeterTerms(network_suffix="-floor"))
    async with Client(addresses, patience_s=300) as client:
        floor = LeavesHits(client, tables_at_once=tables_at_once, patience_s=300, report=lambda: None)
        await floor.open_networks(needed.networks)
        await floor.deposit(needed.needs, needed.identity)
        await floor.play(needed.rounds)


def dispute(addresses: Addresses) -> None:
    """Open one on the round that is shown, and take a statement down."""
    path = f"{addresses.table}/v1/tables/{TABLE}/rounds/3/disputes"
    headers = addresses.keys.headers("floorperson")
    text = "Seat 5 says the turn card was turned before the river bet was down."
    for at, (where, body) in enumerate(
        (
            ("", {"seat": 5, "text": text}),
            ("/1/statements", {"said_by": "d.okafor", "text": "The card was turned after I had called no more bets."}),
        )
    ):
        answer = requests.post(
            path + where, json=body, headers={**headers, "Idempotency-Key": f"screens-{DAY}-{at}"}, timeout=30
        )
        if answer.status_code not in (201, 200, 409, 422):
            raise RuntimeError(answer.text)


def look(page: Page, wait_s: float = 120) -> None:
    """Wait until everything on the page is there, odds that take a while to be counted too."""
    deadline = time.monotonic() + wait_s
    pending = "ops-panel[data-state=loading], ops-panel[aria-busy], tr:has-text('odds being counted')"
    while page.locator(pending).count() and time.monotonic() < deadline:
        time.sleep(0.5)
    time.sleep(1.2)


def take(
    browser: Browser, addresses: Addresses, passwords: dict[str, str], into: Path, widths: Sequence[int],
    only: Sequence[str],
) -> None:  # fmt: skip
    """Page by page, so that those on which rounds are seen come while they are played."""
    for name, (role, path) in PAGES.items():
        if only and name not in only:
            continue
        for scheme in ("light", "dark"):
            for width in widths:
                at = browser.new_context(
                    viewport={"width": width, "height": WIDTHS[width]},
                    color_scheme="dark" if scheme == "dark" else "light",
                )
                if role:
                    who = STAFF[role]
                    at.request.post(f"{addresses.ops}/login", form={"name": who, "password": passwords[who]})
                page = at.new_page()
                page.goto(addresses.ops + path)
                look(page)
                page.screenshot(path=into / f"{name}-{scheme}-{width}.png")
                at.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--name", default=NAME)
    parser.add_argument("--data-dir", type=Path, help="keep the stack's data here; else it is deleted afterwards")
    parser.add_argument("--into", type=Path, default=SCREENS, help="the pictures' folder")
    parser.add_argument("--widths", nargs="*", type=int, default=[1280], choices=list(WIDTHS))
    parser.add_argument("--only", nargs="*", default=[], choices=list(PAGES), metavar="PAGE")
    asked = parser.parse_args()
    asked.into.mkdir(exist_ok=True)
    home = asked.data_dir or Path(tempfile.mkdtemp(prefix="pitstream-screens-"))
    found = os.environ.get("PITSTREAM_CHROMIUM") or shutil.which("chromium")
    try:
        addresses = platform.start(stack.up(name=asked.name, data_dir=home), name=asked.name, data_dir=home)
        asyncio.run(play(addresses, rounds("evening-small", [*range(90), HIT], DAY)))
        asyncio.run(play(addresses, rounds("evening-uth", range(60), DAY)))
        dispute(addresses)
        passwords = find_passwords(home_of(asked.name, home))
        going_on = rounds("evening-small", range(90, 430), DAY)
        live = threading.Thread(target=lambda: asyncio.run(play(addresses, going_on, tables_at_once=3)), daemon=True)
        live.start()
        with sync_playwright() as engine:
            browser = engine.chromium.launch(executable_path=found, args=["--no-sandbox"])
            take(browser, addresses, passwords, asked.into, asked.widths, asked.only)
            browser.close()
    finally:
        if not asked.data_dir:
            platform.stop(name=asked.name, data_dir=home)
            stack.down(name=asked.name, data_dir=home)
            shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    main()
