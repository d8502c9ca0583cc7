"""``pitstream settle``: a line out for each line in, and an exit code that a script can trust.

Method: the command as a process, on the project's own examples.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
CASES = ROOT / "tests" / "data" / "cases"
DEMO = ROOT / "demo"
PITSTREAM = str(Path(sys.executable).with_name("pitstream"))


def settle(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([PITSTREAM, "settle", *arguments], input=stdin, capture_output=True, check=False, cwd=ROOT)


def test_good_records_exit_with_0_and_one_line_each():
    done = settle(str(CASES / "flop_poker.jsonl"))
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    records = [json.loads(line) for line in (CASES / "flop_poker.jsonl").read_bytes().splitlines()]
    assert (done.returncode, done.stderr) == (0, b"")
    assert [answer["id"] for answer in answers] == [record["id"] for record in records]
    assert all(set(answer) == {"id", "game", "seats", "order"} for answer in answers)


def test_a_bad_record_is_an_error_in_its_place_and_the_exit_code_is_1():
    done = settle("-", stdin=(CASES / "bad_input.jsonl").read_bytes())
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    expected = [json.loads(line) for line in (CASES / "bad_input.expected.jsonl").read_bytes().splitlines()]
    assert done.returncode == 1
    assert [(one["id"], one.get("error", {}).get("code")) for one in answers] == [
        (one["id"], one.get("error", {}).get("code")) for one in expected
    ]


def test_a_file_that_cannot_be_read_exits_with_2_and_says_so():
    for file in ("no-such-file.jsonl", str(DEMO)):
        done = settle(file)
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr.startswith(f"error: FILE was {file!r}: ".encode())


def test_a_reader_that_has_seen_enough_is_no_error():
    command = f"{PITSTREAM} settle {DEMO / 'evening-small.jsonl'} | head -1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, check=False, cwd=ROOT)
    assert (done.returncode, done.stderr, len(done.stdout.splitlines())) == (0, b"", 1)


def test_the_summary_adds_up_each_wager_and_names_errors_apart():
    done = settle("-", "--summary", stdin=(CASES / "bad_input.jsonl").read_bytes())
    assert done.returncode == 1
    assert b"8 rounds settled, 40 records refused" in done.stdout
    assert len(done.stderr.splitlines()) == 40
    assert json.loads(done.stderr.splitlines()[0])["error"]["code"] == "unknown_game"


def test_the_help_shows_examples():
    done = settle("--help")
    assert done.returncode == 0
    assert b"Examples:" in done.stdout
