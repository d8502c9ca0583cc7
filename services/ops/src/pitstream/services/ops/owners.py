"""The services that own what is decided: asked in the name of whoever is here, with their own credential."""

import asyncio
from collections.abc import Mapping
from typing import Any

import aiohttp
from fastapi.responses import Response

from pitstream.events.refusal import Refusal
from pitstream.runtime import Outcome, Store
from pitstream.services.ops.config import OpsSettings

ERROR_CODES = {
    "service_unreachable": "The service that decides this does not answer. Send the same command id again: it is"
    " carried out once, whether this request arrived or not.",
}
_WAIT_S = 8.0
_PAUSE_S = 0.3


class UnreachableError(Exception):
    """A service does not answer."""


class Owners:
    """The other services over HTTP."""

    def __init__(self, settings: OpsSettings) -> None:
        self.urls: Mapping[str, str] = {
            "table": settings.table_url.rstrip("/"),
            "settlement": settings.settlement_url.rstrip("/"),
            "progressive": settings.progressive_url.rstrip("/"),
            "wallet": settings.wallet_url.rstrip("/"),
        }
        self._session: aiohttp.ClientSession | None = None

    async def stay_open(self, _store: Store) -> None:
        """Connections to them for as long as the service runs."""
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=_WAIT_S)) as self._session:
            await asyncio.Event().wait()

    async def get(self, service: str, path: str, credential: str, **query: Any) -> tuple[int, Any]:
        """Status and JSON of a resource. Raises UnreachableError."""
        session = self._of(service)
        headers = {"Authorization": f"Bearer {credential}"}
        try:
            async with session.get(self.urls[service] + path, params=query, headers=headers) as answer:
                return answer.status, await answer.json(content_type=None)
        except (aiohttp.ClientError, TimeoutError, ValueError) as error:
            raise UnreachableError(f"{service}: {error!r}") from error

    async def command(
        self, service: str, path: str, credential: str, command_id: str, body: Mapping[str, Any] | None
    ) -> Response:
        """Send a command until it is answered or patience ends: under one id it is carried out once. Its answer as it
        is, or 503 ``service_unreachable``."""
        headers = {"Authorization": f"Bearer {credential}", "Idempotency-Key": command_id}
        deadline = asyncio.get_running_loop().time() + _WAIT_S
        session = self._of(service)
        while True:
            try:
                async with session.post(self.urls[service] + path, json=body, headers=headers) as answer:
                    again_s = float(answer.headers.get("Retry-After", "0")) if answer.status == 503 else 0.0
                    if not again_s or asyncio.get_running_loop().time() + again_s > deadline:
                        return Response(await answer.read(), answer.status, media_type=answer.content_type)
                await asyncio.sleep(again_s)
            except (aiohttp.ClientError, TimeoutError) as error:
                if asyncio.get_running_loop().time() > deadline:
                    refusal = Refusal("service_unreachable", "service", f"{service} does not answer: {error!r}")
                    return Outcome.refused(refusal, 503).response({"Retry-After": "2"})
                await asyncio.sleep(_PAUSE_S)

    def _of(self, service: str) -> aiohttp.ClientSession:
        if service not in self.urls or self._session is None:
            raise UnreachableError(f"{service}: nobody is asked there")
        return self._session
