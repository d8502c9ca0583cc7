"""Pages are made here: the templates' environment, what every page knows, and the headers that every answer has."""

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse, Response
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pitstream.runtime.gate import csrf_token
from pitstream.services.ops.frame import equip, frame_of

STATIC = files("pitstream.services.ops") / "static"
ENVIRONMENT = Environment(
    loader=PackageLoader("pitstream.services.ops", "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
equip(ENVIRONMENT)
_CSP = "; ".join((
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data: blob:", "font-src 'self'",
    "connect-src 'self'", "manifest-src 'self'", "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'",
))  # fmt: skip
_HEADERS = {
    "content-security-policy": _CSP,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}


def page(request: Request, template: str, status: int = 200, **context: Any) -> HTMLResponse:
    """A template as the answer. Beside ``context`` it knows ``request``, ``who`` (the principal, None before the
    login), ``csrf`` (the token for forms and the header ``X-CSRF-Token``) and ``page`` (its frame)."""
    credential = request.scope.get("pitstream.credential")
    known = {
        "request": request,
        "page": frame_of(request),
        "who": request.scope.get("pitstream.principal"),
        "csrf": csrf_token(credential) if credential else "",
    }
    return HTMLResponse(ENVIRONMENT.get_template(template).render({**known, **context}), status)


def problem_page(request: Request, problem: Mapping[str, Any], status: int) -> Response | None:
    """What is wrong, for a person at a browser; None for everybody else."""
    if not request.headers.get("accept", "").startswith("text/html"):
        return None
    return page(request, "problem.html", status, problem=problem)


class Headers:
    """ASGI middleware: what browsers are told of every answer. What changes is not kept; what is static is."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        cached = "no-cache" if scope["path"].startswith("/static/") else "no-store"

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                told = {name for name, _ in message.get("headers", ())}
                more = {**_HEADERS, "cache-control": cached}
                added = [(n.encode(), v.encode()) for n, v in more.items() if n.encode() not in told]
                message = {**message, "headers": [*message.get("headers", ()), *added]}
            await send(message)

        await self._app(scope, receive, sending)
