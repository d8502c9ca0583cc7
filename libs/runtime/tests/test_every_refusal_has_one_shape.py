"""Whatever refuses a request, route or framework, answers alike. Method: raw ASGI calls; no route is reached, so
nothing needs to run."""

import json
from types import ModuleType
from typing import Any

import pytest

from pitstream.runtime import Service


@pytest.fixture
def service(toy: ModuleType) -> Service:
    service: Service = toy.toy_table(kafka="127.0.0.1:1", postgres="postgresql://nobody@127.0.0.1:1/none")
    return service


async def ask(service: Service, method: str, path: str, body: bytes = b"") -> tuple[int, Any]:
    answer: list[dict[str, Any]] = []
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
        "path": path, "raw_path": path.encode(), "query_string": b"", "server": ("localhost", 80),
        "headers": [(b"content-type", b"application/json"), (b"idempotency-key", b"k1")],
    }  # fmt: skip

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        answer.append(message)

    await service.app(scope, receive, send)
    return answer[0]["status"], json.loads(b"".join(part.get("body", b"") for part in answer[1:]))


async def test_an_unknown_path_is_not_found(service: Service) -> None:
    assert await ask(service, "GET", "/v1/nothing") == (
        404,
        {"error": {"code": "not_found", "field": "path", "message": "was '/v1/nothing'; there is no such resource"}},
    )


async def test_another_method_names_the_one_that_is_allowed(service: Service) -> None:
    assert await ask(service, "DELETE", "/health/live") == (
        405,
        {"error": {"code": "method_not_allowed", "field": "method", "message": "was DELETE; allowed: GET"}},
    )


@pytest.mark.parametrize("body", [b"[" * 100_000, b'{"a": ' + b"9" * 5_000 + b"}", b"\xff\xfe", b"nonsense"])
async def test_a_body_that_no_parser_takes_is_invalid_input_and_is_not_sent_back_whole(
    service: Service, body: bytes
) -> None:
    status, answer = await ask(service, "POST", "/v1/tables/t1/close", body)
    assert status in (400, 422)
    assert answer["error"]["code"] == "invalid_input"
    assert len(json.dumps(answer)) < 1_000
