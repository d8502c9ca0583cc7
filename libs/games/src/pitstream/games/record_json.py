"""Reading the JSON of a round record strictly, and the errors that it can have."""

import json
import math
from collections import Counter
from collections.abc import Set
from typing import Any, Final, NoReturn

CODES: Final = (
    "invalid_json",
    "unknown_game",
    "unknown_card",
    "duplicate_card",
    "wrong_card_count",
    "unknown_wager",
    "invalid_stake",
    "illegal_decision",
    "missing_wager",
    "unknown_paytable",
    "paytable_not_in_effect",
    "missing_meter",
)
"""Every code a record can be refused with."""

_DIGITS_MAX = 4000


class RecordError(ValueError):
    """A record that cannot be settled. ``id``: the record's, None when it could not be read. ``path`` may be empty."""

    def __init__(self, code: str, path: str, message: str, id_: str | None = None) -> None:
        super().__init__(f"{path}: {message}" if path else message)
        self.code = code
        self.path = path
        self.message = message
        self.id = id_


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A field given twice has no one value: which of two "void" would count?"""
    found = dict(pairs)
    if len(found) != len(pairs):
        # Counted in one go: a line may repeat one of a million fields.
        [(name, _)] = Counter(name for name, _ in pairs).most_common(1)
        raise RecordError("invalid_json", "", f"field {name!r} is given twice in one object")
    return found


def _no_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _long_integer(digits: str) -> int | float:
    """Python refuses to read integers of thousands of digits; infinity is refused below, at its own field."""
    return int(digits) if len(digits) < _DIGITS_MAX else math.inf


_DECODE = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_constant).decode
_DECODE_LONG = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_constant, parse_int=_long_integer).decode


def parse_line(line: bytes) -> dict[str, Any]:
    """The one JSON object on a line of UTF-8. Raises ``RecordError``."""
    decode = _DECODE if len(line) < _DIGITS_MAX else _DECODE_LONG
    try:
        raw = decode(line.decode("utf-8"))
    except RecordError as error:
        error.id = _id_of_line(line)
        raise
    except RecursionError:
        raise RecordError("invalid_json", "", "nested too deeply") from None
    except ValueError as error:
        raise RecordError("invalid_json", "", f"not JSON: {error}") from None
    if not isinstance(raw, dict):
        raise RecordError("invalid_json", "", f"was {_shown(raw)}; allowed: one JSON object a line")
    return raw


def _id_of_line(line: bytes) -> str | None:
    """The id of a line that repeats a field, unless it is broken further on."""
    try:
        return id_of(json.loads(line))
    except (ValueError, RecursionError):
        return None


def id_of(raw: object) -> str | None:
    """A record's own id; None when it has none that is text."""
    id_ = raw.get("id") if isinstance(raw, dict) else None
    return id_ if isinstance(id_, str) else None


def _shown(value: object) -> str:
    """A value for a message: as JSON, and not at any length."""
    try:
        text = json.dumps(value)
    except RecursionError:
        return "something nested too deeply"
    return text if len(text) <= 80 else f"{text[:77]}..."


def fault(code: str, path: str, value: object, allowed: str) -> RecordError:
    """What was found at ``path`` and what is allowed there."""
    return RecordError(code, path, f"was {_shown(value)}; allowed: {allowed}")


def require_fields(raw: dict[str, Any], required: Set[str], known: Set[str], path: str) -> None:
    """A field that the format does not know is refused: a misspelt "void" must not pay a void round."""
    if raw.keys() >= required and raw.keys() <= known:
        return
    for field in sorted(required):
        if field not in raw:
            raise RecordError("invalid_json", f"{path}{field}", f"was missing; {field} is required")
    field = next(field for field in raw if field not in known)
    raise RecordError("invalid_json", f"{path}{field}", f"unknown field; allowed: {', '.join(sorted(known))}")


def mapping_at(value: object, path: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise fault("invalid_json", path, value, "an object")
    return value


def text_at(value: object, path: str) -> str:
    if not isinstance(value, str) or not value or not (value.isascii() or _is_unicode(value)):
        raise fault("invalid_json", path, value, "text, not empty")
    return value


def _is_unicode(text: str) -> bool:
    """JSON can write half a surrogate pair, which is no character and could not be stored."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
