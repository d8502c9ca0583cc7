"""The fuzzing's modules, and the evening and the judges of other tests that it feeds on, are found by their folders."""

import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
for folder in (
    *(TESTS / name for name in ("fuzz", "oracle", "simulation", "corrections")),
    TESTS.parent / "libs/audit/tests",
):
    sys.path.insert(0, str(folder))

from simulated.fixtures import address as address  # noqa: E402
from simulated.fixtures import ready as ready  # noqa: E402
