"""The rounds of these tests are played with the words of the games' own tests."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "games/tests"))
sys.path.insert(0, str(Path(__file__).parent))
