"""Cards and money as a terminal shows them."""

from collections.abc import Iterable

from rich.text import Text

from pitstream.story.words import card_text, money
from pitstream.story.words import signed as signed_text

__all__ = ["cards", "money", "signed"]

_RED = "dh"


def cards(codes: Iterable[str]) -> Text:
    """Cards side by side, red suits in red.

    >>> cards(["Td", "As"]).plain
    '10♦ A♠'
    """
    return Text(" ").join(Text(card_text(code), "bold red" if code[1] in _RED else "bold") for code in codes)


def signed(minor: int, currency: str) -> Text:
    """A win in green with its plus sign, a loss in red.

    >>> signed(500, "USD").plain, signed(0, "USD").plain
    ('+5.00', '0.00')
    """
    return Text(signed_text(minor, currency), "green" if minor > 0 else "red" if minor < 0 else "dim")
