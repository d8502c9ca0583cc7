"""Logging in at an OpenID Connect provider: authorization code with PKCE (RFC 7636), state and nonce.

The provider's token is the session's credential, since every service takes it already (``[[issuer]]`` in the access
file): the access token where it is one of those, else the ID token. Nothing of a login is kept here; what must be
remembered between leaving and coming back is in a cookie of these few minutes.
"""

import base64
import hashlib
import hmac
import json
import secrets
import time
from dataclasses import dataclass, field
from typing import Annotated, Any
from urllib.parse import urlencode, urlsplit

import aiohttp
import jwt
from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from pitstream.runtime.logs import log
from pitstream.runtime.tokens import Tokens, UnknownTokenError
from pitstream.services.ops.config import OpsSettings
from pitstream.services.ops.sessions import Next, Sessions, TheSessions, inside, login_form, set_cookie

router = APIRouter(tags=["login"], default_response_class=HTMLResponse)

CALLBACK = "/login/callback"
COOKIE = "pitstream-login"
_MINUTES = 10
_FRESH_S = 600.0
_WAIT_S = 10
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_CREDENTIAL_MAX = 3800
"""Bytes that fit into a cookie with its name and attributes."""


class ProviderError(Exception):
    """The provider cannot be asked, or says something that lets nobody in. The text may be shown."""


@dataclass
class Provider:
    """An OpenID Connect provider, as its discovery document describes it."""

    settings: OpsSettings
    _document: dict[str, Any] = field(default_factory=dict)
    _read_s: float = float("-inf")

    def __post_init__(self) -> None:
        self._tokens = Tokens(self.settings.access)

    async def document(self) -> dict[str, Any]:
        """Its addresses. Raises ProviderError."""
        issuer = self.settings.oidc_issuer.rstrip("/")
        if time.monotonic() - self._read_s > _FRESH_S:
            found = await self._json("GET", f"{issuer}/.well-known/openid-configuration")
            if str(found.get("issuer", "")).rstrip("/") != issuer:
                raise ProviderError("the provider's own description is of another one")
            self._document, self._read_s = found, time.monotonic()
        return self._document

    async def address(self, state: str, nonce: str, verifier: str, callback: str) -> str:
        """Where somebody is sent to log in. Raises ProviderError."""
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
        asked = {
            "response_type": "code",
            "client_id": self.settings.oidc_client_id,
            "redirect_uri": callback,
            "scope": "openid",
            "state": state,
            "nonce": nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        endpoint = str((await self.document())["authorization_endpoint"])
        return f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(asked)}"

    async def credential(self, code: str, nonce: str, verifier: str, callback: str) -> str:
        """The token that somebody brought back, which every service takes. Raises ProviderError."""
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": callback,
            "client_id": self.settings.oidc_client_id,
            "code_verifier": verifier,
        }
        if secret := self.settings.oidc_client_secret.get_secret_value():
            form["client_secret"] = secret
        answer = await self._json("POST", str((await self.document())["token_endpoint"]), form)
        id_token = str(answer.get("id_token", ""))
        subject = self._subject(id_token, nonce)
        for token in (str(answer.get("access_token", "")), id_token):
            if token.count(".") != 2 or len(token) > _CREDENTIAL_MAX or self._said(token).get("sub") != subject:
                continue
            try:
                await self._tokens.check(token)
            except UnknownTokenError:
                continue
            return token
        raise ProviderError("the provider's token is none that the access file lets in")

    def _subject(self, id_token: str, nonce: str) -> object:
        """Whom the ID token is about. It came straight from the provider; it must be ours, fresh, and of this login."""
        said = self._said(id_token)
        audience = said.get("aud")
        ours = self.settings.oidc_client_id in (audience if isinstance(audience, list) else [audience])
        from_there = str(said.get("iss", "")).rstrip("/") == self.settings.oidc_issuer.rstrip("/")
        fresh = isinstance(said.get("exp"), int | float) and said["exp"] > time.time()
        if not (ours and from_there and fresh and hmac.compare_digest(str(said.get("nonce", "")), nonce)):
            raise ProviderError("the provider's ID token is not of this login")
        return said.get("sub")

    @staticmethod
    def _said(token: str) -> dict[str, Any]:
        try:
            found: dict[str, Any] = jwt.decode(token, options={"verify_signature": False})
        except (jwt.PyJWTError, ValueError):
            return {}
        return found

    async def _json(self, method: str, url: str, form: dict[str, str] | None = None) -> dict[str, Any]:
        parts = urlsplit(url)
        if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOOPBACK):
            raise ProviderError("the provider is not reached by https")
        try:
            timeout = aiohttp.ClientTimeout(total=_WAIT_S)
            async with (
                aiohttp.ClientSession(timeout=timeout) as session,
                session.request(method, url, data=form, allow_redirects=False) as answer,
            ):
                found = await answer.json(content_type=None)
                if answer.status != 200 or not isinstance(found, dict):
                    raise ProviderError(f"the provider answered {answer.status}")
        except (aiohttp.ClientError, TimeoutError, ValueError) as error:
            raise ProviderError("the provider does not answer") from error
        return found


def _provider(request: Request) -> Provider | None:
    found: Provider | None = request.app.state.provider
    return found


TheProvider = Annotated[Provider | None, Depends(_provider)]


def _callback(request: Request, settings: OpsSettings) -> str:
    base = settings.public_url.rstrip("/") or str(request.base_url).rstrip("/")
    return base + CALLBACK


_WAYS: dict[int | str, dict[str, Any]] = {
    303: {"description": "To the provider."},
    401: {"description": "Nobody was let in."},
    404: {"description": "There is no provider here."},
}


def _not_in(request: Request, sessions: Sessions, fault: str, status: int = 401) -> Response:
    log.warning("nobody was let in", reason=fault)
    return login_form(request, sessions, "/", f"You could not be logged in: {fault}.", status)


@router.get("/login/oidc", responses=_WAYS)
async def to_the_provider(
    request: Request, sessions: TheSessions, provider: TheProvider, asked: Next = "/"
) -> Response:
    """Send somebody to the provider to log in."""
    if provider is None:
        return _not_in(request, sessions, "there is no provider here", 404)
    settings = sessions.settings
    login = {"state": secrets.token_urlsafe(24), "nonce": secrets.token_urlsafe(24), "next": inside(asked)}
    verifier = secrets.token_urlsafe(48)
    try:
        address = await provider.address(login["state"], login["nonce"], verifier, _callback(request, settings))
    except ProviderError as error:
        return _not_in(request, sessions, str(error))
    answer = RedirectResponse(address, 303)
    kept = base64.urlsafe_b64encode(json.dumps({**login, "verifier": verifier}).encode()).decode()
    # Lax: whoever comes back comes from the provider's site.
    answer.set_cookie(
        COOKIE, kept, max_age=_MINUTES * 60, path="/login", httponly=True, samesite="lax", secure=settings.is_https
    )
    return answer


@router.get(CALLBACK, responses=_WAYS)
async def back_from_the_provider(
    request: Request,
    sessions: TheSessions,
    provider: TheProvider,
    code: Annotated[str, Query(max_length=4000)] = "",
    state: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """Somebody comes back from the provider: let in, or told why not."""
    login = _remembered(request.cookies.get(COOKIE, ""))
    if provider is None:
        return _not_in(request, sessions, "there is no provider here", 404)
    if not code or not state or not hmac.compare_digest(state, login.get("state", "")):
        return _not_in(request, sessions, "this login was not begun here, or took too long")
    try:
        credential = await provider.credential(
            code, login["nonce"], login["verifier"], _callback(request, sessions.settings)
        )
    except ProviderError as error:
        return _not_in(request, sessions, str(error))
    # A page of ours, and no redirect: the strict cookie is not sent on the way from another site.
    goes_on = inside(login["next"])
    answer = HTMLResponse("<!doctype html><title>Logged in</title>", headers={"Refresh": f"0; url={goes_on}"})
    set_cookie(answer, sessions.settings, credential)
    answer.delete_cookie(COOKIE, path="/login")
    return answer


def _remembered(kept: str) -> dict[str, str]:
    try:
        found = json.loads(base64.urlsafe_b64decode(kept.encode()))
    except (ValueError, TypeError):
        return {}
    names = {"state", "nonce", "verifier", "next"}
    return found if isinstance(found, dict) and found.keys() == names and all(map(_is_text, found.values())) else {}


def _is_text(value: object) -> bool:
    return isinstance(value, str)
