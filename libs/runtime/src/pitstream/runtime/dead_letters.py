"""Dead letters over HTTP: what was set aside, why, and once the cause is mended, again through the handler."""

import asyncio
import base64
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends, Path, Query
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

from pitstream.events.model import INT64_MAX
from pitstream.events.refusal import Refusal
from pitstream.runtime import inbox_store, telemetry
from pitstream.runtime.access import Principal, Role, allowed
from pitstream.runtime.commands import Outcome, command_id, run_command, store_of
from pitstream.runtime.inbox import NEWER_VERSION, UNKNOWN_TYPE, Seen, look
from pitstream.runtime.inbox_store import Handler
from pitstream.runtime.logs import log
from pitstream.runtime.settings import TOPIC_SOURCES
from pitstream.runtime.store import Store, Transaction

if TYPE_CHECKING:
    import asyncpg


Operations = Annotated[Principal, Depends(allowed(Role.OPERATIONS, everywhere=True))]
"""A dead letter holds what came, whoever's it is: so it takes the scope ``*``."""


class DeadLetter(BaseModel):
    """A record that could not be taken in, and why."""

    id: int
    topic: str
    partition: int
    offset: int
    key: Annotated[str | None, Field(description="as text, where it is one")]
    bytes: Annotated[int | None, Field(description="of the record; null where Kafka had null")]
    reason: Annotated[str, Field(examples=["handler_failed"])]
    error: str
    blocks: Annotated[str | None, Field(description="the key whose later records wait for this one")]
    parked: Annotated[int, Field(description="how many wait")]
    recorded_at_us: int
    retried_at_us: int | None


class DeadLetters(BaseModel):
    """In the order in which they were set aside."""

    dead_letters: list[DeadLetter]


class Header(BaseModel):
    """A record's header; null where Kafka had null."""

    name: str
    value_base64: str | None


class DeadLetterWithBytes(DeadLetter):
    """The record itself with it."""

    key_base64: str | None
    value_base64: str | None
    headers: list[Header]


class Retried(BaseModel):
    """What became of a dead letter that was tried again."""

    id: int
    applied: Annotated[int, Field(description="records: this one, and those that waited behind it")]
    waits_for_its_place: bool
    set_aside: Annotated[list[str], Field(description="why some that waited behind it were set aside in their turn")]


LetterId = Annotated[int, Path(ge=1, le=INT64_MAX)]


def dead_letter_routes(handlers: Mapping[str, Handler]) -> APIRouter:
    """``/v1/dead-letters``: list, look at one, retry one."""
    router = APIRouter(prefix="/v1/dead-letters", tags=["dead letters"])

    @router.get("", response_model=DeadLetters)
    async def list_dead_letters(
        _who: Operations,
        store: Annotated[Store, Depends(store_of)],
        after: Annotated[int, Query(ge=0, le=INT64_MAX)] = 0,
        limit: Annotated[int, Query(ge=1, le=1000)] = 100,
        waiting: Annotated[bool, Query(description="only those that were not retried")] = False,
    ) -> dict[str, Any]:
        which = "WHERE d.id > $1 AND (NOT $3 OR d.retried_at_us IS NULL) ORDER BY d.id LIMIT $2"
        rows = await store.pool.fetch(f"{_LETTER} {which}", after, limit, waiting)
        return {"dead_letters": [_view(row) for row in rows]}

    @router.get("/{dead_letter_id}", response_model=DeadLetterWithBytes)
    async def get_dead_letter(
        dead_letter_id: LetterId, _who: Operations, store: Annotated[Store, Depends(store_of)]
    ) -> JSONResponse:
        row = await store.pool.fetchrow(f"{_LETTER} WHERE d.id = $1", dead_letter_id)
        if row is None:
            return Outcome.not_found("dead_letter_id", f"was {dead_letter_id}; there is no such dead letter").response()
        return JSONResponse({**_view(row), **_bytes(row)})

    @router.post("/{dead_letter_id}/retry", response_model=Retried)
    async def retry_dead_letter(
        dead_letter_id: LetterId,
        who: Operations,
        key: Annotated[str, Depends(command_id)],
        store: Annotated[Store, Depends(store_of)],
    ) -> JSONResponse:
        outcome = await run_command(
            store,
            scope="dead-letters",
            command_id=key,
            inputs={"dead_letter_id": dead_letter_id},
            act=lambda tx: _retry(tx, handlers, dead_letter_id),
            actor=who.name,
        )
        return outcome.response()

    return router


_LETTER = """
SELECT d.id, d.topic, d.partition, d.kafka_offset, d.kafka_time_ms, d.record_key, d.record_value, d.header_names,
       d.header_values, d.reason, d.error, d.recorded_at_us, d.retried_at_us, p.key AS blocks,
       (SELECT count(*) FROM parked w WHERE w.topic = p.topic AND w.key = p.key) AS parked
FROM dead_letters d LEFT JOIN key_positions p ON p.blocked_by = d.id
"""


def _view(row: "asyncpg.Record") -> dict[str, Any]:
    return {
        "id": row["id"],
        "topic": row["topic"],
        "partition": row["partition"],
        "offset": row["kafka_offset"],
        "key": None if row["record_key"] is None else row["record_key"].decode(errors="replace"),
        "bytes": None if row["record_value"] is None else len(row["record_value"]),
        "reason": row["reason"],
        "error": row["error"],
        "blocks": row["blocks"],
        "parked": row["parked"],
        "recorded_at_us": row["recorded_at_us"],
        "retried_at_us": row["retried_at_us"],
    }


def _bytes(row: "asyncpg.Record") -> dict[str, Any]:
    """The record itself; bytes in base64, null where Kafka had null."""
    names = [name.decode(errors="backslashreplace") for name in row["header_names"]]
    headers = zip(names, row["header_values"], strict=True)
    return {
        "key_base64": _base64(row["record_key"]),
        "value_base64": _base64(row["record_value"]),
        "headers": [{"name": name, "value_base64": _base64(value)} for name, value in headers],
    }


def _base64(value: bytes | None) -> str | None:
    return None if value is None else base64.b64encode(value).decode()


async def _retry(tx: Transaction, handlers: Mapping[str, Handler], dead_letter_id: int) -> Outcome:
    """The record goes through the handler as if it came now; on success the key goes on, in order."""
    row = await tx.conn.fetchrow("SELECT * FROM dead_letters WHERE id = $1 FOR UPDATE", dead_letter_id)
    if row is None:
        return Outcome.not_found("dead_letter_id", f"was {dead_letter_id}; there is no such dead letter")
    if row["retried_at_us"] is not None:
        return _refused("already_retried", f"was {dead_letter_id}; it was retried with success", 409)
    if row["topic"] not in handlers:
        return _refused(
            "not_read_here", f"was {dead_letter_id}; this service does not read {row['topic']} any more", 409
        )
    record = look(inbox_store.raw_of_row(row), TOPIC_SOURCES[row["topic"]])
    if not isinstance(record, Seen):
        return _refused(record.reason, record.error)
    reading = await inbox_store.begin(tx, row["topic"], [record])
    position = reading.positions[record.envelope.key]
    if position.block is not None and position.block.dead_letter_id == dead_letter_id:
        position.block = None
    span = telemetry.start_span(f"retry {row['topic']}", parent=record.envelope.traceparent)
    try:
        await inbox_store.apply(tx, reading, [record], handlers[row["topic"]], span, one_by_one=True)
    finally:
        span.end()
    failed = next((dead for dead in reading.dead if dead.raw is record.raw), None)
    if failed is not None:
        # Nothing of the reading is stored: the key waits as it did, for this same dead letter.
        return _refused(failed.reason, failed.error)
    await inbox_store.finish(tx, row["topic"], reading)
    await tx.conn.execute(
        "UPDATE dead_letters SET retried_at_us = $2 WHERE id = $1", dead_letter_id, tx.store.clock_us()
    )
    return Outcome(
        200,
        {
            "id": dead_letter_id,
            "applied": len(reading.applied),
            "waits_for_its_place": record in reading.parked,
            "set_aside": [dead.reason for dead in reading.dead],
        },
    )


_NEWER_EVERY_S = 15.0


async def take_in_newer(store: Store, handlers: Mapping[str, Handler]) -> None:
    """For as long as the service runs: let keys go on that wait for a newer version, should this one be it.

    Again and again, since an instance of an older version may set further ones aside while both run."""
    while True:
        try:
            await newer_taken_in(store, handlers)
        except Exception as error:  # the next time everything is looked at again
            log.warning("cannot look for what waits for a newer version", error=repr(error))
        await asyncio.sleep(_NEWER_EVERY_S)


async def newer_taken_in(store: Store, handlers: Mapping[str, Handler]) -> list[int]:
    """The dead letters, by id, that no version before this one could read and that went on now, in order."""
    rows = await store.pool.fetch(_NEWER, [NEWER_VERSION, UNKNOWN_TYPE], list(handlers))
    done = []
    for row in rows:
        known = look(inbox_store.raw_of_row(row), TOPIC_SOURCES[row["topic"]])
        if not isinstance(known, Seen) or known.recorded is None:
            continue
        dead_letter_id: int = row["id"]
        outcome = await store.run(lambda tx, letter=dead_letter_id: _retry(tx, handlers, letter))  # type: ignore[misc]
        if outcome.status == 200:
            log.info("went on with what waited for this version", dead_letter_id=dead_letter_id, topic=row["topic"])
            done.append(dead_letter_id)
    return done


_NEWER = """
SELECT * FROM dead_letters WHERE retried_at_us IS NULL AND reason = ANY ($1) AND topic = ANY ($2) ORDER BY id
"""


def _refused(code: str, message: str, status: int = 422) -> Outcome:
    return Outcome.refused(Refusal(code, "dead_letter_id", message), status)
