"""A table and a network that does not answer: when the progressive wager is closed, and when it is taken again."""

import pytest

from pitstream.events.refusal import Refusal
from pitstream.events.rounds import ProgressiveResumed, ProgressiveSuspended, TableOpened
from pitstream.games.commands import CloseTable, NetworkTerms, OpenTable
from pitstream.games.network import Unanswered, notice, retired_fault, suspended_fault
from pitstream.games.paytables import bundled
from pitstream.games.table import Closed, Open, decide, evolve

PAYTABLES = {"ante": "A", "blind": "A", "play": "A", "trips": "A", "progressive": "sister-A", "five_card": "house-1"}
OPENING = OpenTable(
    table="uth-01",
    game="ultimate_texas_holdem",
    gaming_day="2025-05-03",
    currency="USD",
    paytables=PAYTABLES,
    network="n1",
    network_terms=NetworkTerms(currency="USD", meters=("main",)),
)
SUSPENDED = ProgressiveSuspended(table="uth-01", network="n1", round_no=7, silent_s=120)
RESUMED = ProgressiveResumed(table="uth-01", network="n1")


def terms() -> TableOpened:
    events = decide(Closed(), OPENING)
    assert isinstance(events, list)
    (opened,) = events
    assert isinstance(opened, TableOpened)
    return opened


@pytest.mark.parametrize(
    ("before", "unanswered", "noticed"),
    [
        pytest.param(None, None, [], id="the network has answered for everything"),
        pytest.param(None, Unanswered(7, 119), [], id="the oldest unanswered round is not old enough"),
        pytest.param(None, Unanswered(7, 120), [SUSPENDED], id="it is: no more progressive wagers"),
        pytest.param(SUSPENDED, Unanswered(7, 500), [], id="noticed before"),
        pytest.param(SUSPENDED, Unanswered(9, 3), [], id="it answered for some rounds: not before it did for all"),
        pytest.param(SUSPENDED, None, [RESUMED], id="it answered for all: progressive wagers again"),
    ],
)
def test_what_a_table_notices(
    before: ProgressiveSuspended | None, unanswered: Unanswered | None, noticed: list[object]
) -> None:
    assert notice(terms(), before, unanswered, 120) == noticed


def test_a_table_without_a_network_notices_nothing() -> None:
    alone = terms().model_copy(update={"network": None})
    assert notice(alone, None, Unanswered(7, 10_000), 120) == []


@pytest.mark.parametrize(
    ("stakes", "refused"),
    [
        pytest.param({"ante": 1000, "blind": 1000, "trips": 500}, None, id="the round goes on without"),
        pytest.param({"ante": 1000, "blind": 1000, "progressive": 100}, "stakes.progressive", id="feeds the meter"),
        pytest.param({"ante": 1000, "blind": 1000, "five_card": 100}, "stakes.five_card", id="may win a share of it"),
    ],
)
def test_wagers_while_the_network_is_silent(stakes: dict[str, int], refused: str | None) -> None:
    fault = suspended_fault(terms(), SUSPENDED, stakes, bundled())
    assert suspended_fault(terms(), None, stakes, bundled()) is None
    if refused is None:
        assert fault is None
    else:
        wager = refused.removeprefix("stakes.")
        reason = f"network n1 has not answered for round 7 in 120 s; the round goes on without {wager}"
        assert fault == Refusal("progressive_suspended", refused, reason)


def test_the_session_remembers_what_was_noticed_until_the_table_closes() -> None:
    opened = evolve(Closed(), terms())
    suspended = evolve(opened, SUSPENDED)
    assert suspended == Open(terms(), SUSPENDED)
    assert evolve(suspended, RESUMED) == opened
    closed = decide(suspended, CloseTable(table="uth-01", reason="end of the gaming day"))
    assert isinstance(closed, list)
    assert evolve(suspended, closed[0]) == Closed("end of the gaming day")


MEGA = OPENING.model_copy(
    update={
        "paytables": {**PAYTABLES, "progressive": "sister-C"},
        "network_terms": NetworkTerms(currency="USD", meters=("main", "mega", "major", "minor")),
    }
)


@pytest.mark.parametrize(
    ("left", "wager", "refused"),
    [
        pytest.param(("main", "mega", "major", "minor"), "progressive", None, id="every meter is there"),
        pytest.param(("mega", "major", "minor"), "progressive", None, id="another wager's meter is retired"),
        pytest.param(("main", "mega", "minor"), "progressive", "meter major", id="one of its meters is retired"),
        pytest.param(None, "progressive", "meter major", id="the network is retired"),
        pytest.param(None, "trips", None, id="a wager of the table's own"),
        pytest.param(("mega", "major", "minor"), "five_card", "meter main", id="a side wager's meter is retired"),
    ],
)
def test_nobody_bets_on_a_meter_that_is_retired_though_the_table_opened_with_it(
    left: tuple[str, ...] | None, wager: str, refused: str | None
) -> None:
    events = decide(Closed(), MEGA)
    assert isinstance(events, list)
    (opened,) = events
    assert isinstance(opened, TableOpened)
    there = None if left is None else NetworkTerms(currency="USD", meters=left)
    fault = retired_fault(opened, there, {"ante": 1000, wager: 100}, bundled())
    if refused is None:
        assert fault is None
    else:
        why = f"{refused} of network n1 is retired; the round goes on without {wager}"
        assert fault == Refusal("meter_retired", f"stakes.{wager}", why)
