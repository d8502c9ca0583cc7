"""Logging in and out: with a password of the access file, or at an OpenID Connect provider (``oidc``).

A session is a cookie that holds a credential, and nothing is kept of it here: for a password, a token that says who
logged in, signed by the ops room's key; from a provider, the provider's own token. Every service takes both as it takes
any other credential, so what a person does here is asked of the others in that person's own name.
"""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import parse_qs, urlsplit

import anyio.to_thread
import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from pitstream.runtime import Principal, allowed
from pitstream.runtime.access import READERS
from pitstream.runtime.access_file import Access
from pitstream.runtime.limits import Buckets
from pitstream.runtime.passwords import PASSWORD_MAX, is_password, nobodys
from pitstream.runtime.tokens import AUDIENCE, SESSIONS, kid_of
from pitstream.services.ops.config import OpsSettings
from pitstream.services.ops.rendering import page

router = APIRouter(tags=["login"], default_response_class=HTMLResponse)

LOGIN = "/login"
WRONG = "Name or password is wrong."
_NAME_MAX = 64
_PAUSE_S = 5
_TRIES = 10
"""Wrong passwords for one name, or from one address, that are looked at one after the other."""
Reader = Annotated[Principal, Depends(allowed(*READERS))]
Next = Annotated[str, Query(alias="next", max_length=2000)]


class SessionKeyError(ValueError):
    """The key that signs sessions cannot be used."""


class SessionKey:
    """Signs who has logged in."""

    def __init__(self, file: Path) -> None:
        """Raises SessionKeyError."""
        try:
            key = load_pem_private_key(file.read_bytes(), password=None)
        except (OSError, ValueError, TypeError) as error:
            raise SessionKeyError(f"{file}: {error}") from None
        if not isinstance(key, Ed25519PrivateKey):
            raise SessionKeyError(f"{file}: allowed: a private key of Ed25519")
        self._key = key
        self.kid = kid_of(key)

    def token(self, name: str, now_s: int, for_s: int) -> str:
        """Says that this person logged in, until ``for_s`` seconds from now."""
        claims = {"iss": SESSIONS, "aud": AUDIENCE, "sub": name, "iat": now_s, "exp": now_s + for_s}
        return jwt.encode({**claims, "jti": secrets.token_hex(8)}, self._key, "EdDSA", headers={"kid": self.kid})


@dataclass
class Sessions:
    """Lets people in. One for the whole process."""

    settings: OpsSettings
    key: SessionKey | None
    clock: Callable[[], float] = time.time

    def __post_init__(self) -> None:
        self._wrong = Buckets(per_s=1 / _PAUSE_S, burst=_TRIES, clock=self.clock)

    @property
    def access(self) -> Access:
        return self.settings.access

    async def log_in(self, name: str, password: str, address: str) -> str | None:
        """The credential of whoever has this name and password; None when nobody does, or after too many tries."""
        if self.key is None or any(self._wrong.wait_s(one) for one in (f"name {name}", f"from {address}")):
            return None
        entry = self.access.user(name)
        hashed = entry.password if entry else nobodys()
        if not await anyio.to_thread.run_sync(is_password, password, hashed) or entry is None:
            for one in (f"name {name}", f"from {address}"):
                self._wrong.take(one)
            return None
        return self.key.token(entry.name, int(self.clock()), self.settings.session_hours * 3600)


def set_cookie(answer: Response, settings: OpsSettings, credential: str) -> None:
    """The session's cookie: scripts cannot read it, other sites cannot send it."""
    answer.set_cookie(settings.cookie, credential, path="/", httponly=True, samesite="strict", secure=settings.is_https)


def inside(asked: str) -> str:
    """Where to go after the login: a path of ours, the floor for anything else.

    >>> [inside(one) for one in ("/money?day=1", "https://evil.example", "//evil.example", "/\\\\evil.example", "")]
    ['/money?day=1', '/', '/', '/', '/']
    """
    parts = urlsplit(asked)
    ours = asked.startswith("/") and not asked.startswith(("//", "/\\")) and not parts.netloc and asked.isprintable()
    return asked if ours else "/"


def _sessions(request: Request) -> Sessions:
    found: Sessions = request.app.state.sessions
    return found


TheSessions = Annotated[Sessions, Depends(_sessions)]


def login_form(request: Request, sessions: Sessions, asked: str, fault: str = "", status: int = 200) -> HTMLResponse:
    """The page that people log in on."""
    oidc = sessions.settings.oidc_name if sessions.settings.oidc_issuer else ""
    return page(
        request, "login.html", status, next=inside(asked), fault=fault, passwords=sessions.key is not None, oidc=oidc
    )


@router.get(LOGIN)
async def login_page(request: Request, sessions: TheSessions, asked: Next = "/") -> HTMLResponse:
    """Where people log in."""
    return login_form(request, sessions, asked)


_FORM = {
    "requestBody": {
        "required": True,
        "content": {
            "application/x-www-form-urlencoded": {
                "schema": {
                    "type": "object",
                    "required": ["name", "password"],
                    "properties": {
                        "name": {"type": "string", "maxLength": _NAME_MAX},
                        "password": {"type": "string", "maxLength": PASSWORD_MAX},
                        "next": {"type": "string"},
                    },
                }
            }
        },
    }
}


@router.post(
    LOGIN,
    openapi_extra=_FORM,
    responses={303: {"description": "In: the session's cookie is set."}, 401: {"description": "Nobody of that name."}},
)
async def log_in(request: Request, sessions: TheSessions) -> Response:
    """Log in with a name and a password."""
    form = parse_qs((await request.body()).decode("utf-8", "replace"))
    name, password, asked = (form.get(field, [""])[0] for field in ("name", "password", "next"))
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return login_form(request, sessions, asked, "Please log in on this page.", 401)
    address = request.client.host if request.client else ""
    credential = await sessions.log_in(name[: _NAME_MAX + 1], password[: PASSWORD_MAX + 1], address)
    if credential is None:
        return login_form(request, sessions, asked, WRONG, 401)
    answer = RedirectResponse(inside(asked), 303)
    set_cookie(answer, sessions.settings, credential)
    return answer


@router.post("/logout", responses={303: {"description": "Out: the cookie is gone."}})
async def log_out(_who: Reader, sessions: TheSessions) -> Response:
    """Log out at this browser."""
    answer = RedirectResponse(LOGIN, 303)
    answer.delete_cookie(
        sessions.settings.cookie, path="/", httponly=True, samesite="strict", secure=sessions.settings.is_https
    )
    return answer


def told(principal: Principal) -> dict[str, Any]:
    """Who is logged in."""
    return {"name": principal.name, "roles": sorted(principal.roles), "scopes": sorted(principal.scopes)}
