"""Method: the stub against the binary, and every example in the documentation run as it stands."""

import doctest
import subprocess
import sys
from pathlib import Path

import pitstream.evaluator


def test_the_stub_describes_the_binary() -> None:
    checked = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "pitstream.evaluator._evaluator"], capture_output=True, text=True
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_examples_in_the_documentation_are_true() -> None:
    found = doctest.testmod(pitstream.evaluator)
    assert (found.failed, found.attempted) == (0, 4)


def test_the_examples_in_the_readme_are_true() -> None:
    readme = Path(__file__).parents[1] / "README.md"
    found = doctest.testfile(str(readme), module_relative=False)
    assert (found.failed, found.attempted) == (0, 11)
