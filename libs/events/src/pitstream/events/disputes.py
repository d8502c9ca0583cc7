"""Topic ``rounds.v1``, key: table. What is said about a closed round, and what is put right in it.

Streams ``dispute/<table>/<round_no>/<number>`` and ``correction/<table>/<round_no>``. A round's own stream is closed by
its last event and never written again; these stand beside it.
"""

from typing import Annotated, Literal

from pydantic import Field

from pitstream.events.model import (
    Card,
    Currency,
    Event,
    GamingDay,
    Minor,
    NetworkId,
    Part,
    PlayerId,
    RoundNo,
    SeatNo,
    TableId,
    Text,
    Word,
)
from pitstream.events.rounds import TOPIC, PaytableChoice, Stake

Number = Annotated[int, Field(ge=1, le=2**32 - 1)]
"""1, 2, …: of a round's disputes or corrections, of a dispute's statements, of a card or an answer among others."""
Decision = Literal["upheld", "denied"]
Place = Literal["dealer", "community", "burned", "bonus", "seat"]


class DisputeOpened(Event, package=TOPIC):
    """First of stream ``dispute/<table>/<round_no>/<number>``: somebody does not agree with a round."""

    table: TableId
    round_no: RoundNo
    number: Number
    seat: SeatNo | None = None
    text: Text
    opened_by: Text


class StatementAttached(Event, package=TOPIC):
    """Somebody's words about a round were taken down. Nobody changes them afterwards."""

    table: TableId
    round_no: RoundNo
    number: Number
    statement: Number
    said_by: Text
    text: Text
    taken_by: Text


class DisputeDecided(Event, package=TOPIC):
    """A floorperson decided a dispute. Money moves by a correction of the round only."""

    table: TableId
    round_no: RoundNo
    number: Number
    decision: Decision
    reason: Text
    decided_by: Text


class CardFact(Part):
    """A card was misread: at ``position`` (from 1) of ``place`` lay ``becomes``. ``seat``: only for place "seat"."""

    place: Place
    seat: SeatNo | None = None
    position: Number
    was: Card
    becomes: Card


class WagerFact(Part):
    """A wager placed before the deal stood for another amount, minor units; 0: it was not placed."""

    seat: SeatNo
    wager: Word
    was: Minor
    becomes: Minor


class DecisionFact(Part):
    """A seat's answer (from 1) was another one; "": it was not given."""

    seat: SeatNo
    position: Number
    was: Text
    becomes: Text


class SeatFact(Part):
    """What was recorded for one seat was another one's; None: nobody was in the round there."""

    seat: SeatNo
    becomes: SeatNo | None = None


class PlayerFact(Part):
    """Somebody else sat there."""

    seat: SeatNo
    was: PlayerId
    becomes: PlayerId


class Fact(Part):
    """One fact that was recorded wrong: exactly one of the five. ``was`` is what was recorded."""

    card: CardFact | None = None
    wager: WagerFact | None = None
    decision: DecisionFact | None = None
    at_seat: SeatFact | None = None
    player: PlayerFact | None = None


class RoundCorrectionProposed(Event, package=TOPIC):
    """One person says which facts of a round are wrong, and why. Nothing changes yet."""

    table: TableId
    round_no: RoundNo
    number: Number
    facts: tuple[Fact, ...]
    reason: Text
    proposed_by: Text
    dispute: Number | None = None


class SeatPlayed(Part):
    """A seat as it was played; ``wagers`` are those before the deal."""

    seat: SeatNo
    player: PlayerId
    cards: tuple[Card, ...]
    wagers: tuple[Stake, ...]
    decisions: tuple[Word, ...]
    forfeited: Text | None = None


class RoundCorrected(Event, package=TOPIC):
    """A second person agreed: from here on the round was played as told here, whole. It is settled anew."""

    table: TableId
    round_no: RoundNo
    number: Number
    facts: tuple[Fact, ...]
    reason: Text
    proposed_by: Text
    confirmed_by: Text
    dispute: Number | None = None
    round_id: Text
    game: Word
    gaming_day: GamingDay
    currency: Currency
    paytables: tuple[PaytableChoice, ...]
    options: dict[str, str] = Field(default_factory=dict)
    network: NetworkId | None = None
    rules_version: Text
    evaluator: Text
    dealer: tuple[Card, ...] = ()
    community: tuple[Card, ...] = ()
    burned: tuple[Card, ...] = ()
    bonus: tuple[Card, ...] = ()
    seats: tuple[SeatPlayed, ...]


class RoundCorrectionDeclined(Event, package=TOPIC):
    """A proposed correction was not agreed to, or was taken back by who proposed it."""

    table: TableId
    round_no: RoundNo
    number: Number
    reason: Text
    declined_by: Text
