"""A service: its HTTP edge, its relay and its consumers, started and stopped together."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import uvicorn
from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse

from pitstream.events.refusal import Refusal
from pitstream.runtime import logs, telemetry
from pitstream.runtime.commands import AnsweredError, Outcome
from pitstream.runtime.consumer import Handler
from pitstream.runtime.migrate import Migrations
from pitstream.runtime.settings import ServiceSettings
from pitstream.runtime.store import Store


class Service:
    """One process of a service. ``app`` is its FastAPI application, ``run()`` serves it until SIGTERM."""

    def __init__(
        self,
        settings: ServiceSettings,
        *,
        migrations: Migrations | None = None,
        handlers: Mapping[str, Handler] | None = None,
        router: APIRouter | None = None,
        title: str | None = None,
    ) -> None:
        self.settings = settings
        self.migrations = migrations
        self.handlers = dict(handlers or {})
        self.app = FastAPI(title=title or f"pitstream {settings.service}", lifespan=self._lifespan)
        self.app.add_exception_handler(AnsweredError, _answered)
        self.app.add_exception_handler(RequestValidationError, _invalid_input)
        if router is not None:
            self.app.include_router(router)

    @asynccontextmanager
    async def _lifespan(self, app: FastAPI) -> AsyncIterator[None]:
        settings = self.settings
        async with Store.open(
            settings.postgres, service=settings.service, migrations=self.migrations, pool_max=settings.pool_max
        ) as store:
            app.state.store = store
            yield

    def run(self) -> None:
        """Serve until SIGTERM."""
        logs.set_up(self.settings.service, self.settings.log_level)
        telemetry.set_up(self.settings.service)
        uvicorn.run(self.app, host=self.settings.host, port=self.settings.port, log_config=None, access_log=False)


async def _answered(_request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, AnsweredError):
        raise error
    return error.outcome.response()


async def _invalid_input(_request: Request, error: Exception) -> JSONResponse:
    """Every fault of the input, in the shape that all refusals have; the first one leads."""
    if not isinstance(error, RequestValidationError):
        raise error
    faults: list[dict[str, Any]] = [
        {
            "field": ".".join(str(step) for step in fault["loc"][1:]) or str(fault["loc"][0]),
            "message": f"was {fault.get('input')!r}; {fault['msg']}",
        }
        for fault in error.errors()
    ]
    outcome = Outcome.refused(Refusal("invalid_input", faults[0]["field"], faults[0]["message"]))
    outcome.body["error"]["faults"] = faults
    return outcome.response()
