"""Method: rounds that real services played are told, written back as records and settled again; and a reader that has
nothing of ours but the contract's generated classes reads every event of a round from Kafka."""

import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from aiokafka import AIOKafkaConsumer

from pitstream.archive import TOPICS, ArchiveSource, KafkaSource, Source, StoreSource, fault_of
from pitstream.cli.gather import SourceStreams, gather
from pitstream.cli.replay import history_of
from pitstream.envelope.v1.envelope_pb2 import Envelope
from pitstream.events import Recorded
from pitstream.events.rounds import RoundOpened
from pitstream.games.canonical import state_hash
from pitstream.games.round import evolve_stored
from pitstream.games.settle_file import settle_record
from pitstream.games.totals import net_of
from pitstream.rounds.v1 import rounds_pb2
from pitstream.story.history import nets, record_from

pytestmark = pytest.mark.stack

DAY = "2025-06-21"

OnDay = Callable[[Sequence[str], str], list[str]]


@pytest.fixture(scope="session")
def told(platform: Any, evening_small: list[str], on_day: OnDay) -> list[dict[str, Any]]:
    """Records that were played: all three games, a void round, a forfeit, a whole meter won."""
    rounds = on_day(evening_small[189:191] + evening_small[217:219] + evening_small[430:436], DAY)
    platform.feed(rounds, "--network-suffix=-told")
    return [json.loads(line) for line in rounds]


async def test_a_record_made_of_events_settles_to_what_the_services_paid(platform: Any, told: list[dict[str, Any]]):
    for record in told:
        history = await history_of(record["id"], platform.addresses, patience_s=10)
        again = record_from(history)
        settled = settle_record(json.dumps(again).encode())
        assert history.broken == ()
        assert (again["seats"], again["cards"]) == (record["seats"], record["cards"])
        assert (again.get("void"), again["table"]) == (record.get("void"), record["table"])
        assert nets(history) == {seat.seat: net_of(seat) for seat in settled.result.seats}


def test_a_replayed_record_can_be_piped_into_settle(platform: Any, told: list[dict[str, Any]]):
    record = platform.asked("replay", told[0]["id"], "--record")
    settled = json.loads(platform.asked("settle", "-", stdin=record))
    story = json.loads(platform.asked("replay", told[0]["id"], "--json"))
    assert {str(seat["seat"]): seat["net"] for seat in settled["seats"]} == story["nets"]


def test_the_story_of_the_hit_says_who_took_the_meter_and_who_validated_it(platform: Any, told: list[dict[str, Any]]):
    (hit,) = (record["id"] for record in told if record["id"].endswith("r00435"))
    story = platform.asked("replay", hit)
    assert "takes 100 % of main" in story
    assert "f.moreau validated the hand-pay" in story
    assert "every hash chain holds" in story


async def test_any_reader_of_the_contract_reads_every_event_of_a_round_from_kafka(
    platform: Any, told: list[dict[str, Any]]
):
    story = json.loads(platform.asked("replay", told[0]["id"], "--json"))
    stream = f"round/{story['table']}/{story['round_no']}"
    found: list[Envelope] = []
    hashes: list[str] = []
    async with AIOKafkaConsumer(
        "rounds.v1", bootstrap_servers=platform.stack.kafka, auto_offset_reset="earliest", group_id=None
    ) as consumer:
        while len(found) < len(story["events"]):
            for records in (await consumer.getmany(timeout_ms=10_000)).values():
                for record in records:
                    envelope = Envelope.FromString(record.value)
                    if envelope.stream == stream:
                        found.append(envelope)
                        hashes.append(sha256(record.value).hexdigest())
    first = rounds_pb2.RoundOpened.FromString(found[0].payload)
    assert [envelope.version for envelope in found] == list(range(1, len(found) + 1))
    assert [envelope.type for envelope in found] == [event["type"] for event in story["events"]]
    assert hashes == [event["hash"] for event in story["events"]]
    assert [envelope.previous_hash.hex() for envelope in found] == ["", *hashes[:-1]]
    assert (first.table, first.round_no, first.round_id) == (story["table"], story["round_no"], told[0]["id"])


async def test_each_source_alone_makes_every_round_again_byte_for_byte_and_settles_it_to_what_was_paid(
    platform: Any, told: list[dict[str, Any]], tmp_path: Path
):
    """The services are not asked: the event stores, the topics and the archive's files are read, one at a time."""
    out = str(tmp_path / "archive")
    there = {"PITSTREAM_POSTGRES": platform.stack.postgres, "PITSTREAM_KAFKA": platform.stack.kafka}

    def asked(*arguments: str) -> str:
        done = platform.pitstream(*arguments, environ=there)
        assert done.returncode == 0, done.stderr + done.stdout
        return str(done.stdout).strip()

    # A part holds everything up to its day: this one whatever other tests play on days of their own.
    asked("archive", "--day", "2099-12-31", "--out", out)
    sources: list[Source] = [
        StoreSource(platform.stack.postgres),
        KafkaSource(platform.stack.kafka),
        ArchiveSource(Path(out)),
    ]
    hashes: dict[str, list[str]] = {}
    for source in sources:
        async with source:
            for record in told:
                history = await gather(record["id"], SourceStreams(source))
                settled = settle_record(json.dumps(record_from(history)).encode())
                assert history.broken == ()
                assert nets(history) == {seat.seat: net_of(seat) for seat in settled.result.seats}
                assert state_hash(evolve_stored(each.data for each in history.round)) == state_hash(history.state)
                hashes.setdefault(source.name, []).append(state_hash(history.state).hex())
    assert hashes["store"] == hashes["kafka"] == hashes["archive"]
    assert len(set(hashes["store"])) == len(told)
    for where in ("store", "kafka", out):
        assert asked("replay", told[0]["id"], "--hash", "--source", where) == hashes["store"][0]


class ReadOnce:
    """Every stream of one source, which is read from its beginning to its end and not asked again."""

    def __init__(self) -> None:
        self._streams: dict[tuple[str, str], list[Recorded]] = {}
        self._places: dict[str, list[tuple[str, int]]] = {}

    @classmethod
    async def of(cls, source: Source) -> "ReadOnce":
        read = cls()
        async with source:
            for topic in TOPICS:
                async for stored in source.events(topic):
                    assert fault_of(stored) is None
                    recorded = stored.opened()
                    read._streams.setdefault((topic, stored.stream), []).append(recorded)
                    if isinstance(opened := recorded.event, RoundOpened):
                        read._places.setdefault(opened.round_id, []).append((opened.table, opened.round_no))
        return read

    async def stream(self, topic: str, key: str, stream: str) -> list[Recorded]:
        return sorted(self._streams.get((topic, stream), ()), key=lambda recorded: recorded.version)

    async def places(self, round_id: str) -> list[tuple[str, int]]:
        return self._places.get(round_id, [])


@pytest.mark.slow
@pytest.mark.timeout(3600)
async def test_a_whole_evening_of_all_games_is_made_again_from_each_source_alone(
    platform: Any, evening_small: list[str], on_day: OnDay, tmp_path: Path
):
    """Every one of its rounds: as it was played, to the cent as it was paid, and to the byte alike in each source."""
    rounds = on_day(evening_small, "2025-06-22")
    platform.feed(rounds, "--network-suffix=-whole")
    records = [json.loads(line) for line in rounds]
    out = tmp_path / "archive"
    there = {"PITSTREAM_POSTGRES": platform.stack.postgres}
    done = platform.pitstream("archive", "--day", "2099-12-31", "--out", str(out), environ=there)
    assert done.returncode == 0, done.stderr
    sources: tuple[Source, ...] = (
        StoreSource(platform.stack.postgres),
        KafkaSource(platform.stack.kafka),
        ArchiveSource(out),
    )
    hashes: list[dict[str, str]] = []
    for source in sources:
        read, of_source = await ReadOnce.of(source), {}
        for record in records:
            history = await gather(record["id"], read)
            again = record_from(history)
            settled = settle_record(json.dumps(again).encode())
            assert history.broken == ()
            assert (again["seats"], again["cards"], again.get("void")) == (
                record["seats"], record["cards"], record.get("void"),
            )  # fmt: skip
            assert nets(history) == {seat.seat: net_of(seat) for seat in settled.result.seats}
            assert state_hash(evolve_stored(each.data for each in history.round)) == state_hash(history.state)
            of_source[record["id"]] = state_hash(history.state).hex()
        hashes.append(of_source)
    assert hashes[1:] == [hashes[0], hashes[0]]
    assert {record["game"] for record in records} == {
        "flop_poker", "raise_it_up_stud", "ultimate_texas_holdem",
    }  # fmt: skip
    assert len(set(hashes[0].values())) == len(records)


def test_the_page_of_a_round_that_was_played_holds_its_hash_and_every_transfer(
    platform: Any, told: list[dict[str, Any]], tmp_path: Path
):
    file = tmp_path / "round.html"
    platform.asked("replay", told[0]["id"], "--html", str(file))
    story = json.loads(platform.asked("replay", told[0]["id"], "--json"))
    page = file.read_text()
    assert story["state_hash"] in page
    assert [event["hash"] for event in story["events"] if event["hash"] not in page] == []
    moved = [each for event in story["wallet"] for each in event["event"].get("transfers", ())]
    assert moved
    assert [each["transfer_id"] for each in moved if each["transfer_id"] not in page] == []


def test_a_round_is_watched_faster_than_it_was_played(platform: Any, told: list[dict[str, Any]]):
    watched = platform.asked("replay", told[0]["id"], "--watch", "--speed", "10000")
    assert watched.splitlines()[0].split() == ["1", "the", "round", "opens"]
    assert "Settlement" in watched


def test_a_round_that_never_was_is_said_to_be_unknown(platform: Any):
    done = platform.pitstream("replay", "no-such-table/1")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: round: was no-such-table/1; table no-such-table has no round 1\n"
