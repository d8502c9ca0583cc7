"""The four services over HTTP, as a terminal uses them: a command is sent again under the same id until it is answered.

A service that is gone, restarting or overloaded is waited for; a refusal is an answer and is never repeated.
"""

import asyncio
import base64
import json
import time
import uuid
from collections.abc import AsyncIterator, Mapping
from types import TracebackType
from typing import Any, Self

import aiohttp

from pitstream.cli.addresses import Addresses
from pitstream.events import Recorded, UndecodableError, open_envelope

Json = dict[str, Any]

_ATTEMPT_S = 15.0  # an answer takes milliseconds; a connection to a killed process may never end by itself
READER = "auditor"
"""In which role the command looks at things."""
TOO_MANY = 429
_BACKOFF_S = (0.05, 2.0)  # first and longest pause between two attempts


class RefusedError(Exception):
    """A service said no. ``code`` is stable and listed in ``docs/errors.md``."""

    def __init__(self, what: str, status: int, code: str, field: str, message: str) -> None:
        super().__init__(f"{what}: {code}: {field}: {message}" if field else f"{what}: {code}: {message}")
        self.status = status
        self.code = code


class UnreachableError(Exception):
    """A service did not answer for as long as our patience lasts."""


class Client:
    """One connection pool to all four services.

    ``patience_s`` bounds how long one request is tried again. ``latencies_s`` collects how long each command took from
    its first attempt to its answer.
    """

    def __init__(self, addresses: Addresses, *, patience_s: float = 120.0) -> None:
        self._addresses = addresses
        self._patience_s = patience_s
        self._session: aiohttp.ClientSession | None = None
        self.latencies_s: list[float] = []
        self.repeated = 0
        """Attempts beyond the first, over all requests."""

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=60), timeout=aiohttp.ClientTimeout(total=None)
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._session is not None:
            await self._session.close()

    async def command(
        self, service: str, path: str, body: Mapping[str, Any], *, command_id: uuid.UUID, by: str
    ) -> Json:
        """Carry out a command exactly once, however often it must be sent; its outcome. ``by``: in which role.

        Raises RefusedError when it may not be done, UnreachableError when patience ends.
        """
        began = time.perf_counter()
        headers = {"Idempotency-Key": str(command_id)}
        answer = _object(await self._until_answered("POST", service, path, by=by, json=body, headers=headers))
        self.latencies_s.append(time.perf_counter() - began)
        return answer

    async def get(self, service: str, path: str, *, by: str = READER, wait_ms: int = 0, **params: str | int) -> Json:
        """What a service knows. ``wait_ms``: how long it may hold the answer back for news."""
        if wait_ms:
            params["wait_ms"] = wait_ms
        return _object(await self._until_answered("GET", service, path, by=by, params=params, longer_s=wait_ms / 1000))

    async def pages(
        self, service: str, path: str, what: str, *, limit: int = 200, **query: str | int
    ) -> AsyncIterator[list[Json]]:
        """The rows of a list, page by page; ``what``: the name that they have in the answer."""
        while True:
            answer = await self.get(service, path, by=READER, wait_ms=0, limit=limit, **query)
            yield answer[what]
            following = answer.get("next")
            if following is None:
                return
            query["after"] = following

    async def rows(self, service: str, path: str, **params: str | int) -> list[Json]:
        """A list of what a service knows."""
        answer = await self._until_answered("GET", service, path, params=params)
        if not isinstance(answer, list):
            raise TypeError(f"a JSON list was promised, the answer was {str(answer)[:200]}")
        return answer

    async def events(self, service: str, path: str) -> list[Recorded]:
        """The events behind ``path``, from the very bytes that the service stored; none when it knows no such thing.

        Raises UndecodableError where the bytes are no event, or not those that their hash was made of.
        """
        try:
            rows = await self.rows(service, f"{path}/events")
        except RefusedError as refused:
            if refused.status == 404:
                return []
            raise
        return [_recorded(row) for row in rows]

    async def query(self, service: str, path: str, body: Mapping[str, Any]) -> Json:
        """A question too long for a URL: changes nothing, needs no id."""
        return _object(await self._until_answered("POST", service, path, json=body))

    async def _until_answered(
        self,
        method: str,
        service: str,
        path: str,
        *,
        by: str = READER,
        longer_s: float = 0.0,
        headers: Mapping[str, str] | None = None,
        **request: Any,
    ) -> Any:
        if self._session is None:
            raise RuntimeError("the client is not open: use it with `async with`")
        url = self._addresses.of(service) + path
        headers = {**(headers or {}), **self._addresses.keys.headers(by)}
        timeout = aiohttp.ClientTimeout(total=_ATTEMPT_S + longer_s, sock_connect=2.0)
        deadline = time.monotonic() + self._patience_s
        pause, longest = _BACKOFF_S
        while True:
            try:
                async with self._session.request(method, url, timeout=timeout, headers=headers, **request) as response:
                    if response.status < 500 and response.status != TOO_MANY:
                        return _answer(f"{method} {path}", response.status, await response.json())
                    trouble = f"{response.status} {response.reason}{_why(await response.text())}"
                    pause = max(pause, float(response.headers.get("Retry-After", 0)))
            except (aiohttp.ClientError, TimeoutError, ConnectionError) as error:
                trouble = str(error) or type(error).__name__
            if time.monotonic() + pause > deadline:
                raise UnreachableError(f"{service} at {url}: no answer in {self._patience_s:g} s: {trouble}")
            self.repeated += 1
            await asyncio.sleep(pause)
            pause = min(pause * 2, longest)


def _why(text: str) -> str:
    """What a problem says, after ": "; nothing of an answer that is none."""
    try:
        return f": {json.loads(text)['detail']}"
    except (ValueError, TypeError, KeyError):
        return ""


def _answer(what: str, status: int, body: Any) -> Any:
    if status < 400:
        return body
    if not isinstance(body, dict) or "code" not in body:
        raise RefusedError(what, status, f"http_{status}", "", str(body)[:200])
    code, field, detail = (str(body.get(key) or "") for key in ("code", "field", "detail"))
    raise RefusedError(what, status, code, field, detail)


def _object(body: Any) -> Json:
    if not isinstance(body, dict):
        raise TypeError(f"a JSON object was promised, the answer was {str(body)[:200]}")
    return body


def _recorded(row: Mapping[str, Any]) -> Recorded:
    recorded = open_envelope(base64.b64decode(row["envelope"], validate=True))
    if recorded.hash.hex() != row["hash"]:
        raise UndecodableError(
            f"{recorded.stream} version {recorded.version}: the bytes do not have the hash {row['hash']}"
        )
    return recorded
