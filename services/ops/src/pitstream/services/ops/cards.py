"""Cards as small numbers, so that the database finds who was dealt which. Pure."""

import re
from collections.abc import Iterable

RANKS = "23456789TJQKA"
SUITS = "cdhs"
_CARD = re.compile(f"[{RANKS}][{SUITS}]")


class UnknownCardsError(ValueError):
    """What was asked for is no combination of cards; the text says what is allowed."""


def number(card: str) -> int:
    """0 to 51: the rank first.

    >>> number("2c"), number("Ah"), number("As")
    (0, 50, 51)
    """
    return RANKS.index(card[0]) * 4 + SUITS.index(card[1])


def numbers(cards: Iterable[str]) -> list[int]:
    """The same of several, in their order."""
    return [number(card) for card in cards]


def name(card: int) -> str:
    """The card of a number.

    >>> name(51)
    'As'
    """
    return RANKS[card // 4] + SUITS[card % 4]


def asked(text: str) -> list[int]:
    """The cards that somebody looks for, written ``AhKhQh``, ``Ah Kh Qh`` or ``Ah,Kh,Qh``.

    Raises UnknownCardsError for anything else, for a card twice, and for more than seven.

    >>> asked("Ah Kh,Qh")
    [50, 46, 42]
    """
    plain = re.sub(r"[\s,]+", "", text).replace("10", "T")
    pairs = [plain[at : at + 2] for at in range(0, len(plain), 2)]
    found = [pair[:1].upper() + pair[1:].lower() for pair in pairs]
    if not 1 <= len(found) <= 7 or len(set(found)) != len(found) or not all(map(_CARD.fullmatch, found)):
        raise UnknownCardsError(f"was {text[:50]!r}; allowed: one to seven cards, each once, such as Ah Kh Qh")
    return numbers(found)
