"""The simulation's modules, and the generators and judges of other tests that it uses, are found by their folders."""

import sys
from pathlib import Path

for folder in (Path(__file__).parent, Path(__file__).parents[1] / "oracle"):
    sys.path.insert(0, str(folder))
