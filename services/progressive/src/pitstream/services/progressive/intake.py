"""What a round's events ask of its network: pure, one event in, at most one command out."""

from dataclasses import replace

from pitstream.events import Event
from pitstream.events.ids import claim_id
from pitstream.events.rounds import BettingClosed
from pitstream.events.settlements import RoundResettled, RoundSettled
from pitstream.services.progressive.commands import Claim, CloseRound, Contribute, CorrectRound
from pitstream.services.progressive.feeding import FEEDING_WAGER
from pitstream.services.progressive.meter import Rates
from pitstream.services.progressive.network import Hit


class ContradictoryOrderError(ValueError):
    """A settlement whose order of seats is not that of its seats: it would be a guess who locked a share first."""


def command_of(event: Event) -> Contribute | CloseRound | None:
    """The command that follows from an event of another service; None when it concerns no network."""
    match event:
        case BettingClosed(network=str(network)):
            stakes = sum(count.total for count in event.wagers if count.wager == FEEDING_WAGER)
            return Contribute(network, event.table, event.round_no, event.currency, stakes)
        case RoundSettled(network=str(network)):
            return CloseRound(
                network, event.table, event.round_no, event.currency, _stakes(event), event.void, claims_of(event)
            )
        case _:
            return None


def correction_of(event: RoundResettled, rates: tuple[Rates, ...], hits: tuple[Hit, ...]) -> CorrectRound | None:
    """What a corrected round asks of its network; None for a round without one."""
    if event.network is None:
        return None
    named = {(claimed.seat, claimed.wager): claimed.claim_id for claimed in event.claims}
    claims = tuple(replace(claim, claim_id=named[claim.seat, claim.wager]) for claim in claims_of(event.in_force))
    return CorrectRound(
        network=event.network,
        table=event.table,
        round_no=event.round_no,
        currency=event.currency,
        correction=event.correction,
        stakes_before=_stakes(event.superseded),
        stakes_after=_stakes(event.in_force),
        rates=rates,
        hits=hits,
        claims=claims,
        reason=event.reason,
        proposed_by=event.proposed_by,
        confirmed_by=event.confirmed_by,
    )


def _stakes(settled: RoundSettled) -> int:
    return sum(line.stake for seat in settled.seats for line in seat.lines if line.wager == FEEDING_WAGER)


def claims_of(settled: RoundSettled) -> tuple[Claim, ...]:
    """The shares of meters that a round won: in the order of settlement, within a seat in line order.

    A seat outside that order has nothing left to settle; should one of its lines claim all the same, that is refused
    (ContradictoryOrderError) and not forgotten. So is an order that has a seat twice, or one that is not there.
    """
    seats = {seat.seat: seat for seat in settled.seats}
    order = list(settled.order)
    if len(set(order)) != len(order) or not seats.keys() >= set(order):
        raise ContradictoryOrderError(f"order: was {order}; allowed: seats of {list(seats)}, each once")
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
        for number in order
        for line in seats[number].lines
        if line.share is not None
    )
    found = sum(line.share is not None for seat in settled.seats for line in seat.lines)
    if found != len(claims):
        raise ContradictoryOrderError(f"order: was {order}; {found - len(claims)} claiming lines are at other seats")
    return claims
