"""Whatever is done to an event of an evening is found, and the event named. Method: an evening of real rounds in
memory, decided by the services' own functions; a seeded hand does one thing to it; the audit must name it."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from playing import Floor, MemorySource, by_topic, evening

from pitstream.archive import TOPICS, WHOLE, Shard, Stored, stored_from
from pitstream.archive.testing import KINDS, tampered
from pitstream.audit import Asked, Report, judge
from pitstream.audit.part import Part
from pitstream.audit.walk import walk
from pitstream.events import Envelope, Event, encode_payload, envelope_hash
from pitstream.events.disputes import Fact, PlayerFact
from pitstream.events.progressives import WagersContributed
from pitstream.events.rounds import BettingClosed, DecisionMade, HandsDealt, RoundOpened, WagersPlaced
from pitstream.events.settlements import RoundResettled, RoundSettled
from pitstream.events.wallet import FundsHeld, FundsMoved, SeatPosted
from pitstream.games.round import evolve_stored
from pitstream.runtime.checkpoints import Head, write_checkpoint

SEEDS = 8
"""Of each kind, in the normal run."""
MANY = 60


@pytest.fixture(scope="module")
def floor() -> Floor:
    return evening(rounds=9, tables=3)


@pytest.fixture(scope="module")
def signed(floor: Floor, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return signed_by(floor, tmp_path_factory.mktemp("signed"))


def signed_by(floor: Floor, folder: Path) -> tuple[Path, Path]:
    """Checkpoints of the evening as it was, and the file of the public key."""
    key = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
    public = folder / "audit.pub"
    public.write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))

    async def sign() -> None:
        for topic in TOPICS:
            events = floor.of(topic)
            last = {one.stream: one for one in events}

            async def heads(_: Mapping[str, int], last: dict[str, Stored] = last) -> AsyncIterator[Head]:
                for one in sorted(last.values(), key=lambda one: (one.key, one.stream)):
                    yield Head(one.key, one.sequence, one.stream, one.version, one.hash.hex())

            await write_checkpoint(folder, topic, key, {one.key: one.sequence for one in events}, heads, floor.now_us)

    asyncio.run(sign())
    return folder, public


def balances_of(floor: Floor) -> dict[str, tuple[int, int, int]]:
    return {
        one.account: (one.debits_posted, one.credits_posted, one.debits_pending)
        for one in floor.books.accounts.values()
    }


def audited(
    events: Iterable[Stored], folder: Path, checkpoints: tuple[Path, Path] | None = None, shares: int = 1
) -> Report:
    """The audit of these events, as they stand, by so many shares."""
    source, parts = MemorySource(events), []
    for number in range(shares):
        part = Part(folder / f"part-{number}.sqlite")
        asyncio.run(walk(source, Shard(number, shares) if shares > 1 else WHOLE, part, Asked(checkpoints=checkpoints)))
        part.close()
        parts.append(part.path)
    report = judge(parts, "memory", complete=True)
    for path in parts:
        path.unlink()
    return report


def names(report: Report, event_ids: Iterable[str]) -> bool:
    return any(event_id in str(finding) for event_id in event_ids for finding in report.findings)


@pytest.mark.parametrize("shares", [1, 3])
def test_nothing_is_found_where_nothing_was_done(floor, signed, tmp_path, shares):
    report = audited(by_topic(floor), tmp_path, signed, shares)
    assert report.findings == ()
    assert (report.rounds, sum(report.events.values())) == (9, len(floor.events))


def test_nothing_is_found_where_keys_come_by_turns_as_topics_have_them(floor, signed, tmp_path):
    keys = [one.key for one in floor.events if one.topic == "rounds.v1"]
    turns = sum(one != other for one, other in pairwise(keys))
    assert turns > len(set(keys))
    assert audited(floor.events, tmp_path, signed).findings == ()


def test_a_reader_of_bytes_that_makes_another_round_is_found(floor, tmp_path, monkeypatch):
    monkeypatch.setattr("pitstream.audit.rounds.evolve_stored", lambda stream: evolve_stored(list(stream)[:-1]))
    findings = audited(by_topic(floor), tmp_path).findings
    assert {finding.message for finding in findings} == {"its bytes make another round than its events"}


def test_nothing_is_found_in_a_longer_evening_with_hits(tmp_path):
    floor = evening(rounds=40)
    part = Part(tmp_path / "part.sqlite")
    asyncio.run(walk(MemorySource(by_topic(floor)), WHOLE, part, Asked()))
    part.close()
    report = judge([part.path], "memory", complete=True, balances=balances_of(floor))
    assert report.findings == ()
    assert report.rounds == 40


def with_a_void(**how: bool) -> Floor:
    """An evening whose last round is void, with a wager on its network's meter."""
    return evening("evening-uth", rounds=15, floor=Floor(**how))


@pytest.mark.parametrize("settlements_first", [False, True])
def test_nothing_is_found_whichever_a_network_hears_first(tmp_path, settlements_first):
    """What was wagered and how the round ended come by two topics: whoever hears of the void first feeds nothing."""
    floor = with_a_void(settlements_first=settlements_first)
    returned = [one for one in floor.of("progressives.v1") if one.type.endswith("ContributionsReturned")]
    assert len(returned) == (0 if settlements_first else 1)
    report = audited(by_topic(floor), tmp_path)
    assert (report.findings, report.rounds) == ((), 15)


def test_what_a_void_round_brought_and_a_network_kept_is_found(tmp_path):
    floor = with_a_void(voids_unheard=True)
    [finding] = audited(by_topic(floor), tmp_path).findings
    assert (finding.check, finding.recorded) == ("stakes kept", '{"kept": true}')


def test_wagers_of_a_round_that_counts_and_fed_nothing_are_found(tmp_path):
    floor = evening(rounds=6, tables=3)
    events = by_topic(floor)
    one = next(one for one in events if one.type.endswith("WagersContributed"))
    fed = one.opened().event
    report = audited([other for other in events if other != one], tmp_path)
    missing = [finding.message for finding in report.findings if finding.check == "stakes"]
    assert [message.split(" follows")[0] for message in missing] == [f"stakes {fed.network}/{fed.table}/{fed.round_no}"]


def test_nothing_is_found_after_a_correction_and_one_of_it_that_is_rewritten_is_found(tmp_path):
    """The player of a seat was another one: everything of that seat goes back, and comes to the other."""
    floor = evening(rounds=6, tables=3)
    [one] = [one for one in floor.of("rounds.v1") if one.type.endswith("RoundFinished")][:1]
    table, number = one.stream.split("/")[1:]
    wrong = floor.played[table, int(number)]
    seat = wrong.seats[0]
    floor.pay_in("p-other", wrong.currency, 10**9)
    becomes = replace(wrong, seats=(replace(seat, player="p-other"), *wrong.seats[1:]))
    facts = (Fact(player=PlayerFact(seat=seat.seat, was=seat.player, becomes="p-other")),)
    floor.correct(table, int(number), wrong, becomes, facts)
    events = by_topic(floor)
    assert audited(events, tmp_path).findings == ()

    def paid_more(event: RoundResettled) -> RoundResettled:
        first = event.seats[0]
        line = first.lines[0].model_copy(update={"won": first.lines[0].won + 1})
        changed = first.model_copy(update={"lines": (line, *first.lines[1:])})
        return event.model_copy(update={"seats": (changed, *event.seats[1:])})

    [at] = [at for at, one in enumerate(events) if one.type.endswith("RoundResettled")]
    report = audited(rewritten(events, at, paid_more), tmp_path)
    assert [(one.check, one.stream, one.version) for one in report.findings] == [("correction", events[at].stream, 2)]


def tamper(floor: Floor, signed: tuple[Path, Path], folder: Path, kind: str, seed: int) -> tuple[bool, str, Report]:
    rng = random.Random(f"{kind}/{seed}")
    topic = rng.choice(TOPICS)
    before = floor.of(topic)
    done = tampered(before, rng, kind)
    events = [one for other in TOPICS for one in (done.done(before) if other == topic else floor.of(other))]
    report = audited(events, folder, signed)
    return names(report, done.named), f"{topic}: {done.told}", report


@pytest.mark.parametrize("kind", KINDS)
def test_an_event_that_was_tampered_with_is_named(floor, signed, tmp_path, kind):
    unnamed = []
    # Seed 11 takes away the first event of a key, all that its stream had.
    for seed in (*range(SEEDS), *([11] if kind == "delete" else [])):
        is_named, told, report = tamper(floor, signed, tmp_path, kind, seed)
        if not is_named:
            unnamed.append((seed, told, [str(one) for one in report.findings[:5]]))
    assert unnamed == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_many_events_that_were_tampered_with_are_named(floor, signed, tmp_path, kind):
    found = 0
    for seed in range(SEEDS, SEEDS + MANY):
        is_named, told, report = tamper(floor, signed, tmp_path, kind, seed)
        assert is_named, (kind, seed, told, [str(one) for one in report.findings[:5]])
        found += 1
    print(f"events in memory: {kind}: {found} of {MANY} tamperings named")  # noqa: T201  # the figure of the proof


def rewritten(events: list[Stored], at: int, change: Callable[[Any], Event]) -> list[Stored]:
    """The same with another event at that place, and every hash after it in its stream made anew, as somebody does who
    owns the database and knows how chains are made."""
    after, previous = list(events), b""
    stream = events[at].stream
    for place, stored in enumerate(events):
        if stored.stream != stream or place < at:
            continue
        envelope = Envelope.FromString(stored.data)
        if place == at:
            envelope.payload = encode_payload(change(stored.opened().event))
        else:
            envelope.previous_hash = previous
        data = envelope.SerializeToString(deterministic=True)
        after[place], previous = stored_from(stored.topic, data, stored.where), envelope_hash(data)
    return after


def _more(name: str) -> Callable[[Any], Event]:
    return lambda event: event.model_copy(update={name: getattr(event, name) + 1})


def _first_line_won(event: RoundSettled) -> RoundSettled:
    seat = event.seats[0]
    line = seat.lines[0].model_copy(update={"outcome": "win", "returned": seat.lines[0].stake, "won": 1})
    return event.model_copy(
        update={"seats": (seat.model_copy(update={"lines": (line, *seat.lines[1:])}), *event.seats[1:])}
    )


def _another_card(event: HandsDealt) -> HandsDealt:
    dealt = {card for hand in event.hands for card in hand.cards} | set(event.dealer)
    other = next(rank + suit for rank in "23456789TJQKA" for suit in "cdhs" if rank + suit not in dealt)
    hand = event.hands[0]
    changed = hand.model_copy(update={"cards": (other, *hand.cards[1:])})
    return event.model_copy(update={"hands": (changed, *event.hands[1:])})


def _more_on(name: str) -> Callable[[Any], Event]:
    def change(event: Any) -> Event:
        first, *rest = getattr(event, name)
        field = "total" if hasattr(first, "total") else "stake" if hasattr(first, "stake") else "amount"
        return event.model_copy(update={name: (first.model_copy(update={field: getattr(first, field) + 100}), *rest)})

    return change


def _meter_turned_up(event: WagersContributed) -> WagersContributed:
    first, *rest = event.contributions
    more = first.model_copy(update={"posted": first.posted + 1, "amount_after": first.amount_after + 1})
    return event.model_copy(update={"contributions": (more, *rest)})


REWRITTEN = [
    pytest.param(RoundSettled, _first_line_won, id="a settlement pays a cent"),
    pytest.param(RoundSettled, lambda e: e.model_copy(update={"closed_by": "somebody"}), id="closed by another event"),
    pytest.param(RoundOpened, lambda e: e.model_copy(update={"gaming_day": "2025-01-01"}), id="a round of another day"),
    pytest.param(RoundOpened, lambda e: e.model_copy(update={"rules_version": "0"}), id="a round under other rules"),
    pytest.param(HandsDealt, _another_card, id="another card was dealt"),
    pytest.param(DecisionMade, lambda e: e.model_copy(update={"choice": "fold"}), id="another decision"),
    pytest.param(WagersPlaced, _more_on("stakes"), id="a wager for more"),
    pytest.param(BettingClosed, _more_on("wagers"), id="more was counted when betting closed"),
    pytest.param(WagersContributed, _meter_turned_up, id="a meter was turned up"),
    pytest.param(WagersContributed, _more("stakes"), id="more fed a meter than was wagered"),
    pytest.param(FundsHeld, _more("amount"), id="more was held than was wagered"),
    pytest.param(SeatPosted, _more_on("transfers"), id="more was posted than was won"),
    pytest.param(SeatPosted, _more("balance_after"), id="a balance that nobody moved"),
    pytest.param(FundsMoved, _more("balance_after"), id="a deposit that left more"),
]


@pytest.mark.parametrize(("kind", "change"), REWRITTEN)
def test_a_fact_that_was_rewritten_with_hashes_that_fit_is_found_without_a_checkpoint(floor, tmp_path, kind, change):
    """Every hash, every chain and every number fits: only what follows from other events can say that it is wrong."""
    unnamed = []
    places = {topic: floor.of(topic) for topic in TOPICS}
    topic = kind.topic
    # The last round of a table is bound by no later one: a card that changes nothing there changes nothing anywhere.
    last = {f"round/{table}/{number}" for table, number in floor.rounds.items()}
    of_kind = [at for at, one in enumerate(places[topic]) if one.type == kind.type_name and one.stream not in last]
    for at in random.Random(kind.__name__).sample(of_kind, min(3, len(of_kind))):
        before = places[topic][at].opened().event
        if isinstance(before, SeatPosted) and not before.transfers:
            continue
        if change(before) == before:
            continue
        after = {**places, topic: rewritten(places[topic], at, change)}
        events = [one for other in TOPICS for one in after[other]]
        report = audited(events, tmp_path)
        if not report.findings:
            unnamed.append((places[topic][at].stream, before))
    assert unnamed == []
