"""No endpoint answers without a credential. Method: every route of every service, found by walking them, is asked with
each credential that must not pass, and with each role that it does not name; no database runs behind them."""

import json
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key

from pitstream.runtime import Role, Service
from pitstream.runtime.access_file import entry_text, new_key
from pitstream.runtime.openapi import Operation, operations
from pitstream.services.ops.app import build as ops
from pitstream.services.progressive.app import build as progressive
from pitstream.services.settlement.app import build as settlement
from pitstream.services.table.app import build as table
from pitstream.services.wallet.app import build as wallet

BUILDS = {"table": table, "settlement": settlement, "progressive": progressive, "wallet": wallet, "ops": ops}
SIGNER = generate_private_key(SECP256R1())
CLAIMS = {
    "iss": "https://login.acme.example",
    "aud": "pitstream",
    "sub": "alice",
    "roles": ["platform"],
    "exp": int(time.time()) + 86_400,
}
KEYS = {role: new_key() for role in Role}
OPEN_TO_BROWSERS = ("/login", "/static/")
"""At the ops room alone: where people log in, and what their pages look like."""
VALUES = {"currency": "USD", "round_no": "1", "dead_letter_id": "1", "account": "player/acme:p1/USD"}
"""What stands for a path's parameters; anything else is named ``acme:x``."""


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Service]:
    home = tmp_path_factory.mktemp("access")
    key = jwt.get_algorithm_by_name("ES256").to_jwk(SIGNER.public_key(), as_dict=True)
    (home / "jwks.json").write_text(json.dumps({"keys": [{**key, "kid": "k"}]}))
    entries = [entry_text(f"t.{role}", KEYS[role], [role], ["*"]) for role in Role]
    issuer = (
        '[[issuer]]\nname = "acme"\nissuer = "https://login.acme.example"\naudience = "pitstream"\njwks = "jwks.json"\n'
        'roles = ["platform"]\nscopes = ["acme"]\n'
    )
    (home / "access.toml").write_text("\n".join([*entries, issuer]))
    found = {}
    for name, build in BUILDS.items():
        found[name] = build(
            settings_of(name)(kafka="k", postgres="p", access=home / "access.toml", failures_burst=10_000)
        )
        found[name].app.state.store = SimpleNamespace()
    return found


def settings_of(service: str) -> Any:
    module = import_module(f"pitstream.services.{service}.config")
    return getattr(module, f"{service.capitalize()}Settings")


def asked(service: Service) -> Iterator[tuple[str, str, Operation]]:
    """Method, path and operation of all that is not open."""
    for one in operations(service.app):
        if not one.path.startswith(("/health/", *OPEN_TO_BROWSERS)):
            path = one.path
            for name in one.parameters:
                path = path.replace(f"{{{name}}}", VALUES.get(name, "acme:x")).replace(f"{{{name}:path}}", "acme:x")
            yield one.method, path, one


async def ask(service: Service, method: str, path: str, authorization: str | None) -> tuple[int, Any]:
    headers = [(b"content-type", b"application/json"), (b"idempotency-key", b"k1")]
    if authorization is not None:
        headers.append((b"authorization", authorization.encode()))
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
        "path": path, "raw_path": path.encode(), "query_string": b"", "headers": headers, "server": ("localhost", 80),
        "client": ("127.0.0.1", 1), "app": service.app,
    }  # fmt: skip
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b"{}", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    await service.app(scope, receive, send)
    return sent[0]["status"], json.loads(b"".join(part.get("body", b"") for part in sent[1:]))


def token(**changed: Any) -> str:
    return jwt.encode({**CLAIMS, **changed}, SIGNER, "ES256", headers={"kid": "k"})


BAD = {
    "no header": None,
    "another scheme": f"Basic {KEYS[Role.OPERATIONS]}",
    "a wrong key": f"Bearer {new_key()}",
    "an expired token": f"Bearer {token(exp=int(time.time()) - 3600)}",
    "a token for another audience": f"Bearer {token(aud='elsewhere')}",
    "a token without signature": f"Bearer {jwt.encode(CLAIMS, None, 'none', headers={'kid': 'k'})}",
}


@pytest.mark.parametrize("service", BUILDS)
@pytest.mark.parametrize("credential", BAD)
async def test_no_route_answers_without_a_credential(services: dict[str, Service], service: str, credential: str):
    walked = list(asked(services[service]))
    assert walked
    for method, path, _ in [*walked, ("GET", "/openapi.json", None), ("GET", "/docs", None), ("GET", "/v1/no", None)]:
        status, body = await ask(services[service], method, path, BAD[credential])
        code = "missing_credential" if credential in ("no header", "another scheme") else "invalid_credential"
        assert (status, body["code"]) == (401, code), (method, path)


@pytest.mark.parametrize("service", BUILDS)
async def test_every_route_refuses_each_role_that_it_does_not_name(services: dict[str, Service], service: str):
    for method, path, one in asked(services[service]):
        assert one.guard is not None
        for role in set(Role) - set(one.guard.roles):
            status, body = await ask(services[service], method, path, f"Bearer {KEYS[role]}")
            assert (status, body["code"]) == (403, "forbidden"), (method, path, role)


@pytest.mark.parametrize("service", BUILDS)
def test_every_route_is_described(services: dict[str, Service], service: str):
    described = services[service].app.openapi()["paths"]
    for method, _, one in asked(services[service]):
        operation = described[one.path][method.lower()]
        assert {"401", "403", "429"} <= operation["responses"].keys(), one.path
        assert operation["operationId"] == one.name
        assert operation["summary"]
        assert operation["security"] == [{"key": []}, {"token": []}]


@pytest.mark.parametrize("service", BUILDS)
def test_only_health_is_open(services: dict[str, Service], service: str):
    opened = [one.path for one in operations(services[service].app) if one.guard is None]
    assert [path for path in opened if not path.startswith(OPEN_TO_BROWSERS)] == ["/health/live", "/health/ready"]
    assert len(opened) == 2 or service == "ops"


def test_the_names_of_this_test_are_services_of_the_workspace():
    folders = {path.name for path in (Path(__file__).parents[1] / "services").iterdir() if path.is_dir()}
    assert {name for name in folders if not name.startswith("_")} == set(BUILDS)
