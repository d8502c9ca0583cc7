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
    ("written", "said"),
    [
        ("pays = { straight = nan }", "pays.straight was nan; allowed: n or [n, m] with 1 <= n, m <= 9000"),
        ("pays = { straight = inf }", "pays.straight was inf; allowed: n or [n, m]"),
        ("pays = { straight = true }", "pays.straight was True; allowed: n or [n, m]"),
        ("pays = { straight = 1000000000 }", "pays.straight was 1000000000; allowed: n or [n, m]"),
        ("pays = { straight = [3, 0] }", "pays.straight was [3, 0]; allowed: n or [n, m]"),
        ("pays = { straight = [3, -2] }", "pays.straight was [3, -2]; allowed: n or [n, m]"),
        ("pays = { straight = 3, straight = 4 }", "not TOML: Duplicate inline table key 'straight'"),
        ("pays = [1, 2]", "pays was [1, 2]; allowed: a table of rows"),
        ("pays = { }", "pays was missing or empty; allowed: at least one row"),
        ("pays = { straight = 3 }", "pays leaves out straight_flush"),
        ("pays = { pair_jacks_or_better = 1, straight = 2 }", "allowed: best rank first"),
        ("pays = { any = 5 }\nbonus = 3", "key was 'bonus'; allowed: basis, from, pays, source, standing, to"),
    ],
)
def test_a_file_that_is_no_paytable_is_told_in_a_line(tmp_path: Path, written: str, said: str) -> None:
    file = tmp_path / "house.toml"
    file.write_text(f'[flop_poker.flop.x]\nbasis = "to 1"\nstanding = "house"\nsource = "t"\n{written}\n')
    code, _, error = run("flop_poker", "--main-only", "--paytables", "flop=x", "--file", str(file))
    assert (code, error.startswith("error: ")) == (2, True)
    assert said in error


def test_a_page_of_decisions_is_written(tmp_path: Path) -> None:
    page = tmp_path / "choices.html"
    code, out, error = run("flop_poker", "--choices", str(page))
    assert (code, out, error) == (0, "", f"wrote {page}\n")
    assert page.read_text().startswith("<!doctype html>")


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
        (
            ["flop_poker", "--hand", "Js 7h 2c", "--solve", "flop=straight", "--edge", "3%"],
            "--solve was given with --hand",
        ),
        (
            ["flop_poker", "--solve", "flop=straight", "--edge", "3%", "--html", "x.html"],
            "--solve was given with --html",
        ),
        (["flop_poker", "--hand", "Js 7h 2c", "--compare", "flop=NJ"], "--hand was given with --compare; allowed: it"),
        (["flop_poker", "--choices", "x.html", "--csv", "x.csv"], "--choices was given with --csv; allowed: it alone"),
        (["flop_poker", "--board", "2c 3c 4c"], "--board was '2c 3c 4c' without a hand; allowed: with --hand"),
        (["flop_poker", "--earlier", "check"], "--earlier was 'check' without a hand; allowed: with --hand"),
        (["flop_poker", "--check", "99"], "--check was 99; allowed: 0 for none, or 100 rounds and more"),
        (["flop_poker", "--hand", "As As Ks"], "cards held As twice; allowed: each card once"),
        (
            ["flop_poker", "--hand", "A\u2660 Kd 2c"],
            "hand[0] was 'A\u2660'; allowed: a rank 23456789TJQKA and a suit cdhs",
        ),
        (["flop_poker", "--hand", ""], "own was 0 cards; allowed: 3"),
        (["flop_poker", "--solve", "pot=x", "--edge", "3%"], "solve was wager 'pot'; allowed: three_card_bonus"),
        (
            ["flop_poker", "--solve", "three_card_bonus=pair", "--edge", "200%"],
            "edge was 200.0000%; allowed: with odds",
        ),
        (["flop_poker", "--solve", "three_card_bonus=pair", "--edge", "nan"], "--edge was 'nan'; allowed: a number"),
        (["flop_poker", "--solve", "three_card_bonus=pair", "--edge", "1/0"], "--edge was '1/0'; allowed: a number"),
        (["flop_poker", "--solve", "three_card_bonus=pair", "--edge", "\uff12%"], "allowed: a number such as"),
        (["flop_poker", "--handle", "nan"], "--handle was 'nan'; allowed: a number"),
        (["flop_poker", "--paytables", "flop=NJ,flop=liberal"], "--paytables was 'flop=liberal'; allowed: name=value"),
        (["flop_poker", "--policies", "moon=full"], "policies.moon was 'moon'; allowed: three_card_wheel"),
        (["flop_poker", "--handle", "0"], "--handle was 0; allowed: more than 0 stakes an hour"),
    ],
)
def test_what_has_no_odds_is_told_in_a_line(arguments: list[str], said: str) -> None:
    code, _, error = run(*arguments)
    assert code == 2
    assert error.startswith("error: ")
    assert said in error
