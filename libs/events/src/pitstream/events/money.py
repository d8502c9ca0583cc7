"""Money in JSON: one rule for every amount of every service.

**In**: an integer, or a string of its digits. ``500`` and ``"500"`` are the same amount. A number with a point or
an exponent is refused even where its value is whole: ``5.0`` and ``1e3`` have been through a float, or will go through
one, and a float has no cents beyond 2^53.

**Out**: an integer in minor units, written with all its digits. JSON sets integers no limit, and every language but
JavaScript reads them exactly by default; JavaScript does so with
``JSON.parse(text, (key, value, {source}) => Number.isInteger(value) ? BigInt(source) : value)``.
"""

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from pitstream.events.model import AMOUNT_MAX

# ASCII digits only: Python's own int() would take other scripts' digits, underscores and blanks.
_DIGITS = re.compile(r"-?(0|[1-9][0-9]{0,18})")


def read_amount(value: Any) -> int:
    """An amount as it came in JSON. Raises PydanticCustomError for all but an integer or the digits of one.

    >>> read_amount(9007199254740993), read_amount("9007199254740993")
    (9007199254740993, 9007199254740993)
    >>> read_amount(1e3)
    Traceback (most recent call last):
        ...
    pydantic_core._pydantic_core.PydanticCustomError: allowed: an integer of minor units, or a string of its digits
    """
    if type(value) is int:
        return value
    if isinstance(value, str) and _DIGITS.fullmatch(value):
        return int(value)
    raise PydanticCustomError("amount", "allowed: an integer of minor units, or a string of its digits")


def _schema(minimum: int | None, maximum: int | None) -> WithJsonSchema:
    limits = {key: limit for key, limit in (("minimum", minimum), ("maximum", maximum)) if limit is not None}
    digits = "^-?(0|[1-9][0-9]{0,18})$" if minimum is None else "^(0|[1-9][0-9]{0,18})$"
    number = {"type": "integer", "format": "int64", **limits}
    return WithJsonSchema({"anyOf": [number, {"type": "string", "pattern": digits}], "examples": [50_000]})


Whole = Annotated[int, BeforeValidator(read_amount), _schema(None, None)]
"""Minor units without a limit of their own: whatever the rules judge comes through, so that a refusal can name it."""
Amount = Annotated[int, Field(ge=1, le=AMOUNT_MAX), BeforeValidator(read_amount), _schema(1, AMOUNT_MAX)]
"""Minor units that a command moves: 1 to ``AMOUNT_MAX``."""
AmountOrNone = Annotated[int, Field(ge=0, le=AMOUNT_MAX), BeforeValidator(read_amount), _schema(0, AMOUNT_MAX)]
"""Minor units that may be nothing: 0 to ``AMOUNT_MAX``."""
