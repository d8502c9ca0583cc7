"""The pages tell the truth. Method: generated pages are generated again; every command shown is looked up in the
command itself; every link is followed."""

import re
import runpy
import shlex
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from pitstream.cli.main import app

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]


MADE = runpy.run_path(str(ROOT / "docs/generate.py"))["PAGES"]


@pytest.mark.parametrize("name", sorted(MADE))
def test_generated_pages_are_up_to_date(name: str) -> None:
    assert MADE[name]() == (ROOT / "docs" / name).read_text(encoding="utf-8"), "run `make docs`"


def commands_shown() -> list[str]:
    shown = set()
    for page in PAGES:
        shown |= set(re.findall(r"pitstream ((?:[a-z-]+)(?: [a-z-]+| --[a-z-]+| [A-Z]+| [0-9]+)*)", page.read_text()))
    known = set(get_command(app).commands)
    return sorted(command for command in shown if command.split()[0] in known)


def test_the_readme_shows_the_commands_that_matter() -> None:
    shown = {command.split()[0] for command in commands_shown()}
    assert {"settle", "feed", "replay", "ledger", "dead-letters", "up", "down"} <= shown


@pytest.mark.parametrize("command", commands_shown())
def test_every_command_shown_exists_with_its_options(command: str) -> None:
    words = shlex.split(command)
    at = get_command(app)
    while hasattr(at, "commands") and words and words[0] in at.commands:
        at = at.commands[words.pop(0)]
    options = {option for parameter in at.params for option in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= options


@pytest.mark.parametrize("name", sorted(get_command(app).commands))
def test_every_command_explains_itself_with_an_example(name: str) -> None:
    command = get_command(app).commands[name]
    for path in [[name, sub] for sub in getattr(command, "commands", {})] or [[name]]:
        told = CliRunner().invoke(app, [*path, "--help"])
        assert told.exit_code == 0
        assert f"pitstream {' '.join(path)}" in re.sub(r"\s+", " ", told.output), path


def links() -> list[tuple[Path, str]]:
    return [
        (page, target)
        for page in PAGES
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text())
        if not target.startswith("http")
    ]


@pytest.mark.parametrize(("page", "target"), links(), ids=lambda value: str(value).rpartition("/")[2])
def test_every_link_leads_somewhere(page: Path, target: str) -> None:
    assert (page.parent / target).exists()
