"""Method: rounds that real services played are archived by the command, proven from the folder and the public key
alone, and every event of every round is the same in event stores, topics and archive."""

import json
from pathlib import Path
from typing import Any

import pytest

from pitstream.archive import TOPICS, ArchiveSource, KafkaSource, Source, StoreSource, fault_of
from pitstream.archive.files import rows_of
from pitstream.archive.rows import stored_of

pytestmark = pytest.mark.stack

# Behind every day of the other tests on this platform: all of their events are in it too.
DAY = "2027-01-01"


def asked(platform: Any, *arguments: str) -> str:
    """What a command prints that reads the platform's database."""
    done = platform.pitstream(*arguments, environ={"PITSTREAM_POSTGRES": platform.stack.postgres})
    assert done.returncode == 0, done.stderr + done.stdout
    return str(done.stdout)


@pytest.fixture(scope="module")
def archived(platform: Any, evening_small: list[str], on_day: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("archived")
    platform.feed(on_day(evening_small[189:191] + evening_small[430:436], DAY), "--network-suffix=-archived")
    key = json.loads(platform.asked("keys", "new", str(folder / "audit.pem"), "--json"))
    assert (folder / "audit.pem").stat().st_mode & 0o777 == 0o600
    to = ("--out", str(folder / "archive"), "--key", key["private"], "--json")
    told = json.loads(asked(platform, "archive", "--day", DAY, *to))
    assert (told["name"], told["key"]) == (DAY, key["fingerprint"])
    assert sorted(json.loads(asked(platform, "checkpoint", *to))) == sorted(TOPICS)
    return folder


def proven(platform: Any, folder: Path) -> tuple[int, dict[str, Any]]:
    done = platform.pitstream("verify", str(folder / "archive"), "--public-key", str(folder / "audit.pub"), "--json")
    return done.returncode, json.loads(done.stdout)


def test_what_was_archived_is_proven_without_a_service(platform: Any, archived: Path) -> None:
    code, verdict = proven(platform, archived)
    assert (code, verdict["holds"], verdict["faults"]) == (0, True, [])
    assert (verdict["parts"], verdict["checkpoints"]) == (1, 4)


def test_the_same_day_again_adds_nothing(platform: Any, archived: Path) -> None:
    out, key = str(archived / "archive"), str(archived / "audit.pem")
    told = asked(platform, "archive", "--day", "2025-01-01", "--out", out, "--key", key)
    assert told == "2025-01-01: nothing to add; all of it is archived\n"


async def events_of(source: Source, tables: set[str]) -> dict[tuple[str, str], list[bytes]]:
    """By stream, the bytes of all events of these tables' rounds and of every account."""
    found: dict[tuple[str, str], list[tuple[int, bytes]]] = {}
    async with source:
        for topic in TOPICS:
            async for stored in source.events(topic):
                # Others who share the topics may have sent there what is no event.
                if topic == "wallet.v1" or stored.key in tables:
                    assert fault_of(stored) is None
                    found.setdefault((topic, stored.stream), []).append((stored.version, stored.data))
    return {stream: [data for _, data in sorted(events)] for stream, events in found.items()}


async def test_each_of_the_three_sources_holds_the_same_bytes(platform: Any, archived: Path) -> None:
    part = archived / "archive" / DAY
    tables = {
        row["key"] for file in part.glob("rounds.v1/*.parquet") for row, _ in rows_of(file) if DAY in str(row["event"])
    }
    store = await events_of(StoreSource(platform.stack.postgres), tables)
    assert len([stream for stream in store if stream[1].startswith("round/")]) >= 8
    assert await events_of(KafkaSource(platform.stack.kafka), tables) == store
    assert await events_of(ArchiveSource(archived / "archive"), tables) == store


def test_one_changed_byte_is_found_and_its_event_named(platform: Any, archived: Path) -> None:
    file = next((archived / "archive").glob("2*/settlements.v1/*.parquet"))
    before = file.read_bytes()
    stored = stored_of(next(row for row, _ in rows_of(file)), "")
    at = before.index(stored.data) + len(stored.data) - 1
    file.write_bytes(before[:at] + bytes([before[at] ^ 1]) + before[at + 1 :])
    try:
        code, verdict = proven(platform, archived)
    finally:
        file.write_bytes(before)
    found = {(fault["code"], fault["stream"], fault["version"], fault["event_id"]) for fault in verdict["faults"]}
    assert code == 1
    assert ("hash_differs", stored.stream, stored.version, stored.event_id) in found


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("archive", "--day", "2026-02-30", "--out", "x"), "day: was '2026-02-30'; allowed: a date, YYYY-MM-DD"),
        (("archive", "--day", DAY, "--out", "x", "--key", "nowhere.pem"), "nothing can be read there"),
        (("checkpoint", "--out", "x"), "key: was not given"),
        (("verify", "x", "--public-key", "nowhere.pub"), "nowhere.pub: cannot be read"),
    ],
)
def test_what_cannot_be_carried_out_says_why(platform: Any, arguments: tuple[str, ...], says: str) -> None:
    done = platform.pitstream(*arguments)
    assert (done.returncode, says in done.stderr) == (2, True), done.stderr
