"""The tests are imported by path, so this folder is put where they find the judge and the generators."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
