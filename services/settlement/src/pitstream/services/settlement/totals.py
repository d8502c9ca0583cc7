"""What each wager of a round came to at the whole table."""

from dataclasses import dataclass

from pitstream.events.settlements import RoundSettled

AWARD_OF = {"envy": "progressive", "lucky": "five_card", "magic": "five_card"}
"""The wager that each award belongs to: it is paid without a stake of its own."""


@dataclass(slots=True)
class WagerTotal:
    """Sums over every line of a wager, void and forfeited ones too, minor units; ``claims`` counts shares of meters,
    whose amounts are not in ``won``."""

    stake: int = 0
    returned: int = 0
    won: int = 0
    awards: int = 0
    claims: int = 0


def totals_of(settled: RoundSettled) -> dict[str, WagerTotal]:
    """Wager -> what it came to at the table, in the order in which the wagers are met."""
    totals: dict[str, WagerTotal] = {}
    for seat in settled.seats:
        for line in seat.lines:
            total = totals.setdefault(line.wager, WagerTotal())
            total.stake += line.stake
            total.returned += line.returned
            total.won += line.won
            total.claims += line.share is not None
        for award in seat.awards:
            totals.setdefault(AWARD_OF[award.award], WagerTotal()).awards += award.amount
    return totals
