"""Method: the very command that `make demo` runs, on a shorter evening, twice on the same data."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest

pytestmark = pytest.mark.stack


def test_the_demo_plays_an_evening_checks_it_and_stops_everything_also_a_second_time(
    evening_uth: list[str], books_of: Callable[[Sequence[str]], dict[str, Any]], tmp_path: Path
):
    (tmp_path / "evening.jsonl").write_text("\n".join(evening_uth[:12]))
    (tmp_path / "expected.json").write_text(json.dumps(books_of(evening_uth[:12])))
    home = tmp_path / "home"
    command = [Path(sys.executable).with_name("pitstream"), "demo", "--data-dir", home]
    command += ["--feed", tmp_path / "evening.jsonl", "--expect", tmp_path / "expected.json"]
    for _ in range(2):
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            env={**os.environ, "COLUMNS": "160"},
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert "as expected: players, totals, meters and rounds equal expected.json" in done.stdout
        assert "every hash chain holds" in done.stdout
        assert "the ledger balances" in done.stdout
    assert not [p for p in psutil.process_iter(["cmdline"]) if str(home) in " ".join(p.info["cmdline"] or [])]
