"""A service: its HTTP edge, its relay and its consumers, started and stopped together."""

import asyncio
import logging
import signal
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Annotated, Any, Literal

import asyncpg
import uvicorn
from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from faststream.kafka import KafkaBroker
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from pitstream.events.refusal import Refusal, shown
from pitstream.runtime import gauges, logs, metrics, telemetry
from pitstream.runtime.access import Principal, Role, allowed
from pitstream.runtime.checkpoints import keep_taking
from pitstream.runtime.commands import AnsweredError, Outcome
from pitstream.runtime.consumer import TopicConsumer
from pitstream.runtime.dead_letters import dead_letter_routes, take_in_newer
from pitstream.runtime.delivery import delivery_routes
from pitstream.runtime.gate import Browsers, Gate
from pitstream.runtime.hearing import Hearing
from pitstream.runtime.inbox_store import Handler
from pitstream.runtime.kafka import METADATA_MAX_AGE_MS, answers, ensure_topics, reachable
from pitstream.runtime.kafka_security import explained
from pitstream.runtime.logs import log
from pitstream.runtime.memory import collect_rarely
from pitstream.runtime.migrate import Migrations
from pitstream.runtime.observed import Observed
from pitstream.runtime.openapi import describe
from pitstream.runtime.postgres import connected
from pitstream.runtime.problem import Fault, problem_response
from pitstream.runtime.reader import connect
from pitstream.runtime.relay import Relay
from pitstream.runtime.settings import TOPIC_SOURCES, ServiceSettings
from pitstream.runtime.signing import private_key
from pitstream.runtime.store import Store
from pitstream.runtime.watchdog import LagWatch, exit_now, guard_loop, watch

_GRACE_S = 3.0


class Readiness(BaseModel):
    """Whether the service can do its work, and what it still waits for."""

    status: Literal["ready", "waiting"]
    waiting_for: list[str]


class Service:
    """One process of a service. ``app`` is its FastAPI application, ``run()`` serves it until SIGTERM.

    ``handlers`` has a handler for each topic that the service reads. Nobody waits for what comes of the topics in
    ``unhurried``: their records are collected for ``collect_ms``, and so cost fewer transactions. Each of ``beside`` is
    work that goes on for as long as the service runs, and must not end before it. ``browsers`` lets people in who log
    in; ``problem_page`` shows one of them what is wrong, or gives None where somebody else asked. ``counting`` is told
    of all events that the service committed, for its metrics; ``shown``: further gauges, by what reads them.
    """

    def __init__(
        self,
        settings: ServiceSettings,
        *,
        migrations: Migrations | None = None,
        handlers: Mapping[str, Handler] | None = None,
        unhurried: Collection[str] = (),
        beside: Sequence[Callable[[Store], Coroutine[Any, Any, None]]] = (),
        router: APIRouter | None = None,
        title: str | None = None,
        browsers: Browsers | None = None,
        problem_page: Callable[[Request, Mapping[str, Any], int], Response | None] | None = None,
        counting: metrics.Counting | None = None,
        shown: Mapping[metrics.Gauges, Sequence[telemetry.Metric]] | None = None,
    ) -> None:
        self.settings = settings
        self.migrations = migrations
        self.handlers = dict(handlers or {})
        self.unhurried = frozenset(unhurried)
        self.beside = (*beside, *_checkpoints(settings))
        self.counting = counting
        self.shown = dict(shown or {})
        self.exported: metrics.Exported | None = None
        self.lags: list[LagWatch] = []
        self.relay: Relay | None = None
        self.app = FastAPI(
            title=title or f"pitstream {settings.service}",
            lifespan=self._lifespan,
            generate_unique_id_function=lambda route: route.name,
            # Their pages load scripts from elsewhere, which no casino's network lets in, and send no credential.
            docs_url=None,
            redoc_url=None,
            # Its own spans know nothing of rounds, and cost each request as much as reading it: Observed has ours.
            telemetry={"tracing": False, "metrics": False, "logs": False},
        )
        self.app.add_middleware(Gate, settings=settings, browsers=browsers)
        self.app.add_middleware(Observed)
        self.app.state.problem_page = problem_page
        self.app.add_exception_handler(AnsweredError, _answered)
        self.app.add_exception_handler(RequestValidationError, _invalid_input)
        self.app.add_exception_handler(HTTPException, _unroutable)
        self.app.add_exception_handler(Exception, _failed)
        self.app.include_router(self._health_routes())
        self.app.include_router(self._metrics_route())
        self.app.include_router(dead_letter_routes(self.handlers))
        self.app.include_router(delivery_routes(lambda: self.lags))
        if router is not None:
            self.app.include_router(router)
        describe(self.app, browsers.open if browsers else ())

    def run(self) -> None:
        """Serve until SIGTERM: then stop fetching, finish or abandon what is in hand, and close."""
        logs.set_up(self.settings.service, self.settings.log_level)
        provider = telemetry.set_up(self.settings.service)
        self.exported = metrics.Exported(self.settings.service)
        self.exported.begin()
        collect_rarely()
        # uvicorn stops in order and then raises the signal again, which must not end what comes after.
        for ending in (signal.SIGTERM, signal.SIGINT):
            signal.signal(ending, lambda *_: None)
        try:
            uvicorn.run(
                self.app,
                host=self.settings.host,
                port=self.settings.port,
                loop="uvloop",
                http="httptools",
                log_config=None,
                access_log=False,
                timeout_graceful_shutdown=int(_GRACE_S),
            )
        finally:
            provider.shutdown()
            self.exported.shutdown()

    async def migrate(self) -> None:
        """Bring the topics and the schema up to this version, as every start does, and end."""
        logs.set_up(self.settings.service, self.settings.log_level)
        async with self._up_to_date():
            log.info("migrated")

    @asynccontextmanager
    async def _lifespan(self, app: FastAPI) -> AsyncIterator[None]:
        async with self.running() as store:
            app.state.store = store
            yield

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Store]:
        """Everything but HTTP: store, relay, consumers, watchdog."""
        settings = self.settings
        async with AsyncExitStack() as stack:
            store = await stack.enter_async_context(self._up_to_date())
            self.relay = Relay(store, postgres=settings.postgres, kafka=settings.kafka)
            await stack.enter_async_context(_background(self.relay.run()))
            consumers = await stack.enter_async_context(self._consuming(store))
            store.hearing = Hearing(store, consumers)
            await stack.enter_async_context(_background(take_in_newer(store, self.handlers)))
            self.lags = [LagWatch(consumer, store, settings.kafka) for consumer in consumers]
            if self.exported is not None and self.exported.are_read:
                store.counting = self.counting
                await stack.enter_async_context(_background(self._shown_all_along(store)))
            for work in self.beside:
                await stack.enter_async_context(_background(work(store)))
            await stack.enter_async_context(_background(guard_loop(settings.watchdog_s)))
            await stack.enter_async_context(_background(watch(self.lags, settings.watchdog_s)))
            log.info("started", topics=sorted(self.handlers))
            yield store
            log.info("stopping")

    @asynccontextmanager
    async def _up_to_date(self) -> AsyncIterator[Store]:
        settings = self.settings
        await reachable("postgres", self._postgres_answers, settings.start_wait_s)
        await reachable(
            "kafka",
            lambda: ensure_topics(settings.kafka, partitions=settings.partitions, replication=settings.replication),
            settings.start_wait_s,
        )
        async with Store.open(
            settings.postgres, service=settings.service, migrations=self.migrations, pool_max=settings.pool_max
        ) as store:
            yield store

    async def _shown_all_along(self, store: Store) -> None:
        read = {gauges.of_service(sorted(self.handlers), lambda: self.lags, lambda: self.relay): gauges.SHOWN}
        board = metrics.Board([metric for some in [*read.values(), *self.shown.values()] for metric in some])
        await board.keep_reading(store, [*read, *self.shown])

    async def _postgres_answers(self) -> None:
        connection = await connected(self.settings.postgres, timeout=5)
        await connection.close()

    @asynccontextmanager
    async def _consuming(self, store: Store) -> AsyncIterator[list[TopicConsumer]]:
        settings = self.settings
        broker = KafkaBroker(
            settings.kafka.split(","),
            client_id=f"pitstream-{settings.service}",
            consumer_only=True,
            allow_auto_create_topics=False,
            # A partition that is added meanwhile is read from soon; aiokafka would look every five minutes.
            metadata_max_age_ms=METADATA_MAX_AGE_MS,
            apply_types=False,
            graceful_timeout=_GRACE_S,
            # Its warning at every start says that topics are not created by it; they are created above.
            logger=logging.getLogger("pitstream.faststream"),
            log_level=logging.DEBUG,
        )
        consumers = [
            TopicConsumer(
                store,
                broker,
                topic,
                handler,
                batch_max=settings.batch_max,
                collect_ms=settings.collect_ms if topic in self.unhurried else 0,
            )
            for topic, handler in sorted(self.handlers.items())
        ]
        if not consumers:
            yield []
            return
        await connect(broker, settings.kafka)
        async with explained(settings.kafka):
            await broker.start()
        try:
            for consumer in consumers:
                consumer.check()
            yield consumers
        finally:
            await broker.stop()
            for consumer in consumers:
                consumer.close()

    def _health_routes(self) -> APIRouter:
        router = APIRouter(prefix="/health", tags=["health"])

        @router.get("/live")
        async def live() -> dict[str, str]:
            return {"status": "live"}

        @router.get("/ready", response_model=Readiness, responses={503: {"model": Readiness}})
        async def ready(request: Request) -> JSONResponse:
            waits = await self._not_ready(request.app.state.store)
            return JSONResponse(
                {"status": "waiting" if waits else "ready", "waiting_for": waits}, 503 if waits else 200
            )

        return router

    def _metrics_route(self) -> APIRouter:
        router = APIRouter(tags=["metrics"])

        @router.get(
            "/metrics",
            response_class=PlainTextResponse,
            responses={404: {"description": "Nothing is scraped here: OTEL_METRICS_EXPORTER says so."}},
        )
        async def scraped_metrics(
            _who: Annotated[Principal, Depends(allowed(Role.AUDITOR, Role.OPERATIONS, everywhere=True))],
        ) -> Response:
            """What the service measures, for Prometheus: counters, histograms and gauges, in its text format."""
            found = self.exported.scraped() if self.exported is not None else None
            if found is None:
                message = "was /metrics; allowed: a service whose OTEL_METRICS_EXPORTER is prometheus"
                return Outcome.not_found("path", message).response()
            return Response(found, media_type=metrics.MEDIA_TYPE)

        return router

    async def _not_ready(self, store: Store) -> list[str]:
        """What the service still waits for; empty when it is ready."""
        waits = []
        try:
            async with asyncio.timeout(2):
                await store.pool.fetchval("SELECT 1")
        except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError) as error:
            waits.append(f"postgres: {error!r}")
        for lag in self.lags:
            if not lag.consumer.assigned_once:
                waits.append(f"{lag.consumer.topic}: no partitions assigned yet")
            elif lag.lag is None:
                waits.append(f"{lag.consumer.topic}: lag is not known")
            elif lag.lag > self.settings.ready_lag_max:
                waits.append(f"{lag.consumer.topic}: {lag.lag} records behind, {self.settings.ready_lag_max} allowed")
        if not self.lags and not await answers(self.settings.kafka):
            waits.append("kafka: no broker answers")
        return waits


def _checkpoints(settings: ServiceSettings) -> Iterator[Callable[[Store], Coroutine[Any, Any, None]]]:
    """The work of taking checkpoints, where they are wanted and the service writes a topic of its own."""
    directory = settings.checkpoint_dir
    if directory is not None and settings.service in TOPIC_SOURCES.values():
        key = private_key(settings.checkpoint_key)
        yield lambda store: keep_taking(store, directory, key, settings.checkpoint_every_s)


@asynccontextmanager
async def _background(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """``work`` runs until the block ends; should it end before, the process does."""
    task = asyncio.create_task(work)
    task.add_done_callback(_must_not_end)
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def _must_not_end(task: asyncio.Task[None]) -> None:
    if not task.cancelled():
        exit_now("background work ended", work=repr(task.get_coro()), error=repr(task.exception()))


def _shown(request: Request, outcome: Outcome, headers: Mapping[str, str] | None = None) -> Response:
    """A refusal as whoever asked can read it."""
    page = request.app.state.problem_page
    shown = page(request, outcome.body, outcome.status) if page else None
    return shown or outcome.response(headers)


async def _answered(request: Request, error: Exception) -> Response:
    if not isinstance(error, AnsweredError):
        raise error
    return _shown(request, error.outcome)


async def _invalid_input(_request: Request, error: Exception) -> JSONResponse:
    """Every fault of the input, in the shape that all refusals have; the first one leads."""
    if not isinstance(error, RequestValidationError):
        raise error
    faults = [
        Fault(
            field=".".join(str(step) for step in fault["loc"][1:]) or str(fault["loc"][0]),
            message=f"was {shown(fault.get('input'))}; {fault['msg']}",
        )
        for fault in error.errors()
    ]
    outcome = Outcome.refused(Refusal("invalid_input", faults[0].field, faults[0].message))
    return problem_response(outcome.body, outcome.status, faults=faults)


async def _unroutable(request: Request, error: Exception) -> Response:
    """What the framework refuses before any route runs, in the shape that all refusals have."""
    if not isinstance(error, HTTPException):
        raise error
    match error.status_code:
        case 404:
            refusal = Refusal("not_found", "path", f"was {shown(request.url.path)}; there is no such resource")
        case 405:
            allowed = (error.headers or {}).get("Allow", "another")
            refusal = Refusal("method_not_allowed", "method", f"was {request.method}; allowed: {allowed}")
        case _:
            refusal = Refusal("invalid_input", "body", f"{error.detail}; allowed: a JSON object")
    return _shown(request, Outcome.refused(refusal, error.status_code), error.headers)


async def _failed(request: Request, error: Exception) -> Response:
    """A fault of ours: the caller learns its name in the logs and nothing else; it may ask again."""
    log.error("a request failed", path=request.url.path, error=repr(error))
    refusal = Refusal("internal_error", "", "something went wrong here; the same command id may be sent again")
    return _shown(request, Outcome.refused(refusal, 500))
