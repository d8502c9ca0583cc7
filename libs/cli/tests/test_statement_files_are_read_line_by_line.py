"""An operator's statement file. Method: one line right, then one field wrong a line; and files that are none."""

import tracemalloc

import pytest

from pitstream.cli.statement_file import StatementFileError, StatementLine, Unreadable, read_statement

HEADER = "transaction_id,reference,player,currency,kind,amount,at"
ID = "4f0c3a52-1f0f-5e0e-9a3b-0f1c7f5f6a10"
RIGHT = {
    "transaction_id": ID, "reference": "", "player": "acme:p001", "currency": "USD", "kind": "debit",
    "amount": "9007199254740993", "at": "2026-03-28T21:04:11Z",
}  # fmt: skip


def line(**changed: str) -> str:
    return ",".join((RIGHT | changed).values())


def test_amounts_beyond_what_a_float_counts_come_through_and_fields_may_stand_in_any_order():
    turned = ",".join(reversed(RIGHT))
    values = ",".join(reversed(RIGHT.values()))
    expected = [
        StatementLine(2, ID, "", "acme:p001", "USD", "in", 9_007_199_254_740_993, "2026-03-28T21:04:11Z"),
    ]
    assert list(read_statement([HEADER, line()])) == expected
    assert list(read_statement(["\ufeff" + turned, values])) == expected


@pytest.mark.parametrize(
    ("kind", "way"),
    [("deposit", "in"), ("debit", "in"), ("withdrawal", "out"), ("credit", "out"), ("rollback", "rollback")],
)
def test_each_kind_is_a_way(kind: str, way: str):
    (found,) = read_statement([HEADER, line(kind=kind, reference=ID)])
    assert isinstance(found, StatementLine)
    assert (found.way, found.reference) == (way, ID)


WRONG = {
    "transaction_id": ["", "17", "4f0c3a52"],
    "reference": ["the first"],
    "player": ["", "acme p1", "a" * 65],
    "currency": ["usd", "US", "USDT", ""],
    "kind": ["", "bet", "DEBIT"],
    "amount": ["", "0", "-5", "5.0", "1e3", "05", "１", "1 000", "9223372036854775808", "99999999999999999999"],
    "at": ["", "yesterday", "2026-03-28", "2026-03-28T21:04:11"],
}


@pytest.mark.parametrize(("field", "value"), [(field, value) for field, values in WRONG.items() for value in values])
def test_a_line_with_one_wrong_field_is_told_by_number_and_field_and_the_next_one_is_read(field: str, value: str):
    first, second = read_statement([HEADER, line(**{field: value}), line()])
    assert isinstance(first, Unreadable)
    assert (first.line, first.says.startswith(f"{field}: was {value!r}; allowed: ")) == (2, True)
    assert isinstance(second, StatementLine)


def test_a_rollback_names_what_it_takes_back():
    (found,) = read_statement([HEADER, line(kind="rollback")])
    assert found == Unreadable(2, "reference: was ''; allowed: a UUID")


def test_lines_that_are_no_csv_or_have_other_fields_are_told_and_blank_ones_passed_over():
    lines = [HEADER, "", line() + ",more", '"never closed" x,', line()]
    found = list(read_statement(lines))
    assert [type(one).__name__ for one in found] == ["Unreadable", "Unreadable", "StatementLine"]
    assert found[0] == Unreadable(3, "was 8 fields; allowed: 7")


def test_a_quote_that_is_never_closed_takes_no_line_behind_it():
    found = list(read_statement([HEADER, line(player='"acme:p001'), *[line()] * 3]))
    assert [type(one).__name__ for one in found] == ["Unreadable", *["StatementLine"] * 3]
    assert found[0] == Unreadable(2, "was no line of CSV: unexpected end of data")


@pytest.mark.parametrize("header", [[], [""], ["a,b,c"], [HEADER + ",extra"], [HEADER.replace("kind", "type")]])
def test_a_file_without_its_header_is_no_statement(header: list[str]):
    with pytest.raises(StatementFileError, match="line 1: was"):
        list(read_statement(header))


def test_a_large_file_takes_no_memory():
    tracemalloc.start()
    count = sum(1 for _ in read_statement(text for text in _large(20_000)))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 20_000
    assert peak < 1_000_000


def _large(lines: int):
    yield HEADER
    for _ in range(lines):
        yield line()
