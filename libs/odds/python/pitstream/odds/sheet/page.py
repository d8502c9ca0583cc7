"""The PAR sheet as one HTML file: nothing is loaded from elsewhere, it prints, and it is read in light and dark."""

from html import escape
from importlib.resources import files

from pitstream.odds.sheet import sections
from pitstream.odds.sheet.comparison import comparison, different
from pitstream.odds.sheet.content import Sheet


def page(first: Sheet, second: Sheet | None = None) -> str:
    """One sheet, or two side by side with the difference of their figures."""
    title = first.result.inputs.game.title
    body = [f"<h1>{escape(title)}</h1>", '<p class="soft">PAR sheet: exact odds, every deal counted.</p>']
    if second is None:
        body += [sections.identity(first), one(first)]
    else:
        body += [comparison(first, second), '<div class="side">']
        for sheet, other in ((first, second), (second, first)):
            head = f'<h2 class="which">{different(sheet, other)}</h2>' + sections.identity(sheet)
            body.append(f"<section>{head}{one(sheet)}</section>")
        body.append("</div>")
    style = files("pitstream.odds.sheet").joinpath("style.css").read_text(encoding="utf-8")
    body_tag = "<body>" if second is None else '<body class="pair">'
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>PAR sheet: {escape(title)}</title><style>\n{style}</style></head>\n"
        f"{body_tag}\n" + "\n".join(body) + "\n</body></html>\n"
    )


def one(sheet: Sheet) -> str:
    """A whole sheet without the page around it."""
    parts = [
        sections.head(sheet),
        "<h2>Inputs</h2>",
        sections.inputs(sheet),
        "<h2>The main game under best play</h2>",
        sections.main(sheet),
        "<h2>Wagers</h2>",
        sections.wagers(sheet),
        *(sections.wager(sheet, wager) for wager in sheet.result.wagers.values()),
    ]
    if sheet.progressive is not None:
        parts += ["<h2>The progressive</h2>", sections.progressive(sheet.progressive)]
    if sheet.bad_beat is not None:
        parts += ["<h2>The Bad Beat and the fold</h2>", sections.bad_beat(sheet.bad_beat)]
    if sheet.card is not None:
        parts += ["<h2>Strategy card</h2>", sections.strategy(sheet.card)]
    if sheet.checked is not None:
        parts += ["<h2>Check by play</h2>", sections.check(sheet.checked)]
    return "\n".join([*parts, "<h2>Method and counts</h2>", sections.method(sheet)])
