"""Topic ``settlements.v1``, key: table. What each wager came to, and by which paragraph."""

from typing import Literal

from pitstream.events.model import (
    Currency,
    Event,
    GamingDay,
    MeterId,
    Minor,
    NetworkId,
    Part,
    Percent,
    PlayerId,
    RoundNo,
    SeatNo,
    Stake,
    TableId,
    Text,
    Word,
)

TOPIC = "settlements.v1"

Outcome = Literal["win", "lose", "push", "forfeit", "void"]
PaidFrom = Literal["table_inventory", "meter", "game_account", "pot"]


class Share(Part):
    """A share of a meter that a line won; the progressive service fixes its amount."""

    meter: MeterId
    percent: Percent


class Line(Part):
    """One wager's outcome. ``won`` comes on top of ``returned``; it is 0 while a share has no amount yet.

    ``awaits_validation``: ``won`` is paid only once a floorperson has validated the hand.
    """

    wager: Word
    stake: Stake
    outcome: Outcome
    returned: Minor
    won: Minor
    rule: Text
    share: Share | None = None
    paid_from: PaidFrom | None = None
    awaits_validation: bool = False


class Award(Part):
    """Money paid without a stake of its own: envy (with ``for_seat``), lucky, magic.

    ``awaits_validation``: it is paid only once a floorperson has validated the hand, envy that of ``for_seat``.
    """

    award: Word
    amount: Minor
    rule: Text
    for_seat: SeatNo | None = None
    paid_from: PaidFrom | None = None
    awaits_validation: bool = False


class SeatSettlement(Part):
    """Everything one seat's wagers came to."""

    seat: SeatNo
    player: PlayerId
    lines: tuple[Line, ...]
    awards: tuple[Award, ...] = ()


class RoundSettled(Event, package=TOPIC):
    """Stream ``settlement/<table>/<round_no>``, version 1: a second settlement of one round cannot exist."""

    table: TableId
    round_no: RoundNo
    round_id: Text
    game: Word
    gaming_day: GamingDay
    currency: Currency
    void: bool
    seats: tuple[SeatSettlement, ...]
    order: tuple[SeatNo, ...]
    network: NetworkId | None = None
    rules_version: Text
    closed_by: Text
