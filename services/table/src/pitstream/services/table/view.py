"""A round as a terminal sees it: what was played so far and what may come next. Face-down cards are not in it."""

from typing import Annotated

from pydantic import BaseModel, Field

from pitstream.games.game import play_stakes
from pitstream.games.round import (
    BEFORE_THE_DEAL,
    Asking,
    AwaitingCommunity,
    AwaitingFunds,
    Betting,
    Finished,
    LiveSeat,
    NoRound,
    Play,
    Round,
    Showdown,
    Voided,
)

Cards = tuple[str, ...]


class Asked(BaseModel):
    """The seat that is asked, and the words it may say."""

    seat: int
    choices: tuple[str, ...]


class Waiting(BaseModel):
    """A bundle of wagers whose money the wallet has not answered for: 1 before the deal, then one for each answer."""

    seat: int
    bundle: int


class AwaitedCards(BaseModel):
    """The cards to be revealed next, counted. ``burned`` may be left out where the device does not report them."""

    street: str
    community: int
    burned: int


class SeatView(BaseModel):
    """One seat's round; money in minor units."""

    seat: int
    player: str
    wagers: Annotated[dict[str, int], Field(description="wager -> stake placed before the deal")]
    stands: Annotated[bool, Field(description="the money of these wagers is held")]
    play: Annotated[int | None, Field(description="what its answers placed (Play or Flop Wager), pending or held")]
    cards: Cards
    decisions: tuple[str, ...]
    forfeited: str | None
    left: Annotated[str | None, Field(description="why nobody sits there any more: it folds, or checks, when asked")]


class RoundView(BaseModel):
    """A round at a version of its stream."""

    table: str
    round_no: int
    round_id: str
    game: str
    gaming_day: str
    currency: str
    options: dict[str, str]
    stage: Annotated[str, Field(description="betting, asking, awaiting_funds, awaiting_community, showdown …")]
    version: int
    asking: Asked | None
    waiting_for: tuple[Waiting, ...]
    awaiting_cards: AwaitedCards | None
    bonus_is_due: Annotated[bool, Field(description="bonus cards must be dealt before the round finishes")]
    seats: tuple[SeatView, ...]
    community: Cards
    burned: Cards
    bonus: Cards
    set_aside: Annotated[Cards, Field(description="found face up in the deck, and not dealt")]
    dealer: Annotated[Cards | None, Field(description="the dealer's hand, once the round is finished")]
    void: Annotated[str | None, Field(description="why the round is void")]


class TableOnFloor(BaseModel):
    """A table that was opened at least once; its terms are those of its last opening."""

    table: str
    is_open: bool
    game: str
    gaming_day: str
    currency: str
    network: str | None
    last_round_no: int
    round_in_progress: int | None


class FloorView(BaseModel):
    """The tables by their names."""

    tables: list[TableOnFloor]


class Suspension(BaseModel):
    """Why the table takes no progressive wagers: its network left this round unanswered for so long."""

    round_no: int
    silent_s: int


class TableView(TableOnFloor):
    """A table with the terms that it is open on."""

    version: int
    paytables: Annotated[dict[str, str], Field(description="wager -> paytable")]
    policies: dict[str, str]
    progressive_suspended: Suspension | None


class PlayedAt(BaseModel):
    """Where a round was played."""

    table: str
    round_no: int


def view(state: Round, version: int) -> RoundView:
    """The round at that version. Raises ValueError for a round that was never opened."""
    if isinstance(state, NoRound):
        raise ValueError("state: was NoRound; a view needs a round that was opened")
    play, opened = state.play, state.play.opened
    return RoundView(
        table=opened.table,
        round_no=opened.round_no,
        round_id=opened.round_id,
        game=opened.game,
        gaming_day=opened.gaming_day,
        currency=opened.currency,
        options=opened.options,
        stage=state.stage,
        version=version,
        asking=Asked(seat=state.seat, choices=state.choices) if isinstance(state, Asking) else None,
        waiting_for=_waiting_for(state),
        awaiting_cards=_awaited_cards(state),
        bonus_is_due=isinstance(state, Showdown) and play.bonus_is_due,
        seats=tuple(_seat_view(play, seat) for seat in play.seats),
        community=play.community,
        burned=play.burned,
        bonus=play.bonus,
        set_aside=play.set_aside,
        dealer=play.dealer if isinstance(state, Finished) else None,
        void=state.reason if isinstance(state, Voided) else None,
    )


def _waiting_for(state: Round) -> tuple[Waiting, ...]:
    match state:
        case Betting(play):
            return tuple(Waiting(seat=seat.seat, bundle=BEFORE_THE_DEAL) for seat in play.seats if not seat.stands)
        case AwaitingFunds(seat=seat, bundle=bundle):
            return (Waiting(seat=seat, bundle=bundle),)
        case _:
            return ()


def _awaited_cards(state: Round) -> AwaitedCards | None:
    if not isinstance(state, AwaitingCommunity):
        return None
    street = state.street
    return AwaitedCards(street=street.name, community=street.community, burned=street.burned)


def _seat_view(play: Play, seat: LiveSeat) -> SeatView:
    return SeatView(
        seat=seat.seat,
        player=seat.player,
        wagers=dict(seat.wagers),
        stands=seat.stands,
        play=sum(play_stakes(play.game, seat.as_dealt).values()) or None,
        cards=seat.cards,
        decisions=seat.decisions,
        forfeited=seat.forfeited,
        left=seat.left,
    )
