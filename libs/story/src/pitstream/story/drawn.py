"""Playing cards as drawings of our own: SVG that reads at arm's length, on paper too.

The suit's colour is the drawing's ``color``: a style sheet that names ``.card.suit-d`` and its like changes it, so that
a page can go from two colours to four without being drawn again.
"""

from collections.abc import Iterable
from typing import Final

from markupsafe import Markup

from pitstream.story.words import card_name, card_text

TWO_COLOURS: Final = {"c": "#16181d", "d": "#c4122f", "h": "#c4122f", "s": "#16181d"}
FOUR_COLOURS: Final = {"c": "#0f7a3c", "d": "#1557c0", "h": "#c4122f", "s": "#16181d"}

# Drawn in a square of 24.
_PIPS: Final = {
    "c": "M12 1.8a4.6 4.6 0 1 0 .01 0ZM6.4 8.9a4.6 4.6 0 1 0 .01 0ZM17.6 8.9a4.6 4.6 0 1 0 .01 0ZM9.6 8v7h4.8V8Z"
    "M11 12C11.1 17.4 10 20.6 7.9 22.2H16.1C14 20.6 12.9 17.4 13 12Z",
    "d": "M12 1.4C14.1 5.3 17 9.1 20.6 12 17 14.9 14.1 18.7 12 22.6 9.9 18.7 7 14.9 3.4 12 7 9.1 9.9 5.3 12 1.4Z",
    "h": "M12 22C6.6 16.9 2 12.9 2 7.9 2 4.7 4.3 2.6 7 2.6 9.2 2.6 11 3.9 12 6.1 13 3.9 14.8 2.6 17 2.6 19.7 2.6 22 4.7"
    " 22 7.9 22 12.9 17.4 16.9 12 22Z",
    "s": "M12 1.6C9.8 6.2 2.6 9.5 2.6 14.4 2.6 17 4.6 18.9 7 18.9 8.8 18.9 10.3 17.9 11.2 16.4 11.1 18.9 10 21 7.9 22.4"
    "H16.1C14 21 12.9 18.9 12.8 16.4 13.7 17.9 15.2 18.9 17 18.9 19.4 18.9 21.4 17 21.4 14.4 21.4 9.5 14.2 6.2 12 1.6Z",
}  # fmt: skip
_FACE: Final = '<rect x="1" y="1" width="58" height="82" rx="6.5" fill="#fff" stroke="#b4b9c2" stroke-width="1.5"/>'
_FONT: Final = (
    'font-family="Inter,&quot;Helvetica Neue&quot;,Arial,&quot;Liberation Sans&quot;,sans-serif" font-weight="700"'
)


def card_svg(code: str, *, four_colour: bool = False) -> Markup:
    """A card, face up: 60 by 84 units, sized by whoever shows it. ``code``: ``"Td"``.

    >>> str(card_svg("Td"))[:98]
    '<svg xmlns="http://www.w3.org/2000/svg" class="card suit-d" viewBox="0 0 60 84" color="#c4122f" ro'
    """
    return _outer(code, f"{_FACE}{_face(code)}", FOUR_COLOURS if four_colour else TWO_COLOURS)


def card_use(code: str, *, four_colour: bool = False) -> Markup:
    """The same card on a page that has ``card_symbols`` of it."""
    return _outer(code, f'<use href="#card-{code}"/>', FOUR_COLOURS if four_colour else TWO_COLOURS)


def card_symbols(codes: Iterable[str]) -> Markup:
    """The drawings of these cards, once, for ``card_use``; nothing of it is seen."""
    symbols = "".join(
        f'<symbol id="card-{code}" viewBox="0 0 60 84">{_FACE}{_face(code)}</symbol>' for code in sorted(set(codes))
    )
    outer = '<svg xmlns="http://www.w3.org/2000/svg" class="symbols" width="0" height="0" aria-hidden="true">'
    return Markup(f"{outer}{symbols}</svg>")  # noqa: S704  # made of codes of cards only


def card_back_svg() -> Markup:
    """A card, face down."""
    diamonds = "".join(f'<path d="M{x} {y}l3.5 5-3.5 5-3.5-5z"/>' for y in range(8, 70, 12) for x in range(12, 52, 9))
    return Markup(  # noqa: S704  # constant
        '<svg xmlns="http://www.w3.org/2000/svg" class="card back" viewBox="0 0 60 84" role="img"'
        f' aria-label="a card face down">{_FACE}<rect x="5" y="5" width="50" height="74" rx="4" fill="#27406b"/>'
        f'<g fill="#5574a8">{diamonds}</g></svg>'
    )


def _outer(code: str, inside: str, colours: dict[str, str]) -> Markup:
    suit = code[1]
    return Markup(  # noqa: S704  # made of a card's code only: card_name refuses any other text
        f'<svg xmlns="http://www.w3.org/2000/svg" class="card suit-{suit}" viewBox="0 0 60 84" color="{colours[suit]}"'
        f' role="img" aria-label="{card_name(code)}">{inside}</svg>'
    )


def _face(code: str) -> str:
    rank, suit = card_text(code)[:-1], code[1]
    narrow = ' textLength="24" lengthAdjust="spacingAndGlyphs"' if len(rank) == 2 else ""
    pip = _PIPS[suit]
    return (
        f'<g fill="currentColor"><text x="17" y="31" font-size="30" text-anchor="middle" {_FONT}{narrow}>{rank}</text>'
        f'<path transform="translate(9.5 37) scale(.63)" d="{pip}"/>'
        f'<path transform="translate(25.5 45) scale(1.26)" d="{pip}"/></g>'
    )
