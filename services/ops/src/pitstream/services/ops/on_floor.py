"""A table as the floor shows it, and what events make of it. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pitstream.events import Event
from pitstream.events.rounds import (
    ProgressiveResumed,
    ProgressiveSuspended,
    RoundFinished,
    RoundOpened,
    RoundVoided,
    TableClosed,
    TableOpened,
)
from pitstream.games.game import play_stakes
from pitstream.games.round import Asking, AwaitingCommunity, AwaitingFunds, NoRound, Play, Round, Showdown

ENDS_KEPT = 21
"""Ends of rounds that the pace is told from."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """One table; ``stage``, ``street``, ``asked`` and ``seats`` are of the round in progress. Times in microseconds."""

    table_id: str
    is_open: bool = False
    game: str = ""
    gaming_day: str = ""
    currency: str = ""
    network: str | None = None
    paytables: dict[str, str] = field(default_factory=dict)
    policies: dict[str, str] = field(default_factory=dict)
    suspended: dict[str, int] | None = None
    last_round_no: int = 0
    stage: str | None = None
    street: str | None = None
    asked: int | None = None
    seats: list[dict[str, Any]] = field(default_factory=list)
    round_began_us: int | None = None
    ends_us: tuple[int, ...] = ()
    last_event_us: int = 0


@dataclass(frozen=True, slots=True)
class Told:
    """An event of a table or of one of its rounds, the state of its round right after it where ``LiveRounds`` gives
    one, and when it was recorded."""

    event: Event
    state: Round | None
    at_us: int


def after(row: TableRow, told: Sequence[Told]) -> TableRow:
    """The table after these events of its own, in their order. What lies on it is looked at once, after the last."""
    for one in told:
        row = _after(row, one.event, one.at_us)
    state = next((one.state for one in reversed(told) if one.state is not None), None)
    row = replace(row, last_event_us=max(row.last_event_us, *(one.at_us for one in told)))
    return row if state is None else _with_round(row, state)


def _after(row: TableRow, event: Event, at_us: int) -> TableRow:
    # By type, since a class pattern that does not fit costs more than all else here.
    if type(event) not in _CHANGES:
        return row
    match event:
        case TableOpened():
            return replace(
                row,
                is_open=True,
                game=event.game,
                gaming_day=event.gaming_day,
                currency=event.currency,
                network=event.network,
                paytables={choice.wager: choice.paytable for choice in event.paytables},
                policies=event.policies,
                suspended=None,
            )
        case TableClosed():
            return replace(row, is_open=False)
        case ProgressiveSuspended():
            return replace(row, suspended={"round_no": event.round_no, "silent_s": event.silent_s})
        case ProgressiveResumed():
            return replace(row, suspended=None)
        case RoundOpened():
            return replace(row, last_round_no=event.round_no, round_began_us=at_us)
        case _:
            return replace(row, ends_us=(*row.ends_us, at_us)[-ENDS_KEPT:], round_began_us=None)


_CHANGES = frozenset((
    TableOpened, TableClosed, ProgressiveSuspended, ProgressiveResumed, RoundOpened, RoundFinished, RoundVoided,
))  # fmt: skip


def _with_round(row: TableRow, state: Round) -> TableRow:
    if isinstance(state, NoRound):
        return row
    return replace(
        row,
        stage=state.stage,
        street=street_of(state),
        asked=state.seat if isinstance(state, Asking | AwaitingFunds) else None,
        seats=seats_of(state.play),
    )


def street_of(state: Round) -> str | None:
    """The street that the round is on, by its name in the rules; None before the deal and after the end."""
    match state:
        case Asking(play, stop) | AwaitingFunds(play, stop) | AwaitingCommunity(play, stop):
            return play.stops[stop].name
        case Showdown(play):
            return play.game.showdown.name
        case _:
            return None


def seats_of(play: Play) -> list[dict[str, Any]]:
    """Who sits there, and what each has at risk, minor units."""
    return [
        {
            "seat": seat.seat,
            "player": seat.player,
            "staked": sum(seat.wagers.values()) + sum(play_stakes(play.game, seat.as_dealt).values()),
            "is_in": seat.forfeited is None and "fold" not in seat.decisions,
        }
        for seat in play.seats
    ]


def pace_of(ends_us: tuple[int, ...] | list[int]) -> int | None:
    """Rounds an hour, from the ends of the last rounds; None of fewer than two.

    >>> pace_of([0, 60_000_000, 120_000_000])
    60
    """
    if len(ends_us) < 2 or ends_us[-1] <= ends_us[0]:
        return None
    return round((len(ends_us) - 1) * 3_600_000_000 / (ends_us[-1] - ends_us[0]))
