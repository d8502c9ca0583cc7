"""What tests that play seeds share. Each process that runs tests has a database server of its own, so that files may
run side by side."""

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from simulated.database import server
from simulated.run import Bench, bench


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    with server() as started:
        yield started


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def ready(address: str) -> AsyncIterator[Bench]:
    async with bench(address, "simulated_in_tests") as opened:
        yield opened
