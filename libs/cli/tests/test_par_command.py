"""Method: the command itself, on the game that is counted quickest, and a property's own paytable from a file."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pitstream.cli.main import app

HOUSE = """
[flop_poker.flop.harbour]
basis = "to 1"
standing = "house"
source = "rules submission 7"
pays = { straight_flush = 600, four_of_a_kind = 100, full_house = 30, flush = 20, straight = 12, three_of_a_kind = 4,
         two_pair = 2, pair_jacks_or_better = 1 }
"""


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["par", *arguments])
    return result.exit_code, result.stdout, result.stderr


def test_a_property_s_paytable_in_and_its_sheet_out(tmp_path: Path) -> None:
    house, sheet, listed = tmp_path / "house.toml", tmp_path / "sheet.html", tmp_path / "rows.csv"
    house.write_text(HOUSE.replace("\n         ", " "))
    code, out, _ = run(
        "flop_poker",
        "--paytables",
        "flop=harbour",
        "--file",
        str(house),
        "--html",
        str(sheet),
        "--csv",
        str(listed),
        "--json",
    )
    told = json.loads(out)
    assert code == 0
    assert next(table["paytable"] for table in told["paytables"] if table["wager"] == "flop") == "harbour"
    assert told["version"]["content"] in sheet.read_text()
    assert listed.read_text().startswith("game,wager,paytable,outcome")


def test_the_main_figures_are_shown() -> None:
    code, out, _ = run("flop_poker", "--paytables", "flop=liberal", "--check", "200")
    assert code == 0
    assert "house edge of the Ante 5.4237%" in out
    assert "200 rounds within their intervals" in out


def test_odds_are_found_for_an_edge() -> None:
    code, out, _ = run("flop_poker", "--solve", "three_card_bonus=pair", "--edge", "2%", "--json")
    told = json.loads(out)
    assert (code, told["exact"]) == (0, True)
    assert [near["odds"] for near in told["near"]] == ["1", "2"]


def test_advice_names_the_best_choice() -> None:
    code, out, _ = run("flop_poker", "--hand", "Js 7h 2c", "--json")
    assert (code, json.loads(out)["best"]) == (0, "flop")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["canasta"], "game was 'canasta'; allowed: ultimate_texas_holdem"),
        (["flop_poker", "--paytables", "flop"], "--paytables was 'flop'; allowed: name=value"),
        (["flop_poker", "--paytables", "flop=Z"], "paytables.flop was 'Z'; allowed: NJ, liberal"),
        (["flop_poker", "--solve", "flop=pair", "--edge", "2%"], "was row 'pair' of flop.NJ; allowed: royal_flush"),
        (["flop_poker", "--solve", "flop=straight"], "allowed: --solve wager=row --edge 2.5%"),
        (["flop_poker", "--solve", "flop=straight", "--edge", "much"], "--edge was 'much'; allowed: a number such as"),
        (["flop_poker", "--hand", "Js 7h"], "own was 2 cards; allowed: 3"),
        (["flop_poker", "--meters", "main=-1"], "--meters main was -1; allowed: 0 or more"),
        (["flop_poker", "--meters", "main=5"], "meters.main was 'main'; allowed: none"),
        (["flop_poker", "--edge", "3%"], "--edge was '3%' without a row; allowed: --solve wager=row --edge"),
        (["flop_poker", "--handle", "0"], "--handle was 0; allowed: more than 0 stakes an hour"),
    ],
)
def test_what_has_no_odds_is_told_in_a_line(arguments: list[str], said: str) -> None:
    code, _, error = run(*arguments)
    assert code == 2
    assert error.startswith("error: ")
    assert said in error
