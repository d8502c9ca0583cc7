"""Keys and tokens, right and wrong. Method: the gate before an application that says who called; nothing is sent over
a network, and tokens are signed here with real keys."""

import asyncio
import base64
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1
from cryptography.hazmat.primitives.asymmetric.ec import generate_private_key as new_ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key as new_rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from pydantic import ValidationError

from pitstream.runtime import Role
from pitstream.runtime.access_file import entry_text, new_key
from pitstream.runtime.gate import Gate
from pitstream.runtime.settings import ServiceSettings
from pitstream.runtime.tokens import keys_of

ISSUER, AUDIENCE = "https://login.acme.example", "pitstream"
EC, RSA, ED = new_ec(SECP256R1()), new_rsa(65537, 2048), Ed25519PrivateKey.generate()
OTHERS = new_ec(SECP256R1())
SIGNERS = {"ec": (EC, "ES256"), "rsa": (RSA, "RS256"), "ed": (ED, "EdDSA")}


def jwk(kid: str, key: Any, algorithm: str, **more: Any) -> dict[str, Any]:
    made = jwt.get_algorithm_by_name(algorithm).to_jwk(key.public_key(), as_dict=True)
    return {**made, "kid": kid, **more}


JWKS = {
    "keys": [
        *(jwk(kid, key, algorithm) for kid, (key, algorithm) in SIGNERS.items()),
        jwk("for-encryption", RSA, "RS256", use="enc"),
        jwk("for-ps256", RSA, "RS256", alg="PS256"),
        {"kty": "EC", "kid": "curved", "crv": ["P-256"]},
        {"kty": "oct", "kid": "shared", "k": base64.urlsafe_b64encode(b"s" * 32).decode()},
    ]
}


def claims(**changed: Any) -> dict[str, Any]:
    """Of a token that lets alice in; a claim that is None is left out."""
    now = int(time.time())
    all_ = {
        "iss": ISSUER,
        "aud": AUDIENCE,
        "sub": "alice",
        "exp": now + 86_400,
        "iat": now,
        "roles": ["platform", "dealer", "wizard"],
    }
    return {name: value for name, value in {**all_, **changed}.items() if value is not None}


def signed(by: str = "ec", headers: dict[str, Any] | None = None, **changed: Any) -> str:
    key, algorithm = SIGNERS[by]
    return jwt.encode(claims(**changed), key, algorithm, headers={"kid": by} if headers is None else headers)


@dataclass
class Door:
    """A gate, and what it answers to a request with this header."""

    gate: Gate
    file: Path
    clock: list[float] = field(default_factory=lambda: [0.0])

    async def ask(
        self,
        authorization: str | None,
        path: str = "/v1/x",
        address: str = "10.0.0.1",
        body: bytes = b"",
        traceparent: str = "",
    ) -> tuple[int, dict[str, str], Any]:
        sent: list[Any] = []
        headers = [] if authorization is None else [(b"authorization", authorization.encode())]
        headers.append((b"traceparent", traceparent.encode()))
        scope = {"type": "http", "path": path, "method": "GET", "headers": headers, "client": (address, 1)}

        async def receive() -> Any:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        await self.gate(scope, receive, send)
        told = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        return sent[0]["status"], told, json.loads(sent[1]["body"])

    async def who(self, credential: str) -> Any:
        status, _, body = await self.ask(f"Bearer {credential}")
        return body if status == 200 else (status, body["code"], body["detail"].partition(";")[0])


async def says_who(scope: Any, _receive: Any, send: Any) -> None:
    who = scope["pitstream.principal"]
    body = {"name": who.name, "roles": sorted(who.roles), "scopes": sorted(who.scopes)}
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": json.dumps(body).encode()})


ISSUER_ENTRY = f"""
[[issuer]]
name = "acme"
issuer = "{ISSUER}"
audience = "{AUDIENCE}"
jwks = "acme.jwks.json"
roles = ["platform", "cashier"]
scopes = ["acme"]
"""


@pytest.fixture
def new_door(tmp_path: Path) -> Callable[..., Door]:
    def made(text: str = ISSUER_ENTRY, **settings: Any) -> Door:
        (tmp_path / "acme.jwks.json").write_text(json.dumps(JWKS))
        file = tmp_path / "access.toml"
        file.write_text(text)
        clock = [0.0]
        chosen = ServiceSettings(kafka="k", postgres="p", access=file, **settings)
        chosen.access._clock = lambda: clock[0]
        chosen.access._looked = 0.0
        return Door(Gate(says_who, chosen, clock=lambda: clock[0]), file, clock)

    return made


@pytest.fixture
def door(new_door: Callable[..., Door]) -> Door:
    return new_door()


ALICE = {"name": "acme:alice", "roles": ["platform"], "scopes": ["acme"]}


@pytest.mark.parametrize("by", SIGNERS)
async def test_a_token_of_each_kind_of_key_lets_its_subject_in_with_what_the_issuer_may_grant(door: Door, by: str):
    assert await door.who(signed(by)) == ALICE
    assert await door.who(signed(by)) == ALICE, "and again, from memory"


@pytest.mark.parametrize(
    ("changed", "roles", "scopes"),
    [
        pytest.param({"scopes": ["acme.boardwalk"]}, ["platform"], ["acme.boardwalk"], id="a property of the operator"),
        pytest.param({"scopes": "acme.north acme.south"}, ["platform"], ["acme.north", "acme.south"], id="as words"),
        pytest.param({"scopes": ["*", "zenith", "acme2"]}, ["platform"], [], id="more than the issuer has"),
        pytest.param({"scopes": ["acme.x|", "acme.x)?:|", "acme.", "acme\n"]}, ["platform"], [], id="no scopes"),
        pytest.param({"exp": str(2**32)}, ["platform"], ["acme"], id="expires at a text"),
        pytest.param({"exp": 10**400}, ["platform"], ["acme"], id="expires never to come"),
        pytest.param({"scopes": 7}, ["platform"], [], id="no list"),
        pytest.param({"roles": "cashier operations"}, ["cashier"], ["acme"], id="roles as words"),
        pytest.param({"roles": None}, [], ["acme"], id="no roles"),
    ],
)
async def test_a_token_never_grants_more_than_its_issuer_may(door: Door, changed: Any, roles: Any, scopes: Any):
    assert await door.who(signed(**changed)) == {"name": "acme:alice", "roles": roles, "scopes": scopes}


def with_alg(token: str, algorithm: str, key: bytes | None) -> str:
    """The token's claims under another algorithm's header, signed with a shared secret or not at all."""
    header = base64.urlsafe_b64encode(json.dumps({"alg": algorithm, "kid": "rsa", "typ": "JWT"}).encode()).rstrip(b"=")
    body = header + b"." + token.split(".")[1].encode()
    signature = b"" if key is None else base64.urlsafe_b64encode(hmac.digest(key, body, hashlib.sha256)).rstrip(b"=")
    return (body + b"." + signature).decode()


NOW = int(time.time())
SHARED = RSA.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
WRONG = "was a token whose signature or claims are wrong"
UNPUBLISHED = "was a token signed with a key that its issuer does not publish"


@pytest.mark.parametrize(
    ("token", "said"),
    [
        pytest.param(signed(exp=NOW - 31), "was a token that has expired", id="expired, beyond the clocks' difference"),
        pytest.param(signed(exp=None), "was a token without exp", id="never expires"),
        pytest.param(signed(exp="soon"), WRONG, id="expires at no time"),
        pytest.param(signed(nbf=NOW + 80_000), "was a token that is not valid yet", id="not valid yet"),
        pytest.param(signed(aud="another"), "was a token made for another audience", id="another audience"),
        pytest.param(signed(aud=None), "was a token without aud", id="no audience"),
        pytest.param(
            signed(iss="https://evil.example"), "was a token of an issuer that is not known here", id="another issuer"
        ),
        pytest.param(signed(iss=None), "was a token of an issuer that is not known here", id="no issuer"),
        pytest.param(signed(sub=None), "was a token without sub", id="no subject"),
        pytest.param(
            signed(sub="a\nb"),
            "was a token whose sub is not 1 to 100 printable ASCII characters",
            id="a subject of two lines",
        ),
        pytest.param(signed(headers={"kid": "rsa"}), WRONG, id="another key's id"),
        pytest.param(signed(headers={"kid": "gone"}), UNPUBLISHED, id="a key that is not published"),
        pytest.param(signed(headers={}), UNPUBLISHED, id="no key's id"),
        pytest.param(signed(headers={"kid": "ec", "crit": ["b65"]}), "was no token that can be read", id="crit"),
        pytest.param(signed("rsa", {"kid": "for-encryption"}), UNPUBLISHED, id="a key that is not for signatures"),
        pytest.param(signed("rsa", {"kid": "for-ps256"}), UNPUBLISHED, id="a key for another algorithm"),
        pytest.param(jwt.encode(claims(), OTHERS, "ES256", headers={"kid": "ec"}), WRONG, id="somebody else's key"),
        pytest.param(jwt.encode(claims(), RSA, "RS512", headers={"kid": "rsa"}), WRONG, id="another hash"),
        pytest.param(with_alg(signed("rsa"), "none", None), WRONG, id="alg none"),
        pytest.param(with_alg(signed("rsa"), "NoNe", None), WRONG, id="alg NoNe"),
        pytest.param(with_alg(signed("rsa"), "HS256", SHARED), WRONG, id="the public key as a shared secret"),
        pytest.param(
            jwt.encode(claims(), "s" * 32, "HS256", headers={"kid": "shared"}), UNPUBLISHED, id="shared secret"
        ),
        pytest.param(signed()[:-4] + "AAAA", WRONG, id="signature changed"),
        pytest.param("a.b.c", "was no token that can be read", id="no token"),
        pytest.param("..", "was no token that can be read", id="dots"),
    ],
)
async def test_any_other_token_lets_nobody_in_and_the_reason_is_said(door: Door, token: str, said: str):
    assert await door.who(token) == (401, "invalid_credential", said)


async def test_clocks_may_differ_a_little(door: Door):
    now = int(time.time())
    assert await door.who(signed(exp=now - 10, nbf=now + 10)) == ALICE


async def test_a_key_that_its_issuer_withdraws_is_forgotten(new_door: Callable[..., Door], monkeypatch: Any):
    door = new_door()
    token = signed(exp=NOW + 3600)
    assert await door.who(token) == ALICE
    (door.file.parent / "acme.jwks.json").write_text(json.dumps({"keys": JWKS["keys"][1:]}))
    monkeypatch.setattr(door.gate._tokens, "_clock", lambda: time.time() + 61)
    assert await door.who(token) == (401, "invalid_credential", UNPUBLISHED)


KEY = new_key()


async def test_a_key_lets_its_person_in_until_it_expires_and_nobody_else(new_door: Callable[..., Door]):
    moreau_s = entry_text("f.moreau", KEY, [Role.FLOORPERSON], ["acme.boardwalk"], datetime(2999, 1, 1, tzinfo=UTC))
    gone = entry_text("gone", "pitkey_b", [Role.DEALER], ["*"], datetime(2020, 1, 1, tzinfo=UTC))
    door = new_door(f"{moreau_s}\n{gone}")
    moreau = {"name": "f.moreau", "roles": ["floorperson"], "scopes": ["acme.boardwalk"]}
    assert await door.who(KEY) == moreau
    unknown = (401, "invalid_credential", "was a key that is not known, or has expired")
    for other in (KEY[:-1], KEY + "A", KEY.upper(), "pitkey_", "pitkey_b", "x"):
        assert await door.who(other) == unknown
    for header in (None, "", "Bearer", "Bearer ", f"Basic {KEY}", KEY, f"Bearer {'x' * 8193}"):
        status, told, body = await door.ask(header)
        assert (status, body["code"], told["www-authenticate"]) == (
            401,
            "missing_credential",
            'Bearer realm="pitstream"',
        )
    assert (await door.ask(f"bearer {KEY}"))[2] == moreau, "a scheme has no case"
    assert hashlib.sha256(KEY.encode()).hexdigest() in door.file.read_text()
    assert KEY not in door.file.read_text()


async def test_the_access_file_is_read_again_when_it_changes_and_one_that_is_wrong_changes_nothing(
    new_door: Callable[..., Door],
):
    first, second = new_key(), new_key()
    door = new_door(entry_text("a", first, [Role.DEALER], ["*"]))

    async def names() -> list[Any]:
        door.clock[0] += 2
        answers = [await door.ask(f"Bearer {key}") for key in (first, second)]
        return [body.get("name") for _, _, body in answers]

    assert await names() == ["a", None]
    door.file.write_text(entry_text("b", second, [Role.DEALER], ["*"]))
    assert await names() == [None, "b"]
    door.file.write_text("[[key]]\nname =")
    assert await names() == [None, "b"]
    door.file.unlink()
    assert await names() == [None, "b"]
    door.file.write_text(entry_text("c", first, [Role.DEALER], ["*"]))
    assert await names() == ["c", None]


async def test_one_credential_that_asks_too_often_waits_and_no_other(new_door: Callable[..., Door]):
    busy, calm = new_key(), new_key()
    text = entry_text("busy", busy, [Role.DEALER], ["*"]) + "\n" + entry_text("calm", calm, [Role.DEALER], ["*"])
    door = new_door(text, rate_per_s=2, rate_burst=4)
    answers = [await door.ask(f"Bearer {busy}") for _ in range(6)]
    assert [status for status, _, _ in answers] == [200, 200, 200, 200, 429, 429]
    assert answers[0][1]["ratelimit-policy"] == '"credential";q=4;w=2'
    assert [told["ratelimit"] for _, told, _ in answers[:4]] == [f'"credential";r={n};t=0' for n in (3, 2, 1, 0)]
    _, told, body = answers[4]
    assert (body["code"], told["retry-after"], told["ratelimit"]) == ("too_many_requests", "1", '"credential";r=0;t=1')
    assert (await door.ask(f"Bearer {calm}"))[0] == 200
    door.clock[0] += 1
    assert [(await door.ask(f"Bearer {busy}"))[0] for _ in range(3)] == [200, 200, 429]


async def test_an_address_that_guesses_is_slowed_down_and_a_known_key_behind_it_is_not(new_door: Callable[..., Door]):
    door = new_door(ISSUER_ENTRY + "\n" + entry_text("known", KEY, [Role.DEALER], ["*"]), failures_burst=3)
    token, remembered = signed(), signed(sub="bob")
    assert (await door.ask(f"Bearer {remembered}"))[0] == 200
    guesses = ["Bearer pitkey_a", f"Bearer {signed(exp=NOW - 99)}", "Bearer pitkey_b", "Bearer pitkey_c"]
    assert [(await door.ask(guess))[0] for guess in guesses] == [401, 401, 401, 429]
    status, told, _ = await door.ask(f"Bearer {token}")
    assert (status, told["retry-after"]) == (429, "5"), "a signature that must be checked waits too"
    for known in (KEY, remembered):
        assert (await door.ask(f"Bearer {known}"))[0] == 200
    assert (await door.ask("Bearer pitkey_d", address="10.0.0.2"))[0] == 401
    door.clock[0] += 5
    assert [(await door.ask(guess))[0] for guess in guesses[:2]] == [401, 429]


async def test_a_body_too_large_or_too_deep_is_not_looked_at(new_door: Callable[..., Door]):
    door = new_door(entry_text("a", KEY, [Role.DEALER], ["*"]), body_max_bytes=1024)
    ok, large, deep = b'{"a": "' + b"[" * 900 + b'"}', b"x" * 1025, b'{"a": ' * 33 + b"1" + b"}" * 33
    answers = [await door.ask(f"Bearer {KEY}", body=body) for body in (ok, large, deep, deep[6:-1])]
    assert [(status, body.get("code")) for status, _, body in answers] == [
        (200, None),
        (413, "body_too_large"),
        (400, "invalid_input"),
        (200, None),
    ]


async def test_a_body_of_any_shape_is_measured_in_one_go(new_door: Callable[..., Door]):
    door = new_door(entry_text("a", KEY, [Role.DEALER], ["*"]))
    endless = b"[]" * 33 + b'"' + b'\\"' * 500_000
    began = time.process_time()
    answers = [await door.ask(f"Bearer {KEY}", body=body) for body in (endless, endless + b"\\", endless + b'"[')]
    assert [status for status, _, _ in answers] == [200, 200, 200], "it is for who reads it to refuse"
    assert time.process_time() - began < 2, "a quadratic one takes hours"


async def test_health_is_open_and_what_only_looks_like_it_is_not(door: Door):
    opened: list[str] = []

    async def says_nothing(scope: Any, _receive: Any, send: Any) -> None:
        opened.append(scope["path"])
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"{}"})

    door.gate._app = says_nothing
    for path in ("/health/live", "/health/ready", "/healthy", "/v1/health/live", "/openapi.json", "/", ""):
        await door.ask(None, path=path)
    assert opened == ["/health/live", "/health/ready"]


async def test_an_answer_is_named_by_the_trace_that_its_caller_began(door: Door):
    began = "0af7651916cd43dd8448eb211c80319c"
    _, _, mine = await door.ask(None, traceparent=f"00-{began}-b7ad6b7169203331-01")
    assert mine["instance"] == f"urn:pitstream:request:{began}"
    others = [(await door.ask(None, traceparent=f"00-{wrong}-b7ad6b7169203331-01"))[2] for wrong in ("0" * 32, "x", "")]
    assert len({one["instance"] for one in others}) == 3


class Publisher(BaseHTTPRequestHandler):
    """An issuer's web server: its keys are at /keys; /moved sends elsewhere."""

    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_response(302 if self.path == "/moved" else 200)
        self.send_header("Location", "/keys")
        self.end_headers()
        self.wfile.write(json.dumps(JWKS).encode() if self.path == "/keys" else b"")

    def log_message(self, *_: Any) -> None: ...


@pytest.fixture
def publisher() -> Iterator[str]:
    Publisher.asked.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Publisher) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


async def test_an_issuer_s_keys_are_fetched_once_and_again_within_measure(
    new_door: Callable[..., Door], publisher: str, monkeypatch: pytest.MonkeyPatch
):
    door = new_door(ISSUER_ENTRY.replace("acme.jwks.json", f"{publisher}/keys"))
    now = [time.time()]
    monkeypatch.setattr(door.gate._tokens, "_clock", lambda: now[0])
    answers = await asyncio.gather(*(door.who(signed(sub=f"s{n}")) for n in range(5)))
    assert answers == [{**ALICE, "name": f"acme:s{n}"} for n in range(5)]
    unpublished = [await door.who(signed(headers={"kid": f"k{n}"})) for n in range(3)]
    assert unpublished == [(401, "invalid_credential", UNPUBLISHED)] * 3
    assert Publisher.asked == ["/keys"], "unknown keys do not make us ask again and again"
    now[0] += 31
    await door.who(signed(headers={"kid": "k4"}))
    assert Publisher.asked == ["/keys"] * 2
    now[0] += 601
    assert await door.who(signed()) == ALICE
    assert Publisher.asked == ["/keys"] * 3


async def test_keys_that_are_not_where_the_access_file_says_let_nobody_in(
    new_door: Callable[..., Door], publisher: str
):
    for where in (f"{publisher}/moved", f"{publisher}/none", "http://127.0.0.1:9/", "gone.json"):
        door = new_door(ISSUER_ENTRY.replace("acme.jwks.json", where))
        assert await door.who(signed()) == (401, "invalid_credential", UNPUBLISHED)
    assert "/keys" not in Publisher.asked
    with pytest.raises(ValidationError, match="allowed: the name of a file, or an https URL"):
        new_door(ISSUER_ENTRY.replace("acme.jwks.json", "http://login.acme.example/keys"))


def test_keys_that_are_nested_without_end_are_no_key_set():
    with pytest.raises(ValueError, match="was nested too deeply; allowed: a JSON Web Key Set"):
        keys_of(b"[" * 1500)
