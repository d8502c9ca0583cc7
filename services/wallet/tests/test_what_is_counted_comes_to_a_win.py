"""The pure heart of table accounting. Method: tables of one step and its answer, and random days whose chips are moved
by hand beside the slips, so that the true win is known."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitstream.events import Event
from pitstream.events.accounting import BuyInPosted, CountCorrected, Pieces, ShiftCount, WagerSum
from pitstream.events.model import AMOUNT_MAX
from pitstream.events.refusal import Refusal
from pitstream.services.wallet.accounting.closing import (
    approve_correction,
    close_day,
    decline_correction,
    prepare_correction,
)
from pitstream.services.wallet.accounting.day import SIGNATURES, Place, Signer, TableDay, counts_of, evolve
from pitstream.services.wallet.accounting.figures import Counted, Settled, settled, settled_by, spans, whole
from pitstream.services.wallet.accounting.slips import (
    buy_in_transfers,
    cancel_slip,
    may_buy_in,
    prepare_slip,
    sign_slip,
)

SHIFTS = ("day", "swing", "grave")
PLACE = Place("uth-01", "USD", "2026-03-28", "local", SHIFTS)


def person(role: str, name: str = "") -> Signer:
    return Signer(name or f"a.{role}", frozenset({role}))


def pieces(amount: int) -> tuple[Pieces, ...]:
    return (Pieces(denomination=amount, pieces=1),) if amount else ()


def after(day: TableDay, decided: list[Event] | Refusal) -> TableDay:
    assert not isinstance(decided, Refusal), decided
    for event in decided:
        day = evolve(day, event)
    return day


class Day:
    """A table's day as people write it down."""

    def __init__(self) -> None:
        self.day = TableDay()
        self.slips = 0

    def slip(self, kind: Any, amount: int, shift: str = "day") -> "Day":
        self.slips += 1
        number = f"S-{self.slips}"
        first, second = SIGNATURES[kind]
        self.day = after(self.day, prepare_slip(PLACE, self.day, kind, number, shift, pieces(amount), person(first)))
        self.day = after(self.day, sign_slip(PLACE, self.day, number, person(second)))
        return self

    def half(self, kind: Any, amount: int, shift: str = "day") -> "Day":
        self.slips += 1
        who = person(SIGNATURES[kind][0])
        self.day = after(self.day, prepare_slip(PLACE, self.day, kind, f"S-{self.slips}", shift, pieces(amount), who))
        return self

    def buy_in(self, amount: int, shift: str = "day") -> "Day":
        assert may_buy_in(PLACE, self.day, shift) is None
        transfers = buy_in_transfers(PLACE, "p1", amount, f"c{self.slips}")
        posted = BuyInPosted(
            account="player/p1/USD", table="uth-01", gaming_day=PLACE.gaming_day, shift=shift, taken_by="d",
            transfers=transfers, balance_after=amount,
        )  # fmt: skip
        self.day = evolve(self.day, posted)
        return self

    def close(self) -> "Day":
        self.day = after(self.day, close_day(PLACE, self.day, 0, (), (), person("auditor")))
        return self


DAY = st.lists(
    st.tuples(
        st.lists(
            st.one_of(
                st.tuples(st.sampled_from(["fill", "credit", "buy_in"]), st.integers(1, 10**6)),
                st.tuples(st.just("won"), st.integers(-(10**5), 10**5)),
            ),
            max_size=6,
        ),
        st.booleans(),
    ),
    min_size=3,
    max_size=3,
)


@given(opener=st.integers(10**8, 10**9), played=DAY, drop_apart=st.booleans())
def test_the_formula_gives_the_true_win_of_any_day_and_the_spans_add_up_to_it(opener, played, drop_apart):
    day = Day().slip("opener", opener)
    chips, won, box, boxes = opener, 0, 0, []
    for shift, (steps, counted) in zip(SHIFTS, played, strict=True):
        for what, amount in steps:
            match what:
                case "fill":
                    day.slip("fill", amount, shift)
                    chips += amount
                case "credit":
                    day.slip("credit", amount, shift)
                    chips -= amount
                case "buy_in":
                    day.buy_in(amount, shift)
                    chips -= amount
                    box += amount
                case _:
                    chips += amount
                    won += amount
        if counted or shift == "grave":
            day.slip("closer", chips, shift)
        if drop_apart:
            boxes.append((box, shift))
            box = 0
    # Boxes are counted the morning after.
    for amount, shift in [*boxes, (box, "grave")]:
        day.slip("drop", amount, shift)
    counts = counts_of(day.day, SHIFTS)
    total = whole(counts)
    assert total.win == won
    assert total.drop == total.buy_ins
    assert total.hold == (Fraction(won, total.drop) if total.drop else None)
    each = spans(counts)
    assert sum(one.win for one in each) == won
    assert [one.opener for one in each[1:]] == [one.closer for one in each[:-1]]
    assert sum((one.shifts for one in each), ()) == tuple(count.shift for count in counts)
    closed = day.close().day
    assert closed.sheet.counts == counts
    assert close_day(PLACE, closed, 7, (), (5,), person("auditor")) == []


@given(
    st.lists(
        st.builds(
            WagerSum,
            shift=st.sampled_from(SHIFTS), game=st.sampled_from(["a", "b"]), wager=st.sampled_from(["x", "y"]),
            paytable=st.just("A"), bets=st.integers(0, 9), handle=st.integers(0, 2**60), taken=st.integers(0, 2**60),
            paid=st.integers(0, 2**60), edge=st.sampled_from(["", "0", "1/40", "50643648973/2317817502000", "-1/7"]),
            exposure=st.integers(0, 2**60),
        ),
        max_size=12,
    )
)  # fmt: skip
def test_parts_add_up_to_the_whole_whichever_way_a_day_is_cut(wagers):
    total = settled(wagers)
    for key in (lambda one: one.shift, lambda one: one.game, lambda one: one.wager):
        assert sum(settled_by(wagers, key).values(), Settled()) == total
    assert total.theoretical == sum(
        ((one.handle + one.exposure) * Fraction(one.edge) for one in wagers if one.edge), Fraction(0)
    )
    assert total.unpriced == sum(one.handle for one in wagers if not one.edge)
    assert total.win == total.taken - total.paid


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        pytest.param([], (None, 0, 0, 0, None, None, None), id="nothing counted"),
        pytest.param([ShiftCount(shift="day", opener=100)], (100, 0, 0, 0, None, None, None), id="not closed"),
        pytest.param(
            [ShiftCount(shift="day", opener=100, fills=50, credits=20, drop=80, closer=90)],
            (100, 50, 20, 80, 90, 40, Fraction(1, 2)),
            id="90 - 100 - 50 + 20 + 80 = 40, half of the drop",
        ),
        pytest.param(
            [ShiftCount(shift="day", opener=100, closer=40)], (100, 0, 0, 0, 40, -60, None), id="no drop, no hold"
        ),
        pytest.param(
            [ShiftCount(shift="day", opener=100), ShiftCount(shift="grave", closer=100, drop=30)],
            (100, 0, 0, 30, 100, 30, Fraction(1)),
            id="over two shifts",
        ),
    ],
)
def test_win_and_hold(counts, expected):
    found = whole(counts)
    assert (
        found.opener, found.fills, found.credits, found.drop, found.closer, found.win, found.hold,
    ) == expected  # fmt: skip


def test_a_shift_that_ended_without_a_count_is_told_with_the_next_one():
    day = Day().slip("opener", 500).slip("fill", 100).slip("credit", 40, "swing").slip("closer", 600, "swing")
    day.slip("closer", 650, "grave").slip("drop", 70, "day")
    assert spans(counts_of(day.day, SHIFTS)) == [
        Counted(("day", "swing"), 500, 100, 40, 70, 0, 600),
        Counted(("grave",), 600, 0, 0, 0, 0, 650),
    ]


OPENED = Day().slip("opener", 500).day
SWING_CLOSED = Day().slip("opener", 500).slip("closer", 400, "swing").day
FILL_HALF = Day().slip("opener", 500).half("fill", 100).day
CLOSED = Day().slip("opener", 500).slip("closer", 400).close().day


@pytest.mark.parametrize(
    ("day", "kind", "shift", "amount", "who", "refused"),
    [
        pytest.param(
            TableDay(), "fill", "day", 1, "cashier", ("opener_missing", "kind"), id="a fill before the opener"
        ),
        pytest.param(TableDay(), "closer", "day", 1, "dealer", ("opener_missing", "kind"), id="a closer before it"),
        pytest.param(
            Day().half("opener", 5).day, "fill", "day", 1, "cashier", ("opener_missing", "kind"), id="unsigned"
        ),
        pytest.param(OPENED, "opener", "swing", 1, "dealer", ("opener_counted", "kind"), id="a second opener"),
        pytest.param(
            Day().half("opener", 5).day, "opener", "day", 1, "dealer", ("opener_counted", "kind"), id="one waits"
        ),
        pytest.param(OPENED, "fill", "noon", 1, "cashier", ("unknown_shift", "shift"), id="no such shift"),
        pytest.param(SWING_CLOSED, "fill", "swing", 1, "cashier", ("shift_counted", "shift"), id="after the closer"),
        pytest.param(SWING_CLOSED, "credit", "day", 1, "cashier", ("shift_counted", "shift"), id="an earlier shift"),
        pytest.param(SWING_CLOSED, "closer", "swing", 1, "dealer", ("shift_counted", "shift"), id="a second closer"),
        pytest.param(FILL_HALF, "closer", "day", 1, "dealer", ("slips_waiting", "kind"), id="a fill on its way"),
        pytest.param(CLOSED, "drop", "day", 1, "cashier", ("day_closed", "gaming_day"), id="the day is closed"),
        pytest.param(OPENED, "fill", "day", 0, "cashier", ("amount_out_of_range", "pieces"), id="a fill of nothing"),
        pytest.param(
            OPENED, "fill", "day", AMOUNT_MAX + 1, "cashier", ("amount_out_of_range", "pieces"), id="too much"
        ),
        pytest.param(OPENED, "fill", "day", 1, "dealer", ("wrong_signature", "credential"), id="a dealer's fill"),
        pytest.param(OPENED, "drop", "day", 1, "floorperson", ("wrong_signature", "credential"), id="a pit's drop"),
        pytest.param(TableDay(), "opener", "day", 1, "cashier", ("wrong_signature", "credential"), id="a cage's count"),
    ],
)
def test_a_slip_that_may_not_be_made_out(day, kind, shift, amount, who, refused):
    found = prepare_slip(PLACE, day, kind, "S-9", shift, pieces(amount), person(who))
    assert isinstance(found, Refusal)
    assert (found.code, found.field) == refused


@pytest.mark.parametrize("kind", ["opener", "fill", "credit", "closer", "drop"])
@pytest.mark.parametrize("turned", [False, True])
def test_a_slip_counts_once_two_people_of_its_two_roles_have_signed_in_either_order(kind, turned):
    first, second = reversed(SIGNATURES[kind]) if turned else SIGNATURES[kind]
    day = TableDay() if kind == "opener" else OPENED
    day = after(day, prepare_slip(PLACE, day, kind, "S-9", "day", pieces(100), person(first)))
    before = counts_of(day, SHIFTS)
    codes = {}
    for name, roles in {
        f"a.{first}": {first, second}, "another": {first}, "a.stranger": {"platform", "operations", "progressive"},
    }.items():  # fmt: skip
        refused = sign_slip(PLACE, day, "S-9", Signer(name, frozenset(roles)))
        codes[name] = refused.code if isinstance(refused, Refusal) else "signed"
    assert codes == {f"a.{first}": "same_person", "another": "wrong_signature", "a.stranger": "wrong_signature"}
    decided = sign_slip(PLACE, day, "S-9", Signer("another", frozenset({first, second})))
    signed = after(day, decided)
    assert counts_of(signed, SHIFTS) != before
    assert [(moved.debit, moved.credit, moved.amount) for moved in decided[0].transfers] == {
        "fill": [("cash/local/USD", "table/uth-01/USD", 100)],
        "credit": [("table/uth-01/USD", "cash/local/USD", 100)],
        "drop": [("drop/uth-01/USD", "cash/local/USD", 100)],
    }.get(kind, [])
    again = sign_slip(PLACE, signed, "S-9", person(second, "a.third"))
    assert (again.code, again.field) == ("slip_ended", "slip")
    assert cancel_slip(PLACE, signed, "S-9", "late", person(first)).code == "slip_ended"


def test_a_cancelled_slip_counts_for_nothing_and_makes_room():
    day = Day().half("opener", 500).day
    assert cancel_slip(PLACE, day, "S-1", "wrong count", person("cashier")).code == "wrong_signature"
    day = after(day, cancel_slip(PLACE, day, "S-1", "wrong count", person("dealer")))
    assert counts_of(day, SHIFTS) == ()
    assert not isinstance(prepare_slip(PLACE, day, "opener", "S-2", "day", (), person("dealer")), Refusal)


@pytest.mark.parametrize(
    ("day", "underway", "code"),
    [
        pytest.param(OPENED, (), "closer_missing", id="opened with a count"),
        pytest.param(
            Day().slip("opener", 5).slip("closer", 5).slip("fill", 1, "swing").day, (), "closer_missing", id="fill"
        ),
        pytest.param(
            Day().slip("opener", 5).slip("closer", 5).buy_in(1, "swing").day, (), "closer_missing", id="buy-in"
        ),
        pytest.param(FILL_HALF, (), "slips_waiting", id="one signature"),
        pytest.param(TableDay(), (17, 18), "rounds_in_progress", id="rounds are played"),
    ],
)
def test_a_day_that_may_not_be_closed(day, underway, code):
    refused = close_day(PLACE, day, 2, (), underway, person("auditor"))
    assert isinstance(refused, Refusal)
    assert refused.code == code


def test_a_drop_box_without_anything_else_needs_no_further_closer():
    day = Day().slip("opener", 5).slip("closer", 5).slip("drop", 7, "swing").close().day
    assert whole(day.sheet.counts).drop == 7


def test_a_correction_keeps_the_old_figures_and_moves_the_difference_both_ways():
    day = Day().slip("opener", 500).slip("fill", 100).slip("drop", 70).slip("closer", 600).close().day
    counts = tuple(
        CountCorrected(shift="day", figure=figure, amount=amount)
        for figure, amount in (("fills", 90), ("drop", 75), ("closer", 590))
    )
    day = after(day, prepare_correction(PLACE, day, counts, False, "misread", person("floorperson")))
    assert prepare_correction(PLACE, day, counts, False, "again", person("auditor")).code == "correction_waiting"
    for who, number, code in (
        (person("auditor"), 2, "unknown_correction"),
        (person("floorperson"), 1, "same_person"),
        (person("floorperson", "b"), 1, "wrong_signature"),
        (person("cashier"), 1, "wrong_signature"),
    ):
        assert approve_correction(PLACE, day, number, "2026-04-02", 0, (), who).code == code
    (corrected,) = approve_correction(PLACE, day, 1, "2026-04-02", 0, (), person("auditor"))
    assert (corrected.dated, corrected.was, corrected.prepared_by, corrected.approved_by) == (
        "2026-04-02", day.sheet, "a.floorperson", "a.auditor",
    )  # fmt: skip
    assert corrected.becomes.counts == (ShiftCount(shift="day", opener=500, fills=90, drop=75, closer=590),)
    assert [(moved.debit, moved.credit, moved.amount) for moved in corrected.transfers] == [
        ("table/uth-01/USD", "cash/local/USD", 10),
        ("drop/uth-01/USD", "cash/local/USD", 5),
    ]
    day = evolve(day, corrected)
    assert (len(day.sheets), day.sheet.counts[0].fills, day.waiting) == (2, 90, None)


def test_a_declined_correction_changes_nothing_and_the_next_has_the_next_number():
    counts = (CountCorrected(shift="day", figure="closer", amount=1),)
    day = after(CLOSED, prepare_correction(PLACE, CLOSED, counts, False, "?", person("auditor")))
    day = after(day, decline_correction(PLACE, day, 1, "no", person("auditor")))
    assert day.sheets == CLOSED.sheets
    day = after(day, prepare_correction(PLACE, day, counts, False, "!", person("auditor")))
    assert day.waiting.number == 2
    assert approve_correction(PLACE, day, 2, "2026-04-02", 0, (), person("floorperson"))[0].number == 2


@pytest.mark.parametrize(
    ("day", "counts", "differs", "code"),
    [
        pytest.param(OPENED, (), True, "day_not_closed", id="an open day"),
        pytest.param(CLOSED, (), False, "nothing_to_correct", id="nothing is wrong"),
        pytest.param(
            CLOSED, (CountCorrected(shift="noon", figure="drop", amount=1),), False, "unknown_shift", id="no such shift"
        ),
        pytest.param(
            CLOSED,
            (CountCorrected(shift="day", figure="drop", amount=AMOUNT_MAX + 1),),
            False,
            "amount_out_of_range",
            id="too much",
        ),
    ],
)
def test_a_correction_that_may_not_be_prepared(day, counts, differs, code):
    refused = prepare_correction(PLACE, day, counts, differs, "why", person("auditor"))
    assert isinstance(refused, Refusal)
    assert refused.code == code
