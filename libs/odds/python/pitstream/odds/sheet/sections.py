"""The sections of the sheet's page, each as HTML."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from html import escape

from pitstream.games.paytable import Paytable
from pitstream.odds.bad_beat import Adapted, Played
from pitstream.odds.card import Card
from pitstream.odds.cells import Wager, moments
from pitstream.odds.check import ERRORS, MAIN_ERRORS, Checked
from pitstream.odds.pays import Net
from pitstream.odds.progressive import MeterOdds, ProgressiveOdds
from pitstream.odds.sheet.content import ASSUMPTIONS, METHOD, Sheet, content, meters_at, part_of_mean
from pitstream.odds.sheet.numbers import decimal, one_in, percent
from pitstream.odds.sheet.plots import bars, line, spread
from pitstream.odds.sheet.words import figure, name, table
from pitstream.odds.volatility import expected, standard_deviation, volatility_index

_MAIN_ROWS = 24
"""Results of a round that are told one by one; those between are added up."""


def head(sheet: Sheet) -> str:
    result = sheet.result
    figures = (
        (percent(result.edge), "house edge, of an Ante"),
        (percent(result.element_of_risk), "element of risk, of all wagered"),
        (decimal(result.mean_wager, 4), "Antes wagered a round"),
        (decimal(standard_deviation(result.main.variance), 4), "standard deviation, Antes a round"),
    )
    return (
        '<div class="head">'
        + "".join(f"<div><b>{big}</b><span>{small}</span></div>" for big, small in figures)
        + "</div>"
    )


def identity(sheet: Sheet) -> str:
    """Which paytables this is about, and how far they may be called regulation."""
    told = content(sheet)
    house = [each for each in sheet.result.inputs.paytables.values() if each.standing != "regulation"]
    game = sheet.result.inputs.game
    names = ", ".join(f"{game.title_of(each.wager)} {each.id} ({each.standing})" for each in house)
    standing = f"Not from regulation: {names}." if house else "All paytables are from regulation."
    return (
        f'<p class="soft">Sheet <code>{escape(told["version"]["content"][:16])}</code>, code'
        f" <code>{escape(told['version']['code'][:16])}</code>. {escape(standing)}</p>"
    )


def inputs(sheet: Sheet) -> str:
    asked = sheet.result.inputs
    tables = table(
        ("wager", "paytable", "pays", "basis", "standing", "source"),
        [
            (
                escape(asked.game.title_of(wager)),
                f'<span class="id">{escape(paytable.id)}</span>',
                f'<div class="pays">{"<br>".join(_pays(paytable))}</div>',
                escape(paytable.basis),
                escape(paytable.standing),
                escape(paytable.source),
            )
            for wager, paytable in asked.paytables.items()
        ],
        text=(1, 2, 3, 4, 5),
    )
    policies = ", ".join(f"{name(policy)}: {name(value)}" for policy, value in asked.policies.items())
    return tables + f'<p class="soft">Policies: {escape(policies)}.</p>'


def _pays(paytable: Paytable) -> list[str]:
    """Rows and prizes, as HTML; what a hand of the dealer's or another player's pays on lines of their own."""
    parts: tuple[tuple[str, Mapping[str, object]], ...] = (
        ("", paytable.pays),
        ("dealer: ", paytable.dealer_pays),
        ("envy: ", paytable.envy),
        ("lucky, not counted here: ", paytable.lucky),
    )
    lines = [
        escape(word + ", ".join(f"{name(row)} {prize}" for row, prize in pays.items())) for word, pays in parts if pays
    ]
    return [*lines, *([f"magic, not counted here: {paytable.magic}"] if paytable.magic else [])]


def main(sheet: Sheet) -> str:
    result = sheet.result
    decisions = bars("How a round is decided", list(result.decisions.items()))
    wins = expected(result.main)
    picture = spread(
        "The house's win after so many rounds, of one Ante each",
        [(f"{each.rounds:,} rounds", each.lowest_hold, each.mean / each.rounds, each.highest_hold) for each in wins],
    )
    return "".join(
        (
            f"<p>The player loses <code>{result.edge}</code> of an Ante a round.</p>",
            figure(decisions, "How often a round is decided so."),
            "<h3>Volatility</h3>",
            f"<p>Volatility index (95%): {decimal(volatility_index(result.main), 4)} Antes a round. Variance"
            f" {decimal(result.main.variance, 6)}.</p>",
            table(
                ("rounds", "the house expects, Antes", "95% from", "to", "of the Antes, from", "to"),
                [
                    (
                        f"{each.rounds:,}",
                        decimal(each.mean, 1),
                        decimal(each.lowest, 1),
                        decimal(each.highest, 1),
                        percent(each.lowest_hold, 2),
                        percent(each.highest_hold, 2),
                    )
                    for each in wins
                ],
            ),
            figure(
                picture, "Where the house's win, as part of the Antes, lies with 95% confidence; the dot is the mean"
            ),
            "<h3>Net result of a round</h3>",
            table(("Antes", "probability", "one in"), _results(result.results, result.deals)),
        )
    )


def _results(results: Mapping[Fraction, int], deals: int) -> list[Sequence[str]]:
    """The likeliest results one by one, the rest above and below together."""
    likeliest = sorted(results, key=lambda result: -results[result])[:_MAIN_ROWS]
    rows: list[Sequence[str]] = []
    for label, found in (
        (f"more than {max(likeliest)}", [result for result in results if result > max(likeliest)]),
        *((str(result), [result]) for result in sorted(likeliest, reverse=True)),
        (f"less than {min(likeliest)}", [result for result in results if result < min(likeliest)]),
        ("others between", [r for r in results if r not in likeliest and min(likeliest) < r < max(likeliest)]),
    ):
        chance = Fraction(sum(results[result] for result in found), deals)
        if chance:
            rows.append((label, percent(chance), one_in(chance)))
    return rows


def wagers(sheet: Sheet) -> str:
    result = sheet.result
    rows = []
    for wager in result.wagers.values():
        main_wager = wager.name in result.inputs.main
        at = meters_at(wager, sheet.amounts)
        spread_of = moments(wager.results(at)).variance
        covariance = wager.covariance(result.value)
        rows.append(
            (
                escape(result.inputs.game.title_of(wager.name)),
                percent(wager.edge(at)),
                decimal(wager.stake, 4),
                percent(wager.hit_frequency),
                decimal(spread_of, 4),
                decimal(standard_deviation(spread_of), 4),
                "–" if covariance is None else decimal(covariance.at(at), 4),
                "main"
                if main_wager
                else "–"
                if covariance is None
                else decimal(standard_deviation(result.main.variance + spread_of + 2 * covariance.at(at)), 4),
            )
        )
    heads = ("wager", "house edge", "mean stake", "wins anything", "variance", "deviation", "covariance", "with main")
    notes = [
        "Main wagers are told per Ante and decided together: only their sum is what a player faces. Covariance is with"
        " the main game's result; – where no count joined both (see the check by play). With"
        " main: the deviation of one Ante's main game and one stake of this wager together."
    ]
    if any(wager.mean.shares for wager in result.wagers.values()):
        told = ", ".join(f"{meter} {decimal(at, 2)}" for meter, at in (sheet.amounts or {}).items())
        notes.append(f"Meters stand at: {told or 'nothing'}, in stakes.")
    return table(heads, rows) + "".join(f'<p class="soft">{escape(note)}</p>' for note in notes)


def wager(sheet: Sheet, found: Wager) -> str:
    """A wager's rows and the return of each."""
    at = meters_at(found, sheet.amounts)
    rows = []
    for row in found.rows:
        chance = Fraction(row.deals, found.deals)
        part = part_of_mean(found, row.net, row.deals)
        rows.append(
            (
                escape(name(row.outcome)),
                _net(row.net),
                f"{row.deals:,}",
                percent(chance, 6),
                one_in(chance),
                percent(part.at(at)),
            )
        )
    returns: dict[str, Fraction] = {}
    for row in found.rows:
        returns[name(row.outcome)] = returns.get(name(row.outcome), Fraction(0)) + part_of_mean(
            found, row.net, row.deals
        ).at(at)
    title = f"{sheet.result.inputs.game.title_of(found.name)}: return by row"
    return (
        f"<h3>{escape(sheet.result.inputs.game.title_of(found.name))}</h3>"
        + table(("outcome", "net", "deals", "probability", "one in", "return"), rows)
        + figure(bars(title, list(returns.items())), "What each row adds to the player's mean result.")
    )


def _net(net: Net) -> str:
    shares = " + ".join(f"{percent(part, 0)} of {escape(meter)}" for meter, part in net.shares.items())
    fixed = f"+{net.fixed}" if net.fixed > 0 else str(net.fixed)
    return f"{shares} {fixed}" if shares else fixed


def progressive(odds: ProgressiveOdds) -> str:
    rest = "" if odds.players == 1 else f", {percent(odds.envy)} of it by envy of {odds.players - 1} other hands"
    parts = [
        f"<p>With {odds.players} at the table and nothing on the meters the player's mean result is"
        f" {percent(odds.mean.fixed)} of a stake{rest}. The house pays {percent(odds.fixed_cost)} of each stake from"
        " its own money; shares come from the meters.</p>",
        table(
            ("meter", "hit one in", "all of it one in", "each stake on it adds", "breaks even at", "mean at a hit"),
            [
                (
                    escape(each.meter),
                    one_in(each.hit),
                    one_in(each.whole),
                    decimal(each.slope, 10),
                    "–" if each.break_even is None else decimal(each.break_even, 2),
                    "–" if each.mean_at_hit is None else decimal(each.mean_at_hit, 2),
                )
                for each in odds.meters
            ],
        ),
    ]
    return "".join((*parts, *(_meter(odds, each) for each in odds.meters)))


def _meter(odds: ProgressiveOdds, meter: MeterOdds) -> str:
    end = 2 * (meter.break_even or Fraction(0)) or Fraction(10_000)
    points = [(at, odds.mean.fixed + meter.slope * at) for at in (Fraction(0), end)]
    picture = line(
        f"Return of the progressive as meter {meter.meter} rises",
        points,
        x_title=f"meter {meter.meter}, in stakes",
        zero=meter.break_even,
    )
    told = figure(picture, f"The player's mean result as meter {meter.meter} rises, other meters as given.")
    if meter.at_hit is not None:
        rows = [(percent(part, 0), decimal(amount, 2)) for part, amount in meter.at_hit.items()]
        told += table((f"of all hits of {escape(meter.meter)}", "at most, in stakes"), rows)
    return told


def bad_beat(found: Adapted) -> str:
    def row(label: str, one: Played) -> Sequence[str]:
        return (label, percent(one.main), percent(one.bad_beat), percent(one.together), percent(one.folds))

    rows = [row("best for the main game", found.best_main), row("adapted to both", found.adapted)]
    gain = found.best_main.together - found.adapted.together
    return table(("play", "main game", "Bad Beat", "both", "folds"), rows) + (
        f"<p>A fold loses the Bad Beat as well. Who plays for both, at equal stakes, gives the house {percent(gain)} of"
        " an Ante less.</p>"
    )


def strategy(card: Card) -> str:
    rows = [
        (
            escape(rule.street),
            escape(rule.choice),
            "<br>".join(map(escape, rule.when)),
        )
        for rule in card.rules
    ]
    return table(("when asked", "choice", "with any of"), rows, text=(1, 2)) + (
        f"<p>Who follows the card loses {percent(-card.value)} of an Ante: {percent(card.cost)} more than best play"
        f" (<code>{card.cost}</code>).</p>"
    )


def check(checked: Checked) -> str:
    rows = [
        (
            escape(name(wager)),
            percent(one.played, 3),
            percent(one.exact, 3),
            percent(one.standard_error, 3),
            decimal(one.errors, 2),
            decimal(one.with_main, 4),
        )
        for wager, one in checked.wagers.items()
    ]
    word = "Every mean lies" if checked.holds else "NOT every mean lies"
    return (
        f"<p>{checked.rounds:,} rounds of one seat with every wager, drawn from seed {checked.seed}, played and settled"
        f" by the live game code under best play. {word} within its interval:"
        f" {MAIN_ERRORS} standard errors for the main game, {ERRORS} for each wager. Meters stand at nothing.</p>"
        + table(("wager", "played", "exact", "standard error", "errors off", "covariance as played"), rows)
    )


def method(sheet: Sheet) -> str:
    told = content(sheet)
    versions = "".join(f"<br>{escape(word)} <code>{escape(sha)}</code>" for word, sha in told["version"].items())
    hashes = "".join(
        f"<br>{escape(paytable['wager'])} {escape(paytable['paytable'])} <code>{escape(paytable['sha256'])}</code>"
        for paytable in told["paytables"]
    )
    return (
        f"<p>{escape(METHOD[sheet.result.inputs.game.name])}</p><p>{escape(ASSUMPTIONS)}</p>"
        f"<p>Deals that probabilities here are parts of: {sheet.result.deals:,}.</p>"
        f'<p class="soft">SHA-256 of what made this sheet; the same inputs and code give the same bytes:{versions}</p>'
        f'<p class="soft">Paytables:{hashes}</p>'
    )
