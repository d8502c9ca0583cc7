"""Another package brings a game: one module, its paytables, an entry point. Method: this folder is put where Python
looks for packages; then records, the referee, and the real services are asked to play it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pitstream.cli import platform
from pitstream.stack import embedded

HERE = Path(__file__).parent
RECORD = (HERE / "rounds.jsonl").read_text()
# Seat -> net, outcomes: a straight, a pair of nines, a fold beside a suited A-2-3.
CAME_TO = {1: (280, "win win win win"), 2: (0, "push push push push"), 4: (100, "lose lose win")}


@pytest.fixture(scope="module")
def pitstream(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The command, where this folder is an installed package and its paytables are the property's."""
    info = tmp_path_factory.mktemp("site") / "mississippi_stud-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mississippi-stud\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[pitstream.games]\nmississippi_stud = mississippi_stud\n")

    def run(*arguments: str, stdin: str = "", **environment: str) -> str:
        command = [str(Path(sys.executable).with_name("pitstream")), *arguments]
        done = subprocess.run(command, input=stdin, capture_output=True, text=True, env={**os.environ, **environment})
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("PYTHONPATH", os.pathsep.join((str(HERE), str(info.parent))))
        environment.setenv("PITSTREAM_PAYTABLES", str(HERE / "mississippi_stud.toml"))
        yield run


def test_its_records_are_settled_and_its_paytables_listed(pitstream: Any):
    settled = json.loads(pitstream("settle", "-", stdin=RECORD))
    outcomes = {seat["seat"]: " ".join(line["outcome"] for line in seat["lines"]) for seat in settled["seats"]}
    assert {seat["seat"]: (seat["net"], outcomes[seat["seat"]]) for seat in settled["seats"]} == CAME_TO
    assert len(json.loads(pitstream("paytables", "mississippi_stud", "--json"))) == 5


@pytest.mark.stack
def test_it_is_played_at_a_real_table_street_by_street_and_settled_alike(pitstream: Any, tmp_path: Path):
    with embedded(data_dir=tmp_path / "stack", synced=False) as stack:
        platform.start(stack, name="further", data_dir=tmp_path)
        try:
            home = {"PITSTREAM_DATA_DIR": str(tmp_path)}
            results = json.loads(pitstream("feed", "-", "--json", stdin=RECORD, **home))
            told = json.loads(pitstream("replay", "ms-01/1", "--json", **home))
            again = json.loads(pitstream("replay", "ms-01/1", "--record", **home))
        finally:
            platform.stop(name="further", data_dir=tmp_path)
    assert results["players"] == {"ann": 280, "bob": 0, "cid": 100}
    assert again == json.loads(RECORD)
    assert json.dumps(told).count('"bundle": 4') >= 2  # the bets of 5th Street were held apart


def test_all_of_it_is_at_most_150_lines():
    assert sum(len(path.read_text().splitlines()) for path in HERE.iterdir() if path.is_file()) <= 150
