"""The gate before every route: who calls, how often, and how much. Only ``/health/`` is open to whoever asks.

It stands before the router, so a route that somebody forgets to guard is behind it all the same. In order: the
credential (401), the credential's rate (429), the body's size and depth (413, 400). An address whose credentials fail
again and again is answered 429 before another one is looked at, unless it is one that the access file knows: those
behind one proxy share its address, and one of them must not lock out the others.

A service that people's browsers talk to says so (``Browsers``): their credential is in a cookie which scripts cannot
read. What changes something then takes a token beside the cookie, which only a page of ours can know.
"""

import hashlib
import hmac
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from math import ceil
from urllib.parse import parse_qs, quote

from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pitstream.events.refusal import Refusal
from pitstream.runtime.commands import Outcome
from pitstream.runtime.limits import Buckets
from pitstream.runtime.principal import Principal
from pitstream.runtime.problem import begin_request
from pitstream.runtime.settings import ServiceSettings
from pitstream.runtime.tokens import Tokens, UnknownTokenError

DEPTH_MAX = 32
"""Of brackets in a JSON body; no command comes near it."""
_OPEN = "/health/"
_CREDENTIAL_MAX = 8192


_READS = ("GET", "HEAD")
CSRF_HEADER = "x-csrf-token"
CSRF_FIELD = "csrf_token"


@dataclass(frozen=True, slots=True)
class Browsers:
    """How people at browsers come in: the cookie that holds their credential, where they log in, and what is open to
    whoever asks, as the beginnings of paths."""

    cookie: str
    login: str
    open: tuple[str, ...]


def csrf_token(credential: str) -> str:
    """What a page of ours sends beside the cookie. Whoever does not know the credential cannot make it."""
    return hmac.new(credential.encode(), b"pitstream csrf", hashlib.sha256).hexdigest()


class Gate:
    """ASGI middleware. What it lets in has its caller in ``scope["pitstream.principal"]``, and the credential it came
    with in ``scope["pitstream.credential"]``."""

    def __init__(
        self,
        app: ASGIApp,
        settings: ServiceSettings,
        browsers: Browsers | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._app = app
        self._browsers = browsers
        self._open = browsers.open if browsers else ()
        self._access = settings.access
        self._tokens = Tokens(settings.access)
        self._body_max = settings.body_max_bytes
        self._rates = Buckets(per_s=settings.rate_per_s, burst=settings.rate_burst, clock=clock)
        window_s = ceil(settings.rate_burst / settings.rate_per_s)
        self._policy = f'"credential";q={settings.rate_burst};w={window_s}'
        self._failures = Buckets(per_s=1 / settings.failure_pause_s, burst=settings.failures_burst, clock=clock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begin_request(_header(scope, b"traceparent"))
        if scope["path"].startswith(_OPEN):
            await self._app(scope, receive, send)
            return
        if scope["path"].startswith(self._open):
            body = await self._body(scope, receive)
            if isinstance(body, bytes):
                await self._app(scope, _replay(body, receive), send)
            else:
                await body[0].response(body[1])(scope, receive, send)
            return
        headers: dict[str, str] = {}
        credential, by_cookie = self._presented(scope)
        who = await self._who(scope, credential)
        if not isinstance(who, Principal) and self._is_page(scope):
            # Whoever is at a browser is shown where to log in, and comes back here.
            query = scope["query_string"].decode("latin-1")
            asked = quote(scope["path"] + (f"?{query}" if query else ""))
            await RedirectResponse(f"{self._login}?next={asked}", 303)(scope, receive, send)
            return
        if isinstance(who, Principal):
            scope["pitstream.principal"] = who
            scope["pitstream.credential"] = credential
            wait_s = self._rates.take(who.name)
            headers = {
                "RateLimit-Policy": self._policy,
                "RateLimit": f'"credential";r={self._rates.left(who.name)};t={ceil(wait_s)}',
            }
            refused = _too_often("Authorization", f"{who.name} asked too often", wait_s) if wait_s else None
        else:
            refused = who
        if refused is None:
            body = await self._body(scope, receive)
            if isinstance(body, bytes):
                forged = by_cookie and scope["method"] not in _READS and not _is_ours(scope, body, credential)
                if not forged:
                    await self._app(scope, _replay(body, receive), _with(headers, send))
                    return
                refused = _FORGED
            else:
                refused = body
        outcome, extra = refused
        await outcome.response(extra)(scope, receive, _with(headers, send))

    @property
    def _login(self) -> str:
        return self._browsers.login if self._browsers else ""

    def _is_page(self, scope: Scope) -> bool:
        """Whether somebody at a browser asks to see a page."""
        asked = _header(scope, b"accept")
        return self._browsers is not None and scope["method"] in _READS and asked.startswith("text/html")

    def _presented(self, scope: Scope) -> tuple[str, bool]:
        """The credential, "" where there is none, and whether it came in the browsers' cookie."""
        presented = _header(scope, b"authorization")
        if presented or self._browsers is None:
            scheme, _, credential = presented.partition(" ")
            return credential if scheme.lower() == "bearer" else "", False
        return cookie_of(scope, self._browsers.cookie), True

    async def _who(self, scope: Scope, credential: str) -> "Principal | _Refused":
        """The caller, or how it is refused."""
        if not 0 < len(credential) <= _CREDENTIAL_MAX:
            message = "there is none; allowed: Bearer and a key or a token"
            return _unauthorized(Refusal("missing_credential", "Authorization", message))
        is_token = credential.count(".") == 2
        who = self._tokens.known(credential) if is_token else self._access.key(credential, datetime.now(UTC))
        if who is not None:
            return who
        address = scope["client"][0] if scope.get("client") else ""
        wait_s = self._failures.wait_s(address)
        if wait_s:
            return _too_often("Authorization", "too many failed credentials came from this address", wait_s)
        reason = "was a key that is not known, or has expired"
        if is_token:
            try:
                return await self._tokens.check(credential)
            except UnknownTokenError as error:
                reason = str(error)
        self._failures.take(address)
        message = f"{reason}; allowed: a key or a token of the access file"
        return _unauthorized(Refusal("invalid_credential", "Authorization", message), error="invalid_token")

    async def _body(self, scope: Scope, receive: Receive) -> "bytes | _Refused":
        """The whole body, or how it is refused: too large, or too deep."""
        length = _header(scope, b"content-length")
        if length.isdecimal() and int(length) > self._body_max:
            return self._too_large()
        parts: list[bytes] = []
        size = 0
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return b"".join(parts)
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > self._body_max:
                return self._too_large()
            if not message.get("more_body", False):
                break
        body = b"".join(parts)
        if _is_deeper(body, DEPTH_MAX):
            message_ = f"brackets nest deeper than {DEPTH_MAX}; allowed: a JSON object of the documented shape"
            return Outcome.refused(Refusal("invalid_input", "body", message_), 400), {}
        return body

    def _too_large(self) -> "_Refused":
        refusal = Refusal("body_too_large", "body", f"was larger than allowed: {self._body_max} bytes")
        return Outcome.refused(refusal, 413), {"Connection": "close"}


_Refused = tuple[Outcome, dict[str, str]]
"""An answer, and headers of its own."""


_FORGED: _Refused = (
    Outcome.refused(
        Refusal("forged_request", "X-CSRF-Token", "was none of this session; allowed: what the pages here send"), 403
    ),
    {},
)


def _is_ours(scope: Scope, body: bytes, credential: str) -> bool:
    """Whether a page of ours sent this: it has the session's token, in a header or as a field of a form."""
    if _header(scope, b"sec-fetch-site") not in ("", "same-origin", "none"):
        return False
    told = _header(scope, CSRF_HEADER.encode())
    if not told and _header(scope, b"content-type").partition(";")[0] == "application/x-www-form-urlencoded":
        told = parse_qs(body.decode("latin-1")).get(CSRF_FIELD, [""])[0]
    return hmac.compare_digest(told.encode("latin-1", "replace"), csrf_token(credential).encode())


def cookie_of(scope: Scope, name: str) -> str:
    """A cookie's value; empty when it is missing, or came twice."""
    sent = b"; ".join(value for key, value in scope["headers"] if key == b"cookie").decode("latin-1")
    found = [value for key, _, value in (part.strip().partition("=") for part in sent.split(";")) if key == name]
    return found[0] if len(found) == 1 else ""


def _unauthorized(refusal: Refusal, error: str | None = None) -> _Refused:
    challenge = 'Bearer realm="pitstream"' + (f', error="{error}"' if error else "")
    return Outcome.refused(refusal, 401), {"WWW-Authenticate": challenge}


def _too_often(field: str, message: str, wait_s: float) -> _Refused:
    wait = max(1, ceil(wait_s))
    refusal = Refusal("too_many_requests", field, f"{message}; allowed: again in {wait} s")
    return Outcome.refused(refusal, 429), {"Retry-After": str(wait)}


# A string that never ends runs to the end of the body, and nothing is tried twice: else a body of escaped quotes would
# be read once for each of them.
_BRACKETS = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)


def _is_deeper(body: bytes, depth_max: int) -> bool:
    """Whether brackets nest deeper than that, strings left out."""
    if body.count(b"[") + body.count(b"{") <= depth_max:
        return False
    depth = 0
    for found in _BRACKETS.finditer(body):
        first = body[found.start()]
        if first in b"[{":
            depth += 1
            if depth > depth_max:
                return True
        elif first in b"]}":
            depth -= 1
    return False


def _header(scope: Scope, name: bytes) -> str:
    """A request's header; empty when it is missing, or came twice, which nobody honest does."""
    found = [value for key, value in scope["headers"] if key == name]
    return found[0].decode("latin-1") if len(found) == 1 else ""


def _replay(body: bytes, receive: Receive) -> Receive:
    """Receives the body that was read already, then whatever comes."""
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


def _with(headers: dict[str, str], send: Send) -> Send:
    """Sends the answer with these headers too."""
    more = [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()]

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *more]}
        await send(message)

    return sending
