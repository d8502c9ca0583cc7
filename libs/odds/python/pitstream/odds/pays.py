"""What a prize is worth beside its stake, as exact fractions, and the same as whole numbers on one scale."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from types import MappingProxyType

from pitstream.games.hands import Rows
from pitstream.games.odds import PUSH, MeterShare, Prize
from pitstream.games.paytable import Paytable
from pitstream.odds.errors import OddsError

LOSS = Fraction(-1)
"""A lost stake."""

Amounts = Mapping[str, Fraction]
"""What meters stand at, in stakes of the wager."""


@dataclass(frozen=True, slots=True)
class Net:
    """A result in stakes: a fixed part, and parts of meters, which are paid whatever they stand at."""

    fixed: Fraction
    """What is paid whatever the meters stand at; -1 is a lost stake."""
    shares: Mapping[str, Fraction] = field(default_factory=lambda: MappingProxyType({}))
    """Meter -> the part of it that is won, 0 to 1."""

    def at(self, amounts: Amounts) -> Fraction:
        """The result when the meters stand at these amounts. Raises OddsError when one is not given."""
        for meter in self.shares:
            if meter not in amounts:
                raise OddsError(f"meters.{meter}", "was missing; allowed: what it stands at, in stakes of the wager")
        return self.fixed + sum((part * amounts[meter] for meter, part in self.shares.items()), Fraction(0))


def net_of(paytable: Paytable, prize: Prize | None) -> Net:
    """What a prize leaves beside the stake, rounding to minor units left out of account. None is a lost wager."""
    match prize:
        case None:
            return Net(LOSS)
        case MeterShare(meter, percent):
            # Its stake was taken when the bet was accepted.
            return Net(LOSS, {meter: Fraction(percent, 100)})
        case str() if prize == PUSH:
            return Net(Fraction(0))
        case odds:
            won = Fraction(odds.times, odds.per)
            return Net(won if paytable.basis == "to 1" else won - 1)


def net_of_rows(paytable: Paytable, rows: Rows) -> Net:
    """What a hand that fits these rows comes to."""
    return net_of(paytable, paytable.prize(rows))


def fixed_net(paytable: Paytable, rows: Rows) -> Fraction:
    """As ``net_of_rows`` for a wager that no meter pays. OddsError when the row pays a share of one."""
    net = net_of_rows(paytable, rows)
    if net.shares:
        reason = f"pays a share of meter {next(iter(net.shares))}; allowed: odds, or push"
        raise OddsError(f"paytables.{paytable.wager}", f"was {paytable.id}, which {reason}")
    return net.fixed


def scale_of(nets: Iterable[Fraction]) -> int:
    """The smallest number that makes all of these whole."""
    return lcm(*(net.denominator for net in nets))


def scaled(net: Fraction, scale: int) -> int:
    return net.numerator * (scale // net.denominator)
