"""The operator's wallet over HTTP: one signed request, one answer judged, within one deadline for all of it."""

import asyncio
import time
from collections.abc import Callable
from urllib.parse import urlsplit

import aiohttp

from pitstream.runtime.secret import NoKeyError, read_key
from pitstream.services.wallet.remote.moves import Answer, Doubt, NeverSent, No
from pitstream.services.wallet.remote.operators import Operator
from pitstream.services.wallet.remote.protocol import (
    SIGNATURE_HEADER,
    TIMESTAMP_HEADER,
    Call,
    Received,
    judge,
    judge_balance,
    signature_of_request,
)

ANSWER_BYTES_MAX = 64 * 1024


class OperatorClient:
    """One connection pool to all operators. Use it with ``async with``."""

    def __init__(self, clock_s: Callable[[], float] = time.time) -> None:
        self._clock_s = clock_s
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> "OperatorClient":
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, limit_per_host=0, keepalive_timeout=30),
            timeout=aiohttp.ClientTimeout(total=None),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._session is not None:
            await self._session.close()

    async def ask(self, operator: Operator, made: Call) -> Answer:
        """Send the call once; what its answer means. Never raises for what the operator or the network does."""
        try:
            key = read_key(operator.key_ref)
        except NoKeyError as error:
            return NeverSent(str(error))
        received = await self._send(operator, made, key)
        if not isinstance(received, Received):
            return received
        return judge(made, key, operator.path(made), received, int(self._clock_s()))

    async def balance(self, operator: Operator, made: Call) -> int | No | Doubt:
        """The balance that a player has at the operator, minor units."""
        try:
            key = read_key(operator.key_ref)
        except NoKeyError as error:
            return Doubt(str(error))
        received = await self._send(operator, made, key)
        if isinstance(received, NeverSent):
            return Doubt(received.reason)
        if isinstance(received, Doubt):
            return received
        return judge_balance(made, key, operator.path(made), received, int(self._clock_s()))

    async def _send(self, operator: Operator, made: Call, key: bytes) -> Received | NeverSent | Doubt:
        if self._session is None:
            raise RuntimeError("the client is not open: use it with `async with`")
        timestamp = str(int(self._clock_s()))
        headers = {
            "Content-Type": "application/json",
            "Accept-Encoding": "identity",
            TIMESTAMP_HEADER: timestamp,
            SIGNATURE_HEADER: signature_of_request(key, operator.path(made), timestamp, made.body),
        }
        try:
            # One deadline for everything: an answer that drips in byte by byte is no answer.
            async with (
                asyncio.timeout(operator.deadline_ms / 1000),
                self._session.post(
                    operator.base_url + made.path, data=made.body, headers=headers, allow_redirects=False
                ) as response,
            ):
                body = await response.content.read(ANSWER_BYTES_MAX + 1)
                while len(body) <= ANSWER_BYTES_MAX and (more := await response.content.read(ANSWER_BYTES_MAX)):
                    body += more
                if len(body) > ANSWER_BYTES_MAX:
                    return Doubt(f"body: was longer than {ANSWER_BYTES_MAX} bytes")
                told = response.headers
                return Received(response.status, told.get(TIMESTAMP_HEADER, ""), told.get(SIGNATURE_HEADER, ""), body)
        except aiohttp.ClientConnectorError as error:
            # There never was a connection, so there is nothing that the operator could have read.
            return NeverSent(f"{urlsplit(operator.base_url).netloc}: {error.strerror or type(error).__name__}")
        except TimeoutError:
            return Doubt(f"no answer within {operator.deadline_ms} ms")
        except (aiohttp.ClientError, OSError, ValueError) as error:
            return Doubt(f"{type(error).__name__}: {error}"[:300])
