"""Paytables are data with a source and days in force; a file that is wrong names its line and its reason.

Method: the bundled file, then a small good file with one thing changed a line.
"""

import re
from importlib.resources import files

import pytest

from pitstream.games.odds import MeterShare, Odds
from pitstream.games.paytables import PaytableError, Paytables, bundled
from pitstream.games.registry import GAMES

GOOD = """\
[flop_poker.ante.A]
basis = "to 1"
standing = "published"
source = "a source"
pays = { any = 1 }

[ultimate_texas_holdem.progressive.P]
basis = "for 1"
standing = "house"
source = "house"
from = 2024-03-23
to = 2026-03-22
pays = { royal_flush = { meter = "main", percent = 100 }, flush = [3, 2] }
envy = { royal_flush = 1000 }
"""


def test_each_wager_of_each_game_can_be_offered():
    offered = {(table.game, table.wager) for table in bundled()}
    wanted = {
        (game.name, wager) for game in GAMES.values() for wager in game.wagers if wager not in game.without_paytable
    }
    assert offered == wanted


def test_a_paytable_holds_what_the_file_says():
    table = Paytables(GOOD).named("ultimate_texas_holdem", "progressive", "P")
    assert (table.name, table.basis, table.standing, table.source, table.days) == (
        "ultimate_texas_holdem.progressive.P",
        "for 1",
        "house",
        "house",
        "from 2024-03-23 to 2026-03-22",
    )
    assert dict(table.pays) == {"royal_flush": MeterShare("main", 100), "flush": Odds(3, 2)}
    assert dict(table.envy) == {"royal_flush": 1000}


@pytest.mark.parametrize("wager", ["bad_beat", "play_the_board"])
@pytest.mark.parametrize(
    ("gaming_day", "in_force"),
    [
        ("2024-03-22", False),
        ("2024-03-23", True),
        ("2026-03-22", True),
        ("2026-03-23", False),
    ],
)
def test_the_temporary_provisions_were_in_force_for_two_years(wager: str, gaming_day: str, in_force: bool):
    tables = [table for table in bundled() if table.wager == wager and table.standing == "regulation"]
    assert {table.in_force(gaming_day) for table in tables} == {in_force}


def test_a_royal_flush_without_a_row_of_its_own_fits_the_straight_flush_row():
    table = bundled().named("ultimate_texas_holdem", "bad_beat", "C")
    assert table.prize(("royal_flush", "straight_flush")) == Odds(2500)


def test_the_digest_changes_with_the_content_and_with_nothing_else():
    def digest(text: str) -> str:
        return Paytables(text).named("flop_poker", "ante", "A").sha256

    assert digest(GOOD) == digest("# a comment\n" + GOOD.replace("{ any = 1 }", "{any=1}"))
    assert digest(GOOD) != digest(GOOD.replace("{ any = 1 }", "{ any = 2 }"))
    assert digest(GOOD) != digest(GOOD.replace('"a source"', '"another source"'))


def test_every_bundled_paytable_has_a_digest_of_its_own():
    digests = [table.sha256 for table in bundled()]
    assert len(set(digests)) == len(digests)
    assert all(re.fullmatch(r"[0-9a-f]{64}", digest) for digest in digests)


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ("[flop_poker.ante.A]", "[flop.ante.A]", 1, "game was 'flop'; allowed: ultimate_texas_holdem, flop_poker"),
        ("[flop_poker.ante.A]", "[flop_poker.pot.A]", 1, "wager was 'pot'; allowed for flop_poker: three_card_bonus"),
        ('basis = "to 1"', 'basis = "to one"', 2, "basis was 'to one'; allowed: to 1, for 1"),
        ('basis = "to 1"\n', "", 1, "basis was None"),
        ('standing = "published"', 'standing = "law"', 3, "standing was 'law'; allowed: regulation, published, house"),
        ('source = "a source"', 'source = " "', 4, "source was ' '"),
        ("pays = { any = 1 }", "pays = {}", 5, "pays was missing or empty"),
        ("pays = { any = 1 }", "pays = { any = 0 }", 5, "pays.any was 0"),
        ("pays = { any = 1 }", "pays = { any = 1.5 }", 5, "pays.any was 1.5"),
        ("pays = { any = 1 }", "pays = { any = true }", 5, "pays.any was True"),
        ("pays = { any = 1 }", "pays = { any = 9001 }", 5, "pays.any was 9001"),
        ("pays = { any = 1 }", "pays = { pair = 1 }", 5, "pays leaves out any, a hand that wins ante"),
        ("pays = { any = 1 }", "pays = { any = 1 }\nenvy = { pair = 1 }", 6, "key was 'envy'"),
        ("pays = { any = 1 }", "pays = 1", 5, "pays was 1; allowed: a table of rows"),
        ("from = 2024-03-23", "from = 2026-03-23", 11, "from was 2026-03-23, after to = 2026-03-22"),
        ("from = 2024-03-23", 'from = "2024-03-23"', 11, "from was '2024-03-23'; allowed: a date"),
        ("from = 2024-03-23", "from = 2024-03-23T00:00:00", 11, "from was datetime"),
        ("percent = 100", "percent = 101", 13, "pays.royal_flush was"),
        ("percent = 100 }", "percent = 100, cap = 5 }", 13, "pays.royal_flush was"),
        ("flush = [3, 2]", 'flush = "push"', 13, "pays.flush was 'push'"),
        ("flush = [3, 2]", "flush = [3, 2, 1]", 13, "pays.flush was [3, 2, 1]"),
        ("flush = [3, 2]", "straight_flush_mini = 4", 13, "row was 'straight_flush_mini'"),
        (", flush = [3, 2] }", ", pair = 1, flush = 2 }", 13, "allowed: best rank first, royal_flush, flush, pair"),
        ("envy = { royal_flush = 1000 }", "envy = { royal_flush = [3, 2] }", 14, "envy.royal_flush was [3, 2]"),
        ("[flop_poker.ante.A]", "[flop_poker.ante.A", 1, "not TOML"),
    ],
)
def test_what_is_wrong_in_a_file_is_named_by_line_and_reason(old: str, new: str, line: int, reason: str):
    assert old in GOOD
    with pytest.raises(PaytableError) as caught:
        Paytables(GOOD.replace(old, new, 1))
    assert (caught.value.line, reason in caught.value.reason) == (line, True), str(caught.value)


def test_a_table_that_leaves_out_a_winning_hand_is_refused():
    text = files("pitstream.games").joinpath("paytables.toml").read_text(encoding="utf-8")
    broken = text.replace("three_of_a_kind = 4, two_pair = 2, pair_jacks", "three_of_a_kind = 4, pair_jacks", 1)
    with pytest.raises(PaytableError, match=r"flop_poker\.flop\.NJ: pays leaves out two_pair, a hand that wins flop"):
        Paytables(broken)
