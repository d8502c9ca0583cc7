"""What wagers came to over many rounds."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from pitstream.events.settlements import SeatSettlement

AWARDED_WITH: Final = {"envy": "progressive", "lucky": "five_card", "magic": "five_card"}
"""Award -> the wager that it counts with."""


@dataclass(slots=True)
class WagerTotal:
    """Sums over every line of a wager, void and forfeited ones too, minor units."""

    stake: int = 0
    returned: int = 0
    won: int = 0
    awards: int = 0


def add_up(seats: Iterable[SeatSettlement], into: dict[str, WagerTotal]) -> None:
    """Add a round's seats to the totals of its game: wager -> sums."""
    for seat in seats:
        for line in seat.lines:
            total = into.setdefault(line.wager, WagerTotal())
            total.stake += line.stake
            total.returned += line.returned
            total.won += line.won
        for award in seat.awards:
            into.setdefault(AWARDED_WITH[award.award], WagerTotal()).awards += award.amount


def net_of(seat: SeatSettlement) -> int:
    """The seat's change: all that came back, was won and awarded, less the stakes; minor units."""
    return sum(line.returned + line.won - line.stake for line in seat.lines) + sum(
        award.amount for award in seat.awards
    )
