"""How a wallet misbehaves: seeded, so that the same seed does the same to the same requests.

Each kind is something that real networks, proxies and programs were seen to do. They stand around the application,
which itself never knows: what it commits, it commits as it should.
"""

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Any

from pitstream.operator.app import SIGNATURE_HEADER, signed

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]
Receive = Callable[[], Awaitable[Message]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

KINDS = {
    "delay": "the request is carried out after the caller has given up",
    "drop_request": "the connection breaks before the request is read",
    "drop_reply": "the connection breaks after the commit",
    "duplicate": "a proxy delivers the request twice",
    "error_after_commit": "500 after the commit",
    "error_before_commit": "500, nothing was done",
    "wrong_signature": "the answer is signed under another key",
    "wrong_currency": "the answer speaks of another currency",
    "wrong_amount": "the answer speaks of another amount",
    "wrong_transaction": "the answer speaks of another transaction",
    "slow_loris": "the answer comes a byte at a time",
    "malformed_json": "the answer ends in the middle",
    "too_many": "429, nothing was done",
    "late": "the request gets lost on the way and arrives after everything else",
    "endless": "the answer is larger than anybody wants to read",
}


@dataclass(slots=True)
class Plan:
    """Which request meets which fault. ``armed``: path -> kinds for the next requests to it, before any by chance."""

    seed: int = 0
    per_mille: int = 0
    kinds: tuple[str, ...] = tuple(KINDS)
    delay_s: float = 1.0
    """How late ``delay`` and ``late`` are: longer than the caller's deadline."""
    armed: dict[str, list[str]] = field(default_factory=dict)
    done: dict[str, int] = field(default_factory=dict)
    """Kind -> how often it was done."""

    def arm(self, path: str, kinds: list[str]) -> None:
        """The next requests to ``path`` meet these kinds, one each. Raises ValueError for a kind that there is not."""
        for kind in kinds:
            if kind not in KINDS:
                raise ValueError(f"kind: was {kind!r}; allowed: {', '.join(KINDS)}")
        self.armed.setdefault(path, []).extend(kinds)

    def pick(self, path: str, request_id: str) -> str | None:
        """The fault that this request meets, if any."""
        waiting = self.armed.get(path)
        kind = waiting.pop(0) if waiting else self._by_chance(request_id)
        if kind is not None:
            self.done[kind] = self.done.get(kind, 0) + 1
        return kind

    def _by_chance(self, request_id: str) -> str | None:
        drawn = int.from_bytes(hashlib.sha256(f"{self.seed}/{request_id}".encode()).digest()[:8], "big")
        if drawn % 1000 >= self.per_mille:
            return None
        return self.kinds[drawn // 1000 % len(self.kinds)]


@dataclass(slots=True)
class _Answer:
    status: int = 500
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)
    body: bytes = b""

    async def take(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], list(message.get("headers", []))
        else:
            self.body += message.get("body", b"")

    async def give(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status, "headers": self.headers})
        await send({"type": "http.response.body", "body": self.body})


class FaultyApp:
    """An ASGI application that a plan stands around. It needs ``scope["abort"]`` to break connections."""

    def __init__(self, app: App, plan: Plan, key: bytes) -> None:
        self._app = app
        self._plan = plan
        self._key = key
        self._late: set[asyncio.Task[_Answer]] = set()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "POST" or not scope["path"].startswith("/wallet/"):
            if scope["type"] == "http" and scope["path"] == "/faults":
                await self._arm(scope, receive, send)
                return
            await self._app(scope, receive, send)
            return
        body = await _read(receive)
        kind = self._plan.pick(scope["path"], _request_id(body))
        await self._answer(kind, scope, body, send)

    async def _answer(self, kind: str | None, scope: Message, body: bytes, send: Send) -> None:
        match kind:
            case "drop_request":
                await _abort(scope)
            case "late":
                task = asyncio.create_task(self._later(scope, body))
                self._late.add(task)
                task.add_done_callback(self._late.discard)
                await _abort(scope)
            case "too_many" | "error_before_commit":
                await _Answer(429 if kind == "too_many" else 500, [], b"{}").give(send)
            case "delay":
                await (await self._later(scope, body)).give(send)
            case "duplicate":
                await self._carry_out(scope, body)
                await (await self._carry_out(scope, body)).give(send)
            case None:
                await (await self._carry_out(scope, body)).give(send)
            case _:
                await self._spoil(kind, scope, await self._carry_out(scope, body), send)

    async def _spoil(self, kind: str, scope: Message, answer: _Answer, send: Send) -> None:
        """The request was carried out; what the caller gets to see of it."""
        match kind:
            case "drop_reply":
                await _abort(scope)
            case "error_after_commit":
                await _Answer(500, [], b"{}").give(send)
            case "wrong_signature":
                forged = (SIGNATURE_HEADER.lower().encode(), b"0" * 64)
                answer.headers = [h for h in answer.headers if h[0] != forged[0]] + [forged]
                await answer.give(send)
            case "slow_loris":
                await send({"type": "http.response.start", "status": answer.status, "headers": answer.headers})
                for at in range(len(answer.body)):
                    await send({"type": "http.response.body", "body": answer.body[at : at + 1], "more_body": True})
                    await asyncio.sleep(self._plan.delay_s / 10)
                await send({"type": "http.response.body", "body": b""})
            case "endless":
                headers = [h for h in answer.headers if h[0] != b"content-length"]
                await send({"type": "http.response.start", "status": answer.status, "headers": headers})
                for _ in range(64):
                    await send({"type": "http.response.body", "body": b" " * 65536, "more_body": True})
                await send({"type": "http.response.body", "body": answer.body})
            case _:
                other = self._other_body(kind, answer.body)
                made = signed(self._key, scope["path"], answer.status, other)
                await _Answer(answer.status, list(made.raw_headers), other).give(send)

    def _other_body(self, kind: str, body: bytes) -> bytes:
        if kind == "malformed_json":
            return bytes(body[: len(body) // 2])
        told: dict[str, Any] = json.loads(body)
        match kind:
            case "wrong_currency":
                told["currency"] = "XTS"
            case "wrong_amount":
                told["amount"] = told.get("amount", 0) + 1
            case _:
                told["transaction_id"] = "00000000-0000-5000-8000-000000000000"
        return json.dumps(told, separators=(",", ":")).encode()

    async def _later(self, scope: Message, body: bytes) -> _Answer:
        await asyncio.sleep(self._plan.delay_s)
        return await self._carry_out(scope, body)

    async def _carry_out(self, scope: Message, body: bytes) -> _Answer:
        answer = _Answer()

        async def receive() -> Message:
            return {"type": "http.request", "body": body, "more_body": False}

        await self._app(dict(scope), receive, answer.take)
        return answer

    async def _arm(self, scope: Message, receive: Receive, send: Send) -> None:
        """``POST /faults {"path", "kinds"}`` or ``{"per_mille"}``; ``GET`` tells what was done."""
        if scope["method"] == "POST":
            told = json.loads(await _read(receive))
            if "per_mille" in told:
                self._plan.per_mille = int(told["per_mille"])
            if "kinds" in told:
                self._plan.arm(told["path"], told["kinds"])
        body = json.dumps({"done": self._plan.done, "late": len(self._late)}).encode()
        await _Answer(200, [(b"content-type", b"application/json")], body).give(send)


async def _abort(scope: Message) -> None:
    scope["abort"]()
    # The server hears of it in its next turns, and then expects no answer any more.
    for _ in range(3):
        await asyncio.sleep(0)


async def _read(receive: Receive) -> bytes:
    body: bytes = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            return body


def _request_id(body: bytes) -> str:
    try:
        return str(json.loads(body)["request_id"])
    except (ValueError, KeyError, TypeError):
        return ""
