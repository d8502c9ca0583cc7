"""Odds, shares of a meter, and how each is rounded: rules about a fraction of a minor unit have one name each."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True, slots=True)
class Odds:
    """``times`` to (or for) ``per``: 3 to 2 is ``Odds(3, 2)``."""

    times: int
    per: int = 1

    def __str__(self) -> str:
        return f"{self.times}" if self.per == 1 else f"{self.times}/{self.per}"


@dataclass(frozen=True, slots=True)
class MeterShare:
    """``percent`` (1 to 100) of what a meter stands at."""

    meter: str
    percent: int

    def __str__(self) -> str:
        return f"{self.percent}% of meter {self.meter}"


PUSH: Final = "push"
Prize = Odds | MeterShare | Literal["push"]
"""What a row of a paytable gives."""


def winnings(stake: int, odds: Odds) -> int:
    """Minor units won at these odds, a fraction rounded up: odds are the least that is paid.

    >>> winnings(1, Odds(3, 2)), winnings(1000, Odds(3, 2)), winnings(7, Odds(50))
    (2, 1500, 350)
    """
    return -(-stake * odds.times // odds.per)


def share_of(amount: int, percent: int) -> int:
    """``percent`` of a meter's whole minor units, rounded down: the fraction stays on the meter.

    >>> share_of(1_000_009, 10), share_of(1_000_009, 100)
    (100000, 1000009)
    """
    return amount * percent // 100


class MissingMeterError(LookupError):
    """A share is won of a meter whose amount is not known."""

    def __init__(self, meter: str) -> None:
        super().__init__(f"a share of meter {meter!r} is won, but its amount is not given")
        self.meter = meter
        """Its id."""


class Meters:
    """What the meters stand at while one round is settled: a share taken lowers its meter, the next one sees that."""

    def __init__(self, amounts: Mapping[str, int], seeds: Mapping[str, int]) -> None:
        """``amounts``: just before the round's payouts; ``seeds``: what a meter restarts from (0 unless given)."""
        self._amounts = dict(amounts)
        self._seeds = seeds

    def worth(self, share: MeterShare) -> int:
        """Minor units that the share would pay now. Raises ``MissingMeterError``."""
        if share.meter not in self._amounts:
            raise MissingMeterError(share.meter)
        return share_of(self._amounts[share.meter], share.percent)

    def take(self, share: MeterShare) -> int:
        """Pay the share, minor units. The whole of a meter leaves its seed. Raises ``MissingMeterError``."""
        paid = self.worth(share)
        if share.percent == 100:
            self._amounts[share.meter] = self._seeds.get(share.meter, 0)
        else:
            self._amounts[share.meter] -= paid
        return paid
