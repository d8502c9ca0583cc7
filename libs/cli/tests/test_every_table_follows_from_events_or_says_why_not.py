"""Every table that a service makes can be made anew from events, or docs/audit.md says why not and what proves it.
Method: the names in the migrations against those of the projections and of the page, both ways."""

import re
from importlib import import_module
from importlib.resources import files
from pathlib import Path

import pytest

from pitstream.cli.invariants import SERVICES, invariants_of
from pitstream.runtime.rebuild import Projection

PAGE = (Path(__file__).parents[3] / "docs" / "audit.md").read_text(encoding="utf-8")
SECTION = PAGE.split("## Tables that follow from events\n")[1].split("\n## ")[0]
ROWS = re.findall(r"^\| (\w+): (.*?) \| .*? \| (.*?) ?\|$", SECTION, flags=re.MULTILINE)


def tables_of(service: str) -> set[str]:
    """The tables that are there once every migration was made."""
    found: set[str] = set()
    for file in sorted((files(f"pitstream.services.{service}") / "migrations").iterdir(), key=lambda one: one.name):
        text = file.read_text(encoding="utf-8")
        found |= set(re.findall(r"^CREATE TABLE (?:IF NOT EXISTS )?(\w+)", text, flags=re.MULTILINE))
        found -= set(re.findall(r"^DROP TABLE (?:IF EXISTS )?(\w+)", text, flags=re.MULTILINE))
    return found


def _projections(service: str) -> tuple[Projection, ...]:
    made: tuple[Projection, ...] = import_module(f"pitstream.services.{service}.projections").PROJECTIONS
    return made


@pytest.mark.parametrize("service", [*SERVICES, "ops"])
def test_each_table_is_a_projection_or_told(service: str) -> None:
    told = {name for of, names, _ in ROWS if of == service for name in re.findall(r"`(\w+)`", names)}
    anew = {table for projection in _projections(service) for table in projection.tables}
    assert tables_of(service) == told | anew
    assert told & anew == set()


def test_what_is_said_to_prove_a_table_is_there() -> None:
    from pitstream.cli.audit_events import CHECKS

    known = {one.name for service in SERVICES for one in invariants_of(service)} | set(CHECKS)
    said = {name for _, _, proof in ROWS for name in re.findall(r"`(\w+)`", proof)}
    assert said - known == set()
    assert len(said) > 10
