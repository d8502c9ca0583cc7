"""The pictures of the architecture show what the code does, all of it and nothing else. Method: what an arrow stands
for is written beside it in the picture, and is compared with services as they are wired, imports and migrations."""

import ast
import os
import re
import runpy
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules

import pytest
from playwright.sync_api import Page, sync_playwright

from pitstream.events import event_types
from pitstream.runtime import Service
from pitstream.runtime.settings import DEAD_LETTERS_TOPIC, TOPIC_SOURCES
from pitstream.services.ops.config import OpsSettings
from pitstream.services.ops.owners import Owners

ROOT = Path(__file__).parents[2]
DRAWN = runpy.run_path(str(ROOT / "docs/architecture.py"))
SERVICES = sorted(path.name for path in (ROOT / "services").iterdir() if (path / "pyproject.toml").exists())
WIRED = runpy.run_path(str(ROOT / "docs/generate.py"))["wired"]


@cache
def service(name: str) -> Service:
    built: Service = WIRED(name)
    return built


def shown(picture: str, *names: str) -> list[tuple[str, ...]]:
    """The ``data-…`` of every part of a picture that has all of these."""
    parts = ET.fromstring((ROOT / "docs" / picture).read_text(encoding="utf-8")).iter()
    return sorted(
        tuple(part.attrib[f"data-{name}"] for name in names)
        for part in parts
        if all(f"data-{name}" in part.attrib for name in names)
    )


def read_by_service() -> list[tuple[str, str]]:
    return sorted((topic, name) for name in SERVICES for topic in service(name).handlers)


def test_every_service_and_its_schema_is_shown() -> None:
    expected = [(name,) for name in SERVICES]
    assert shown("architecture/containers.svg", "service") == expected
    assert shown("architecture/containers.svg", "schema") == expected
    assert shown("architecture/containers.svg", "calls") == expected


def test_every_topic_is_shown_with_who_writes_it_and_who_reads_it() -> None:
    containers = "architecture/containers.svg"
    assert shown(containers, "topic") == sorted((topic,) for topic in [*TOPIC_SOURCES, DEAD_LETTERS_TOPIC])
    assert shown(containers, "reads", "by") == read_by_service()
    written = [*TOPIC_SOURCES.items(), *((DEAD_LETTERS_TOPIC, name) for name in SERVICES if service(name).handlers)]
    assert shown(containers, "writes", "by") == sorted(written)


def test_the_ops_room_asks_whom_the_picture_says() -> None:
    settings = service("ops").settings
    assert isinstance(settings, OpsSettings)
    asked = Owners(settings).urls
    assert shown("architecture/containers.svg", "asks", "by") == sorted((name, "ops") for name in asked)


def test_the_road_has_every_reader_but_the_ops_room() -> None:
    roads = [(topic, TOPIC_SOURCES[topic], name) for topic, name in read_by_service() if name != "ops"]
    assert shown("road.svg", "reads", "writer", "by") == sorted(roads)
    assert shown("road.svg", "service") == sorted((name,) for name in SERVICES if name != "ops")


EVENTS = [step for step in shown("architecture/round.svg", "step", "sender", "to", "topic") if step[3]]


def test_the_round_has_events_of_every_topic() -> None:
    assert {topic for *_, topic in EVENTS} == set(TOPIC_SOURCES)


@pytest.mark.parametrize(("name", "sender", "reader", "topic"), EVENTS)
def test_an_event_of_the_round_is_of_its_topic_and_heard_by_its_reader(
    name: str, sender: str, reader: str, topic: str
) -> None:
    assert event_types()[f"pitstream.{topic}.{name}"].topic == topic
    assert TOPIC_SOURCES[topic] == sender
    assert topic in service(reader).handlers
    # What the ops room shows of a round is told by the story, as in a replay.
    folders = [ROOT / "services" / reader / "src", *([ROOT / "libs/story/src"] if reader == "ops" else [])]
    sources = [file for folder in folders for file in folder.rglob("*.py")]
    assert any(re.search(rf"\b{name}\b", file.read_text(encoding="utf-8")) for file in sources)


def imported(one: str, other: str) -> bool:
    """Whether a module of the first component has something of the second one's: a module, a class, a function."""
    names = {
        getattr(value, "__module__", None) or getattr(value, "__name__", None)
        for module in DRAWN["COMPONENTS"][one]
        for value in vars(import_module(module)).values()
    }
    return bool(names & set(DRAWN["COMPONENTS"][other]))


def test_every_module_of_the_table_service_is_of_one_component() -> None:
    told = [module for modules in DRAWN["COMPONENTS"].values() for module in modules]
    package = import_module("pitstream.services.table")
    there = [f"{package.__name__}.{module.name}" for module in iter_modules(package.__path__)]
    assert sorted(module for module in told if module.startswith(package.__name__)) == sorted(there)
    assert [module for module in told if find_spec(module) is None] == []
    assert len(told) == len(set(told))
    drawn = set(DRAWN["COMPONENTS"]) - {"beside"}
    assert shown("architecture/table.svg", "component") == sorted((name,) for name in drawn)


def test_every_arrow_inside_the_table_service_is_an_import_or_handed_over() -> None:
    assert shown("architecture/table.svg", "calls", "by") == sorted(
        (other, one) for one, other in [*DRAWN["CALLS"], *DRAWN["HANDED"]]
    )
    assert [call for call in DRAWN["CALLS"] if not imported(*call)] == []
    # The library that calls back knows nobody: whoever is called stands above it.
    assert [call for call in DRAWN["HANDED"] if imported(*call)] == []


def created() -> Iterator[str]:
    for package in ("pitstream.services.table", "pitstream.runtime"):
        for file in Path(*import_module(package).__path__).rglob("*.sql"):
            yield from re.findall(r"^CREATE TABLE (\w+)", file.read_text(encoding="utf-8"), flags=re.MULTILINE)


def test_the_tables_in_the_picture_are_made_by_migrations() -> None:
    in_picture = {table for (tables,) in shown("architecture/table.svg", "tables") for table in tables.split(",")}
    assert in_picture == {table for tables in DRAWN["TABLES"] for table in tables}
    assert in_picture <= set(created())
    reads = {topic for (topic,) in shown("architecture/table.svg", "reads")}
    assert reads == set(service("table").handlers)
    assert shown("architecture/table.svg", "writes", "by") == [("rounds.v1", "table")]


FOLDERS = re.findall(
    r"^\| `((?:libs|services)/\w+)` \| [^|]+ \|([^|]*)\|$",
    (ROOT / "docs/architecture.md").read_text(encoding="utf-8"),
    flags=re.MULTILINE,
)
CONTRACT = {"envelope", "progressives", "rounds", "settlements", "wallet"}


def known(folder: Path) -> set[str]:
    """Whom the code of a folder imports; ``pitstream.rounds`` and its like are modules generated from the contract."""
    found = set()
    for file in folder.rglob("*.py"):
        if {"tests", "benches"} & set(file.relative_to(folder).parts):
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
            steps = [name.split(".") for name in names if name.startswith("pitstream.")]
            found |= {step[2] if step[1] == "services" else step[1] for step in steps if step[1] not in CONTRACT}
    return found - {folder.name}


@pytest.mark.parametrize(("folder", "told"), FOLDERS)
def test_a_folder_knows_whom_the_table_says_and_nobody_else(folder: str, told: str) -> None:
    assert sorted(known(ROOT / folder)) == sorted(re.findall(r"`(\w+)`", told))


def test_the_table_has_every_library_and_service() -> None:
    there = [
        path.parent.relative_to(ROOT)
        for path in [*ROOT.glob("libs/*/pyproject.toml"), *ROOT.glob("services/*/pyproject.toml")]
    ]
    assert sorted(folder for folder, _ in FOLDERS) == sorted(map(str, there))


OUTSIDE = """() => {
  const outside = (text, box) => text.x < box.x + 3 || text.x + text.width > box.x + box.width - 3
    || text.y < box.y || text.y + text.height > box.y + box.height
  const over = (a, b) => a.x < b.x + b.width && b.x < a.x + a.width && a.y + 3 < b.y + b.height - 3
    && b.y + 3 < a.y + a.height - 3
  const found = []
  const whole = document.querySelector('svg').viewBox.baseVal
  const texts = [...document.querySelectorAll('text')]
  for (const text of texts) {
    const box = text.closest('g')?.querySelector('rect')?.getBBox() ?? whole
    if (outside(text.getBBox(), box)) found.push(`${text.textContent}: outside its box`)
  }
  texts.forEach((text, i) => texts.slice(0, i).forEach(other => {
    if (over(text.getBBox(), other.getBBox())) found.push(`${text.textContent}: over ${other.textContent}`)
  }))
  return found
}"""


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    found = os.environ.get("PITSTREAM_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    assert found is not None, "Chromium is missing: install it, or leave these tests out with `-m 'not browser'`"
    with sync_playwright() as engine:
        browser = engine.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser.new_page()
        browser.close()


@pytest.mark.browser
@pytest.mark.parametrize("picture", sorted(DRAWN["PICTURES"]))
def test_every_word_of_a_picture_stands_in_its_box_and_over_no_other(page: Page, picture: str) -> None:
    page.goto((ROOT / "docs" / picture).as_uri())
    assert page.locator("text").count() > 5
    assert page.evaluate(OUTSIDE) == []
