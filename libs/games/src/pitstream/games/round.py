"""A live round: its stages, and what each event makes of them.

``evolve`` judges nothing and skips nothing: it is the one place that says what an event means, for the table that
plays, the settlement that pays, the replay and the audit alike. Whether a command is legal is ``referee``'s to say.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from typing import ClassVar

from pitstream.events.model import Event
from pitstream.events.rounds import (
    BettingClosed,
    BonusDealt,
    CardSetAside,
    CommunityDealt,
    DecisionMade,
    HandsDealt,
    PlayerLeft,
    RoundFinished,
    RoundOpened,
    RoundVoided,
    SeatForfeited,
    WagersDeclined,
    WagersPlaced,
    WagersStood,
    WagersWithdrawn,
)
from pitstream.games.game import FinishedRound, Game, Seat, Street
from pitstream.games.registry import game_named

BEFORE_THE_DEAL = 1
"""Bundle of the wagers placed before the deal; each answer that places a wager makes the next bundle."""


class ImpossibleEventError(ValueError):
    """An event that cannot follow the ones before it: a stream that no table wrote."""


@dataclass(frozen=True, slots=True)
class LiveSeat:
    """A seat with wagers down.

    ``stands`` once the money of those before the deal is held; ``decisions`` ends with that of a wager which waits.
    """

    seat: int
    player: str
    wagers: Mapping[str, int]
    """Stakes placed before the deal, minor units, in line order."""
    stands: bool = False
    bundles: int = 1
    """Bundles of wagers that are placed and not declined."""
    cards: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    forfeited: str | None = None
    left: str | None = None
    """Why the player is not there any more."""

    @property
    def as_dealt(self) -> Seat:
        """The seat as the rules of settlement speak of it."""
        return Seat(self.seat, self.player, self.cards, self.wagers, self.decisions, self.forfeited)

    def is_asked(self, game: Game) -> bool:
        """Whether the seat is still asked: not forfeited, not folded, no Play Wager yet where there is but one."""
        return self.forfeited is None and not any(map(game.ends_with, self.decisions))


@dataclass(frozen=True, slots=True)
class Play:
    """What has happened in a round so far, whatever its stage."""

    opened: RoundOpened
    seats: tuple[LiveSeat, ...] = ()
    """In seat order."""
    dealer: tuple[str, ...] = ()
    community: tuple[str, ...] = ()
    burned: tuple[str, ...] = ()
    bonus: tuple[str, ...] = ()
    set_aside: tuple[str, ...] = ()
    """Cards found face up in the deck; they are not dealt."""
    withdrawn: frozenset[int] = frozenset()
    """Seats whose player went away before the deal: empty until the next round."""

    @property
    def game(self) -> Game:
        return game_named(self.opened.game)

    @property
    def stops(self) -> tuple[Street, ...]:
        """Every street and then the showdown."""
        return (*self.game.streets, self.game.showdown)

    @property
    def cards(self) -> frozenset[str]:
        """Every card seen in the round, one set aside too: none of them can be dealt."""
        hands = (card for seat in self.seats for card in seat.cards)
        return frozenset((*self.dealer, *self.community, *self.burned, *self.bonus, *self.set_aside, *hands))

    @property
    def bonus_is_due(self) -> bool:
        """Whether somebody's wager needs bonus cards that are not dealt yet."""
        wager = self.game.bonus_wager
        return not self.bonus and any(wager in seat.wagers for seat in self.seats)

    def seat(self, number: int) -> LiveSeat | None:
        return next((seat for seat in self.seats if seat.seat == number), None)

    def with_seat(self, changed: LiveSeat) -> "Play":
        """The play with this seat put in its place, or added."""
        others = [seat for seat in self.seats if seat.seat != changed.seat]
        return replace(self, seats=tuple(sorted((*others, changed), key=lambda seat: seat.seat)))

    def without_seat(self, number: int) -> "Play":
        return replace(self, seats=tuple(seat for seat in self.seats if seat.seat != number))


@dataclass(frozen=True, slots=True)
class NoRound:
    """Nothing has happened yet."""

    stage: ClassVar[str] = "no_round"


@dataclass(frozen=True, slots=True)
class Betting:
    """Seats place their wagers; each bundle waits for the wallet."""

    stage: ClassVar[str] = "betting"
    play: Play


@dataclass(frozen=True, slots=True)
class Dealing:
    """Betting is closed. Nobody meets a round here: the event that says so is stored together with the hands."""

    stage: ClassVar[str] = "dealing"
    play: Play


@dataclass(frozen=True, slots=True)
class Asking:
    """One seat is asked; ``stop`` counts the streets from 0."""

    stage: ClassVar[str] = "asking"
    play: Play
    stop: int
    seat: int

    @property
    def choices(self) -> tuple[str, ...]:
        return self.play.stops[self.stop].choices


@dataclass(frozen=True, slots=True)
class AwaitingFunds:
    """The wager that a seat's answer placed waits for the wallet."""

    stage: ClassVar[str] = "awaiting_funds"
    play: Play
    stop: int
    seat: int
    bundle: int


@dataclass(frozen=True, slots=True)
class AwaitingCommunity:
    """The community cards of ``stop`` are to be revealed."""

    stage: ClassVar[str] = "awaiting_community"
    play: Play
    stop: int

    @property
    def street(self) -> Street:
        return self.play.stops[self.stop]


@dataclass(frozen=True, slots=True)
class Showdown:
    """Every decision is made and the board is complete; bonus cards may still be due."""

    stage: ClassVar[str] = "showdown"
    play: Play


@dataclass(frozen=True, slots=True)
class Finished:
    """The round can be settled."""

    stage: ClassVar[str] = "finished"
    play: Play


@dataclass(frozen=True, slots=True)
class Voided:
    """The round is void. ``play`` has the wagers that stood; what waited for the wallet is off."""

    stage: ClassVar[str] = "voided"
    play: Play
    reason: str


Live = Betting | Dealing | Asking | AwaitingFunds | AwaitingCommunity | Showdown
Round = NoRound | Live | Finished | Voided


def evolve(state: Round, event: Event) -> Round:
    """The round after one more event.

    Raises ImpossibleEventError when the event cannot follow.
    """
    match state, event:
        case NoRound(), RoundOpened():
            return Betting(Play(event))
        case Betting(play), WagersPlaced(bundle=1):
            stakes = {stake.wager: stake.stake for stake in event.stakes}
            return Betting(play.with_seat(LiveSeat(event.seat, event.player, stakes)))
        case Betting(play), WagersStood(bundle=1):
            return Betting(play.with_seat(replace(_seat(state, event), stands=True)))
        case Betting(play), WagersDeclined(bundle=1):
            return Betting(play.without_seat(event.seat))
        case Betting(play), WagersWithdrawn():
            seat_no = _seat(state, event).seat
            return Betting(replace(play.without_seat(seat_no), withdrawn=play.withdrawn | {seat_no}))
        case Betting(play), BettingClosed():
            return Dealing(play)
        case Dealing(play), HandsDealt():
            for hand in event.hands:
                dealt = play.seat(hand.seat)
                if dealt is None:
                    raise _impossible(state, event, f"seat {hand.seat} has no wagers")
                play = play.with_seat(replace(dealt, cards=hand.cards))
            return _arrive(replace(play, dealer=event.dealer), stop=0)
        case Asking(play, stop, seat), DecisionMade() if event.seat == seat:
            asked = _seat(state, event)
            play = play.with_seat(replace(asked, decisions=(*asked.decisions, event.choice)))
            if event.choice in play.game.play_multiple:
                return AwaitingFunds(play, stop, seat, asked.bundles + 1)
            return _ask(play, stop, after=seat)
        case AwaitingFunds(_, _, seat, bundle), WagersPlaced() if (event.seat, event.bundle) == (seat, bundle):
            return state
        case AwaitingFunds(play, stop, seat, bundle), WagersStood() if (event.seat, event.bundle) == (seat, bundle):
            return _ask(play.with_seat(replace(_seat(state, event), bundles=bundle)), stop, after=seat)
        case AwaitingFunds(play, stop, seat, bundle), WagersDeclined() if (event.seat, event.bundle) == (seat, bundle):
            # The seat comes first again on the same street, unless it was forfeited meanwhile.
            return _ask(_without_pending_play(play, seat), stop, after=seat - 1)
        case AwaitingCommunity(play, stop), CommunityDealt():
            community, burned = (*play.community, *event.cards), (*play.burned, *event.burned)
            return _ask(replace(play, community=community, burned=burned), stop, after=0)
        case Showdown(play), BonusDealt():
            return Showdown(replace(play, bonus=event.cards))
        case Showdown(play), RoundFinished():
            return Finished(play)
        case Asking(play, stop, seat), SeatForfeited():
            return _ask(_with_forfeit(state, event), stop, after=seat - 1)
        case Betting() | Dealing() | AwaitingFunds() | AwaitingCommunity() | Showdown(), SeatForfeited():
            return replace(state, play=_with_forfeit(state, event))
        case Asking() | AwaitingFunds() | AwaitingCommunity() | Showdown(), PlayerLeft():
            return replace(state, play=state.play.with_seat(replace(_seat(state, event), left=event.reason)))
        case Betting() | Dealing() | Asking() | AwaitingFunds() | AwaitingCommunity() | Showdown(), CardSetAside():
            return replace(state, play=replace(state.play, set_aside=(*state.play.set_aside, event.card)))
        case AwaitingFunds(play, _, seat), RoundVoided():
            return Voided(_without_pending_play(play, seat), event.reason)
        case Betting(play) | Dealing(play) | Asking(play) | AwaitingCommunity(play) | Showdown(play), RoundVoided():
            return Voided(replace(play, seats=tuple(seat for seat in play.seats if seat.stands)), event.reason)
        case _:
            raise _impossible(state, event)


def evolve_all(events: Iterable[Event]) -> Round:
    """The round that these events, from the first on, have made."""
    state: Round = NoRound()
    return reduce(evolve, events, state)


def replayed(events: Iterable[Event]) -> Iterator[tuple[Event, Round]]:
    """Each event with the round as it was right after it."""
    state: Round = NoRound()
    for event in events:
        state = evolve(state, event)
        yield event, state


def finished_round(state: Finished | Voided) -> FinishedRound:
    """What the settlement needs to know of a closed round, and nothing else.

    ``burned`` is all burn cards of a round that was played out, or none: where a device reported some only, those stay
    in the events.
    """
    play = state.play
    opened = play.opened
    void = state.reason if isinstance(state, Voided) else None
    return FinishedRound(
        game=opened.game,
        gaming_day=opened.gaming_day,
        currency=opened.currency,
        paytables={choice.wager: choice.paytable for choice in opened.paytables},
        options=opened.options,
        dealer=play.dealer,
        community=play.community,
        burned=play.burned if void or len(play.burned) == play.game.burn_cards else (),
        bonus=play.bonus,
        seats=tuple(seat.as_dealt for seat in play.seats),
        void=void,
    )


def _arrive(play: Play, stop: int) -> Live:
    """The round comes to a street: first its cards, then its questions."""
    return AwaitingCommunity(play, stop) if play.stops[stop].community else _ask(play, stop, after=0)


def _ask(play: Play, stop: int, after: int) -> Live:
    """The next seat clockwise is asked; after the last one the round goes on to the next street."""
    if play.stops[stop].choices:
        for seat in play.seats:
            if seat.seat > after and seat.is_asked(play.game):
                return Asking(play, stop, seat.seat)
    return _arrive(play, stop + 1) if stop + 1 < len(play.stops) else Showdown(play)


def _seat(state: Live, event: WagersStood | DecisionMade | SeatForfeited | WagersWithdrawn | PlayerLeft) -> LiveSeat:
    seat = state.play.seat(event.seat)
    if seat is None:
        raise _impossible(state, event, f"seat {event.seat} has no wagers")
    return seat


def _with_forfeit(state: Live, event: SeatForfeited) -> Play:
    return state.play.with_seat(replace(_seat(state, event), forfeited=event.reason))


def _without_pending_play(play: Play, number: int) -> Play:
    """The play without the decision whose Play Wager has no money behind it."""
    return replace(
        play,
        seats=tuple(
            replace(seat, decisions=seat.decisions[:-1]) if seat.seat == number else seat for seat in play.seats
        ),
    )


def _impossible(state: Round, event: Event, why: str = "") -> ImpossibleEventError:
    found = f"{event.type_name} cannot follow while the round is at stage {state.stage!r}"
    return ImpossibleEventError(f"{found}: {why}" if why else f"{found}: {event!r}")
