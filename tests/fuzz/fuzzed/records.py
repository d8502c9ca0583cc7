"""Kafka records made of real events: how a service's reader judges each, and what a handler's pure parts make of it."""

import base64
import json
import random
from collections.abc import Callable, Mapping
from typing import Any, Final
from uuid import UUID

from google.protobuf.message import DecodeError

from fuzzed.evening import Evening, Real, copied
from fuzzed.mutation import NUMBERS, TEXTS, bytes_changed, message_changed, wire_changed
from fuzzed.target import Broken
from pitstream.accounting.properties import read_properties
from pitstream.events import Envelope, Event, Recorded, envelope_hash
from pitstream.events.codec import decode_payload, encode_payload, message_class
from pitstream.events.disputes import RoundCorrected
from pitstream.events.envelope import event_id_text
from pitstream.events.ids import settlement_stream
from pitstream.events.prizes import ContradictoryPrizeError, pending_prizes, prizes_of
from pitstream.events.settlements import RoundResettled, RoundSettled
from pitstream.events.wallet import FundsDeclined, FundsHeld
from pitstream.games.commands import AnswerHold
from pitstream.games.referee import decide as decide_round
from pitstream.games.round import Finished, ImpossibleEventError, NoRound, Round, Voided, evolve
from pitstream.runtime import telemetry
from pitstream.runtime.inbox import REASONS, Position, Raw, Reading, Seen, look
from pitstream.runtime.relay import _dead_letter
from pitstream.runtime.settings import TOPIC_SOURCES, group_of
from pitstream.services.ops import on_floor, things
from pitstream.services.ops.ledger import moved
from pitstream.services.ops.of_rounds import played, settled
from pitstream.services.progressive.decisions import decide as decide_network
from pitstream.services.progressive.intake import ContradictoryOrderError, command_of, correction_of
from pitstream.services.settlement.settling import InForce, UnsettleableError, resettle, settle_stream
from pitstream.services.wallet.ledger import FACTS, post
from pitstream.services.wallet.posting import UnpostableError


class Records:
    """Bytes on a topic."""

    name = "records"
    outcomes = frozenset({"applied", "known", "waits", *(reason for reason in REASONS if reason != "handler_failed")})

    def __init__(self) -> None:
        self._evening = Evening()
        self._properties = read_properties(None)

    def close(self) -> None:
        """It holds nothing."""

    def draw(self, chance: random.Random) -> bytes:
        topic = chance.choice(list(TOPIC_SOURCES))
        place = chance.randrange(len(self._evening.real[topic]))
        real, other = self._evening.real[topic][place], chance.choice(self._evening.real[chance.choice(_TOPICS)])
        key, value, headers = made_wrong(real, other, chance)
        return json.dumps(
            {
                "topic": topic, "beside": place, "stands": chance.randrange(3),
                "key": _text(key), "value": _text(value),
                "headers": [[_text(name), _text(content)] for name, content in headers],
            }
        ).encode()  # fmt: skip

    def feed(self, data: bytes) -> str:
        told = json.loads(data)
        topic = told["topic"]
        headers = tuple((_bytes(name) or b"", _bytes(content)) for name, content in told["headers"])
        made = Raw(topic, 0, 10**6, 1_750_000_000_000, _bytes(told["key"]), _bytes(told["value"]), headers)
        real = self._evening.real[topic][told["beside"]]
        batch = [real.raw] if real.follows is None else [real.raw, real.follows.raw]
        batch.insert(told["stands"], made)
        records = [look(raw, TOPIC_SOURCES[topic]) for raw in batch]
        start = Position(real.envelope.key_sequence - 1)
        before = {_uuid(one): hashed for one, hashed in real.previous.items()}
        reading = Reading({real.envelope.key: start}, dict(before))
        applied = list(reading.fresh(records))
        ended = _judged(made, real, records, reading, applied)
        for one in records:
            if isinstance(one, Seen) and one.raw is made:
                _traced(one)
                if one.recorded is not None:
                    self._heard(one.recorded)
        return ended

    def _heard(self, recorded: Recorded) -> None:
        """What each service's pure part makes of the event, which nobody but its own service can have written."""
        event, envelope = recorded.event, recorded.envelope
        _reads_back(recorded)
        state = self._evening.states.get((envelope.stream, envelope.version))
        for part in _PARTS[event.topic]:
            try:
                part(self, recorded, state)
            except _SAID:
                continue

    def _in_settlement(self, recorded: Recorded, state: Round | None) -> None:
        if state is None:
            return
        after = evolve(state, recorded.event)
        if isinstance(after, Finished | Voided):
            stream = self._evening.streams[recorded.stream][: recorded.version - 1]
            settle_stream([*(stored.opened() for stored in stream), recorded])

    def _on_the_floor(self, recorded: Recorded, state: Round | None) -> None:
        after = None if state is None else evolve(state, recorded.event)
        told = on_floor.Told(recorded.event, after, recorded.envelope.recorded_at_us)
        on_floor.after(on_floor.TableRow(recorded.envelope.key), [told])
        played([(recorded, after)])

    def _in_the_ledger(self, recorded: Recorded, _: Round | None) -> None:
        if type(recorded.event) in FACTS:
            books = self._evening.floor.books_before.get(recorded.envelope.event_id, self._evening.floor.books)
            post(copied(books), recorded.event)  # type: ignore[arg-type]  # one of FACTS

    def _at_the_meters(self, recorded: Recorded, _: Round | None) -> None:
        command = command_of(recorded.event)
        if command is not None:
            networks = self._evening.floor
            state = networks.network_before.get(recorded.envelope.event_id) or networks.networks.get(command.network)
            if state is not None:
                decide_network(state, command)

    def _of_settlements(self, recorded: Recorded, _: Round | None) -> None:
        settled(recorded, self._properties, "acme")
        if isinstance(recorded.event, RoundSettled):
            pending_prizes(recorded.event)
        if isinstance(recorded.event, RoundResettled):
            prizes_of(recorded.event)

    def _resettled(self, recorded: Recorded, _: Round | None) -> None:
        event = recorded.event
        if isinstance(event, RoundCorrected):
            stream = self._evening.streams.get(settlement_stream(event.table, event.round_no), ())
            before = [stored.opened() for stored in stream if stored.type.endswith("RoundSettled")]
            resettle(event, recorded.envelope.event_id, InForce.of(before))

    def _at_the_meters_again(self, recorded: Recorded, _: Round | None) -> None:
        event = recorded.event
        if isinstance(event, RoundResettled) and event.network in self._evening.floor.networks:
            state: Any = self._evening.floor.networks[event.network]
            command = correction_of(event, state.rates, ())
            if command is not None:
                decide_network(state, command)

    def _of_things(self, recorded: Recorded, _: Round | None) -> None:
        for thing in things.after({}, recorded):
            json.dumps(thing.state)

    def _of_money(self, recorded: Recorded, _: Round | None) -> None:
        moved([recorded])
        event = recorded.event
        if isinstance(event, FundsHeld | FundsDeclined):
            of_round = self._evening.states.get((f"round/{event.table}/{event.round_no}", 2), NoRound())
            decide_round(of_round, AnswerHold(seat=event.seat, bundle=event.bundle, held=True))


def made_wrong(
    real: Real, other: Real, chance: random.Random
) -> tuple[bytes | None, bytes | None, list[tuple[bytes, bytes | None]]]:
    """Key, value and headers of a record made of a real one, and of parts of another."""
    value, key, headers = real.raw.value or b"", real.raw.key, list(real.raw.headers)
    made: bytes | None
    how = chance.randrange(10)
    if how < 2:
        made = bytes_changed(value, chance, other.raw.value or b"")
    elif how < 4:
        made = wire_changed(value, chance, other.raw.value or b"")
    elif how < 9:
        made = _changed(real, other, chance)
        if chance.random() < 0.7:
            key = _key_of(made)
    else:
        made = chance.choice((None, b"", value, other.raw.value, chance.randbytes(20), b"\x00" * 100_000))
    if chance.random() < 0.1:
        key = chance.choice((None, b"", key, b"\xff\xfe", b"k" * 600, other.raw.key, (key or b"") + b"\x00"))
    if chance.random() < 0.2:
        name = chance.choice((b"", b"traceparent", b"\xff\xfename", b"pitstream-dead-letter-topic"))
        headers += [(name, chance.choice((None, b"", b"\x00", chance.randbytes(9))))] * chance.choice((1, 2, 50))
    return key, made, headers


def _changed(real: Real, other: Real, chance: random.Random) -> bytes:
    """The record with fields of its envelope, or of its event, that say something else."""
    envelope = Envelope()
    envelope.CopyFrom(real.envelope)
    match chance.randrange(6):
        case 0:
            message_changed(envelope, chance)
        case 1:
            envelope.payload = wire_changed(envelope.payload, chance, other.envelope.payload)
        case 2:
            envelope.payload = bytes_changed(envelope.payload, chance, other.envelope.payload)
        case 3:
            names = ["type", "payload"] if chance.random() < 0.3 else [chance.choice(envelope.DESCRIPTOR.fields).name]
            for name in names:
                setattr(envelope, name, getattr(other.envelope, name))
        case 4:
            _claim_another_place(envelope, real, chance)
        case _:
            message = message_class(envelope.type).FromString(envelope.payload)
            if message.DESCRIPTOR.fields:
                for _ in range(chance.choice((1, 1, 2, 5))):
                    message_changed(message, chance)
            envelope.payload = message.SerializeToString(deterministic=True)
    if chance.random() < 0.5:
        envelope.event_id = event_id_text(envelope.stream, envelope.version)
    return envelope.SerializeToString(deterministic=True)


def _claim_another_place(envelope: Envelope, real: Real, chance: random.Random) -> None:
    """Next in its key, in its stream, or in both; joined to the chain, or not; of a type of tomorrow, or not."""
    if chance.random() < 0.5:
        envelope.key_sequence += chance.choice((1, 2, 3, -1)) if envelope.key_sequence > 1 else 1
    if chance.random() < 0.5:
        envelope.version += 1
    if chance.random() < 0.5:
        envelope.previous_hash = real.hash
    if chance.random() < 0.3:
        envelope.stream, envelope.version, envelope.previous_hash = f"round/{chance.choice(TEXTS)}/7", 1, b""
    if chance.random() < 0.3:
        envelope.type = f"{envelope.type}Newer"
    if chance.random() < 0.2:
        envelope.recorded_at_us = min(2**63 - 1, max(-(2**63), chance.choice(NUMBERS)))
    if chance.random() < 0.2:
        envelope.key = chance.choice(TEXTS)
    if chance.random() < 0.2:
        envelope.traceparent = f"{chance.choice(TEXTS)}-{'a' * 32}-{'b' * 16}-{chance.choice(TEXTS)}"


_SAID: Final = (
    ImpossibleEventError, UnsettleableError, UnpostableError, ContradictoryOrderError, ContradictoryPrizeError,
)  # fmt: skip
"""What a handler says of an event that contradicts what it knows: a dead letter ``handler_failed``, with a reason."""
_TOPICS: Final = tuple(TOPIC_SOURCES)
Part = Callable[[Records, Recorded, Round | None], None]
_PARTS: Final[Mapping[str, tuple[Part, ...]]] = {
    "rounds.v1": (
        Records._in_settlement, Records._on_the_floor, Records._in_the_ledger, Records._at_the_meters,
        Records._of_things, Records._resettled,
    ),
    "settlements.v1": (
        Records._in_the_ledger, Records._at_the_meters, Records._of_settlements, Records._of_things,
        Records._at_the_meters_again,
    ),
    "progressives.v1": (Records._in_the_ledger, Records._of_things),
    "wallet.v1": (Records._of_money, Records._of_things),
}  # fmt: skip


def _judged(made: Raw, real: Real, records: list[Any], reading: Reading, applied: list[Seen]) -> str:
    """How the record ended; and whether those beside it were taken in, each once and in order."""
    ids = [one.event_id for one in applied]
    if len(set(ids)) != len(ids):
        raise Broken(f"applied twice: {ids}")
    for key in {one.envelope.key for one in applied}:
        places = [one.envelope.key_sequence for one in applied if one.envelope.key == key]
        if places != list(range(places[0], places[0] + len(places))):
            raise Broken(f"applied out of order: {key}: {places}")
    # Who writes to the topic as its service does, next in its key and joined to its chain, is believed: so a record
    # that says it is an event has that event's place, in the key or in the stream.
    mine = {(one.envelope.key, one.envelope.key_sequence) for one in applied if one.raw is made}
    taken = {one.envelope.event_id for one in applied if one.raw is made}
    blocked = {dead.raw for dead in reading.dead if dead.blocks == real.envelope.key}
    for one in (real, real.follows):
        if one is None or (one.envelope.key, one.envelope.key_sequence) in mine or one.envelope.event_id in taken:
            break
        if not any(each.data == one.raw.value for each in applied) and made not in blocked:
            raise Broken(f"not taken in: {one.envelope.stream} {one.envelope.version}")
    fates = [
        *("applied" for one in applied if one.raw is made),
        *(dead.reason for dead in reading.dead if dead.raw is made),
        *("waits" for one in reading.parked if one.raw is made),
    ]
    if not fates and made.value is not None:
        known = {*real.previous.values(), *(envelope_hash(one.data) for one in (*applied, *reading.parked))}
        fates = ["known"] * (envelope_hash(made.value) in known)
    if len(fates) != 1:
        raise Broken(f"ended as {fates}")
    for dead in reading.dead:
        if dead.reason not in REASONS or (dead.blocks is not None) != (dead.reason == "newer_version"):
            raise Broken(f"set aside as {dead}")
        _buried(dead.raw, dead.reason, dead.error)
    return fates[0]


def _buried(raw: Raw, reason: str, error: str) -> None:
    """The dead letter can be stored and published."""
    error.replace("\x00", "\\0")[:2000].encode()
    row = {
        "dead_topic": raw.topic, "partition": raw.partition, "kafka_offset": raw.offset, "record_key": raw.key,
        "record_value": raw.value, "header_names": [name for name, _ in raw.headers],
        "header_values": [value for _, value in raw.headers], "reason": reason, "error": error, "dead_letter_id": 1,
    }  # fmt: skip
    _dead_letter(row)  # type: ignore[arg-type]  # it is read by its names


def _traced(seen: Seen) -> None:
    """Its trace is joined, or not; its place fits the table of checkpoints."""
    for one in telemetry.link(seen.envelope.traceparent):
        if not 0 <= one.context.trace_flags <= 255:
            raise Broken(f"traceparent: flags {one.context.trace_flags}")
    telemetry.event_attributes(
        seen.raw.topic, group_of("wallet", seen.raw.topic), seen.raw.partition, seen.raw.offset, seen.envelope
    )


def _reads_back(recorded: Recorded) -> None:
    """What was read is what would be written: nothing was lost on the way but what the contract does not know."""
    read = decode_payload(recorded.envelope.type, recorded.envelope.payload)
    again: Event = decode_payload(read.type_name, encode_payload(read))
    if again != read:
        raise Broken(f"reads back as {again!r}; was {read!r}")
    if recorded.hash != envelope_hash(recorded.data):
        raise Broken("hash")


def _key_of(value: bytes) -> bytes | None:
    try:
        return Envelope.FromString(value).key.encode()
    except DecodeError:
        return None


def _uuid(text: str) -> UUID:
    return UUID(text)


def _text(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode()


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)
