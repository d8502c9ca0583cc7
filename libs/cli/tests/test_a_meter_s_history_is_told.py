"""``pitstream meter --explain``: the history of a network in sentences with running exact values, derived anew from
stakes and rates. Method: events written out here, told whole."""

import json
from fractions import Fraction
from io import StringIO

import pytest
from rich.console import Console

from pitstream.cli.meter import as_json, show_history, show_report
from pitstream.cli.meter_story import Line, explained
from pitstream.events import Event, Recorded, open_envelope, seal
from pitstream.events.ids import claim_id, progressive_stream
from pitstream.events.progressives import (
    ContributionsReturned,
    HandPayApproved,
    HitLocked,
    HitVerified,
    LockAccount,
    MeterContribution,
    MeterCorrected,
    MeterOpening,
    MeterTerms,
    NetworkOpened,
    Rate,
    TermsChanged,
    TransferSent,
    WagersContributed,
)

CLAIM = claim_id("t1", 1, 3, "progressive")
BY_TWO = {"proposed_by": "n", "approved_by": "m"}


def recorded(events: list[Event]) -> list[Recorded]:
    found: list[Recorded] = []
    for version, event in enumerate(events, start=1):
        data = seal(
            event,
            stream=progressive_stream("wide"),
            version=version,
            source="progressive",
            key="wide",
            key_sequence=version,
            recorded_at_us=1_767_225_600_000_000 + version,
            cause_id="",
            actor="test",
            traceparent="",
            previous_hash=found[-1].hash if found else b"",
        )
        found.append(open_envelope(data))
    return found


def fed(**amounts: int) -> tuple[MeterContribution, ...]:
    return (MeterContribution(meter="main", **amounts),)


EVENTS: list[Event] = [
    NetworkOpened(
        network="wide",
        currency="USD",
        meters=(
            MeterOpening(
                meter="main",
                seed=1_000,
                amount=5_000,
                rate_numerator=1,
                rate_denominator=5,
                reserve_rate=Rate(numerator=1, denominator=100),
                limit=6_000,
            ),
        ),
    ),
    WagersContributed(
        network="wide", table="t1", round_no=1, stakes=503, currency="USD",
        contributions=fed(posted=100, amount_after=5_100, carry_numerator=3, reserve_posted=5, reserve_after=5,
                          reserve_carry_numerator=3),
    ),
    WagersContributed(
        network="wide", table="t2", round_no=1, stakes=7, currency="USD",
        contributions=fed(posted=2, amount_after=5_102, carry_numerator=0, reserve_posted=0, reserve_after=5,
                          reserve_carry_numerator=10),
    ),
    ContributionsReturned(
        network="wide", table="t2", round_no=1, stakes=7, currency="USD",
        contributions=fed(posted=-2, amount_after=5_100, carry_numerator=3, reserve_posted=0, reserve_after=5,
                          reserve_carry_numerator=3),
    ),
    HitLocked(
        network="wide", claim_id=CLAIM, table="t1", round_no=1, seat=3, player="p3", wager="progressive", meter="main",
        percent=100, amount=5_100, meter_before=5_100, meter_after=1_000, currency="USD", rule="653a.11(k)",
        policy="sequential",
        account=LockAccount(base=5_100, from_meter=5_100, seed_from_reserve=5, seed_from_house=995,
                            wagers_taken_at=2, reason="100 % of what the meter shows: in the order of events"),
    ),
    HitVerified(network="wide", claim_id=CLAIM, verified_by="d", checks=("hand", "light")),
    HandPayApproved(network="wide", claim_id=CLAIM, floorperson="f", player="p3", table="t1", round_no=1, seat=3,
                    meter="main", amount=5_100, currency="USD", document="form 1"),
    TermsChanged(
        network="wide", proposal_id="c1", currency="USD", **BY_TWO,
        terms=MeterTerms(meter="main", seed=1_000, rate=Rate(numerator=1, denominator=7), limit=900),
        overflow_change=100, amount_after=900, overflow_after=100, carry_numerator=21, carry_denominator=35,
        reserve_carry_numerator=3, reserve_carry_denominator=100,
    ),
    MeterCorrected(network="wide", proposal_id="c2", currency="USD", **BY_TWO, meter="main", part="meter", change=-50,
                   overflow_change=-50, amount_after=900, overflow_after=50, reserve_after=0, reason="counted twice"),
    TransferSent(network="wide", transfer_id="c3", currency="USD", **BY_TWO, meter="main", to_network="new",
                 to_meter="mega", amount=950, reserve=0, overflow_change=-50, amount_after=0, overflow_after=0,
                 reserve_after=0),
]  # fmt: skip

TOLD = [
    (1, "opens with 50.00; seed 10.00, rate 1/5, reserve 1/100, limit 60.00", 5_000, "5000/1", 0, "0/1"),
    (2, "stakes of 5.03 of round t1/1", 5_100, "25503/5", 0, "503/100"),
    (3, "stakes of 0.07 of round t2/1", 5_102, "5102/1", 0, "51/10"),
    (4, "stakes of 0.07 are returned for the void round t2/1", 5_100, "25503/5", 0, "503/100"),
    (
        5,
        "locked 51.00 for seat 3 (p3) of t1/1: 100 % of what the meter shows: in the order of events; 0.05 from the "
        "reserve; 9.95 from the house",
        1_000,
        "5003/5",
        0,
        "3/100",
    ),
    (6, "d verified hand and light of seat 3 (p3) of t1/1", 1_000, "5003/5", 0, "3/100"),
    (7, "f validated 51.00 for seat 3 (p3) of t1/1 (form 1)", 1_000, "5003/5", 0, "3/100"),
    (8, "new terms: seed 10.00, rate 1/7, limit 9.00 (n, m)", 900, "5003/5", 100, "3/100"),
    (9, "the meter is corrected by -0.50: counted twice (n, m)", 900, "4753/5", 50, "3/100"),
    (10, "9.50 and 0.00 of the reserve sent to mega of new (n, m)", 0, "3/5", 0, "3/100"),
]


def row(line: Line) -> tuple[int, str, int, str, int, str]:
    told = as_json(line)
    return line.version, line.what, line.amount, told["exact"], line.overflow, told["reserve_exact"]


def test_every_event_is_told_with_where_the_meter_stands_to_the_last_fraction() -> None:
    lines = list(explained(recorded(EVENTS)))
    assert [row(line) for line in lines] == TOLD
    assert {line.differs for line in lines} == {""}
    assert json.dumps([as_json(line) for line in lines])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            {"amount_after": 5_101},
            "the event tells 25508/5, stakes and rates make 25503/5",
        ),
        ({"carry_numerator": 4}, "the event tells 25504/5, stakes and rates make 25503/5"),
        ({"reserve_after": 4}, "the event tells a reserve of 403/100, it should be 503/100"),
    ],
)
def test_an_event_that_tells_what_stakes_and_rates_do_not_make_is_named(change: dict[str, int], says: str) -> None:
    true = EVENTS[1]
    assert isinstance(true, WagersContributed)
    false = true.model_copy(update={"contributions": (true.contributions[0].model_copy(update=change),)})
    lines = list(explained(recorded([EVENTS[0], false])))
    assert [line.differs for line in lines] == ["", says]


def test_the_history_is_printed_with_its_exact_values() -> None:
    out = StringIO()
    show_history(list(explained(recorded(EVENTS))), None, "USD", Console(file=out, width=200))
    printed = out.getvalue()
    assert "5100 3/5" in printed
    assert "10 lines, none of them other than stakes and rates make; the hash chain holds" in printed
    assert Fraction(25_503, 5) == 5_100 + Fraction(3, 5)


def test_the_report_is_printed_with_the_last_hits() -> None:
    meter = {
        "meter": "main", "amount": 100_000, "overflow": 5, "reserve": 7, "seed": 100_000, "limit": None, "rate": "1/5",
        "hits": 1, "wins": 5_100,
        "latest_hits": [{"amount": 5_100, "percent": 100, "table": "t1", "round_no": 1, "seat": 3, "player": "p3",
                         "status": "paid"}],
    }  # fmt: skip
    out = StringIO()
    report = {"network": "wide", "currency": "USD", "policy": "share", "meters": [meter]}
    show_report(report, None, Console(file=out, width=120))
    printed = out.getvalue()
    assert "wide, USD; hits close together: share" in printed
    assert "main: 51.00 (100 %) t1/1 seat 3 p3, paid" in printed
    assert [cell.strip() for cell in printed.splitlines()[4].strip("│").split("│")] == [
        "main", "1,000.00", "0.05", "0.07", "1,000.00", "none", "1/5", "1", "51.00",
    ]  # fmt: skip
