"""Cursors: where the next page goes on. Opaque to callers, so that what is in them may change."""

import base64
from collections.abc import Callable
from typing import TypeVar

from pitstream.events.model import INT64_MAX
from pitstream.events.refusal import Refusal
from pitstream.runtime import AnsweredError, Outcome

LIMIT_MAX = 1_000
LIMIT = 100

Place = TypeVar("Place")


def cursor_of(kind: str, place: str | int) -> str:
    """The cursor of a place in a list of ``kind``.

    >>> cursor_of("statement", 17)
    'c3RhdGVtZW50CjE3'
    """
    return base64.urlsafe_b64encode(f"{kind}\n{place}".encode()).decode().rstrip("=")


def place_of(cursor: str | None, kind: str, read: Callable[[str], Place]) -> Place | None:
    """The place in a list of ``kind`` that ``cursor`` names; None for the beginning.

    ``read`` raises ValueError for what is no place. Raises AnsweredError for a cursor of another list, or of no list.

    >>> place_of("c3RhdGVtZW50CjE3", "statement", position), place_of(None, "statement", position)
    (17, None)
    """
    if cursor is None:
        return None
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode()
        written, newline, place = text.partition("\n")
        if newline and written == kind:
            return read(place)
    except ValueError:
        pass
    refusal = Refusal("invalid_cursor", "after", f"was {cursor[:200]!r}; allowed: the `next` of a page of this list")
    raise AnsweredError(Outcome.refused(refusal))


def position(text: str) -> int:
    """A position as a cursor has it."""
    found = int(text)
    if not 0 <= found <= INT64_MAX:
        raise ValueError(f"position: was {found}; allowed: 0 to {INT64_MAX}")
    return found


def name(text: str) -> str:
    """A name as a cursor has it; a database takes no character 0."""
    if "\x00" in text:
        raise ValueError("name: has a character 0")
    return text
