"""The scheduler: one step at a time, drawn from the seed, and nothing between two steps.

A step is a request of somebody, a batch of a topic, a batch of an outbox, a timer, or something that goes wrong. Within
it the services run as they do anywhere, on real connections; a fault may fire at any statement, commit, send or answer.
"""

import asyncio
import gc
import random
from collections import Counter
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

from pitstream.runtime import Service, commands
from simulated import poison
from simulated.bus import Bus, assign
from simulated.connection import Crashed
from simulated.database import Database
from simulated.faults import ON_REQUESTS, Faults, Plan, chance
from simulated.node import Answer, Node
from simulated.people import Person, Progress, Request, Unexpected, deals, opens_network, pays_in, retries, validates
from simulated.rounds import TablePlan, draw_tables

SERVICES = ("ops", "progressive", "settlement", "table", "wallet")
_READS, _READS_SLOWLY = 1.5, 0.04
_HURRY = {"ops": 0.4}
"""Who reads in larger batches, as nobody waits for it."""
FAULTY_STEPS_MAX = 900
HEALED_STEPS_MAX = 1000
SLEEPS_MAX = 300
_START_US = 1_748_000_000_000_000
_SLEEP, _WAIT, _SOON = asyncio.sleep, asyncio.wait, asyncio.ensure_future


class Stuck(BaseException):
    """Something is not finished within a bound: a step that only ever tries again, or the run once all works again."""


@dataclass
class Working:
    """Somebody, what they want to ask now, and what they were told before."""

    name: str
    person: Person
    request: Request
    told: int = 0
    """How often something had been committed at the service waited for, when last asked."""
    heard: Answer | None = None
    """What they were answered last: why somebody asks for ever."""


@dataclass(frozen=True, slots=True)
class Told:
    """A final answer to a command, which must stay the answer."""

    request: Request
    answer: Answer


@dataclass
class World:
    """One run."""

    plan: Plan
    database: Database
    services: Mapping[str, Service]
    keys: Mapping[str, str]
    faults: Faults = field(init=False)
    bus: Bus = field(init=False)
    progress: Progress = field(default_factory=Progress)
    told: list[Told] = field(default_factory=list)
    poisoned: list[poison.Poison] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    healed_at: int = 0

    def __post_init__(self) -> None:
        self.faults = Faults(self.plan)
        self.tables: list[TablePlan] = draw_tables(self.plan)
        self._now_us = _START_US
        self.bus = Bus(self.faults, self.clock_us)
        self.nodes: dict[str, list[Node | None]] = {}
        self._numbers = 0
        self._owner: dict[str, int] = {}
        self._slow: set[tuple[str, str]] = set()
        self._commits: Counter[str] = Counter()
        self._queued: Counter[str] = Counter()
        self._published: dict[str, int] = dict.fromkeys(SERVICES, -1)
        self._meant = {service: chance(self.plan.seed, service).choice((1, 2)) for service in SERVICES}
        self._interleaving = False
        self._sleeps = 0
        self._timers: list[tuple[asyncio.Task[Any], asyncio.Future[None]]] = []
        self._before: set[asyncio.Task[Any]] = set()
        self._working: list[Working] = []

    # What the nodes ask of it ----------------------------------------------------------------------------------------

    def clock_us(self) -> int:
        self._now_us += 1
        return self._now_us

    def committed(self, node: Node, *, queued: bool, buried: bool) -> None:
        """A transaction that wrote something; whether there is something to publish of it, or a dead letter."""
        self._commits[node.service] += 1
        self._queued[node.service] += queued
        self._commits[f"dead letters of {node.service}"] += buried

    async def meanwhile(self, node: Node) -> None:
        """Another process of the service does something while this one is in the middle of something."""
        others = [one for one in self.nodes[node.service] if one is not None and one is not node]
        if not self._interleaving and others:
            await _undisturbed(self._by_another(node, others[0]))

    async def _by_another(self, node: Node, other: Node) -> None:
        self._interleaving = True
        try:
            draw = chance(self.plan.seed, "meanwhile", self.faults.step)
            asked = [
                one
                for one in self._working
                if one.request.service == node.service and one.request.command_id and self._is_worth_asking(one)
            ]
            if asked and draw.random() < 0.5:
                # The same request again, as a caller sends it who lost patience.
                request = draw.choice(asked).request
                await self._guarded(other, other.ask(*_http(request, self.keys)))
            elif other.consumers:
                topic = draw.choice(sorted(other.consumers))
                await self._guarded(other, other.deliver(topic))
            if other.alive and draw.random() < 0.5:
                await self._guarded(other, other.publish())
        finally:
            self._interleaving = False

    async def another_relay(self, node: Node) -> None:
        """Another process believes that it is its turn to publish."""
        others = [one for one in self.nodes[node.service] if one is not None and one is not node]
        if others and not self._interleaving:
            self._interleaving = True
            try:
                await self._guarded(others[0], others[0].publish())
            finally:
                self._interleaving = False

    async def rebalance(self, service: str, topic: str, *, zombie: bool = False) -> None:
        """The partitions of a group are given out anew among who lives."""
        living = [node for node in self.nodes[service] if node is not None]
        members = [node.consumers[topic] for node in living]
        partitions = range(len(self.bus.topics[topic]))
        draw = chance(self.plan.seed, "rebalance", self.faults.step)
        owners = [draw.randrange(len(members)) for _ in partitions] if members else []
        shares = [{p for p in partitions if owners[p] == index} for index in range(len(members))]
        untold = [draw.choice(members)] if zombie and len(members) > 1 else []
        await assign(topic, members, shares, untold=untold)

    # The run ----------------------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Play the seed to its end. Raises Unexpected or Stuck for what nobody may see."""
        self._before = asyncio.all_tasks()
        with self._virtual_time():
            try:
                self.faults.begin(0)
                for service in SERVICES:
                    self._slow |= {
                        (service, topic)
                        for topic in sorted(self.services[service].handlers)
                        if self.faults.hits("slow_reader", f"{service} {topic}")
                    }
                for service in SERVICES:
                    self.nodes[service] = [None, None]
                    for index in range(self._meant[service]):
                        await self._start(service, index)
                self._people()
                while not self._people_are_done() and len(self.steps) < FAULTY_STEPS_MAX:
                    await self._step()
                await self._heal()
                bound = len(self.steps) + HEALED_STEPS_MAX
                while not await self._is_finished():
                    if len(self.steps) >= bound:
                        raise Stuck(f"after {HEALED_STEPS_MAX} steps: {await self._what_is_left()}")
                    await self._step()
            finally:
                await self._end()

    def _people(self) -> None:
        self.progress.dealing = sum(bool(one.rounds) for one in self.tables)
        self._working = []
        people: list[tuple[str, Person]] = [
            ("network", opens_network(self.plan, self.progress)),
            ("cashier", pays_in(self.plan, self.tables, self.progress)),
            *((f"dealer {one.table}", deals(self.plan, one, self.progress)) for one in self.tables if one.rounds),
            ("floorperson", validates()),
            *((f"{service} operations", retries(service)) for service in SERVICES),
        ]
        for name, person in people:
            self._working.append(Working(name, person, next(person)))

    def _people_are_done(self) -> bool:
        return all(one.name == "floorperson" or one.name.endswith("operations") for one in self._working)

    async def _heal(self) -> None:
        self.faults.active = False
        self.healed_at = len(self.steps)
        for service in SERVICES:
            for index, node in enumerate(self.nodes[service]):
                if node is None:
                    await self._start(service, index)
            # Whoever believes to own the relay by mistake has lost its connection by now; whoever polls is asked anew.
            for topic in self.services[service].handlers:
                await self.rebalance(service, topic)
        await self._fire_timers()

    async def _step(self) -> None:
        number = len(self.steps) + 1
        self.faults.begin(number)
        self._sleeps = 0
        self._now_us += 1_000
        options = self._options()
        draw = chance(self.plan.seed, "step", number)
        name, weight_and_work = draw.choices(list(options.items()), weights=[weight for weight, _ in options.values()])[
            0
        ]
        said = await weight_and_work[1]()
        self.steps.append(f"{number} {name}{': ' if said else ''}{said or ''}")
        await self._wrong()

    def _options(self) -> dict[str, tuple[float, Any]]:
        """What may happen next, with its weight."""
        options: dict[str, tuple[float, Any]] = {}
        for one in self._working:
            if self._is_worth_asking(one):
                weight = 0.4 if one.name == "floorperson" else 2.0
                options[f"{one.name} asks"] = (weight, lambda one=one: self._ask(one))
        for service in SERVICES:
            for index, node in enumerate(self.nodes[service]):
                if node is None:
                    if index in self._crashed_of(service):
                        options[f"start {service}/{index}"] = (0.7, lambda s=service, i=index: self._start(s, i))
                    continue
                for topic in node.consumers:
                    if node.polls(topic).has_more():
                        options[f"{node.name} reads {topic}"] = (
                            self._hurry(service, topic),
                            lambda n=node, t=topic: self._deliver(n, t),
                        )
            if self._published[service] != self._queued[service] and (owner := self._relay_owner(service)):
                options[f"{owner.name} publishes"] = (1.5, lambda n=owner: self._publish(n))
        if self._timers:
            options["timer"] = (0.3, self._fire_timers)
        if not options:
            options["nothing"] = (1.0, self._nothing)
        return options

    def _hurry(self, service: str, topic: str) -> float:
        """The weight of a service's reading of a topic."""
        if self.faults.active and (service, topic) in self._slow:
            return _READS_SLOWLY
        return _HURRY.get(service, _READS)

    def _crashed_of(self, service: str) -> set[int]:
        """The places of a service's processes that are to be filled."""
        return {i for i, node in enumerate(self.nodes[service]) if node is None and i < self._meant[service]}

    def _relay_owner(self, service: str) -> Node | None:
        living = [node for node in self.nodes[service] if node is not None]
        if not living:
            return None
        return living[self._owner.get(service, 0) % len(living)]

    def _is_worth_asking(self, one: Working) -> bool:
        if not any(self.nodes[one.request.service]):
            return False
        if one.name.startswith("dealer") and not (self.progress.networks_open and self.progress.deposits):
            return False
        waits = one.request.waits_for
        return not waits or self._commits[waits] != one.told

    async def _nothing(self) -> str:
        return ""

    async def _ask(self, one: Working) -> str:
        request = one.request
        if request.waits_for:
            one.told = self._commits[request.waits_for]
        draw = chance(self.plan.seed, "ask", self.faults.step)
        node = draw.choice([node for node in self.nodes[request.service] if node is not None])
        told = f"{request.method} {request.path}"
        answer = await self._guarded(node, node.ask(*_http(request, self.keys)))
        family = self.faults.one_of(ON_REQUESTS, told)
        if not isinstance(answer, Answer) or answer.status in (500, 503) or family == "reply_lost":
            one.told = -1  # asked for nothing: it is worth asking again
            return f"{told} by {node.name}: no answer ({answer.status if isinstance(answer, Answer) else answer})"
        if answer.status == 429:
            raise RuntimeError("the simulation asks too fast")
        one.heard = answer
        if request.command_id:
            self.told.append(Told(request, answer))
            if family == "sent_again":
                await self._send_again(node)
        try:
            one.request = one.person.send(answer)
        except StopIteration:
            self._working.remove(one)
        return f"{told} by {node.name}: {answer.status}"

    async def _send_again(self, node: Node) -> None:
        """A command that was answered comes a second time: nothing happens, and the answer is the same."""
        before = chance(self.plan.seed, "again", self.faults.step).choice(self.told)
        others = [one for one in self.nodes[before.request.service] if one is not None]
        if not others:
            return
        answer = await self._guarded(others[0], others[0].ask(*_http(before.request, self.keys)))
        if isinstance(answer, Answer) and answer.status not in (500, 503) and answer != before.answer:
            raise Unexpected(f"{before.request.command_id}: was answered {before.answer}, then {answer}")

    async def _deliver(self, node: Node, topic: str) -> str:
        return str(await self._guarded(node, node.deliver(topic)))

    async def _publish(self, node: Node) -> str:
        queued = self._queued[node.service]
        sent = await self._guarded(node, node.publish())
        if isinstance(sent, int):  # the whole outbox, as there never is more than a batch of it
            self._published[node.service] = queued
        return str(sent)

    async def _guarded(self, node: Node, work: Any) -> Any:
        """What came of it; a process that crashes is gone, an error that its caller would log is told."""
        try:
            return await work
        except Crashed as crashed:
            await self._kill(node)
            return f"crashed ({crashed})"
        except Unexpected:
            raise
        except Exception as error:
            return f"failed ({error!r})"

    async def _kill(self, node: Node) -> None:
        if not node.alive:
            return
        node.kill()
        places = self.nodes[node.service]
        places[places.index(node)] = None
        self._published[node.service] = -1
        for topic in node.consumers:
            await self.rebalance(node.service, topic)

    async def _start(self, service: str, index: int) -> str:
        self._numbers += 1
        self.nodes[service][index] = Node(self, self.services[service], self._numbers)
        self._published[service] = -1
        for topic in sorted(self.services[service].handlers):
            await self.rebalance(service, topic)
        return f"{service}-{self._numbers}"

    async def _wrong(self) -> None:
        """What goes wrong between two steps."""
        faults, draw = self.faults, chance(self.plan.seed, "wrong", self.faults.step)
        service = draw.choice(SERVICES)
        node = draw.choice(self.nodes[service])
        topics = sorted(self.services[service].handlers)
        topic = draw.choice(topics)
        if node is not None and faults.hits("crash", node.name):
            await self._kill(node)
        if faults.hits("rebalance", f"{service} {topic}"):
            await self.rebalance(service, topic)
        if faults.hits("zombie", f"{service} {topic}"):
            await self.rebalance(service, topic, zombie=True)
        if faults.hits("poison", topic):
            made = poison.poison(draw, topic, self.bus)
            self.poisoned.append(made)
            self.bus.append(topic, made.key, made.value, made.headers)
        if faults.hits("clock_jump", ""):
            self._now_us += draw.choice((-3_600, -1, 1, 60, 3_600)) * 1_000_000
        if draw.random() < 0.05:
            self._owner[service] = self._owner.get(service, 0) + 1

    # The end ----------------------------------------------------------------------------------------------------------

    async def _is_finished(self) -> bool:
        if not self._people_are_done() or any(self._is_worth_asking(one) for one in self._working):
            return False
        if any(self._published[service] != self._queued[service] for service in SERVICES):
            return False
        return not any(
            node.polls(topic).has_more() for nodes in self.nodes.values() for node in nodes if node
            for topic in node.consumers
        )  # fmt: skip

    async def _what_is_left(self) -> str:
        left = [f"{one.name} wants {one.request.path}, heard {one.heard}" for one in self._working]
        left += [f"{s} publishes" for s in SERVICES if self._published[s] != self._queued[s]]
        left += [
            f"{node.name} reads {topic}" for nodes in self.nodes.values() for node in nodes if node
            for topic in node.consumers if node.polls(topic).has_more()
        ]  # fmt: skip
        return "; ".join(left)

    async def _end(self) -> None:
        for nodes in self.nodes.values():
            for node in nodes:
                if node is not None:
                    node.kill()
        # Whatever goes on would go on in the next seed, with its locks and its draws.
        left = asyncio.all_tasks() - self._before
        left.discard(asyncio.current_task())  # type: ignore[arg-type]
        for task in left:
            task.cancel()
        if left:
            await _WAIT(left)
        gc.collect()
        await _SLEEP(0)  # generators that nobody went on with are closed

    # Time -------------------------------------------------------------------------------------------------------------

    @contextmanager
    def _virtual_time(self) -> Iterator[None]:
        """Nobody waits here. What sleeps in the background goes on when the scheduler draws its timer; what is waited
        for comes, however busy the machine is; and what a service does at the same time it does in turn, or which of
        two comes first would be chance."""
        state, patience, step = random.getstate(), commands.PUBLISHED_S, asyncio.current_task()

        async def sleep(seconds: float, result: Any = None) -> Any:
            task = asyncio.current_task()
            if seconds and task is not None and task is not step and "_hint_soon" in repr(task.get_coro()):
                timer: asyncio.Future[None] = asyncio.get_running_loop().create_future()
                self._timers.append((task, timer))
                await timer
            else:
                self._sleeps += 1
                if self._sleeps > SLEEPS_MAX:
                    raise Stuck(f"step {len(self.steps) + 1} has tried {SLEEPS_MAX} times")
                await _SLEEP(0)
            return result

        async def wait(works: Any, *, timeout: float | None = None, **kwargs: Any) -> Any:  # noqa: ASYNC109
            return await _WAIT(works, **kwargs)

        gc.disable()  # or what was left lying is closed in a step that chance decides
        random.seed(self.plan.seed)
        asyncio.sleep, commands.PUBLISHED_S = sleep, 0.0  # type: ignore[assignment]
        asyncio.wait, asyncio.ensure_future = wait, lambda work: work  # type: ignore[assignment]
        try:
            yield
        finally:
            asyncio.sleep, asyncio.wait, asyncio.ensure_future = _SLEEP, _WAIT, _SOON
            commands.PUBLISHED_S = patience
            random.setstate(state)
            gc.enable()

    async def _fire_timers(self) -> str:
        timers, self._timers = self._timers, []
        for task, timer in timers:
            if not timer.done() and not task.done():
                timer.set_result(None)
                await _WAIT([task])
                await self._resumed()
        return str(len(timers))

    async def _resumed(self) -> None:
        """Nobody goes to a checkpoint any more: who does so beside others meets another fault than alone."""
        consumers = [
            consumer
            for nodes in self.nodes.values() for node in nodes if node for consumer in node.consumers.values()
        ]  # fmt: skip
        for consumer in consumers:
            if consumer._resuming is not None:
                await _WAIT([consumer._resuming])


async def _undisturbed(work: Coroutine[Any, Any, None]) -> None:
    """Do this to its end, also where it ends who waits for it: only then goes on what was cancelled."""
    task, cancelled = asyncio.create_task(work), None
    while not task.done():
        try:
            await _WAIT([task])
        except asyncio.CancelledError as error:
            cancelled = error
    task.result()
    if cancelled is not None:
        raise cancelled


def _http(request: Request, keys: Mapping[str, str]) -> tuple[str, str, Mapping[str, Any] | None, dict[str, str]]:
    headers = {"authorization": f"Bearer {keys[request.by]}"}
    if request.command_id:
        headers["idempotency-key"] = request.command_id
    return request.method, request.path, request.body, headers


@asynccontextmanager
async def playing(
    plan: Plan, database: Database, services: Mapping[str, Service], keys: Mapping[str, str]
) -> AsyncIterator[World]:
    """A world in an empty database, not yet run."""
    await database.empty()
    yield World(plan, database, services, keys)
