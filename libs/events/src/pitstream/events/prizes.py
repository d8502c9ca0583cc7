"""Prizes that a floorperson must validate: what ``progressives.v1`` tells of them, and what ``wallet.v1`` did about it.

Stream ``prize/<table>/<round_no>``, key: table, for every table, whether it has a network or not. Fixed prizes of 500
for 1 and more, and the envy that waits for another seat's hand. Shares of meters are hits of their network instead.
"""

from typing import Annotated

from pydantic import Field

from pitstream.events.ids import prize_id
from pitstream.events.model import (
    Currency,
    Event,
    Part,
    PlayerId,
    RoundNo,
    SeatNo,
    SignedMinor,
    Stake,
    TableId,
    Text,
    Word,
)
from pitstream.events.progressives import TOPIC
from pitstream.events.settlements import RoundResettled, RoundSettled, SeatSettlement
from pitstream.events.wallet import TOPIC as WALLET
from pitstream.events.wallet import AccountId, Transfer


class PrizePayee(Part):
    """One seat's part of a prize, minor units."""

    seat: SeatNo
    player: PlayerId
    amount: Stake


class PrizePending(Event, package=TOPIC):
    """A settled round's prize waits for a floorperson: its money is no longer the table's and not yet the players'.

    ``seat``: whose hand is to be validated. Envy of one hand is one prize with a payee for each entitled seat.
    """

    prize_id: Text
    table: TableId
    round_no: RoundNo
    seat: SeatNo
    prize: Word
    currency: Currency
    rule: Text
    payees: tuple[PrizePayee, ...]


class PrizeApproved(Event, package=TOPIC):
    """A floorperson validated the hand: every payee is paid."""

    prize_id: Text
    table: TableId
    round_no: RoundNo
    seat: SeatNo
    prize: Word
    currency: Currency
    payees: tuple[PrizePayee, ...]
    floorperson: Text
    document: Text


class PrizeRefused(Event, package=TOPIC):
    """A floorperson refused the prize: its money is the table's again."""

    prize_id: Text
    table: TableId
    round_no: RoundNo
    seat: SeatNo
    prize: Word
    currency: Currency
    payees: tuple[PrizePayee, ...]
    floorperson: Text
    reason: Text
    document: Text
    correction: Annotated[int, Field(ge=1, le=2**32 - 1)] | None = None
    """The correction of the round that took the prize away while it waited."""


class PrizeReserved(Event, package=WALLET):
    """A prize's money left the table's inventory for ``payable/<table>/<currency>``, one transfer a payee. Its seat was
    or is posted without it."""

    account: AccountId
    prize_id: Text
    table: TableId
    round_no: RoundNo
    transfers: tuple[Transfer, ...]


class PrizePosted(Event, package=WALLET):
    """A validated prize was paid to one seat of the round."""

    account: AccountId
    prize_id: Text
    table: TableId
    round_no: RoundNo
    seat: SeatNo
    transfer: Transfer
    balance_after: SignedMinor


class PrizeReturned(Event, package=WALLET):
    """A refused prize's money went back to the table's inventory."""

    account: AccountId
    prize_id: Text
    table: TableId
    round_no: RoundNo
    transfers: tuple[Transfer, ...]


class ContradictoryPrizeError(ValueError):
    """A settlement in which a prize waits for a floorperson that comes to nothing."""


def pending_prizes(settled: RoundSettled) -> list[PrizePending]:
    """The prizes of a settled round that wait for a floorperson, in seat order, whatever service asks.

    Envy of one hand is one prize, paid to every entitled seat: one validation releases all of it. Raises
    ContradictoryPrizeError.
    """
    waiting: dict[tuple[int, str], PrizePending] = {}

    def add(hand: int, prize: str, rule: str, seat: SeatSettlement, amount: int) -> None:
        if amount < 1:
            raise ContradictoryPrizeError(
                f"seats[{seat.seat}].{prize} of {settled.table}/{settled.round_no}: awaits validation and was {amount};"
                " allowed: above 0"
            )
        before, payee = waiting.get((hand, prize)), PrizePayee(seat=seat.seat, player=seat.player, amount=amount)
        waiting[hand, prize] = PrizePending(
            prize_id=prize_id(settled.table, settled.round_no, hand, prize),
            table=settled.table,
            round_no=settled.round_no,
            seat=hand,
            prize=prize,
            currency=settled.currency,
            rule=rule,
            payees=(*(before.payees if before else ()), payee),
        )

    for seat in settled.seats:
        for line in seat.lines:
            if line.awaits_validation:
                add(seat.seat, line.wager, line.rule, seat, line.won)
        for award in seat.awards:
            if award.awaits_validation:
                add(award.for_seat or seat.seat, award.award, award.rule, seat, award.amount)
    return [waiting[hand] for hand in sorted(waiting)]


def prizes_of(resettled: RoundResettled) -> list[PrizePending]:
    """The same of a corrected round, each prize by the id that its settlement says it has."""
    named = {(claimed.seat, claimed.prize): claimed.prize_id for claimed in resettled.prizes}
    return [
        prize.model_copy(update={"prize_id": named[prize.seat, prize.prize]})
        for prize in pending_prizes(resettled.in_force)
    ]
