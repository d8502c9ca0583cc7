"""Real connections to a real PostgreSQL, on which things go wrong: before a statement, before a commit, after one."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import asyncpg

from simulated.faults import ON_COMMITS, ON_STATEMENTS

if TYPE_CHECKING:
    from simulated.node import Node

_WRITES = re.compile(r"\b(INSERT|UPDATE|DELETE)\b(?! OF)")


class Crashed(BaseException):
    """The process ends here: nothing of it goes on, whatever it would have caught."""


def lost() -> asyncpg.PostgresError:
    return asyncpg.ConnectionDoesNotExistError("connection was closed in the middle of operation")


class Connection:
    """One of a node's connections, as asyncpg's own has it as far as the services use it."""

    def __init__(self, node: "Node", real: asyncpg.Connection) -> None:
        self._node = node
        self._real = real
        self._wrote = False
        self._queued = False
        self._buried = False

    def __getattr__(self, name: str) -> Any:
        """Statements: fetch, fetchrow, fetchval, execute, executemany, copy_records_to_table."""
        method = getattr(self._real, name)

        async def statement(*args: Any, **kwargs: Any) -> Any:
            await self._before_a_statement(str(args[0]))
            self._wrote |= name.startswith("copy") or bool(_WRITES.search(args[0]))
            self._queued |= args[0] == "outbox" or "INSERT INTO outbox" in args[0]
            self._buried |= "INSERT INTO dead_letters" in args[0]
            try:
                return await method(*args, **kwargs)
            except asyncpg.LockNotAvailableError:
                # Only one step runs at a time. Whoever has to wait for another's lock is killed while it waits.
                raise Crashed("waiting for a lock") from None

        return statement

    async def _before_a_statement(self, text: str) -> None:
        node = self._node
        node.must_live()
        family = node.world.faults.one_of(ON_STATEMENTS, f"{node.name}: {' '.join(text.split())[:60]}")
        match family:
            case "serialization_failure":
                raise asyncpg.SerializationError("could not serialize access due to concurrent update")
            case "connection_lost":
                raise lost()
            case "crash_in_transaction":
                raise Crashed(family)
            case "interleaved":
                await node.world.meanwhile(node)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[None]:
        if self._real.is_in_transaction():
            async with self._real.transaction():
                yield
            return
        transaction = self._real.transaction()
        await transaction.start()
        self._wrote = self._queued = self._buried = False
        try:
            yield
            family = self._node.world.faults.one_of(ON_COMMITS, f"{self._node.name}: COMMIT")
            if family == "lost_before_commit":
                raise lost()
        except BaseException:
            await transaction.rollback()
            raise
        await transaction.commit()
        if self._wrote:
            self._node.world.committed(self._node, queued=self._queued, buried=self._buried)
        if family == "commit_reply_lost":
            raise lost()
        if family == "crash_after_commit":
            raise Crashed(family)


class Pool:
    """A node's connections: as many as it uses at once."""

    def __init__(self, node: "Node") -> None:
        self._node = node

    @asynccontextmanager
    async def acquire(self) -> AsyncIterator[Connection]:
        world, service = self._node.world, self._node.service
        real = await world.database.take(service)
        try:
            yield Connection(self._node, real)
        finally:
            world.database.give(service, real)

    def __getattr__(self, name: str) -> Any:
        async def statement(*args: Any, **kwargs: Any) -> Any:
            async with self.acquire() as connection:
                return await getattr(connection, name)(*args, **kwargs)

        return statement
