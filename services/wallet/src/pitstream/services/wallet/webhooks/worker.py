"""Sends what the outbox holds: leases a lane, calls outside of any transaction, records how it ended.

A process that dies between the call and the record calls again: at least once, with the same id and the same bytes.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import aiohttp

from pitstream.runtime import Store
from pitstream.runtime.logs import log
from pitstream.services.wallet.platform.expiry import AWAY
from pitstream.services.wallet.webhooks import signing
from pitstream.services.wallet.webhooks import store as sql
from pitstream.services.wallet.webhooks.guard import GuardedResolver, Network, guarded_socket, url_refusal
from pitstream.services.wallet.webhooks.schedule import Schedule

AT_ONCE = 32
"""Calls of one process under way."""
AT_ONCE_TO_ONE = 4
"""Of these to one subscriber: who is slow keeps nobody else waiting."""
_POLL_S = 0.5
_LEASE_MARGIN_S = 20.0
_KEEP = timedelta(days=7)
_TIDY_S = 3600.0
_ANSWER_MAX = 500


class Sender:
    """``run`` goes on for as long as the service does."""

    def __init__(self, store: Store, *, schedule: Schedule, allowed: Sequence[Network], timeout_s: float) -> None:
        self._store = store
        self._schedule = schedule
        self._allowed = tuple(allowed)
        self._timeout_s = timeout_s
        self._under_way: dict[asyncio.Task[None], str] = {}
        self._tidied = 0.0

    async def run(self) -> None:
        connector = aiohttp.TCPConnector(
            # The name is looked up for each call: what it means may have changed.
            resolver=GuardedResolver(self._allowed),
            socket_factory=guarded_socket(self._allowed),
            use_dns_cache=False,
            force_close=True,
            limit=AT_ONCE,
        )
        timeout = aiohttp.ClientTimeout(total=self._timeout_s)
        try:
            async with aiohttp.ClientSession(connector=connector, timeout=timeout, trust_env=False) as session:
                while True:
                    await self._round(session)
        finally:
            for task in self._under_way:
                task.cancel()

    async def _round(self, session: aiohttp.ClientSession) -> None:
        """Start what is due and may start, then wait for a call to end or for a moment."""
        started = False
        try:
            if time.monotonic() - self._tidied > _TIDY_S:
                await sql.forget_delivered(self._store, datetime.now(UTC) - _KEEP)
                self._tidied = time.monotonic()
            started = await self._start(session)
        except AWAY as error:
            # PostgreSQL is away; the watchdog knows better than we when that is too long.
            log.warning("webhooks wait for the database", error=repr(error))
        if started:
            return
        if self._under_way:
            await asyncio.wait(self._under_way, timeout=_POLL_S, return_when=asyncio.FIRST_COMPLETED)
        else:
            await asyncio.sleep(_POLL_S)

    async def _start(self, session: aiohttp.ClientSession) -> bool:
        """Start one call, if one is due and may start."""
        if len(self._under_way) >= AT_ONCE:
            return False
        calls = Counter(self._under_way.values())
        busy = [webhook for webhook, count in calls.items() if count >= AT_ONCE_TO_ONE]
        attempt = await sql.claim(self._store, busy=busy, lease_s=self._timeout_s + _LEASE_MARGIN_S)
        if attempt is None:
            return False
        task = asyncio.create_task(self._attempt(session, attempt))
        self._under_way[task] = attempt.webhook_id
        task.add_done_callback(self._ended)
        return True

    def _ended(self, task: asyncio.Task[None]) -> None:
        del self._under_way[task]
        if not task.cancelled() and (error := task.exception()) is not None:
            # The lease ends by itself, and the delivery is attempted again.
            log.error("a webhook's attempt was not recorded", error=repr(error))

    async def _attempt(self, session: aiohttp.ClientSession, attempt: sql.Attempt) -> None:
        delivered, answer = await self._call(session, attempt)
        pause_ms = self._schedule.pause_after(attempt.attempts + 1)
        await sql.finish(self._store, attempt, answer=answer, delivered=delivered, pause_ms=pause_ms)
        if not delivered:
            log.warning(
                "webhook not delivered",
                webhook_id=attempt.webhook_id,
                delivery_id=attempt.delivery_id,
                answer=answer,
                dead=pause_ms is None,
            )

    async def _call(self, session: aiohttp.ClientSession, attempt: sql.Attempt) -> tuple[bool, str]:
        """Whether the subscriber took it, and what it answered. Only a 2xx counts; a redirection is not followed."""
        refusal = url_refusal(attempt.url, self._allowed)
        if refusal is not None:
            return False, refusal.code
        body = attempt.body.encode()
        headers = signing.headers(attempt.secrets, attempt.delivery_id, int(time.time()), body)
        try:
            async with session.post(attempt.url, data=body, headers=headers, allow_redirects=False) as response:
                return 200 <= response.status < 300, str(response.status)
        except TimeoutError:
            return False, f"no answer in {self._timeout_s:g} s"
        except (aiohttp.ClientError, OSError, ValueError) as error:
            return False, f"{type(error).__name__}: {error}"[:_ANSWER_MAX]
