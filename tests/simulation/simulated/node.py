"""One process of a service: its store, its consumers, its relay, its HTTP routes, and nothing that outlives a crash."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pitstream.events import Recorded
from pitstream.runtime import Handler, Service, Transaction
from pitstream.runtime.consumer import TopicConsumer
from pitstream.runtime.hearing import Hearing, missing
from pitstream.runtime.relay import Relay
from pitstream.runtime.store import Store
from pitstream.services.ops.hearing import handlers as room_handlers
from pitstream.services.ops.projector import Projector
from simulated.bus import Polling, Producing, Subscribing
from simulated.connection import Connection, Crashed, Pool
from simulated.faults import ON_BATCHES, chance

if TYPE_CHECKING:
    from collections.abc import Collection

    from simulated.world import World

BATCH_MAX = 40


@dataclass(frozen=True, slots=True)
class Answer:
    """What a request was answered; ``body`` is JSON."""

    status: int
    body: Any


class Heard(Hearing):
    """Says at once whether the topics are read: who asks comes again, as a caller does that was told to."""

    async def has_read(self, topics: "Collection[str]", wait_s: float = 0) -> bool:
        return not missing(await self._ends(topics), await self._checkpoints(topics))


def _handlers_of(service: Service) -> Mapping[str, Handler]:
    """Those of one process: what the ops room remembers of rounds is gone with it."""
    if service.settings.service == "ops":
        return room_handlers(Projector(service.app.state.properties))
    return service.handlers


class Node:
    """It lives until ``kill``. A service has several; any of them is asked, each reads its share of the topics."""

    def __init__(self, world: "World", service: Service, number: int) -> None:
        self.world = world
        self.service = service.settings.service
        self.name = f"{self.service}-{number}"
        self.number = number
        self.alive = True
        self._built = service
        self._app = service.app
        self.handlers = _handlers_of(service)
        self._fails_on: str | None = None
        pool: Any = Pool(self)
        self.store = Store(pool, self.service, world.clock_us, world.database.roles[self.service])
        self.consumers: dict[str, TopicConsumer] = {}
        self.subscribers: dict[str, Subscribing] = {}
        for topic, handler in sorted(self.handlers.items()):
            subscribing: Any = Subscribing(world.bus)
            self.subscribers[topic] = subscribing
            failing = self._failing(handler)
            self.consumers[topic] = TopicConsumer(self.store, subscribing, topic, failing, batch_max=BATCH_MAX)
        self.store.hearing = Heard(self.store, self.consumers.values())
        self.relay = Relay(self.store, postgres="", kafka="")

    def _failing(self, handler: Handler) -> Handler:
        """The handler, with a bug that shows in this step: it fails on one event, having done all there was to do."""

        async def handle(tx: Transaction, batch: Sequence[Recorded]) -> None:
            if self._fails_on == "":
                self._fails_on = batch[-1].envelope.event_id
            await handler(tx, batch)
            if any(one.envelope.event_id == self._fails_on for one in batch):
                raise ArithmeticError("a bug of our own")

        return handle

    def must_live(self) -> None:
        if not self.alive:
            raise Crashed(f"{self.name} is dead")

    def kill(self) -> None:
        """Everything that it had in memory is gone."""
        self.alive = False
        for consumer in self.consumers.values():
            consumer.close()

    def polls(self, topic: str) -> Polling:
        return self.subscribers[topic].consumer

    async def deliver(self, topic: str) -> str:
        """Poll a batch and give it to the consumer, as FastStream does."""
        faults = self.world.faults
        reader = self.polls(topic)
        # Small batches are there to go wrong in; once all works again they would only be more of them.
        most = chance(faults.plan.seed, "batch", faults.step).choice((1, 3, BATCH_MAX)) if faults.active else BATCH_MAX
        family = faults.one_of(ON_BATCHES, f"{self.name} {topic}")
        if family == "rewind":
            for place, at in reader.at.items():
                reader.at[place] = max(0, at - 3)
        if family == "stale_batch":
            reader.poll(1)  # handed over and abandoned: what is polled behind it must not be applied before it
        records = reader.poll(most)
        if family == "stale_batch":
            await self.world.rebalance(self.service, topic)
        if records:
            self._fails_on = "" if family == "handler_fails" else None
            await self.subscribers[topic].consume(records)
        return f"{topic} {[(r.partition, r.offset) for r in records]}"

    async def publish(self) -> int:
        """Send the oldest rows of the outbox, as the relay's loop does; how many were acknowledged."""
        real = await self.world.database.take(self.service)
        connection: Any = Connection(self, real)
        producer: Any = Producing(self.world.bus, f"{self.name} relay", lambda: self.world.another_relay(self))
        try:
            return await self.relay._publish_batch(connection, producer)
        finally:
            self.world.database.give(self.service, real)

    async def ask(self, method: str, path: str, body: Mapping[str, Any] | None, headers: Mapping[str, str]) -> Answer:
        """One HTTP request, through the whole application."""
        with self._answering():
            return await self._ask(method, path, body, headers)

    @contextmanager
    def _answering(self) -> Iterator[None]:
        """The application is built once for all nodes and seeds: for this request it is this node's, with its store and
        with what its handlers remember. One that is answered in the middle of another's gives it back."""
        handlers, state = self._built.handlers, self._app.state
        before, store = dict(handlers), getattr(state, "store", None)
        handlers.update(self.handlers)
        state.store = self.store
        try:
            yield
        finally:
            handlers.update(before)
            state.store = store

    async def _ask(self, method: str, path: str, body: Mapping[str, Any] | None, headers: Mapping[str, str]) -> Answer:
        raw_path, _, query = path.partition("?")
        content = b"" if body is None else json.dumps(body).encode()
        named = {**headers, "content-type": "application/json", "content-length": str(len(content))}
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": raw_path,
            "raw_path": raw_path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(name.lower().encode(), value.encode()) for name, value in named.items()],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 80),
            "app": self._app,
        }
        status, parts = 0, []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": content, "more_body": False}

        async def send(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            elif message["type"] == "http.response.body":
                parts.append(message.get("body", b""))

        try:
            await self._app(scope, receive, send)
        except Exception as error:
            if status == 0:
                raise
            return Answer(status, {"raised": repr(error)})
        answer = json.loads(b"".join(parts) or b"null")
        if status >= 400:
            answer.pop("instance", None)  # of this one answer: another each time
        return Answer(status, answer)
