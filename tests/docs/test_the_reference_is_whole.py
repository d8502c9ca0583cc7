"""Whatever a user imports is described. Method: griffe reads the sources as the site does; every name that a package
exports, and every member of what it exports, must have words of its own."""

import re
import runpy
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import griffe
import pytest
import yaml

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs/api").glob("*.md"))
PACKAGES = {page: re.findall(r"^::: ([\w.]+)$", page.read_text(encoding="utf-8"), re.MULTILINE) for page in PAGES}
SOURCES = sorted([*ROOT.glob("libs/*/src"), *ROOT.glob("libs/*/python")])
INHERITED = {"name"}
"""Described at ``Source``, the protocol that the classes which have it follow."""


@cache
def package(name: str) -> griffe.Object | griffe.Alias:
    loader = griffe.GriffeLoader(search_paths=SOURCES, allow_inspection=False)
    loaded = loader.load(name)
    loader.resolve_aliases(external=False)
    return loaded


def described(one: griffe.Object | griffe.Alias, path: str) -> Iterator[tuple[str, bool]]:
    """The name and its public members, and whether each has a docstring. Members of an enumeration are their names."""
    one = one.final_target if isinstance(one, griffe.Alias) else one
    yield path, one.has_docstring
    if not one.is_class or any(str(base).endswith("Enum") for base in one.bases):
        return
    for name, member in one.members.items():
        if not name.startswith("_") and not member.is_alias:
            yield from described(member, f"{path}.{name}")


EXPORTED = [
    (name, str(getattr(export, "name", export)))
    for names in PACKAGES.values()
    for name in names
    for export in package(name).exports or ()
    # Generated from proto/, which describes it.
    if str(getattr(export, "name", export)) != "Envelope"
]


def test_each_package_has_its_page() -> None:
    told = {page.stem: names for page, names in PACKAGES.items() if page.stem != "rust"}
    assert told == {stem: [f"pitstream.{stem}"] for stem in told}
    assert {"evaluator", "odds", "games", "events", "client", "archive", "audit"} <= set(told)
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    (plugin,) = (one["mkdocstrings"] for one in site["plugins"] if "mkdocstrings" in one)
    read = {folder.split("/")[1] for folder in plugin["handlers"]["python"]["paths"]}
    assert set(told) <= read


@pytest.mark.parametrize(("name", "exported"), EXPORTED, ids=[f"{name}.{exported}" for name, exported in EXPORTED])
def test_what_a_package_exports_is_described(name: str, exported: str) -> None:
    told = list(described(package(name).members[exported], exported))
    assert [path for path, is_told in told if not is_told and path.rpartition(".")[2] not in INHERITED] == []


def test_the_site_shows_examples_as_examples() -> None:
    as_markdown = runpy.run_path(str(ROOT / "docs/docstrings.py"))["as_markdown"]
    docstring = "Doubles. ::\n\n    twice(\n        2)\n\nSo:\n\n>>> twice(2)\n4\n>>> twice(3)\n6\n\nNothing else."
    assert as_markdown(docstring) == (
        "Doubles.\n\n```python\ntwice(\n    2)\n```\n\nSo:\n\n"
        "```pycon\n>>> twice(2)\n4\n>>> twice(3)\n6\n```\n\nNothing else."
    )
