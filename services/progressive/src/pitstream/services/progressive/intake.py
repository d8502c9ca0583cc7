"""What a round's events ask of its network: pure, one event in, at most one command out."""

from pitstream.events import Event
from pitstream.events.ids import claim_id
from pitstream.events.rounds import BettingClosed
from pitstream.events.settlements import RoundSettled
from pitstream.services.progressive.commands import Claim, CloseRound, Contribute
from pitstream.services.progressive.feeding import FEEDING_WAGER


def command_of(event: Event) -> Contribute | CloseRound | None:
    """The command that follows from an event of another service; None when it concerns no network."""
    match event:
        case BettingClosed(network=str(network)):
            stakes = sum(count.total for count in event.wagers if count.wager == FEEDING_WAGER)
            return Contribute(network, event.table, event.round_no, event.currency, stakes)
        case RoundSettled(network=str(network)):
            stakes = sum(line.stake for seat in event.seats for line in seat.lines if line.wager == FEEDING_WAGER)
            return CloseRound(
                network, event.table, event.round_no, event.currency, stakes, event.void, claims_of(event)
            )
        case _:
            return None


def claims_of(settled: RoundSettled) -> tuple[Claim, ...]:
    """The shares of meters that a round won: in the order of settlement, within a seat in line order.

    A seat outside that order has nothing left to settle; should one of its lines claim all the same, that is refused
    as a contradiction (ValueError) and not forgotten.
    """
    seats = {seat.seat: seat for seat in settled.seats}
    claims = tuple(
        Claim(
            claim_id=claim_id(settled.table, settled.round_no, number, line.wager),
            seat=number,
            player=seats[number].player,
            wager=line.wager,
            meter=line.share.meter,
            percent=line.share.percent,
            rule=line.rule,
        )
        for number in settled.order
        for line in seats[number].lines
        if line.share is not None
    )
    found = sum(line.share is not None for seat in settled.seats for line in seat.lines)
    if found != len(claims):
        raise ValueError(f"order: was {list(settled.order)}; {found - len(claims)} claiming lines are at other seats")
    return claims
