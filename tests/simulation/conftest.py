"""The simulation's modules, and the generators and judges of other tests that it uses, are found by their folders. Each
process that runs tests has a database server of its own, so that files may run side by side."""

import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

TESTS = Path(__file__).parents[1]
for folder in (Path(__file__).parent, TESTS / "oracle", TESTS / "corrections"):
    sys.path.insert(0, str(folder))

from simulated.database import server  # noqa: E402
from simulated.run import Bench, bench  # noqa: E402


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    with server() as started:
        yield started


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def ready(address: str) -> AsyncIterator[Bench]:
    async with bench(address, "simulated_in_tests") as opened:
        yield opened
