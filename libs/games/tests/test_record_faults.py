"""Whatever is wrong with a record, it gets one error that names it, and the records around it are settled.

Method: a good record of each game with one thing changed; then thousands of random changes, which must never raise.
"""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitstream.games.record import AMOUNT_MAX
from pitstream.games.record_json import CODES, RecordError
from pitstream.games.settle_file import Settled, settle_lines, settle_record, settlement_line

HOLDEM: dict[str, Any] = {
    "schema": "pitstream.round/1",
    "id": "r1",
    "table": "uth-1",
    "game": "ultimate_texas_holdem",
    "gaming_day": "2025-06-01",
    "currency": "USD",
    "paytables": {
        "ante": "A",
        "blind": "A",
        "play": "A",
        "trips": "A",
        "six_card": "published-1",
        "progressive": "sister-A",
    },
    "options": {"lucky": "dealer", "magic_card": "Td"},
    "cards": {
        "dealer": ["Kc", "Qd"],
        "community": ["6h", "7h", "8h", "2c", "2d"],
        "burned": ["3c", "4c"],
        "bonus": ["Ac", "Ad", "Ah", "As"],
    },
    "seats": [
        {
            "seat": 2,
            "player": "p2",
            "cards": ["9h", "Th"],
            "wagers": {"ante": 1000, "blind": 1000, "progressive": 100, "six_card": 50},
            "decisions": ["4x"],
        },
        {
            "seat": 5,
            "player": "p5",
            "cards": ["3d", "4d"],
            "wagers": {"ante": 500, "blind": 500},
            "decisions": ["check", "check", "fold"],
        },
    ],
    "meters": {"main": 1_000_000},
    "seeds": {"main": 1_000},
}
FLOP: dict[str, Any] = {
    "schema": "pitstream.round/1",
    "id": "f1",
    "table": "fp-1",
    "game": "flop_poker",
    "gaming_day": "2025-06-01",
    "currency": "USD",
    "paytables": {"ante": "A", "flop": "NJ"},
    "cards": {"community": ["8c", "8h", "Ks"], "burned": ["2c"]},
    "seats": [
        {
            "seat": 1,
            "player": "p1",
            "cards": ["Kc", "8d", "3h"],
            "wagers": {"ante": 500, "pot": 100},
            "decisions": ["fold"],
        },
        {
            "seat": 2,
            "player": "p2",
            "cards": ["Js", "7h", "2d"],
            "wagers": {"ante": 700, "pot": 100},
            "decisions": ["flop"],
        },
    ],
}


class Gone:
    """In place of a value: take the field away."""

    def __repr__(self) -> str:
        return "GONE"


GONE = Gone()


def changed(record: dict[str, Any], *path: str | int, to: Any) -> dict[str, Any]:
    """The record with the value at ``path`` replaced, or without it."""
    record = copy.deepcopy(record)
    at: Any = record
    for step in path[:-1]:
        at = at[step]
    if to is GONE:
        del at[path[-1]]
    elif isinstance(at, list) and path[-1] == len(at):
        at.append(to)
    else:
        at[path[-1]] = to
    return record


def fault_of(line: bytes) -> tuple[str | None, str, str] | None:
    """(id, code, path) of the record's error; None when it settles."""
    try:
        settle_record(line)
    except RecordError as error:
        return error.id, error.code, error.path
    return None


def at(*path: str | int) -> str:
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


def test_the_records_that_are_changed_below_are_good():
    assert fault_of(json.dumps(HOLDEM).encode()) is None
    assert fault_of(json.dumps(FLOP).encode()) is None


@pytest.mark.parametrize("field", [field for field in HOLDEM if field not in ("options", "meters", "seeds")])
def test_every_field_but_the_optional_ones_is_required(field: str):
    line = json.dumps(changed(HOLDEM, field, to=GONE)).encode()
    assert fault_of(line) == (None if field == "id" else "r1", "invalid_json", field)


@pytest.mark.parametrize("field", ["seat", "player", "cards", "wagers", "decisions"])
def test_every_field_of_a_seat_is_required(field: str):
    line = json.dumps(changed(HOLDEM, "seats", 1, field, to=GONE)).encode()
    assert fault_of(line) == ("r1", "invalid_json", f"seats[1].{field}")


def test_one_field_of_a_million_that_is_given_twice_is_found_at_once():
    fields = ", ".join(f'"f{number}": 1' for number in range(300_000))
    with pytest.raises(RecordError, match="field 'f7' is given twice in one object"):
        settle_record(f'{{{fields}, "f7": 2}}'.encode())


HOLDEM_FAULTS: list[tuple[tuple[str | int, ...], Any, str]] = [
    (("schema",), "pitstream.round/2", "invalid_json"),
    (("schema",), 1, "invalid_json"),
    (("table",), "", "invalid_json"),
    (("table",), ["uth-1"], "invalid_json"),
    (("table",), "half \ud800 a pair", "invalid_json"),
    (("game",), "Ultimate Texas Hold'em", "unknown_game"),
    (("game",), None, "unknown_game"),
    (("game",), ["flop_poker"], "unknown_game"),
    (("gaming_day",), "2025-02-30", "invalid_json"),
    (("gaming_day",), "20250601", "invalid_json"),
    (("gaming_day",), "2025-W01-1", "invalid_json"),
    (("gaming_day",), "2025-06-01\n", "invalid_json"),
    (("gaming_day",), "２０２５-06-01", "invalid_json"),
    (("gaming_day",), 20250601, "invalid_json"),
    (("currency",), "usd", "invalid_json"),
    (("currency",), "USD\n", "invalid_json"),
    (("currency",), None, "invalid_json"),
    (("void",), None, "invalid_json"),
    (("void",), True, "invalid_json"),
    (("void",), "", "invalid_json"),
    (("viod",), "jam", "invalid_json"),
    (("options",), None, "invalid_json"),
    (("options", "lucky"), 8, "invalid_json"),
    (("options", "lucky"), "2", "invalid_json"),
    (("options", "lucky"), True, "invalid_json"),
    (("options", "magic_card"), "1d", "unknown_card"),
    (("options", "magic_card"), ["Td"], "unknown_card"),
    (("options", "three_card_wheel"), "false", "invalid_json"),
    (("options", "play_wagers"), "each", "invalid_json"),
    (("options", "wheel"), True, "invalid_json"),
    (("cards",), [], "invalid_json"),
    (("cards", "turn"), ["2s"], "invalid_json"),
    (("cards", "dealer"), "KcQd", "invalid_json"),
    (("cards", "dealer"), ["Kc"], "wrong_card_count"),
    (("cards", "dealer"), GONE, "invalid_json"),
    (("cards", "dealer", 0), "10c", "unknown_card"),
    (("cards", "dealer", 0), "kc", "unknown_card"),
    (("cards", "dealer", 0), "KC", "unknown_card"),
    (("cards", "dealer", 0), "Kc ", "unknown_card"),
    (("cards", "dealer", 0), "", "unknown_card"),
    (("cards", "dealer", 0), None, "unknown_card"),
    (("cards", "dealer", 0), 12, "unknown_card"),
    (("cards", "dealer", 0), ["Kc"], "unknown_card"),
    (("cards", "dealer", 0), {"rank": "K"}, "unknown_card"),
    (("cards", "dealer", 1), "Kc", "duplicate_card"),
    (("cards", "burned", 0), "2c", "duplicate_card"),
    (("cards", "bonus", 3), "Th", "duplicate_card"),
    (("cards", "community", 5), "5s", "wrong_card_count"),
    (("cards", "burned"), [], "wrong_card_count"),
    (("cards", "burned", 1), GONE, "wrong_card_count"),
    (("cards", "bonus"), GONE, "wrong_card_count"),
    (("cards", "bonus", 0), GONE, "wrong_card_count"),
    (("seats",), [], "invalid_json"),
    (("seats",), {}, "invalid_json"),
    (("seats", 0), None, "invalid_json"),
    (("seats", 0, "seat"), 0, "invalid_json"),
    (("seats", 1, "seat"), 8, "invalid_json"),
    (("seats", 0, "seat"), True, "invalid_json"),
    (("seats", 0, "seat"), 2.0, "invalid_json"),
    (("seats", 0, "seat"), "2", "invalid_json"),
    (("seats", 1, "seat"), 2, "invalid_json"),
    (("seats", 1, "seat"), 1, "invalid_json"),
    (("seats", 0, "player"), 7, "invalid_json"),
    (("seats", 0, "forfeited"), None, "invalid_json"),
    (("seats", 0, "seat_no"), 2, "invalid_json"),
    (("seats", 0, "cards"), ["9h"], "wrong_card_count"),
    (("seats", 0, "cards", 2), "9s", "wrong_card_count"),
    (("seats", 0, "wagers"), [], "invalid_json"),
    (("seats", 0, "wagers", "insurance"), 100, "unknown_wager"),
    (("seats", 0, "wagers", "play"), 4000, "unknown_wager"),
    (("seats", 0, "wagers", "bad_beat"), 100, "unknown_wager"),
    (("seats", 0, "wagers", "progressive"), 0, "invalid_stake"),
    (("seats", 0, "wagers", "progressive"), -5, "invalid_stake"),
    (("seats", 0, "wagers", "progressive"), 1.0, "invalid_stake"),
    (("seats", 0, "wagers", "progressive"), True, "invalid_stake"),
    (("seats", 0, "wagers", "progressive"), "100", "invalid_stake"),
    (("seats", 0, "wagers", "progressive"), None, "invalid_stake"),
    (("seats", 0, "wagers", "progressive"), AMOUNT_MAX + 1, "invalid_stake"),
    (("seats", 0, "wagers", "blind"), 999, "invalid_stake"),
    (("seats", 0, "wagers", "blind"), GONE, "missing_wager"),
    (("seats", 0, "wagers", "ante"), GONE, "missing_wager"),
    (("seats", 0, "decisions"), "4x", "invalid_json"),
    (("seats", 0, "decisions"), [], "illegal_decision"),
    (("seats", 0, "decisions", 0), "2x", "illegal_decision"),
    (("seats", 0, "decisions", 0), 4, "illegal_decision"),
    (("seats", 0, "decisions", 0), ["4x"], "illegal_decision"),
    (("seats", 0, "decisions", 1), "check", "illegal_decision"),
    (("seats", 1, "decisions", 2), "check", "illegal_decision"),
    (("seats", 1, "decisions", 2), GONE, "illegal_decision"),
    (("seats", 1, "decisions", 3), "fold", "illegal_decision"),
    (("paytables",), None, "invalid_json"),
    (("paytables", "ante"), GONE, "unknown_paytable"),
    (("paytables", "play"), GONE, "unknown_paytable"),
    (("paytables", "trips"), "Z", "unknown_paytable"),
    (("paytables", "trips"), None, "unknown_paytable"),
    (("paytables", "trips"), ["A"], "unknown_paytable"),
    (("paytables", "six_card"), GONE, "unknown_wager"),
    (("meters",), None, "invalid_json"),
    (("meters", "main"), -1, "invalid_json"),
    (("meters", "main"), 1.5, "invalid_json"),
    (("meters", "main"), True, "invalid_json"),
    (("meters", "main"), GONE, "missing_meter"),
    (("meters",), GONE, "missing_meter"),
    (("seeds", "main"), "1000", "invalid_json"),
]


@pytest.mark.parametrize(
    ("path", "to", "code"),
    [pytest.param(*fault, id=f"{at(*fault[0])} = {fault[1]!a}"[:80]) for fault in HOLDEM_FAULTS],
)
def test_one_thing_wrong_is_one_error(path: tuple[str | int, ...], to: Any, code: str):
    found = fault_of(json.dumps(changed(HOLDEM, *path, to=to)).encode())
    assert found is not None
    assert found[:2] == ("r1", code)


@pytest.mark.parametrize(
    ("path", "to", "code", "where"),
    [
        (("cards", "dealer"), ["Kd", "Qd"], "wrong_card_count", "cards.dealer"),
        (("cards", "bonus"), ["Kd"], "wrong_card_count", "cards.bonus"),
        (("cards", "burned"), [], "wrong_card_count", "cards.burned"),
        (("seats", 1, "wagers", "pot"), 101, "invalid_stake", "seats[1].wagers.pot"),
        (("seats", 0, "wagers", "pot"), GONE, "missing_wager", "seats[0].wagers.pot"),
        (("seats", 1, "wagers", "flop"), 700, "unknown_wager", "seats[1].wagers.flop"),
        (("seats", 1, "decisions", 0), "check", "illegal_decision", "seats[1].decisions[0]"),
        (("paytables", "pot"), "A", "unknown_paytable", "paytables.pot"),
        (("paytables", "flop"), GONE, "unknown_paytable", "paytables.flop"),
        (("options",), {"magic_card": "XX"}, "unknown_card", "options.magic_card"),
    ],
)
def test_one_thing_wrong_in_flop_poker(path: tuple[str | int, ...], to: Any, code: str, where: str):
    assert fault_of(json.dumps(changed(FLOP, *path, to=to)).encode()) == ("f1", code, where)


@pytest.mark.parametrize(
    ("path", "to"),
    [
        pytest.param(("cards", "burned"), GONE, id="burn cards not reported"),
        pytest.param(("cards", "dealer"), [], id="no dealer's hand, as an empty list"),
        pytest.param(("options",), {"three_card_wheel": False}, id="a policy of the table"),
        pytest.param(("options",), {"lucky": 3, "play_wagers": "one"}, id="options that decide nothing here"),
        pytest.param(("seats", 0, "wagers", "ante"), AMOUNT_MAX, id="the largest stake"),
        pytest.param(("seats", 0, "forfeited"), "shows cards", id="a forfeited seat"),
        pytest.param(("seats", 0, "player"), "José 5", id="a player's id of the casino's own kind"),
        pytest.param(("meters",), {}, id="meters that nobody needs"),
    ],
)
def test_what_is_unusual_but_right_settles(path: tuple[str | int, ...], to: Any):
    assert fault_of(json.dumps(changed(FLOP, *path, to=to)).encode()) is None


def test_a_forfeited_seat_and_a_void_round_may_stop_before_the_last_decision():
    record = changed(HOLDEM, "seats", 1, "decisions", to=["check"])
    assert fault_of(json.dumps(record).encode()) == ("r1", "illegal_decision", "seats[1].decisions")
    assert fault_of(json.dumps(changed(record, "seats", 1, "forfeited", to="signals")).encode()) is None
    assert fault_of(json.dumps(changed(record, "void", to="jam")).encode()) is None


def test_a_void_round_may_have_any_number_of_cards_but_no_other_fault():
    void = changed(changed(HOLDEM, "void", to="one card too many"), "cards", to={"community": ["6h"]})
    assert fault_of(json.dumps(void).encode()) is None
    assert fault_of(json.dumps(changed(void, "cards", "community", 1, to="6h")).encode()) == (
        "r1",
        "duplicate_card",
        "cards.community[1]",
    )
    late = changed(changed(void, "paytables", "bad_beat", to="C"), "gaming_day", to="2026-03-23")
    assert fault_of(json.dumps(late).encode()) == ("r1", "paytable_not_in_effect", "paytables.bad_beat")


@pytest.mark.parametrize(
    ("line", "id_"),
    [
        pytest.param(b"{", None, id="cut off"),
        pytest.param(b"null", None, id="null"),
        pytest.param(b"[]", None, id="a list"),
        pytest.param(b'"r1"', None, id="text"),
        pytest.param(b"NaN", None, id="NaN"),
        pytest.param(b"[" * 100_000, None, id="nested without end"),
        pytest.param(b'{"id": "r1", "a": ' + b"[" * 900 + b"]" * 900 + b"}", "r1", id="nested deeply"),
        pytest.param(b"1" * 10_000, None, id="ten thousand digits"),
        pytest.param(b'{"id": "r1", "schema": ' + b"1" * 10_000 + b"}", "r1", id="ten thousand digits in a field"),
        pytest.param(b"\xff\xfe{\x00}\x00", None, id="UTF-16"),
        pytest.param(b'{"id": "\xff"}', None, id="no UTF-8"),
        pytest.param(b'{"id": "r\x00"}', None, id="a control character"),
        pytest.param(b'{"id": "r1", "id": "r2"}', "r2", id="a field twice"),
        pytest.param(b'{"a": {"x": 1, "x": 1}, }', None, id="a field twice, and broken after it"),
        pytest.param(b'{"id": 1}', None, id="an id that is no text"),
        pytest.param(b'{"id": ["r1"]}', None, id="an id that is a list"),
    ],
)
def test_what_is_not_one_json_object_is_refused(line: bytes, id_: str | None):
    found = fault_of(line)
    assert found is not None
    assert found[:2] == (id_, "invalid_json")


@pytest.mark.parametrize("stake", ["9" * 5000, "1e999", "1e2", "9" * 40])
def test_a_number_that_no_stake_can_be_is_named(stake: str):
    line = json.dumps(HOLDEM).replace('"progressive": 100', f'"progressive": {stake}')
    assert fault_of(line.encode()) == ("r1", "invalid_stake", "seats[0].wagers.progressive")


def test_bad_lines_between_good_ones_leave_the_good_ones_settled():
    good = [json.dumps(changed(FLOP, "id", to=f"f{number}")).encode() + b"\r\n" for number in range(3)]
    lines = [b"\xef\xbb\xbf" + good[0], b"\n", b"{\n", good[1], b"  \n", good[0], good[2].strip()]
    found = [json.loads(settlement_line(one)) for one in settle_lines(lines)]
    assert [(one["id"], one.get("error", {}).get("code")) for one in found] == [
        ("f0", None),
        (None, "invalid_json"),
        ("f1", None),
        ("f0", "invalid_json"),
        ("f2", None),
    ]


EXAMPLES = [
    json.loads(line)
    for name in ("uth", "flop_poker", "raise_it_up_stud")
    for line in (Path(__file__).parents[3] / "tests" / "data" / "cases" / f"{name}.jsonl")
    .read_bytes()
    .splitlines()[:40]
]
JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(max_size=5),
    st.sampled_from(["Td", "As", "fold", "check", "4x", "A", "ante", "pot", "flop_poker", "2025-06-01", 10**40, -1, 0]),
    st.lists(st.sampled_from(["Td", "2c", 1, None, [], {}]), max_size=4),
    st.dictionaries(st.sampled_from(["ante", "pot", "x", "seat"]), st.integers(-2, 9), max_size=3),
)


@given(st.data())
def test_no_change_to_a_record_ever_raises_anything_but_its_one_error(data: st.DataObject):
    record = copy.deepcopy(data.draw(st.sampled_from(EXAMPLES)))
    for _ in range(data.draw(st.integers(1, 3))):
        here: Any = record
        while isinstance(here, dict | list) and here:
            key: Any = data.draw(st.sampled_from(sorted(here) if isinstance(here, dict) else range(len(here))))
            if isinstance(here[key], dict | list) and data.draw(st.booleans()):
                here = here[key]
                continue
            if data.draw(st.booleans()):
                here[key] = data.draw(JUNK)
            else:
                del here[key]
            break
    answers = list(settle_lines([json.dumps(record).encode()]))
    assert len(answers) == 1
    written = json.loads(settlement_line(answers[0]))
    if isinstance(answers[0], RecordError):
        assert written["error"]["code"] in CODES
    else:
        assert isinstance(answers[0], Settled)
    assert json.loads(json.dumps(written)) == written


@given(st.data())
def test_no_bytes_ever_raise_anything_but_their_one_error(data: st.DataObject):
    line = bytearray(json.dumps(data.draw(st.sampled_from(EXAMPLES))).encode())
    for _ in range(data.draw(st.integers(1, 4))):
        line[data.draw(st.integers(0, len(line) - 1))] = data.draw(st.integers(0, 255))
    for one in settle_lines(bytes(line).splitlines(keepends=True)):
        assert json.loads(settlement_line(one))
