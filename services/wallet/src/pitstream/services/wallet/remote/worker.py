"""Who asks the operators: a worker in every wallet process, beside the consumers and never in their way.

A move is claimed and its attempt counted, then the operator is called outside every transaction, then what came of it
is recorded with all that follows. One operator's calls never wait for another's: each has calls of its own at once.
"""

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass, field

import asyncpg

from pitstream.runtime import Store
from pitstream.runtime.logs import log
from pitstream.services.wallet.remote import store as moves_store
from pitstream.services.wallet.remote.breaker import Breaker
from pitstream.services.wallet.remote.desk import Heard, hear
from pitstream.services.wallet.remote.http import OperatorClient
from pitstream.services.wallet.remote.moves import Answer, Done, Doubt, NeverSent, No
from pitstream.services.wallet.remote.operators import Operator
from pitstream.services.wallet.remote.protocol import Call, call
from pitstream.services.wallet.remote.store import Claim

POLL_S = 0.5
"""How long a move that is due may wait when no notification came: retries become due by themselves."""
RECORD_MS = 3_000
"""How long a claim outlives its call's deadline: for recording what came of it."""
FINISH_S = 2.0
"""How long a process that is told to stop waits for answers."""
RECORDERS = 2
"""Transactions at once: the consumers need connections too."""
RECORD_MAX = 64
"""Answers in one transaction: what has come by then, nothing is waited for."""
DECLINE_AT_ONCE = 64
"""Debits declined at once while an operator is left alone: no call is made for them."""


@dataclass(slots=True)
class _Line:
    """One operator as this process sees it."""

    operator: Operator
    breaker: Breaker = field(default_factory=Breaker)
    calling: int = 0

    def slots(self, now_ms: int) -> tuple[str, int, int, int]:
        """(operator, debits, others, milliseconds) that may be claimed now."""
        claim_ms = self.operator.deadline_ms + RECORD_MS
        free = max(0, self.operator.calls_at_once - self.calling)
        if self.breaker.is_closed:
            # Half for each at least: wins are paid while bets rain down, and bets are taken while wins pile up.
            half = (free + 1) // 2
            return self.operator.operator, half, free - half if free > 1 else free, claim_ms
        if not self.breaker.lets_through(now_ms):
            return self.operator.operator, DECLINE_AT_ONCE, 0, claim_ms
        return self.operator.operator, 0 if self.calling else 1, 0 if self.calling else 1, claim_ms


class RemoteWorker:
    """Asks the operators for what is due. ``run`` never returns; cancel it to stop."""

    def __init__(self, store: Store, *, postgres: str) -> None:
        self._store = store
        self._postgres = postgres
        self._lines: dict[str, _Line] = {}
        self._wake = asyncio.Event()
        self._answers: asyncio.Queue[tuple[Heard, asyncio.Future[None]]] = asyncio.Queue()
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        async with OperatorClient() as client, asyncio.TaskGroup() as recorders:
            recording = [recorders.create_task(self._record()) for _ in range(RECORDERS)]
            try:
                while True:
                    try:
                        await self._listen_and_work(client)
                    except Exception as error:  # whatever it was, what is due is still in the database
                        log.warning("remote worker starts again", error=repr(error))
                    await asyncio.sleep(POLL_S)
            finally:
                await self._finish()
                for task in recording:
                    task.cancel()

    async def _finish(self) -> None:
        """Let calls that are under way be answered and recorded; one that is not is in doubt at the next start."""
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=FINISH_S)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    async def _listen_and_work(self, client: OperatorClient) -> None:
        connection = await asyncpg.connect(
            self._postgres, server_settings={"application_name": f"pitstream-{self._store.source}-remote"}
        )
        try:
            await connection.add_listener(moves_store.channel_of(self._store), lambda *_: self._wake.set())
            while not connection.is_closed():
                self._wake.clear()
                if not await self._begin_what_is_due(client):
                    # Not asyncio.wait_for: before Python 3.12 it loses a cancellation that meets the event.
                    with suppress(TimeoutError):
                        async with asyncio.timeout(POLL_S):
                            await self._wake.wait()
        finally:
            connection.terminate()

    async def _begin_what_is_due(self, client: OperatorClient) -> int:
        await self._refresh()
        now_ms = _now_ms()
        slots = [line.slots(now_ms) for line in self._lines.values()]
        claims = await moves_store.claim(self._store, [one for one in slots if one[1] or one[2]])
        for claim in claims:
            line = self._lines[claim.operator]
            line.calling += 1
            task = asyncio.create_task(self._carry_out(client, line, claim))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return len(claims)

    async def _refresh(self) -> None:
        """The operators as they are registered now; what is known of how they answer is kept."""
        for operator in await moves_store.operators(self._store):
            if not operator.is_seamless:
                continue
            known = self._lines.get(operator.operator)
            if known is None:
                self._lines[operator.operator] = _Line(operator)
            else:
                known.operator = operator

    async def _carry_out(self, client: OperatorClient, line: _Line, claim: Claim) -> None:
        operator = line.operator
        try:
            answer = await self._answer(client, line, claim)
            recorded: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._answers.put_nowait((Heard(operator, claim, answer), recorded))
            await recorded
        except Exception as error:  # the claim runs out, and the move is due again
            log.error("a move's answer could not be recorded", transaction_id=claim.transaction_id, error=repr(error))
        finally:
            line.calling -= 1
            self._wake.set()

    async def _record(self) -> None:
        """Record answers as they come, those that wait together in one transaction."""
        while True:
            batch = [await self._answers.get()]
            while len(batch) < RECORD_MAX and not self._answers.empty():
                batch.append(self._answers.get_nowait())
            try:
                await hear(self._store, [heard for heard, _ in batch])
            except Exception as error:  # one of them cannot be recorded: the others are
                log.warning("answers are recorded one by one", answers=len(batch), error=repr(error))
                for heard, recorded in batch:
                    await self._record_alone(heard, recorded)
            else:
                for _, recorded in batch:
                    _told(recorded)

    async def _record_alone(self, heard: Heard, recorded: asyncio.Future[None]) -> None:
        try:
            await hear(self._store, [heard])
        except Exception as error:  # whoever waits for it says so
            _told(recorded, error)
        else:
            _told(recorded)

    async def _answer(self, client: OperatorClient, line: _Line, claim: Claim) -> Answer:
        operator = line.operator
        if claim.step == "debit" and claim.attempt > 1:
            return Doubt("the process that asked for it died before it recorded an answer")
        if not line.breaker.lets_through(_now_ms()):
            return NeverSent(f"{operator.operator} has not answered of late and is left alone for a moment")
        line.breaker = line.breaker.trying(_now_ms())
        answer = await client.ask(operator, call_of(claim))
        match answer:
            case Done() | No():
                line.breaker = line.breaker.heard()
            case Doubt() | NeverSent():
                line.breaker = line.breaker.doubted(_now_ms())
                log.warning(
                    "an operator gave no answer",
                    operator=operator.operator,
                    step=claim.step,
                    transaction_id=claim.transaction_id,
                    attempt=claim.attempt,
                    reason=answer.reason,
                )
        return answer


def call_of(claim: Claim) -> Call:
    """The request that a claim stands for."""
    return call(
        claim.step,
        transaction_id=claim.transaction_id,
        attempt=claim.attempt,
        player=claim.player,
        currency=claim.currency,
        amount=claim.amount,
        table=claim.table,
        round_no=claim.round_no,
        game=claim.game,
        reference_id=claim.reference_id,
    )


def _told(waiting: asyncio.Future[None], error: Exception | None = None) -> None:
    """Tell who waits, unless it was cancelled meanwhile."""
    if waiting.done():
        return
    if error is None:
        waiting.set_result(None)
    else:
        waiting.set_exception(error)


def _now_ms() -> int:
    return time.monotonic_ns() // 1_000_000
