"""What ``archive.md``, ``audit.md``, ``replay.md`` and ``table-accounting.md`` show can be done. Method: the table and
the day that they speak of are played at the real services; each command is carried out as it stands, in order."""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.stack, pytest.mark.timeout(1800)]

DOCS = Path(__file__).parents[3] / "docs"
TABLE, DAY, ROUNDS = "uth-04", "2026-03-28", 17
"""Round 17 of this table is the one that the pages tell of, by its record ``r00123``."""


def commands_of(page: str) -> list[str]:
    text = (DOCS / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


@dataclass(frozen=True)
class Floor:
    """A floor on which the pages' round was played, and a folder where somebody works."""

    platform: Any
    folder: Path

    def does(self, command: str, *, postgres: bool = True) -> str:
        """Carry a command out and return what it prints. ``/archive`` and ``/parts`` are folders of this test."""
        here = re.sub(r"(?<= )/(archive|parts)\b", rf"{self.folder}/\1", command)
        stack = self.platform.stack
        addresses = {"PITSTREAM_POSTGRES": stack.postgres, "PITSTREAM_KAFKA": stack.kafka} if postgres else {}
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path, "PITSTREAM_DATA_DIR": str(self.platform.home), "COLUMNS": "160"}
        done = subprocess.run(
            ["bash", "-c", here],
            cwd=self.folder,
            env={**environment, **addresses},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stderr}{done.stdout}"
        return done.stdout


@pytest.fixture(scope="module")
def floor(new_platform: Any, evening_uth: list[str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    records = [json.loads(line) for line in evening_uth]
    busiest = Counter(record["table"] for record in records).most_common(1)[0][0]
    played = [record for record in records if record["table"] == busiest][:ROUNDS]
    lines = [
        json.dumps({**record, "table": TABLE, "gaming_day": DAY, "id": f"r{number:05}"})
        for number, record in enumerate(played, start=124 - ROUNDS)
    ]
    with new_platform() as platform:
        assert platform.feed(lines)["rounds"] == ROUNDS
        yield Floor(platform, tmp_path_factory.mktemp("pages"))


def test_a_day_is_archived_and_proven(floor: Floor) -> None:
    shown = commands_of("archive.md")
    said = {command.split("#")[0].strip(): floor.does(command) for command in shown}
    assert len(said) == 4
    assert (floor.folder / "archive" / DAY / "manifest.json").exists()
    # Proven again, now with the checkpoint that the last command took.
    proven = json.loads(floor.does("pitstream verify archive --public-key audit.pub --json"))
    assert (proven["holds"], proven["parts"], proven["checkpoints"]) == (True, 1, 4)


def test_the_audit_finds_nothing_wherever_it_looks(floor: Floor) -> None:
    shown = commands_of("audit.md")
    (shared,) = (command for command in shown if "--group" in command)
    (combined,) = (command for command in shown if "--combine" in command)
    for command in shown:
        if command not in (shared, combined):
            floor.does(command)
    # Two machines: each with a folder of its own, which are brought together afterwards.
    both = [shared.replace("/parts", f"/parts/{one}") for one in ("one", "two")]
    with ThreadPoolExecutor(2) as pool:
        assert len(list(pool.map(floor.does, both))) == 2
    report = json.loads(floor.does(f"{combined.partition('#')[0]} --json"))
    assert (report["findings"], report["rounds_settled_again"]) == ([], ROUNDS)


def test_a_round_is_told_in_every_way(floor: Floor) -> None:
    said = {command: floor.does(command, postgres="--source" in command) for command in commands_of("replay.md")}
    assert len(said) == 6
    assert "r00123" in next(iter(said.values()))
    assert (floor.folder / "round.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    (record,) = (text for command, text in said.items() if "--record" in command)
    assert json.loads(record)["id"] == "r00123"
    (digest,) = (text for command, text in said.items() if "--hash" in command)
    assert digest == floor.does(f"pitstream replay {TABLE}/17 --hash", postgres=False)


def test_the_day_is_reported_and_closed(floor: Floor) -> None:
    for command in commands_of("table-accounting.md"):
        floor.does(command, postgres=False)
    (table,) = json.loads(floor.does(f"pitstream day report {DAY} --json", postgres=False))
    assert (table["table"], table["state"], table["rounds"]) == (TABLE, "closed", ROUNDS)
