"""Planted bugs: each a known way to get such a suite wrong, put into the real code while a seed runs.

To add one: write what it does to the code as a function of a ``MonkeyPatch``, under a name that says what is wrong.
"""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import count
from typing import Any, Final

import pytest
from opentelemetry.trace import INVALID_SPAN

from pitstream.events.wallet import SeatPosted
from pitstream.games import flop_poker
from pitstream.games.fold import Fold
from pitstream.runtime import commands, inbox_store, relay, store
from pitstream.runtime.consumer import TopicConsumer
from pitstream.runtime.inbox import Dead, Reading, Seen, Unbelieved, look
from pitstream.services.ops import ledger_store
from pitstream.services.ops import rounds_live as live
from pitstream.services.progressive import handlers as progressive_handlers
from pitstream.services.progressive import meter as progressive_meter
from pitstream.services.progressive.commands import CloseRound
from pitstream.services.wallet import ledger, meters
from simulated import world
from simulated.connection import Connection

Plant = Callable[[pytest.MonkeyPatch], None]
MUTANTS: Final[dict[str, Plant]] = {}


def mutant(plant: Plant) -> Plant:
    """Put a bug on the list, under the function's name in words."""
    MUTANTS[plant.__name__.replace("_", " ")] = plant
    return plant


# Delivery -------------------------------------------------------------------------------------------------------------


@mutant
def the_inbox_is_not_asked(patch: pytest.MonkeyPatch) -> None:
    offer = Reading._offer

    def offers(self: Reading, record: Seen) -> Seen | None:
        position = self.positions.get(record.envelope.key)
        known = position is not None and record.envelope.key_sequence <= position.last_sequence
        return record if known and record.recorded is not None else offer(self, record)

    patch.setattr(Reading, "_offer", offers)


@mutant
def the_checkpoint_is_committed_before_the_work(patch: pytest.MonkeyPatch) -> None:
    async def transacts(
        self: TopicConsumer, batch: Mapping[int, Any], moves: Any, *, one_by_one: bool, patient: bool
    ) -> None:
        records = [look(raw, self.source) for raws in batch.values() for raw in raws]
        async with self.store.transaction() as tx:
            await inbox_store.advance(tx, self.topic, moves)
        async with self.store.transaction() as tx:
            reading = await inbox_store.begin(tx, self.topic, records)
            await inbox_store.apply(
                tx, reading, records, self.handler, INVALID_SPAN, one_by_one=one_by_one, patient=patient
            )
            await inbox_store.finish(tx, self.topic, reading)

    patch.setattr(TopicConsumer, "_transact", transacts)


@mutant
def a_gap_is_taken_for_empty(patch: pytest.MonkeyPatch) -> None:
    ours = TopicConsumer._ours

    def all_ours(self: TopicConsumer, records: Any) -> Any:
        self._sought |= {record.partition for record in records}
        return ours(self, records)

    patch.setattr(TopicConsumer, "_ours", all_ours)


@mutant
def poison_is_skipped_in_silence(patch: pytest.MonkeyPatch) -> None:
    fresh = Reading.fresh
    patch.setattr(
        Reading, "fresh", lambda self, records: fresh(self, [one for one in records if not isinstance(one, Unbelieved)])
    )


@mutant
def what_waits_is_forgotten(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Reading, "_wait", lambda _self, _position, _record: None)


@mutant
def a_key_goes_on_without_the_event_that_failed(patch: pytest.MonkeyPatch) -> None:
    def fails(self: Reading, record: Seen, error: str) -> None:
        self.dead.append(Dead(record.raw, "handler_failed", error))

    patch.setattr(Reading, "fail", fails)


@mutant
def the_savepoint_is_forgotten(patch: pytest.MonkeyPatch) -> None:
    @asynccontextmanager
    async def none(self: store.Transaction) -> AsyncIterator[None]:
        yield
        await self.flush()

    patch.setattr(store.Transaction, "savepoint", none)


@mutant
def not_heard_yet_is_taken_for_a_fact(patch: pytest.MonkeyPatch) -> None:
    async def heard(*_args: object, **_kwargs: object) -> None:
        return None

    patch.setattr(store.Transaction, "must_have_heard", heard)


# Publishing -----------------------------------------------------------------------------------------------------------


def _publishing(patch: pytest.MonkeyPatch, publish: Callable[[Any, Any, list[Any]], Any]) -> None:
    async def publish_batch(self: relay.Relay, connection: Any, producer: Any) -> int:
        rows = await connection.fetch(relay._UNPUBLISHED, 1000)
        await publish(connection, producer, rows)
        return len(rows)

    patch.setattr(relay.Relay, "_publish_batch", publish_batch)


async def _send(producer: Any, rows: list[Any]) -> None:
    for row in rows:
        value, key, headers = relay._dead_letter(row) if row["dead_letter_id"] else relay._event(row)
        await (await producer.send(row["topic"], value=value, key=key, headers=headers))


@mutant
def the_outbox_is_emptied_before_it_is_sent(patch: pytest.MonkeyPatch) -> None:
    async def publish(connection: Any, producer: Any, rows: list[Any]) -> None:
        await connection.execute("DELETE FROM outbox WHERE position = ANY($1)", [row["position"] for row in rows])
        await _send(producer, rows)

    _publishing(patch, publish)


@mutant
def the_relay_has_a_cursor_over_a_sequence(patch: pytest.MonkeyPatch) -> None:
    at: dict[tuple[int, str], int] = {}

    async def publish_batch(self: relay.Relay, connection: Any, producer: Any) -> int:
        cursor = (id(producer._bus), self.store.source)
        rows = await connection.fetch(relay._UNPUBLISHED, 1000)
        rows = [row for row in rows if row["position"] > at.get(cursor, 0)]
        await _send(producer, rows)
        if rows:
            at[cursor] = rows[-1]["position"]
        return len(rows)

    patch.setattr(relay.Relay, "_publish_batch", publish_batch)


@mutant
def what_is_published_is_ordered_by_the_clock(patch: pytest.MonkeyPatch) -> None:
    by_clock = relay._UNPUBLISHED.replace("ORDER BY o.position", "ORDER BY e.recorded_at_us DESC, o.position")
    patch.setattr(relay, "_UNPUBLISHED", by_clock)


# Commands and folds ---------------------------------------------------------------------------------------------------


@mutant
def a_command_that_comes_again_is_done_again(patch: pytest.MonkeyPatch) -> None:
    again = commands._TAKE.replace("DO NOTHING", "DO UPDATE SET status = NULL, body = NULL")
    patch.setattr(commands, "_TAKE", again)


@mutant
def who_got_no_reply_asks_again_under_a_new_id(patch: pytest.MonkeyPatch) -> None:
    asked, http = count(), world._http

    def anew(request: Any, keys: Mapping[str, str]) -> Any:
        named = request.command_id and f"{request.command_id}#{next(asked)}"
        return http(replace(request, command_id=named), keys)

    patch.setattr(world, "_http", anew)


@mutant
def a_kept_state_is_believed_to_be_the_newest(patch: pytest.MonkeyPatch) -> None:
    fold = store.Transaction.fold

    async def folds(self: store.Transaction, stream: str, initial: Any, evolve: Any, snapshots: Any = None) -> Any:
        kept = self._folds.get((stream, evolve)) or self.store.kept_fold((stream, evolve))
        if kept is not None and kept.hash is not None and stream not in self.appended:
            self._hashes.setdefault(stream, (kept.folded.version, kept.hash))
            self._folds[stream, evolve] = kept
            return kept.folded
        return await fold(self, stream, initial, evolve, snapshots)

    patch.setattr(store.Transaction, "fold", folds)


@mutant
def state_is_kept_of_what_was_rolled_back(patch: pytest.MonkeyPatch) -> None:
    extend = store.Transaction.extend

    def extends(self: store.Transaction, stream: str, key: str, folded: Any, events: Any, evolve: Any, *args: Any,
                **kwargs: Any) -> Any:  # fmt: skip
        after = extend(self, stream, key, folded, events, evolve, *args, **kwargs)
        if folded.version and events:
            self.store._folds[stream, evolve] = store._Kept(after, b"?")
        return after

    patch.setattr(store.Transaction, "extend", extends)


# Money ----------------------------------------------------------------------------------------------------------------


@mutant
def the_tombstone_is_forgotten(patch: pytest.MonkeyPatch) -> None:
    hold = ledger._hold

    def holds(books: Any, placed: Any) -> Iterator[Any]:
        closed, books.closed = books.closed, set()
        try:
            yield from hold(books, placed)
        finally:
            books.closed = closed

    patch.setattr(ledger, "_hold", holds)


@mutant
def a_hold_is_not_released(patch: pytest.MonkeyPatch) -> None:
    posted = ledger._posted
    patch.setattr(
        ledger,
        "_posted",
        lambda *told: posted(*told).model_copy(update={"resolved_holds": posted(*told).resolved_holds[1:]}),
    )


@mutant
def what_is_held_beyond_the_settlement_stays_held(patch: pytest.MonkeyPatch) -> None:
    settle = ledger._settle

    def settles(books: Any, settled: Any) -> Iterator[Any]:
        seats = {seat.seat for seat in settled.seats}
        for event in settle(books, settled):
            if not isinstance(event, SeatPosted) or event.seat in seats:
                yield event

    patch.setattr(ledger, "_settle", settles)


@mutant
def awards_are_not_posted(patch: pytest.MonkeyPatch) -> None:
    transfers = ledger.seat_transfers
    patch.setattr(
        ledger,
        "seat_transfers",
        lambda settled, seat, *more: transfers(settled, seat.model_copy(update={"awards": ()}), *more),
    )


@mutant
def a_hit_is_posted_twice(patch: pytest.MonkeyPatch) -> None:
    pays = meters._pay_by_hand

    def twice(books: Any, fact: Any) -> Iterator[Any]:
        for event in pays(books, fact):
            yield event
            again = {"transfer_id": meters.ids.transfer_id(event.transfer.transfer_id, "again")}
            yield event.model_copy(update={"transfer": event.transfer.model_copy(update=again)})

    patch.setattr(meters, "_pay_by_hand", twice)


# Rules ----------------------------------------------------------------------------------------------------------------


@mutant
def folded_jacks_or_better_win_the_ante(patch: pytest.MonkeyPatch) -> None:
    patch.delitem(flop_poker.GAME.lost_by_fold, "ante")  # type: ignore[arg-type]


@mutant
def a_carry_is_a_float(patch: pytest.MonkeyPatch) -> None:
    def fed(amount: int, carry: int, denominator: int, rate: Any, stakes: int) -> tuple[int, int]:
        value = amount + carry / denominator + stakes * rate.numerator / rate.denominator
        return int(value // 1), int(value % 1 * denominator)

    patch.setattr(progressive_meter, "_fed", fed)


@mutant
def the_rest_of_a_contribution_is_dropped(patch: pytest.MonkeyPatch) -> None:
    fed = progressive_meter._fed
    patch.setattr(progressive_meter, "_fed", lambda *told: (fed(*told)[0], 0))


@mutant
def a_void_round_leaves_its_contributions(patch: pytest.MonkeyPatch) -> None:
    command_of = progressive_handlers.command_of

    def never_void(event: Any) -> Any:
        command = command_of(event)
        return replace(command, void=False) if isinstance(command, CloseRound) else command

    patch.setattr(progressive_handlers, "command_of", never_void)


# The ops room ---------------------------------------------------------------------------------------------------------


@mutant
def the_ops_room_believes_what_it_remembers_of_a_round(patch: pytest.MonkeyPatch) -> None:
    async def after(self: live.LiveRounds, _conn: Any, recorded: Any, *, is_seen: bool) -> Any:
        if not recorded.stream.startswith("round/"):
            return None
        _, fold = self._folds.get(recorded.stream, (0, Fold()))
        fold.apply(recorded.event)
        self._folds[recorded.stream] = (recorded.version, fold)
        return fold.round() if is_seen else None

    patch.setattr(live.LiveRounds, "_after", after)


@mutant
def the_ops_room_adds_up_outside_of_the_transaction(patch: pytest.MonkeyPatch) -> None:
    write = ledger_store.write

    async def writes(conn: Any, found: Any) -> None:
        if not isinstance(conn, Connection):  # while it is made anew
            return await write(conn, found)
        async with conn._node.store.pool.acquire() as other:
            return await write(other, found)

    patch.setattr(ledger_store, "write", writes)
