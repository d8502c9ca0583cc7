"""Who watches is told everything as it is at first, then of each thing that changed what it is now: once, however
often it changed meanwhile. Who comes back with the last message's id is told what changed since. Method: rounds are
told to the read models on a real PostgreSQL, with watchers that read on, that wait, that go and come back."""

import asyncio
import json
import runpy
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from pitstream.accounting.properties import read_properties
from pitstream.events import Recorded
from pitstream.runtime import Principal, Role, Store
from pitstream.services.ops import live, told
from pitstream.services.ops.live import Live
from pitstream.services.ops.projector import Projector

pytestmark = pytest.mark.stack

BENCH = runpy.run_path(str(Path(__file__).parents[1] / "benches" / "five_hundred_tables.py"))
ANYBODY = Principal("f.moreau", frozenset({Role.FLOORPERSON}), frozenset({"*"}))
PATIENCE_S = 30


@dataclass
class Watcher:
    """Somebody's stream; ``id`` is that of the message read last."""

    messages: AsyncIterator[str]
    id: str = ""
    waiting: list[tuple[str, Any]] = field(default_factory=list)

    async def next(self, name: str = "floor") -> Any:
        """What the next message of a name says; others are passed over."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                while self.waiting:
                    kind, data = self.waiting.pop(0)
                    if kind == name:
                        return data
                self.waiting += self._read(await anext(self.messages))

    def _read(self, text: str) -> Iterator[tuple[str, Any]]:
        for block in text.split("\n\n"):
            fields = dict(line.split(": ", 1) for line in block.splitlines())
            if "event" in fields:
                self.id = fields["id"]
                yield fields["event"], json.loads(fields["data"])

    async def rounds(self) -> dict[str, int]:
        """Table -> its last round, of the next message about the floor."""
        return {one["table"]: one["round_no"] for one in (await self.next())["tables"]}


@dataclass
class Room:
    store: Store
    live: Live
    topics: Any = field(default_factory=BENCH["Topics"])
    projector: Projector = field(default_factory=lambda: Projector(read_properties(None)))
    played: dict[str, int] = field(default_factory=dict)

    async def hear(self, events: Sequence[Recorded]) -> None:
        for topic in sorted({one.event.topic for one in events}):
            batch = [one for one in events if one.event.topic == topic]
            async with self.store.transaction() as tx:
                await told.keep(tx, batch)
                await self.projector(tx.conn, batch)

    async def play(self, *tables: str) -> None:
        """A round more at each of these tables."""
        for table in tables:
            self.played[table] = self.played.get(table, 0) + 1
            await self.hear(list(BENCH["played"](self.topics, table, self.played[table])))

    def watch(self, after: str = "", who: Principal = ANYBODY) -> Watcher:
        return Watcher(self.live.messages(self.store, who, after))


@asynccontextmanager
async def opened(database: str) -> AsyncIterator[Room]:
    """An ops room that has heard of three tables."""
    migrations = files("pitstream.services.ops") / "migrations"
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(Store.open(database, service="ops", migrations=migrations))
        room = Room(store, Live())
        await room.hear(list(BENCH["opened"](room.topics))[:4])
        watching = asyncio.create_task(room.live.watch(store))
        try:
            yield room
        finally:
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching


async def test_who_comes_is_told_everything_and_who_comes_back_what_changed_since(database: str):
    async with opened(database) as room:
        await room.play("uth-000")
        watcher = room.watch()
        assert await watcher.rounds() == {"uth-000": 1, "uth-001": 0, "uth-002": 0}
        [meter] = (await watcher.next("meters"))["meters"]
        assert (meter["network"], meter["amount"]) == ("wide", 1_000_100)
        await watcher.next("heard")
        await room.play("uth-001")
        assert await watcher.rounds() == {"uth-001": 1}
        await watcher.messages.aclose()  # type: ignore[attr-defined]  # it is a generator

        await room.play("uth-000", "uth-001")
        back = room.watch(after=watcher.id)
        since = await back.rounds()
        assert since == {"uth-000": 2, "uth-001": 2}

        # An id of tables that are gone, and one that nobody gave, begin anew.
        for stale in ("1-1", "not an id", f"{watcher.id.partition('-')[0]}-{'9' * 30}"):
            assert await room.watch(after=stale).rounds() == {"uth-000": 2, "uth-001": 2, "uth-002": 0}


async def test_what_changed_often_is_told_once_as_it_is_now(database: str):
    async with opened(database) as room:
        slow, quick = room.watch(), room.watch()
        await slow.next("heard")
        await quick.next("heard")
        for _ in range(5):
            await room.play("uth-002")
        while (await quick.rounds()).get("uth-002") != 5:
            pass
        assert await slow.rounds() == {"uth-002": 5}
        await room.play("uth-000")
        assert await slow.rounds() == {"uth-000": 1}


async def test_who_is_too_far_behind_is_told_everything_anew(database: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(live, "_TOO_MANY", 2)
    async with opened(database) as room:
        slow, quick = room.watch(), room.watch()
        await slow.next("heard")
        await quick.next("heard")
        await room.play("uth-000", "uth-001")
        while (await quick.rounds()).get("uth-001") != 1:
            pass
        assert await slow.rounds() == {"uth-000": 1, "uth-001": 1, "uth-002": 0}


async def test_nobody_is_told_of_anothers_tables(database: str):
    elsewhere = Principal("g.diaz", frozenset({Role.FLOORPERSON}), frozenset({"acme"}))
    async with opened(database) as room:
        theirs, ours = room.watch(who=elsewhere), room.watch()
        first = await anext(theirs.messages)
        assert "uth-" not in first
        assert "wide" not in first
        await ours.next("heard")
        await room.play("uth-000")
        while (await ours.rounds()).get("uth-000") != 1:
            pass
        # What they are told next is how far the topics are heard, and nothing else.
        assert [name for name, _ in theirs._read(await anext(theirs.messages))] == ["heard"]
