"""The rules: one module a game, paytables as data, pure settlement and the round's own decisions."""

from pitstream.games.game import CARDS, FOLD, FinishedRound, Game, Seat, Street, play_stake, stakes_of
from pitstream.games.registry import GAMES, game_named

__all__ = [
    "CARDS",
    "FOLD",
    "GAMES",
    "FinishedRound",
    "Game",
    "Seat",
    "Street",
    "game_named",
    "play_stake",
    "stakes_of",
]
