"""Method: real Kafka and PostgreSQL; a toy table publishes, a toy wallet notes what it applies; then something is
delivered again, killed, forgotten or moved, and the notes must be each event once, in order."""

import asyncio
import uuid
from typing import Any

import asyncpg
import pytest
from aiokafka import AIOKafkaConsumer, TopicPartition

from pitstream.runtime import Cause

pytestmark = pytest.mark.stack

BY_TEST = Cause.of_command("c", "test")


def new_table() -> str:
    return f"t-{uuid.uuid4().hex[:10]}"


def numbers(first: int, last: int) -> list[str]:
    return [str(number) for number in range(first, last + 1)]


async def close(toy: Any, store: Any, table: str, reasons: list[str]) -> None:
    await store.run(lambda tx: toy.close_table(tx, table, reasons, BY_TEST))


async def test_what_a_table_commits_a_wallet_applies_once_in_order(
    toy, kafka, postgres, begin_at_the_end, applied, until
) -> None:
    name, handler = new_table(), toy.ToyWallet()
    wallet = toy.toy_wallet(handler, kafka=kafka, postgres=postgres)
    await begin_at_the_end(wallet)
    async with toy.toy_table(kafka=kafka, postgres=postgres).running() as table, wallet.running():
        for first in range(1, 50, 7):
            await close(toy, table, name, numbers(first, first + 6))
        await until(lambda: _all(applied, name, 49))
    assert await applied(name) == numbers(1, 49)


async def _all(applied: Any, table: str, count: int) -> bool:
    return len(await applied(table)) >= count
