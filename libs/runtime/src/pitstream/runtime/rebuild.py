"""Projections made anew from events: beside the tables in use, while these are written on, and then in their place.

1. Empty tables of the same definition are made in a schema of their own, beside the service's.
2. Every event is projected into them; events keep coming meanwhile, and are caught up with until few are left.
3. On one snapshot both are compared, row by row, and nobody waits. A difference ends it: the first row is named, the
   tables in use stay as they are.
4. The tables and ``events`` are locked: units of work in flight end first, others wait. What was left is projected,
   both are compared once more by a sum over all rows, and the new tables take the place, the names, the triggers and
   the references of the old ones. All of it or nothing.

A fold in flight is never applied twice: whoever writes events and tables in one transaction has committed both before
the locks are ours, or neither.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import asyncpg

from pitstream.events import Recorded, open_envelope
from pitstream.runtime.logs import log
from pitstream.runtime.postgres import connected
from pitstream.runtime.rights import ensure_role, grant

Connection = asyncpg.Connection

_AT_ONCE = 2_000
_FEW = 200
"""Events that may be left to project while everybody waits."""
_LOCK_TRIES = 200
_LOCK_MS = 250
"""So long others wait behind us for a lock that we do not get; then they go on, and we try again. Less than it takes
PostgreSQL to look for a deadlock: it is always we who give way."""
_PAUSE_S = 0.1


class Project(Protocol):
    """Writes what events mean into the projection's tables, by their plain names: whichever tables ``conn`` finds.

    It is called again and again, with events in the order of each key, and may keep state in between.
    """

    async def __call__(self, conn: Connection, events: Sequence[Recorded]) -> None: ...


class Feed(Protocol):
    """Where the events of a projection come from."""

    async def __call__(self, conn: Connection) -> Sequence[Recorded]:
        """Some of the events that ``conn`` sees and that were not handed out yet, in the order of each key; none when
        there are no more. What was handed out is remembered through ``conn``, in its transaction."""
        ...


@dataclass(frozen=True, slots=True)
class Projection:
    """Tables that follow from events and from nothing else.

    ``streams``: the beginning of the names of the service's own streams that matter. ``project`` makes a new projector.
    ``feed``, where it is given, makes the events' source instead: for a service that projects what others published; it
    must hand out exactly what the tables in use have seen, and may keep what it remembers in tables of its own making.
    ``locked``: further tables whose writers must be kept out while the tables are exchanged.
    """

    name: str
    tables: tuple[str, ...]
    project: Callable[[], Project]
    streams: str = ""
    feed: Callable[[], Feed] | None = None
    locked: tuple[str, ...] = ("events",)


@dataclass(frozen=True, slots=True)
class Difference:
    """A row that only one of the two has: ``where`` is ``live`` or ``rebuilt``."""

    table: str
    where: str
    row: dict[str, Any]

    def __str__(self) -> str:
        row = ", ".join(f"{column} {value}" for column, value in self.row.items())
        return f"{self.table}: only {self.where}: {row}"


class DiffersError(Exception):
    """What was made anew is not what is in use; nothing was exchanged."""

    def __init__(self, difference: Difference) -> None:
        super().__init__(str(difference))
        self.difference = difference


class RebuildError(Exception):
    """The projection could not be made anew; the text says why. Nothing was exchanged."""


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What was done: rows of each table, events projected, and how long others may have waited, milliseconds."""

    rows: dict[str, int]
    events: int
    held_ms: int
    difference: Difference | None = None
    """What was exchanged all the same, since the caller wanted that."""


async def rebuild(
    postgres: str, service: str, projection: Projection, *, repair: bool = False, dry_run: bool = False
) -> Rebuilt:
    """Make ``projection`` of ``service`` anew and put it in the place of the one in use.

    ``repair``: also where they differ; that is what a projection with a fault is made anew for. ``dry_run``: compare,
    and exchange nothing. ``postgres`` is the owner's address. Raises DiffersError, RebuildError.
    """
    owner = await connected(postgres)
    try:
        role = await ensure_role(owner, service)
        async with _alone(owner, service, projection):
            work = _Work(owner, service, projection, role)
            return await work.done(repair=repair, dry_run=dry_run)
    finally:
        await owner.close()


@asynccontextmanager
async def _alone(owner: Connection, service: str, projection: Projection) -> AsyncIterator[None]:
    name = f"{service}/rebuild/{projection.name}"
    if not await owner.fetchval("SELECT pg_try_advisory_lock(hashtextextended($1, 0))", name):
        raise RebuildError(f"{service} {projection.name}: somebody else is making it anew")
    try:
        yield
    finally:
        await owner.execute("SELECT pg_advisory_unlock(hashtextextended($1, 0))", name)


class _Work:
    def __init__(self, owner: Connection, service: str, projection: Projection, role: str) -> None:
        self.owner = owner
        self.service = service
        self.projection = projection
        self.role = role
        self.beside = f"{service}__{projection.name}"
        self.events = 0
        self.project = projection.project()
        self.feed = projection.feed() if projection.feed else _OwnEvents(self.beside, projection.streams)

    async def done(self, *, repair: bool, dry_run: bool) -> Rebuilt:
        await self._lay_out()
        try:
            while await self._catch_up() > _FEW:
                pass
            difference = await self._compare()
            if difference is not None and not repair:
                raise DiffersError(difference)
            rows = {table: await self._count(table) for table in self.projection.tables}
            if dry_run:
                return Rebuilt(rows, self.events, 0, difference)
            held_ms = await self._exchange(repair=repair)
            rows = {
                table: await self.owner.fetchval(f'SELECT count(*) FROM "{self.service}"."{table}"')  # noqa: S608
                for table in self.projection.tables
            }
            return Rebuilt(rows, self.events, held_ms, difference)
        finally:
            await self.owner.execute(f'DROP SCHEMA IF EXISTS "{self.beside}" CASCADE')

    async def _count(self, table: str) -> int:
        found: int = await self.owner.fetchval(f'SELECT count(*) FROM "{self.beside}"."{table}"')  # noqa: S608
        return found

    async def _lay_out(self) -> None:
        """Tables of the same definition, with their indexes under the names that code speaks of."""
        missing = [
            table
            for table in self.projection.tables
            if not await self.owner.fetchval("SELECT to_regclass($1) IS NOT NULL", f'"{self.service}"."{table}"')
        ]
        if missing:
            raise RebuildError(f"{self.service}: has no table {', '.join(missing)}")
        await self.owner.execute(f'DROP SCHEMA IF EXISTS "{self.beside}" CASCADE; CREATE SCHEMA "{self.beside}"')
        await self._look_beside()
        for table in self.projection.tables:
            await self.owner.execute(
                f'CREATE TABLE "{self.beside}"."{table}"'
                # A check holds of rows once all events are in them, not while one key is ahead of another.
                f' (LIKE "{self.service}"."{table}" INCLUDING ALL EXCLUDING INDEXES EXCLUDING CONSTRAINTS)'
            )
            for row in await self.owner.fetch(_KEYS, self.service, table):
                await self.owner.execute(f'ALTER TABLE "{table}" ADD CONSTRAINT "{row["name"]}" {row["definition"]}')
            for row in await self.owner.fetch(_INDEXES, self.service, table):
                await self.owner.execute(self._here(row["definition"], table))
        await self.owner.execute(
            "CREATE TABLE projected (key text PRIMARY KEY, last_sequence bigint NOT NULL)"  # what _OwnEvents remembers
        )

    def _here(self, definition: str, table: str) -> str:
        """An index's definition, of the table beside."""
        return re.sub(r" ON (?:ONLY )?\S+ USING ", f' ON "{self.beside}"."{table}" USING ', definition, count=1)

    async def _look_beside(self) -> None:
        await self.owner.execute(f'SET search_path TO "{self.beside}", "{self.service}"')

    async def _catch_up(self) -> int:
        """Project some events in a transaction of their own; how many."""
        async with self.owner.transaction():
            events = await self.feed(self.owner)
            if events:
                await self._project(events)
        self.events += len(events)
        return len(events)

    async def _all(self) -> None:
        """Project whatever this transaction sees."""
        while events := await self.feed(self.owner):
            await self._project(events)
            self.events += len(events)

    async def _project(self, events: Sequence[Recorded]) -> None:
        """Into the tables beside, and into no other: what a projector writes by a name that is not among the
        projection's tables would be written in the tables in use."""
        await self.project(self.owner, events)
        strayed = [row["relname"] for row in await self.owner.fetch(_STRAYED, self.service)]
        if strayed:
            allowed = ", ".join(self.projection.tables)
            raise RebuildError(
                f"{self.service} {self.projection.name}: wrote on {', '.join(strayed)} of the tables in use; "
                f"allowed: {allowed}"
            )

    async def _compare(self) -> Difference | None:
        """The first row that only one of the two has, on one snapshot of both. Nobody waits meanwhile."""
        async with self.owner.transaction(isolation="repeatable_read"):
            await self._all()
            for table in self.projection.tables:
                columns = await self._columns(table)
                for where, has, lacks in (("live", self.service, self.beside), ("rebuilt", self.beside, self.service)):
                    row = await self.owner.fetchrow(
                        f'SELECT {columns} FROM "{has}"."{table}" EXCEPT ALL '  # noqa: S608
                        f'SELECT {columns} FROM "{lacks}"."{table}" ORDER BY 1 LIMIT 1'
                    )
                    if row is not None:
                        return Difference(table, where, dict(row))
        return None

    async def _columns(self, table: str) -> str:
        """What says something: not a number that the table itself gave out, nor the time of a row's making."""
        names = [row["name"] for row in await self.owner.fetch(_TELLING, self.service, table)]
        # jsonb is compared as such; json and others that know no equality would be refused by EXCEPT, by name.
        return ", ".join(f'"{name}"' for name in names)

    async def _exchange(self, *, repair: bool) -> int:
        """Lock, catch up, compare, exchange; for how many milliseconds the locks were held."""
        loop = asyncio.get_running_loop()
        for _ in range(_LOCK_TRIES):
            began = None
            try:
                async with self.owner.transaction():
                    await self._lock()
                    began = loop.time()
                    await self._all()
                    if not repair:
                        for table in self.projection.tables:
                            await self._must_be_equal(table)
                    unproven = await self._swap()
                held_ms = round((loop.time() - began) * 1000)
                await self._validate(unproven)
                return held_ms
            except (asyncpg.LockNotAvailableError, asyncpg.DeadlockDetectedError) as busy:
                if began is not None:
                    # The projector has seen events that were rolled back: it is of no further use.
                    raise RebuildError(
                        f"{self.service} {self.projection.name}: {busy}; nothing was exchanged"
                    ) from busy
                log.info("tables are busy, once more", projection=self.projection.name, error=repr(busy))
            await asyncio.sleep(_PAUSE_S)
        raise RebuildError(
            f"{self.service} {self.projection.name}: its tables were in use without a break in "
            f"{_LOCK_TRIES} tries; try when less is going on"
        )

    async def _lock(self) -> None:
        """Whoever writes events or rows of the projection ends first, or waits. Never for long: a lock that is waited
        for is one that others queue up behind."""
        await self.owner.execute(f"SET LOCAL lock_timeout TO {_LOCK_MS}")
        exchanged = list(self.projection.tables)
        for table in self.projection.tables:
            exchanged += [row["holder"] for row in await self.owner.fetch(_REFERENCED, self.service, table)]
        # Services write rows first and events at the end of a unit of work: in the same order, nobody waits in a ring.
        for table in dict.fromkeys(exchanged):
            await self.owner.execute(f'LOCK TABLE "{self.service}"."{table}" IN ACCESS EXCLUSIVE MODE')
        for table in self.projection.locked:
            await self.owner.execute(f'LOCK TABLE "{self.service}"."{table}" IN SHARE MODE')

    async def _must_be_equal(self, table: str) -> None:
        columns = await self._columns(table)
        live, rebuilt = [
            await self.owner.fetchval(
                f"SELECT count(*) || ' rows, sum ' || coalesce(sum(hashtextextended(t::text, 0)::numeric), 0)"  # noqa: S608
                f' FROM (SELECT {columns} FROM "{schema}"."{table}") AS t'
            )
            for schema in (self.service, self.beside)
        ]
        if live != rebuilt:
            raise DiffersError(Difference(table, "live", {"live": live, "rebuilt": rebuilt}))

    async def _swap(self) -> list[tuple[str, str]]:
        """The tables beside take the place of those in use, with all that hangs on these; table and name of each
        constraint that is yet to be proven of the rows that are there."""
        owner, old = self.owner, f"{self.beside}_old"
        triggers, references, referenced = [], [], []
        # Definitions are told with plain names for what is in the service's own schema.
        await owner.execute(f'SET LOCAL search_path TO "{self.service}"')
        for table in self.projection.tables:
            triggers += [row["definition"] for row in await owner.fetch(_TRIGGERS, self.service, table)]
            references += [
                (table, row["name"], row["definition"]) for row in await owner.fetch(_REFERENCES, self.service, table)
            ]
            referenced += [
                (row["holder"], row["name"], row["definition"])
                for row in await owner.fetch(_REFERENCED, self.service, table)
                if row["holder"] not in self.projection.tables
            ]
        for holder, name, _ in referenced:
            await owner.execute(f'ALTER TABLE "{self.service}"."{holder}" DROP CONSTRAINT "{name}"')
        await owner.execute(f'DROP SCHEMA IF EXISTS "{old}" CASCADE; CREATE SCHEMA "{old}"')
        for table in self.projection.tables:
            await owner.execute(f'ALTER TABLE "{self.service}"."{table}" SET SCHEMA "{old}"')
        for table in self.projection.tables:
            await owner.execute(f'ALTER TABLE "{self.beside}"."{table}" SET SCHEMA "{self.service}"')
        for table, name, definition in references:
            await owner.execute(f'ALTER TABLE "{table}" ADD CONSTRAINT "{name}" {definition} NOT VALID')
        for holder, name, definition in referenced:
            await owner.execute(f'ALTER TABLE "{holder}" ADD CONSTRAINT "{name}" {definition} NOT VALID')
        for definition in triggers:
            await owner.execute(definition)
        await owner.execute(f'DROP SCHEMA "{old}" CASCADE')
        await grant(owner, self.service, self.role)
        return [(table, name) for table, name, _ in (*references, *referenced)]

    async def _validate(self, unproven: Sequence[tuple[str, str]]) -> None:
        """Checks and references hold of what is written from the exchange on; that they hold of every row from before
        is looked at without a lock that anybody waits for."""
        for table, name in unproven:
            await self.owner.execute(f'ALTER TABLE "{self.service}"."{table}" VALIDATE CONSTRAINT "{name}"')


class _OwnEvents:
    """The events of a service's own streams, key by key; how far each key was read is kept beside the new tables."""

    def __init__(self, beside: str, streams: str) -> None:
        self._beside = beside
        self._streams = streams

    async def __call__(self, conn: Connection) -> Sequence[Recorded]:
        while rows := await conn.fetch(_UNREAD, _AT_ONCE):
            upto: dict[str, int] = {row["key"]: row["key_sequence"] for row in rows}
            await conn.execute(_READ, list(upto), list(upto.values()))
            found = [open_envelope(row["envelope"]) for row in rows if row["stream"].startswith(self._streams)]
            if found:
                return found
        return ()


# Keys in an order of their own, each from where it was left: as many events as fit.
_UNREAD = """
SELECT unread.key, unread.key_sequence, unread.stream, unread.envelope
FROM key_heads AS head LEFT JOIN projected USING (key)
CROSS JOIN LATERAL (
    SELECT e.key, e.key_sequence, e.stream, e.envelope FROM events AS e
    WHERE e.key = head.key AND e.key_sequence > coalesce(projected.last_sequence, 0)
    ORDER BY e.key_sequence LIMIT $1
) AS unread
WHERE head.last_sequence > coalesce(projected.last_sequence, 0)
LIMIT $1
"""
_READ = """
INSERT INTO projected (key, last_sequence) SELECT * FROM unnest($1::text[], $2::bigint[])
ON CONFLICT (key) DO UPDATE SET last_sequence = excluded.last_sequence
"""
_STRAYED = """
SELECT relname FROM pg_stat_xact_user_tables
WHERE schemaname = $1 AND n_tup_ins + n_tup_upd + n_tup_del > 0 ORDER BY relname
"""
_OF = "(SELECT c.oid FROM pg_class c WHERE c.relnamespace = $1::text::regnamespace AND c.relname = $2)"
_KEYS = f"""
SELECT conname AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
WHERE conrelid = {_OF} AND contype IN ('p', 'u', 'x') ORDER BY contype, conname
"""  # noqa: S608
_INDEXES = f"""
SELECT pg_get_indexdef(indexrelid) AS definition FROM pg_index
WHERE indrelid = {_OF} AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype <> 'f')
"""  # noqa: S608
_TRIGGERS = f"""
SELECT pg_get_triggerdef(oid, true) AS definition FROM pg_trigger WHERE tgrelid = {_OF} AND NOT tgisinternal
ORDER BY tgname
"""  # noqa: S608
_REFERENCES = f"""
SELECT conname AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
WHERE conrelid = {_OF} AND contype IN ('c', 'f') ORDER BY conname
"""  # noqa: S608
_REFERENCED = f"""
SELECT h.relname AS holder, conname AS name, pg_get_constraintdef(k.oid) AS definition
FROM pg_constraint k JOIN pg_class h ON h.oid = k.conrelid
WHERE k.confrelid = {_OF} AND k.contype = 'f' ORDER BY h.relname, conname
"""  # noqa: S608
_TELLING = f"""
SELECT a.attname AS name FROM pg_attribute a
LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE a.attrelid = {_OF} AND a.attnum > 0 AND NOT a.attisdropped AND a.attidentity = ''
  AND coalesce(pg_get_expr(d.adbin, d.adrelid), '') NOT IN ('now()', 'clock_timestamp()')
ORDER BY a.attnum
"""  # noqa: S608
