"""The shapes of a game and of a finished round: what every rule below speaks about.

Cards are their two-character codes (``"Td"``), money is an integer in minor units, options are text.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from pitstream.events.settlements import Award, Line
from pitstream.games.hands import FIVE_CARD_ROWS, Rows

FOLD = "fold"
"""The answer that gives a hand up."""
CARDS = frozenset(rank + suit for rank in "23456789TJQKA" for suit in "cdhs")
"""Every card's code."""


@dataclass(frozen=True, slots=True)
class Option:
    """A named choice of a table: a policy when it has a default, else something drawn for a round, or not at all."""

    values: frozenset[str]
    default: str | None = None


def policy(default: str, *others: str) -> Option:
    """What the regulation leaves open: ``default`` unless the table was opened with one of ``others``.

    >>> policy("true", "false").default
    'true'
    """
    return Option(frozenset((default, *others)), default)


POLICIES_OF_EVERY_GAME: Mapping[str, Option] = {
    # Every line "forfeit", no award, the cards trigger nothing; a Pot stake stays in the Pot.
    "forfeited_seat": policy("loses_all"),
    # Every wager comes back, forfeited and folded ones too, progressive stakes and their contributions as well.
    "void_round": policy("returns_all"),
}


@dataclass(frozen=True, slots=True)
class Street:
    """One stage of a round: cards are revealed, then each seat still in is asked once, from the dealer's left.

    A street without ``choices`` asks nobody.
    """

    name: str
    """As records name it."""
    community: int
    """Community cards revealed before the seats are asked here."""
    burned: int
    """Cards burned before them."""
    choices: tuple[str, ...]
    """What a seat may answer, in the order of the regulation."""
    rule: str
    """The paragraph that has it so."""
    wager: str = ""
    """The wager that an answer here may place: ``play``, ``flop``, ``third_street``."""


@dataclass(frozen=True, slots=True)
class Validation:
    """A fixed prize, or an award, that is paid only once a floorperson has validated the hand."""

    rule: str
    """The paragraph that asks for it, or the policy that does where the text was silent."""
    from_times: int = 0
    """From how many times the stake on, the stake's own return counted: 500 for 1 is 500, and so is 499 to 1."""


@dataclass(frozen=True)
class Game:
    """A game's frame: cards, streets and wagers. How it settles stands in its own module."""

    name: str
    """As records and events name it."""
    title: str
    """As the floor names it."""
    hole_cards: int
    """Cards dealt to each seat."""
    dealer_cards: int
    """Cards dealt to the dealer."""
    streets: tuple[Street, ...]
    """In the order in which they are played."""
    showdown: Street
    """What is revealed after the last seat answered, or when nobody is left to ask."""
    bonus_cards: int
    """Cards dealt apart for the ``bonus_wager``, when anyone made it."""
    bonus_wager: str | None
    """The wager that extra cards are dealt for; None: there is none."""
    wagers: tuple[str, ...]
    """Every wager in the order of a seat's lines, those that answers place included."""
    required: tuple[str, ...]
    """Wagers without which a seat is not dealt in."""
    equal_to_ante: tuple[str, ...]
    """Wagers whose stake is the Ante's."""
    same_for_all: tuple[str, ...]
    """Wagers whose stake is the same at every seat of a round."""
    without_paytable: tuple[str, ...]
    """Wagers that the players settle among themselves; every other one is offered only with a paytable."""
    play_multiple: Mapping[str, int]
    """Choice -> the wager that it places, in Antes. A choice that is neither here nor ``fold`` is a check."""
    lost_by_fold: Mapping[str, str]
    """Wagers that a fold loses at once -> the paragraph that says so. The others stay until the round is settled."""
    forfeit_rule: str
    """What a forfeited seat's lines cite."""
    options: Mapping[str, Option]
    """Named policies of a table, and what may be drawn for a round; values as text."""
    rows: Mapping[str, Rows] = field(default_factory=dict)
    """Wager -> the rows that its paytables may have, best first, where those are not the five-card hands."""
    must_reach: Mapping[str, str] = field(default_factory=dict)
    """Wager -> the lowest row that wins it: a table that says nothing about a winning hand could not be settled."""
    awards: Mapping[str, str] = field(default_factory=dict)
    """Award -> the wager that it counts with."""
    validations: Mapping[str, Validation] = field(default_factory=dict)
    """Wager or award -> when what it wins waits for a floorperson. Shares of meters always do, as hits of a network."""
    folded_cards_stay_under: tuple[str, ...] = ()
    """Wagers that a fold loses, and under which the folded cards stay on the table all the same."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """Wager -> its name, where that is not the same words."""
    reasons: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """(rule, outcome or award) -> why, in plain words; ``{seat}`` stands for the other seat."""
    deciding: "Callable[[FinishedRound, Seat, Line | Award], tuple[str, ...]]" = lambda _played, _seat, _paid: ()
    """The game's own policies without which a seat's line or award would have come out otherwise."""

    @cached_property
    def stops(self) -> tuple[Street, ...]:
        """Every street and then the showdown."""
        return (*self.streets, self.showdown)

    @cached_property
    def play_wagers(self) -> tuple[str, ...]:
        """The wagers that answers place, in the order of the streets: the Play Wager, or one for each street."""
        return tuple(dict.fromkeys(street.wager for street in self.streets if street.wager))

    @cached_property
    def asks_once(self) -> bool:
        """Whether a seat is not asked any more once an answer of its has placed a wager."""
        return len(self.play_wagers) == 1

    @cached_property
    def with_paytable(self) -> tuple[str, ...]:
        """The wagers that are offered only with a paytable."""
        return tuple(wager for wager in self.wagers if wager not in self.without_paytable)

    @cached_property
    def must_have_paytable(self) -> tuple[str, ...]:
        """The wagers without which the game is not dealt at all."""
        return tuple(wager for wager in self.with_paytable if wager in (*self.required, *self.play_wagers))

    @cached_property
    def policies(self) -> Mapping[str, str]:
        """Policy -> its default."""
        return {name: option.default for name, option in self.options.items() if option.default is not None}

    def rows_of(self, wager: str) -> Rows:
        """The rows that a paytable of the wager may have."""
        return self.rows.get(wager, FIVE_CARD_ROWS)

    def title_of(self, wager: str) -> str:
        """The wager's name as it is said on the floor."""
        return self.titles.get(wager) or wager.replace("_", " ").title()

    @cached_property
    def last_words(self) -> frozenset[str]:
        """The answers after which a seat is not asked any more."""
        return frozenset((FOLD, *(self.play_multiple if self.asks_once else ())))

    def ends_with(self, choice: str) -> bool:
        """Whether a seat that gave this answer is not asked any more."""
        return choice in self.last_words

    @cached_property
    def community_cards(self) -> int:
        """How many a whole round reveals."""
        return sum(street.community for street in self.stops)

    @cached_property
    def burn_cards(self) -> int:
        """How many a whole round burns."""
        return sum(street.burned for street in self.stops)

    @cached_property
    def placed_before_deal(self) -> tuple[str, ...]:
        """The wagers that a seat may place before any card is dealt."""
        return tuple(wager for wager in self.wagers if wager not in self.play_wagers)


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat that was dealt in."""

    seat: int
    """Its number, 1 to 7; 1 is at the dealer's left."""
    player: str
    """The player's id."""
    cards: tuple[str, ...]
    """In the order dealt."""
    wagers: Mapping[str, int]
    """Stakes placed before the deal, minor units; never those that answers place."""
    decisions: tuple[str, ...]
    """One answer for each time the seat was asked."""
    forfeited: str | None = None
    """Why every wager of the seat was taken by a floorperson."""

    @property
    def folded(self) -> bool:
        """Whether an answer was a fold."""
        return FOLD in self.decisions


@dataclass(frozen=True, slots=True)
class FinishedRound:
    """All that a settlement depends on, with nothing derived."""

    game: str
    """The game's name."""
    gaming_day: str
    """ISO date."""
    currency: str
    """ISO 4217, or a property's own; every stake is in its minor units."""
    paytables: Mapping[str, str]
    """Wager -> paytable id, for every wager that the table offers."""
    options: Mapping[str, str]
    """As text: ``{"three_card_wheel": "false", "lucky": "2"}``; a policy left out has its default."""
    dealer: tuple[str, ...]
    """The dealer's own cards."""
    community: tuple[str, ...]
    """In the order revealed."""
    burned: tuple[str, ...]
    """In the order burned."""
    bonus: tuple[str, ...]
    """The cards dealt for the ``bonus_wager``."""
    seats: tuple[Seat, ...]
    """Those that were dealt in."""
    void: str | None = None
    """Why the whole round is void."""


def play_stakes(game: Game, seat: Seat) -> dict[str, int]:
    """What the seat's answers placed: wager -> minor units."""
    return {
        street.wager: game.play_multiple[choice] * seat.wagers["ante"]
        for street, choice in zip(game.streets, seat.decisions, strict=False)
        if choice in game.play_multiple
    }


def stakes_of(game: Game, seat: Seat) -> dict[str, int]:
    """Everything the seat had at risk, what its answers placed included, in line order: wager -> minor units."""
    stakes = {**seat.wagers, **play_stakes(game, seat)}
    return {wager: stakes[wager] for wager in game.wagers if wager in stakes}
