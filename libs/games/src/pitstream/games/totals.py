"""What wagers came to over many rounds."""

from collections.abc import Iterable
from dataclasses import dataclass

from pitstream.events.settlements import SeatSettlement
from pitstream.games.registry import game_named


@dataclass(slots=True)
class WagerTotal:
    """Sums over every line of a wager, void and forfeited ones too, minor units."""

    stake: int = 0
    returned: int = 0
    won: int = 0
    awards: int = 0


def add_up(game: str, seats: Iterable[SeatSettlement], into: dict[str, WagerTotal]) -> None:
    """Add a round's seats to the totals of its game: wager -> sums. An award counts with the wager it came with."""
    awarded_with = game_named(game).awards
    for seat in seats:
        for line in seat.lines:
            total = into.setdefault(line.wager, WagerTotal())
            total.stake += line.stake
            total.returned += line.returned
            total.won += line.won
        for award in seat.awards:
            into.setdefault(awarded_with[award.award], WagerTotal()).awards += award.amount


def net_of(seat: SeatSettlement) -> int:
    """The seat's change: all that came back, was won and awarded, less the stakes; minor units."""
    return sum(line.returned + line.won - line.stake for line in seat.lines) + sum(
        award.amount for award in seat.awards
    )
