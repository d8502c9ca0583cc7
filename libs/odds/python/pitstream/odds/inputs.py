"""What a question is about: a game, its paytables and policies, checked."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from pitstream.games.game import Game
from pitstream.games.paytable import Paytable
from pitstream.games.paytables import Paytables, bundled
from pitstream.games.registry import GAMES, game_named
from pitstream.odds.errors import OddsError

MAIN_WAGERS: Final[Mapping[str, tuple[str, ...]]] = {
    "ultimate_texas_holdem": ("ante", "blind", "play"),
    "raise_it_up_stud": ("ante", "blind", "play"),
    "flop_poker": ("ante", "flop"),
}
"""Games whose odds are known -> the wagers that are decided together. Their edge is told of the Ante."""

READINGS: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {("raise_it_up_stud", "play_wagers"): ("one", "each")}
"""Policies that no table offers otherwise than by default, and that odds can be told of all the same."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """A game with the paytables it is offered with."""

    game: Game
    """The game's frame."""
    paytables: Mapping[str, Paytable]
    """Wager -> paytable: the main wagers and every side bet asked about, in line order."""
    policies: Mapping[str, str]
    """Policy -> value, all that are in force."""
    known: Paytables
    """What they were chosen from."""

    @property
    def main(self) -> tuple[str, ...]:
        """The wagers that are decided together."""
        return MAIN_WAGERS[self.game.name]

    @property
    def side_bets(self) -> tuple[str, ...]:
        """The wagers beside the main ones, in line order."""
        return tuple(wager for wager in self.paytables if wager not in self.main)

    def only_main(self) -> "Inputs":
        """The same without side bets."""
        return replace(self, paytables={wager: self.paytables[wager] for wager in self.main})

    @property
    def wheel(self) -> bool:
        """Whether A-2-3 counts as a three-card straight."""
        return self.policies.get("three_card_wheel") == "true"


def inputs(
    game: str,
    paytables: Mapping[str, str] | None = None,
    *,
    known: Paytables | None = None,
    policies: Mapping[str, str] | None = None,
    side_bets: bool = False,
) -> Inputs:
    """The game with these paytables (wager -> id); a main wager left out has its first listed one.

    ``side_bets``: every other wager of the game too, with its first listed paytable. ``known``: the paytables to choose
    from, the bundled ones when None. Raises OddsError.
    """
    known = known or bundled()
    if game not in MAIN_WAGERS:
        reason = f"was {game!r}; allowed: {', '.join(MAIN_WAGERS)}"
        raise OddsError("game", reason + (" (a further game has no odds engine)" if game in GAMES else ""))
    frame = game_named(game)
    chosen = dict(paytables or {})
    for wager in chosen:
        if wager not in frame.with_paytable:
            raise OddsError(f"paytables.{wager}", f"was {wager!r}; allowed: {', '.join(frame.with_paytable)}")
    found: dict[str, Paytable] = {}
    for wager in frame.with_paytable:
        listed = known.ids(game, wager)
        wanted = wager in chosen or wager in MAIN_WAGERS[game] or (side_bets and listed)
        if not wanted:
            continue
        id_ = chosen.get(wager, listed[0])
        table = known.get(game, wager, id_)
        if table is None:
            raise OddsError(f"paytables.{wager}", f"was {id_!r}; allowed: {', '.join(listed)}")
        found[wager] = table
    return Inputs(frame, found, _policies(frame, policies or {}), known)


def inputs_of(game: str, rows: Mapping[str, Paytable], policies: Mapping[str, str]) -> Inputs:
    """The game with exactly these paytables, as a table was opened with them. Raises OddsError.

    ``policies``: those that are not the default; what was drawn for a round (an option without a default) is no policy.
    """
    if game not in MAIN_WAGERS:
        raise OddsError("game", f"was {game!r}; allowed: {', '.join(MAIN_WAGERS)}")
    frame = game_named(game)
    for wager, table in rows.items():
        if wager not in frame.with_paytable:
            raise OddsError(f"rows.{wager}", f"was {wager!r}; allowed: {', '.join(frame.with_paytable)}")
        if (table.game, table.wager) != (game, wager):
            raise OddsError(f"rows.{wager}", f"was {table.name}; allowed: a paytable of {game}.{wager}")
    for wager in MAIN_WAGERS[game]:
        if wager not in rows:
            raise OddsError(f"rows.{wager}", "was missing; allowed: a paytable of each main wager")
    in_order = {wager: rows[wager] for wager in frame.with_paytable if wager in rows}
    return Inputs(frame, in_order, _policies(frame, policies), bundled())


def _policies(game: Game, chosen: Mapping[str, str]) -> Mapping[str, str]:
    in_force = dict(game.policies)
    for name, value in chosen.items():
        if name not in in_force:
            raise OddsError(f"policies.{name}", f"was {name!r}; allowed: {', '.join(in_force)}")
        allowed = READINGS.get((game.name, name)) or tuple(sorted(game.options[name].values))
        if value not in allowed:
            raise OddsError(f"policies.{name}", f"was {value!r}; allowed: {', '.join(allowed)}")
        in_force[name] = value
    return in_force
