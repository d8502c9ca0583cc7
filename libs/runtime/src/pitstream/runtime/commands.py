"""Commands: one transaction each, one answer for ever."""

import hashlib
import json
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Header, Request
from fastapi.responses import JSONResponse

from pitstream.events.refusal import Refusal
from pitstream.runtime.problem import problem, problem_response
from pitstream.runtime.store import Store, Transaction, UnheardError

AGAIN_S = 1
"""After so many seconds a command that could not be decided may be sent again."""
PUBLISHED_S = 3.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command was answered: an HTTP status and a JSON object."""

    status: int
    body: dict[str, Any]

    @classmethod
    def refused(cls, refusal: Refusal, status: int = 422) -> "Outcome":
        """A refusal as every route gives it: ``pitstream.runtime.problem``."""
        return cls(status, problem(refusal, status))

    @classmethod
    def not_found(cls, field: str, message: str) -> "Outcome":
        return cls.refused(Refusal("not_found", field, message), 404)

    @classmethod
    def again(cls, refusal: Refusal) -> "Outcome":
        """Nothing can be said yet, and nothing is kept: the same command may be sent again in a moment."""
        message = f"{refusal.message}; allowed: the same command again, in {AGAIN_S} s"
        return cls.refused(Refusal(refusal.code, refusal.field, message), 503)

    def response(self, headers: Mapping[str, str] | None = None) -> JSONResponse:
        if self.status == 503:
            headers = {"Retry-After": str(AGAIN_S), **(headers or {})}
        if self.status >= 400:
            return problem_response(self.body, self.status, headers)
        return JSONResponse(self.body, self.status, headers=headers)


async def run_command(
    store: Store,
    *,
    scope: str,
    command_id: str,
    inputs: Mapping[str, Any],
    act: Callable[[Transaction], Awaitable[Outcome]],
    actor: str,
    heard: Collection[str] = (),
) -> Outcome:
    """Carry a command out once: its answer, its events and its state in one transaction.

    The same ``command_id`` in the same ``scope`` with the same ``inputs`` (JSON values) gets the stored answer,
    accepted or refused, and ``act`` does not run. Other inputs are refused with 409 ``command_id_reused``. ``act`` may
    run more than once (a lost race, a lost connection), of which one is committed.

    Where ``act`` must have heard of something first, the command waits a moment until the service has, and is answered
    503 ``not_heard_yet`` where that does not come about: nothing was done, and no answer is kept. ``heard``: topics
    that were read since the command came.
    """
    inputs_hash = hashlib.sha256(json.dumps(inputs, sort_keys=True, separators=(",", ":")).encode()).digest()

    known = frozenset(heard)

    async def unit(tx: Transaction) -> Outcome:
        tx.heard = known
        # A second command of this id waits here for the first one's commit, and then gets no row.
        mine = await tx.conn.fetchval(_TAKE, scope, command_id, inputs_hash, actor, store.clock_us())
        if not mine:
            return await _answered(tx, scope, command_id, inputs_hash)
        outcome = await act(tx)
        body = json.dumps(outcome.body, separators=(",", ":"))
        await tx.flush()
        await tx.conn.execute(_ANSWER, scope, command_id, outcome.status, body)
        return outcome

    while True:
        try:
            return await store.run(unit)
        except UnheardError as unheard:
            if not unheard.topics or not await has_heard(store, unheard.topics):
                return Outcome.again(Refusal("not_heard_yet", "", str(unheard)))
            known |= unheard.topics


async def has_heard(store: Store, topics: Collection[str]) -> bool:
    """Whether the service has read ``topics`` up to where they end now, or does so in a moment."""
    if store.hearing is None:
        raise RuntimeError(f"{sorted(topics)}: no service runs here that reads them")
    return await store.hearing.has_read(topics)


async def once_published(store: Store, stream: str, version: int, outcome: Outcome) -> Outcome:
    """The outcome of a command once what it appended to ``stream`` can be heard by every other service, so that its
    caller may build on it there. 503 ``not_published_yet`` where that takes too long: sent again, the same command gets
    the same outcome."""
    if outcome.status >= 400 or await store.has_published(stream, version, PUBLISHED_S):
        return outcome
    return Outcome.again(
        Refusal("not_published_yet", "", f"{stream}: it is done, and not told to the other services yet")
    )


_TAKE = """
INSERT INTO commands (scope, command_id, inputs_hash, actor, recorded_at_us) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT ON CONSTRAINT commands_once DO NOTHING RETURNING true
"""
_ANSWER = "UPDATE commands SET status = $3, body = $4 WHERE scope = $1 AND command_id = $2 AND status IS NULL"


async def _answered(tx: Transaction, scope: str, command_id: str, inputs_hash: bytes) -> Outcome:
    row = await tx.conn.fetchrow(
        "SELECT inputs_hash, status, body FROM commands WHERE scope = $1 AND command_id = $2", scope, command_id
    )
    if row is None:
        raise RuntimeError(f"command {command_id!r} of {scope}: its row was there and is gone")
    if row["inputs_hash"] != inputs_hash:
        return Outcome.refused(
            Refusal("command_id_reused", "Idempotency-Key", f"was {command_id!r}; it came before with other content"),
            409,
        )
    return Outcome(row["status"], json.loads(row["body"]))


class AnsweredError(Exception):
    """Ends a request with this answer; for dependencies, which cannot return one."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome)
        self.outcome = outcome


async def command_id(idempotency_key: Annotated[str | None, Header()] = None) -> str:
    """FastAPI dependency: the caller's id of this command, from the header ``Idempotency-Key``.

    A coroutine, like ``store_of``, because FastAPI sends plain functions to a thread: two hops a request.
    """
    if idempotency_key is None:
        raise AnsweredError(
            Outcome.refused(
                Refusal(
                    "missing_command_id",
                    "Idempotency-Key",
                    "the header is missing; allowed: an id of the command's own",
                ),
                400,
            )
        )
    if not (1 <= len(idempotency_key) <= 200 and idempotency_key.isascii() and idempotency_key.isprintable()):
        raise AnsweredError(
            Outcome.refused(
                Refusal(
                    "invalid_command_id",
                    "Idempotency-Key",
                    f"was {idempotency_key[:200]!r}; allowed: 1 to 200 printable ASCII characters",
                ),
                400,
            )
        )
    return idempotency_key


async def store_of(request: Request) -> Store:
    """FastAPI dependency: the service's store."""
    store: Store = request.app.state.store
    return store
