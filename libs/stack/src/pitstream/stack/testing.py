"""A pytest fixture: one real Kafka and PostgreSQL for the whole test run.

In a `conftest.py`: `from pitstream.stack.testing import stack as stack`.
"""

import os
from collections.abc import Iterator

import pytest

from pitstream.stack.stack import Stack, embedded, external


@pytest.fixture(scope="session")
def stack() -> Iterator[Stack]:
    """The stack that PITSTREAM_KAFKA and PITSTREAM_POSTGRES name, else an embedded one, stopped when the run ends.

    pytest ends fixtures on Ctrl-C too. A run that was killed leaves its stack to the next run, which removes it.
    """
    if given := external(os.environ):
        yield given
        return
    with embedded(synced=False) as started:
        yield started
