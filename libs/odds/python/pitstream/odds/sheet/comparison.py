"""Two sheets side by side: their figures, and the rows of every paytable that is not the same."""

from collections.abc import Sequence
from fractions import Fraction
from html import escape

from pitstream.odds.cells import NONE, Row, Wager
from pitstream.odds.sheet.content import Sheet, meters_at, part_of_mean
from pitstream.odds.sheet.numbers import decimal, percent
from pitstream.odds.sheet.plots import pairs
from pitstream.odds.sheet.words import figure, name, table
from pitstream.odds.volatility import decimal as exactly
from pitstream.odds.volatility import standard_deviation


def comparison(first: Sheet, second: Sheet) -> str:
    """The figures of both and what the second has more; then row by row where their paytables differ."""
    heads = ("", different(first, second), different(second, first), "more")
    return "<h2>Side by side</h2>" + table(heads, _figures(first, second)) + "".join(_rows_of_both(first, second))


def _figures(first: Sheet, second: Sheet) -> list[Sequence[str]]:
    rows: list[Sequence[str]] = []

    def add(label: str, left: Fraction | None, right: Fraction | None) -> None:
        told = ["–" if value is None else percent(value) for value in (left, right)]
        more = "–" if left is None or right is None else percent(right - left)
        rows.append((escape(label), *told, more))

    one, other = first.result, second.result
    title_of = one.inputs.game.title_of
    add("House edge of the main game, of an Ante", one.edge, other.edge)
    add("Element of risk, of all wagered", one.element_of_risk, other.element_of_risk)
    for label, left, right in (
        ("Antes wagered a round", exactly(one.mean_wager), exactly(other.mean_wager)),
        (
            "Standard deviation, Antes a round",
            standard_deviation(one.main.variance),
            standard_deviation(other.main.variance),
        ),
    ):
        rows.append((label, decimal(left, 4), decimal(right, 4), decimal(right - left, 4)))
    for wager, found in {**other.wagers, **one.wagers}.items():
        if wager not in one.inputs.main:
            meters = found.mean.shares
            standing = (", meters as given" if first.amounts else ", meters at nothing") if meters else ""
            add(f"House edge of {title_of(wager)}{standing}", _edge(first, wager), _edge(second, wager))
    for decision in dict.fromkeys([*one.decisions, *other.decisions]):
        add(f"Played {decision}", one.decisions.get(decision, NONE), other.decisions.get(decision, NONE))
    if first.card is not None and second.card is not None:
        add("The strategy card costs, of an Ante", first.card.cost, second.card.cost)
    return rows


def _rows_of_both(first: Sheet, second: Sheet) -> list[str]:
    """For each wager whose paytable is not the same: what each row pays, how likely it is, and what it returns."""
    told = []
    for wager, paytable in first.result.inputs.paytables.items():
        beside = second.result.inputs.paytables.get(wager)
        if beside is None or beside == paytable:
            continue
        rows: list[Sequence[str]] = []
        bars: list[tuple[str, Fraction, Fraction]] = []
        left, right = (sheet.result.wagers[wager] for sheet in (first, second))
        outcomes = dict.fromkeys(row.outcome for found in (left, right) for row in found.rows)
        for outcome in dict.fromkeys(row for row in (*paytable.pays, *beside.pays, *outcomes) if row in outcomes):
            chances = [_chance(found, outcome) for found in (left, right)]
            returns = [_return(sheet, found, outcome) for sheet, found in ((first, left), (second, right))]
            odds = [str(each.pays.get(outcome, "–")) for each in (paytable, beside)]
            rows.append(
                (
                    escape(name(outcome)),
                    *(escape(word) for word in odds),
                    *(percent(chance, 6) for chance in chances),
                    *(percent(part) for part in returns),
                    percent(returns[1] - returns[0]),
                )
            )
            bars.append((name(outcome), returns[0], returns[1]))
        title = first.result.inputs.game.title_of(wager)
        one, other = escape(paytable.id), escape(beside.id)
        words = [f"{id_} {word}" for word in ("pays", "probability", "return") for id_ in (one, other)]
        heads = ("outcome", *words, "more")
        picture = pairs(f"{title}: return by row, {paytable.id} and {beside.id}", bars)
        caption = f"What each row adds to the player's mean result: {paytable.id} above, {beside.id} below, paler."
        told.append(f"<h3>{escape(title)}</h3>" + table(heads, rows) + figure(picture, caption))
    return told


def _of(found: Wager, outcome: str) -> list[Row]:
    return [row for row in found.rows if row.outcome == outcome]


def _chance(found: Wager, outcome: str) -> Fraction:
    return Fraction(sum(row.deals for row in _of(found, outcome)), found.deals)


def _return(sheet: Sheet, found: Wager, outcome: str) -> Fraction:
    at = meters_at(found, sheet.amounts)
    return sum((part_of_mean(found, row.net, row.deals).at(at) for row in _of(found, outcome)), NONE)


def _edge(sheet: Sheet, wager: str) -> Fraction | None:
    found = sheet.result.wagers.get(wager)
    return None if found is None else found.edge(meters_at(found, sheet.amounts))


def different(sheet: Sheet, other: Sheet) -> str:
    """What this sheet has and the other has not, as HTML: paytables, policies."""
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
