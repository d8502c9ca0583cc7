"""The tests are imported by path, so this folder is put where they find the words that they share."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
