"""The shapes of a game and of a finished round: what every rule below speaks about.

Cards are their two-character codes (``"Td"``), money is an integer in minor units, options are text.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

FOLD = "fold"
CARDS = frozenset(rank + suit for rank in "23456789TJQKA" for suit in "cdhs")
"""Every card's code."""


@dataclass(frozen=True, slots=True)
class Street:
    """One stage of a round: cards are revealed, then each seat still in is asked once, from the dealer's left.

    A street without ``choices`` asks nobody.
    """

    name: str
    community: int
    """Community cards revealed before the seats are asked here."""
    burned: int
    """Cards burned before them."""
    choices: tuple[str, ...]
    rule: str


@dataclass(frozen=True)
class Game:
    """A game's frame: cards, streets and wagers. How it settles stands in its own module."""

    name: str
    title: str
    hole_cards: int
    dealer_cards: int
    streets: tuple[Street, ...]
    showdown: Street
    """What is revealed after the last seat answered, or when nobody is left to ask."""
    bonus_cards: int
    """Cards dealt apart for the ``bonus_wager``, when anyone made it."""
    bonus_wager: str | None
    wagers: tuple[str, ...]
    """Every wager in the order of a seat's lines, the Play Wager included."""
    required: tuple[str, ...]
    """Wagers without which a seat is not dealt in."""
    equal_to_ante: tuple[str, ...]
    same_for_all: tuple[str, ...]
    """Wagers whose stake is the same at every seat of a round."""
    without_paytable: tuple[str, ...]
    """Wagers that the players settle among themselves; every other one is offered only with a paytable."""
    play: str
    """The wager that a decision places: ``play`` or ``flop``."""
    play_multiple: Mapping[str, int]
    """Choice -> the Play Wager in Antes. A choice that is neither here nor ``fold`` is a check."""
    lost_by_fold: Mapping[str, str]
    """Wagers that a fold loses at once -> the paragraph that says so. The others stay until the round is settled."""
    forfeit_rule: str
    """What a forfeited seat's lines cite."""
    options: Mapping[str, frozenset[str]]
    """Named options and policies of a table -> the values allowed, as text."""

    @cached_property
    def must_have_paytable(self) -> tuple[str, ...]:
        """The wagers without which the game is not dealt at all."""
        return tuple(w for w in self.wagers if w in (*self.required, self.play) and w not in self.without_paytable)

    @cached_property
    def community_cards(self) -> int:
        return sum(street.community for street in (*self.streets, self.showdown))

    @cached_property
    def burn_cards(self) -> int:
        return sum(street.burned for street in (*self.streets, self.showdown))

    @cached_property
    def placed_before_deal(self) -> tuple[str, ...]:
        """The wagers that a seat may place before any card is dealt."""
        return tuple(wager for wager in self.wagers if wager != self.play)


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat that was dealt in."""

    seat: int
    player: str
    cards: tuple[str, ...]
    wagers: Mapping[str, int]
    """Stakes placed before the deal, minor units; never the Play Wager."""
    decisions: tuple[str, ...]
    """One answer for each time the seat was asked."""
    forfeited: str | None = None
    """Why every wager of the seat was taken by a floorperson."""

    @property
    def folded(self) -> bool:
        return FOLD in self.decisions


@dataclass(frozen=True, slots=True)
class FinishedRound:
    """All that a settlement depends on, with nothing derived."""

    game: str
    gaming_day: str
    currency: str
    paytables: Mapping[str, str]
    """Wager -> paytable id, for every wager that the table offers."""
    options: Mapping[str, str]
    """As text: ``{"three_card_wheel": "false", "lucky": "2", "magic_card": "Td"}``."""
    dealer: tuple[str, ...]
    community: tuple[str, ...]
    burned: tuple[str, ...]
    bonus: tuple[str, ...]
    seats: tuple[Seat, ...]
    void: str | None = None
    """Why the whole round is void."""


def play_stake(game: Game, seat: Seat) -> int | None:
    """The seat's Play Wager, minor units; None when it made none."""
    for choice in seat.decisions:
        multiple = game.play_multiple.get(choice)
        if multiple is not None:
            return multiple * seat.wagers["ante"]
    return None


def stakes_of(game: Game, seat: Seat) -> dict[str, int]:
    """Everything the seat had at risk, the Play Wager included, in line order: wager -> minor units."""
    play = play_stake(game, seat)
    return {
        wager: stake
        for wager in game.wagers
        if (stake := play if wager == game.play else seat.wagers.get(wager)) is not None
    }
