"""Each request, as it is seen from outside of everything that answers it: how long it took, and its span."""

import time
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pitstream.runtime import metrics, telemetry, tracing

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_UNSEEN = ("/health/", "/metrics")
"""Asked every few seconds by machines: spans of it would hide the others."""
_STREAM = b"text/event-stream"

_DURATION = metrics.histogram(telemetry.HTTP_DURATION)


class Observed:
    """ASGI middleware; the outermost."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._spans = telemetry.spans_are_exported()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status, streams = time.perf_counter(), 500, False
        request: tracing.Request | None = None
        if self._spans and not scope["path"].startswith(_UNSEEN):
            found = [value for name, value in scope["headers"] if name == b"traceparent"]
            request = tracing.Request(scope["method"], found[0].decode("latin-1") if len(found) == 1 else "")

        async def sending(message: Message) -> None:
            nonlocal status, streams
            if message["type"] == "http.response.start":
                status = message["status"]
                streams = any(key == b"content-type" and value.startswith(_STREAM) for key, value in message["headers"])
            await send(message)

        try:
            await self._app(scope, receive, sending)
        finally:
            method = scope["method"] if scope["method"] in _METHODS else "_OTHER"
            attributes: dict[str, Any] = {
                telemetry.HTTP_METHOD: method,
                telemetry.HTTP_STATUS: status,
                telemetry.URL_SCHEME: scope["scheme"],
            }
            route = getattr(scope.get("route"), "path_format", None)
            if route is not None:
                attributes[telemetry.HTTP_ROUTE] = route
            # A page that follows along keeps its request open for as long as somebody looks at it.
            if not streams:
                _DURATION.record(time.perf_counter() - began, attributes)
            if request is not None:
                name = f"{method} {route}" if route else method
                request.end(name, {**attributes, telemetry.URL_PATH: scope["path"]}, failed=status >= 500)
