"""Method: real services play a real feed, and everything that they can be asked is asked again after a second time."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

pytestmark = pytest.mark.stack

Books = Callable[[Sequence[str]], dict[str, Any]]
OnDay = Callable[[Sequence[str], str], list[str]]
RESULTS = ("players", "totals", "meters", "rounds")


@pytest.mark.parametrize("name", ["evening-uth", "evening-small"])
def test_the_books_kept_by_hand_are_those_of_the_reference(name: str, books_of: Books, pytestconfig: pytest.Config):
    demo = pytestconfig.rootpath / "demo"
    expected = json.loads((demo / f"{name}.expected.json").read_text())
    assert books_of((demo / f"{name}.jsonl").read_text().splitlines()) == expected


def test_a_second_time_changes_nothing(platform: Any, evening_uth: list[str], books_of: Books):
    rounds = evening_uth[:40]
    first = platform.feed(rounds)
    ledger = platform.asked("ledger", "check", "--json")
    second = platform.feed(rounds)
    assert {name: first[name] for name in RESULTS} == books_of(rounds)
    assert {name: second[name] for name in RESULTS} == books_of(rounds)
    assert platform.asked("ledger", "check", "--json") == ledger
    assert json.loads(ledger)["ok"]


def test_a_feed_goes_on_where_an_earlier_one_stopped(
    platform: Any, evening_uth: list[str], books_of: Books, on_day: OnDay
):
    rounds = on_day(evening_uth[:50], "2025-05-10")
    platform.feed(rounds[:35], "--network-suffix=-on")
    whole = platform.feed(rounds, "--network-suffix=-on")
    assert {name: whole[name] for name in RESULTS} == books_of(rounds)


def test_a_feed_keeps_its_pace(platform: Any, evening_uth: list[str], books_of: Books, on_day: OnDay):
    rounds = on_day(evening_uth[:6], "2025-05-13")
    played = platform.feed(rounds, "--network-suffix=-paced", "--rounds-per-s=2")
    assert {name: played[name] for name in RESULTS} == books_of(rounds)
    assert played["seconds"] > 5 / 2  # the sixth begins so late


def test_a_void_round_a_forfeit_and_a_whole_meter_won_come_out_exactly(
    platform: Any, evening_small: list[str], books_of: Books, on_day: OnDay
):
    rounds = on_day(evening_small[188:192] + evening_small[216:220] + evening_small[420:445], "2025-06-20")
    records = [json.loads(line) for line in rounds]
    assert sum("void" in record for record in records) == 1
    assert sum("forfeited" in seat for record in records for seat in record["seats"]) == 1
    played = platform.feed(rounds, "--network-suffix=-three")
    expected = books_of(rounds)
    assert expected["meters"]["raise_it_up_stud"]["main"] < 1_003_000  # it was won, and has grown a little since
    assert {name: played[name] for name in RESULTS} == expected


def test_a_wrong_record_is_named_and_the_others_are_played(
    platform: Any, evening_uth: list[str], books_of: Books, on_day: OnDay
):
    rounds = on_day(evening_uth[:6], "2025-05-11")
    wrong = json.dumps({**json.loads(rounds[2]), "id": "wrong", "game": "faro"})
    done = platform.pitstream(
        "feed", "-", "--json", "--network-suffix=-wrong", stdin="\n".join([*rounds[:2], wrong, *rounds[2:]])
    )
    found = json.loads(done.stdout)
    assert done.returncode == 1
    assert [fault.partition(": was")[0] for fault in found["faults"]] == ["wrong: unknown_game: game"]
    assert {name: found[name] for name in RESULTS} == books_of(rounds)


def test_what_differs_from_what_was_expected_is_named(
    platform: Any, evening_uth: list[str], books_of: Books, on_day: OnDay, tmp_path: Any
):
    rounds = on_day(evening_uth[:3], "2025-05-12")
    expected = books_of(rounds)
    player = min(expected["players"])
    expected["players"][player] += 1
    (tmp_path / "expected.json").write_text(json.dumps(expected))
    done = platform.pitstream(
        "feed",
        "-",
        "--json",
        "--network-suffix=-differs",
        f"--expect={tmp_path / 'expected.json'}",
        stdin="\n".join(rounds),
    )
    net = expected["players"][player]
    assert done.returncode == 1
    assert json.loads(done.stdout)["differences"] == [f"players.{player}: was {net - 1}, expected {net}"]
