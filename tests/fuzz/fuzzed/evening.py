"""Real records to make wrong ones of: an evening of all games, and every version of every event ever shipped."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from playing import Floor, evening

from pitstream.archive import Stored
from pitstream.events import Envelope, envelope_hash, ids
from pitstream.events.disputes import Fact, PlayerFact
from pitstream.events.envelope import event_id_text
from pitstream.games.round import NoRound, Round, evolve
from pitstream.runtime.inbox import Raw
from pitstream.runtime.settings import TOPIC_SOURCES
from pitstream.services.progressive.network import NotOpened, State
from pitstream.services.wallet.books import Books

GOLDEN = Path(__file__).parents[3] / "libs/events/tests/golden"
GAMES = {"evening-small": 30, "evening-uth": 25}
"""Rounds of each of the demonstration's evenings."""
CORRECTED = 20
OTHER = "p-other"


@dataclass
class Remembering(Floor):
    """A floor that remembers what a service knew just before it heard an event, by the event's id."""

    books_before: dict[str, Books] = field(default_factory=dict)
    network_before: dict[str, State] = field(default_factory=dict)

    def _hears(self, stored: Stored) -> list[object]:
        self.books_before[stored.event_id] = copied(self.books)
        return super()._hears(stored)

    def _feeds(self, stored: Stored) -> None:
        network = getattr(stored.opened().event, "network", None)
        if network is not None:
            self.network_before[stored.event_id] = self.networks.get(network, NotOpened())
        super()._feeds(stored)


def copied(books: Books) -> Books:
    """The books, to be worked on."""
    return Books(
        accounts=dict(books.accounts),
        open_holds={key: dict(held) for key, held in books.open_holds.items()},
        answered=dict(books.answered),
        closed=set(books.closed),
        reserved=dict(books.reserved),
        posted=dict(books.posted),
        reversals=dict(books.reversals),
        receivables=dict(books.receivables),
    )


@dataclass(frozen=True, slots=True)
class Real:
    """An event as its topic has it, and the one behind it in its key."""

    raw: Raw
    envelope: Envelope
    hash: bytes
    follows: "Real | None"
    previous: Mapping[str, bytes]
    """Ids and hashes of the events before this one and the next, each in its stream."""


@dataclass
class Evening:
    """All of them, by topic."""

    floor: Remembering = field(default_factory=Remembering)

    def __post_init__(self) -> None:
        for name, rounds in GAMES.items():
            evening(name, rounds, floor=self.floor)
        finished = [one.stream for one in self.floor.of("rounds.v1") if one.type.endswith("RoundFinished")]
        for stream in finished[:CORRECTED]:
            self._corrected(stream)

    def _corrected(self, stream: str) -> None:
        """The player of the round's first seat was another one."""
        _, table, number = stream.split("/")
        wrong = self.floor.played[table, int(number)]
        seat = wrong.seats[0]
        self.floor.pay_in(OTHER, wrong.currency, 10**9)
        becomes = replace(wrong, seats=(replace(seat, player=OTHER), *wrong.seats[1:]))
        facts = (Fact(player=PlayerFact(seat=seat.seat, was=seat.player, becomes=OTHER)),)
        self.floor.correct(table, int(number), wrong, becomes, facts)

    @cached_property
    def real(self) -> Mapping[str, Sequence[Real]]:
        return {topic: [*_linked(self.floor.of(topic)), *_golden(topic)] for topic in TOPIC_SOURCES}

    @cached_property
    def states(self) -> Mapping[tuple[str, int], Round]:
        """Each round before the event of that stream and version."""
        found: dict[tuple[str, int], Round] = {}
        for stored in self.floor.of("rounds.v1"):
            if stored.stream.startswith("round/"):
                before = found.setdefault((stored.stream, stored.version), NoRound())
                found[stored.stream, stored.version + 1] = evolve(before, stored.opened().event)
        return found

    @cached_property
    def streams(self) -> Mapping[str, Sequence[Stored]]:
        """The events of each stream, in order."""
        found: dict[str, list[Stored]] = {}
        for topic in TOPIC_SOURCES:
            for stored in self.floor.of(topic):
                found.setdefault(stored.stream, []).append(stored)
        return found


def _linked(events: Sequence[Stored]) -> list[Real]:
    hashes = {stored.event_id: stored.hash for stored in events}
    linked: list[Real] = []
    behind: Real | None = None
    for stored in reversed(events):
        follows = behind if behind is not None and behind.envelope.key == stored.key else None
        behind = _real(stored.topic, stored.data, follows, hashes)
        linked.append(behind)
    return linked[::-1]


def _golden(topic: str) -> list[Real]:
    found = []
    for file in sorted((GOLDEN / topic).glob("*.json")):
        golden = json.loads(file.read_text())
        for number, sample in enumerate(golden["samples"]):
            key = f"{file.stem}-{number}"
            envelope = Envelope(
                event_id=event_id_text(ids.table_stream(key), 1), stream=ids.table_stream(key), version=1,
                type=golden["type"], source=TOPIC_SOURCES[topic], key=key, key_sequence=1, recorded_at_us=1,
                payload=bytes.fromhex(sample["payload"]),
            )  # fmt: skip
            found.append(_real(topic, envelope.SerializeToString(deterministic=True), None, {}))
    return found


def _real(topic: str, data: bytes, follows: Real | None, hashes: Mapping[str, bytes]) -> Real:
    envelope = Envelope.FromString(data)
    previous = {}
    for one in (envelope, *(() if follows is None else (follows.envelope,))):
        before = event_id_text(one.stream, one.version - 1)
        if one.version > 1 and before != envelope.event_id:
            previous[before] = hashes[before]
    raw = Raw(topic, 0, envelope.key_sequence, 1_750_000_000_000, envelope.key.encode(), data, ())
    return Real(raw, envelope, envelope_hash(data), follows, previous)
