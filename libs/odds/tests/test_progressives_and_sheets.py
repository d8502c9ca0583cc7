"""Method: a progressive's figures against sums written out; a sheet's parts against each other and its source."""

import csv
import json
import re
import subprocess
import sys
from fractions import Fraction
from io import StringIO

import pytest

from pitstream.odds import Net, OddsError, ParResult, Row, Wager
from pitstream.odds.progressive import Growth, progressive_odds
from pitstream.odds.sheet import content, page, rows, sheet_of
from pitstream.odds.volatility import expected


def test_a_progressive_breaks_even_where_its_mean_is_nothing(stud: ParResult) -> None:
    table, wager = stud.inputs.paytables["progressive"], stud.wagers["progressive"]
    odds = progressive_odds(table, wager, players=6)
    (meter,) = odds.meters
    assert (meter.hit, meter.wagers_between_hits) == (Fraction(1, 22_100), 22_100)
    assert meter.break_even is not None
    assert odds.mean.at({"main": meter.break_even}) == 0
    # Five others: one royal flush of spades in 22,100 hands pays 100, three others pay 25.
    assert odds.envy == 5 * Fraction(100 + 3 * 25, 22_100)
    assert meter.hours_between_hits(Fraction(300)) == Fraction(22_100, 300)


def test_the_mean_at_a_hit_is_what_the_tries_one_by_one_add_up_to() -> None:
    whole, part = Fraction(1, 4), Fraction(1, 8)
    wager = Wager(
        "progressive",
        (
            Row("royal_flush", Net(Fraction(-1), {"main": Fraction(1)}), 2, None),
            Row("straight_flush", Net(Fraction(-1), {"main": Fraction(1, 2)}), 1, None),
            Row("lose", Net(Fraction(-1)), 5, None),
        ),
    )
    assert Fraction(2, wager.deals) == whole
    from pitstream.games.paytables import bundled

    table = bundled().named("ultimate_texas_holdem", "progressive", "sister-A")
    odds = progressive_odds(table, wager, growth={"main": Growth(Fraction(10), Fraction(1, 2))})
    found = odds.meters[0].mean_at_hit
    assert found is not None
    # Chance-weighted amounts, try after try, until what is left weighs next to nothing.
    weight, amount, mean = Fraction(1), Fraction(10), 0.0
    carried = float(weight * amount)
    alive = 1.0
    for _ in range(400):
        carried += alive * 0.5
        mean += carried * float(whole)
        carried *= 1 - float(whole) - float(part) / 2
        alive *= 1 - float(whole)
    assert abs(mean - float(found)) < 1e-9


def test_a_meter_s_hits_lie_where_tries_come_to_that_part_of_them(stud: ParResult) -> None:
    growth = {"main": Growth(Fraction(1_000), Fraction(1, 10))}
    odds = progressive_odds(stud.inputs.paytables["progressive"], stud.wagers["progressive"], growth=growth)
    at_hit = odds.meters[0].at_hit
    assert at_hit is not None
    tries = (at_hit[Fraction(1, 2)] - 1_000) * 10
    miss = 1 - 1 / 22_100
    assert miss**tries <= 0.5 < miss ** (tries - 1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"players": 8}, "players was 8; allowed: 1 to 7"),
        ({"amounts": {"mega": Fraction(1)}}, "meters.mega was 'mega'; allowed: main"),
        ({"growth": {"main": Growth(Fraction(0), Fraction(2))}}, "a rate from 0 to 1"),
    ],
)
def test_a_progressive_of_nonsense_is_refused(stud: ParResult, arguments: dict[str, object], said: str) -> None:
    with pytest.raises(OddsError) as refused:
        progressive_odds(stud.inputs.paytables["progressive"], stud.wagers["progressive"], **arguments)  # type: ignore[arg-type]
    assert said in str(refused.value)


def test_the_win_after_many_rounds_is_the_edge_and_its_spread_falls_with_the_root(stud: ParResult) -> None:
    thousand, _, _, million = expected(stud.main)
    assert abs(float(million.mean) / 1_000_000 - float(stud.edge)) < 1e-12
    width = [float(each.highest_hold - each.lowest_hold) for each in (thousand, million)]
    assert abs(width[0] / width[1] - 1_000**0.5) < 1e-6
    with pytest.raises(OddsError, match=r"confidence was '5%'; allowed: 90%, 95%, 99%"):
        expected(stud.main, confidence="5%")


def test_a_sheet_is_one_page_alone_and_the_same_bytes_again(flop_poker: ParResult) -> None:
    first, again = (page(sheet_of(flop_poker)) for _ in range(2))
    assert first == again
    assert re.findall(r"""(?:src|href|url\()\s*=?\s*["']?\w+:""", first) == []
    assert "<script" not in first
    assert "5.4237%" in first
    assert first.count("<svg") >= 2 + len(flop_poker.wagers)
    assert "prefers-color-scheme: dark" in first
    assert "@media print" in first


def test_two_sheets_stand_side_by_side_with_what_is_different(flop_poker: ParResult) -> None:
    from pitstream.odds import par

    other = par("flop_poker", {"flop": "NJ"})
    both = page(sheet_of(flop_poker), sheet_of(other))
    assert "<h2>Side by side</h2>" in both
    assert "flop liberal" in both
    assert "flop NJ" in both
    assert "1.0614%" in both


def test_a_sheet_s_json_adds_up_and_names_what_made_it(stud: ParResult) -> None:
    told = json.loads(json.dumps(content(sheet_of(stud))))
    assert told["main"]["value"]["fraction"] == str(stud.value)
    for wager in told["wagers"]:
        assert sum(row["deals"] for row in wager["rows"]) == wager["deals"]
        returns = sum(Fraction(row["return"]["fraction"]) for row in wager["rows"])
        assert returns == Fraction(wager["mean"]["fraction"])
    assert sum(Fraction(part["fraction"]) for part in told["main"]["decisions"].values()) == 1
    assert all(re.fullmatch("[0-9a-f]{64}", sha) for sha in told["version"].values())


def test_a_sheet_s_rows_hold_every_outcome(stud: ParResult) -> None:
    listed = list(csv.DictReader(StringIO(rows(sheet_of(stud)))))
    assert len(listed) == sum(len(wager.rows) for wager in stud.wagers.values())
    for name, wager in stud.wagers.items():
        mine = [row for row in listed if row["wager"] == name]
        assert sum(int(row["deals"]) for row in mine) == wager.deals
        assert sum(Fraction(row["return"]) for row in mine) == wager.mean.fixed


def test_the_stub_says_what_the_binary_does() -> None:
    compared = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "pitstream.odds._odds"], capture_output=True, text=True, check=False
    )
    assert compared.returncode == 0, compared.stdout
