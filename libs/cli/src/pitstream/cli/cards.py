"""Cards and money as people read them."""

from collections.abc import Iterable

from rich.text import Text

_SUITS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
_RED = "dh"
# Minor units per currency where it is not two digits: ISO 4217.
_DIGITS = dict.fromkeys(("CLP", "JPY", "KRW", "VND", "XAF", "XOF"), 0) | dict.fromkeys(
    ("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"), 3
)


def cards(codes: Iterable[str]) -> Text:
    """Cards side by side, red suits in red.

    >>> cards(["Td", "As"]).plain
    '10♦ A♠'
    """
    return Text(" ").join(
        Text(code[0].replace("T", "10") + _SUITS[code[1]], "bold red" if code[1] in _RED else "bold") for code in codes
    )


def money(minor: int, currency: str) -> str:
    """An amount in the currency's own notation, without its name.

    >>> money(-123456, "USD"), money(5, "USD"), money(5, "JPY"), money(1234, "KWD")
    ('-1,234.56', '0.05', '5', '1.234')
    """
    digits = _DIGITS.get(currency, 2)
    whole, rest = divmod(abs(minor), 10**digits)
    return f"{'-' if minor < 0 else ''}{whole:,}" + (f".{rest:0{digits}}" if digits else "")


def signed(minor: int, currency: str) -> Text:
    """A win in green with its plus sign, a loss in red.

    >>> signed(500, "USD").plain, signed(0, "USD").plain
    ('+5.00', '0.00')
    """
    sign, style = ("+", "green") if minor > 0 else ("", "red") if minor < 0 else ("", "dim")
    return Text(sign + money(minor, currency), style)
