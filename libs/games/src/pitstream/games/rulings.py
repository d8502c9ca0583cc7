"""What a floorperson rules in a live round: void, forfeited, a player who went away, a card set aside.

Each ruling is an event that says why and who ruled. The sections on irregularities were not available to us, so these
are policy but for 669a.11(a)(3).
"""

from pitstream.events.model import Event
from pitstream.events.refusal import Refusal
from pitstream.events.rounds import (
    CardSetAside,
    DecisionMade,
    PlayerLeft,
    RoundVoided,
    SeatForfeited,
    WagersWithdrawn,
)
from pitstream.games.commands import ForfeitSeat, LeaveSeat, SetCardAside, VoidRound
from pitstream.games.game import FOLD
from pitstream.games.refusals import cards_fault, words, wrong_stage
from pitstream.games.round import Asking, Betting, Finished, LiveSeat, NoRound, Round, Voided, evolve


def void_round(state: Round, command: VoidRound) -> list[Event] | Refusal:
    if isinstance(state, NoRound | Finished | Voided):
        return wrong_stage(state, "round_no", "only a round that is being played can be declared void")
    opened = state.play.opened
    return [
        RoundVoided(
            table=opened.table,
            round_no=opened.round_no,
            reason=command.reason,
            floorperson=command.floorperson,
            kind=command.kind,
        )
    ]


def forfeit_seat(state: Round, command: ForfeitSeat) -> list[Event] | Refusal:
    """A floorperson takes a seat's wagers: 669a.11(a)(3), and by policy in the other games."""
    seat = _seat_in_play(state, command.seat)
    if isinstance(seat, Refusal):
        return seat
    return [SeatForfeited(seat=command.seat, reason=command.reason, floorperson=command.floorperson)]


def leave_seat(state: Round, command: LeaveSeat) -> list[Event] | Refusal:
    """A player goes away (policy: the text was not available)."""
    seat = _seat_in_play(state, command.seat)
    if isinstance(seat, Refusal):
        return seat
    if seat.left is not None:
        return Refusal("seat_left", "seat", f"was {command.seat}; its player went away before: {seat.left}")
    if not isinstance(state, Betting):
        return [PlayerLeft(seat=command.seat, reason=command.reason, floorperson=command.floorperson)]
    if not seat.stands:
        return Refusal("awaiting_funds", "seat", f"was {command.seat}; the wallet has not answered for its wagers")
    return [WagersWithdrawn(seat=command.seat, reason=command.reason, floorperson=command.floorperson)]


def answers_of_who_left(state: Round) -> list[Event]:
    """The answers of the seats that are asked although nobody sits there: fold, or check where nobody may fold yet."""
    answers: list[Event] = []
    while isinstance(state, Asking) and (seat := state.play.seat(state.seat)) and seat.left is not None:
        places = state.play.game.play_multiple
        choice = FOLD if FOLD in state.choices else next(word for word in state.choices if word not in places)
        answers.append(DecisionMade(seat=state.seat, choice=choice))
        state = evolve(state, answers[-1])
    return answers


def set_card_aside(state: Round, command: SetCardAside) -> list[Event] | Refusal:
    """A card found face up in the deck is set aside unused (policy)."""
    if isinstance(state, NoRound | Finished | Voided):
        return wrong_stage(state, "card", "a card is set aside while its round is being played")
    if fault := cards_fault("card", (command.card,), {1}, state.play.cards):
        return Refusal(fault.code, "card", fault.message)
    return [CardSetAside(card=command.card, reason=command.reason, floorperson=command.floorperson)]


def _seat_in_play(state: Round, number: int) -> LiveSeat | Refusal:
    """The seat that a floorperson rules on: it has wagers that are not forfeited."""
    if isinstance(state, NoRound | Finished | Voided):
        return wrong_stage(state, "seat", "a floorperson rules on a seat while its round is being played")
    seat = state.play.seat(number)
    if seat is None:
        seats = words(seat.seat for seat in state.play.seats)
        return Refusal("no_wagers", "seat", f"was {number}; seats with wagers: {seats or 'none'}")
    if seat.forfeited is not None:
        return Refusal("seat_forfeited", "seat", f"was {number}; it is forfeited already: {seat.forfeited}")
    return seat
