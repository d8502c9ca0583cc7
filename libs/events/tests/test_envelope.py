"""What an envelope promises. Method: examples, and every single-byte change of a small chain."""

import pytest
from google.protobuf.message import DecodeError

from pitstream.envelope.v1.envelope_pb2 import Envelope
from pitstream.events import (
    Event,
    UndecodableError,
    UnknownTypeError,
    chain_breaks,
    envelope_hash,
    event_id,
    open_envelope,
    seal,
)
from pitstream.events.rounds import DecisionMade, RoundFinished, WagersStood
from pitstream.rounds.v1.rounds_pb2 import DecisionMade as DecisionMadeMessage
from pitstream.wallet.v1.accounting_pb2 import TableDayClosed as TableDayClosedMessage

STREAM = "round/uth-01/7"


def sealed(event: Event, version: int, previous: bytes = b"") -> bytes:
    return seal(
        event, stream=STREAM, version=version, source="table", key="uth-01", key_sequence=version,
        recorded_at_us=1_700_000_000_000_000, cause_id="c1", actor="terminal-1", traceparent="", previous_hash=previous,
    )  # fmt: skip


def chain() -> list[bytes]:
    first = sealed(WagersStood(seat=1, bundle=1), 1)
    second = sealed(DecisionMade(seat=1, choice="4x"), 2, envelope_hash(first))
    return [first, second, sealed(RoundFinished(table="uth-01", round_no=7), 3, envelope_hash(second))]


def test_an_opened_envelope_gives_back_event_and_bytes() -> None:
    data = sealed(DecisionMade(seat=1, choice="4x"), 2)
    recorded = open_envelope(data)
    assert (recorded.event, recorded.stream, recorded.version, recorded.data) == (
        DecisionMade(seat=1, choice="4x"), STREAM, 2, data,
    )  # fmt: skip
    assert recorded.event_id == event_id(STREAM, 2)
    assert recorded.hash == envelope_hash(data)


def test_sealing_twice_gives_the_same_bytes() -> None:
    assert chain() == chain()


def test_a_whole_chain_has_no_break() -> None:
    assert chain_breaks(chain()) is None


def test_a_missing_event_is_named() -> None:
    first, _, third = chain()
    assert chain_breaks([first, third]) == f"{STREAM} version 3 ({event_id(STREAM, 3)}): expected version 2"


def test_every_changed_byte_before_the_last_event_is_noticed() -> None:
    original = chain()
    for event in (0, 1):
        for position in range(len(original[event])):
            touched = [bytearray(data) for data in original]
            touched[event][position] ^= 1
            try:
                broken = chain_breaks([bytes(data) for data in touched])
            except DecodeError:  # bytes that do not even parse are noticed too
                continue
            assert broken is not None, f"event {event}, byte {position}"


def test_a_stock_reader_needs_only_the_proto_files() -> None:
    envelope = Envelope.FromString(sealed(DecisionMade(seat=3, choice="check"), 5))
    message = DecisionMadeMessage.FromString(envelope.payload)
    assert (envelope.type, message.seat, message.choice) == ("pitstream.rounds.v1.DecisionMade", 3, "check")


@pytest.mark.parametrize(
    ("data", "error", "says"),
    [
        pytest.param(b"\xff\xff\xff", UndecodableError, "3 bytes are not an envelope", id="garbage"),
        pytest.param(b"", UndecodableError, "event_id: was ''", id="empty value"),
        pytest.param(Envelope(event_id="x", stream="s", version=1).SerializeToString(), UndecodableError,
                     "event_id: was 'x'; version 1 of stream 's' is", id="an id of another event"),
        pytest.param(Envelope(event_id=str(event_id("s", 1)), stream="s", version=1, type="pitstream.rounds.v9.Moon")
                     .SerializeToString(), UnknownTypeError, "'pitstream.rounds.v9.Moon'", id="a type of the future"),
        pytest.param(Envelope(event_id=str(event_id("s", 1)), stream="s", version=1,
                              type="pitstream.rounds.v1.DecisionMade", payload=b"\x08\x09").SerializeToString(),
                     UndecodableError, "seat: was 9", id="a seat that no table has"),
        pytest.param(Envelope(event_id=str(event_id("s", 1)), stream="s", version=1,
                              type="pitstream.wallet.v1.TableDayClosed",
                              payload=TableDayClosedMessage(account="table/t/USD", table="t", gaming_day="2026-02-29")
                              .SerializeToString())
                     .SerializeToString(),
                     UndecodableError, "gaming_day: was '2026-02-29'; Value error, allowed: a day of the calendar",
                     id="a day that no year had"),
    ],
)  # fmt: skip
def test_what_is_no_event_is_refused_with_its_reason(data: bytes, error: type[Exception], says: str) -> None:
    with pytest.raises(error) as refused:
        open_envelope(data)
    assert says in str(refused.value)
