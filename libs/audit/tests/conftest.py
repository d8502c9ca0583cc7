"""The tests are imported by path, so this folder is put where they find what plays an evening for them."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
