"""The ops room, each part wired once."""

from importlib.resources import as_file, files

from fastapi import APIRouter
from starlette.staticfiles import StaticFiles

from pitstream.accounting.properties import read_properties
from pitstream.runtime import Service
from pitstream.runtime.gate import Browsers
from pitstream.services.ops import api, pages, sessions
from pitstream.services.ops.config import OpsSettings
from pitstream.services.ops.hearing import handlers
from pitstream.services.ops.projector import Projector
from pitstream.services.ops.rendering import STATIC, Headers, problem_page
from pitstream.services.ops.sessions import LOGIN, SessionKey, Sessions


def build(settings: OpsSettings | None = None) -> Service:
    """The service; settings are read from the environment unless given. Raises SessionKeyError."""
    chosen = settings or OpsSettings()
    routes = APIRouter()
    for router in (sessions.router, api.router, pages.router):
        routes.include_router(router)
    properties = read_properties(chosen.properties)
    heard = handlers(Projector(properties))
    service = Service(
        chosen,
        migrations=files("pitstream.services.ops") / "migrations",
        handlers=heard,
        unhurried=set(heard),
        router=routes,
        title="pitstream ops: the room that a pit is run from",
        browsers=Browsers(cookie=chosen.cookie, login=LOGIN, open=(LOGIN, "/static/")),
        problem_page=problem_page,
    )
    service.app.add_middleware(Headers)
    with as_file(STATIC) as folder:
        service.app.mount("/static", StaticFiles(directory=folder))
    key = SessionKey(chosen.session_key) if chosen.session_key else None
    service.app.state.properties = properties
    service.app.state.sessions = Sessions(chosen, key)
    return service
