"""Every example record, told to a table command by command, ends as the round that the record says it was.

The records' settlements were made by an independent reference, so the live road and the record's road are held to the
same results.
"""

import json
from collections import Counter
from pathlib import Path

import pytest
from round_play import play_record

from pitstream.games.record import read_record
from pitstream.games.round import evolve_all, finished_round
from pitstream.games.settlement import settle

ROOT = Path(__file__).parents[3]
CASES = ROOT / "tests" / "data" / "cases"
DEMO = ROOT / "demo"
UNTELLABLE = {"fp-0018": "void, and seat 5 has answered although seat 2, asked before it, has not"}


def good_lines(path: Path) -> list[bytes]:
    """The records of the file that can be settled: those without an error beside them in its expected answers."""
    lines = [line for line in path.read_bytes().splitlines() if line.strip()]
    expected = path.with_name(path.stem + ".expected.jsonl")
    if not expected.exists():
        return lines
    answers = [json.loads(line) for line in expected.read_bytes().splitlines() if line.strip()]
    return [line for line, answer in zip(lines, answers, strict=True) if "error" not in answer]


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(CASES / "uth_main.jsonl", id="uth_main"),
        pytest.param(CASES / "uth.jsonl", id="uth"),
        pytest.param(CASES / "flop_poker.jsonl", id="flop_poker"),
        pytest.param(CASES / "raise_it_up_stud.jsonl", id="raise_it_up_stud"),
        pytest.param(DEMO / "evening-uth.jsonl", id="evening-uth"),
        pytest.param(DEMO / "evening-small.jsonl", id="evening-small"),
    ],
)
def test_a_record_told_as_commands_ends_as_the_same_round_and_settles_alike(path):
    ends: Counter[str] = Counter()
    for line in good_lines(path):
        record = read_record(line)
        table = play_record(json.loads(line))
        finished = finished_round(table.state)
        ends[table.state.stage] += 1
        assert evolve_all(table.events) == table.state, record.id
        if record.id in UNTELLABLE:
            continue
        if finished.void is None:
            assert finished == record.round, record.id
        assert settle(finished, meters=record.meters, seeds=record.seeds) == settle(
            record.round, meters=record.meters, seeds=record.seeds
        ), record.id
    assert ends["finished"] > 0
