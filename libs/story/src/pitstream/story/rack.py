"""The discard rack: which cards lie where, and in which order they came there.

Cards leave the table in the order in which seats are cleared. A burn card goes to the rack as it is burned (653a.1). A
folded hand without a live bet goes there at the fold; one with a live bet stays under that bet. Settled seats are
cleared from the dealer's right, each before the next. A hand whose prize waits for its documents stays until they are
complete. So from the events alone anyone can say where in the rack a card must be found.

Policy, where the text is silent: after the seats the bonus cards, the community cards and last the dealer's hand are
picked up; the cards of a void round, and those of seats without a line left to settle, are picked up from the dealer's
right; a forfeited hand goes to the rack at once.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from pitstream.events import Event
from pitstream.events.ids import claim_id
from pitstream.events.prizes import PrizeApproved, PrizeRefused, pending_prizes
from pitstream.events.progressives import CardsReleased
from pitstream.events.rounds import CommunityDealt, DecisionMade, SeatForfeited
from pitstream.events.settlements import RoundSettled
from pitstream.games.game import FOLD, Game
from pitstream.games.round import LiveSeat, Play


@dataclass(frozen=True, slots=True)
class Racked:
    """Cards that went to the rack together. ``first``: the place of the first of them, counted from 1 at the bottom."""

    first: int
    cards: tuple[str, ...]
    whose: str
    """``burned``, ``seat 4``, ``bonus``, ``community``, ``dealer``."""
    why: str

    @property
    def places(self) -> str:
        """The places they take up: ``5`` or ``5-6``."""
        last = self.first + len(self.cards) - 1
        return str(self.first) if last == self.first else f"{self.first}-{last}"


@dataclass(frozen=True, slots=True)
class Waiting:
    """A hand that was settled and still lies at its seat."""

    seat: int
    cards: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Rack:
    """The rack from the bottom up, and the hands that are still to come there."""

    racked: tuple[Racked, ...] = ()
    waiting: tuple[Waiting, ...] = ()

    @property
    def count(self) -> int:
        """How many cards lie in it."""
        return sum(len(entry.cards) for entry in self.racked)

    @property
    def whose(self) -> frozenset[str]:
        """Whose cards lie in it."""
        return frozenset(entry.whose for entry in self.racked)

    def with_cards(self, cards: tuple[str, ...], whose: str, why: str) -> "Rack":
        """The rack with these on top; unchanged without cards."""
        if not cards:
            return self
        return replace(self, racked=(*self.racked, Racked(self.count + 1, cards, whose, why)))


def in_play(rack: Rack, event: Event, play: Play) -> Rack:
    """The rack after one more event of the round; ``play`` is the round right after it."""
    match event:
        case CommunityDealt(burned=burned):
            return rack.with_cards(burned, "burned", "burned before the community cards, face down")
        case DecisionMade(seat=number) if event.choice == FOLD:
            seat = _seat(play, number)
            live = live_after_fold(play.game, seat)
            return rack if live else rack.with_cards(seat.cards, f"seat {number}", "folded without a live bet")
        case SeatForfeited(seat=number):
            return rack.with_cards(_seat(play, number).cards, f"seat {number}", "forfeited")
        case _:
            return rack


def live_after_fold(game: Game, seat: LiveSeat) -> tuple[str, ...]:
    """The wagers under which the cards of a seat that folded stay, in line order."""
    gone = game.lost_by_fold.keys() - set(game.folded_cards_stay_under)
    return tuple(wager for wager in seat.wagers if wager not in gone)


def after_settlement(rack: Rack, play: Play, settled: RoundSettled, later: Iterable[Event]) -> Rack:
    """The rack once the round is settled.

    ``later``: what became of its hits and prizes, in the order in which it happened.
    """
    waits = _waits(settled)
    others = sorted((seat.seat for seat in play.seats if seat.seat not in settled.order), reverse=True)
    for number in (*settled.order, *others):
        seat = play.seat(number)
        if seat is None or f"seat {number}" in rack.whose:
            continue
        if seat.cards and number in waits:
            why = f"stays until {' and '.join(waits[number].values())}"
            rack = replace(rack, waiting=(*rack.waiting, Waiting(number, seat.cards, why)))
        else:
            why = "the round is void" if settled.void else "settled" if number in settled.order else "nothing to settle"
            rack = rack.with_cards(seat.cards, f"seat {number}", why)
    for cards, whose in ((play.bonus, "bonus"), (play.community, "community"), (play.dealer, "dealer")):
        rack = rack.with_cards(cards, whose, "picked up after the seats")
    for resolved in filter(None, map(_resolves, later)):
        for number, things in waits.items():
            if things.pop(resolved, None) is not None and not things:
                rack = _released(rack, number)
    return rack


def _seat(play: Play, number: int) -> LiveSeat:
    seat = play.seat(number)
    if seat is None:
        raise ValueError(f"seat: was {number}; allowed: a seat of the round")
    return seat


def _waits(settled: RoundSettled) -> dict[int, dict[str, str]]:
    """Seat -> what its hand stays for: the id of a hit or a prize -> in words."""
    waits: dict[int, dict[str, str]] = {}
    for seat in settled.seats:
        for line in seat.lines:
            if line.share is not None:
                hit = claim_id(settled.table, settled.round_no, seat.seat, line.wager)
                told = f"the cards of the hit on {line.share.meter} are released"
                waits.setdefault(seat.seat, {})[hit] = told
    for prize in pending_prizes(settled):
        told = f"a floorperson has ruled on the {prize.prize.replace('_', ' ')} prize"
        waits.setdefault(prize.seat, {})[prize.prize_id] = told
    return waits


def _resolves(event: Event) -> str | None:
    match event:
        case CardsReleased():
            return event.claim_id
        case PrizeApproved() | PrizeRefused():
            return event.prize_id
        case _:
            return None


def _released(rack: Rack, number: int) -> Rack:
    (hand,) = (hand for hand in rack.waiting if hand.seat == number)
    left = tuple(hand for hand in rack.waiting if hand.seat != number)
    return replace(rack, waiting=left).with_cards(hand.cards, f"seat {number}", "released, its documents are complete")
