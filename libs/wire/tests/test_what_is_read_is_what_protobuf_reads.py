"""Method: Hypothesis makes events as our writers write them, and bytes that no writer of ours makes: fields absent,
empty, twice, unknown, of another kind or length, cut off, one byte changed. What is read of them is laid beside what
the Protobuf runtime reads; where nothing is read, the runtime has the word."""

import subprocess
import sys

import pytest
from google.protobuf.message import DecodeError, Message
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pitstream.envelope.v1.envelope_pb2 import Envelope
from pitstream.rounds.v1 import rounds_pb2 as rounds
from pitstream.wire import read

READ = (rounds.WagersPlaced, rounds.HandsDealt, rounds.CommunityDealt)
OTHERS = (rounds.DecisionMade, rounds.RoundOpened, rounds.RoundFinished)

texts = st.text(max_size=5)
uint32s = st.integers(0, 2**32 - 1)
amounts = st.integers(-(2**63), 2**63 - 1)
stakes = st.builds(rounds.Stake, wager=texts, stake=amounts)
hands = st.builds(rounds.Hand, seat=uint32s, cards=st.lists(texts, max_size=3))
events = st.one_of(
    st.builds(
        rounds.WagersPlaced,
        table=texts, round_no=st.integers(0, 2**64 - 1), seat=uint32s, player=texts, bundle=uint32s, currency=texts,
        stakes=st.lists(stakes, max_size=4),
    ),
    st.builds(rounds.HandsDealt, hands=st.lists(hands, max_size=3), dealer=st.lists(texts, max_size=3)),
    st.builds(rounds.CommunityDealt, cards=st.lists(texts, max_size=3), burned=st.lists(texts, max_size=2)),
    st.builds(rounds.DecisionMade, seat=uint32s, choice=texts),
)  # fmt: skip
envelopes = st.builds(
    Envelope,
    event_id=texts, stream=texts, version=st.integers(0, 2**64 - 1), source=texts, key=texts,
    key_sequence=st.integers(0, 2**64 - 1), recorded_at_us=amounts, cause_id=texts, actor=texts, traceparent=texts,
    previous_hash=st.binary(max_size=3),
)  # fmt: skip


def varint(number: int, longer: int = 0) -> bytes:
    """A number as Protobuf writes it, or with more bytes than it need have."""
    digits = []
    while number > 0x7F:
        digits.append(number & 0x7F)
        number >>= 7
    digits += [number, *([0] * longer)]
    return bytes([*(digit | 0x80 for digit in digits[:-1]), digits[-1]])


numbers = st.builds(varint, st.one_of(st.integers(0, 300), st.integers(0, 2**64 - 1)), st.sampled_from([0, 0, 0, 1, 2]))


def messages(inner: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    """Fields of any number and kind, a message in a message among them."""

    def field(number: int, kind: int) -> st.SearchStrategy[bytes]:
        tag = st.builds(varint, st.just(number << 3 | kind), st.sampled_from([0, 0, 0, 0, 0, 1]))
        value = {
            0: numbers,
            1: st.binary(min_size=8, max_size=8),
            2: inner.map(lambda content: varint(len(content)) + content),
            5: st.binary(min_size=4, max_size=4),
        }.get(kind, st.just(b""))
        return st.builds(bytes.__add__, tag, value)

    kinds = st.sampled_from([0, 0, 0, 2, 2, 2, 2, 2, 1, 3, 4, 5, 6, 7])
    fields = st.tuples(st.integers(0, 17), kinds).flatmap(lambda chosen: field(*chosen))
    return st.lists(fields, max_size=6).map(b"".join)


contents = st.one_of(texts.map(str.encode), st.binary(max_size=5), st.sampled_from([b"Td", b"ante", b"\xed\xa0\x80"]))
any_message = messages(st.one_of(contents, messages(contents)))
any_type = st.sampled_from([*(each.DESCRIPTOR.full_name for each in (*READ, *OTHERS)), "", "none.such"])


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """An envelope of ours, cut off, or with one byte changed, or with something after it."""
    event, envelope = draw(events), draw(envelopes)
    envelope.type = event.DESCRIPTOR.full_name
    envelope.payload = draw(st.sampled_from([bytes.__add__, lambda own, _: own]))(
        event.SerializeToString(), draw(any_message)
    )
    data = bytearray(envelope.SerializeToString())
    place = draw(st.integers(0, len(data) - 1))
    match draw(st.integers(0, 3)):
        case 0:
            return bytes(data[:place])
        case 1:
            data[place] = draw(st.integers(0, 255))
        case 2:
            data += draw(any_message)
    return bytes(data)


@st.composite
def made_up(draw: st.DrawFn) -> bytes:
    """An envelope with any payload, among any other fields."""
    known = Envelope(type=draw(any_type), payload=draw(any_message)).SerializeToString()
    return draw(st.permutations([known, draw(any_message)]).map(b"".join))


@st.composite
def nearly_right(draw: st.DrawFn) -> bytes:
    """One event's fields after another's, maybe with one byte changed: said twice, or of another event."""
    first = draw(events)
    second = draw(st.one_of(st.just(first), events))
    payload = bytearray(first.SerializeToString() + second.SerializeToString())
    if payload and draw(st.booleans()):
        payload[draw(st.integers(0, len(payload) - 1))] = draw(st.integers(0, 255))
    kind = draw(st.sampled_from([first, first, second])).DESCRIPTOR.full_name
    again = draw(st.sampled_from([b"", b"", draw(envelopes).SerializeToString()]))
    return Envelope(type=kind, payload=bytes(payload)).SerializeToString() + again


def plain(event: object) -> object:
    """What an event says, of both kinds alike."""
    match event:
        case tuple() | list() if all(isinstance(each, str) for each in event):
            return list(event)
        case str() | int():
            return event
        case Message():
            names = [field.name for field in event.DESCRIPTOR.fields]
        case _ if hasattr(event, "type_name"):
            names = [name for name in dir(event) if not name.startswith("_") and name != "type_name"]
        case _:
            return [plain(each) for each in event]  # type: ignore[attr-defined]
    return {name: plain(getattr(event, name)) for name in names if name not in ("table", "round_no", "currency")}


def agree(data: bytes) -> bool:
    """Whether the bytes were read; they were as the Protobuf runtime reads them."""
    if (found := read([data])) is None:
        return False
    ((type_name, event),) = found
    envelope = Envelope.FromString(data)
    assert type_name == envelope.type
    if isinstance(event, bytes):
        assert event == envelope.payload
        assert type_name not in {each.DESCRIPTOR.full_name for each in READ}
        return True
    (kind,) = (each for each in READ if each.DESCRIPTOR.full_name == type_name)
    assert event.type_name == type_name
    assert plain(event) == plain(kind.FromString(envelope.payload))
    return True


@settings(max_examples=400, deadline=None)
@given(envelopes, events)
def test_all_that_our_own_writers_write_is_read(envelope: Envelope, event: Message) -> None:
    """But for what no round has: numbers below nothing and beyond 63 bits, which the runtime reads."""
    envelope.type, envelope.payload = event.DESCRIPTOR.full_name, event.SerializeToString(deterministic=True)
    plain_numbers = max(envelope.version, envelope.key_sequence) < 2**63 and envelope.recorded_at_us >= 0
    if isinstance(event, rounds.WagersPlaced):
        plain_numbers &= event.round_no < 2**63 and all(stake.stake >= 0 for stake in event.stakes)
    assert agree(envelope.SerializeToString(deterministic=True)) == plain_numbers


@settings(max_examples=1000, deadline=None)
@given(st.one_of(nearly_right(), nearly_right(), damaged(), made_up(), any_message, st.binary(max_size=40)))
@example(b"")
def test_whatever_is_read_of_other_bytes_the_runtime_reads_too(data: bytes) -> None:
    try:
        agree(data)
    except DecodeError as error:
        raise AssertionError("read, and the Protobuf runtime refuses it") from error


@pytest.mark.parametrize("part", [0, 1, 2])
def test_one_envelope_in_another_form_leaves_the_whole_stream_to_the_runtime(part: int) -> None:
    stream = [Envelope(type="a"), Envelope(type="b"), Envelope(type="c")]
    data = [envelope.SerializeToString() for envelope in stream]
    assert read(data) == [("a", b""), ("b", b""), ("c", b"")]
    data[part] += b"\x78\x01"
    assert read(data) is None


def test_what_is_no_list_of_bytes_is_an_error() -> None:
    for wrong in ((b"",), ["text"], [None], b""):
        with pytest.raises(TypeError):
            read(wrong)  # type: ignore[arg-type]


def test_the_stub_describes_the_binary() -> None:
    checked = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "pitstream.wire._wire"], capture_output=True, text=True
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_what_is_read_tells_itself() -> None:
    """As the message of an event that cannot follow does."""
    event = rounds.CommunityDealt(cards=["Td"], burned=["9h"])
    ((_, found),) = (
        read([Envelope(type=event.DESCRIPTOR.full_name, payload=event.SerializeToString()).SerializeToString()]) or []
    )
    assert repr(found) == "CommunityDealt(cards=('Td',), burned=('9h',))"
