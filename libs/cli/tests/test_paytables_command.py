"""``pitstream paytables`` lists what may be offered on a day, and says why something may not.

Method: the command as a process.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PITSTREAM = str(Path(sys.executable).with_name("pitstream"))
HOUSE = """\
[[ultimate_texas_holdem.trips.harbour]]
basis = "to 1"
standing = "house"
source = "property rules submission 7"
to = 2025-06-30
pays = { straight_flush = 60, three_of_a_kind = [7, 2] }

[[ultimate_texas_holdem.trips.harbour]]
basis = "to 1"
standing = "house"
source = "property rules submission 8"
from = 2025-07-01
pays = { straight_flush = 40, three_of_a_kind = 3 }
"""


def pitstream(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [PITSTREAM, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "200", **environment},
        check=False,
    )


def listed(*arguments: str, **environment: str) -> list[dict[str, object]]:
    done = pitstream("paytables", "--json", *arguments, **environment)
    assert (done.returncode, done.stderr) == (0, "")
    found: list[dict[str, object]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize(
    ("day", "reason"),
    [
        ("2026-03-22", None),
        ("2026-03-23", "in force from 2024-03-23 to 2026-03-22"),
        ("2024-03-22", "in force from 2024-03-23 to 2026-03-22"),
    ],
)
def test_a_temporary_provision_says_from_when_to_when_it_is_in_force(day: str, reason: str | None):
    (bad_beat,) = (
        each
        for each in listed("ultimate_texas_holdem", "--day", day)
        if (each["wager"], each["paytable"]) == ("bad_beat", "C")
    )
    assert bad_beat == {
        "game": "ultimate_texas_holdem",
        "wager": "bad_beat",
        "paytable": "C",
        "basis": "to 1",
        "standing": "regulation",
        "source": "58 Pa. Code 653b.3 (temporary, 54 Pa.B. 1537)",
        "from": "2024-03-23",
        "to": "2026-03-22",
        "day": day,
        "available": reason is None,
        "reason": reason,
        "pays": {
            "straight_flush": "2500",
            "four_of_a_kind": "500",
            "full_house": "50",
            "flush": "30",
            "straight": "20",
            "three_of_a_kind": "9",
        },
        "sha256": bad_beat["sha256"],
    }


def test_people_read_the_same_with_every_standing_named():
    done = pitstream("paytables", "--day", "2026-03-23")
    assert done.returncode == 0
    assert "not available: in force from 2024-03-23 to 2026-03-22" in done.stdout
    for word in ("regulation", "published", "house", "Ultimate Texas Hold'em", "Flop Poker", "Raise It Up Stud"):
        assert word in done.stdout


@pytest.mark.parametrize("by_option", [True, False], ids=["--paytables", "PITSTREAM_PAYTABLES"])
def test_a_property_s_file_is_listed_beside_with_each_of_its_periods(tmp_path: Path, by_option: bool):
    file = tmp_path / "house.toml"
    file.write_text(HOUSE)
    arguments = ("--paytables", str(file)) if by_option else ()
    environment = {} if by_option else {"PITSTREAM_PAYTABLES": str(file)}
    found = listed("ultimate_texas_holdem", "--day", "2025-07-01", *arguments, **environment)
    assert [(each["available"], each["reason"], each["pays"]) for each in found if each["paytable"] == "harbour"] == [
        (
            False,
            "in force to 2025-06-30; on 2025-07-01 another period of harbour is",
            {"straight_flush": "60", "three_of_a_kind": "7/2"},
        ),
        (True, None, {"straight_flush": "40", "three_of_a_kind": "3"}),
    ]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["go_fish"], "error: GAME was 'go_fish'; allowed: ultimate_texas_holdem, flop_poker, raise_it_up_stud"),
        (["--day", "2025-02-30"], "error: --day was '2025-02-30'; allowed: a day of the calendar, YYYY-MM-DD"),
        (["--day", "20250203"], "error: --day was '20250203'; allowed: a day of the calendar, YYYY-MM-DD"),
        (["--paytables", "no-such.toml"], "error: no-such.toml: No such file or directory"),
    ],
)
def test_what_cannot_be_listed_exits_with_2_and_says_why(arguments: list[str], told: str):
    done = pitstream("paytables", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(told)


def test_settle_refuses_a_wrong_file_of_paytables_with_its_line(tmp_path: Path):
    file = tmp_path / "house.toml"
    file.write_text(HOUSE.replace("to = 2025-06-30", "to = 2025-07-01"))
    done = pitstream("settle", os.devnull, "--paytables", str(file))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"error: {file}: line 12: ultimate_texas_holdem.trips.harbour: "
        "in force from 2025-07-01, and to 2025-07-01 too; allowed: no day in two periods\n"
    )
