"""One service's PostgreSQL schema: its events, its state, its outbox, in transactions that are all or nothing."""

import asyncio
import random
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Self, TypeVar
from weakref import WeakValueDictionary

import asyncpg
from opentelemetry.trace import Span, StatusCode

from pitstream.events import Event, Recorded, envelope_hash, event_id_text, open_envelope, seal
from pitstream.runtime import metrics, telemetry, tracing
from pitstream.runtime.bulk import insert
from pitstream.runtime.migrate import Migrations, migrate, read_migrations
from pitstream.runtime.postgres import connected
from pitstream.runtime.rights import ensure_role
from pitstream.runtime.settings import TOPIC_SOURCES
from pitstream.runtime.snapshots import Snapshots

if TYPE_CHECKING:
    from asyncpg.pool import PoolConnectionProxy

    from pitstream.runtime.hearing import Hearing

    Connection = PoolConnectionProxy[asyncpg.Record]

State = TypeVar("State")
Result = TypeVar("Result")

_DURATION = metrics.histogram(telemetry.DB_DURATION)
_WAIT = metrics.histogram(telemetry.DB_WAIT)
_IN_TRANSACTION = {telemetry.DB_SYSTEM: "postgresql", telemetry.DB_OPERATION: "transaction"}

_FOLDS_KEPT = 4096
_SEALED_A_TURN = 16
_FOLDED_AT_ONCE = 5_000
_ATTEMPTS = 12
_PUBLISHED_PAUSE_S = 0.01


class UnheardError(Exception):
    """What would be decided rests on there being nothing that was not heard of, and there may be: nothing is done, and
    ``run_command`` runs the unit of work again once the topics are read, or has the caller ask again."""

    def __init__(self, topics: Collection[str], about: str, why: str) -> None:
        super().__init__(f"{about}: {why}")
        self.topics = frozenset(topics)
        """What is to be read; empty where reading does not help."""


class StreamConflictError(Exception):
    """Another writer appended to the stream first. The unit of work is run again from what is there now."""


class Cause(NamedTuple):
    """Why events are appended: what they came from, who asked for it, and whose trace they belong to."""

    cause_id: str
    actor: str
    traceparent: str

    @classmethod
    def of_event(cls, recorded: Recorded) -> Self:
        """The event that a consumer is handling. The actor stays the one who set it all off."""
        return cls(recorded.envelope.event_id, recorded.envelope.actor, recorded.envelope.traceparent)

    @classmethod
    def of_command(cls, command_id: str, actor: str, traceparent: str = "") -> Self:
        """A command; ``traceparent`` is that of the round's first event (``Folded.traceparent``), "" to begin one."""
        return cls(command_id, actor, traceparent)


@dataclass(frozen=True, slots=True)
class Folded(Generic[State]):
    """A stream's state at a version; version 0 is a stream without events.

    ``traceparent`` is that of the first event: the trace that later commands on the stream belong to.
    """

    state: State
    version: int
    traceparent: str


@dataclass(frozen=True, slots=True)
class _Kept:
    folded: Folded[Any]
    hash: bytes | None
    """Of the last event; None until what was appended is written."""
    saved_at: int = 0
    """Version of the snapshot that is stored; 0 without one."""


class _Append(NamedTuple):
    stream: str
    key: str
    events: tuple[Event, ...]
    expected_version: int
    cause: Cause


@dataclass(eq=False)
class Transaction:
    """One PostgreSQL transaction. ``conn`` is for the service's own SQL; the schema is the service's own."""

    store: "Store"
    conn: "Connection"
    appended: dict[str, int] = field(default_factory=dict)
    """Streams that this transaction appended to, with the version they have now."""
    publishes: bool = False
    """Something other than an event is in the outbox: the relay is woken all the same."""
    heard: frozenset[str] = frozenset()
    """Topics that the service has read up to where they ended when the command came."""
    _pending: list[_Append] = field(default_factory=list)
    _hashes: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    _folds: dict[tuple[str, Any], _Kept] = field(default_factory=dict)
    _spans: dict[str, Span] = field(default_factory=dict)
    _works: dict[str, Cause] = field(default_factory=dict)
    """By the id of a cause: the cause as its work has it."""
    _own_spans: list[Span] = field(default_factory=list)
    _written: list[Event] = field(default_factory=list)
    """What was appended and written, where the store counts it."""

    async def load(self, stream: str, after: int = 0, limit: int | None = None) -> list[Recorded]:
        """Events of ``stream`` after version ``after``, in order, with what this transaction appended; the first
        ``limit`` of them."""
        await self.flush()
        rows = await self.conn.fetch(
            "SELECT envelope FROM events WHERE stream = $1 AND version > $2 ORDER BY version LIMIT $3",
            stream,
            after,
            limit,
        )
        loaded = [open_envelope(row["envelope"]) for row in rows]
        if loaded:
            self._hashes[stream] = (loaded[-1].version, loaded[-1].hash)
        return loaded

    async def fold(
        self,
        stream: str,
        initial: State,
        evolve: Callable[[State, Event], State],
        snapshots: Snapshots[State] | None = None,
    ) -> Folded[State]:
        """The stream's state. ``evolve`` must be pure and a module's function: what it made is kept between
        transactions by (stream, evolve), so that only newer events are read. States must be immutable.

        With ``snapshots`` it is also stored now and then, so that a process that starts does not read a long stream
        from its beginning."""
        place = (stream, evolve)
        kept = self._folds.get(place) or self.store.kept_fold(place) or await self._saved(stream, snapshots)
        folded: Folded[State] = kept.folded if kept else Folded(initial, 0, "")
        if kept and kept.hash is not None:
            self._hashes.setdefault(stream, (folded.version, kept.hash))
        # Piece by piece: a long stream fits no memory, and a transaction that is silent for too long is ended.
        while newer := await self.load(stream, folded.version, _FOLDED_AT_ONCE):
            state = folded.state
            for recorded in newer:
                state = evolve(state, recorded.event)
            folded = Folded(state, newer[-1].version, folded.traceparent or newer[0].envelope.traceparent)
            kept = _Kept(folded, newer[-1].hash, kept.saved_at if kept else 0)
            if len(newer) < _FOLDED_AT_ONCE:
                break
        if kept and snapshots and folded.version - kept.saved_at >= snapshots.every:
            version, last_hash = self._hashes[stream]
            if version != folded.version:
                raise RuntimeError(f"{stream}: folded to {folded.version}, its last hash is of {version}")
            data = snapshots.dump(folded.state)
            await self.conn.execute(_SAVE, stream, snapshots.fingerprint, version, last_hash, folded.traceparent, data)
            kept = _Kept(folded, last_hash, version)
        if kept:
            self._folds[place] = kept
        return folded

    async def _saved(self, stream: str, snapshots: Snapshots[State] | None) -> _Kept | None:
        """The stored snapshot, if it was made by this code and still stands on the stream's own events."""
        if snapshots is None:
            return None
        row = await self.conn.fetchrow(_SAVED, stream, snapshots.fingerprint)
        if row is None:
            return None
        state = snapshots.load(row["state"])
        return _Kept(Folded(state, row["version"], row["traceparent"]), row["hash"], row["version"])

    def extend(
        self,
        stream: str,
        key: str,
        folded: Folded[State],
        events: Sequence[Event],
        evolve: Callable[[State, Event], State],
        state: State,
        *,
        cause: Cause,
    ) -> Folded[State]:
        """Append ``events`` to a stream that was folded in this transaction. ``state`` is what ``evolve`` makes of it
        with them: the next fold finds it without reading them again."""
        if not events:
            return folded
        self.append(stream, key, events, expected_version=folded.version, cause=cause)
        after = Folded(state, folded.version + len(events), folded.traceparent)
        place = (stream, evolve)
        before = self._folds.get(place)
        # The first fold of a stream has yet to learn its trace, from the first event as it was written.
        if before is not None and folded.version:
            self._folds[place] = _Kept(after, None, before.saved_at)
        return after

    async def must_have_heard(self, *topics: str, about: str, key: str | None = None) -> None:
        """To be called before anything is decided because ``about`` was not heard of: that is a fact only once the
        service has read ``topics`` up to where they ended when the command came, and nothing of ``key`` was set aside.

        Raises UnheardError until then.
        """
        if unheard := sorted(set(topics) - self.heard):
            raise UnheardError(unheard, about, f"not all of {', '.join(unheard)} was read yet")
        if key is not None and await self.conn.fetchval(_SET_ASIDE, list(topics), key):
            raise UnheardError((), about, f"events of {key} wait for a dead letter")

    async def versions(self, streams: Collection[str]) -> dict[str, int]:
        """The version that each of ``streams`` is at, 0 for one without events: where to append to many at once."""
        await self.flush()
        rows = await self.conn.fetch(_FIND_HEADS, list(streams))
        self._hashes.update(dict.fromkeys(streams, (0, b"")))
        self._hashes.update((row["stream"], (row["version"], row["hash"])) for row in rows)
        return {stream: self._hashes[stream][0] for stream in streams}

    def append(self, stream: str, key: str, events: Sequence[Event], *, expected_version: int, cause: Cause) -> None:
        """Append ``events`` after ``expected_version`` of ``stream``; they are written, in bulk, before the commit.

        When another writer was there first the commit raises StreamConflictError and nothing was done; ``run_command``
        and the consumers then run the whole unit again.
        """
        for event in events:
            source = TOPIC_SOURCES.get(event.topic)
            if source != self.store.source:
                raise ValueError(f"{event.type_name} is written by {source}, not by {self.store.source}")
        if self.appended.get(stream, expected_version) != expected_version:
            raise ValueError(f"expected_version: was {expected_version}; {stream} is at {self.appended[stream]} here")
        if events:
            self._pending.append(_Append(stream, key, tuple(events), expected_version, self._work(stream, cause)))
            self.appended[stream] = expected_version + len(events)

    def adopt_span(self, cause_id: str, span: Span) -> None:
        """What is appended because of ``cause_id`` was written by ``span``, which its maker ends."""
        self._spans[cause_id] = span
        self._works.pop(cause_id, None)

    def _work(self, stream: str, cause: Cause) -> Cause:
        """The cause, with the traceparent of the span that does this work instead of the one that led to it."""
        known = self._works.get(cause.cause_id)
        if known is not None:
            return known
        span = self._spans.get(cause.cause_id)
        if span is None:
            span = tracing.append_span(f"append {stream.partition('/')[0]}", cause.traceparent)
            self._spans[cause.cause_id] = span
            # One that nobody records keeps no attributes, and has no end.
            if span.is_recording():
                span.set_attributes({telemetry.CAUSE_ID: cause.cause_id, telemetry.STREAM: stream})
                round_id = telemetry.round_id(stream)
                if round_id is not None:
                    span.set_attribute(telemetry.ROUND_ID, round_id)
                self._own_spans.append(span)
        traceparent = telemetry.traceparent(span)
        work = Cause(cause.cause_id, cause.actor, traceparent) if traceparent else cause
        self._works[cause.cause_id] = work
        return work

    @asynccontextmanager
    async def savepoint(self) -> AsyncIterator[None]:
        """What fails in this block leaves the transaction as it was before the block."""
        await self.flush()
        before = dict(self.appended), dict(self._hashes), dict(self._folds)
        written = len(self._written)
        try:
            async with self.conn.transaction():
                yield
                await self.flush()
                # A deferred constraint would speak at the commit, when nobody could say what broke it.
                await self.conn.execute("SET CONSTRAINTS ALL IMMEDIATE")
                await self.conn.execute("SET CONSTRAINTS ALL DEFERRED")
        except BaseException:
            self._pending.clear()
            del self._written[written:]
            self.appended, self._hashes, self._folds = before
            raise

    async def flush(self, beside: Coroutine[Any, Any, None] | None = None) -> None:
        """Write what was appended so far. The commit does it; a service never needs to.

        ``beside`` is SQL of the service's own on ``conn``: the database works on it while this process seals events.
        """
        pending, self._pending = self._pending, []
        try:
            if pending:
                firsts = await self._take_places(pending)
                await self._find_hashes(pending)
        except BaseException:
            if beside is not None:
                beside.close()  # it never runs: the transaction is over
            raise
        sqls = asyncio.ensure_future(beside) if beside is not None else None
        try:
            rows, outbox = await self._sealed(pending, firsts) if pending else ([], [])
        finally:
            if sqls is not None:
                await sqls
        try:
            await insert(self.conn, "events", _EVENT_COLUMNS, rows)
        except asyncpg.UniqueViolationError as error:
            if error.constraint_name == "events_one_a_version":
                raise StreamConflictError(str(error.detail)) from error
            raise
        await insert(self.conn, "outbox", ("topic", "stream", "version"), outbox)
        if self.store.counting is not None:
            for batch in pending:
                self._written += batch.events

    async def _sealed(self, pending: Sequence[_Append], firsts: dict[str, int]) -> tuple[list[Any], list[Any]]:
        """Rows of the events and of the outbox. Other work of the loop takes its turns meanwhile."""
        rows, outbox = [], []
        for number, batch in enumerate(pending):
            if number % _SEALED_A_TURN == 0:
                await asyncio.sleep(0)
            version, previous_hash = self._hashes.get(batch.stream, (0, b""))
            cause, key = batch.cause, batch.key
            for event in batch.events:
                version += 1
                now_us = self.store.clock_us()
                event_id = event_id_text(batch.stream, version)
                envelope = seal(
                    event,
                    event_id=event_id,
                    stream=batch.stream,
                    version=version,
                    source=self.store.source,
                    key=key,
                    key_sequence=firsts[key],
                    recorded_at_us=now_us,
                    cause_id=cause.cause_id,
                    actor=cause.actor,
                    traceparent=cause.traceparent,
                    previous_hash=previous_hash,
                )
                previous_hash = envelope_hash(envelope)
                rows.append(
                    (
                        batch.stream, version, key, firsts[key], event_id, event.type_name, now_us, previous_hash,
                        envelope,
                    )
                )  # fmt: skip
                outbox.append((event.topic, batch.stream, version))
                firsts[key] += 1
            self._hashes[batch.stream] = (version, previous_hash)
        return rows, outbox

    async def _take_places(self, pending: Sequence[_Append]) -> dict[str, int]:
        """The first key_sequence for each key. Keys are locked in one order, so that no two transactions deadlock."""
        counts: dict[str, int] = {}
        for batch in pending:
            counts[batch.key] = counts.get(batch.key, 0) + len(batch.events)
        keys = sorted(counts)
        rows = await self.conn.fetch(_TAKE_PLACES, keys, [counts[key] for key in keys])
        return {row["key"]: row["last_sequence"] - counts[row["key"]] + 1 for row in rows}

    async def _find_hashes(self, pending: Sequence[_Append]) -> None:
        """The hash of each stream's event at the expected version; that version must exist."""
        expected: dict[str, int] = {}
        for batch in pending:
            # Only the first append to a stream counts: `append` holds a later one to where the earlier one ended.
            expected.setdefault(batch.stream, batch.expected_version)
        unknown = {s: version for s, version in expected.items() if self._hashes.get(s, (0, b""))[0] != version}
        if not unknown:
            return
        rows = await self.conn.fetch(_FIND_HASHES, list(unknown), list(unknown.values()))
        for row in rows:
            self._hashes[row["stream"]] = (row["version"], row["hash"])
        for stream, version in unknown.items():
            if version == 0:
                self._hashes[stream] = (0, b"")
            elif self._hashes.get(stream, (0, b""))[0] != version:
                raise StreamConflictError(f"{stream} has no version {version}")


_UNPUBLISHED = "SELECT EXISTS (SELECT FROM outbox WHERE stream = $1 AND version <= $2)"
_SET_ASIDE = """
SELECT EXISTS (SELECT FROM key_positions WHERE topic = ANY($1) AND key = $2 AND blocked_by IS NOT NULL)
    OR EXISTS (SELECT FROM parked WHERE topic = ANY($1) AND key = $2)
"""
_SAVE = """
INSERT INTO snapshots (stream, fingerprint, version, hash, traceparent, state) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT ON CONSTRAINT snapshots_once DO UPDATE
SET version = excluded.version, hash = excluded.hash, traceparent = excluded.traceparent, state = excluded.state
WHERE snapshots.version < excluded.version
"""
_SAVED = """
SELECT s.version, s.hash, s.traceparent, s.state FROM snapshots s JOIN events e USING (stream, version)
WHERE s.stream = $1 AND s.fingerprint = $2 AND s.hash = e.hash
"""
_TAKE_PLACES = """
INSERT INTO key_heads (key, last_sequence) SELECT key, count FROM unnest($1::text[], $2::bigint[]) AS t (key, count)
ON CONFLICT ON CONSTRAINT key_heads_once DO UPDATE SET last_sequence = key_heads.last_sequence + excluded.last_sequence
RETURNING key, last_sequence
"""
_FIND_HEADS = """
SELECT last.* FROM unnest($1::text[]) AS asked (stream) CROSS JOIN LATERAL (
    SELECT e.stream, e.version, e.hash FROM events e WHERE e.stream = asked.stream ORDER BY e.version DESC LIMIT 1
) AS last
"""
_FIND_HASHES = """
SELECT e.stream, e.version, e.hash FROM events e
JOIN unnest($1::text[], $2::bigint[]) AS t (stream, version) USING (stream, version)
"""
_EVENT_COLUMNS = (
    "stream", "version", "key", "key_sequence", "event_id", "type", "recorded_at_us", "hash", "envelope",
)  # fmt: skip


class Store:
    """A service's schema and its pool of connections. ``async with Store.open(...)`` migrates it first."""

    def __init__(self, pool: asyncpg.Pool, source: str, clock_us: Callable[[], int], role: str) -> None:
        self.pool = pool
        self.source = source
        self.clock_us = clock_us
        self.role = role
        """What every connection acts as: it cannot edit what is kept for ever. Migrations run as the owner."""
        self.committed = asyncio.Event()
        """Set after a commit that appended or wrote to the outbox: the relay waits for it."""
        self.hearing: Hearing | None = None
        """What the service has read; None where no service runs around this store."""
        self.counting: metrics.Counting | None = None
        """Told of all that a transaction appended, once it was committed."""
        self._folds: OrderedDict[tuple[str, Any], _Kept] = OrderedDict()
        # Kept alive by those who wait, so that a stream nobody waits for any more is forgotten.
        self._waiting: WeakValueDictionary[str, asyncio.Event] = WeakValueDictionary()

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        postgres: str,
        *,
        service: str,
        migrations: Migrations | None = None,
        pool_max: int = 10,
        clock_us: Callable[[], int] = lambda: time.time_ns() // 1000,
    ) -> AsyncIterator["Store"]:
        """The store of ``service``: its schema brought up to date, its connections open."""
        wanted = read_migrations("runtime", files("pitstream.runtime") / "migrations")
        if migrations is not None:
            wanted += read_migrations(service, migrations)
        connection = await connected(postgres)
        try:
            role = await ensure_role(connection, service)
            await migrate(connection, service, wanted, role)
        finally:
            await connection.close()
        pool = asyncpg.create_pool(
            postgres,
            min_size=2,
            max_size=pool_max,
            init=_log_queries if telemetry.spans_are_exported() else None,
            reset=_keep_session,
            server_settings={
                "role": role,
                "search_path": service,
                "application_name": f"pitstream-{service}",
                # A transaction that its process has forgotten must not hold a key for ever.
                "idle_in_transaction_session_timeout": "60000",
            },
        )
        async with pool:
            yield cls(pool, service, clock_us, role)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Transaction]:
        """One transaction, committed at the end of the block. Nothing is retried: see ``run``."""
        asked = time.perf_counter()
        async with self.pool.acquire() as conn:
            tx = Transaction(self, conn)
            began, measured = time.perf_counter(), _IN_TRANSACTION
            _WAIT.record(began - asked)
            try:
                async with conn.transaction():
                    yield tx
                    await tx.flush()
            except BaseException as error:
                measured = {**_IN_TRANSACTION, telemetry.ERROR_TYPE: type(error).__name__}
                for span in tx._own_spans:  # noqa: SLF001  # the transaction and its store are one thing
                    span.set_status(StatusCode.ERROR, "rolled back")
                raise
            finally:
                _DURATION.record(time.perf_counter() - began, measured)
                for span in tx._own_spans:  # noqa: SLF001
                    span.end()
            self._after_commit(tx)

    async def run(self, work: Callable[[Transaction], Awaitable[Result]]) -> Result:
        """``work`` in a transaction, run again from the start after a lost race or a lost connection.

        The reply to a commit can be lost after the commit was done, so ``work`` must be harmless then: it begins by
        recording the id of what it does. Raises what ``work`` raises, and the last error when the attempts are used up.
        """
        attempt = 0
        while True:
            attempt += 1
            try:
                async with self.transaction() as tx:
                    return await work(tx)
            except Exception as error:
                if attempt >= _ATTEMPTS or not is_transient(error):
                    raise
            # Two writers that met once must not meet again in step.
            await asyncio.sleep(random.uniform(0, min(0.002 * 2**attempt, 1.0)))  # noqa: S311

    async def has_published(self, stream: str, version: int, wait_s: float) -> bool:
        """Whether Kafka has the stream's events up to that version, or has them within ``wait_s`` seconds: a reader
        that has read its topic to the end from then on has heard of them."""
        deadline = asyncio.get_running_loop().time() + wait_s
        while await self.pool.fetchval(_UNPUBLISHED, stream, version):
            if asyncio.get_running_loop().time() > deadline:
                return False
            await asyncio.sleep(_PUBLISHED_PAUSE_S)
        return True

    def kept_fold(self, place: tuple[str, Any]) -> _Kept | None:
        kept = self._folds.get(place)
        if kept is not None:
            self._folds.move_to_end(place)
        return kept

    def _after_commit(self, tx: Transaction) -> None:
        for place, kept in tx._folds.items():  # noqa: SLF001
            if kept.hash is None:
                kept = replace(kept, hash=tx._hashes[place[0]][1])  # noqa: SLF001  # written by now
            before = self._folds.get(place)
            if before is None or (before.folded.version, before.saved_at) < (kept.folded.version, kept.saved_at):
                self._folds[place] = kept
                self._folds.move_to_end(place)
        while len(self._folds) > _FOLDS_KEPT:
            self._folds.popitem(last=False)
        if tx.appended or tx.publishes:
            self.committed.set()
        if self.counting is not None and tx._written:  # noqa: SLF001
            self.counting(tx._written)  # noqa: SLF001
        for stream in tx.appended:
            waiting = self._waiting.pop(stream, None)
            if waiting is not None:
                waiting.set()

    async def wait_for(self, stream: str, after_version: int, wait_ms: int, poll_ms: int = 250) -> int:
        """The stream's version as soon as it is above ``after_version``, or what it is after ``wait_ms``.

        Wakes at once when this process appends, within ``poll_ms`` when another does.
        """
        deadline = asyncio.get_running_loop().time() + wait_ms / 1000
        while True:
            waiting = self._waiting.setdefault(stream, asyncio.Event())
            version: int = await self.pool.fetchval(
                "SELECT coalesce(max(version), 0) FROM events WHERE stream = $1", stream
            )
            left = deadline - asyncio.get_running_loop().time()
            if version > after_version or left <= 0:
                return version
            # Not wait_for: on Python 3.11 it can lose a cancellation that comes together with the event.
            with suppress(TimeoutError):
                async with asyncio.timeout(min(left, poll_ms / 1000)):
                    await waiting.wait()


def is_transient(error: BaseException) -> bool:
    """True where the same work, run again, may well succeed."""
    if isinstance(error, asyncpg.InterfaceError):
        return "closed" in str(error)
    return isinstance(
        error,
        StreamConflictError
        | asyncpg.SerializationError
        | asyncpg.DeadlockDetectedError
        | asyncpg.PostgresConnectionError
        | asyncpg.OperatorInterventionError  # it is being stopped, or starts
        | asyncpg.InsufficientResourcesError  # disk, memory, connections
        | ConnectionError
        | TimeoutError,
    )


async def _log_queries(connection: Any) -> None:
    connection.add_query_logger(tracing.note_query)


async def _keep_session(_connection: Any) -> None:
    """Nothing here changes a session's state, so giving a connection back needs no round trip."""
