"""The judge of a run, with code of its own: it replays what was committed, and says what is wrong and by which promise.

Of the product it uses what reads an event's bytes, and nothing that decides: rounds are settled by the naive judge of
the settlement's tests, balances are sums of transfers and of what the rounds say, meters are fractions. Beside its own
verdict stands that of the audit which users run: each would tell of what the other one misses.
"""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pitstream.events import Envelope, Event, open_envelope
from pitstream.runtime.inbox import HANDLER_FAILED
from pitstream.runtime.settings import TOPIC_SOURCES
from simulated import judged_audit, judged_meters, judged_money, judged_ops, judged_rounds
from simulated.poison import is_poison
from simulated.world import World

TOPIC_OF = {source: topic for topic, source in TOPIC_SOURCES.items()}


@dataclass(frozen=True, slots=True)
class Wrong:
    """A broken promise: its name, and what was found."""

    promise: str
    found: str


@dataclass(frozen=True, slots=True)
class Stored:
    """A committed event."""

    envelope: Envelope
    event: Event
    data: bytes
    hash: bytes


Log = dict[str, list[Stored]]
"""By service, in the order of each key."""


async def judge(world: World) -> list[Wrong]:
    """Everything that is wrong once everything is finished; nothing, when every promise was kept."""
    log = await committed(world)
    wrong = [
        *_chains(log),
        *_topics(world, log),
        *await _readers(world, log),
        *await _dead_letters(world),
        *await _answers(world, log),
    ]
    for promise, found in (
        *judged_rounds.judge(log),
        *judged_meters.judge(log),
        *await judged_money.judge(world, log),
        *await judged_ops.judge(world, log),
        *await judged_audit.judge(world),
    ):
        wrong.append(Wrong(promise, found))
    return wrong


def digest(world: World, log: Log) -> str:
    """Of every step, every fault, every final answer and everything that was committed: the same for the same seed."""
    # The members of an answer's objects are in no order.
    answers = [
        (one.request.command_id, one.answer.status, json.dumps(one.answer.body, sort_keys=True)) for one in world.told
    ]
    told = hashlib.sha256(repr((world.steps, world.faults.fired, answers)).encode())
    for service in sorted(log):
        for stored in log[service]:
            told.update(stored.data)
    return told.hexdigest()


async def committed(world: World) -> Log:
    """Everything that was."""
    log: Log = {}
    for service in sorted(world.services):
        rows = await world.database.admin.fetch(
            f'SELECT envelope, hash FROM "{service}".events ORDER BY key, key_sequence'
        )
        log[service] = []
        for row in rows:
            recorded = open_envelope(row["envelope"])
            log[service].append(Stored(recorded.envelope, recorded.event, row["envelope"], row["hash"]))
    return log


def _chains(log: Log) -> Iterator[Wrong]:
    for service, events in log.items():
        streams: dict[str, list[Stored]] = defaultdict(list)
        keys: dict[str, list[int]] = defaultdict(list)
        for one in events:
            streams[one.envelope.stream].append(one)
            keys[one.envelope.key].append(one.envelope.key_sequence)
            if one.envelope.source != service:
                yield Wrong("whole chains", f"{service}: an event says that it is of {one.envelope.source}")
        for key, places in keys.items():
            if places != list(range(1, len(places) + 1)):
                yield Wrong("gapless keys", f"{service} {key}: {places}")
        for stream, members in streams.items():
            previous = b""
            for version, one in enumerate(sorted(members, key=lambda one: one.envelope.version), start=1):
                if one.envelope.version != version or one.envelope.previous_hash != previous:
                    yield Wrong("whole chains", f"{service} {stream}: breaks at version {one.envelope.version}")
                previous = hashlib.sha256(one.data).digest()
                if previous != one.hash:
                    yield Wrong("whole chains", f"{service} {stream}: hash of version {version}")


def _topics(world: World, log: Log) -> Iterator[Wrong]:
    """What was committed is published, in the order of each key, and nothing else is but poison."""
    for service, topic in TOPIC_OF.items():
        places: dict[bytes, int] = {}
        for partition in world.bus.topics[topic]:
            for offset, kept in enumerate(partition):
                if not is_poison(kept.record.headers):
                    places.setdefault(kept.record.value or b"", offset)
        stored = {one.data for one in log[service]}
        for data in places.keys() - stored:
            yield Wrong("published is committed", f"{topic}: {Envelope.FromString(data).stream} was never committed")
        last: dict[str, int] = {}
        for one in log[service]:
            where = f"{one.envelope.stream} version {one.envelope.version}"
            if one.data not in places:
                yield Wrong("committed is published", f"{topic}: {where} was not published")
            elif last.get(one.envelope.key, -1) > places[one.data]:
                yield Wrong("published in order", f"{topic}: {where} came before what precedes it")
            else:
                last[one.envelope.key] = places[one.data]


async def _readers(world: World, log: Log) -> Iterator[Wrong]:
    """Every event was applied by everybody who reads it, once, and nothing waits."""
    wrong = []
    for service, built in world.services.items():
        for topic in built.handlers:
            events = log[TOPIC_SOURCES[topic]]
            fetch = world.database.admin.fetch
            rows = await fetch(f'SELECT event_id::text AS id, hash FROM "{service}".inbox WHERE topic = $1', topic)
            applied = {row["id"]: row["hash"] for row in rows}
            wanted = {one.envelope.event_id: hashlib.sha256(one.data).digest() for one in events}
            lacking, more = wanted.keys() - applied.keys(), applied.keys() - wanted.keys()
            wrong += [Wrong("nothing is lost", f"{service} has not applied {one} of {topic}") for one in lacking]
            wrong += [Wrong("nothing is invented", f"{service} has applied {one}, none of {topic}") for one in more]
            if any(applied.get(one, hashed) != hashed for one, hashed in wanted.items()):
                wrong.append(Wrong("nothing is invented", f"{service} has applied other bytes of {topic}"))
            rows = await fetch(
                f'SELECT key, last_sequence, blocked_by FROM "{service}".key_positions WHERE topic = $1', topic
            )
            ends = Counter(one.envelope.key for one in events)
            for row in rows:
                if row["blocked_by"] is not None:
                    wrong.append(Wrong("no key stands still", f"{service} {topic}: {row['key']} is blocked"))
                if row["last_sequence"] != ends[row["key"]]:
                    wrong.append(Wrong("nothing is lost", f"{service} {topic}: {row['key']} at {row['last_sequence']}"))
            parked = await world.database.admin.fetchval(
                f'SELECT count(*) FROM "{service}".parked WHERE topic = $1', topic
            )
            if parked:
                wrong.append(Wrong("no key stands still", f"{service} {topic}: {parked} records wait"))
    return iter(wrong)


async def _dead_letters(world: World) -> Iterator[Wrong]:
    """Poison, and only poison, is a dead letter of each reader, once a record, byte for byte, with its reason."""
    wrong = []
    for service, built in world.services.items():
        wanted = Counter(
            (topic, partition, offset, kept.record.value, _reason(world, kept.record.headers))
            for topic in built.handlers
            for partition, log in enumerate(world.bus.topics[topic])
            for offset, kept in enumerate(log)
            if is_poison(kept.record.headers)
        )
        rows = await world.database.admin.fetch(
            "SELECT topic, partition, kafka_offset, record_value, reason, error, retried_at_us "
            f'FROM "{service}".dead_letters'
        )
        mended = {tuple(row)[:5] for row in rows if row["reason"] == HANDLER_FAILED and row["retried_at_us"]}
        found = Counter(tuple(row)[:5] for row in rows if tuple(row)[:5] not in mended)
        lacking = wanted - found
        wrong += [Wrong("poison is kept", f"{service}: {one[:3]} is no dead letter, {one[4]}") for one in lacking]
        for one in found - wanted:
            error = next(row["error"] for row in rows if tuple(row)[:5] == one)
            wrong.append(Wrong("poison is kept", f"{service}: {one[:3]} is a dead letter, {one[4]}: {error[:300]}"))
    return iter(wrong)


def _reason(world: World, headers: Sequence[Any]) -> str:
    return next(one.reason for one in world.poisoned if one.headers[0][0] == headers[0][0])


async def _answers(world: World, log: Log) -> Iterator[Wrong]:
    """What was answered stays the answer; whatever was accepted has an event that it caused."""
    wrong = []
    causes = {one.envelope.cause_id for events in log.values() for one in events}
    for told in world.told:
        identity = told.request.command_id
        rows = await world.database.admin.fetch(
            f'SELECT status FROM "{told.request.service}".commands WHERE command_id = $1', identity
        )
        if [row["status"] for row in rows] != [told.answer.status]:
            kept = [row["status"] for row in rows]
            wrong.append(Wrong("an answer is kept", f"{identity}: told {told.answer.status}, kept {kept}"))
        if told.answer.status < 400 and identity not in causes and not identity.startswith("retry/"):
            wrong.append(Wrong("acknowledged is done", f"{identity}: {told.answer.status}, and nothing came of it"))
    return iter(wrong)
