"""Prizes that a floorperson must validate, on topic ``progressives.v1``.

Stream ``prize/<table>/<round_no>``, key: table, for every table, whether it has a network or not. Fixed prizes of 500
for 1 and more, and the envy that waits for another seat's hand. Shares of meters are hits of their network instead.
"""

from pitstream.events.model import Currency, Event, Part, PlayerId, RoundNo, SeatNo, Stake, TableId, Text, Word
from pitstream.events.progressives import TOPIC


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
