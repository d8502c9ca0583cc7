"""``docs/connect-your-platform.md`` works. Method: one shell runs every command that it shows, in order, against the
real services, which it starts itself; what it says is seen must be seen."""

import os
import re
import subprocess
import sys
import time
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

pytestmark = pytest.mark.stack

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs/connect-your-platform.md").read_text(encoding="utf-8")
END = "--- end of step {} ---"


def steps() -> list[tuple[str, str]]:
    """Each block of commands, with what it says is seen ("" where it says nothing)."""
    return re.findall(r"^```sh\n(.*?)^```\n(?:```\n(.*?)^```\n)?", GUIDE, flags=re.MULTILINE | re.DOTALL)


def pattern(seen: str) -> str:
    """A regular expression of what the guide shows: ``…`` stands for anything within a line."""
    return re.escape(seen.strip()).replace("…", "[^\n]*")


def test_every_command_of_the_guide_does_what_it_says(tmp_path: Path) -> None:
    # What is paid in on one gaming day and reconciled on the next would rightly not agree.
    now = datetime.now(ZoneInfo("America/New_York"))
    roll = now.replace(hour=6, minute=0, second=0)
    if timedelta(0) < roll - now < timedelta(minutes=2):
        time.sleep((roll - now).total_seconds() + 1)
    shown = steps()
    assert len(shown) > 12
    # The first one sets up the source folder, which `make test` has done before this.
    assert shown[0][0].startswith("make setup\n")
    script = ["set -euo pipefail", "trap 'jobs -p | xargs -r kill' EXIT"]
    for number, (commands, _) in enumerate(shown[1:], 1):
        script += [commands, f"echo '{END.format(number)}'"]
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PITSTREAM_DATA_DIR": str(tmp_path / "data"),
    }

    def run(*command: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=500, check=False
        )

    try:
        done = run("bash", "-c", "\n".join(script))
    finally:
        # What the guide's last step does, should it not come so far.
        run("pitstream", "down", "--purge")
    rest = done.stdout
    for number, (commands, seen) in enumerate(shown[1:], 1):
        came, end, rest = rest.partition(END.format(number) + "\n")
        assert end, f"step {number} ended early:\n{commands}\n{came}\n{done.stderr[-3000:]}"
        if seen:
            assert re.fullmatch(pattern(seen), came.strip()), f"step {number}:\n{commands}\n{came}"
    assert done.returncode == 0, done.stderr[-3000:]
