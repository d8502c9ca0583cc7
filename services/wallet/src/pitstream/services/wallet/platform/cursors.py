"""Cursors: where the next page goes on. Opaque to callers, so that what is in them may change."""

import base64
import binascii

from pitstream.events.refusal import Refusal

LIMIT_MAX = 1_000
LIMIT = 100


def cursor_of(*place: str | int) -> str:
    """The cursor of a place in an order.

    >>> cursor_of("statement", 17)
    'c3RhdGVtZW50CjE3'
    """
    return base64.urlsafe_b64encode("\n".join(str(part) for part in place).encode()).decode().rstrip("=")


def place_of(cursor: str | None, kind: str) -> str | Refusal | None:
    """The place in a list of ``kind`` that ``cursor`` names; None for the beginning.

    >>> place_of("c3RhdGVtZW50CjE3", "statement"), place_of(None, "statement")
    ('17', None)
    >>> place_of("c3RhdGVtZW50CjE3", "holds").code
    'invalid_cursor'
    """
    if cursor is None:
        return None
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode()
    except (binascii.Error, ValueError):
        text = ""
    written, newline, place = text.partition("\n")
    if not newline or written != kind or "\x00" in place:
        return Refusal("invalid_cursor", "after", f"was {cursor[:200]!r}; allowed: a page's own `next`")
    return place
