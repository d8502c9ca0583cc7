"""What changes, as it changes: server-sent events for whoever watches, four times a second at most, and half as often
where a look takes long: hundreds of tables change between two looks then, and each is shown but once.

One look at the database serves everybody who listens at this process. Each message's id says up to where the changes
were seen, so that who comes back with it gets what came since, and nothing is missed.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from pitstream.runtime import Principal, Store
from pitstream.runtime.logs import log
from pitstream.runtime.store import is_transient
from pitstream.services.ops import floor, things_read
from pitstream.services.ops.freshness import as_of
from pitstream.services.ops.told import Connection

EVERY_MS = 250
_EVERY_MS_MAX = 500
_REST = 4
"""A look takes a fifth of the time at most, as long as that leaves two looks a second."""
_BEAT_S = 1.0
_TOO_MANY = 2_000
"""Changes that nobody took in time: whoever is so far behind is shown everything anew."""
NAMES = {
    "hit": "hits", "prize": "prizes", "change": "changes", "question": "questions", "dispute": "disputes",
    "correction": "corrections", "remote": "moves", "receivable": "receivables", "network": "networks",
}  # fmt: skip
"""Kind -> what its messages are called, beside ``floor`` and ``meters``."""


@dataclass(frozen=True, slots=True)
class Change:
    """Something that changed: what its message is called, what names it, whose it is, and what it is now."""

    name: str
    id: str
    owners: tuple[str, ...]
    """Ids (a table's, a network's) of which one must be in somebody's scopes for them to see it."""
    data: str
    """JSON, written once for everybody who listens."""


@dataclass(eq=False)
class _Listener:
    waiting: dict[tuple[str, str], Change] = field(default_factory=dict)
    """Of each thing only what it is now."""
    upto: str = ""
    overflowed: bool = False
    news: asyncio.Event = field(default_factory=asyncio.Event)


async def cursor(conn: Connection) -> tuple[str, int]:
    """Which tables these are, and the oldest transaction that may still change them."""
    row = await conn.fetchrow(
        "SELECT 'floor'::regclass::oid::bigint AS epoch, pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS upto"
    )
    return str(row["epoch"]), row["upto"]


async def changes(conn: Connection, since: int) -> list[Change]:
    """Everything that transactions from ``since`` on have changed."""
    rows = await conn.fetch("SELECT kind, id FROM touched WHERE changed >= $1", since)
    by_kind: dict[str, list[str]] = {}
    for row in rows:
        by_kind.setdefault(row["kind"], []).append(row["id"])
    found = []
    tables = by_kind.pop("table", [])
    if tables:
        found += [_table(one) for one in await floor.tables_named(conn, tables)]
    # A hit changes what its meter has pending.
    meters = set(by_kind.pop("meter", []))
    for kind, ids in by_kind.items():
        for thing in await things_read.named(conn, kind, ids):
            owners = tuple(one for one in (thing.table, thing.network, _owner(thing.account)) if one)
            found.append(Change(NAMES[kind], thing.id, owners, things_read.view(thing).model_dump_json()))
            if kind == "hit":
                meters.add(f"{thing.network}/{thing.state['meter']}")
    found += [_meter(one) for one in await things_read.meters_of(conn, sorted(meters))]
    return found


def _owner(account: str | None) -> str | None:
    return account.split("/")[1] if account and account.count("/") == 2 else None


def _table(one: floor.TableOnFloor) -> Change:
    return Change("floor", one.table, (one.table,), one.model_dump_json())


def _meter(one: things_read.MeterView) -> Change:
    return Change("meters", f"{one.network}/{one.meter}", (one.network,), one.model_dump_json())


class Live:
    """Watches the read models for all who listen."""

    def __init__(self) -> None:
        self._listeners: set[_Listener] = set()
        self._wanted = asyncio.Event()
        self._watches = asyncio.Event()
        """From a moment on at which what changes is seen: who looks at everything later misses nothing."""

    async def watch(self, store: Store) -> None:
        """Goes on for as long as the service runs. Nobody listens, nothing is asked."""
        epoch, since, loop = "", 0, asyncio.get_running_loop()
        while True:
            if not self._listeners:
                self._wanted.clear()
                self._watches.clear()
                epoch = ""
                await self._wanted.wait()
            began = loop.time()
            try:
                async with store.pool.acquire() as conn, conn.transaction(isolation="repeatable_read", readonly=True):
                    now, upto = await cursor(conn)
                    anew = now != epoch
                    found = await changes(conn, upto if anew else since)
            except Exception as error:
                if not is_transient(error):
                    raise
                log.warning("changes cannot be looked at now", error=repr(error))
                await asyncio.sleep(_BEAT_S)
                continue
            if anew:
                # Other tables took the place of those that were followed, or we begin.
                for listener in self._listeners:
                    listener.overflowed = listener.overflowed or bool(epoch)
                epoch, since = now, upto
            for listener in self._listeners:
                self._tell(listener, found, f"{epoch}-{since}")
            since = upto
            self._watches.set()
            await asyncio.sleep(min(_EVERY_MS_MAX, max(EVERY_MS, _REST * 1000 * (loop.time() - began))) / 1000)

    def _tell(self, listener: _Listener, found: Sequence[Change], upto: str) -> None:
        listener.waiting.update({(one.name, one.id): one for one in found})
        listener.upto = upto
        if len(listener.waiting) > _TOO_MANY:
            listener.waiting.clear()
            listener.overflowed = True
        if found or listener.overflowed:
            listener.news.set()

    async def messages(self, store: Store, who: Principal, last_id: str) -> AsyncIterator[str]:
        """What somebody sees, from the message on that ``last_id`` names; without it everything first."""
        listener = _Listener()
        self._listeners.add(listener)
        self._wanted.set()
        try:
            await self._watches.wait()
            async with store.pool.acquire() as conn, conn.transaction(isolation="repeatable_read", readonly=True):
                epoch, upto = await cursor(conn)
                known, _, since = last_id.partition("-")
                resumes = known == epoch and since.isdecimal() and len(since) < 19
                first = await changes(conn, int(since)) if resumes else await self._everything(conn)
                told = await as_of(conn)
            begins = f"{epoch}-{upto}"
            heard = _message("heard", told.model_dump_json(), begins)
            yield "".join(["retry: 1000\n\n", *_messages(first, who, begins), heard])
            listener.upto = listener.upto or begins
            loop = asyncio.get_running_loop()
            beat_at = loop.time()
            while True:
                await _news(listener.news, _BEAT_S)
                if listener.overflowed:
                    listener.overflowed = False
                    async with store.pool.acquire() as conn:
                        found: Sequence[Change] = await self._everything(conn)
                else:
                    found = list(listener.waiting.values())
                listener.waiting.clear()
                listener.news.clear()
                for message in _messages(found, who, listener.upto):
                    yield message
                if loop.time() - beat_at >= _BEAT_S:
                    beat_at = loop.time()
                    yield _message("heard", (await as_of(store.pool)).model_dump_json(), listener.upto)
        finally:
            self._listeners.discard(listener)

    async def _everything(self, conn: Connection) -> list[Change]:
        rows = await conn.fetch("SELECT table_id FROM floor")
        tables = await floor.tables_named(conn, [row["table_id"] for row in rows])
        meters = await conn.fetch("SELECT id FROM things WHERE kind = 'meter' ORDER BY id")
        return [
            *(_table(one) for one in tables),
            *(_meter(one) for one in await things_read.meters_of(conn, [row["id"] for row in meters])),
        ]


async def _news(event: asyncio.Event, wait_s: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(wait_s):
            await event.wait()


def _messages(found: Sequence[Change], who: Principal, upto: str) -> list[str]:
    """One message a name, with all that is the caller's to see."""
    seen: dict[str, list[str]] = {}
    for one in found:
        if who.sees_all or any(who.sees(owner) for owner in one.owners):
            seen.setdefault(one.name, []).append(one.data)
    key = {"floor": "tables"}
    return [_message(name, f'{{"{key.get(name, name)}":[{",".join(data)}]}}', upto) for name, data in seen.items()]


def _message(name: str, data: str, upto: str) -> str:
    return f"event: {name}\nid: {upto}\ndata: {data}\n\n"
