"""The page's queries run over a real archive, and its list of what ``verify`` finds is that of the code."""

import ast
import re
from datetime import date
from pathlib import Path

import duckdb
import pytest

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "archive.md").read_text(encoding="utf-8")
QUERIES = re.findall(r"```sql\n(.*?)```", PAGE, flags=re.DOTALL)


def asked(number: int, folder: Path) -> list[tuple]:
    return duckdb.sql(QUERIES[number].replace("'archive/", f"'{folder}/")).fetchall()


def test_there_are_five():
    assert len(QUERIES) == 5


def test_what_each_table_held(archived):
    # Nine rounds each, stakes of 501 to 509, every one returns 500 and wins 500.
    assert asked(0, archived.folder) == [("uth-01", "USD", 4545, -4455, -98.02), ("uth-02", "USD", 4545, -4455, -98.02)]


def test_who_was_dealt_a_hand(archived):
    rows = asked(1, archived.folder)
    assert len(rows) == 18
    assert rows[0] == (date(2026, 3, 27), "uth-01", 1, 1, "p1")
    assert rows[-1] == (date(2026, 3, 29), "uth-02", 9, 1, "p9")


def test_how_long_players_waited(archived):
    # Posted two microseconds after the decision.
    assert asked(2, archived.folder) == [("uth-01", 9, 0.0, 0), ("uth-02", 9, 0.0, 0)]


def test_what_concerns_one_round(archived):
    rows = asked(3, archived.folder)
    assert [row[2].rpartition(".")[2] for row in rows] == [
        "RoundOpened", "WagersPlaced", "WagersStood", "HandsDealt", "DecisionMade", "RoundFinished", "FundsHeld",
        "RoundSettled", "SeatPosted",
    ]  # fmt: skip
    assert {row[3] for row in rows} == {"d.okafor"}


def test_every_hash_and_link_holds_in_sql_too(archived):
    assert asked(4, archived.folder) == []


def test_what_verify_finds_is_listed_and_nothing_else():
    section = PAGE.split("## What `verify` finds", 1)[1].split("\n## ", 1)[0]
    listed = re.findall(r"^\| `(\w+)` \|", section, flags=re.MULTILINE)
    assert listed == sorted(set(listed)), "in order, each once"
    assert set(listed) == set(codes())


def codes() -> list[str]:
    """What the sources give to the makers of faults as their first argument."""
    found = []
    for path in (ROOT / "libs" / "archive" / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("Fault", "named"):
                match node.args:
                    case [ast.Constant(value=str(code)), *_]:
                        found.append(code)
    return found


@pytest.mark.parametrize("column", ["source", "topic", "hash", "envelope", "table_id", "recorded_at"])
def test_every_column_is_told_of(column):
    assert f"`{column}`" in PAGE
