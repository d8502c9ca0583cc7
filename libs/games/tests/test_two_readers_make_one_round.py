"""Method: a round as it is stored, with bytes of it changed, cut off or added, in an envelope or in the event within.
``evolve_stored`` and the same fold by the Protobuf runtime alone make the same state, or refuse it alike."""

from dataclasses import dataclass
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from round_play import Table, betting, deal
from test_round_any_play import stored

from pitstream.envelope.v1.envelope_pb2 import Envelope
from pitstream.events.codec import UndecodableError, UnknownTypeError
from pitstream.events.rounds import RoundFinished
from pitstream.games.canonical import state_hash
from pitstream.games.commands import FinishRound, RevealCommunity
from pitstream.games.fold import Fold
from pitstream.games.round import ImpossibleEventError, evolve_stored


@cache
def round_of_two() -> tuple[bytes, ...]:
    table: Table = betting("flop_poker")
    table.bet(2, ante=500, pot=500, three_card_bonus=100)
    table.bet(5, ante=1500, pot=500)
    table.do(deal({2: "Js 7h 2c", 5: "Ah Ad 3c"}))
    table.answer(2, "fold")
    table.answer(5, "flop")
    table.do(RevealCommunity(cards=("Jd", "9s", "4h"), burned=("2d",)), FinishRound())
    assert isinstance(table.events[-1], RoundFinished)
    return tuple(stored(table.events))


@dataclass(frozen=True)
class Refused:
    kind: type[Exception]


def told(stream: list[bytes], by_runtime: bool) -> bytes | Refused:
    fold = Fold()
    try:
        if not by_runtime:
            return state_hash(evolve_stored(stream))
        fold._apply_parsed(stream)
        return state_hash(fold.round())
    except (UndecodableError, UnknownTypeError, ImpossibleEventError) as error:
        return Refused(type(error))


@st.composite
def changed(draw: st.DrawFn) -> list[bytes]:
    stream = list(round_of_two())
    for _ in range(draw(st.integers(1, 2))):
        number = draw(st.integers(0, len(stream) - 1))
        envelope = Envelope.FromString(round_of_two()[number]) if draw(st.booleans()) else None
        data = bytearray(envelope.payload if envelope else stream[number])
        place = draw(st.integers(0, len(data)))
        match draw(st.sampled_from(["cut", "change", "insert", "twice", "gone", "again"])):
            case "cut":
                del data[place:]
            case "change" if place < len(data):
                data[place] = draw(st.integers(0, 255))
            case "insert":
                data[place:place] = draw(st.binary(min_size=1, max_size=3))
            case "twice":
                data += bytes(data)
            case "gone":
                data.clear()
            case _:
                data += draw(st.sampled_from([b"\x78\x01", b"\x18\x00", b"\x12\x00", b"\x0b\x0c", b"\x3a\x00"]))
        if envelope:
            envelope.payload = bytes(data)
            data = bytearray(envelope.SerializeToString(deterministic=True))
        stream[number] = bytes(data)
    return stream


@settings(max_examples=1000, deadline=None)
@given(changed())
def test_a_stream_that_somebody_changed_is_the_same_round_to_both_readers_or_none_to_both(stream: list[bytes]) -> None:
    try:
        right = told(stream, by_runtime=True)
    except Exception as error:
        with pytest.raises(type(error)):
            told(stream, by_runtime=False)
        return
    assert told(stream, by_runtime=False) == right


def test_the_round_itself_is_one_to_both() -> None:
    stream = list(round_of_two())
    assert told(stream, by_runtime=False) == told(stream, by_runtime=True)
    assert isinstance(told(stream, by_runtime=True), bytes)
