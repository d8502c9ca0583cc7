"""A real browser: Chromium, headless, as Debian and others package it."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
Chromium = Callable[..., str]


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Chromium:
    """``chromium(*options, url)`` runs it on one page and gives what it prints; ``--dump-dom`` prints the page."""
    found = os.environ.get("PITSTREAM_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.fail("Chromium is missing: install it (Debian: apt-get install chromium), or name its program in "
                    "PITSTREAM_CHROMIUM; `-m 'not browser'` leaves these tests out")  # fmt: skip
    profile = tmp_path_factory.mktemp("chromium")

    def run(*arguments: str) -> str:
        command = [
            found, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
            "--disable-background-networking", f"--user-data-dir={profile}", *arguments,
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def as_url(file: Path) -> str:
    return file.resolve().as_uri()


@pytest.fixture(scope="session", name="as_url")
def _as_url() -> Callable[[Path], str]:
    return as_url
