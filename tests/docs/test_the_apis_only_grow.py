"""What was shipped of the HTTP APIs and the topics is still there. Method: ``docs/contract.py`` compares the documents
with the copy that was shipped; each kind of break, planted one at a time, must be named."""

import copy
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

CONTRACT = runpy.run_path(str(Path(__file__).parents[2] / "docs/contract.py"))
TODAY = CONTRACT["today"]()
WITHDRAW = "/v1/players/{player}/{currency}/withdrawals"


def operation(documents: dict[str, Any], path: str = WITHDRAW, method: str = "post") -> dict[str, Any]:
    return documents["wallet.json"]["paths"][path][method]


def schema(documents: dict[str, Any], name: str) -> dict[str, Any]:
    return documents["wallet.json"]["components"]["schemas"][name]


def test_nothing_that_was_shipped_is_broken() -> None:
    assert CONTRACT["broken"](CONTRACT["shipped"](), TODAY) == []


BREAKS: list[tuple[str, Callable[[dict[str, Any]], object]]] = [
    ("wallet.json: gone", lambda d: d.pop("wallet.json")),
    (f"wallet.json: POST {WITHDRAW}: gone", lambda d: d["wallet.json"]["paths"].pop(WITHDRAW)),
    (f"wallet.json: POST {WITHDRAW}: 201: gone", lambda d: operation(d)["responses"].pop("201")),
    (
        f"wallet.json: POST {WITHDRAW}: query parameter why: is asked for now",
        lambda d: operation(d)["parameters"].append({"in": "query", "name": "why", "required": True}),
    ),
    (
        f"wallet.json: POST {WITHDRAW}: path parameter player: gone",
        lambda d: operation(d)["parameters"].remove(
            next(one for one in operation(d)["parameters"] if one["name"] == "player")
        ),
    ),
    ("body.amount: gone", lambda d: schema(d, "AmountBody")["properties"].pop("amount")),
    (
        "body.purpose: is asked for now",
        lambda d: schema(d, "AmountBody").update(
            properties={**schema(d, "AmountBody")["properties"], "purpose": {"type": "string"}},
            required=[*schema(d, "AmountBody")["required"], "purpose"],
        ),
    ),
    ("asyncapi.json: wallet.v1: gone", lambda d: d["asyncapi.json"]["channels"].pop("wallet.v1")),
    (
        "asyncapi.json: headers.ce_id: gone",
        lambda d: d["asyncapi.json"]["components"]["schemas"]["Headers"]["properties"].pop("ce_id"),
    ),
    (
        "asyncapi.json: headers.ce_type: may be missing now",
        lambda d: d["asyncapi.json"]["components"]["schemas"]["Headers"]["required"].remove("ce_type"),
    ),
]


@pytest.mark.parametrize(("named", "change"), BREAKS, ids=[named for named, _ in BREAKS])
def test_a_break_is_named(named: str, change: Callable[[dict[str, Any]], object]) -> None:
    changed = copy.deepcopy(TODAY)
    change(changed)
    found = CONTRACT["broken"](TODAY, changed)
    assert any(line.endswith(named) for line in found), found


def test_what_grows_breaks_nothing() -> None:
    grown = copy.deepcopy(TODAY)
    operation(grown)["parameters"].append({"in": "query", "name": "note", "required": False, "schema": {}})
    schema(grown, "AmountBody")["properties"]["note"] = {"type": "string"}
    grown["wallet.json"]["paths"]["/v2/players"] = {"get": {"responses": {}}}
    assert CONTRACT["broken"](TODAY, grown) == []
    assert CONTRACT["broken"](grown, TODAY) != []
