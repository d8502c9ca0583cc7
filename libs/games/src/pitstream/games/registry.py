"""The games that can be dealt, by name."""

from collections.abc import Mapping

from pitstream.games import flop_poker, raise_it_up_stud, ultimate_texas_holdem
from pitstream.games.game import Game

GAMES: Mapping[str, Game] = {
    game.name: game for game in (ultimate_texas_holdem.GAME, flop_poker.GAME, raise_it_up_stud.GAME)
}


def game_named(name: str) -> Game:
    """The game of that name.

    >>> game_named("flop_poker").hole_cards
    3

    Raises ``KeyError`` for another name; look in ``GAMES`` first where a name may be wrong.
    """
    return GAMES[name]
