"""Amounts are integers or strings of digits. Method: each spelling through a strict model, as a body would be read."""

import json
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, ValidationError

from pitstream.events.model import AMOUNT_MAX
from pitstream.events.money import Amount, AmountOrNone, Whole


class Body(BaseModel):
    model_config = ConfigDict(strict=True)

    amount: Amount = 1
    least: AmountOrNone = 0
    any: Whole = 0


def read(field: str, text: str) -> Any:
    """What the service understands of ``text``, an amount as it stands in the JSON of a body."""
    return getattr(Body.model_validate(json.loads(f'{{"{field}": {text}}}')), field)


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("1", 1),
        ('"1"', 1),
        ("9007199254740993", 2**53 + 1),
        ('"9007199254740993"', 2**53 + 1),
        (str(AMOUNT_MAX), AMOUNT_MAX),
        (f'"{AMOUNT_MAX}"', AMOUNT_MAX),
    ],
)
def test_an_integer_and_the_string_of_its_digits_are_one_amount(text: str, amount: int) -> None:
    assert read("amount", text) == amount
    assert Body.model_validate_json(f'{{"amount": {text}}}').amount == amount


@pytest.mark.parametrize(
    "text",
    [
        "1.0", "1e3", "1E3", "0.1", "9007199254740993.0", "true", "null", "[1]", "{}", "NaN", "Infinity",
        '"1.0"', '"1e3"', '"+1"', '" 1"', '"1 "', '"1_000"', '"1,000"', '"01"', '"0x10"', '"٣"', '"１"', '""', '"one"',
        '"99999999999999999999"',
    ],
)  # fmt: skip
def test_what_has_been_through_a_float_and_what_is_no_number_is_refused(text: str) -> None:
    for field in Body.model_fields:
        with pytest.raises(ValidationError) as refused:
            read(field, text)
        assert [fault["msg"] for fault in refused.value.errors()] == [
            "allowed: an integer of minor units, or a string of its digits"
        ]


@pytest.mark.parametrize(
    ("field", "text"),
    [("amount", "0"), ("amount", "-1"), ("amount", '"-1"'), ("amount", str(AMOUNT_MAX + 1)), ("least", "-1")],
)
def test_each_amount_has_its_limits(field: str, text: str) -> None:
    with pytest.raises(ValidationError, match=r"greater than or equal to|less than or equal to"):
        read(field, text)


def test_the_limit_is_beyond_what_a_float_can_count() -> None:
    assert AMOUNT_MAX > 2**53 + 1


def test_what_the_schema_says_is_what_is_read() -> None:
    assert Body.model_json_schema()["properties"]["amount"] == {
        "anyOf": [
            {"type": "integer", "format": "int64", "minimum": 1, "maximum": AMOUNT_MAX},
            {"type": "string", "pattern": "^(0|[1-9][0-9]{0,18})$"},
        ],
        "examples": [50_000],
        "default": 1,
        "title": "Amount",
    }
