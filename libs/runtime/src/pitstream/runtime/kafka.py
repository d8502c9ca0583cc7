"""Topics, the producer, and what is asserted of a client before anything depends on it."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer  # type: ignore[import-untyped]
from aiokafka.admin import AIOKafkaAdminClient, NewTopic  # type: ignore[import-untyped]
from aiokafka.errors import KafkaError, TopicAlreadyExistsError, for_code  # type: ignore[import-untyped]

from pitstream.runtime.kafka_security import KafkaRefusedError, connection, explained
from pitstream.runtime.logs import log
from pitstream.runtime.settings import DEAD_LETTERS_TOPIC, TOPIC_SOURCES

DEAD_LETTER_BYTES_MAX = 4 * 1024 * 1024
"""A dead letter is a whole record of another topic (1 MiB at most by Kafka's default) with headers of its own."""


METADATA_MAX_AGE_MS = 10_000
"""So soon is a partition known that was not there when a reader began."""


_KNOWN_S = 20.0
"""Far more than it takes brokers to tell each other of a topic."""


class UnsafeClientError(Exception):
    """A Kafka client does not run with the settings that its promises rest on."""


async def reachable(what: str, connect: Callable[[], Awaitable[None]], wait_s: float) -> None:
    """Try ``connect`` until it succeeds; raises its last error after ``wait_s`` seconds."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + wait_s
    while True:
        try:
            return await connect()
        except Exception as error:
            if loop.time() > deadline:
                log.error("not reachable", what=what, waited_s=wait_s, error=repr(error))
                raise
            log.info("waiting", what=what, error=repr(error))
        await asyncio.sleep(0.5)


async def ensure_topics(kafka: str, *, partitions: int, replication: int = 0) -> None:
    """Create the topics that are not there yet; what is there is left as it is.

    ``replication`` 0 takes as many copies as there are brokers, 3 at most. Nothing is ever deleted: the topics can
    rebuild every reader. Returns when a broker tells of all of them: one that was created is not known everywhere at
    once, and a reader of a topic that is not known does not start.
    Raises TimeoutError when one is not known in time.
    """
    admin = AIOKafkaAdminClient(**connection(kafka), request_timeout_ms=10_000)
    async with explained(kafka):
        await admin.start()
    try:
        every = {*TOPIC_SOURCES, DEAD_LETTERS_TOPIC}
        missing = sorted(every - set(await admin.list_topics()))
        if not missing:
            return
        copies = replication or min(3, len((await admin.describe_cluster())["brokers"]))
        config = {"retention.ms": "-1", "retention.bytes": "-1", "cleanup.policy": "delete"}
        if copies >= 3:
            config["min.insync.replicas"] = "2"
        big = {**config, "max.message.bytes": str(DEAD_LETTER_BYTES_MAX)}
        answer = await admin.create_topics(
            [
                NewTopic(
                    name=topic,
                    num_partitions=partitions,
                    replication_factor=copies,
                    topic_configs=big if topic == DEAD_LETTERS_TOPIC else config,
                )
                for topic in missing
            ]
        )
        for fault in answer.to_object()["topic_errors"]:
            kind = for_code(fault["error_code"])
            if fault["error_code"] and kind is not TopicAlreadyExistsError:
                raise kind(f"{fault['topic']}: {fault.get('error_message')}")
        log.info("topics created", topics=missing, partitions=partitions, replication=copies)
        async with asyncio.timeout(_KNOWN_S):
            while unknown := every - set(await admin.list_topics()):
                log.info("waiting", what=f"topics that were created: {sorted(unknown)}")
                await asyncio.sleep(0.1)
    finally:
        await admin.close()


async def started_producer(kafka: str, client_id: str) -> AIOKafkaProducer:
    """A producer that loses nothing that it has acknowledged and keeps each key's order."""
    producer = AIOKafkaProducer(
        **connection(kafka),
        client_id=client_id,
        acks="all",
        enable_idempotence=True,
        linger_ms=0,
        max_batch_size=256 * 1024,
        max_request_size=DEAD_LETTER_BYTES_MAX,
        request_timeout_ms=20_000,
    )
    async with explained(kafka):
        await producer.start()
    sender: Any = producer._sender  # noqa: SLF001  # the only place where the effective values can be read
    if sender._acks != -1 or sender._txn_manager is None:  # noqa: SLF001
        await abandon(producer)
        raise UnsafeClientError(f"producer: acks was {sender._acks}, idempotence {sender._txn_manager is not None}")  # noqa: SLF001
    log.info("producer", client_id=client_id, acks="all", enable_idempotence=True)
    return producer


async def abandon(producer: AIOKafkaProducer) -> None:
    """Stop a producer that may not be able to flush: what it still holds is published again by the next one."""
    with suppress(Exception):
        async with asyncio.timeout(2):
            await producer.stop()
    with suppress(Exception, asyncio.CancelledError):
        await producer._sender.close()  # noqa: SLF001  # stop() gives up before this when it cannot flush
    with suppress(Exception):
        await producer.client.close()


def assert_consumer(consumer: AIOKafkaConsumer) -> None:
    """Log what a consumer really runs with; raises UnsafeClientError where that could lose a record."""
    found = {
        "enable_auto_commit": consumer._enable_auto_commit,  # noqa: SLF001
        "auto_offset_reset": consumer._auto_offset_reset,  # noqa: SLF001
        "isolation_level": consumer._isolation_level,  # noqa: SLF001
    }
    wanted = {"enable_auto_commit": False, "auto_offset_reset": "earliest", "isolation_level": "read_committed"}
    if found != wanted:
        raise UnsafeClientError(f"consumer: was {found}; must be {wanted}")
    log.info("consumer", group_id=consumer._group_id, **found)  # noqa: SLF001


async def answers(kafka: str) -> bool:
    """Does any broker answer a client that knows nothing yet?"""
    try:
        admin = AIOKafkaAdminClient(**connection(kafka), request_timeout_ms=5_000)
    except KafkaRefusedError as error:
        log.error("kafka is not to be asked", error=str(error))
        return False
    try:
        await admin.start()
        await admin.list_topics()
    except (KafkaError, OSError):
        return False
    finally:
        with suppress(Exception):
            await admin.close()
    return True
