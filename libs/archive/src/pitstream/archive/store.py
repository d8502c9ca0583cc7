"""The services' event stores as a source: one snapshot over all of them, read by server-side cursors."""

from bisect import bisect_right
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from types import TracebackType
from typing import Final, Self

import asyncpg

from pitstream.archive.stored import TOPICS, WHOLE, Shard, SourceError, Stored
from pitstream.runtime.postgres import PostgresRefusedError, connected
from pitstream.runtime.settings import TOPIC_SOURCES

_PREFETCH: Final = 500
_KEYS_AT_ONCE: Final = 500
_LEFT_OUT_MAX: Final = 2000


class StoreSource:
    """Reads the schemas of all services in one database. Nothing is written, and no writer is held up."""

    name = "store"

    def __init__(self, postgres: str, *, snapshot: str | None = None) -> None:
        """``snapshot`` is another source's ``exported``: both then see the same, whatever is written meanwhile."""
        self._postgres = postgres
        self._snapshot = snapshot
        self.exported = ""
        """What lets further sources, also of other processes, see what this one sees, as long as it is open."""

    async def __aenter__(self) -> Self:
        """Raises SourceError when the database cannot be read, or a service never ran on it."""
        try:
            self._connection = await connected(self._postgres, timeout=10)
        except PostgresRefusedError as error:
            raise SourceError(str(error)) from error
        try:
            self._transaction = self._connection.transaction(isolation="repeatable_read", readonly=True)
            await self._transaction.start()
            if self._snapshot is not None:
                # Made by PostgreSQL, and a literal by its grammar: it takes no parameter here.
                await self._connection.execute(f"SET TRANSACTION SNAPSHOT '{self._snapshot.replace(chr(39), '')}'")
            self.exported = await self._connection.fetchval("SELECT pg_export_snapshot()")
            for service in TOPIC_SOURCES.values():
                if not await self._connection.fetchval("SELECT to_regclass($1) IS NOT NULL", f"{service}.events"):
                    raise SourceError(f"PITSTREAM_POSTGRES: has no events of the {service} service; it never ran on it")
        except asyncpg.PostgresError as error:
            await self._connection.close()
            raise SourceError(f"PITSTREAM_POSTGRES: cannot be read: {error}") from error
        except BaseException:
            await self._connection.close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # Not rolled back first: a cursor that was left half read is closed with its connection.
        await self._connection.close()

    async def keys(self, topic: str, shard: Shard = WHOLE) -> list[str]:
        """The keys that have events, sorted. Their number is that of tables, networks and accounts, not of events."""
        rows = await self._connection.fetch(_KEYS.format(schema=TOPIC_SOURCES[topic]))
        return sorted(row["key"] for row in rows if shard.has(row["key"]))

    async def events(
        self,
        topic: str,
        *,
        shard: Shard = WHOLE,
        keys: Collection[str] | None = None,
        after: Mapping[str, int] | None = None,
        until: Callable[[Stored], bool] = lambda _: False,
    ) -> AsyncIterator[Stored]:
        """As every source; here one key after the other, sorted. ``after`` leaves out each key's events up to that
        sequence; ``until`` is asked of every event, and where it says True that event and the rest of its key are left
        out."""
        wanted = await self.keys(topic, shard) if keys is None else sorted(key for key in set(keys) if shard.has(key))
        query = _EVENTS.format(schema=TOPIC_SOURCES[topic])
        where = f"{TOPIC_SOURCES[topic]}.events"
        at = 0
        while at < len(wanted):
            some = wanted[at : at + _KEYS_AT_ONCE]
            seen = [after.get(key, 0) for key in some] if after else [0] * len(some)
            at += len(some)
            ended, left_out = "", 0
            async for row in self._connection.cursor(query, some, seen, prefetch=_PREFETCH):
                if row["key"] == ended:
                    left_out += 1
                    if left_out > _LEFT_OUT_MAX:
                        # A new query costs less than reading a long key to its end.
                        at = bisect_right(wanted, ended)
                        break
                    continue
                stored = _stored(topic, row, where)
                if until(stored):
                    ended, left_out = stored.key, 0
                    continue
                yield stored

    async def stream(self, topic: str, key: str, stream: str) -> list[Stored]:  # noqa: ARG002  # the index needs no key
        """As every source. ``key`` is not looked at: an event that stands under a wrong one is found too."""
        schema = TOPIC_SOURCES[topic]
        rows = await self._connection.fetch(_STREAM.format(schema=schema), stream)
        return [_stored(topic, row, f"{schema}.events") for row in rows]

    async def count(self, topic: str) -> int:
        """About how many events there are, as PostgreSQL estimates it: for a progress bar."""
        query = "SELECT greatest(reltuples, 0)::bigint FROM pg_class WHERE oid = to_regclass($1)"
        return int(await self._connection.fetchval(query, f"{TOPIC_SOURCES[topic]}.events"))

    async def openings(self) -> list[bytes]:
        """The envelopes of every table's openings, which say its gaming days; in no order."""
        tables = await self.keys(TOPICS[0])
        return [row["envelope"] for row in await self._connection.fetch(_OPENINGS, [f"table/{one}" for one in tables])]


def _stored(topic: str, row: asyncpg.Record, where: str) -> Stored:
    return Stored(
        topic,
        row["key"],
        row["key_sequence"],
        row["stream"],
        row["version"],
        str(row["event_id"]),
        row["type"],
        row["recorded_at_us"],
        row["hash"],
        row["envelope"],
        where,
    )


# From key to key by the index; DISTINCT would read every event.
_KEYS = """
WITH RECURSIVE found (key) AS (
    (SELECT key FROM "{schema}".events ORDER BY key LIMIT 1)
    UNION ALL
    SELECT (SELECT events.key FROM "{schema}".events WHERE events.key > found.key ORDER BY events.key LIMIT 1)
    FROM found WHERE found.key IS NOT NULL
)
SELECT key FROM found WHERE key IS NOT NULL
"""
_COLUMNS = "e.stream, e.version, e.key, e.key_sequence, e.event_id, e.type, e.recorded_at_us, e.hash, e.envelope"
_EVENTS = f"""
SELECT {_COLUMNS}
FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS wanted (key, seen, place)
CROSS JOIN LATERAL (
    SELECT * FROM "{{schema}}".events
    WHERE events.key = wanted.key AND events.key_sequence > wanted.seen ORDER BY events.key_sequence
) AS e
ORDER BY wanted.place, e.key_sequence
"""  # noqa: S608  # the schema is one of four words of our own
_STREAM = f"""SELECT {_COLUMNS} FROM "{{schema}}".events AS e WHERE e.stream = $1 ORDER BY e.version"""  # noqa: S608
_OPENINGS = """
SELECT envelope FROM "table".events WHERE stream = ANY ($1) AND type = 'pitstream.rounds.v1.TableOpened'
"""
