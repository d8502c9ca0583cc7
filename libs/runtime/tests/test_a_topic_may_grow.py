"""Method: a topic is given a partition more while a service reads it."""

import uuid
from typing import Any

import pytest
from aiokafka.admin import AIOKafkaAdminClient, NewPartitions, NewTopic

from pitstream.runtime import consumer
from pitstream.runtime.settings import TOPIC_SOURCES

pytestmark = pytest.mark.stack


async def test_partitions_that_come_later_are_read_within_seconds(
    toy: Any, kafka: str, postgres: str, until: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """aiokafka asks every five minutes what there is; a floor would have stood still for so long."""
    grows = f"grows-{uuid.uuid4().hex}"
    monkeypatch.setattr(consumer, "TOPIC_SOURCES", {**TOPIC_SOURCES, grows: "table"})
    service = toy.toy_wallet(toy.ToyWallet(), kafka=kafka, postgres=postgres)
    service.handlers = {grows: toy.ToyWallet()}
    admin = AIOKafkaAdminClient(bootstrap_servers=kafka)
    await admin.start()
    try:
        await admin.create_topics([NewTopic(grows, 2, 1)])
        async with service.running():
            (reading,) = (lag.consumer for lag in service.lags)

            async def reads(count: int) -> bool:
                return reading.partitions() == set(range(count))

            await until(lambda: reads(2), 60)
            await admin.create_partitions({grows: NewPartitions(total_count=3)})
            await until(lambda: reads(3), 60)
    finally:
        await admin.delete_topics([grows])
        await admin.close()
