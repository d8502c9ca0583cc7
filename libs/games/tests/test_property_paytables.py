"""A property's own paytables stand beside the bundled ones; what could be mistaken for another is refused.

Method: a small good file, read beside the bundled tables, then with one thing changed a line.
"""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from told_rounds import HOLDEM_TABLES, holdem, lines_of, seat

from pitstream.events.refusal import Refusal
from pitstream.games.commands import NetworkTerms, OpenTable
from pitstream.games.paytables import PaytableError, PaytableFileError, Paytables, bundled, with_property_s
from pitstream.games.record import RecordError, read_record
from pitstream.games.settlement import settle
from pitstream.games.table import Closed, decide

GOOD = """\
# Trips at our tables: richer until the end of June.
[[ultimate_texas_holdem.trips.harbour]]
basis = "to 1"
standing = "house"
source = "property rules submission 7"
to = 2025-06-30
pays = { straight_flush = 60, four_of_a_kind = 30, full_house = 9, flush = 7, straight = 4, three_of_a_kind = 3 }

[[ultimate_texas_holdem.trips.harbour]]
basis = "to 1"
standing = "house"
source = "property rules submission 8"
from = 2025-07-01
pays = { straight_flush = 40, four_of_a_kind = 20, full_house = 8, flush = 6, straight = 4, three_of_a_kind = 3 }

[flop_poker.three_card_bonus.harbour]
basis = "to 1"
standing = "house"
source = "property rules submission 7"
pays = { straight_flush = 40, three_of_a_kind = 30, straight = 6, flush = 3, pair = 1 }
"""
N1 = NetworkTerms(currency="USD", meters=("main",))
BESIDE = Paytables(GOOD, beside=bundled())
HARBOUR = ("ultimate_texas_holdem", "trips", "harbour")


def test_a_file_adds_to_the_bundled_paytables_and_changes_none():
    assert BESIDE.ids("ultimate_texas_holdem", "trips") == ("A", "B", "C", "D", "harbour")
    assert [table for table in BESIDE if table.id != "harbour"] == list(bundled())


@pytest.mark.parametrize(
    ("gaming_day", "source"),
    [
        ("2025-06-30", "property rules submission 7"),
        ("2025-07-01", "property rules submission 8"),
    ],
)
def test_a_paytable_keeps_its_id_from_one_period_to_the_next(gaming_day: str, source: str):
    assert BESIDE.named(*HARBOUR, gaming_day).source == source


def test_the_periods_of_a_paytable_have_digests_of_their_own():
    first, second = BESIDE.periods[HARBOUR]
    assert first.sha256 != second.sha256
    assert (first.days, second.days) == ("to 2025-06-30", "from 2025-07-01")


@pytest.mark.parametrize(("gaming_day", "won"), [("2025-06-30", 900), ("2025-07-01", 800)])
def test_a_round_is_settled_by_the_period_of_its_gaming_day(gaming_day: str, won: int):
    one = seat(1, "Ks Kd", "4x", ante=100, blind=100, trips=100)
    played = holdem("Kh 7c 7d 2s 3c", "9h 4s", one, paytables={"trips": "harbour"})
    on_that_day = replace(played, gaming_day=gaming_day)
    assert lines_of(settle(on_that_day, BESIDE), 1)["trips"] == ("win", 100, won, "653a.11(i)(1)")


def test_a_table_opens_with_the_content_of_its_day_and_says_which():
    terms = {"game": "ultimate_texas_holdem", "currency": "USD", "paytables": {**HOLDEM_TABLES, "trips": "harbour"}}
    (opened,) = decide(
        Closed(), OpenTable(table="t1", gaming_day="2025-07-01", network="n1", network_terms=N1, **terms), BESIDE
    )
    chosen = {choice.wager: choice.sha256 for choice in opened.paytables}
    assert chosen["trips"] == BESIDE.named(*HARBOUR, "2025-07-01").sha256
    unknown = decide(Closed(), OpenTable(table="t1", gaming_day="2025-07-01", network="n1", network_terms=N1, **terms))
    assert isinstance(unknown, Refusal)
    assert (unknown.code, unknown.field) == ("unknown_paytable", "paytables.trips")


def test_a_record_may_name_them_where_the_file_is_given():
    record = {
        "schema": "pitstream.round/1",
        "id": "r1",
        "table": "t1",
        "game": "flop_poker",
        "gaming_day": "2025-06-14",
        "currency": "USD",
        "paytables": {"ante": "A", "flop": "NJ", "three_card_bonus": "harbour"},
        "cards": {"community": ["2c", "7h", "Jc"]},
        "seats": [
            {"seat": 1, "player": "p1", "cards": ["Ks", "Kd", "3h"], "wagers": {"ante": 100, "pot": 5}}
            | {"decisions": ["flop"]}
        ],
    }
    line = json.dumps(record).encode()
    assert read_record(line, BESIDE).round.paytables["three_card_bonus"] == "harbour"
    with pytest.raises(RecordError, match="allowed: NJ"):
        read_record(line)


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        pytest.param("to = 2025-06-30", "to = 2025-07-01", 13, "no day in two periods", id="a day in two periods"),
        pytest.param("to = 2025-06-30\n", "", 12, "no day in two periods", id="a first period without an end"),
        pytest.param("from = 2025-07-01\n", "", 9, "no day in two periods", id="a second period without a begin"),
        pytest.param(
            "[flop_poker.three_card_bonus.harbour]",
            "[flop_poker.three_card_bonus.NJ]",
            16,
            "is one of the bundled",
            id="a bundled one",
        ),
        pytest.param("three_card_bonus", "four_card_bonus", 16, "wager was 'four_card_bonus'", id="no such wager"),
        pytest.param("[flop_poker", "[go_fish", 16, "game was 'go_fish'", id="no such game"),
        pytest.param("pair = 1 }", "high_card = 1 }", 20, "row was 'high_card'", id="no such hand"),
        pytest.param("pair = 1 }", "pair = 0 }", 20, "pays.pair was 0", id="no odds"),
        pytest.param(
            "four_of_a_kind = 20", "four_of_a_kind = 2.5", 14, "pays.four_of_a_kind was 2.5", id="in the second period"
        ),
        pytest.param('"property rules submission 8"', '""', 12, "source was ''", id="without a source, second period"),
        pytest.param(
            "[[ultimate_texas_holdem.trips.harbour]]",
            "[ultimate_texas_holdem.trips.harbour]",
            9,
            "not TOML",
            id="a list and a table of one id",
        ),
        pytest.param("pair = 1 }", f"pair = {'9' * 5000} }}", 20, "a number was too long", id="5,000 digits"),
        pytest.param("pair = 1 }", f"pair = 0x{'f' * 5000} }}", 20, "pays.pair was", id="5,000 hexadecimal digits"),
        pytest.param("pair = 1 }", "pair = " + "[" * 1500, 20, "was nested too deeply", id="lists in lists"),
        pytest.param('"property rules submission 8"', "06:00:00", 12, "source was", id="what no JSON has"),
        pytest.param(
            "to = 2025-06-30", "to = 2025-07-01 # a\u2028b\x85", 13, "no day in two periods", id="Unicode's line ends"
        ),
    ],
)
def test_what_is_wrong_in_a_property_s_file_is_named_by_line_and_reason(old: str, new: str, line: int, reason: str):
    with pytest.raises(PaytableError) as caught:
        Paytables(GOOD.replace(old, new, 1), beside=bundled())
    assert (caught.value.line, reason in caught.value.reason) == (line, True), str(caught.value)


def test_a_file_on_disk_is_named_with_its_fault(tmp_path: Path):
    good, wrong, latin = tmp_path / "good.toml", tmp_path / "wrong.toml", tmp_path / "latin.toml"
    good.write_text(GOOD)
    wrong.write_text(GOOD.replace("pair = 1 }", "pair = 0 }"))
    latin.write_bytes(b"# caf\xe9\n")
    assert list(with_property_s(good)) == list(BESIDE)
    assert with_property_s(None) is with_property_s("") is bundled()
    for file, told in (
        (wrong, "line 20: flop_poker.three_card_bonus.harbour: pays.pair was 0"),
        (latin, "line 1: was not UTF-8"),
        (tmp_path / "none.toml", "No such file or directory"),
    ):
        with pytest.raises(PaytableFileError, match=f"^{re.escape(str(file))}: {re.escape(told)}"):
            with_property_s(file)
