"""Method: what any producer may write, and no event ever is, comes before, between and behind a live table's events on
its own partition of a real Kafka. Batches that aiokafka cannot build are built by it and then changed byte by byte."""

import random
import struct
import uuid
from typing import Any

import pytest
from aiokafka import AIOKafkaProducer
from aiokafka.record.default_records import DefaultRecordBatchBuilder
from aiokafka.record.util import calc_crc32c
from hypothesis import given
from hypothesis import strategies as st

from pitstream.events import Envelope, seal
from pitstream.events.rounds import TableClosed
from pitstream.runtime import Cause, reader

BY_TEST = Cause.of_command("c", "test")
CODECS = {"none": 0, "gzip": 1, "snappy": 2, "lz4": 3, "zstd": 4}


def changed(batch: bytes, before: bytes, after: bytes) -> bytes:
    """The batch with some bytes replaced by as many others, and a checksum that is right again."""
    data = bytearray(batch.replace(before, after))
    assert len(data) == len(batch) != 0
    data[17:21] = struct.pack(">I", calc_crc32c(bytes(data[21:])))
    return bytes(data)


def batch_of(records: list[tuple[Any, ...]], codec: int = 0) -> bytes:
    """A batch as a producer builds it; records are (key, value, headers)."""
    builder = DefaultRecordBatchBuilder(2, codec, 0, -1, -1, 0, 1 << 24)
    for offset, (key, value, headers) in enumerate(records):
        assert builder.append(offset, 1_700_000_000_000 + offset, key, value, headers) is not None
    return bytes(builder.build())


def read(data: bytes) -> list[tuple[Any, ...]]:
    """The records as a consumer gets them: (offset, key, value, headers)."""
    fetched, found = reader.FetchedRecords(data), []
    while fetched.has_next():
        batch = fetched.next_batch()
        assert batch.validate_crc()
        found += [(record.offset, record.key, record.value, list(record.headers)) for record in batch]
    return found


content = st.none() | st.binary(max_size=40)
records_of_a_batch = st.lists(
    st.tuples(content, content, st.lists(st.tuples(st.text(max_size=5), content), max_size=3)), min_size=1, max_size=6
)


@given(records_of_a_batch, st.sampled_from(sorted(CODECS.values())))
def test_our_own_way_through_a_batch_finds_what_aiokafkas_does(records, codec):
    batch = batch_of(records, codec)
    ours = [(record.offset, record.key, record.value, record.headers) for record in reader.unpacked(batch)]
    assert ours == read(batch) == [(offset, *record) for offset, record in enumerate(records)]


def test_a_header_whose_name_is_no_utf8_is_read_and_so_is_all_around_it():
    batch = batch_of([(b"a", b"1", []), (b"b", b"2", [("name-xx", b"h")]), (b"c", b"3", [("fine", None)])])
    found = read(changed(batch, b"name-xx", b"\xff\xfeme-xx") + batch_of([(b"d", b"4", [])]))
    assert found == [
        (0, b"a", b"1", []),
        (1, b"b", b"2", [("\udcff\udcfeme-xx", b"h")]),
        (2, b"c", b"3", [("fine", None)]),
        (0, b"d", b"4", []),
    ]


@pytest.mark.parametrize("codec", ["gzip", "lz4", "zstd"])
def test_a_batch_that_cannot_be_unpacked_is_one_record_that_has_its_bytes(codec):
    whole = batch_of([(b"a", b"1" * 200, []), (b"b", b"2" * 200, [])], CODECS[codec])
    torn = changed(whole, whole[61:71], b"not packed")
    [(offset, key, value, [(name, why)])] = read(torn)
    assert (offset, key, value, name) == (0, None, torn, reader.UNREADABLE_HEADER)
    assert why
    assert read(torn + whole)[1:] == [(0, b"a", b"1" * 200, []), (1, b"b", b"2" * 200, [])]


def envelope(key: str, **fields: Any) -> bytes:
    """A whole envelope of the table service, first of a stream that nobody wrote, with some fields changed."""
    data = seal(
        TableClosed(table="x", reason="x"), stream=f"table/{key}", version=1, source="table", key=key,
        key_sequence=1, recorded_at_us=1, cause_id="", actor="", traceparent="", previous_hash=b"",
    )  # fmt: skip
    changed_envelope = Envelope.FromString(data)
    for name, value in fields.items():
        setattr(changed_envelope, name, value)
    return changed_envelope.SerializeToString(deterministic=True)


async def send_built(producer: AIOKafkaProducer, built: bytes, topic: str, partition: int, count: int) -> int:
    """Send a batch as it is; the offset of its first record."""
    batch = producer.create_batch()
    batch.close()
    batch._buffer, batch._relative_offset = built, count
    placed = await (await producer.send_batch(batch, topic, partition=partition))
    return int(placed.offset)


@pytest.mark.stack
async def test_all_that_a_producer_may_write_is_set_aside_and_the_table_goes_on(
    toy, kafka, postgres, begin_at_the_end, applied, until, producer, ends, read
) -> None:
    name = f"t-{uuid.uuid4().hex[:10]}"
    key = name.encode()
    long_key = "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyz0123456789", k=9000))
    wallet = toy.toy_wallet(toy.ToyWallet(), kafka=kafka, postgres=postgres)
    await begin_at_the_end(wallet)
    dead_letters_end = await ends("dead-letters.v1")
    partition = (await producer.send_and_wait("rounds.v1", b"where?", key=key)).partition
    odd_name = changed(
        batch_of([(key, b"before", []), (key, None, [("name-xx", b"h")]), (key, b"behind", [])]),
        b"name-xx",
        b"\xff\xfeme-xx",
    )
    transactional = AIOKafkaProducer(bootstrap_servers=kafka, transactional_id=f"foreign-{name}")
    await transactional.start()

    async def transaction(value: bytes, *, abort: bool) -> None:
        await transactional.begin_transaction()
        await transactional.send_and_wait("rounds.v1", value, key=key, partition=partition)
        await (transactional.abort_transaction() if abort else transactional.commit_transaction())

    async def packed() -> None:
        for codec in CODECS.values():
            built = batch_of([(key, b"packed", []), (None, b"packed too", [])], codec)
            await send_built(producer, built, "rounds.v1", partition, 2)

    async def big() -> None:
        built = batch_of([(key, b"\x00" * 6_000_000, [])], CODECS["gzip"])
        await send_built(producer, built, "rounds.v1", partition, 1)

    async def sent(value: bytes, key: bytes) -> None:
        await producer.send_and_wait("rounds.v1", value, key=key, partition=partition)

    deeds = [
        lambda: send_built(producer, odd_name, "rounds.v1", partition, 3),
        packed,
        lambda: transaction(b"committed", abort=False),
        lambda: transaction(b"aborted", abort=True),
        lambda: send_built(producer, batch_of([(None, None, [])]), "rounds.v1", partition, 1),
        lambda: sent(envelope(long_key), long_key.encode()),
        lambda: sent(envelope("k", event_id="\x01" * 900_000), key),
        lambda: sent(envelope(f"a{name}", source="\x02" * 900_000), f"a{name}".encode()),
        big,
        lambda: transaction(b"aborted at the end", abort=True),
    ]
    async with toy.toy_table(kafka=kafka, postgres=postgres).running() as table, wallet.running() as store:
        for number, deed in enumerate(deeds, start=1):
            await deed()
            if number < len(deeds):
                await table.run(lambda tx, n=number: toy.close_table(tx, name, [str(n)], BY_TEST))

        async def all_applied() -> bool:
            return len(await applied(name)) == len(deeds) - 1

        async def nothing_left() -> bool:
            end = (await ends("rounds.v1"))[partition]
            query = "SELECT next_offset FROM checkpoints WHERE topic = 'rounds.v1' AND partition = $1"
            return bool(await store.pool.fetchval(query, partition) == end)

        await until(all_applied)
        await until(nothing_left)
        letters = await store.pool.fetch("SELECT * FROM dead_letters ORDER BY id")
        published = await read("dead-letters.v1", dead_letters_end, len(letters))
    published.sort(key=lambda record: int(dict(record.headers)["pitstream-dead-letter-id"]))
    await transactional.stop()

    assert await applied(name) == [str(number) for number in range(1, len(deeds))]
    assert [(row["record_value"][:20] if row["record_value"] else None, row["reason"]) for row in letters] == [
        (b"where?", "undecodable"),
        (b"before", "undecodable"),
        (None, "no_value"),
        (b"behind", "undecodable"),
        *[(b"packed", "undecodable"), (b"packed too", "undecodable")] * len(CODECS),
        (b"committed", "undecodable"),
        (None, "no_value"),
        (envelope(long_key)[:20], "undecodable"),
        (envelope("k", event_id="\x01" * 900_000)[:20], "undecodable"),
        (envelope(f"a{name}", source="\x02" * 900_000)[:20], "foreign_source"),
        (b"\x00" * 20, "undecodable"),
    ]
    assert letters[2]["header_names"] == [b"\xff\xfeme-xx"]
    assert len(letters[-1]["record_value"]) == 6_000_000
    assert [(record.key, record.value) for record in published[:-1]] == [
        (row["record_key"], row["record_value"] or (None if row["record_key"] else b"")) for row in letters[:-1]
    ]
    assert dict(published[2].headers)["\\xff\\xfeme-xx"] == b"h"
    assert published[-1].value == b""
    assert dict(published[-1].headers)["pitstream-dead-letter-bytes-left-out"] == str(6_000_000 + len(key)).encode()


@pytest.mark.stack
async def test_a_poll_that_fails_loses_nothing_of_what_it_took_from_other_partitions(
    toy, kafka, postgres, begin_at_the_end, applied, until, producer, monkeypatch
) -> None:
    names = [f"t-{uuid.uuid4().hex[:10]}" for _ in range(12)]
    wallet = toy.toy_wallet(toy.ToyWallet(), kafka=kafka, postgres=postgres)
    await begin_at_the_end(wallet)
    failures = 2

    class Torn(reader._Batch):
        def validate_crc(self) -> bool:
            nonlocal failures
            if b"torn on its way" in self._raw.tobytes() and failures:
                failures -= 1
                return False
            return super().validate_crc()

    monkeypatch.setattr(reader, "_Batch", Torn)
    async with toy.toy_table(kafka=kafka, postgres=postgres).running() as table:
        for name in names:
            await table.run(lambda tx, n=name: toy.close_table(tx, n, ["1", "2", "3"], BY_TEST))
        await until(lambda: table.pool.fetchval("SELECT count(*) = 0 FROM outbox"))
        await producer.send_and_wait("rounds.v1", b"torn on its way", partition=3)
        async with wallet.running():
            for name in names:

                async def whole(name: str = name) -> bool:
                    return await applied(name) == ["1", "2", "3"]

                await until(whole, 60)
    assert failures == 0
