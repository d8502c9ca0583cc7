"""The games that can be dealt, by name: the project's own, and those that other packages bring.

A further game is a module with ``GAME`` and ``settle``, like the three here. Its package names the module as an entry
point of the group ``pitstream.games``; every command and every service then knows it. Its paytables come in a file of
the property's.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from typing import Final

from pitstream.events.settlements import SeatSettlement
from pitstream.games import flop_poker, raise_it_up_stud, ultimate_texas_holdem
from pitstream.games.game import FOLD, Game
from pitstream.games.lines import Table

ENTRY_POINTS: Final = "pitstream.games"

Settle = Callable[[Table], Iterator[SeatSettlement]]
"""A finished round, not void, to what every seat's wagers came to, each seat as it is settled."""


@dataclass(frozen=True, slots=True)
class Rules:
    """A game and how it is settled."""

    game: Game
    settle: Settle


class _Games(Mapping[str, Game]):
    """Loaded when first asked for: a further game's module may itself be what imports this one."""

    def __getitem__(self, name: str) -> Game:
        return _known()[name].game

    def __iter__(self) -> Iterator[str]:
        return iter(_known())

    def __len__(self) -> int:
        return len(_known())


GAMES: Final[Mapping[str, Game]] = _Games()
"""Name -> frame of every game that can be dealt here, those of other packages included."""


def register(game: Game, settle: Settle) -> None:
    """Make a further game known to this process.

    ValueError when another game has its name, or when a seat that nobody sits at could not be played on.
    """
    _add(_known(), game, settle)


def rules_of(name: str) -> Rules:
    """The rules of the game of that name. Raises ``KeyError``."""
    return _known()[name]


def game_named(name: str) -> Game:
    """The game of that name.

    >>> game_named("flop_poker").hole_cards
    3

    Raises ``KeyError`` for another name; look in ``GAMES`` first where a name may be wrong.
    """
    return GAMES[name]


@cache
def _known() -> dict[str, Rules]:
    known: dict[str, Rules] = {}
    for module in (ultimate_texas_holdem, flop_poker, raise_it_up_stud):
        _add(known, module.GAME, module.settle)
    for point in entry_points(group=ENTRY_POINTS):
        further = point.load()
        _add(known, further.GAME, further.settle)
    return known


def _add(known: dict[str, Rules], game: Game, settle: Settle) -> None:
    if game.name in known:
        raise ValueError(f"name was {game.name!r}; allowed: a name that no other game has ({', '.join(known)})")
    for street in game.streets:
        # What a seat says whose player went away.
        if street.choices and FOLD not in street.choices and game.play_multiple.keys() >= set(street.choices):
            raise ValueError(f"streets.{street.name}.choices was {street.choices}; allowed: with a fold or a check")
    known[game.name] = Rules(game, settle)
