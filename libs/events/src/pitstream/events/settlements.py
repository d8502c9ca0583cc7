"""Topic ``settlements.v1``, key: table. What each wager came to, and by which paragraph."""

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import Field

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


class SeatResettled(Part):
    """What a correction made of one seat; None on either side where the seat was not in the round. ``posted_in``: the
    correction whose settlement of the seat is undone, 0 for the round's first settlement."""

    seat: SeatNo
    was: SeatSettlement | None = None
    becomes: SeatSettlement | None = None
    posted_in: Annotated[int, Field(ge=0, le=2**32 - 1)]


class ClaimedShare(Part):
    """A share of a meter that a line of the corrected round claims, by the id that its hit has."""

    seat: SeatNo
    wager: Word
    claim_id: Text


class ClaimedPrize(Part):
    """A prize of the corrected round that a floorperson must validate, by the id that it has."""

    seat: SeatNo
    prize: Word
    prize_id: Text


class RoundResettled(Event, package=TOPIC):
    """Stream ``settlement/<table>/<round_no>``, version 2, 3, …: a corrected round's result, in the place of the one
    that it names. Whoever posted that one undoes what it had of the seats in ``changes`` and posts them anew."""

    table: TableId
    round_no: RoundNo
    round_id: Text
    game: Word
    gaming_day: GamingDay
    currency: Currency
    seats: tuple[SeatSettlement, ...]
    order: tuple[SeatNo, ...]
    network: NetworkId | None = None
    rules_version: Text
    closed_by: Text
    supersedes: Text
    correction: Annotated[int, Field(ge=1, le=2**32 - 1)]
    changes: tuple[SeatResettled, ...]
    claims: tuple[ClaimedShare, ...] = ()
    reason: Text
    proposed_by: Text
    confirmed_by: Text
    prizes: tuple[ClaimedPrize, ...] = ()
    """One that was so before keeps its id."""
    prizes_gone: tuple[Text, ...] = ()
    """Ids of the prizes that the superseded settlement had and this one has not."""

    @property
    def in_force(self) -> RoundSettled:
        """The result as a settlement of its own, ``closed_by`` the correction."""
        return _as_settled(self, self.seats, self.order)

    @property
    def superseded(self) -> RoundSettled:
        """What was in force before, but for its ``order``, which is not told again, and ``closed_by``."""
        seats = {seat.seat: seat for seat in self.seats}
        for change in self.changes:
            seats.pop(change.seat, None)
            if change.was is not None:
                seats[change.seat] = change.was
        return _as_settled(self, tuple(seats[number] for number in sorted(seats)), ())


def _as_settled(
    resettled: RoundResettled, seats: tuple[SeatSettlement, ...], order: tuple[SeatNo, ...]
) -> RoundSettled:
    return RoundSettled(
        table=resettled.table,
        round_no=resettled.round_no,
        round_id=resettled.round_id,
        game=resettled.game,
        gaming_day=resettled.gaming_day,
        currency=resettled.currency,
        void=False,
        seats=seats,
        order=order,
        network=resettled.network,
        rules_version=resettled.rules_version,
        closed_by=resettled.closed_by,
    )


def pot_wagers(seats: Iterable[SeatSettlement]) -> frozenset[str]:
    """Wagers whose stakes are the players' own money, since a winner is paid from them. None where nobody won them:
    every seat is forfeited then, and so is the Pot."""
    return frozenset(
        line.wager for seat in seats for line in seat.lines if line.outcome == "win" and line.paid_from == "pot"
    )
