"""Reconciliation's comparison. Method: a day on which everything agrees; then one fault planted at a time, which must
be found, named with its cause, and be the only thing found."""

import io
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from pitstream.cli.compared import Compared, Difference, causes
from pitstream.cli.reconcile import Reconciled, show
from pitstream.cli.statement_file import StatementLine, Unreadable

A, B, C, D, E = (f"00000000-0000-5000-8000-00000000000{digit}" for digit in range(1, 6))
DAY = "2026-03-28"


SEATS = (
    ("t1", 1, 1, "acme:p1", "USD", -500),
    ("t1", 1, 2, "acme:p2", "USD", 700),
    ("t1", 2, 1, "acme:p1", "USD", 0),
)


def line(
    number: int, one: str, way: str, amount: int, *, player="acme:p1", currency="USD", reference=""
) -> StatementLine:
    return StatementLine(number, one, reference, player, currency, way, amount, "2026-03-28T21:00:00Z")  # type: ignore[arg-type]


def agreeing() -> dict[str, list[tuple]]:
    """Two rounds, a share, a prize of two payees, a counted table, and an operator's statement with a rollback."""
    return {
        "settled": list(SEATS),
        "posted": list(SEATS),
        "claimed": [("c1", "share", "t1", 1, 1, "acme:p1", "USD", None), ("z1", "prize", "t1", 2, 1, "", "USD", 90)],
        "decided": [
            ("c1", "share", "t1", 1, 1, "acme:p1", "USD", 1_000, "paid"),
            ("z1", "prize", "t1", 2, 1, "acme:p1", "USD", 60, "paid"),
            ("z1", "prize", "t1", 2, 2, "acme:p2", "USD", 30, "paid"),
        ],
        "paid": [
            ("c1", "t1", 1, 1, "acme:p1", "USD", 1_000),
            ("z1", "t1", 2, 1, "acme:p1", "USD", 60),
            ("z1", "t1", 2, 2, "acme:p2", "USD", 30),
        ],
        "counted": [("t1", "USD", 0, 0, "closed")],
        "ours": [
            (A, "acme:p1", "USD", "in", 100, "booked", DAY, True),
            (B, "acme:p1", "USD", "out", 250, "booked", DAY, True),
            (C, "acme:p1", "USD", "in", 70, "undone", DAY, True),
        ],
    }  # fmt: skip


def statement() -> list[StatementLine | Unreadable]:
    return [
        line(2, A, "in", 100),
        line(3, B, "out", 250, reference=A),
        line(4, C, "in", 70),
        line(5, D, "rollback", 70, reference=C),
    ]


Plant = Callable[[dict[str, list[tuple]], list[StatementLine | Unreadable]], object]


def change(table: str, index: int, row: tuple) -> Plant:
    return lambda books, _: books[table].__setitem__(index, row)


def drop(table: str, index: int) -> Plant:
    return lambda books, _: books[table].pop(index)


def more(table: str, row: tuple) -> Plant:
    return lambda books, _: books.setdefault(table, []).append(row)


def says(index: int, one: StatementLine | Unreadable) -> Plant:
    return lambda _, lines: lines.__setitem__(index, one)


def says_more(one: StatementLine | Unreadable) -> Plant:
    return lambda _, lines: lines.append(one)


def both(*plants: Plant) -> Plant:
    return lambda books, lines: [plant(books, lines) for plant in plants]


LEDGER, CLOSED, PRIZES, PAID = (
    "settlement and ledger", "settlement and closed figures", "settlement and progressive", "progressive and ledger",
)  # fmt: skip
OPERATOR = "operator and ledger"
FAULTS = [
    (drop("posted", 1), LEDGER, "missing in the ledger", "t1/1 seat 2", "settled 700 for acme:p2; nothing is posted"),
    (more("posted", ("t1", 9, 1, "acme:p1", "USD", 5)), LEDGER, "missing in settlements", "t1/9 seat 1", "posted 5"),
    (more("posted", ("t1", 1, 1, "acme:p1", "USD", -500)), LEDGER, "duplicated", "t1/1 seat 1", "posted 2 times"),
    (
        change("posted", 0, ("t1", 1, 1, "acme:p1", "EUR", -500)),
        LEDGER, "wrong currency", "t1/1 seat 1", "posted in EUR",
    ),
    (change("posted", 0, ("t1", 1, 1, "acme:p3", "USD", -500)), LEDGER, "wrong player", "t1/1 seat 1", "for acme:p3"),
    (change("posted", 0, ("t1", 1, 1, "acme:p1", "USD", -499)), LEDGER, "amount differs", "t1/1 seat 1", "posted -499"),
    (more("late_rounds", ("t1", 2, "USD", False)), CLOSED, "late", "t1/2", "after the day was closed"),
    (
        more("claimed", ("c9", "share", "t1", 1, 2, "acme:p2", "USD", None)),
        PRIZES, "missing at the progressive", "share c9 of t1/1 seat 2", "nobody locked",
    ),
    (
        more("decided", ("c8", "share", "t1", 1, 1, "acme:p1", "USD", 5, "refused")),
        PRIZES, "missing in settlements", "share c8 of t1/1", "no settled line claims it",
    ),
    (
        change("claimed", 1, ("z1", "prize", "t1", 2, 1, "", "USD", 91)),
        PRIZES, "amount differs", "prize z1 of t1/2 seat 1", "settled 91, held 90",
    ),
    (drop("paid", 1), PAID, "missing in the ledger", "prize z1 of t1/2 seat 1", "approved 60 for acme:p1"),
    (
        more("paid", ("c7", "t1", 1, 1, "acme:p1", "USD", 8)),
        PAID, "missing at the progressive", "c7 of t1/1 seat 1", "paid 8 to acme:p1; nobody has it",
    ),
    (
        change("decided", 0, ("c1", "share", "t1", 1, 1, "acme:p1", "USD", 1_000, "locked")),
        PAID, "missing at the progressive", "c1 of t1/1 seat 1", "it is locked",
    ),
    (
        change("paid", 0, ("c1", "t1", 1, 1, "acme:p1", "EUR", 1_000)),
        PAID, "wrong currency", "share c1 of t1/1 seat 1", "EUR",
    ),
    (
        change("paid", 0, ("c1", "t1", 1, 1, "acme:p9", "USD", 1_000)),
        PAID, "wrong player", "share c1 of t1/1 seat 1", "p9",
    ),
    (
        change("paid", 0, ("c1", "t1", 1, 1, "acme:p1", "USD", 999)),
        PAID, "amount differs", "share c1 of t1/1 seat 1", "999",
    ),
    (
        change("counted", 0, ("t1", "USD", -300, 0, "closed")),
        "count and settlement", "amount differs", "t1", "the counted win is -300 above",
    ),
    (
        change("counted", 0, ("t1", "USD", 0, -20, "closed")),
        "drop box and buy-ins", "amount differs", "t1", "the drop box had -20 above",
    ),
    (says_more(Unreadable(9, "amount: was 'x'")), OPERATOR, "unreadable", "line 9", "amount: was 'x'"),
    (says_more(line(9, A, "in", 100)), OPERATOR, "duplicated", f"{A} at line 9", "it is at line 2 before"),
    (says(3, line(5, D, "rollback", 60, reference=C)), OPERATOR, "rollback differs", f"{D} at line 5", "takes back 60"),
    (says_more(line(12, E, "out", 5)), OPERATOR, "missing here", f"{E} at line 12", "nothing is booked here"),
    (says(3, line(5, D, "rollback", 70, reference=E)), OPERATOR, "missing here", f"{C} at line 4", "undone here"),
    (says(0, line(2, D, "rollback", 100, reference=A)), OPERATOR, "missing there", A, "the operator has no line of it"),
    (
        change("ours", 0, (A, "acme:p1", "USD", "in", 100, "booked", "2026-03-29", False)),
        OPERATOR, "late", f"{A} at line 2", "booked here on gaming day 2026-03-29",
    ),
    (
        change("ours", 0, (A, "acme:p1", "USD", "in", 100, "uncertain", DAY, True)),
        OPERATOR, "uncertain", A, "the operator has it at line 2",
    ),
    (
        says(0, line(2, A, "in", 100, currency="EUR")),
        OPERATOR, "wrong currency", f"{A} at line 2", "here in USD, there in EUR",
    ),
    (says(0, line(2, A, "in", 100, player="acme:p2")), OPERATOR, "wrong player", f"{A} at line 2", "there for acme:p2"),
    (says(0, line(2, A, "out", 100)), OPERATOR, "wrong way", f"{A} at line 2", "went in here, out there"),
    (says(0, line(2, A, "in", 101)), OPERATOR, "amount differs", f"{A} at line 2", "booked here 100, there 101"),
    (
        both(more("corrected_rounds", ("t1", 1, 2, 1)), change("posted", 0, ("t1", 1, 1, "acme:p1", "USD", -499))),
        LEDGER, "corrected", "t1/1", "is settled and not posted yet: seat 1 settled -500, posted -499",
    ),
    (more("late_rounds", ("t1", 2, "USD", True)), CLOSED, "corrected", "t1/2", "corrected after the day was closed"),
    (
        both(
            more("corrected_rounds", ("t1", 1, 1, 1)),
            more("decided", ("c8", "share", "t1", 1, 1, "acme:p1", "USD", 5, "verified")),
        ),
        PRIZES, "corrected", "share c8 of t1/1", "a correction of the round took it away; it is verified",
    ),
]  # fmt: skip


def found(books: dict[str, list[tuple]], lines: list[StatementLine | Unreadable]) -> list[tuple[str, str, str, str]]:
    with Compared() as compared:
        for table, rows in books.items():
            compared.add(table, rows)
        compared.add_statement(lines)
        return [(one.between, one.cause, one.what, one.says) for one in compared.differences(with_operator=True)]


def test_a_day_on_which_everything_agrees_has_no_difference():
    assert found(agreeing(), statement()) == []


@pytest.mark.parametrize(
    ("plant", "between", "cause", "what", "said"),
    FAULTS,
    ids=[f"{one[1]}: {one[2]} {index}" for index, one in enumerate(FAULTS)],
)
def test_a_planted_fault_is_found_by_its_cause_and_nothing_else(plant, between, cause, what, said):
    books, lines = agreeing(), statement()
    plant(books, lines)
    (one,) = found(books, lines)
    assert one[:3] == (between, cause, what)
    assert said in one[3]


def test_every_cause_is_planted_above():
    assert {(between, cause) for between, cause, _ in causes()} == {(one[1], one[2]) for one in FAULTS}


@given(planted=st.sets(st.sampled_from([0, 6, 7, 10, 16, 18, 19, 21]), min_size=2))
def test_faults_that_have_nothing_to_do_with_each_other_are_each_found(planted):
    books, lines = agreeing(), statement()
    for index in sorted(planted):
        FAULTS[index][0](books, lines)
    assert [one[:3] for one in found(books, lines)] == [FAULTS[index][1:4] for index in sorted(planted)]


def test_what_waits_for_a_floorperson_is_open_and_no_difference():
    books = agreeing()
    books["decided"][0] = ("c1", "share", "t1", 1, 1, "acme:p1", "USD", 1_000, "locked")
    del books["paid"][0]
    books["counted"] = [("t1", "USD", 0, 0, "open")]
    with Compared() as compared:
        for table, rows in books.items():
            compared.add(table, rows)
        assert list(compared.differences(with_operator=False)) == []
        assert compared.open_items() == ["share c1 of t1/1 is locked", "the day of table t1 in USD is not closed"]


def test_ids_that_only_the_operator_knows_are_asked_for_once_each():
    lines = [*statement(), line(9, E, "in", 1), line(10, E, "in", 1), line(11, A, "in", 1, player="other:p1")]
    with Compared() as compared:
        compared.add("ours", agreeing()["ours"])
        compared.add_statement(lines)
        assert compared.operators_of_statement() == ["acme", "other"]
        assert sorted(one for some in compared.not_ours_yet("acme", 1) for one in some) == [D, E]
        assert list(compared.not_ours_yet("other", 5)) == [[A]]


def test_what_an_operators_file_says_is_shown_and_not_obeyed():
    said = "[/] [bold red]nothing to see[/]"
    found = Reconciled(DAY, {"operator's lines": 1}, (Difference("operator", "unreadable", said, "", said),), (said,))
    told = Console(file=io.StringIO(), width=200)
    show(found, told)
    assert told.file.getvalue().count(said) == 3
