"""The guides work. Method: one shell a guide runs every command that it shows, in order, against the real services,
which it starts itself; what it says is seen must be seen. The first guide leaves its services to the next one."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

pytestmark = pytest.mark.stack

ROOT = Path(__file__).parents[2]
END = "--- end of step {} ---"
DOWN = "pitstream down --purge\n"
Run = Callable[..., "subprocess.CompletedProcess[str]"]


def steps(guide: str) -> list[tuple[str, str]]:
    """Each block of commands, with what it says is seen ("" where it says nothing)."""
    text = (ROOT / "docs" / guide).read_text(encoding="utf-8")
    return re.findall(r"^```sh\n(.*?)^```\n(?:```\n(.*?)^```\n)?", text, flags=re.MULTILINE | re.DOTALL)


def pattern(seen: str) -> str:
    """A regular expression of what the guide shows: ``…`` stands for anything within a line."""
    return re.escape(seen.strip()).replace("…", "[^\n]*")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """Runs a command in a folder, with one stack for all of them, which is gone afterwards."""
    home = tmp_path_factory.mktemp("guides")
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PITSTREAM_DATA_DIR": str(home / "data"),
    }

    def ran(*command: str, folder: Path = home) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=500, check=False
        )

    yield ran
    ran("pitstream", "down", "--purge")


@pytest.mark.parametrize("guide", ["first-hour.md", "connect-your-platform.md"])
def test_every_command_of_the_guide_does_what_it_says(run: Run, tmp_path: Path, guide: str) -> None:
    # What is paid in on one gaming day and reconciled on the next would rightly not agree.
    now = datetime.now(ZoneInfo("America/New_York"))
    roll = now.replace(hour=6, minute=0, second=0)
    if timedelta(0) < roll - now < timedelta(minutes=2):
        time.sleep((roll - now).total_seconds() + 1)
    shown = steps(guide)
    assert len(shown) > 10
    # The first one sets up the source folder, which `make test` has done before this; the last one ends all.
    assert shown[0][0].startswith("make setup\n")
    assert shown[-1][0].endswith(DOWN)
    if guide == "first-hour.md":
        shown[-1] = (shown[-1][0].removesuffix(DOWN), shown[-1][1])
    script = ["set -euo pipefail", "trap 'jobs -pr | xargs -r kill || true' EXIT"]
    for number, (commands, _) in enumerate(shown[1:], 1):
        script += [commands, f"echo '{END.format(number)}'"]

    done = run("bash", "-c", "\n".join(script), folder=tmp_path)
    rest = done.stdout
    for number, (commands, seen) in enumerate(shown[1:], 1):
        came, end, rest = rest.partition(END.format(number) + "\n")
        assert end, f"step {number} ended early:\n{commands}\n{came}\n{done.stderr[-3000:]}"
        if seen:
            assert re.fullmatch(pattern(seen), came.strip()), f"step {number}:\n{commands}\n{came}"
    assert done.returncode == 0, done.stderr[-3000:]
