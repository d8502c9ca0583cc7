"""People log in with a password, or at their operator's own provider; what they hold then is a credential like any
other. Method: the service as it runs, a browser's cookies, and a small OpenID Connect provider that checks what a real
one does."""

import asyncio
import base64
import hashlib
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import aiohttp
import jwt
import pytest
from aiohttp import web
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key

from pitstream.cli.credentials import ACCESS_FILE, SESSION_KEY_FILE, STAFF, employ_staff, find_passwords, give_logins
from pitstream.runtime.access_file import Access
from pitstream.runtime.gate import csrf_token
from pitstream.runtime.tokens import Tokens
from pitstream.services.ops.app import build
from pitstream.services.ops.config import OpsSettings
from pitstream.services.ops.sessions import SessionKey, Sessions

pytestmark = pytest.mark.stack

FLOORPERSON = STAFF["floorperson"]
PAGE = {"Accept": "text/html"}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A staff with passwords; the service is told where its session key is."""
    employ_staff(tmp_path)
    monkeypatch.setenv("PITSTREAM_ACCESS", str(tmp_path / ACCESS_FILE))
    monkeypatch.setenv("PITSTREAM_OPS_SESSION_KEY", str(give_logins(tmp_path)))
    return tmp_path


async def logged_in(session: aiohttp.ClientSession, name: str, password: str, **headers: str) -> Any:
    form = {"name": name, "password": password, "next": "/money"}
    return await session.post("/login", data=form, headers=headers, allow_redirects=False)


def credential_of(session: aiohttp.ClientSession) -> str:
    return next((one.value for one in session.cookie_jar if one.key == "pitstream-session"), "")


async def test_a_password_opens_the_room_and_nothing_else_does(serving: Any, home: Path):
    password = find_passwords(home)[FLOORPERSON]
    async with serving(build, OpsSettings) as client:
        base = client.session._base_url
        async with aiohttp.ClientSession(base, cookie_jar=aiohttp.CookieJar(unsafe=True)) as browser:
            shown = await browser.get("/search?player=p1", headers=PAGE, allow_redirects=False)
            assert (shown.status, shown.headers["Location"]) == (303, "/login?next=/search%3Fplayer%3Dp1")
            assert (await browser.get("/v1/floor")).status == 401

            for name, wrong in ((FLOORPERSON, password + "x"), ("nobody", password), (FLOORPERSON, "")):
                refused = await logged_in(browser, name, wrong)
                assert refused.status == 401
                assert "Name or password is wrong." in await refused.text()
            assert (await logged_in(browser, FLOORPERSON, password, **{"Sec-Fetch-Site": "cross-site"})).status == 401
            assert credential_of(browser) == ""

            inside = await logged_in(browser, FLOORPERSON, password)
            assert (inside.status, inside.headers["Location"]) == (303, "/money")
            cookie = inside.headers["Set-Cookie"]
            assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; ")[1:])
            assert (await browser.get("/v1/floor")).status == 200

            # The credential is one that every service takes, and its holder the person whom the access file names.
            who = await Tokens(Access(home / ACCESS_FILE)).check(credential_of(browser))
            assert (who.name, who.roles, who.scopes) == (FLOORPERSON, {"floorperson"}, {"*"})

            # What changes something needs more than the cookie.
            for headers in ({}, {"X-CSRF-Token": "0" * 64}, {"Sec-Fetch-Site": "cross-site"}):
                forged = await browser.post("/actions/tables/t1/rounds/1/disputes", json={"text": "x"}, headers=headers)
                assert (forged.status, (await forged.json())["code"]) == (403, "forged_request")
            assert (await browser.post("/logout", allow_redirects=False)).status == 403
            token = csrf_token(credential_of(browser))
            # With it, the role decides: nobody retries dead letters but operations.
            ours = await browser.post("/actions/services/wallet/dead-letters/1/retry", headers={"X-CSRF-Token": token})
            assert (ours.status, (await ours.json())["code"]) == (403, "forbidden")
            out = await browser.post("/logout", data={"csrf_token": token}, allow_redirects=False)
            assert (out.status, out.headers["Location"]) == (303, "/login")
            assert credential_of(browser) == ""

            # Taken out of the access file, out everywhere, within a second.
            await logged_in(browser, FLOORPERSON, password)
            access = home / ACCESS_FILE
            access.write_text(access.read_text().replace(f'name = "{FLOORPERSON}"', 'name = "somebody.else"'))
            await asyncio.sleep(1.2)
            assert (await browser.get("/v1/floor")).status == 401


async def test_guessing_a_password_ends_soon(stack: Any, kafka: str, home: Path):
    now = [1_790_000_000.0]
    settings = OpsSettings(kafka=kafka, postgres=stack.postgres)
    sessions = Sessions(settings, SessionKey(home / SESSION_KEY_FILE), clock=lambda: now[0])
    password = find_passwords(home)[FLOORPERSON]
    for _ in range(10):
        assert await sessions.log_in(FLOORPERSON, "guess", "10.0.0.1") is None
    assert await sessions.log_in(FLOORPERSON, password, "10.0.0.2") is None, "the right one comes too late"
    dealer = STAFF["dealer"]
    assert await sessions.log_in(dealer, find_passwords(home)[dealer], "10.0.0.1") is None, "from there nobody may"
    assert await sessions.log_in(dealer, find_passwords(home)[dealer], "10.0.0.2") is not None
    now[0] += 5
    assert await sessions.log_in(FLOORPERSON, password, "10.0.0.2") is not None


class Provider:
    """A provider with one person, who always agrees."""

    def __init__(self) -> None:
        self.key = generate_private_key(SECP256R1())
        self.url = ""
        self.given: dict[str, dict[str, str]] = {}
        self.claims: dict[str, Any] = {}
        """What its tokens say otherwise than they should."""

    def app(self) -> web.Application:
        app = web.Application()
        app.router.add_get("/.well-known/openid-configuration", self.discovery)
        app.router.add_get("/jwks", self.jwks)
        app.router.add_get("/authorize", self.authorize)
        app.router.add_post("/token", self.token)
        return app

    async def discovery(self, _request: web.Request) -> web.Response:
        endpoints = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "jwks"}
        return web.json_response(
            {"issuer": self.url, **{name: f"{self.url}/{path}" for name, path in endpoints.items()}}
        )

    async def jwks(self, _request: web.Request) -> web.Response:
        key = jwt.get_algorithm_by_name("ES256").to_jwk(self.key.public_key(), as_dict=True)
        return web.json_response({"keys": [{**key, "kid": "k1"}]})

    async def authorize(self, request: web.Request) -> web.Response:
        asked = dict(request.query)
        assert (asked["response_type"], asked["code_challenge_method"]) == ("code", "S256")
        code = f"code-{len(self.given)}"
        self.given[code] = asked
        raise web.HTTPFound(f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}")

    async def token(self, request: web.Request) -> web.Response:
        form = await request.post()
        asked = self.given.pop(str(form["code"]), None)
        verifier = hashlib.sha256(str(form["code_verifier"]).encode()).digest()
        challenge = base64.urlsafe_b64encode(verifier).decode().rstrip("=")
        if asked is None or challenge != asked["code_challenge"] or form["redirect_uri"] != asked["redirect_uri"]:
            return web.json_response({"error": "invalid_grant"}, status=400)
        said = {
            "iss": self.url, "aud": asked["client_id"], "sub": "alice", "exp": int(time.time()) + 600,
            "nonce": asked["nonce"], "roles": ["auditor", "operations"], **self.claims,
        }  # fmt: skip
        token = jwt.encode(said, self.key, "ES256", headers={"kid": "k1"})
        return web.json_response({"id_token": token, "access_token": "opaque", "token_type": "Bearer"})


@pytest.fixture
async def provider(home: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Provider]:
    made = Provider()
    runner = web.AppRunner(made.app())
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    made.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    with (home / ACCESS_FILE).open("a") as file:
        file.write(
            f'\n[[issuer]]\nname = "acme"\nissuer = "{made.url}"\naudience = "ops-room"\njwks = "{made.url}/jwks"\n'
            'roles = ["auditor"]\nscopes = ["acme"]\n'
        )
    monkeypatch.setenv("PITSTREAM_OPS_OIDC_ISSUER", made.url)
    monkeypatch.setenv("PITSTREAM_OPS_OIDC_CLIENT_ID", "ops-room")
    yield made
    await runner.cleanup()


async def test_an_operators_people_log_in_at_their_own_provider(serving: Any, home: Path, provider: Provider):
    async with serving(build, OpsSettings) as client:
        base = client.session._base_url
        async with aiohttp.ClientSession(base, cookie_jar=aiohttp.CookieJar(unsafe=True)) as browser:
            sent = await browser.get("/login/oidc?next=/health", allow_redirects=False)
            assert sent.status == 303
            assert sent.headers["Location"].startswith(f"{provider.url}/authorize?")
            assert "SameSite=lax" in sent.headers["Set-Cookie"]
            there = await browser.get(sent.headers["Location"], allow_redirects=False)
            back = await browser.get(there.headers["Location"], allow_redirects=False)
            assert (back.status, back.headers["Refresh"]) == (200, "0; url=/health")
            assert (await browser.get("/v1/floor")).status == 200
            who = await Tokens(Access(home / ACCESS_FILE)).check(credential_of(browser))
            # No more than the access file lets the provider say.
            assert (who.name, who.roles, who.scopes) == ("acme:alice", {"auditor"}, {"acme"})

            # A code is good once, and a way back that nobody began leads nowhere.
            assert (await browser.get(there.headers["Location"], allow_redirects=False)).status == 401
            query = parse_qs(urlsplit(there.headers["Location"]).query)
            assert (await browser.get(f"/login/callback?code=x&state={query['state'][0]}")).status == 401


@pytest.mark.parametrize(
    "claims",
    [
        pytest.param({"nonce": "another"}, id="of another login"),
        pytest.param({"aud": "another-client"}, id="for another client"),
        pytest.param({"iss": "https://evil.example"}, id="of another issuer"),
        pytest.param({"exp": 1}, id="expired"),
    ],
)
async def test_a_token_that_is_not_of_this_login_lets_nobody_in(
    serving: Any, provider: Provider, claims: dict[str, Any]
):
    provider.claims = claims
    async with serving(build, OpsSettings) as client:
        base = client.session._base_url
        async with aiohttp.ClientSession(base, cookie_jar=aiohttp.CookieJar(unsafe=True)) as browser:
            answer = await browser.get("/login/oidc")
            assert answer.status == 401
            assert "You could not be logged in" in await answer.text()
            assert credential_of(browser) == ""
