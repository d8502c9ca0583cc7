"""Method: a Kafka and a PostgreSQL of this test's own are killed under two running services, one after the other, and
started again; nobody touches the services, and every event is applied once."""

import asyncio
import uuid
from typing import Any

import asyncpg
import pytest

from pitstream.runtime import Cause
from pitstream.stack.stack import embedded

pytestmark = [pytest.mark.stack, pytest.mark.slow]

BY_TEST = Cause.of_command("c", "test")


async def test_services_outlive_the_death_of_postgres_and_of_kafka(toy: Any, until: Any) -> None:
    name, closed = f"t-{uuid.uuid4().hex[:10]}", 0
    with embedded(synced=False) as own:
        addresses = {"kafka": own.kafka, "postgres": own.postgres}
        async with (
            toy.toy_table(**addresses).running() as table,
            toy.toy_wallet(toy.ToyWallet(), **addresses).running(),
        ):

            async def close() -> None:
                nonlocal closed
                reasons = [str(number) for number in range(closed + 1, closed + 6)]
                await table.run(lambda tx: toy.close_table(tx, name, reasons, BY_TEST))
                closed += 5

            async def all_applied() -> bool:
                # A new connection each time: the old one died with the postmaster.
                connection = await asyncpg.connect(own.postgres)
                rows = await connection.fetch("SELECT reason FROM wallet.applied WHERE key = $1 ORDER BY place", name)
                await connection.close()
                return [row["reason"] for row in rows] == [str(number) for number in range(1, closed + 1)]

            await close()
            await until(all_applied, 30)

            own.kill_broker(1)
            await close()
            await asyncio.sleep(3)
            await asyncio.to_thread(own.start_broker, 1)
            await close()
            await until(all_applied, 90)

            own.kill_postgres()
            await asyncio.sleep(2)
            await asyncio.to_thread(own.start_postgres)
            await close()
            await until(all_applied, 60)
