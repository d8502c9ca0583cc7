"""The simulation's modules, and the generators and judges of other tests that it uses, are found by their folders."""

import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
for folder in (Path(__file__).parent, TESTS / "oracle", TESTS / "corrections"):
    sys.path.insert(0, str(folder))

from simulated.fixtures import address as address  # noqa: E402
from simulated.fixtures import ready as ready  # noqa: E402
