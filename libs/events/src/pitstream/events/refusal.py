"""An expected "no": a value with a stable code, never an exception."""

from dataclasses import dataclass
from typing import Final

_SHOWN_MAX: Final = 200


@dataclass(frozen=True, slots=True)
class Refusal:
    """A command that may not be carried out.

    ``code`` never changes and is listed in ``docs/errors.md``; ``field`` names the command's field; ``message`` says
    what was found and what is allowed.
    """

    code: str
    field: str
    message: str


def shown(value: object) -> str:
    """A value as an error names it: whole when it is short, its beginning otherwise.

    >>> shown("12"), shown(10**5000)
    ("'12'", 'a number too long to be shown')
    """
    try:
        text = repr(value)
    except ValueError:  # Python writes out no number of thousands of digits
        return "a number too long to be shown"
    return text if len(text) <= _SHOWN_MAX else f"{text[:_SHOWN_MAX]}…"
