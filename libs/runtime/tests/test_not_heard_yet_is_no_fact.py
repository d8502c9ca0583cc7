"""Method: a toy wallet whose reading stands still, or sets an event aside, is asked about what it has not heard of; and
the pure question behind that, for any ends and checkpoints."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitstream.events import Recorded
from pitstream.events.rounds import TableClosed
from pitstream.runtime import Cause, Outcome, Store, Transaction, has_heard, once_published, run_command
from pitstream.runtime.hearing import missing

ROUNDS = "rounds.v1"
BY_TEST = Cause.of_command("c", "test")

offsets = st.dictionaries(st.tuples(st.sampled_from(["a", "b"]), st.integers(0, 3)), st.integers(0, 5))


@given(ends=offsets, read=offsets)
def test_a_partition_is_missing_exactly_when_a_record_below_its_end_was_not_read(ends: Any, read: Any) -> None:
    unread = {place for place, end in ends.items() for offset in range(end) if offset >= read.get(place, 0)}
    assert missing(ends, read) == unread
    assert missing(ends, ends) == set()
    further = {place: offset + 1 for place, offset in read.items()}
    assert missing(ends, further) <= missing(ends, read)


class Reading:
    """A toy wallet's handler that stands still while ``going`` is not set, and sets aside what is closed for "bad"."""

    def __init__(self) -> None:
        self.going = asyncio.Event()

    async def __call__(self, tx: Transaction, events: Sequence[Recorded]) -> None:
        await self.going.wait()
        for recorded in events:
            if isinstance(recorded.event, TableClosed) and recorded.event.reason == "bad":
                raise ValueError("the toy does not like it")
            await tx.conn.execute("INSERT INTO applied (key, reason) VALUES ($1, 'x')", recorded.envelope.key)


async def asked(store: Store, key: str, command_id: str) -> Outcome:
    """A command of the wallet's: has it heard of this table?"""

    async def act(tx: Transaction) -> Outcome:
        if await tx.conn.fetchval("SELECT EXISTS (SELECT FROM applied WHERE key = $1)", key):
            return Outcome(200, {"heard": True})
        await tx.must_have_heard(ROUNDS, about=f"table {key}", key=key)
        return Outcome.not_found("table", f"was {key!r}")

    return await run_command(store, scope=key, command_id=command_id, inputs={}, act=act, actor="test")


@pytest.mark.stack
async def test_what_was_not_read_yet_is_asked_again_and_what_was_never_told_is_refused_for_ever(
    toy: Any, kafka: str, postgres: str, begin_at_the_end: Any
) -> None:
    reading = Reading()
    wallet = toy.toy_wallet(reading, kafka=kafka, postgres=postgres)
    await begin_at_the_end(wallet)
    async with toy.toy_table(kafka=kafka, postgres=postgres).running() as table, wallet.running() as store:
        await table.run(lambda tx: toy.close_table(tx, "told", ["now"], BY_TEST))
        assert await table.has_published("table/told", 1, 10)

        # Told, and not read: nothing is answered and nothing is kept, for what was told and for what was not.
        assert not await has_heard(store, [ROUNDS])
        for key in ("told", "untold"):
            outcome = await asked(store, key, "k1")
            assert (outcome.status, outcome.body["code"]) == (503, "not_heard_yet")
            assert outcome.body["detail"] == (
                f"table {key}: not all of rounds.v1 was read yet; allowed: the same command again, in 1 s"
            )
            assert outcome.response().headers["Retry-After"] == "1"
        assert await store.pool.fetchval("SELECT count(*) FROM commands") == 0

        # While one waits, it is read: the same command is answered by what is there then.
        waiting = [asyncio.create_task(asked(store, key, "k1")) for key in ("told", "untold")]
        await asyncio.sleep(0.2)
        reading.going.set()
        assert [(await one).status for one in waiting] == [200, 404]

        # Both are answers for ever now, also once the other is told.
        await table.run(lambda tx: toy.close_table(tx, "untold", ["now"], BY_TEST))
        assert await table.has_published("table/untold", 1, 10)
        assert await has_heard(store, [ROUNDS])
        assert [(await asked(store, key, "k1")).status for key in ("told", "untold")] == [200, 404]
        assert (await asked(store, "untold", "k2")).status == 200


@pytest.mark.stack
async def test_what_was_set_aside_is_no_fact_either(toy: Any, kafka: str, postgres: str, begin_at_the_end: Any) -> None:
    reading = Reading()
    reading.going.set()
    wallet = toy.toy_wallet(reading, kafka=kafka, postgres=postgres)
    await begin_at_the_end(wallet)
    async with toy.toy_table(kafka=kafka, postgres=postgres).running() as table, wallet.running() as store:
        await table.run(lambda tx: toy.close_table(tx, "aside", ["bad", "now"], BY_TEST))
        assert await table.has_published("table/aside", 2, 10)
        assert (await asked(store, "nobody", "k1")).status == 404
        outcome = await asked(store, "aside", "k1")
        assert (outcome.status, outcome.body["detail"]) == (
            503,
            "table aside: events of aside wait for a dead letter; allowed: the same command again, in 1 s",
        )


@pytest.mark.stack
async def test_a_command_that_others_build_on_is_answered_once_kafka_has_its_event(
    toy: Any, kafka: str, postgres: str
) -> None:
    made = Outcome(201, {"made": True})
    service = toy.toy_table(kafka=kafka, postgres=postgres)
    async with Store.open(postgres, service="table") as store:
        await store.run(lambda tx: toy.close_table(tx, "t1", ["now"], BY_TEST))
        # Nobody publishes here.
        assert not await store.has_published("table/t1", 1, 0.1)
        assert await store.has_published("table/t1", 0, 0.1)
        refused = Outcome.not_found("table", "was 't1'")
        assert await once_published(store, "table/t1", 1, refused) == refused
        outcome = await once_published(store, "table/t1", 1, made)
        assert (outcome.status, outcome.body["code"]) == (503, "not_published_yet")
    async with service.running() as store:
        assert await once_published(store, "table/t1", 1, made) == made
