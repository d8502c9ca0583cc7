"""What a story is made of: text with a tone, and cards. A terminal and a page each show them their own way."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from pitstream.events.currencies import ISO_4217

Tone = Literal["plain", "dim", "strong", "heading", "warn"]


@dataclass(frozen=True, slots=True)
class Said:
    """Some words in one tone."""

    text: str
    tone: Tone = "plain"


@dataclass(frozen=True, slots=True)
class Shown:
    """Cards side by side, by their codes."""

    cards: tuple[str, ...]


Line = tuple[Said | Shown, ...]
"""One line of a story."""

SUITS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
_SUIT_NAMES = {"c": "clubs", "d": "diamonds", "h": "hearts", "s": "spades"}
_RANK_NAMES = {
    "2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven", "8": "eight", "9": "nine",
    "T": "ten", "J": "jack", "Q": "queen", "K": "king", "A": "ace",
}  # fmt: skip


def card_text(code: str) -> str:
    """A card as it is written on a page.

    >>> card_text("Td"), card_text("As")
    ('10♦', 'A♠')
    """
    return code[0].replace("T", "10") + SUITS[code[1]]


def card_name(code: str) -> str:
    """A card as it is said aloud.

    >>> card_name("Td")
    'ten of diamonds'
    """
    return f"{_RANK_NAMES[code[0]]} of {_SUIT_NAMES[code[1]]}"


def cards_text(codes: Iterable[str]) -> str:
    """Cards side by side as text."""
    return " ".join(map(card_text, codes))


def plain(line: Line) -> str:
    """A line's text without its tones."""
    return "".join(piece.text if isinstance(piece, Said) else cards_text(piece.cards) for piece in line)


def money(minor: int, currency: str) -> str:
    """An amount in the currency's own notation, without its name; a currency that ISO does not know has two decimals.

    >>> money(-123456, "USD"), money(5, "USD"), money(5, "JPY"), money(1234, "KWD")
    ('-1,234.56', '0.05', '5', '1.234')
    """
    digits = ISO_4217.get(currency, 2)
    whole, rest = divmod(abs(minor), 10**digits)
    return f"{'-' if minor < 0 else ''}{whole:,}" + (f".{rest:0{digits}}" if digits else "")


def signed(minor: int, currency: str) -> str:
    """A change with its sign.

    >>> signed(500, "USD"), signed(0, "USD"), signed(-5, "USD")
    ('+5.00', '0.00', '-0.05')
    """
    return ("+" if minor > 0 else "") + money(minor, currency)


def when(at_us: int) -> str:
    """A moment, microseconds since 1970, in UTC and to the last digit.

    >>> when(1_746_230_400_000_001)
    '2025-05-03 00:00:00.000001 UTC'
    """
    seconds, rest = divmod(at_us, 1_000_000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S}.{rest:06} UTC"


def since(at_us: int, start_us: int) -> str:
    """How long after ``start_us``, to the millisecond: minutes and seconds.

    >>> since(75_250_999, 0), since(0, 1_000)
    ('+1:15.250', '-0:00.001')
    """
    minutes, rest = divmod(abs(at_us - start_us) // 1000, 60_000)
    return f"{'-' if at_us < start_us else '+'}{minutes}:{rest // 1000:02}.{rest % 1000:03}"
