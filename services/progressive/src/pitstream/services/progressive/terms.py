"""Which terms a meter may have. Pure."""

from pitstream.events.model import INT64_MAX
from pitstream.events.progressives import MeterOpening, MeterTerms, Rate
from pitstream.events.refusal import Refusal
from pitstream.services.progressive.meter import NO_RATE


def unfit_opening(opening: MeterOpening, where: str) -> Refusal | None:
    """Why a meter may not open like this; None when it may. ``where`` is the field that the meter stands in."""
    rate = Rate(numerator=opening.rate_numerator, denominator=opening.rate_denominator)
    return _unfit(rate, opening.reserve_rate, opening.limit, where, seed=opening.seed, amount=opening.amount)


def unfit_terms(terms: MeterTerms) -> Refusal | None:
    """Why a meter may not have these terms; None when it may."""
    return _unfit(terms.rate, terms.reserve_rate, terms.limit, "terms", seed=terms.seed)


def _unfit(rate: Rate, reserve: Rate | None, limit: int | None, where: str, **amounts: int) -> Refusal | None:
    """Both rates together take no more than the wager, and no amount is beyond the limit."""
    reserve = reserve or NO_RATE
    if rate.numerator > rate.denominator:
        return Refusal("invalid_meter", f"{where}.rate", f"was {shown(rate)}; allowed: 0 to 1, a share of the wager")
    both = rate.numerator * reserve.denominator + reserve.numerator * rate.denominator
    if both > rate.denominator * reserve.denominator:
        return Refusal(
            "invalid_meter",
            f"{where}.reserve_rate",
            f"was {shown(reserve)} beside {shown(rate)}; allowed: at most 1 together, the whole wager",
        )
    for name, amount in amounts.items():
        if limit is not None and amount > limit:
            return Refusal("invalid_meter", f"{where}.{name}", f"was {amount}; allowed: at most the limit, {limit}")
    return None


def too_fine(denominator: int) -> Refusal | None:
    """Rests are counted in parts that all rates in use fit; there is an end to how fine they may be."""
    if denominator <= INT64_MAX:
        return None
    return Refusal(
        "invalid_meter", "terms.rate", f"was one that needs {denominator}ths beside those in use; allowed: {INT64_MAX}"
    )


def shown(rate: Rate) -> str:
    return f"{rate.numerator}/{rate.denominator}"
