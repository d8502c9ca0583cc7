"""Each event is in one part, whatever day it names and whenever it comes. Method: examples of days, and a history that
is archived day by day, late, or all at once."""

import filecmp
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pitstream.archive import ArchiveSource, Stored, stored_from
from pitstream.archive.days import Days
from pitstream.archive.files import rows_of
from pitstream.archive.manifest import read_parts
from pitstream.archive.rows import first_difference
from pitstream.archive.stored import TOPICS
from pitstream.archive.verify import verify
from pitstream.archive.write import CorruptError, archive_day
from pitstream.events import Envelope, Event, ids, seal
from pitstream.events.rounds import RoundOpened, TableClosed, TableOpened
from pitstream.events.wallet import AccountOpened

HOUR_US = 3_600_000_000


def us(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * 1_000_000


def opened(day: str) -> TableOpened:
    return TableOpened(table="t", game="flop_poker", gaming_day=day, currency="USD", paytables=())


def recorded(event: Event, at_us: int, stream: str = "table/t") -> Stored:
    data = seal(
        event, stream=stream, version=1, source="table", key="t", key_sequence=1, recorded_at_us=at_us, cause_id="",
        actor="", traceparent="", previous_hash=b"",
    )  # fmt: skip
    return stored_from(event.topic, data, "")


FLOOR = Days(
    [
        recorded(opened("2026-03-28"), us("2026-03-28T20:00")).data,
        recorded(opened("2026-03-29"), us("2026-03-29T10:00")).data,
        recorded(opened("2026-03-27"), us("2026-03-29T12:00")).data,  # a table of an earlier day opens late
    ]
)
ROUND = RoundOpened(
    table="t", round_no=1, round_id="", game="flop_poker", gaming_day="2026-03-27", currency="USD", paytables=(),
    previous_round_hash=b"", rules_version="", evaluator="",
)  # fmt: skip
ACCOUNT = AccountOpened(account="player/p/USD", kind="player", currency="USD")
CLOSED = TableClosed(table="t", reason="")


@pytest.mark.parametrize(
    ("event", "at", "before", "day"),
    [
        pytest.param(opened("2026-03-28"), "2026-03-28T20:00", "", "2026-03-28", id="a table that opens says its day"),
        pytest.param(
            CLOSED, "2026-03-29T11:00", "2026-03-28", "2026-03-28", id="and keeps it past the next day's roll"
        ),
        pytest.param(ROUND, "2026-03-29T12:30", "", "2026-03-27", id="a round says its own"),
        pytest.param(ROUND, "2026-03-29T12:30", "2026-03-28", "2026-03-28", id="but a key's days never go back"),
        pytest.param(ACCOUNT, "2026-03-28T21:00", "", "2026-03-28", id="an account's event: the floor's day"),
        pytest.param(ACCOUNT, "2026-03-29T09:59", "", "2026-03-28", id="up to the first table of the next"),
        pytest.param(ACCOUNT, "2026-03-29T10:00", "2026-03-28", "2026-03-29", id="and from then on the next day"),
        pytest.param(ACCOUNT, "2026-03-29T13:00", "", "2026-03-29", id="the floor's day never goes back either"),
        pytest.param(ACCOUNT, "2026-01-01T00:00", "", "2026-03-28", id="before there were tables: the first day"),
        pytest.param(
            CLOSED, "2026-03-28T21:00", "", "2026-03-28", id="a table's event without an opening: the floor's"
        ),
    ],
)
def test_an_event_belongs_to_one_gaming_day(event, at, before, day):
    assert FLOOR.of(recorded(event, us(at)), before) == day


def test_where_no_table_ever_opened_the_date_is_that_of_utc():
    assert Days([]).floor(us("2025-12-31T23:59")) == "2025-12-31"


async def everything(folder: Path) -> list[Stored]:
    found = []
    async with ArchiveSource(folder) as source:
        for topic in TOPICS:
            found += [one._replace(where="") async for one in source.events(topic)]
    return sorted(found, key=lambda one: (one.topic, one.key, one.sequence))


def all_of(events: list[Stored]) -> list[Stored]:
    return sorted((one._replace(where="") for one in events), key=lambda one: (one.topic, one.key, one.sequence))


async def test_parts_together_hold_every_event_once(archived):
    assert await everything(archived.folder) == all_of(archived.book.events)
    assert [part.manifest.name for part in read_parts(archived.folder)] == ["2026-03-27", "2026-03-28", "2026-03-29"]


async def test_the_same_day_twice_gives_the_same_bytes_also_when_later_days_were_played(
    archived, tmp_path, book, source_of, signing_key
):
    once = tmp_path / "once"
    await archive_day(source_of(book.events), "2026-03-27", once, signing_key)
    assert await archive_day(source_of(book.events), "2026-03-27", once, signing_key) is None, "nothing to add"
    files = sorted(file.relative_to(once) for file in once.rglob("*") if file.is_file())
    assert len(files) == 7
    same, different, missing = filecmp.cmpfiles(archived.folder, once, list(map(str, files)), shallow=False)
    assert (sorted(same), different, missing) == (sorted(map(str, files)), [], [])


async def test_what_comes_late_for_a_closed_day_comes_into_a_further_part(tmp_path, book, source_of, signing_key):
    late = [one for one in book.of("rounds.v1") if one.key == "uth-01"][20:]
    early = [one for one in book.events if one not in late]
    folder = tmp_path / "archive"
    first = await archive_day(source_of(early), "2026-03-29", folder, signing_key)
    second = await archive_day(source_of(book.events), "2026-03-29", folder, signing_key)
    assert first is not None
    assert second is not None
    assert (second.manifest.name, second.manifest.events) == ("2026-03-29.2", len(late))
    assert second.manifest.previous is not None
    assert (second.manifest.previous.name, second.manifest.previous.sha256) == ("2026-03-29", first.sha256)
    assert await everything(folder) == all_of(book.events)
    assert verify(folder, signing_key.public_key()).faults == []


async def test_a_late_event_that_the_next_day_takes_keeps_its_own_day(tmp_path, book, source_of, signing_key):
    late = [one for one in book.of("rounds.v1") if one.key == "uth-01" and one.stream.endswith("/3")]
    cut = late[0].sequence
    early = [one for one in book.events if one.topic != "rounds.v1" or one.key != "uth-01" or one.sequence < cut]
    folder = tmp_path / "archive"
    await archive_day(source_of(early), "2026-03-27", folder, signing_key)
    await archive_day(source_of(book.events), "2026-03-28", folder, signing_key)
    [_, second] = read_parts(folder)
    rows = [row for entry in second.manifest.files_of("rounds.v1") for row, _ in rows_of(second.folder / entry.path)]
    assert {row["day"].isoformat() for row in rows if row["stream"] == late[0].stream} == {"2026-03-27"}
    assert {row["day"].isoformat() for row in rows if row["key"] == "uth-02"} == {"2026-03-28"}


async def test_a_first_archive_takes_all_that_came_before(tmp_path, book, source_of, signing_key):
    folder = tmp_path / "archive"
    part = await archive_day(source_of(book.events), "2026-03-29", folder, signing_key)
    assert part is not None
    assert part.manifest.events == len(book.events)
    assert await archive_day(source_of(book.events), "2026-03-28", folder, signing_key) is None


def test_every_column_but_the_day_follows_from_the_bytes(archived):
    for file in archived.folder.glob("*/*.v1/*.parquet"):
        for row, number in rows_of(file):
            assert first_difference(row) is None, (file, number)


async def test_an_unfinished_part_of_a_killed_run_is_made_anew(tmp_path, book, source_of, signing_key):
    folder = tmp_path / "archive"
    (folder / ".2026-03-27.unfinished" / "rounds.v1").mkdir(parents=True)
    (folder / ".2026-03-27.unfinished" / "rounds.v1" / "000.parquet").write_bytes(b"half")
    await archive_day(source_of(book.events), "2026-03-27", folder, signing_key)
    assert sorted(entry.name for entry in folder.iterdir()) == ["2026-03-27"]
    assert verify(folder, signing_key.public_key()).faults == []


@pytest.mark.parametrize("how", ["changed", "missing"])
async def test_nothing_is_archived_of_a_store_that_is_not_as_it_was_written(
    tmp_path, book, source_of, signing_key, how
):
    victim = book.of("rounds.v1")[7]
    envelope = Envelope.FromString(victim.data)
    envelope.actor = "x"
    changed = [victim._replace(data=envelope.SerializeToString())] if how == "changed" else []
    events = [*(one for one in book.events if one is not victim), *changed]
    with pytest.raises(CorruptError) as raised:
        await archive_day(source_of(events), "2026-03-27", tmp_path / "archive", signing_key)
    named = victim if how == "changed" else book.of("rounds.v1")[8]
    assert (raised.value.fault.stream, raised.value.fault.version) == (named.stream, named.version)
    assert list((tmp_path / "archive").iterdir()) == []


async def test_one_stream_of_many_parts_is_read_whole(archived):
    async with ArchiveSource(archived.folder) as source:
        found = await source.stream("rounds.v1", "uth-01", ids.table_stream("uth-01"))
    assert [one.version for one in found] == [1, 2, 3, 4, 5, 6]
    assert {one.where.partition("/")[0] for one in found} == {"2026-03-27", "2026-03-28", "2026-03-29"}


def test_one_part_alone_can_be_proven(archived):
    verdict = verify(archived.folder / "2026-03-28", archived.key.public_key())
    assert (verdict.faults, verdict.parts) == ([], 1)
