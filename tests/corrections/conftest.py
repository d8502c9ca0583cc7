"""The tests are imported by path, so this folder is put where they find their words, and the oracle's records."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "oracle")]
