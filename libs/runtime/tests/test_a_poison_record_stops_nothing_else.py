"""Method: real Kafka and PostgreSQL; bad records under the key of a live table, in the middle of its real ones, and a
handler that fails. What is real is applied in order; what is bad is kept byte for byte, in the database and on the
dead letters' topic."""

import base64
import uuid
from typing import Any

import pytest

from pitstream.events import Envelope, event_id, seal
from pitstream.events.ids import round_stream, table_stream
from pitstream.events.rounds import TableClosed
from pitstream.runtime import Cause

pytestmark = pytest.mark.stack

BY_TEST = Cause.of_command("c", "test")


def unknown_type(table: str, key_sequence: int) -> bytes:
    """A whole envelope of a type that nobody knows, first of a stream that nobody wrote."""
    data = seal(
        TableClosed(table=table, reason="x"), stream=round_stream(table, 1), version=1, source="table", key=table,
        key_sequence=key_sequence, recorded_at_us=1, cause_id="", actor="", traceparent="", previous_hash=b"",
    )  # fmt: skip
    envelope = Envelope.FromString(data)
    envelope.type = "pitstream.rounds.v1.CardsEaten"
    return envelope.SerializeToString(deterministic=True)


def applied_before(table: str, key_sequence: int) -> bytes:
    """The first event of the table's stream, in a place of the key that it never had."""
    return seal(
        TableClosed(table=table, reason="1"), stream=table_stream(table), version=1, source="table", key=table,
        key_sequence=key_sequence, recorded_at_us=1, cause_id="", actor="", traceparent="", previous_hash=b"",
    )  # fmt: skip


async def test_bad_records_under_a_live_key_are_set_aside_and_every_real_event_is_applied(
    toy, kafka, postgres, begin_at_the_end, applied, until, producer, ends, read
) -> None:
    name = f"t-{uuid.uuid4().hex[:10]}"
    wallet = toy.toy_wallet(toy.ToyWallet(), kafka=kafka, postgres=postgres)
    await begin_at_the_end(wallet)
    dead_letters_end = await ends("dead-letters.v1")
    odd = [("odd", b"\xff\xfe"), ("null", None), ("twice", b"1"), ("twice", b"2")]
    bad = [
        (b"\x00\xffgarbage", odd, "undecodable"),
        (unknown_type(name, 2), [], "unknown_type"),
        (unknown_type(name, 77), [], "unknown_type"),
        (None, odd, "no_value"),
        (b"x" * 900_000, [], "undecodable"),
        (applied_before(name, 7), [], "differs_from_applied"),
    ]
    sent = []
    async with toy.toy_table(kafka=kafka, postgres=postgres).running() as table, wallet.running() as store:

        async def close(reasons: list[str], count: int) -> None:
            await table.run(lambda tx: toy.close_table(tx, name, reasons, BY_TEST))
            await until(lambda: _counts(applied, name, count))

        await close(["1"], 1)
        for number, (value, headers, _) in enumerate(bad, start=2):
            sent.append(await producer.send_and_wait("rounds.v1", value, key=name.encode(), headers=headers))
            await close([str(number)], number)
        assert await applied(name) == [str(number) for number in range(1, 8)]

        letters = await store.pool.fetch("SELECT * FROM dead_letters ORDER BY id")
        assert [
            (row["topic"], row["partition"], row["kafka_offset"], row["record_key"], row["record_value"],
             list(zip(row["header_names"], row["header_values"], strict=True)), row["reason"])
            for row in letters
        ] == [
            ("rounds.v1", place.partition, place.offset, name.encode(), value,
             [(header.encode(), content) for header, content in headers], reason)
            for place, (value, headers, reason) in zip(sent, bad, strict=True)
        ]  # fmt: skip
        assert await store.pool.fetchval("SELECT count(*) FROM key_positions WHERE blocked_by IS NOT NULL") == 0

        published = await read("dead-letters.v1", dead_letters_end, len(bad))
    assert [(record.key, record.value, list(record.headers)) for record in published] == [
        (
            name.encode(),
            value,
            [
                *headers,
                ("pitstream-dead-letter-topic", b"rounds.v1"),
                ("pitstream-dead-letter-partition", str(place.partition).encode()),
                ("pitstream-dead-letter-offset", str(place.offset).encode()),
                ("pitstream-dead-letter-reason", reason.encode()),
                ("pitstream-dead-letter-error", letter["error"].encode()),
                ("pitstream-dead-letter-id", str(letter["id"]).encode()),
            ],
        )
        for place, (value, headers, reason), letter in zip(sent, bad, letters, strict=True)
    ]


async def _counts(applied: Any, table: str, count: int) -> bool:
    return len(await applied(table)) >= count


async def test_an_event_that_the_handler_fails_on_parks_its_key_until_it_is_retried(
    toy, kafka, postgres, begin_at_the_end, applied, until, served
) -> None:
    bad, good = f"t-{uuid.uuid4().hex[:10]}", f"t-{uuid.uuid4().hex[:10]}"
    handler = toy.ToyWallet(broken={"3"})
    wallet = toy.toy_wallet(handler, kafka=kafka, postgres=postgres)
    await begin_at_the_end(wallet)
    async with toy.toy_table(kafka=kafka, postgres=postgres).running() as table, served(wallet) as (store, http):

        async def close(name: str, *reasons: str) -> None:
            await table.run(lambda tx: toy.close_table(tx, name, reasons, BY_TEST))

        await close(bad, "1", "2", "3", "4")
        await close(good, "a", "b")
        await close(bad, "5")
        await close(good, "c")
        await until(lambda: _counts(applied, good, 3))
        await until(lambda: store.pool.fetchval("SELECT count(*) = 2 FROM parked"))
        assert (await applied(bad), await applied(good)) == (["1", "2"], ["a", "b", "c"])

        _, body = await http.get("/v1/dead-letters")
        [letter] = body["dead_letters"]
        where = {name: letter.pop(name) for name in ("id", "partition", "offset", "bytes", "recorded_at_us")}
        assert letter == {
            "topic": "rounds.v1",
            "key": bad,
            "reason": "handler_failed",
            "error": "ValueError: the toy does not like '3'",
            "blocks": bad,
            "parked": 2,
            "retried_at_us": None,
        }
        path = f"/v1/dead-letters/{where['id']}"
        _, whole = await http.get(path)
        assert Envelope.FromString(base64.b64decode(whole["value_base64"])).event_id == str(event_id(f"table/{bad}", 3))
        assert len(base64.b64decode(whole["value_base64"])) == where["bytes"]

        assert await http.post(f"{path}/retry", None, None) == (400, _error("missing_command_id", "Idempotency-Key"))
        still_broken = (422, _error("handler_failed", "dead_letter_id"))
        assert await http.post(f"{path}/retry", None, "again-1") == still_broken
        assert await applied(bad) == ["1", "2"]

        handler.broken.clear()
        assert await http.post(f"{path}/retry", None, "again-1") == still_broken
        taken_in = (200, {"id": where["id"], "applied": 3, "waits_for_its_place": False, "set_aside": []})
        assert await http.post(f"{path}/retry", None, "again-2") == taken_in
        assert await http.post(f"{path}/retry", None, "again-2") == taken_in
        assert await http.post(f"{path}/retry", None, "again-3") == (409, _error("already_retried", "dead_letter_id"))
        assert await applied(bad) == ["1", "2", "3", "4", "5"]
        assert await store.pool.fetchval("SELECT count(*) FROM parked") == 0
        assert (await http.get("/v1/dead-letters?waiting=true")) == (200, {"dead_letters": []})
        assert (await http.get("/v1/dead-letters/999")) == (404, _error("not_found", "dead_letter_id"))

        await close(bad, "6")
        await until(lambda: _counts(applied, bad, 6))
        assert await applied(bad) == ["1", "2", "3", "4", "5", "6"]


class _error(dict[str, Any]):  # noqa: N801  # reads as what it compares with
    """Equals a refusal with this code and field, whatever its message."""

    def __init__(self, code: str, field: str) -> None:
        super().__init__(code=code, field=field)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, dict) and {k: other[k] for k in ("code", "field")} == dict(self)

    __hash__ = None  # type: ignore[assignment]


async def test_what_waits_behind_a_retried_event_can_fail_in_its_turn(
    toy, kafka, postgres, begin_at_the_end, applied, until, served
) -> None:
    name, handler = f"t-{uuid.uuid4().hex[:10]}", toy.ToyWallet(broken={"1", "3"})
    wallet = toy.toy_wallet(handler, kafka=kafka, postgres=postgres)
    await begin_at_the_end(wallet)
    async with toy.toy_table(kafka=kafka, postgres=postgres).running() as table, served(wallet) as (store, http):
        await table.run(lambda tx: toy.close_table(tx, name, ["1", "2", "3", "4"], BY_TEST))
        await until(lambda: store.pool.fetchval("SELECT count(*) = 3 FROM parked"))
        first = await store.pool.fetchval("SELECT min(id) FROM dead_letters")
        handler.broken.remove("1")
        assert await http.post(f"/v1/dead-letters/{first}/retry", None, "k1") == (
            200,
            {"id": first, "applied": 2, "waits_for_its_place": False, "set_aside": ["handler_failed"]},
        )
        assert await applied(name) == ["1", "2"]
        handler.broken.clear()
        second = await store.pool.fetchval("SELECT max(id) FROM dead_letters")
        status, body = await http.post(f"/v1/dead-letters/{second}/retry", None, "k2")
        assert (status, body["applied"]) == (200, 2)
        assert await applied(name) == ["1", "2", "3", "4"]
