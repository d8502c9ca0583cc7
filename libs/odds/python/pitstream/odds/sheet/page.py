"""The PAR sheet as one HTML file: nothing is loaded from elsewhere, it prints, and it is read in light and dark."""

from collections.abc import Sequence
from fractions import Fraction
from html import escape
from importlib.resources import files

from pitstream.odds.cells import NONE
from pitstream.odds.sheet import sections
from pitstream.odds.sheet.content import Sheet, meters_at
from pitstream.odds.sheet.numbers import percent
from pitstream.odds.sheet.words import name, table


def page(first: Sheet, second: Sheet | None = None) -> str:
    """One sheet, or two side by side with the difference of their figures."""
    title = first.result.inputs.game.title
    body = [f"<h1>{escape(title)}</h1>", '<p class="soft">PAR sheet: exact odds, every deal counted.</p>']
    if second is None:
        body.append(one(first))
    else:
        body.append(comparison(first, second))
        body += ['<div class="side">', *(f"<section>{one(sheet)}</section>" for sheet in (first, second)), "</div>"]
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


def comparison(first: Sheet, second: Sheet) -> str:
    """The figures of both, and what the second has more."""
    rows: list[Sequence[str]] = []

    def add(label: str, left: Fraction | None, right: Fraction | None) -> None:
        told = ["–" if value is None else percent(value) for value in (left, right)]
        more = "–" if left is None or right is None else percent(right - left)
        rows.append((escape(label), *told, more))

    one_result, other_result = first.result, second.result
    add("House edge of the main game, of an Ante", one_result.edge, other_result.edge)
    add("Element of risk", one_result.element_of_risk, other_result.element_of_risk)
    add("Mean wager, of an Ante", one_result.mean_wager, other_result.mean_wager)
    for wager in dict.fromkeys([*one_result.wagers, *other_result.wagers]):
        if wager not in one_result.inputs.main:
            add(f"House edge of {name(wager)}", _edge(first, wager), _edge(second, wager))
    for decision in dict.fromkeys([*one_result.decisions, *other_result.decisions]):
        add(f"Played {decision}", one_result.decisions.get(decision, NONE), other_result.decisions.get(decision, NONE))
    heads = ("", _different(first, second), _different(second, first), "more")
    return "<h2>Side by side</h2>" + table(heads, rows)


def _edge(sheet: Sheet, wager: str) -> Fraction | None:
    found = sheet.result.wagers.get(wager)
    return None if found is None else found.edge(meters_at(found, sheet.amounts))


def _different(sheet: Sheet, other: Sheet) -> str:
    """What this sheet has and the other has not: paytables, policies."""
    asked, beside = sheet.result.inputs, other.result.inputs
    tables = [
        f"{name(wager)} {paytable.id}"
        for wager, paytable in asked.paytables.items()
        if beside.paytables.get(wager) != paytable
    ]
    policies = [
        f"{name(policy)} {value}" for policy, value in asked.policies.items() if beside.policies.get(policy) != value
    ]
    return escape(", ".join([*tables, *policies]) or "the same")
