"""The page of decisions: cards are chosen, and each choice's exact value is told. One file that needs nothing else.

What the page is given is what every kind of hand comes to with these paytables, in whole numbers, and of Ultimate Texas
Hold'em each starting hand's values; all else it counts itself, deal by deal and as exactly.
"""

import json
from fractions import Fraction
from html import escape
from importlib.resources import files
from typing import Any, Final

from pitstream.odds import _odds, flop_poker, stud, uth
from pitstream.odds.inputs import Inputs
from pitstream.odds.pays import scale_of, scaled
from pitstream.odds.strategy import text_of

Progress = uth.Progress | None
_SCRIPTS: Final = ("hands.js", "games.js", "page.js")


def page(asked: Inputs, progress: Progress = None) -> str:
    """The page as HTML. Raises OddsError as ``par`` does."""
    data = _data(asked, progress)
    title = asked.game.title
    folder = files("pitstream.odds.picker")
    style = files("pitstream.odds.sheet").joinpath("style.css").read_text(encoding="utf-8")
    style += folder.joinpath("style.css").read_text(encoding="utf-8")
    script = "\n".join(folder.joinpath(name).read_text(encoding="utf-8") for name in _SCRIPTS)
    # "</" would end the script's element.
    told = json.dumps(data, separators=(",", ":"), sort_keys=True).replace("</", "<\\/")
    paytables = ", ".join(
        f"{asked.game.title_of(wager)} {asked.paytables[wager].id}" for wager in asked.main if wager in asked.paytables
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Decisions: {escape(title)}</title><style>\n{style}</style></head>\n<body>\n"
        f"<h1>{escape(title)}</h1>"
        '<p class="soft">What each choice is worth, exactly: choose the cards. Paytables: '
        f"{escape(paytables)}.</p>\n"
        f"{folder.joinpath('body.html').read_text(encoding='utf-8')}"
        f'<script type="application/json" id="data">{told}</script>\n<script>\n{script}</script></body></html>\n'
    )


def _data(asked: Inputs, progress: Progress) -> dict[str, Any]:
    """Results by kind of hand as text, since a number of JavaScript holds 53 bits: on ``scale`` they are whole."""
    frame: dict[str, Any] = {"game": asked.game.name, "hole": asked.game.hole_cards}
    match asked.game.name:
        case "ultimate_texas_holdem":
            found, holdem = uth.solve(asked.only_main(), progress)
            return frame | {
                "scale": str(holdem.scale),
                "base": [list(map(str, row)) for row in holdem.base],
                "play": [list(map(str, row)) for row in holdem.play],
                "fold": str(holdem.fold),
                "starts": _starts(found),
            }
        case "raise_it_up_stud":
            pays = stud.Pays(asked)
            return frame | {
                "scale": str(pays.scale),
                "base": list(map(str, pays.base)),
                "play": list(map(str, pays.play)),
                "each": pays.asked_again,
            }
        case _:
            lines = flop_poker.Pays(asked).lines
            bets = [lines["ante"][kind].net.fixed + lines["flop"][kind].net.fixed for kind in range(len(lines["ante"]))]
            scale = scale_of([*bets, Fraction(1)])
            return frame | {"scale": str(scale), "bet": [str(scaled(bet, scale)) for bet in bets]}


def _starts(found: _odds.Uth) -> dict[str, list[str]]:
    """``AKs`` -> sums of check, 3x, 4x over all deals."""
    told = {}
    for high in range(12, -1, -1):
        for low in range(high, -1, -1):
            for suited in (False,) if high == low else (True, False):
                check, base, play = found.start(bytes((4 * high, 4 * low if suited else 4 * low + 1)))
                name = text_of(4 * high)[0] + text_of(4 * low)[0] + ("" if high == low else "s" if suited else "o")
                told[name] = [str(check), str(base + 3 * play), str(base + 4 * play)]
    return told
