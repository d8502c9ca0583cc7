"""Every threat and every finding of docs/security.md names a test that is there. Method: the tables, looked up in the
tree."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/security.md").read_text(encoding="utf-8")
TESTS = {
    path.name: path.read_text(encoding="utf-8") for path in ROOT.glob("*/**/test_*.py") if ".venv" not in path.parts
}


def rows(section: str) -> list[list[str]]:
    (_, _, rest) = PAGE.partition(f"### {section}\n")
    table = re.split(r"^#", rest, maxsplit=1, flags=re.MULTILINE)[0]
    found = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line.startswith("|")
    ]
    assert len(found) > 10
    return found[2:]


@pytest.mark.parametrize("threat", rows("Threats"), ids=lambda row: row[0])
def test_a_threat_has_what_stops_it_and_what_shows_it(threat: list[str]) -> None:
    what, stops, shows, left = threat
    assert all((what, stops, left))
    named = re.findall(r"`([^`]+\.py)`", shows)
    assert named or "](" in shows
    for path in named:
        assert (ROOT / path).is_file(), path


@pytest.mark.parametrize("finding", rows("Found and mended"), ids=lambda row: row[0])
def test_a_finding_has_its_test(finding: list[str]) -> None:
    found, came_of_it, mended = finding
    assert all((found, came_of_it))
    (name,) = re.findall(r"`([^`]+)`", mended)
    assert name in TESTS or any(f"def {name}(" in text for text in TESTS.values()), name
