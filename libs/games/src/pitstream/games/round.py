"""A live round: its stages, and how its events, or their stored bytes, make it.

What an event means stands in ``fold``; whether a command is legal is ``referee``'s to say.
"""

from collections.abc import Iterable, Iterator

from pitstream.events.model import Event
from pitstream.games.fold import BEFORE_THE_DEAL, Fold, ImpossibleEventError
from pitstream.games.game import FinishedRound
from pitstream.games.states import (
    Asking,
    AwaitingCommunity,
    AwaitingFunds,
    Betting,
    Dealing,
    Finished,
    Live,
    LiveSeat,
    NoRound,
    Play,
    Round,
    Showdown,
    Voided,
)

__all__ = [
    "BEFORE_THE_DEAL",
    "Asking",
    "AwaitingCommunity",
    "AwaitingFunds",
    "Betting",
    "Dealing",
    "Finished",
    "ImpossibleEventError",
    "Live",
    "LiveSeat",
    "NoRound",
    "Play",
    "Round",
    "Showdown",
    "Voided",
    "evolve",
    "evolve_all",
    "evolve_stored",
    "finished_round",
    "replayed",
]


def evolve(state: Round, event: Event) -> Round:
    """The round after one more event.

    Raises ImpossibleEventError when the event cannot follow.
    """
    fold = Fold.of(state)
    fold.apply(event)
    return fold.round()


def evolve_all(events: Iterable[Event]) -> Round:
    """The round that these events, from the first on, have made."""
    fold = Fold()
    for event in events:
        fold.apply(event)
    return fold.round()


def evolve_stored(stream: Iterable[bytes]) -> Round:
    """The round that these envelopes, from the first on, have made: ``evolve_all`` of what ``open_envelope`` gives, at
    a fraction of its cost. For bytes whose hash chain was checked, or will be.

    Raises UndecodableError, UnknownTypeError, ImpossibleEventError.
    """
    fold = Fold()
    fold.apply_stored(stream)
    return fold.round()


def replayed(events: Iterable[Event]) -> Iterator[tuple[Event, Round]]:
    """Each event with the round as it was right after it."""
    fold = Fold()
    for event in events:
        fold.apply(event)
        yield event, fold.round()


def finished_round(state: Finished | Voided) -> FinishedRound:
    """What the settlement needs to know of a closed round, and nothing else.

    ``burned`` is all burn cards of a round that was played out, or none: where a device reported some only, those stay
    in the events.
    """
    play = state.play
    opened = play.opened
    void = state.reason if isinstance(state, Voided) else None
    return FinishedRound(
        game=opened.game,
        gaming_day=opened.gaming_day,
        currency=opened.currency,
        paytables={choice.wager: choice.paytable for choice in opened.paytables},
        options=opened.options,
        dealer=play.dealer,
        community=play.community,
        burned=play.burned if void or len(play.burned) == play.game.burn_cards else (),
        bonus=play.bonus,
        seats=tuple(seat.as_dealt for seat in play.seats),
        void=void,
    )
