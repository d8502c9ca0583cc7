"""The tests are imported by path, so this folder is put where they find the words that they share."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def demo_records() -> list[dict[str, Any]]:
    """Every fifth record of the project's evenings."""
    demo = Path(__file__).parents[3] / "demo"
    lines = [line for name in ("uth", "small") for line in (demo / f"evening-{name}.jsonl").read_text().splitlines()]
    return [json.loads(line) for line in lines[::5]]
