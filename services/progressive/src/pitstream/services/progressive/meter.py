"""One meter: what it stands at to the last fraction, and how money goes into it and out of it. Pure, integers only.

A meter and its overflow are one column of money: the meter shows as much of it as its limit allows, the rest has
overflowed. The column holds whole minor units and an exact rest below one, ``carry / carry_denominator``; the reserve
is a second column with a rest of its own. So for ever and at every step

    meter + overflow + carry = opening + rate x stakes - locked + seeds + approved changes
    reserve + reserve carry  = reserve rate x stakes - its part of the seeds + approved changes

A column is below 0 only where a round was declared void after what it had brought was won.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm

from pitstream.events.progressives import MeterContribution, MeterOpening, MeterTerms, Rate

NO_RATE = Rate(numerator=0, denominator=1)


@dataclass(frozen=True, slots=True)
class Rates:
    """At which rates a wager feeds a meter."""

    meter: str
    rate: Rate
    reserve: Rate = NO_RATE


@dataclass(frozen=True, slots=True)
class Meter:
    """One meter as it stands, in minor units; ``taken``, ``hits`` and ``won`` count since it opened."""

    terms: MeterTerms
    amount: int
    carry_denominator: int
    reserve_carry_denominator: int
    carry: int = 0
    overflow: int = 0
    reserve: int = 0
    reserve_carry: int = 0
    retired: bool = False
    taken: int = 0
    """Stakes of the wagers that fed it, those of void rounds taken off."""
    hits: int = 0
    """Locked and not refused."""
    won: int = 0
    """Money of those hits."""

    @property
    def meter(self) -> str:
        return self.terms.meter

    @property
    def column(self) -> int:
        """Whole minor units of the meter and its overflow."""
        return self.amount + self.overflow

    @property
    def value(self) -> Fraction:
        """Exactly what the meter and its overflow stand at."""
        return self.column + Fraction(self.carry, self.carry_denominator)

    @property
    def reserve_value(self) -> Fraction:
        """Exactly what the reserve stands at."""
        return self.reserve + Fraction(self.reserve_carry, self.reserve_carry_denominator)

    @property
    def rates(self) -> Rates:
        return Rates(self.meter, self.terms.rate, self.terms.reserve_rate or NO_RATE)


@dataclass(frozen=True, slots=True)
class Standing:
    """Where whole minor units stand after something was decided; ``overflow_change`` went from meter to overflow."""

    amount: int
    overflow: int
    overflow_change: int


def opened(opening: MeterOpening) -> Meter:
    """A meter as its network opens it; what is beyond its limit is refused before."""
    terms = MeterTerms(
        meter=opening.meter,
        seed=opening.seed,
        rate=Rate(numerator=opening.rate_numerator, denominator=opening.rate_denominator),
        reserve_rate=opening.reserve_rate,
        limit=opening.limit,
        contribution_max=opening.contribution_max,
    )
    return Meter(terms, opening.amount, opening.rate_denominator, _reserve_denominator(terms))


def standing(meter: Meter, change: int) -> Standing:
    """The meter with ``change`` whole minor units more in its column."""
    column, limit = meter.column + change, meter.terms.limit
    amount = column if limit is None else min(column, limit)
    return Standing(amount, column - amount, column - amount - meter.overflow)


def contribution(meter: Meter, rates: Rates, stakes: int) -> MeterContribution:
    """What ``stakes`` add at these rates (take back, when negative): whole units are posted, the rest is carried."""
    column, carry = _fed(meter.column, meter.carry, meter.carry_denominator, rates.rate, stakes)
    after = standing(meter, column - meter.column)
    reserve, reserve_carry = _fed(
        meter.reserve, meter.reserve_carry, meter.reserve_carry_denominator, rates.reserve, stakes
    )
    own, reserves = meter.carry_denominator, meter.reserve_carry_denominator
    return MeterContribution(
        meter=rates.meter,
        posted=after.amount - meter.amount,
        amount_after=after.amount,
        carry_numerator=carry,
        carry_denominator=None if own == meter.terms.rate.denominator else own,
        overflow_posted=after.overflow_change,
        overflow_after=after.overflow,
        reserve_posted=reserve - meter.reserve,
        reserve_after=reserve,
        reserve_carry_numerator=reserve_carry,
        reserve_carry_denominator=None if reserves == _reserve_denominator(meter.terms) else reserves,
    )


def after_contribution(meter: Meter, fed: MeterContribution, stakes: int) -> Meter:
    """The meter after a contribution (a return, with negative stakes) as its event tells it."""
    return replace(
        meter,
        amount=fed.amount_after,
        carry=fed.carry_numerator,
        carry_denominator=fed.carry_denominator or meter.terms.rate.denominator,
        overflow=fed.overflow_after,
        reserve=fed.reserve_after,
        reserve_carry=fed.reserve_carry_numerator,
        reserve_carry_denominator=fed.reserve_carry_denominator or _reserve_denominator(meter.terms),
        taken=meter.taken + stakes,
    )


def too_much(meter: Meter, stakes: int) -> int | None:
    """What the stakes would add to the meter, rounded up, where that is more than one round may; else None."""
    allowed, rate = meter.terms.contribution_max, meter.terms.rate
    if allowed is None or rate.numerator * stakes <= allowed * rate.denominator:
        return None
    return -(-rate.numerator * stakes // rate.denominator)


def seed_parts(meter: Meter) -> tuple[int, int]:
    """Who pays the seed: the reserve as far as it goes, and the house the rest."""
    from_reserve = min(meter.terms.seed, max(0, meter.reserve))
    return from_reserve, meter.terms.seed - from_reserve


def redenominated(numerator: int, denominator: int, *rates: Rate) -> tuple[int, int]:
    """The rest ``numerator / denominator``, unchanged, over the least denominator that all ``rates`` fit too."""
    rest = Fraction(numerator, denominator)
    common = lcm(rest.denominator, *(rate.denominator for rate in rates))
    return rest.numerator * (common // rest.denominator), common


def _fed(amount: int, carry: int, denominator: int, rate: Rate, stakes: int) -> tuple[int, int]:
    # Whoever changes a rate makes the denominator a multiple of that of every rate still in use, so this is exact.
    return divmod(
        amount * denominator + carry + rate.numerator * stakes * (denominator // rate.denominator), denominator
    )


def _reserve_denominator(terms: MeterTerms) -> int:
    return 1 if terms.reserve_rate is None else terms.reserve_rate.denominator
