"""Why a table's count of its wagers and a network's meters differ: a planted fault of each kind, found and named."""

from typing import Any

import pytest

from pitstream.cli.reconcile_network import Incident, NetworkReport, TableReport, causes

COUNTED = {"stakes": 300, "void": False, "answered": True}
TOOK = {"taken": 300, "returned": False, "question": None}

FAULTS = [
    pytest.param(COUNTED, TOOK, None, 0, id="both say the same"),
    pytest.param({**COUNTED, "void": True}, {**TOOK, "returned": True}, None, 0, id="void, and returned"),
    pytest.param({**COUNTED, "void": True}, None, None, 0, id="void before the meters heard of it"),
    pytest.param({**COUNTED, "answered": False}, None, "not_answered", 300, id="the network is silent"),
    pytest.param(COUNTED, None, "missing_at_the_meter", 300, id="later rounds were answered for, this one was not"),
    pytest.param(COUNTED, {**TOOK, "taken": 0, "question": "waits"}, "waits_for_a_person", 300, id="questioned"),
    pytest.param(COUNTED, {**TOOK, "taken": 0, "question": "kept out"}, "kept_out", 300, id="kept out"),
    pytest.param(COUNTED, {**TOOK, "question": "admitted"}, None, 0, id="questioned, and admitted"),
    pytest.param({**COUNTED, "void": True}, TOOK, "not_returned", -300, id="void, and not returned"),
    pytest.param(COUNTED, {**TOOK, "taken": 299}, "stakes_differ", 1, id="another amount"),
    pytest.param(None, TOOK, "unknown_to_the_table", -300, id="wagers that the table never counted"),
]


@pytest.mark.parametrize(("told", "took", "cause", "amount"), FAULTS)
def test_one_fault_is_one_incident_with_its_cause(told: Any, took: Any, cause: str | None, amount: int) -> None:
    found = causes({} if told is None else {7: told}, {} if took is None else {7: took})
    assert [(one.cause, one.amount, one.rounds) for one in found] == ([] if cause is None else [(cause, amount, (7,))])


def test_rounds_of_one_cause_are_one_incident_that_names_the_first_of_them() -> None:
    silent = {number: {**COUNTED, "answered": False} for number in range(3, 13)}
    (one,) = causes({1: COUNTED, 2: COUNTED, **silent}, {1: TOOK, 2: TOOK})
    assert (one.cause, one.amount, one.rounds) == ("not_answered", 3000, (3, 4, 5, 6, 7))


@pytest.mark.parametrize(
    ("wagered", "taken", "meters", "agrees"),
    [
        (300, 300, {"main": (60, 60)}, True),
        (300, 200, {"main": (40, 40)}, False),
        (300, 300, {"main": (60, 59)}, False),
        (300, 300, {"main": (60, 60), "main/reserve": (3, 0)}, False),
    ],
)
def test_a_network_agrees_when_all_three_sides_of_every_table_do(
    wagered: int, taken: int, meters: dict[str, tuple[int, int]], agrees: bool
) -> None:
    sound = TableReport("t1", 100, 100, {"main": (20, 20)}, ())
    other = TableReport("t2", wagered, taken, meters, ())
    assert NetworkReport("n1", (sound, other)).agrees is agrees


def test_the_report_is_json_with_every_difference() -> None:
    incident = Incident("not_answered", 100, "late", (7,))
    report = NetworkReport("n1", (TableReport("t1", 300, 200, {"main": (40, 39)}, (incident,)),))
    assert report.as_json() == {
        "network": "n1",
        "agrees": False,
        "tables": [
            {
                "table": "t1",
                "wagered": 300,
                "taken": 200,
                "difference": 100,
                "meters": {"main": {"rose": 40, "posted": 39, "difference": 1}},
                "incidents": [{"cause": "not_answered", "amount": 100, "says": "late", "rounds": (7,)}],
            }
        ],
    }
