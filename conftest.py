"""One real Kafka and one real PostgreSQL for the whole test run, and what all tests need of them and of Hypothesis."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import cache
from pathlib import PurePosixPath
from typing import Any

import asyncpg
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from xdist.scheduler import LoadFileScheduling

from pitstream.runtime.kafka import ensure_topics
from pitstream.stack import Stack
from pitstream.stack.testing import stack as stack

PARTITIONS = 6


@pytest.fixture(scope="session")
def kafka(stack: Stack) -> str:
    """The run's Kafka with the project's topics. One place makes them: they keep the partitions they were made with,
    and a test that reads six of them must not depend on which test came first."""
    asyncio.run(ensure_topics(stack.kafka, partitions=PARTITIONS))
    return stack.kafka


@pytest.fixture(scope="session")
def drop_database(stack: Stack) -> Callable[[str], Coroutine[Any, Any, None]]:
    """Drops a database of a test's own, whoever is still connected to it."""

    async def drop(name: str) -> None:
        admin = await asyncpg.connect(stack.postgres)
        # The server's own vacuum may be at work in a large database, and nobody but a superuser may end it.
        async with asyncio.timeout(60):
            while True:
                with suppress(asyncpg.InsufficientPrivilegeError):
                    await admin.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
                    return await admin.close()
                await asyncio.sleep(0.5)

    return drop


SHARING_A_PLATFORM = {"tests/e2e", "tests/e2e/pages"}


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadFileScheduling:
    """Tests are handed out by the file: its fixtures are made once. All that share a platform go to one worker: each
    further platform is seven more processes for two cores."""

    class ByFileAndPlatform(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = PurePosixPath(super()._split_scope(nodeid))
            return "a platform" if str(file.parent) in SHARING_A_PLATFORM else str(file)

    return ByFileAndPlatform(config, log)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Before the first property: Hypothesis reads every module of ours for its constants, and makes tables of all
    characters. On a busy machine that takes seconds, for which the first draw would be called too slow."""
    if item.get_closest_marker("hypothesis"):
        _hypothesis_is_ready()


@cache
def _hypothesis_is_ready() -> None:
    @settings(
        max_examples=1,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(st.integers(), st.text())
    def draw(_number: int, _text: str) -> None:
        """Nothing is asked of them."""

    draw()
