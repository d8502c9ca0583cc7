"""A progressive bet: its return as the meter rises, when it breaks even, how long a meter lives, what envy adds.

Amounts are in stakes of the wager. Every wager is one try: between two hits of a meter lies a geometric number of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from pitstream.games.paytable import Paytable
from pitstream.odds.cells import FOLD, NONE, Moments, Wager, collected, moments
from pitstream.odds.errors import OddsError
from pitstream.odds.kinds import THREE_COUNTS, three_rows_of
from pitstream.odds.pays import Amounts, Net

QUANTILES: Final = (Fraction(1, 10), Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), Fraction(9, 10), Fraction(99, 100))
PLAYERS_MAX: Final = 7
_EXACT = Context(prec=50)


@dataclass(frozen=True, slots=True)
class Growth:
    """How a meter grows."""

    seed: Fraction = NONE
    """What it restarts from."""
    rate: Fraction = NONE
    """What each wager adds, of its stake."""


@dataclass(frozen=True, slots=True)
class MeterOdds:
    """One meter of a progressive bet."""

    meter: str
    hit: Fraction
    """Chance that a wager wins a share of it."""
    whole: Fraction
    """Chance that a wager wins all of it."""
    slope: Fraction
    """What one more stake on the meter adds to the mean result."""
    break_even: Fraction | None
    """Where the mean result is 0, the other meters and envy being as given; None when no amount is enough."""
    wagers_between_hits: Fraction
    mean_at_hit: Fraction | None
    """What it stands at on average just before all of it is won, smaller shares taken in between; None when never."""
    at_hit: Mapping[Fraction, Fraction] | None
    """Part of all hits -> what the meter does not exceed in so many of them; None when smaller shares are paid too."""

    def hours_between_hits(self, handle: Fraction) -> Fraction:
        """``handle``: stakes wagered an hour, over all tables that feed the meter."""
        if handle <= 0:
            raise OddsError("handle", f"was {handle}; allowed: more than 0 stakes an hour")
        return self.wagers_between_hits / handle


@dataclass(frozen=True, slots=True)
class ProgressiveOdds:
    """A progressive bet at a table with so many players."""

    players: int
    mean: Net
    """The player's mean result, envy included: linear in the meters."""
    envy: Fraction
    """What envy adds to it."""
    fixed_cost: Fraction
    """What the house pays of a stake: odds and envy, no share of a meter, no contribution."""
    meters: tuple[MeterOdds, ...]


def envy_of(paytable: Paytable, wager: Wager, players: int, *, wheel: bool = True) -> Fraction:
    """The mean envy of a wager: the other players' hands, each played like this one and with this wager.

    In Ultimate Texas Hold'em a folded hand earns none; in Raise It Up Stud it does, since its cards stay on the table.

    ``players``: at the table, this one counted; 1 to 7. ``wheel``: A-2-3 is a three-card straight. Raises OddsError.
    """
    if not 1 <= players <= PLAYERS_MAX:
        raise OddsError("players", f"was {players}; allowed: 1 to {PLAYERS_MAX}")
    return (players - 1) * envy_moments(paytable, wager, wheel=wheel).mean


def envy_moments(paytable: Paytable, wager: Wager, *, wheel: bool = True) -> Moments:
    """What one other hand brings to a wager, in its stakes. Raises OddsError, as ``progressive_odds`` says."""
    if paytable.game == "raise_it_up_stud":
        every = enumerate(THREE_COUNTS)
        times = ((paytable.envy_times(three_rows_of(kind, wheel=wheel)), deals) for kind, deals in every)
        return moments(collected((Fraction(of), deals) for of, deals in times))
    unpaid = [row for row in paytable.envy if row not in paytable.pays]
    if unpaid:
        raise OddsError("paytables.progressive", f"was {paytable.id}, whose envy row {unpaid[0]} pays nothing itself")
    return moments(collected((Fraction(paytable.envy.get(row.outcome, 0)), row.deals) for row in wager.rows))


def progressive_odds(
    paytable: Paytable,
    wager: Wager,
    *,
    players: int = 1,
    wheel: bool = True,
    amounts: Amounts | None = None,
    growth: Mapping[str, Growth] = MappingProxyType({}),
) -> ProgressiveOdds:
    """``amounts``: what the other meters stand at when one's break-even is asked; 0 unless given. Raises OddsError.

    In Ultimate Texas Hold'em every row that pays envy must be a row that pays, or its hands are not told apart: also
    OddsError.
    """
    envy = envy_of(paytable, wager, players, wheel=wheel)
    shares = wager.mean.shares
    for name in (*(amounts or {}), *growth):
        if name not in shares:
            allowed = ", ".join(shares) or "none, it pays no share of a meter"
            raise OddsError(f"meters.{name}", f"was {name!r}; allowed: {allowed}")
    mean = Net(wager.mean.fixed + envy, shares)
    paid = sum((row.net.fixed + 1) * Fraction(row.deals, wager.deals) for row in wager.rows if row.outcome != FOLD)
    meters = tuple(_meter(wager, mean, meter, amounts or {}, growth.get(meter, Growth())) for meter in shares)
    return ProgressiveOdds(players, mean, envy, Fraction(paid) + envy, meters)


def _meter(wager: Wager, mean: Net, meter: str, amounts: Amounts, growth: Growth) -> MeterOdds:
    if growth.seed < 0 or not 0 <= growth.rate <= 1:
        raise OddsError(f"growth.{meter}", f"was {growth}; allowed: a seed from 0, a rate from 0 to 1")
    parts = [(row.net.shares[meter], Fraction(row.deals, wager.deals)) for row in wager.rows if meter in row.net.shares]
    hit = sum((chance for _, chance in parts), NONE)
    whole = sum((chance for share, chance in parts if share == 1), NONE)
    slope = mean.shares[meter]
    others = mean.fixed + sum(
        (share * amounts.get(other, NONE) for other, share in mean.shares.items() if other != meter), NONE
    )
    return MeterOdds(
        meter=meter,
        hit=hit,
        whole=whole,
        slope=slope,
        break_even=max(NONE, -others / slope) if slope else None,
        wagers_between_hits=1 / hit if hit else NONE,
        mean_at_hit=_mean_at_hit(parts, whole, growth) if whole else None,
        at_hit=_at_hit(whole, growth) if whole and hit == whole else None,
    )


def _mean_at_hit(parts: list[tuple[Fraction, Fraction]], whole: Fraction, growth: Growth) -> Fraction:
    """Each wager adds the rate, then takes its share, if any; after the whole it starts from the seed again.

    With r the mean part that stays when the whole is not won, the amounts before each try until the whole is won add up
    to V = (seed + r * rate / whole) / (1 - r); the one that is won is their part of ``whole``, and the last addition.
    """
    stays = 1 - sum((share * chance for share, chance in parts), NONE)
    added = (growth.seed + stays * growth.rate / whole) / (1 - stays)
    return whole * added + growth.rate


def _at_hit(chance: Fraction, growth: Growth) -> Mapping[Fraction, Fraction]:
    found = {}
    miss = _EXACT.divide(Decimal(chance.denominator - chance.numerator), Decimal(chance.denominator))
    for part in QUANTILES:
        left = _EXACT.divide(Decimal(part.denominator - part.numerator), Decimal(part.denominator))
        wagers = Decimal(1) if miss == 0 else _EXACT.divide(left.ln(_EXACT), miss.ln(_EXACT))
        found[part] = growth.seed + growth.rate * int(wagers.to_integral_value(ROUND_CEILING))
    return MappingProxyType(found)
