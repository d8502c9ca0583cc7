"""A stream's state is kept between transactions and stored now and then. Method: a toy table's store on a real
PostgreSQL, and an ``evolve`` that counts what it is given."""

import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

import pytest

from pitstream.events import Event
from pitstream.events.rounds import TableClosed
from pitstream.runtime import Cause, Folded, Store, StreamConflictError, Transaction
from pitstream.runtime.snapshots import Snapshots

pytestmark = pytest.mark.stack

STREAM = "table/t1"
BY_TEST = Cause.of_command("c", "test")
Opening = Callable[[], AbstractAsyncContextManager[Store]]


@dataclass(frozen=True, slots=True)
class Closings:
    reasons: tuple[str, ...] = ()


FOLDED: list[str] = []


def evolve(state: Closings, event: Event) -> Closings:
    assert isinstance(event, TableClosed)
    FOLDED.append(event.reason)
    return Closings((*state.reasons, event.reason))


SNAPSHOTS: Snapshots[Closings] = Snapshots(Closings, [sys.modules[__name__]], every=3)


@pytest.fixture(autouse=True)
def _nothing_folded() -> None:
    FOLDED.clear()


def closed(*reasons: str) -> list[TableClosed]:
    return [TableClosed(table="t1", reason=reason) for reason in reasons]


async def extended(store: Store, *reasons: str) -> Closings:
    """The state after these closings were appended to it by ``extend``."""
    async with store.transaction() as tx:
        found = await tx.fold(STREAM, Closings(), evolve, SNAPSHOTS)
        state = Closings((*found.state.reasons, *reasons))
        return tx.extend(STREAM, "t1", found, closed(*reasons), evolve, state, cause=BY_TEST).state


async def read(store: Store) -> Closings:
    async with store.transaction() as tx:
        return (await tx.fold(STREAM, Closings(), evolve, SNAPSHOTS)).state


async def test_what_a_transaction_made_of_a_stream_is_not_folded_again(table: Store) -> None:
    await extended(table, "1")
    FOLDED.clear()
    assert await extended(table, "2", "3") == Closings(("1", "2", "3"))
    assert await read(table) == Closings(("1", "2", "3"))
    assert FOLDED == ["1"], "the first event alone is read, for the trace that it began"


async def test_a_transaction_that_fails_leaves_what_was_kept_as_it_was(table: Store) -> None:
    await extended(table, "1")
    await read(table)
    with pytest.raises(ZeroDivisionError):
        await fail_after_extending(table)
    assert await read(table) == Closings(("1",))
    assert await extended(table, "2") == Closings(("1", "2"))


async def fail_after_extending(store: Store) -> None:
    async with store.transaction() as tx:
        found = await tx.fold(STREAM, Closings(), evolve)
        tx.extend(STREAM, "t1", found, closed("never"), evolve, Closings(("1", "never")), cause=BY_TEST)
        await tx.flush()
        raise ZeroDivisionError


async def test_what_fails_within_a_savepoint_is_forgotten_and_the_rest_is_kept(table: Store) -> None:
    await extended(table, "1")
    async with table.transaction() as tx:
        found = await tx.fold(STREAM, Closings(), evolve)
        with pytest.raises(ZeroDivisionError):
            await fail_in_a_savepoint(tx, found)
        assert (await tx.fold(STREAM, Closings(), evolve)).state == Closings(("1",))
        tx.extend(STREAM, "t1", found, closed("2"), evolve, Closings(("1", "2")), cause=BY_TEST)
    assert await read(table) == Closings(("1", "2"))


async def fail_in_a_savepoint(tx: Transaction, found: Folded[Closings]) -> None:
    async with tx.savepoint():
        tx.extend(STREAM, "t1", found, closed("never"), evolve, Closings(("1", "never")), cause=BY_TEST)
        raise ZeroDivisionError


async def test_who_extends_what_another_has_extended_loses_the_race(open_table: Opening) -> None:
    async with open_table() as one, open_table() as other:
        await extended(one, "1")
        assert await read(other) == Closings(("1",))
        with pytest.raises(StreamConflictError):
            await extend_too_late(other, meanwhile=one)
        assert await read(other) == Closings(("1", "2"))


async def extend_too_late(store: Store, *, meanwhile: Store) -> None:
    async with store.transaction() as late:
        found = await late.fold(STREAM, Closings(), evolve)
        await extended(meanwhile, "2")
        late.extend(STREAM, "t1", found, closed("2"), evolve, Closings(("1", "2")), cause=BY_TEST)


async def test_a_process_that_starts_folds_what_came_after_the_snapshot(open_table: Opening) -> None:
    async with open_table() as store:
        for reason in "12345":
            await extended(store, reason)
    FOLDED.clear()
    async with open_table() as store:
        assert await read(store) == Closings(tuple("12345"))
    assert "".join(FOLDED) == "45", "every third event is followed by a snapshot"


async def test_other_code_makes_its_own_snapshots(open_table: Opening) -> None:
    async with open_table() as store:
        for reason in "1234":
            await extended(store, reason)
        await read(store)
    FOLDED.clear()
    others: Snapshots[Closings] = Snapshots(Closings, [sys.modules["pytest"]], every=3)
    assert others.fingerprint != SNAPSHOTS.fingerprint
    async with open_table() as store, store.transaction() as tx:
        assert (await tx.fold(STREAM, Closings(), evolve, others)).state == Closings(tuple("1234"))
    assert "".join(FOLDED) == "1234"
