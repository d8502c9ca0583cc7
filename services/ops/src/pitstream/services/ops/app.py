"""The ops room, each part wired once."""

from importlib.resources import as_file, files

from fastapi import APIRouter
from starlette.staticfiles import StaticFiles

from pitstream.accounting.properties import read_properties
from pitstream.runtime import Service, Store
from pitstream.runtime.beside import Beside
from pitstream.runtime.delivery import delivery_of
from pitstream.runtime.gate import Browsers
from pitstream.services.ops import actions, api, oidc, pages, sessions
from pitstream.services.ops.config import OpsSettings
from pitstream.services.ops.hearing import handlers
from pitstream.services.ops.live import Live
from pitstream.services.ops.owners import Owners
from pitstream.services.ops.projector import Projector
from pitstream.services.ops.rendering import STATIC, Headers, problem_page
from pitstream.services.ops.sessions import LOGIN, SessionKey, Sessions


def build(settings: OpsSettings | None = None) -> Service:
    """The service; settings are read from the environment unless given. Raises SessionKeyError."""
    chosen = settings or OpsSettings()
    properties = read_properties(chosen.properties)
    heard = handlers(Projector(properties))
    live, owners = Live(), Owners(chosen)
    edges = Beside("pitstream.accounting.count", failed="{}")
    service = Service(
        chosen,
        migrations=files("pitstream.services.ops") / "migrations",
        handlers=heard,
        unhurried=set(heard),
        beside=[live.watch, owners.stay_open, lambda _: edges.run(str(chosen.paytables or ""))],
        router=_routes(),
        title="pitstream ops: the room that a pit is run from",
        browsers=Browsers(cookie=chosen.cookie, login=LOGIN, open=(LOGIN, "/static/")),
        problem_page=problem_page,
    )
    service.app.add_middleware(Headers)
    with as_file(STATIC) as folder:
        service.app.mount("/static", StaticFiles(directory=folder))

    async def delivery(store: Store) -> dict[str, object]:
        return await delivery_of(store, service.lags)

    state = service.app.state
    state.properties, state.live, state.owners, state.edges = properties, live, owners, edges
    state.delivery, state.trace_url = delivery, chosen.trace_url
    state.provider = oidc.Provider(chosen) if chosen.oidc_issuer else None
    state.sessions = Sessions(chosen, SessionKey(chosen.session_key) if chosen.session_key else None)
    return service


def _routes() -> APIRouter:
    router = APIRouter()
    for part in (sessions.router, oidc.router, api.router, actions.routes(), pages.router):
        router.include_router(part)
    return router
