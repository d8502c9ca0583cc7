"""What stands in a PAR sheet, as JSON types: fractions as text (``"1/3"``), decimals beside them."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files
from json import dumps
from typing import Any, Final

from pitstream.games.paytable import Paytable
from pitstream.odds import _odds
from pitstream.odds.bad_beat import Adapted, Played, adapted
from pitstream.odds.card import Card, card_of
from pitstream.odds.cells import NONE, Wager, moments
from pitstream.odds.check import Checked
from pitstream.odds.errors import OddsError
from pitstream.odds.inputs import Inputs
from pitstream.odds.pays import Amounts, Net
from pitstream.odds.progressive import Growth, ProgressiveOdds, progressive_odds
from pitstream.odds.result import ParResult
from pitstream.odds.sheet.numbers import decimal
from pitstream.odds.volatility import expected, standard_deviation, volatility_index

SCHEMA: Final = "pitstream.par/1"
_PLACES: Final = 12

METHOD: Final[Mapping[str, str]] = {
    "ultimate_texas_holdem": (
        "Every deal is counted: 1,326 hands, 19,600 flops, 1,081 turns and rivers, 990 hands of the dealer. Boards"
        " are put together in 42,783 classes (2,598,960 boards; 134,459 up to the names of the suits), flops in"
        " 1,755, hands with flops in 1,286,792. On the river each hand is compared with all 990; backwards from there"
        " each decision takes the choice that is worth most, sums in whole numbers of 64 bits, totals in 128."
    ),
    "raise_it_up_stud": (
        "Every deal is counted: 22,100 own hands (1,755 up to the names of the suits) and 110,544 orders of the"
        " three community cards. Backwards from the last card each decision takes the choice that is worth most,"
        " sums in whole numbers of 64 bits, totals in 128."
    ),
    "flop_poker": (
        "Every deal is counted: 22,100 own hands (1,755 up to the names of the suits) and 18,424 flops, each with"
        " the best hand of all three own cards and exactly two of the flop's. The bet is made where it is worth no"
        " less than a fold; all sums are exact."
    ),
}
ASSUMPTIONS: Final = (
    "The main wagers are decided as is best for them alone, by the seat's own and the community cards. Of choices that"
    " are worth the same a check goes before a raise, a last bet before a fold. A prize is paid to the exact fraction:"
    " rounding up to whole minor units gives the player up to one unit more. Where two hands win one wager a share"
    " of a meter counts as more than any odds. Every way to deal 52 cards is as likely."
)


@dataclass(frozen=True, slots=True)
class Sheet:
    """All that a PAR sheet tells of one game with one set of paytables."""

    result: ParResult
    progressive: ProgressiveOdds | None = None
    bad_beat: Adapted | None = None
    card: Card | None = None
    checked: Checked | None = None
    amounts: Amounts | None = None
    """What the meters stand at, in stakes; None: shares are told apart."""


def sheet_of(
    result: ParResult,
    *,
    players: int = 1,
    amounts: Amounts | None = None,
    growth: Mapping[str, Growth] | None = None,
    checked: Checked | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Sheet:
    """Everything that the paytables call for. Raises OddsError for meters that the progressive does not have."""
    tables = result.inputs.paytables
    growth = growth or {}
    known = dict.fromkeys(meter for wager in result.wagers.values() for meter in wager.mean.shares)
    for meter in (*(amounts or {}), *growth):
        if meter not in known:
            allowed = ", ".join(known) or "none, no paytable here pays a share of a meter"
            raise OddsError(f"meters.{meter}", f"was {meter!r}; allowed: {allowed}")
    progressive = None
    if "progressive" in tables:
        # Other wagers may have meters of their own.
        own = result.wagers["progressive"].mean.shares
        progressive = progressive_odds(
            tables["progressive"],
            result.wagers["progressive"],
            players=players,
            wheel=result.inputs.wheel,
            amounts={meter: at for meter, at in (amounts or {}).items() if meter in own},
            growth={meter: each for meter, each in growth.items() if meter in own},
        )
    return Sheet(
        result,
        progressive,
        adapted(result, progress) if "bad_beat" in tables else None,
        card_of(result.inputs, progress),
        checked,
        amounts,
    )


def content(sheet: Sheet) -> dict[str, Any]:
    """The sheet for machines; ``version.content`` is a hash over everything else."""
    result = sheet.result
    told: dict[str, Any] = {
        "schema": SCHEMA,
        "game": result.inputs.game.name,
        "title": result.inputs.game.title,
        "policies": dict(sorted(result.inputs.policies.items())),
        "paytables": [paytable(table) for table in result.inputs.paytables.values()],
        "method": METHOD[result.inputs.game.name],
        "assumptions": ASSUMPTIONS,
        "deals": result.deals,
        "main": main(result),
        "wagers": [wager(result, found) for found in result.wagers.values()],
        "progressive": None if sheet.progressive is None else progressive(sheet.progressive),
        "bad_beat": None if sheet.bad_beat is None else bad_beat(sheet.bad_beat),
        "strategy": None if sheet.card is None else sheet.card.content(),
        "check": None if sheet.checked is None else check(sheet.checked),
    }
    version = {"code": code_version(), "inputs": inputs_version(result.inputs)}
    body = dumps({**told, "version": version}, sort_keys=True)
    told["version"] = {**version, "content": hashlib.sha256(body.encode()).hexdigest()}
    return told


def both(value: Fraction) -> dict[str, str]:
    """A figure as a fraction and as a decimal."""
    return {"fraction": str(value), "decimal": decimal(value, _PLACES)}


def linear(net: Net) -> dict[str, Any]:
    """A figure that depends on meters: what it is with none, and for each stake that a meter stands at."""
    return {**both(net.fixed), "per_meter": {meter: both(part) for meter, part in net.shares.items()}}


def paytable(table: Paytable) -> dict[str, Any]:
    return {
        "wager": table.wager,
        "paytable": table.id,
        "basis": table.basis,
        "standing": table.standing,
        "source": table.source,
        "days": table.days,
        "pays": {row: str(prize) for row, prize in table.pays.items()},
        "dealer_pays": {row: str(prize) for row, prize in table.dealer_pays.items()},
        "envy": dict(table.envy),
        "sha256": table.sha256,
    }


def main(result: ParResult) -> dict[str, Any]:
    return {
        "value": both(result.value),
        "edge": both(result.edge),
        "mean_wager": both(result.mean_wager),
        "element_of_risk": both(result.element_of_risk),
        "variance": both(result.main.variance),
        "standard_deviation": decimal(standard_deviation(result.main.variance), _PLACES),
        "volatility_index_95": decimal(volatility_index(result.main), _PLACES),
        "win_after": [
            {
                "rounds": each.rounds,
                "confidence": "95%",
                "mean": decimal(each.mean, 6),
                "lowest": decimal(each.lowest, 6),
                "highest": decimal(each.highest, 6),
                "lowest_hold": decimal(each.lowest_hold, _PLACES),
                "highest_hold": decimal(each.highest_hold, _PLACES),
            }
            for each in expected(result.main)
        ],
        "decisions": {decision: both(part) for decision, part in result.decisions.items()},
        "distribution": [
            {"antes": str(net), "deals": deals, "probability": decimal(Fraction(deals, result.deals), 15)}
            for net, deals in result.results.items()
        ],
    }


def wager(result: ParResult, found: Wager) -> dict[str, Any]:
    covariance = found.covariance(result.value)
    told: dict[str, Any] = {
        "wager": found.name,
        "main": found.name in result.inputs.main,
        "mean_stake": both(found.stake),
        "mean": linear(found.mean),
        "edge": None if found.mean.shares else both(found.edge()),
        "hit_frequency": both(found.hit_frequency),
        "covariance_with_main": None if covariance is None else linear(covariance),
        "deals": found.deals,
        "rows": [
            {
                "outcome": row.outcome,
                "net": linear(row.net),
                "deals": row.deals,
                "probability": decimal(Fraction(row.deals, found.deals), 15),
                "return": linear(part_of_mean(found, row.net, row.deals)),
            }
            for row in found.rows
        ],
    }
    if not found.mean.shares:
        variance = moments(found.results()).variance
        told["variance"] = both(variance)
        told["standard_deviation"] = decimal(standard_deviation(variance), _PLACES)
    return told


def part_of_mean(found: Wager, net: Net, deals: int) -> Net:
    """What a row adds to the wager's mean result."""
    chance = Fraction(deals, found.deals)
    return Net(net.fixed * chance, {meter: part * chance for meter, part in net.shares.items()})


def progressive(odds: ProgressiveOdds) -> dict[str, Any]:
    return {
        "players": odds.players,
        "mean": linear(odds.mean),
        "envy": both(odds.envy),
        "paid_by_the_house": both(odds.fixed_cost),
        "meters": [
            {
                "meter": each.meter,
                "hit": both(each.hit),
                "whole": both(each.whole),
                "per_stake": both(each.slope),
                "break_even": None if each.break_even is None else both(each.break_even),
                "wagers_between_hits": both(each.wagers_between_hits),
                "mean_at_hit": None if each.mean_at_hit is None else both(each.mean_at_hit),
                "at_hit": None
                if each.at_hit is None
                else {str(part): both(amount) for part, amount in each.at_hit.items()},
            }
            for each in odds.meters
        ],
    }


def bad_beat(found: Adapted) -> dict[str, Any]:
    def played(one: Played) -> dict[str, Any]:
        return {
            "main": both(one.main),
            "bad_beat": both(one.bad_beat),
            "together": both(one.together),
            "folds": both(one.folds),
        }

    return {"best_main": played(found.best_main), "adapted": played(found.adapted)}


def check(checked: Checked) -> dict[str, Any]:
    return {
        "rounds": checked.rounds,
        "seed": checked.seed,
        "holds": checked.holds,
        "wagers": {
            name: {
                "played": both(one.played),
                "exact": both(one.exact),
                "standard_error": decimal(one.standard_error, _PLACES),
                "errors": decimal(one.errors, 3),
                "covariance_with_main": both(one.with_main),
            }
            for name, one in checked.wagers.items()
        },
    }


def inputs_version(asked: Inputs) -> str:
    """SHA-256 over what was asked: game, paytables' contents, policies."""
    tables = {wager: table.sha256 or str(dict(table.pays)) for wager, table in asked.paytables.items()}
    told = {"game": asked.game.name, "paytables": tables, "policies": dict(asked.policies)}
    return hashlib.sha256(dumps(told, sort_keys=True).encode()).hexdigest()


@cache
def code_version() -> str:
    """SHA-256 over the sources that decide a figure: the counts, this package, the games' rules."""
    digest = hashlib.sha256(_odds.fingerprint().encode())
    for package in ("pitstream.games", "pitstream.odds"):
        for path in sorted(files(package).iterdir(), key=lambda path: path.name):
            if path.name.endswith(".py"):
                digest.update(path.name.encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()


def meters_at(found: Wager, amounts: Amounts | None) -> Amounts:
    """What a wager's meters stand at, 0 where it is not told."""
    return {meter: (amounts or {}).get(meter, NONE) for meter in found.mean.shares}
