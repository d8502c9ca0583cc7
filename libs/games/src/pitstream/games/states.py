"""The stages of a live round: one class a stage, each with all that has happened so far. None of them ever changes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from pitstream.events.codec import trusted_twin
from pitstream.events.rounds import RoundOpened
from pitstream.games.game import Game, Seat, Street
from pitstream.games.registry import game_named


@dataclass(frozen=True)
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


@dataclass(frozen=True)
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

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> RoundOpened:
            """``opened``, of a round that was folded from stored bytes: a message until somebody looks at it."""
            if name != "opened" or "opening" not in self.__dict__:
                raise AttributeError(name)
            opened = trusted_twin(RoundOpened, self.__dict__["opening"])
            self.__dict__["opened"] = opened
            return opened

    @property
    def game(self) -> Game:
        return game_named(self.opened.game)

    @property
    def stops(self) -> tuple[Street, ...]:
        """Every street and then the showdown."""
        return self.game.stops

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


S = TypeVar("S", LiveSeat, Play)


def seen(kind: type[S], fields: dict[str, Any]) -> S:
    """What ``kind(**fields)`` makes, in a third of the time: a history makes several of them for every round."""
    made = kind.__new__(kind)
    object.__setattr__(made, "__dict__", fields)
    return made


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
