"""A short evening of events, sealed as the services seal them, and a source and an archive of them."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pitstream.archive import TOPICS, Stored, stored_from
from pitstream.archive.days import OPENINGS
from pitstream.archive.write import archive_day
from pitstream.events import Event, envelope_hash, ids, seal
from pitstream.events.rounds import (
    DecisionMade,
    Hand,
    HandsDealt,
    RoundFinished,
    RoundOpened,
    Stake,
    TableClosed,
    TableOpened,
    WagersPlaced,
    WagersStood,
)
from pitstream.events.settlements import Line, RoundSettled, SeatSettlement
from pitstream.events.wallet import AccountOpened, FundsHeld, FundsMoved, SeatPosted, Transfer
from pitstream.runtime.checkpoints import Head, write_checkpoint
from pitstream.runtime.settings import TOPIC_SOURCES

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DAYS = ("2026-03-27", "2026-03-28", "2026-03-29")


def us(moment: datetime) -> int:
    return (moment - EPOCH) // timedelta(microseconds=1)


@dataclass
class Book:
    """What a stack's event stores would hold."""

    events: list[Stored] = field(default_factory=list)
    versions: dict[str, int] = field(default_factory=dict)
    hashes: dict[str, bytes] = field(default_factory=dict)
    sequences: dict[tuple[str, str], int] = field(default_factory=dict)

    def add(self, stream: str, key: str, event: Event, at_us: int, *, traceparent: str = "") -> Stored:
        topic, version = event.topic, self.versions.get(stream, 0) + 1
        sequence = self.sequences.get((topic, key), 0) + 1
        data = seal(
            event,
            stream=stream,
            version=version,
            source=TOPIC_SOURCES[topic],
            key=key,
            key_sequence=sequence,
            recorded_at_us=at_us,
            cause_id=f"c-{len(self.events)}",
            actor="d.okafor",
            traceparent=traceparent,
            previous_hash=self.hashes.get(stream, b""),
        )
        self.versions[stream], self.sequences[topic, key] = version, sequence
        self.hashes[stream] = envelope_hash(data)
        stored = stored_from(topic, data, "book")
        self.events.append(stored)
        return stored

    def of(self, topic: str) -> list[Stored]:
        """In the order of key and sequence."""
        return sorted((one for one in self.events if one.topic == topic), key=lambda one: (one.key, one.sequence))


class BookSource:
    """A book as what can be archived."""

    def __init__(self, events: Iterable[Stored]) -> None:
        self.all = sorted(events, key=lambda one: (one.topic, one.key, one.sequence))

    async def openings(self) -> list[bytes]:
        return [one.data for one in self.all if one.type in OPENINGS]

    async def events(
        self, topic: str, *, after: Mapping[str, int], until: Callable[[Stored], bool]
    ) -> AsyncIterator[Stored]:
        ended = ""
        for one in self.all:
            if one.topic == topic and one.key != ended and one.sequence > after.get(one.key, 0):
                if until(one):
                    ended = one.key
                else:
                    yield one


def play_round(book: Book, table: str, number: int, day: str, at_us: int) -> None:
    stream = ids.round_stream(table, number)
    account = ids.player_account(f"p{number}", "USD")
    base = {"table": table, "round_no": number}
    opened = RoundOpened(
        **base, round_id=f"{day}:{table}:{number}", game="ultimate_texas_holdem", gaming_day=day, currency="USD",
        paytables=(), previous_round_hash=b"", rules_version="1", evaluator="e",
    )  # fmt: skip
    stakes = (Stake(wager="ante", stake=500 + number), Stake(wager="blind", stake=500 + number))
    for event in (
        opened,
        WagersPlaced(**base, seat=1, player=f"p{number}", bundle=1, currency="USD", stakes=stakes),
        WagersStood(seat=1, bundle=1),
        HandsDealt(hands=(Hand(seat=1, cards=("As", "Kd")),), dealer=("2c", "2d")),
        DecisionMade(seat=1, choice="4x"),
        RoundFinished(**base),
    ):
        book.add(stream, table, event, at_us, traceparent=f"00-{number:032x}-{1:016x}-01")
    held = FundsHeld(account=account, hold_id=ids.hold_id(table, number, 1, 1), **base, seat=1, bundle=1, amount=1000)
    book.add(ids.account_stream(account), account, held, at_us)
    line = Line(wager="ante", stake=500 + number, outcome="win", returned=500, won=500, rule="653a.12(d)(1)")
    settled = RoundSettled(
        **base, round_id=opened.round_id, game=opened.game, gaming_day=day, currency="USD", void=False,
        seats=(SeatSettlement(seat=1, player=f"p{number}", lines=(line,)),), order=(1,), rules_version="1",
        closed_by=str(number),
    )  # fmt: skip
    book.add(ids.settlement_stream(table, number), table, settled, at_us + 1)
    transfer = Transfer(
        transfer_id=ids.transfer_id(table, number), debit=ids.table_account(table, "USD"), credit=account, amount=500,
        code="ante",
    )  # fmt: skip
    posted = SeatPosted(
        account=account, **base, seat=1, transfers=(transfer,), resolved_holds=(held.hold_id,),
        balance_after=10**6 + number,
    )  # fmt: skip
    book.add(ids.account_stream(account), account, posted, at_us + 2)


def three_days() -> Book:
    """Two tables on three gaming days with three rounds each a day, and accounts that are older than all of them."""
    book = Book()
    before = us(datetime(2026, 3, 27, 15, tzinfo=UTC))
    for number in range(1, 10):
        account = ids.player_account(f"p{number}", "USD")
        opened = AccountOpened(account=account, kind="player", currency="USD")
        book.add(ids.account_stream(account), account, opened, before)
        transfer = Transfer(
            transfer_id=ids.transfer_id("deposit", number), debit="operator/local/00/USD", credit=account,
            amount=10**6, code="deposit",
        )  # fmt: skip
        moved = FundsMoved(account=account, transfer=transfer, balance_after=10**6)
        book.add(ids.account_stream(account), account, moved, before + number)
    number = 0
    for day in DAYS:
        evening = us(datetime.fromisoformat(f"{day}T22:00:00+00:00"))
        for table in ("uth-01", "uth-02"):
            opened_table = TableOpened(
                table=table, game="ultimate_texas_holdem", gaming_day=day, currency="USD", paytables=(),
                policies={"b": "2", "a": "1"},
            )  # fmt: skip
            book.add(ids.table_stream(table), table, opened_table, evening)
        for _ in range(3):
            number += 1
            for table in ("uth-01", "uth-02"):
                play_round(book, table, number, day, evening + number * 60_000_000)
        for table in ("uth-01", "uth-02"):
            closed = TableClosed(table=table, reason="end of the day")
            book.add(ids.table_stream(table), table, closed, evening + 3_600_000_000)
    return book


async def checkpoint(directory: Path, events: Sequence[Stored], key: Ed25519PrivateKey, at_us: int) -> None:
    """A checkpoint of each topic over these events."""
    for topic in TOPICS:
        now = {one.key: one.sequence for one in sorted(events, key=lambda one: one.sequence) if one.topic == topic}

        async def heads(seen: Mapping[str, int], topic: str = topic) -> AsyncIterator[Head]:
            last = {
                one.stream: one
                for one in sorted(events, key=lambda one: one.version)
                if one.topic == topic and one.sequence > seen.get(one.key, 0)
            }
            for one in sorted(last.values(), key=lambda one: (one.key, one.stream)):
                yield Head(one.key, one.sequence, one.stream, one.version, one.hash.hex())

        await write_checkpoint(directory, topic, key, now, heads, at_us)


@dataclass(frozen=True)
class Archived:
    """An archive of three days with a checkpoint after each, the book it is of, and the keys."""

    folder: Path
    book: Book
    key: Ed25519PrivateKey

    def copied(self, to: Path) -> Path:
        shutil.copytree(self.folder, to)
        return to


@pytest.fixture(scope="session")
def signing_key() -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(bytes(range(32)))


@pytest.fixture
def book() -> Book:
    return three_days()


@pytest.fixture(name="source_of")
def _book_source() -> type[BookSource]:
    return BookSource


@pytest.fixture(name="checkpoint")
def _checkpoint() -> Callable[..., Awaitable[None]]:
    return checkpoint


async def archived_in(folder: Path, book: Book, key: Ed25519PrivateKey) -> Archived:
    """Each day's archive and checkpoint, as they would be made day by day."""
    for day in DAYS:
        part = await archive_day(BookSource(book.events), day, folder, key)
        assert part is not None
        assert part.manifest.day == day
        until = us(datetime.fromisoformat(f"{day}T23:30:00+00:00"))
        await checkpoint(folder, [one for one in book.events if one.recorded_at_us < until], key, until)
    return Archived(folder, book, key)


@pytest.fixture(scope="session")
def archived(tmp_path_factory: pytest.TempPathFactory, signing_key: Ed25519PrivateKey) -> Archived:
    return asyncio.run(archived_in(tmp_path_factory.mktemp("archived") / "archive", three_days(), signing_key))
