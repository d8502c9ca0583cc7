"""Method: while real services play a real feed, records that no service wrote go to every topic: under the key of a
table, network or account in play, and under none. The books must be those of an evening in which nothing happened, and
each bad record a dead letter of every service that reads its topic, byte for byte."""

import asyncio
import base64
import json
import struct
import threading
import time
import urllib.request
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.record.util import calc_crc32c

from pitstream.cli.client import Client
from pitstream.envelope.v1.envelope_pb2 import Envelope

pytestmark = pytest.mark.stack

Books = Callable[[Sequence[str]], dict[str, Any]]
OnDay = Callable[[Sequence[str], str], list[str]]
RESULTS = ("players", "totals", "meters", "rounds")
READERS = {
    "rounds.v1": ("settlement", "progressive", "wallet", "ops"),
    "settlements.v1": ("progressive", "wallet", "ops"),
    "progressives.v1": ("table", "wallet", "ops"),
    "wallet.v1": ("table", "ops"),
}
Place = tuple[str, int, int]
"""Topic, partition, offset."""


@dataclass(frozen=True)
class Bad:
    """A record that was sent, and why it must be set aside."""

    value: bytes | None
    reason: str


@pytest.fixture(scope="module")
def own(new_platform: Any) -> Iterator[Any]:
    """A platform whose dead letters are these tests' own."""
    with new_platform() as platform:
        yield platform


async def real_event(kafka: str, topic: str) -> tuple[int, bytes, bytes]:
    """Partition, key and value of an event of the feed, as soon as there is one."""
    async with AIOKafkaConsumer(topic, bootstrap_servers=kafka, auto_offset_reset="earliest", group_id=None) as reader:
        record = await asyncio.wait_for(reader.getone(), 60)
        return record.partition, record.key, record.value


def altered(value: bytes, **fields: str) -> bytes:
    envelope = Envelope.FromString(value)
    for name, content in fields.items():
        setattr(envelope, name, content)
    return envelope.SerializeToString(deterministic=True)


async def send_bad_ones(kafka: str, topic: str) -> dict[Place, Bad]:
    """Send every kind of bad record to the topic; where each one is."""
    partition, live_key, event = await real_event(kafka, topic)
    sent: dict[Place, Bad] = {}
    plain = AIOKafkaProducer(bootstrap_servers=kafka)
    packing = AIOKafkaProducer(bootstrap_servers=kafka, compression_type="zstd")
    transactional = AIOKafkaProducer(bootstrap_servers=kafka, transactional_id=f"foreign-{uuid.uuid4()}")
    for producer in (plain, packing, transactional):
        await producer.start()
    for key, unlike in ((live_key, None), (None, "foreign_key")):

        async def send(
            producer: AIOKafkaProducer, value: bytes | None, reason: str, headers: Any = (), key: bytes | None = key
        ) -> None:
            batch = producer.create_batch()
            assert batch.append(key=key, value=value, timestamp=None, headers=list(headers)) is not None
            batch.close()
            if headers:  # a name that no producer would take: changed in the batch, whose checksum is then another
                data = bytearray(bytes(batch._build()).replace(b"name-xx", b"\xff\xfeme-xx"))
                data[17:21] = struct.pack(">I", calc_crc32c(bytes(data[21:])))
                batch._buffer = bytes(data)
            place = await (await producer.send_batch(batch, topic, partition=partition))
            sent[topic, partition, place.offset] = Bad(value, reason)

        await send(plain, b"\x00\xffgarbage", "undecodable")
        await send(plain, altered(event, type="pitstream.rounds.v1.CardsEaten"), unlike or "unknown_type")
        await send(plain, None, "no_value")
        await send(plain, event[:-7], "undecodable")
        await send(plain, altered(event, source="roulette"), "foreign_source")
        await send(plain, bytes(900_000), "undecodable")
        await send(plain, b"oddly named", "undecodable", headers=[("name-xx", b"h")])
        await send(packing, b"packed" * 100, "undecodable")
        for value, abort in ((b"committed", False), (b"aborted", True)):
            await transactional.begin_transaction()
            place = await transactional.send_and_wait(topic, value, key=key, partition=partition)
            await (transactional.abort_transaction() if abort else transactional.commit_transaction())
            if not abort:
                sent[topic, partition, place.offset] = Bad(value, "undecodable")
    for producer in (plain, packing, transactional):
        await producer.stop()
    return sent


def letters_of(platform: Any, service: str) -> list[dict[str, Any]]:
    letters: list[dict[str, Any]] = get(platform, service, "/v1/dead-letters?limit=1000")["dead_letters"]
    return letters


def bytes_of(platform: Any, service: str, letter: int) -> bytes | None:
    value = get(platform, service, f"/v1/dead-letters/{letter}")["value_base64"]
    return None if value is None else base64.b64decode(value)


async def published(kafka: str, count: int) -> list[tuple[Place, str, bytes]]:
    """``count`` records of the dead letters' topic: where each came from, why it is there, its bytes."""
    found = []
    async with AIOKafkaConsumer(
        "dead-letters.v1", bootstrap_servers=kafka, auto_offset_reset="earliest", group_id=None
    ) as reader:
        async with asyncio.timeout(30):
            while len(found) < count:
                record = await reader.getone()
                said = {name: value.decode() for name, value in record.headers if name.startswith("pitstream-")}
                place = tuple(said[f"pitstream-dead-letter-{word}"] for word in ("topic", "partition", "offset"))
                found.append(
                    ((place[0], int(place[1]), int(place[2])), said["pitstream-dead-letter-reason"], record.value)
                )
    return found


async def test_bad_records_on_every_topic_change_nothing_and_are_kept_with_bytes_offset_and_reason(
    own: Any, evening_uth: list[str], books_of: Books, on_day: OnDay
):
    rounds = on_day(evening_uth[:60], "2025-08-01")
    played: dict[str, Any] = {}
    feed = threading.Thread(target=lambda: played.update(own.feed(rounds)))
    feed.start()
    per_topic = await asyncio.gather(*(send_bad_ones(own.stack.kafka, topic) for topic in READERS))
    in_play = feed.is_alive()
    await asyncio.to_thread(feed.join)
    sent = {place: bad for topic in per_topic for place, bad in topic.items()}

    assert in_play
    assert {name: played[name] for name in RESULTS} == books_of(rounds)
    assert json.loads(own.asked("ledger", "check", "--json"))["ok"]
    for service in own.addresses.model_dump():
        expected = {place: bad for place, bad in sent.items() if service in READERS[place[0]]}
        # The feed waits for what decides and pays; the ops room may be a moment behind.
        until(lambda service=service, expected=expected: len(letters_of(own, service)) >= len(expected))
        letters = letters_of(own, service)
        found = {(one["topic"], one["partition"], one["offset"]): one for one in letters}
        assert len(letters) == len(found)
        assert {place: one["reason"] for place, one in found.items()} == {
            place: bad.reason for place, bad in expected.items()
        }
        assert {one["blocks"] for one in letters} == {None}
        for place, one in found.items():
            assert bytes_of(own, service, one["id"]) == expected[place].value
    copies = sorted((place, bad.reason, bad.value or b"") for place, bad in sent.items() for _ in READERS[place[0]])
    assert sorted((*one[:2], one[2] or b"") for one in await published(own.stack.kafka, len(copies))) == copies
    assert len(own.dead_letters()) == len(copies)
    refused = own.pitstream("dead-letters", "retry", "wallet", str(letters_of(own, "wallet")[0]["id"]))
    assert (refused.returncode, "undecodable" in refused.stderr) == (1, True)


async def test_what_can_be_mended_is_retried_and_all_that_waited_follows_in_order(own: Any):
    """A network counts in a currency of the house's own that the ledger has not been told of: its opening cannot be
    posted, and neither can the correction behind it, until somebody says how many places the currency has."""
    opening = {"currency": "CHP", "meters": [{"meter": "main", "seed": 1000, "amount": 1000, "rate": "1/5"}]}
    post(own, "progressive", "/v1/networks/late/open", opening)
    proposals = "/v1/networks/late/proposals"
    correction = {"reason": "counted again", "correction": {"meter": "main", "change": 250}}
    asked = post(own, "progressive", proposals, correction)
    async with Client(own.addresses) as client:
        approval = f"{proposals}/{asked['proposal_id']}/approve"
        await client.command("progressive", approval, {}, command_id=uuid.uuid4(), by="progressive")

    def blocking() -> list[dict[str, Any]]:
        return [letter for letter in letters_of(own, "wallet") if letter["blocks"] == "late"]

    until(blocking)
    [letter] = blocking()
    retry = ("dead-letters", "retry", "wallet", str(letter["id"]))
    refused = own.pitstream(*retry)
    assert (refused.returncode, "unknown_currency" in refused.stderr) == (1, True)
    assert letter["id"] in listed(own)

    post(own, "wallet", "/v1/currencies/CHP", {"scale": 0})
    assert own.asked(*retry) == f"dead letter {letter['id']} of wallet was taken in\n"
    assert blocking() == []
    assert (letter["id"] in listed(own), letter["id"] in listed(own, "--all")) == (False, True)
    assert get(own, "wallet", "/v1/accounts/meter/late/main/CHP")["balance"] == 1250
    assert json.loads(own.asked("ledger", "check", "--json"))["ok"]


def listed(platform: Any, *options: str) -> list[int]:
    """The wallet's dead letters by id, as the command lists them."""
    shown = json.loads(platform.asked("dead-letters", "list", "--service", "wallet", "--json", *options))
    return [letter["id"] for letter in shown]


def get(platform: Any, service: str, path: str) -> Any:
    request = urllib.request.Request(platform.addresses.of(service) + path, headers=platform.credential)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def post(platform: Any, service: str, path: str, body: dict[str, Any]) -> Any:
    headers = {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
    headers |= platform.credential
    request = urllib.request.Request(platform.addresses.of(service) + path, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def until(true: Callable[[], Any]) -> None:
    deadline = time.monotonic() + 30
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)
