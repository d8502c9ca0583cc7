"""``docs/errors.md`` is what a caller is told; the sources are read to see that it is all, and true."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pitstream.games.record_json import CODES
from pitstream.runtime.inbox import REASONS
from pitstream.services.wallet.codes import DECLINED, UNPOSTABLE
from pitstream.services.wallet.remote.codes import DECLINED_BY_OPERATOR

ROOT = Path(__file__).parents[1]


def listed(heading: str) -> dict[str, str]:
    """Code -> meaning, of the table under a heading."""
    page = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    section = page.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| `(\w+)` \|(?: \d+ \|)? (.+) \|$", section, flags=re.MULTILINE)
    codes = [code for code, _ in rows]
    assert codes == sorted(set(codes)), "in order, each once"
    return dict(rows)


def codes_given_to(*makers: str) -> Iterator[str]:
    """The codes that the sources give to the makers of refusals and errors, as their first argument; ``unknown`` makes
    a refusal of what it is told is not there."""
    for path in [*ROOT.glob("libs/*/src/**/*.py"), *ROOT.glob("services/*/src/**/*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in makers:
                match node.args:
                    case [ast.Constant(value=str(code)), *_]:
                        yield code
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "unknown":
                match node.args:
                    case [ast.Constant(value=str(kind)), *_] if "Refusal" in makers:
                        yield f"unknown_{kind}"


@pytest.mark.parametrize(
    ("heading", "makers"),
    [
        pytest.param("Refused commands", ("Refusal",), id="refusals"),
        pytest.param("Bad round records", ("RecordError", "fault"), id="records"),
        pytest.param("Facts that cannot be posted", ("UnpostableError",), id="facts"),
    ],
)
def test_every_code_in_the_sources_is_listed(heading, makers):
    found = set(codes_given_to(*makers))
    assert found
    assert found - listed(heading).keys() == set()


def test_every_listed_refusal_and_record_error_is_in_the_sources():
    refusals = set(codes_given_to("Refusal"))
    assert listed("Refused commands").keys() - refusals == set()
    assert listed("Bad round records").keys() - set(codes_given_to("RecordError", "fault")) == set()


def test_the_record_reader_s_own_list_is_the_page_s():
    assert listed("Bad round records").keys() == set(CODES)


def test_the_wallet_s_own_lists_are_the_page_s():
    assert listed("Declined wagers") == dict(sorted((DECLINED | DECLINED_BY_OPERATOR).items()))
    assert listed("Facts that cannot be posted") == dict(sorted(UNPOSTABLE.items()))


def test_every_reason_why_a_record_is_set_aside_is_listed_and_no_other():
    assert listed("Records that are set aside").keys() == set(REASONS)
    assert REASONS[-2:] == ("newer_version", "handler_failed")
