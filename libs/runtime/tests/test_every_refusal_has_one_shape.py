"""Whatever refuses a request, route or framework, answers alike. Method: raw ASGI calls; no route is reached, so
nothing needs to run."""

import json
from collections.abc import Awaitable, Callable
from types import ModuleType
from typing import Any

import pytest

from pitstream.events.refusal import Refusal
from pitstream.runtime import Service
from pitstream.runtime.problem import problem

Ask = Callable[..., Awaitable[tuple[int, Any]]]


@pytest.fixture
def service(toy: ModuleType) -> Service:
    service: Service = toy.toy_table(kafka="127.0.0.1:1", postgres="postgresql://nobody@127.0.0.1:1/none")
    return service


@pytest.fixture
def ask(service: Service, key: str) -> Ask:
    async def asking(method: str, path: str, body: bytes = b"") -> tuple[int, Any]:
        return await _ask(service, key, method, path, body)

    return asking


async def _ask(service: Service, key: str, method: str, path: str, body: bytes) -> tuple[int, Any]:
    answer: list[dict[str, Any]] = []
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
        "path": path, "raw_path": path.encode(), "query_string": b"", "server": ("localhost", 80),
        "headers": [
            (b"content-type", b"application/json"), (b"idempotency-key", b"k1"),
            (b"authorization", b"Bearer " + key.encode()),
        ],
    }  # fmt: skip

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        answer.append(message)

    await service.app(scope, receive, send)
    assert (b"content-type", b"application/problem+json") in answer[0]["headers"]
    told = json.loads(b"".join(part.get("body", b"") for part in answer[1:]))
    assert told.pop("instance").startswith("urn:pitstream:request:")
    return answer[0]["status"], told


async def test_an_unknown_path_is_not_found(ask: Ask) -> None:
    assert await ask("GET", "/v1/nothing") == (
        404,
        problem(Refusal("not_found", "path", "was '/v1/nothing'; there is no such resource"), 404),
    )


async def test_another_method_names_the_one_that_is_allowed(ask: Ask) -> None:
    assert await ask("DELETE", "/health/live") == (
        405,
        problem(Refusal("method_not_allowed", "method", "was DELETE; allowed: GET"), 405),
    )


@pytest.mark.parametrize("body", [b"[" * 100_000, b'{"a": ' + b"9" * 5_000 + b"}", b"\xff\xfe", b"nonsense"])
async def test_a_body_that_no_parser_takes_is_invalid_input_and_is_not_sent_back_whole(ask: Ask, body: bytes) -> None:
    status, answer = await ask("POST", "/v1/tables/t1/close", body)
    assert status in (400, 422)
    assert answer["code"] == "invalid_input"
    assert len(json.dumps(answer)) < 1_000
