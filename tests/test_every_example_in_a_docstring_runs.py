"""An example in a docstring is run, so that it cannot go on telling what is no longer so."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = [*ROOT.glob("libs/*/src"), *ROOT.glob("libs/*/python"), *ROOT.glob("services/*/src")]
MODULES = sorted(
    ".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__")
    for source in SOURCES
    for path in source.rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)


def test_the_rules_have_examples():
    assert {"pitstream.games.odds", "pitstream.games.explain", "pitstream.games.registry"} <= set(MODULES)


@pytest.mark.parametrize("module", MODULES)
def test_every_example_comes_out_as_it_says(module: str):
    found = doctest.testmod(import_module(module))
    assert (found.failed, found.attempted > 0) == (0, True)
