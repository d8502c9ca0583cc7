"""Method: batches against single calls and the scalar path, at each length of remainder, with every kind of fault."""

import random
import sys
import threading
from array import array
from typing import Any

import numpy as np
import pytest

from pitstream.evaluator import (
    CardCountError,
    CardError,
    RepeatedCardError,
    _evaluator,
    batch_path,
    rank,
    rank_many,
)

PATHS = [pytest.param(rank_many, id=batch_path()), pytest.param(_evaluator.rank_many_scalar, id="reference")]
COUNTS = [5, 6, 7]


def dealt(hands: int, count: int, seed: int = 7) -> bytes:
    """Rows of different cards, drawn from a named seed."""
    draw = random.Random(seed)
    return b"".join(bytes(draw.sample(range(52), count)) for _ in range(hands))


@pytest.mark.parametrize("call", PATHS)
@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("hands", [*range(12), 31, 32, 33, 1000])
def test_a_batch_gives_what_single_calls_give(call: Any, count: int, hands: int) -> None:
    ids = dealt(hands, count)
    assert call(ids, count).tolist() == [rank(ids[at : at + count]) for at in range(0, len(ids), count)]


@pytest.mark.parametrize("count", COUNTS)
def test_every_path_gives_the_same_values(count: int) -> None:
    ids = dealt(100_000, count)
    assert rank_many(ids, count) == _evaluator.rank_many_scalar(ids, count)


@pytest.mark.parametrize("call", PATHS)
def test_hands_of_one_suit_or_one_rank_are_ranked_too(call: Any) -> None:
    spades, aces = bytes(range(3, 52, 4)), bytes([48, 49, 50, 51])
    rows = [spades[at : at + 7] for at in range(7)]
    rows += [aces + bytes([low, low + 1, low + 2]) for low in range(46)]
    assert call(b"".join(rows)).tolist() == [rank(row) for row in rows]


@pytest.mark.parametrize("call", PATHS)
@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("hands", [1, 2, 4, 9])
def test_a_fault_is_found_wherever_it_stands(call: Any, count: int, hands: int) -> None:
    good = dealt(hands, count)
    for at in range(len(good)):
        row, place = divmod(at, count)
        for wrong in (52, 63, 64, 127, 128, 253, 254, 255):
            with pytest.raises(CardError) as caught:
                call(good[:at] + bytes([wrong]) + good[at + 1 :], count)
            assert (type(caught.value), str(caught.value)) == (
                CardError,
                f"hands[{row}][{place}]: was {wrong}; allowed: 0..51",
            )
        for other in range(count):
            if other != place:
                card = good[row * count + other]
                with pytest.raises(RepeatedCardError, match=rf"^hands\[{row}\]: card .. twice$"):
                    call(good[:at] + bytes([card]) + good[at + 1 :], count)


@pytest.mark.parametrize("call", PATHS)
def test_the_first_faulty_hand_is_the_one_named(call: Any) -> None:
    rows = [bytearray(dealt(1, 7, seed)) for seed in range(9)]
    rows[3][2] = rows[3][6] = 2
    rows[5][1] = 52
    with pytest.raises(RepeatedCardError, match=r"^hands\[3\]: card 2h twice$"):
        call(b"".join(rows))
    with pytest.raises(CardError, match=r"^hands\[1\]\[1\]: was 52; allowed: 0..51$"):
        call(b"".join(rows[4:]))
    # Seven aces: a sum of rank keys beyond all sums that hands have.
    with pytest.raises(RepeatedCardError, match=r"^hands\[4\]: card Ac twice$"):
        call(dealt(4, 7) + bytes([48, 49, 50, 51, 48, 49, 50]) + dealt(9, 7))


def two_dimensional(ids: bytes, shape: tuple[int, int]) -> memoryview:
    return memoryview(ids).cast("B", shape)


@pytest.mark.parametrize(
    "buffer",
    [
        pytest.param(bytearray, id="bytearray"),
        pytest.param(memoryview, id="memoryview"),
        pytest.param(lambda ids: array("B", ids), id="array"),
        pytest.param(lambda ids: two_dimensional(ids, (len(ids) // 7, 7)), id="two-dimensional"),
        pytest.param(lambda ids: memoryview(ids[::-1])[::-1], id="strided"),
    ],
)
def test_any_buffer_of_unsigned_bytes_is_read(buffer: Any) -> None:
    ids = dealt(50, 7)
    assert rank_many(buffer(ids)) == rank_many(ids)


def test_values_come_as_unsigned_16_bit_items() -> None:
    values = rank_many(dealt(3, 7))
    assert (values.format, values.shape, values.itemsize, values.readonly) == ("H", (3,), 2, True)


def test_values_are_written_to_a_given_buffer() -> None:
    ids = dealt(40, 7)
    out = array("H", [9] * 40)
    written = rank_many(ids, out=out)
    assert out.tolist() == written.tolist() == rank_many(ids).tolist()
    assert written.obj is out


@pytest.mark.parametrize("shape", [(0,), (0, 1), (3, 0)])
def test_no_hands_at_all_go_into_a_given_buffer_of_none(shape: tuple[int, ...]) -> None:
    out = np.zeros(shape, dtype=np.uint16)
    assert rank_many(b"", out=out).tolist() == out.tolist()


def test_a_given_buffer_stays_as_it_was_when_the_batch_has_a_fault() -> None:
    out = array("H", [9] * 40)
    with pytest.raises(CardError):
        rank_many(dealt(39, 7) + bytes([1, 2, 3, 4, 5, 6, 52]), out=out)
    assert out.tolist() == [9] * 40


@pytest.mark.parametrize(
    ("hands", "count", "error", "message"),
    [
        (bytes(15), 7, CardCountError, "hands: were 15 card ids; allowed: a multiple of 7"),
        (bytearray(15), 7, CardCountError, "hands: were 15 card ids; allowed: a multiple of 7"),
        (b"", 4, CardCountError, "cards_per_hand: was 4; allowed: 5, 6 or 7"),
        (b"", 8, CardCountError, "cards_per_hand: was 8; allowed: 5, 6 or 7"),
        (b"", -1, CardCountError, "cards_per_hand: was -1; allowed: 5, 6 or 7"),
        (b"", 2**70, CardCountError, f"cards_per_hand: was {2**70}; allowed: 5, 6 or 7"),
        (b"", 7.0, TypeError, "cards_per_hand: was 7.0; allowed: 5, 6 or 7"),
        (b"", "7", TypeError, 'cards_per_hand: was "7"; allowed: 5, 6 or 7'),
        (b"", None, TypeError, "cards_per_hand: was None; allowed: 5, 6 or 7"),
        (
            two_dimensional(bytes(35), (5, 7)),
            5,
            CardCountError,
            "hands: was a buffer of shape [5, 7]; allowed: [n] or [n, 5]",
        ),
        (array("H", [1] * 7), 7, TypeError, 'hands: was a buffer of format "H"; allowed: bytes or a buffer of uint8'),
        (array("b", [1] * 7), 7, TypeError, 'hands: was a buffer of format "b"; allowed: bytes or a buffer of uint8'),
        (
            [[1, 2, 3, 4, 5, 6, 7]],
            7,
            TypeError,
            "hands: was [[1, 2, 3, 4, 5, 6, 7]]; allowed: bytes or a buffer of uint8",
        ),
        ("AsKsQsJsTs2c3c", 7, TypeError, 'hands: was "AsKsQsJsTs2c3c"; allowed: bytes or a buffer of uint8'),
        (None, 7, TypeError, "hands: was None; allowed: bytes or a buffer of uint8"),
    ],
)
def test_what_is_no_batch_is_refused(hands: Any, count: int, error: type, message: str) -> None:
    with pytest.raises(error) as caught:
        rank_many(hands, count)
    assert (type(caught.value), str(caught.value)) == (error, message)


@pytest.mark.parametrize(
    ("out", "error", "was"),
    [
        (array("H", [0] * 3), ValueError, 'a buffer of shape [3] and format "H"'),
        (array("h", [0] * 2), ValueError, 'a buffer of shape [2] and format "h"'),
        (bytearray(4), ValueError, 'a buffer of shape [4] and format "B"'),
        (memoryview(bytes(4)).cast("H"), ValueError, 'a read-only buffer of shape [2] and format "H"'),
        (memoryview(array("H", [0] * 4))[::2], ValueError, 'a buffer of shape [2] and format "H"'),
        ([0, 0], TypeError, "[0, 0]"),
    ],
)
def test_an_out_that_does_not_fit_is_refused(out: Any, error: type, was: str) -> None:
    with pytest.raises(error) as caught:
        rank_many(dealt(2, 7), out=out)
    allowed = "a writable, contiguous buffer of 2 uint16"
    assert (type(caught.value), str(caught.value)) == (error, f"out: was {was}; allowed: {allowed}")


def test_other_threads_run_while_a_batch_is_ranked() -> None:
    # With an interval this long no thread is asked to give way: the other one runs only if the batch lets it.
    interval = sys.getswitchinterval()
    started, ran = threading.Event(), threading.Event()

    def wait_and_run() -> None:
        started.wait()
        ran.set()

    other = threading.Thread(target=wait_and_run)
    ids = dealt(1000, 7) * 1000
    other.start()
    sys.setswitchinterval(1000)
    try:
        started.set()
        for _ in range(100):
            rank_many(ids)
            if ran.is_set():
                break
    finally:
        sys.setswitchinterval(interval)
    assert ran.is_set()
    other.join()


@pytest.mark.parametrize("count", COUNTS)
def test_numpy_arrays_go_in_and_the_callers_own_array_comes_out_filled(count: int) -> None:
    hands = np.frombuffer(dealt(1000, count), dtype=np.uint8).reshape(-1, count)
    expected = np.array([rank(bytes(row)) for row in hands], dtype=np.uint16)
    assert np.array_equal(np.asarray(rank_many(hands, count)), expected)
    out = np.zeros(len(hands), dtype=np.uint16)
    rank_many(hands, count, out=out)
    assert np.array_equal(out, expected)


TWO_HANDS = np.arange(14, dtype=np.uint8).reshape(2, 7)


@pytest.mark.parametrize(
    ("hands", "out", "error"),
    [
        pytest.param(np.zeros((2, 7), dtype=np.int64), None, TypeError, id="cards that are not bytes"),
        pytest.param(np.zeros((2, 7), dtype=np.float64), None, TypeError, id="cards that are fractions"),
        pytest.param(TWO_HANDS, np.zeros(2, dtype=np.float32), ValueError, id="values as fractions"),
        pytest.param(TWO_HANDS, np.zeros(3, dtype=np.uint16), ValueError, id="room for three values"),
    ],
)
def test_arrays_of_another_type_or_size_are_refused(hands: Any, out: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        rank_many(hands, 7, out=out)
