"""How far a table's win may lie from its expectation after so many rounds."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from typing import Final

from pitstream.odds.cells import Moments
from pitstream.odds.errors import OddsError

ROUNDS: Final = (1_000, 10_000, 100_000, 1_000_000)
CONFIDENCE: Final[dict[str, Decimal]] = {"90%": Decimal("1.6449"), "95%": Decimal("1.9600"), "99%": Decimal("2.5758")}
"""Two-sided: how many standard deviations either way of the mean hold that part of a normal distribution."""
_CONTEXT = Context(prec=30)


def decimal(value: Fraction) -> Decimal:
    """The fraction as a decimal of 30 digits."""
    return _CONTEXT.divide(Decimal(value.numerator), Decimal(value.denominator))


def standard_deviation(variance: Fraction) -> Decimal:
    return decimal(variance).sqrt(_CONTEXT)


@dataclass(frozen=True, slots=True)
class Expected:
    """The house's win after so many rounds, in stakes."""

    rounds: int
    mean: Decimal
    lowest: Decimal
    highest: Decimal
    """Between them lies the win with the confidence asked for."""
    lowest_hold: Decimal
    highest_hold: Decimal
    """The same, as parts of what was staked."""


def expected(result: Moments, *, confidence: str = "95%", rounds: Sequence[int] = ROUNDS) -> list[Expected]:
    """``result``: the player's, of one round and one unit staked. Rounds are taken as independent, their sum as normal.

    Raises OddsError for a confidence that is not listed, or fewer rounds than one.
    """
    if confidence not in CONFIDENCE:
        raise OddsError("confidence", f"was {confidence!r}; allowed: {', '.join(CONFIDENCE)}")
    for count in rounds:
        if count < 1:
            raise OddsError("rounds", f"was {count}; allowed: 1 or more")
    index = volatility_index(result, confidence)
    found = []
    for count in rounds:
        mean = decimal(-result.mean * count)
        spread = _CONTEXT.multiply(index, Decimal(count).sqrt(_CONTEXT))
        lowest, highest = mean - spread, mean + spread
        found.append(Expected(count, mean, lowest, highest, lowest / count, highest / count))
    return found


def volatility_index(result: Moments, confidence: str = "95%") -> Decimal:
    """The spread of one round: its standard deviation times the confidence's factor."""
    return _CONTEXT.multiply(standard_deviation(result.variance), CONFIDENCE[confidence])
