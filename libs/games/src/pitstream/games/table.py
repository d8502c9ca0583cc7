"""A table's session: open for a game on a gaming day, or closed. Its rounds are ``round``'s."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import assert_never

from pitstream.events.model import Event
from pitstream.events.refusal import Refusal
from pitstream.events.rounds import (
    PaytableChoice,
    ProgressiveResumed,
    ProgressiveSuspended,
    TableClosed,
    TableOpened,
)
from pitstream.games.commands import CloseTable, OpenTable, TableCommand
from pitstream.games.game import Game
from pitstream.games.network import network_fault
from pitstream.games.paytable import Paytable
from pitstream.games.paytables import Paytables, bundled
from pitstream.games.referee import options_fault
from pitstream.games.registry import GAMES
from pitstream.games.round import ImpossibleEventError


@dataclass(frozen=True, slots=True)
class Closed:
    """No round may be opened: never opened, or closed again."""

    reason: str | None = None
    """Why it was closed; None before it was ever opened."""


@dataclass(frozen=True, slots=True)
class Open:
    """Rounds may be opened on these terms."""

    terms: TableOpened
    suspended: ProgressiveSuspended | None = None
    """Since when, and because of which round, the table takes no progressive wager."""


Session = Closed | Open


def decide(state: Session, command: TableCommand, paytables: Paytables | None = None) -> list[Event] | Refusal:
    """The events that the command brings about at this table, or why it may not be carried out.

    ``paytables`` are the bundled ones unless given.
    """
    match command:
        case OpenTable():
            return _open_table(state, command, bundled() if paytables is None else paytables)
        case CloseTable():
            return _close_table(state, command)
        case _:
            assert_never(command)


def evolve(state: Session, event: Event) -> Session:
    """The session after one more event. Raises ImpossibleEventError when the event cannot follow."""
    match state, event:
        case Closed(), TableOpened():
            return Open(event)
        case Open(), TableClosed():
            return Closed(event.reason)
        case Open(terms), ProgressiveSuspended():
            return Open(terms, event)
        case Open(terms), ProgressiveResumed():
            return Open(terms)
        case _:
            raise ImpossibleEventError(f"{event.type_name} cannot follow at a table that is {state!r}: {event!r}")


def _open_table(state: Session, command: OpenTable, paytables: Paytables) -> list[Event] | Refusal:
    if isinstance(state, Open):
        return Refusal(
            "table_already_open",
            "table",
            f"{command.table} is open for {state.terms.game} on {state.terms.gaming_day}; close it first",
        )
    game = GAMES.get(command.game)
    if game is None:
        return Refusal("unknown_game", "game", f"was {command.game!r}; allowed: {', '.join(sorted(GAMES))}")
    if not _is_day(command.gaming_day):
        return Refusal("invalid_gaming_day", "gaming_day", f"was {command.gaming_day!r}; allowed: a date, YYYY-MM-DD")
    chosen = _chosen_paytables(game, command.gaming_day, command.paytables, paytables)
    if isinstance(chosen, Refusal):
        return chosen
    if fault := network_fault(command, chosen):
        return fault
    if fault := options_fault(game, "policies", command.policies):
        return fault
    for name in command.policies:
        if name not in game.policies:
            names = ", ".join(game.policies)
            return Refusal("invalid_option", "policies", f"was {name!r}, drawn for each round; policies: {names}")
    return [
        TableOpened(
            table=command.table,
            game=game.name,
            gaming_day=command.gaming_day,
            currency=command.currency,
            paytables=tuple(
                PaytableChoice(wager=paytable.wager, paytable=paytable.id, sha256=paytable.sha256)
                for paytable in chosen
            ),
            policies=command.policies,
            network=command.network,
        )
    ]


def _chosen_paytables(
    game: Game, gaming_day: str, named: Mapping[str, str], paytables: Paytables
) -> list[Paytable] | Refusal:
    """The paytables of the wagers offered, in line order; each in force on the day, bet or not."""
    for wager in named:
        if wager not in game.with_paytable:
            return Refusal("unknown_wager", "paytables", f"was {wager!r}; allowed: {', '.join(game.with_paytable)}")
    chosen = []
    for wager in game.with_paytable:
        ids = ", ".join(paytables.ids(game.name, wager))
        if wager not in named:
            if wager in game.must_have_paytable:
                return Refusal("unknown_paytable", "paytables", f"{wager} is missing; allowed for it: {ids}")
            continue
        paytable = paytables.get(game.name, wager, named[wager], gaming_day)
        field = f"paytables.{wager}"
        if paytable is None:
            return Refusal("unknown_paytable", field, f"was {named[wager]!r}; allowed: {ids}")
        if not paytable.in_force(gaming_day):
            return Refusal(
                "paytable_not_in_effect",
                field,
                f"was {paytable.id!r} on {gaming_day}; {paytable.source} is in force {paytable.days}",
            )
        chosen.append(paytable)
    return chosen


def _close_table(state: Session, command: CloseTable) -> list[Event] | Refusal:
    if isinstance(state, Closed):
        return Refusal("table_not_open", "table", f"{command.table} is not open")
    if command.round_in_progress is not None:
        return Refusal(
            "round_in_progress",
            "table",
            f"round {command.round_in_progress} is still being played; finish it or declare it void first",
        )
    return [TableClosed(table=command.table, reason=command.reason)]


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
