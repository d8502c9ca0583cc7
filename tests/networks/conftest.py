"""A database of its own for each test, on the run's real PostgreSQL."""

import uuid
from collections.abc import AsyncIterator, Awaitable, Callable

import asyncpg
import pytest

from pitstream.stack import Stack


@pytest.fixture
async def database(stack: Stack, drop_database: Callable[[str], Awaitable[None]]) -> AsyncIterator[str]:
    """The address of a new, empty database; dropped afterwards."""
    name = f"test_{uuid.uuid4().hex}"
    admin = await asyncpg.connect(stack.postgres)
    await admin.execute(f"CREATE DATABASE {name}")
    await admin.close()
    yield f"{stack.postgres.rpartition('/')[0]}/{name}"
    await drop_database(name)
