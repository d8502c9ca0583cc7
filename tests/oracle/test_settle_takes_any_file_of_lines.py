"""`pitstream settle` reads what systems really write: line ends of both kinds, a byte order mark, no last line end.

Method: the command as a process. The same good records in each form come to the same output, byte for byte.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from random_records import random_record

PITSTREAM = str(Path(sys.executable).with_name("pitstream"))
LINES = [json.dumps(random_record(name)).encode() for name in ("1-1", "1-2", "1-3", "1-4")]
BOM = b"\xef\xbb\xbf"


def settle(*arguments: str | Path, stdin: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run([PITSTREAM, "settle", *arguments], input=stdin, capture_output=True, check=False)


@pytest.fixture(scope="module")
def plain() -> bytes:
    done = settle("-", stdin=b"\n".join(LINES) + b"\n")
    assert (done.returncode, done.stderr) == (0, b"")
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == ["1-1", "1-2", "1-3", "1-4"]
    return done.stdout


@pytest.mark.parametrize(
    "written",
    [
        pytest.param(b"\n".join(LINES), id="no line end after the last record"),
        pytest.param(b"\r\n".join(LINES) + b"\r\n", id="carriage returns"),
        pytest.param(BOM + b"\r\n".join(LINES), id="a byte order mark"),
        pytest.param(BOM + b"\r\n" + b"\r\n\r\n".join(LINES), id="a byte order mark on an empty line"),
        pytest.param(b"\n \t\n" + b"\n\n".join(b"  \t" + line + b" " for line in LINES) + b"\n\n", id="blanks"),
    ],
)
def test_how_lines_end_changes_nothing(written, plain, tmp_path):
    file = tmp_path / "rounds.jsonl"
    file.write_bytes(written)
    done = settle(file)
    assert (done.returncode, done.stderr, done.stdout) == (0, b"", plain)


def test_a_file_without_a_record_settles_to_nothing(tmp_path):
    empty = tmp_path / "rounds.jsonl"
    empty.touch()
    for done in (settle(empty), settle("-"), settle("-", stdin=BOM + b"\r\n \n")):
        assert (done.returncode, done.stderr, done.stdout) == (0, b"", b"")


def test_a_line_of_ten_megabytes_is_a_line_like_another(plain):
    jam = json.dumps(random_record("long") | {"void": "jam " * 2_500_000}).encode()
    junk = b'{"id": "junk", "seats": [' + b'["As", "Kd"], ' * 700_000
    digits = LINES[3].replace(b'"meters": {"main": ', b'"meters": {"main": ' + b"9" * 10_000_000, 1)
    done = settle("-", stdin=b"\n".join([LINES[0], junk, LINES[1], digits, LINES[2], jam, LINES[3]]))
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert (done.returncode, done.stderr) == (1, b"")
    assert done.stdout.splitlines()[::2] == plain.splitlines()
    assert [answer["id"] for answer in answers[1::2]] == [None, "1-4", "long"]
    assert [answer.get("error", {}).get("code") for answer in answers[1::2]] == ["invalid_json", "invalid_json", None]
    assert {line["outcome"] for seat in answers[5]["seats"] for line in seat["lines"]} == {"void"}


@pytest.mark.parametrize("name", ["no-such-file.jsonl", "."])
def test_what_is_no_readable_file_is_said_in_one_sentence(name, tmp_path):
    done = settle(tmp_path / name)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.count(b"\n") == 1
    assert b"Traceback" not in done.stderr
