"""A record with one fault gets one error: its id, and the code that the record format's table gives the fault.

Method: random good records are spoilt in one place each, in every way that the table names, and laid between good ones,
which must still come to what the independent judge says; the command answers as the library does.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from bad_records import FAULTS, Bad, bad_records
from naive_settlement import comparable, judge
from random_records import Record, random_record

from pitstream.games.settle_file import settle_lines, settlement_line

PITSTREAM = str(Path(sys.executable).with_name("pitstream"))


def good_records(seed: str, count: int) -> list[Record]:
    found: list[Record] = []
    number = 0
    while len(found) < count:
        number += 1
        record = random_record(f"{seed}-{number}")
        if "error" not in judge(record):
            found.append(record)
    return found


def misjudged(bad: list[Bad], answers: list[dict[str, Any]]) -> list[tuple[str, bytes, dict[str, Any]]]:
    return [
        (one.name, one.line[:2000], answer)
        for one, answer in zip(bad, answers, strict=True)
        if answer.keys() != {"id", "error"}
        or answer["error"].keys() != {"code", "message", "path"}
        or answer["id"] != one.id
        or answer["error"]["code"] not in one.codes
    ]


@pytest.mark.parametrize("batch", range(4))
def test_one_fault_is_one_error(batch):
    bad = bad_records(f"bad-{batch}", each=12)
    answers = [json.loads(settlement_line(one)) for one in settle_lines(one.line for one in bad)]
    assert misjudged(bad, answers) == []


@pytest.mark.slow
def test_one_fault_is_one_error_20_000_times():
    bad = bad_records("soak", each=20_000 // len(FAULTS))
    answers = [json.loads(settlement_line(one)) for one in settle_lines(one.line for one in bad)]
    assert misjudged(bad, answers) == []


def test_the_command_settles_the_good_records_between_bad_ones(tmp_path):
    bad = bad_records("command", each=3)
    good = good_records("between", len(bad))
    file = tmp_path / "mixed.jsonl"
    pairs = zip(bad, good, strict=True)
    file.write_bytes(b"".join(one.line + b"\n" + json.dumps(right).encode() + b"\n" for one, right in pairs))
    done = subprocess.run([PITSTREAM, "settle", str(file)], capture_output=True, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert (done.returncode, done.stderr) == (1, b"")
    assert misjudged(bad, answers[::2]) == []
    assert [comparable(answer) for answer in answers[1::2]] == [judge(record) for record in good]
