"""Method: the very command that `make demo` runs, on the beginnings of its evenings, twice on the same data."""

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


def test_the_demo_plays_evenings_checks_them_and_stops_everything_also_a_second_time(
    evening_uth: list[str],
    evening_small: list[str],
    evening_seamless: list[str],
    books_of: Callable[[Sequence[str]], dict[str, Any]],
    tmp_path: Path,
):
    home = tmp_path / "home"
    command = [Path(sys.executable).with_name("pitstream"), "demo", "--data-dir", home]
    beginnings = {"uth": evening_uth[:12], "small": evening_small[:12], "seamless": evening_seamless[:6]}
    for name, lines in beginnings.items():
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines))
        (tmp_path / f"{name}.expected.json").write_text(json.dumps(books_of(lines)))
        command.append(tmp_path / f"{name}.jsonl")
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
        for name in beginnings:
            assert f"as expected: players, totals, meters and rounds equal {name}.expected.json" in done.stdout
        assert "both ledgers agree to the cent" in done.stdout
        assert "every hash chain holds" in done.stdout
        assert "the ledger balances" in done.stdout
    assert not [p for p in psutil.process_iter(["cmdline"]) if str(home) in " ".join(p.info["cmdline"] or [])]
