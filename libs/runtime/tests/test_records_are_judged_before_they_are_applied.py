"""Method: pure; records of one table are made as its service would seal them, or with one thing wrong, and read."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field

import pytest

from pitstream.events import Envelope, event_id, open_envelope, seal
from pitstream.events.ids import round_stream, table_stream
from pitstream.events.rounds import TableClosed
from pitstream.events.wallet import AccountOpened
from pitstream.runtime.inbox import Position, Raw, Reading, Seen, Unbelieved, look


@dataclass
class Table:
    """Seals its events one after the other, as the table service does."""

    name: str = "t1"
    sealed: list[bytes] = field(default_factory=list)

    def closes(self, reason: str) -> Raw:
        previous = open_envelope(self.sealed[-1]).hash if self.sealed else b""
        self.sealed.append(sealed(reason, version=len(self.sealed) + 1, previous_hash=previous, key=self.name))
        return raw(self.sealed[-1], offset=len(self.sealed) - 1, key=self.name)


def sealed(
    reason: str,
    *,
    version: int,
    key_sequence: int | None = None,
    previous_hash: bytes = b"",
    key: str = "t1",
    source: str = "table",
    stream: str = "",
) -> bytes:
    return seal(
        TableClosed(table=key, reason=reason),
        stream=stream or table_stream(key),
        version=version,
        source=source,
        key=key,
        key_sequence=version if key_sequence is None else key_sequence,
        recorded_at_us=1_750_000_000_000_000,
        cause_id="c",
        actor="test",
        traceparent="",
        previous_hash=previous_hash,
    )


def raw(value: bytes | None, *, offset: int = 0, key: str | None = "t1") -> Raw:
    return Raw("rounds.v1", 0, offset, 0, None if key is None else key.encode(), value, ())


def unknown(data: bytes) -> bytes:
    """The same envelope with a type that this version does not have."""
    envelope = Envelope.FromString(data)
    envelope.type = "pitstream.rounds.v1.SomethingNew"
    return envelope.SerializeToString(deterministic=True)


def read(reading: Reading, records: Iterable[Raw], fails: str | None = None) -> list[str]:
    """The reasons that are applied, in order; the event with the reason ``fails`` is failed."""
    applied = []
    for seen in reading.fresh([look(record, "table") for record in records]):
        assert seen.recorded is not None
        assert isinstance(seen.recorded.event, TableClosed)
        if seen.recorded.event.reason == fails:
            reading.fail(seen, "ValueError: no")
        else:
            applied.append(seen.recorded.event.reason)
    return applied


def nothing_yet() -> Reading:
    return Reading({}, {})


def dead(reading: Reading) -> list[tuple[int, str, str | None]]:
    return [(letter.raw.offset, letter.reason, letter.blocks) for letter in reading.dead]


def test_events_in_order_are_applied_and_the_inbox_knows_their_hashes() -> None:
    table, reading = Table(), nothing_yet()
    assert read(reading, [table.closes("1"), table.closes("2")]) == ["1", "2"]
    assert reading.applied == {
        event_id("table/t1", 1): open_envelope(table.sealed[0]).hash,
        event_id("table/t1", 2): open_envelope(table.sealed[1]).hash,
    }
    assert (reading.positions["t1"].last_sequence, dead(reading)) == (2, [])


def test_a_second_delivery_is_applied_no_second_time() -> None:
    table, reading = Table(), nothing_yet()
    one, two = table.closes("1"), table.closes("2")
    assert read(reading, [one, one, two, one, two]) == ["1", "2"]
    assert dead(reading) == []


def test_an_early_event_waits_for_the_one_before_it() -> None:
    table, reading = Table(), nothing_yet()
    one, two, three = table.closes("1"), table.closes("2"), table.closes("3")
    assert read(reading, [three, two, one]) == ["1", "2", "3"]
    assert (list(reading.parked), reading.unparked, dead(reading)) == ([], [], [])


def test_an_event_whose_predecessor_never_comes_waits_and_is_kept() -> None:
    table, reading = Table(), nothing_yet()
    one, _, three = table.closes("1"), table.closes("2"), table.closes("3")
    assert read(reading, [one, three]) == ["1"]
    assert [seen.raw for seen in reading.parked] == [three]
    assert dead(reading) == []


def test_what_waited_in_an_earlier_batch_follows_in_order_and_waits_no_more() -> None:
    table = Table()
    two, three = (table.closes("1"), table.closes("2"), table.closes("3"))[1:]
    waiting = [look(record, "table") for record in (two, three)]
    assert all(isinstance(seen, Seen) for seen in waiting)
    reading = Reading({"t1": Position(0, None, {2: [waiting[0]], 3: [waiting[1]]})}, {})  # type: ignore[list-item]
    assert read(reading, [raw(table.sealed[0], offset=9)]) == ["1", "2", "3"]
    assert reading.unparked == waiting


FOREIGN = [
    pytest.param(raw(None), "no_value", id="null"),
    pytest.param(raw(b""), "undecodable", id="no bytes"),
    pytest.param(raw(b"\x00\xff garbage"), "undecodable", id="garbage"),
    pytest.param(raw(b"x" * 900_000), "undecodable", id="900,000 bytes of nothing"),
    pytest.param(raw(sealed("1", version=1)[:-3]), "undecodable", id="an envelope cut short"),
    pytest.param(raw(sealed("1", version=1, source="wallet")), "foreign_source", id="another service's source"),
    pytest.param(raw(sealed("1", version=1), key="t2"), "foreign_key", id="under another key"),
    pytest.param(raw(sealed("1", version=1), key=None), "foreign_key", id="under no key"),
    pytest.param(raw(sealed("1", version=1, key_sequence=0)), "undecodable", id="key_sequence 0"),
    pytest.param(raw(sealed("1", version=1, key_sequence=2**63)), "undecodable", id="key_sequence beyond int64"),
]


@pytest.mark.parametrize(("record", "reason"), FOREIGN)
def test_what_is_no_event_of_the_topic_is_set_aside_and_holds_nothing_up(record: Raw, reason: str) -> None:
    table, reading = Table(), nothing_yet()
    one, two = table.closes("1"), table.closes("2")
    assert isinstance(look(record, "table"), Unbelieved)
    assert read(reading, [one, record, two]) == ["1", "2"]
    assert [(letter.raw, letter.reason, letter.blocks) for letter in reading.dead] == [(record, reason, None)]


def test_an_event_of_another_topic_is_set_aside_even_from_the_right_source() -> None:
    data = seal(
        AccountOpened(account="table/t1/USD", kind="table", currency="USD"),
        stream="table/t1", version=1, source="table", key="t1", key_sequence=1, recorded_at_us=1, cause_id="c",
        actor="test", traceparent="", previous_hash=b"",
    )  # fmt: skip
    found = look(raw(data), "table")
    assert isinstance(found, Unbelieved)
    assert found.reason == "foreign_type"


STRAYS = [
    pytest.param(sealed("stray", version=1, stream=round_stream("t1", 7), key_sequence=1), "differs_from_applied",
                 id="in a place that is taken"),
    pytest.param(sealed("stray", version=2, previous_hash=b"x" * 32), "broken_chain",
                 id="next in the key, but not joined to the chain"),
    pytest.param(sealed("1", version=1, key_sequence=2), "differs_from_applied",
                 id="an event that was applied, in the next place of its key"),
    pytest.param(sealed("1", version=1, key_sequence=3), "differs_from_applied",
                 id="an event that was applied, in a place ahead"),
    pytest.param(unknown(sealed("stray", version=1, stream=round_stream("t1", 7), key_sequence=1)), "unknown_type",
                 id="an unknown type in a place that is taken"),
    pytest.param(unknown(sealed("stray", version=2, previous_hash=b"x" * 32)), "unknown_type",
                 id="an unknown type, next, but not joined to the chain"),
    pytest.param(unknown(sealed("stray", version=1, stream=round_stream("t1", 7), key_sequence=999)), "unknown_type",
                 id="an unknown type far ahead"),
    pytest.param(unknown(sealed("stray", version=1, stream=round_stream("t1", 7), key_sequence=2)), "newer_version",
                 id="an unknown type, next, first of a new stream: blocks until the real one comes"),
]  # fmt: skip


@pytest.mark.parametrize(("stray", "reason"), STRAYS)
def test_a_stray_under_a_live_key_is_set_aside_and_every_real_event_is_applied(stray: bytes, reason: str) -> None:
    table, reading = Table(), nothing_yet()
    one, two, three = table.closes("1"), table.closes("2"), table.closes("3")
    assert read(reading, [one, raw(stray, offset=77), two, three]) == ["1", "2", "3"]
    assert [(letter.raw.offset, letter.reason) for letter in reading.dead] == [(77, reason)]
    assert reading.positions["t1"].block is None


def test_an_event_that_was_applied_is_applied_no_second_time_under_another_key() -> None:
    table, reading = Table(), nothing_yet()
    one, two = table.closes("1"), table.closes("2")
    again = raw(sealed("1", version=1, key="t2", stream=table_stream("t1")), offset=77, key="t2")
    assert read(reading, [one, again, two]) == ["1", "2"]
    assert dead(reading) == [(77, "differs_from_applied", None)]
    assert reading.positions["t2"].last_sequence == 0


def test_a_new_type_in_its_right_place_stops_its_key_and_keeps_what_follows() -> None:
    table, reading = Table(), nothing_yet()
    one, two, three = table.closes("1"), table.closes("2"), table.closes("3")
    newer = raw(unknown(table.sealed[1]), offset=1)
    assert two.offset == 1
    assert read(reading, [one, newer, three]) == ["1"]
    assert dead(reading) == [(1, "newer_version", "t1")]
    assert [seen.raw for seen in reading.parked] == [three]


def test_an_event_that_the_handler_fails_on_stops_its_own_key_only() -> None:
    table, other, reading = Table(), Table("t2"), nothing_yet()
    records = [table.closes("1"), table.closes("bad"), other.closes("a"), table.closes("3"), other.closes("b")]
    assert read(reading, records, fails="bad") == ["1", "a", "b"]
    assert dead(reading) == [(1, "handler_failed", "t1")]
    assert [seen.raw for seen in reading.parked] == [records[3]]
    assert reading.applied.keys() == {event_id("table/t1", 1), event_id("table/t2", 1), event_id("table/t2", 2)}


def test_a_failed_event_that_comes_again_is_neither_applied_nor_set_aside_again() -> None:
    table, reading = Table(), nothing_yet()
    bad = table.closes("bad")
    assert read(reading, [bad, bad, table.closes("2"), bad], fails="bad") == []
    assert dead(reading) == [(0, "handler_failed", "t1")]


def test_of_two_that_claim_one_place_ahead_the_one_in_the_chain_is_applied() -> None:
    table, reading = Table(), nothing_yet()
    one, two, three = table.closes("1"), table.closes("2"), table.closes("3")
    impostor = raw(sealed("stray", version=3, previous_hash=b"x" * 32), offset=77)
    assert read(reading, [one, impostor, three, two]) == ["1", "2", "3"]
    assert dead(reading) == [(77, "broken_chain", None)]


def test_an_event_id_is_a_uuid_of_stream_and_version() -> None:
    seen = look(raw(sealed("1", version=2)), "table")
    assert isinstance(seen, Seen)
    assert (seen.event_id, seen.previous_id) == (event_id("table/t1", 2), event_id("table/t1", 1))
    assert isinstance(seen.event_id, uuid.UUID)
