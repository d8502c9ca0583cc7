"""What may be asked of a table and of its round. A command may be refused; what it brings about are the events.

The commands' own types keep out what no table could mean (seat 8, a stake that is no integer). Whatever the rules
judge, cards and stakes included, comes through as it was sent, so that the refusal can name it.
"""

from typing import Annotated

from pydantic import Field

from pitstream.events.model import (
    Bundle,
    Currency,
    MeterId,
    NetworkId,
    Part,
    PlayerId,
    RoundNo,
    SeatNo,
    Sha256,
    TableId,
    Text,
)
from pitstream.events.money import Whole
from pitstream.events.rounds import TableOpened, VoidKind

# What a person or a device wrote is stored as text: no control characters, of which databases refuse some.
_PRINTABLE = r"^[^\x00-\x1f\x7f]+$"

Reason = Annotated[str, Field(max_length=2000, pattern=_PRINTABLE)]
"""Why, in the words of who ruled; it stays in the events for good."""
Floorperson = Annotated[str, Field(max_length=200, pattern=_PRINTABLE)]
RoundId = Annotated[str, Field(max_length=200, pattern=_PRINTABLE)]
"""The caller's own id of a round; two callers may use the same one."""
Text200 = Annotated[str, Field(max_length=200)]
# JSON has lists only, and Python's strict tuples would refuse them; what stands in the list is still strict.
Cards = Annotated[tuple[Text200, ...], Field(strict=False, max_length=52)]


class NetworkTerms(Part):
    """What the table has heard of a progressive network: its currency, and the meters that shares may be won of."""

    currency: Currency
    meters: tuple[MeterId, ...]


class OpenTable(Part):
    """Open a table for a game on a gaming day."""

    table: TableId
    game: Text200
    gaming_day: Text200
    currency: Currency
    paytables: dict[str, str]
    """Wager -> paytable id, for every wager that the table offers."""
    policies: dict[str, str] = Field(default_factory=dict)
    network: NetworkId | None = None
    network_terms: NetworkTerms | None = None
    """Of that network; None where the table has not heard of it."""


class CloseTable(Part):
    """Close a table; ``round_in_progress`` is the round that is still being played there, if any."""

    table: TableId
    reason: Reason
    round_in_progress: RoundNo | None = None


class OpenRound(Part):
    """Open the next round of a table. Everything around the round that its opening event records comes along."""

    table: TableOpened | None
    """How the table was opened; None when it is closed."""
    round_in_progress: RoundNo | None = None
    round_no: RoundNo
    round_id: RoundId
    options: dict[str, str] = Field(default_factory=dict)
    previous_round_hash: Sha256 = b""
    """Hash of the event that closed the table's last round; empty at its first."""
    rules_version: Text
    evaluator: Text


class PlaceWagers(Part):
    """A seat's wagers before the deal, all of them: they stand or fall together."""

    seat: SeatNo
    player: PlayerId
    stakes: dict[str, Whole]
    """Wager -> minor units."""


class AnswerHold(Part):
    """The wallet's answer to a bundle of wagers."""

    seat: SeatNo
    bundle: Bundle
    held: bool
    reason: Text = ""


class DealtHand(Part):
    """The cards that one seat was dealt, in the order dealt."""

    seat: SeatNo
    cards: Cards


class DealHands(Part):
    """Close the betting: these hands were dealt."""

    hands: Annotated[tuple[DealtHand, ...], Field(strict=False, max_length=7)]
    dealer: Cards = ()


class AnswerDecision(Part):
    """The seat that is asked says what it does."""

    seat: SeatNo
    choice: Text200


class RevealCommunity(Part):
    """These community cards were revealed; ``burned`` stays empty where the device does not report burn cards."""

    cards: Cards
    burned: Cards = ()


class DealBonus(Part):
    """The cards that were dealt apart for the Six Card Bonus."""

    cards: Cards


class FinishRound(Part):
    """The dealer turns the hand up: the round can be settled."""


class VoidRound(Part):
    """A floorperson declares the round void: what went wrong, and in which words."""

    kind: VoidKind = "other"
    reason: Reason
    floorperson: Floorperson


class ForfeitSeat(Part):
    """A floorperson takes every wager of a seat."""

    seat: SeatNo
    reason: Reason
    floorperson: Floorperson


class LeaveSeat(Part):
    """A floorperson states that a seat's player went away.

    Before the deal the wagers are off. After it they stay, and the hand is not played any more: when the seat is asked
    it folds where it may, else it checks.
    """

    seat: SeatNo
    reason: Reason
    floorperson: Floorperson


class SetCardAside(Part):
    """A floorperson sets a card aside that was found face up in the deck: it is not dealt in this round."""

    card: Text200
    reason: Reason
    floorperson: Floorperson


TableCommand = OpenTable | CloseTable
RoundCommand = (
    OpenRound
    | PlaceWagers
    | AnswerHold
    | DealHands
    | AnswerDecision
    | RevealCommunity
    | DealBonus
    | FinishRound
    | VoidRound
    | ForfeitSeat
    | LeaveSeat
    | SetCardAside
)
