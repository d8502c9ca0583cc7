"""Topic ``rounds.v1``, key: table. What happened at a table; ``proto/pitstream/rounds/v1/rounds.proto`` is its twin."""

from typing import Literal

from pydantic import Field

from pitstream.events.model import (
    Bundle,
    Card,
    Count,
    Currency,
    Event,
    GamingDay,
    Minor,
    NetworkId,
    Part,
    PaytableId,
    PlayerId,
    RoundNo,
    SeatNo,
    Sha256,
    TableId,
    Text,
    Word,
)
from pitstream.events.model import Stake as Amount

TOPIC = "rounds.v1"

VoidKind = Literal["misdeal", "exposed_card", "wrong_count", "shuffler_jam", "other"]
"""What went wrong with a round: a card too many or too few to a hand; a card exposed early; a deck of another number
of cards than 52; a shuffler that jammed."""


class Stake(Part):
    """A wager and the money on it, minor units."""

    recurs = True

    wager: Word
    stake: Amount


class PaytableChoice(Part):
    """A paytable that a table offers a wager with; ``sha256`` (hex) proves which content was in force."""

    recurs = True

    wager: Word
    paytable: PaytableId
    sha256: Text


class Hand(Part):
    """The cards dealt to one seat, in the order dealt."""

    seat: SeatNo
    cards: tuple[Card, ...]


class WagerCount(Part):
    """How much stands on one wager at the whole table when betting closes."""

    wager: Word
    count: Count
    total: Minor


class TableOpened(Event, package=TOPIC):
    """Stream ``table/<table>``. The table opens for a game on a gaming day."""

    table: TableId
    game: Word
    gaming_day: GamingDay
    currency: Currency
    paytables: tuple[PaytableChoice, ...]
    policies: dict[str, str] = Field(default_factory=dict)
    network: NetworkId | None = None


class TableClosed(Event, package=TOPIC):
    """Stream ``table/<table>``. No further round is dealt until it opens again."""

    table: TableId
    reason: Text


class ProgressiveSuspended(Event, package=TOPIC):
    """Stream ``table/<table>``. The network has not answered for the progressive wagers of ``round_no`` since its
    betting closed ``silent_s`` seconds before: until further notice no such wager is taken, and the rounds go on."""

    table: TableId
    network: NetworkId
    round_no: RoundNo
    silent_s: Count


class ProgressiveResumed(Event, package=TOPIC):
    """Stream ``table/<table>``. Every progressive wager of the table has joined the meters: it is taken again."""

    table: TableId
    network: NetworkId


class RoundOpened(Event, package=TOPIC):
    """First of stream ``round/<table>/<round_no>``: all that the result depends on besides what is played."""

    table: TableId
    round_no: RoundNo
    round_id: Text
    game: Word
    gaming_day: GamingDay
    currency: Currency
    paytables: tuple[PaytableChoice, ...]
    options: dict[str, str] = Field(default_factory=dict)
    network: NetworkId | None = None
    previous_round_hash: Sha256 = b""
    rules_version: Text
    evaluator: Text


class WagersPlaced(Event, package=TOPIC):
    """A seat puts a bundle of wagers down: 1 before the deal, then one an answer. They stand or fall together."""

    table: TableId
    round_no: RoundNo
    seat: SeatNo
    player: PlayerId
    bundle: Bundle
    currency: Currency
    stakes: tuple[Stake, ...]


class WagersStood(Event, package=TOPIC):
    """The money is held; the wagers of the bundle stand."""

    seat: SeatNo
    bundle: Bundle


class WagersDeclined(Event, package=TOPIC):
    """The money was not there; the bundle is off. A declined Play Wager leaves the seat to decide again."""

    seat: SeatNo
    bundle: Bundle
    reason: Text


class BettingClosed(Event, package=TOPIC):
    """No more bets. The progressive network takes its contribution from this count."""

    table: TableId
    round_no: RoundNo
    currency: Currency
    network: NetworkId | None = None
    wagers: tuple[WagerCount, ...]


class HandsDealt(Event, package=TOPIC):
    """The seats' hands, and the dealer's hole cards where the game has them."""

    hands: tuple[Hand, ...]
    dealer: tuple[Card, ...] = ()


class CommunityDealt(Event, package=TOPIC):
    """Community cards in the order revealed, and the cards burned before them."""

    cards: tuple[Card, ...]
    burned: tuple[Card, ...] = ()


class BonusDealt(Event, package=TOPIC):
    """The additional cards of the Six Card Bonus: 653a.11(m)."""

    cards: tuple[Card, ...]


class DecisionMade(Event, package=TOPIC):
    """A seat that was asked answered."""

    seat: SeatNo
    choice: Word


class SeatForfeited(Event, package=TOPIC):
    """A floorperson took every wager of a seat."""

    seat: SeatNo
    reason: Text
    floorperson: Text


class WagersWithdrawn(Event, package=TOPIC):
    """A player went away before the deal: the seat's wagers are off, and it stays empty in this round."""

    seat: SeatNo
    reason: Text
    floorperson: Text


class PlayerLeft(Event, package=TOPIC):
    """A player went away after the deal: when the seat is asked it folds where it may, else it checks."""

    seat: SeatNo
    reason: Text
    floorperson: Text


class CardSetAside(Event, package=TOPIC):
    """A card was found face up in the deck and is set aside unused."""

    card: Card
    reason: Text
    floorperson: Text


class RoundFinished(Event, package=TOPIC):
    """Every decision is made and every card is up: the round can be settled. Closes the stream."""

    table: TableId
    round_no: RoundNo


class RoundVoided(Event, package=TOPIC):
    """A floorperson declared the round void: every wager comes back. Closes the stream."""

    table: TableId
    round_no: RoundNo
    reason: Text
    floorperson: Text
    kind: VoidKind | None = None
