"""``python -m pitstream.services.<name> migrate`` does what every start does before it serves, and ends. Method: the
toy services over a real Kafka and a database of the test's own."""

import asyncio
from typing import Any

import asyncpg
import pytest

from pitstream.runtime.main import main

pytestmark = pytest.mark.stack


async def applied(postgres: str) -> list[str]:
    connection = await asyncpg.connect(postgres)
    try:
        rows = await connection.fetch("SELECT name FROM wallet.schema_migrations ORDER BY name")
        return [row["name"] for row in rows]
    finally:
        await connection.close()


async def test_migrate_brings_the_schema_up_to_date_and_ends(kafka: str, postgres: str, toy: Any) -> None:
    def service() -> Any:
        return toy.toy_wallet(toy.ToyWallet(), kafka=kafka, postgres=postgres)

    await asyncio.to_thread(main, service(), ["migrate"])
    first = await applied(postgres)
    assert [name for name in first if name.startswith("wallet/")] == [
        f"wallet/{file.name}" for file in sorted(toy.MIGRATIONS.glob("*.sql"))
    ]
    await asyncio.to_thread(main, service(), ["migrate"])
    assert await applied(postgres) == first


def test_any_other_argument_is_refused_and_nothing_is_served(toy: Any) -> None:
    service = toy.toy_table(kafka="127.0.0.1:1", postgres="postgresql://nobody@127.0.0.1:1/none")
    with pytest.raises(SystemExit, match=r"^arguments: was migrat; allowed: nothing, or migrate$"):
        main(service, ["migrat"])
