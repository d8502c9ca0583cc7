"""Events that only a newer version knows are neither skipped nor lost: their key waits, and goes on after the upgrade.
Method: real Kafka and PostgreSQL; a service that is run first as an older build, which does not know one type."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from pitstream.events import Envelope, Recorded, UnknownTypeError, open_envelope
from pitstream.events.rounds import TableClosed
from pitstream.runtime import Cause, inbox

pytestmark = pytest.mark.stack

BY_TEST = Cause.of_command("c", "test")


@contextmanager
def older_build() -> Iterator[None]:
    """What is run within knows no closing for the reason "new"."""

    def opened(data: bytes) -> Recorded:
        recorded = open_envelope(data)
        if isinstance(recorded.event, TableClosed) and recorded.event.reason == "new":
            raise UnknownTypeError("type: was 'pitstream.rounds.v1.TableRested'; not among the types of this version")
        return recorded

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inbox, "open_envelope", opened)
        yield


async def test_a_newer_event_parks_its_key_and_goes_on_after_the_upgrade_in_its_order(
    toy: Any, kafka: str, postgres: str, begin_at_the_end: Any, applied: Any, until: Any
) -> None:
    ahead, other = f"t-{uuid.uuid4().hex[:10]}", f"t-{uuid.uuid4().hex[:10]}"
    table = toy.toy_table(kafka=kafka, postgres=postgres)

    async def closes(store: Any, name: str, *reasons: str) -> None:
        await store.run(lambda tx: toy.close_table(tx, name, reasons, BY_TEST))

    async with table.running() as floor:
        with older_build():
            old = toy.toy_wallet(toy.ToyWallet(), kafka=kafka, postgres=postgres)
            await begin_at_the_end(old)
            async with old.running() as store:
                await closes(floor, ahead, "1", "new", "3")
                await closes(floor, other, "a")
                await closes(floor, ahead, "4")
                await until(lambda: _has(applied, other, 1))
                await until(lambda: store.pool.fetchval("SELECT count(*) = 2 FROM parked WHERE key = $1", ahead))
                assert (await applied(ahead), await applied(other)) == (["1"], ["a"])
                [letter] = await store.pool.fetch(
                    "SELECT d.reason, d.record_value, p.last_sequence FROM key_positions p"
                    " JOIN dead_letters d ON d.id = p.blocked_by WHERE p.key = $1",
                    ahead,
                )
                assert (letter["reason"], letter["last_sequence"]) == ("newer_version", 1)
                assert Envelope.FromString(letter["record_value"]).version == 2
        upgraded = toy.toy_wallet(toy.ToyWallet(), kafka=kafka, postgres=postgres)
        async with upgraded.running() as store:
            await until(lambda: _has(applied, ahead, 4))
            assert await applied(ahead) == ["1", "new", "3", "4"]
            await closes(floor, ahead, "5")
            await until(lambda: _has(applied, ahead, 5))
            assert await store.pool.fetchval("SELECT count(*) FROM key_positions WHERE blocked_by IS NOT NULL") == 0
            assert await store.pool.fetchval("SELECT count(*) FROM parked WHERE key = $1", ahead) == 0


async def _has(applied: Any, table: str, count: int) -> bool:
    return len(await applied(table)) >= count
