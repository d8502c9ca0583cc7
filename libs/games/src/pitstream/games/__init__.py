"""The rules: one module a game, paytables as data, pure settlement and the round's own decisions."""

from pitstream.games.game import CARDS, FOLD, FinishedRound, Game, Seat, Street, play_stakes, stakes_of
from pitstream.games.odds import MissingMeterError
from pitstream.games.paytable import Paytable
from pitstream.games.paytables import PaytableError, Paytables, bundled
from pitstream.games.registry import GAMES, game_named, register
from pitstream.games.settlement import RULES_VERSION, RoundResult, settle

__all__ = [
    "CARDS",
    "FOLD",
    "GAMES",
    "RULES_VERSION",
    "FinishedRound",
    "Game",
    "MissingMeterError",
    "Paytable",
    "PaytableError",
    "Paytables",
    "RoundResult",
    "Seat",
    "Street",
    "bundled",
    "game_named",
    "play_stakes",
    "register",
    "settle",
    "stakes_of",
]
