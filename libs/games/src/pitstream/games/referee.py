"""The referee of a live round: whether a command is legal now, and what it brings about.

``decide`` reads like the order of play: 653a.11(b)-(h), 583.11(a)-(e), 669a.11(b)-(i). It knows no game by name; a
game's own streets, wagers and choices come from its ``Game``.
"""

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import assert_never

from pitstream.events.model import Event
from pitstream.events.refusal import Refusal
from pitstream.events.rounds import (
    BettingClosed,
    BonusDealt,
    CommunityDealt,
    DecisionMade,
    Hand,
    HandsDealt,
    RoundFinished,
    RoundOpened,
    Stake,
    WagerCount,
    WagersDeclined,
    WagersPlaced,
    WagersStood,
)
from pitstream.games.commands import (
    AnswerDecision,
    AnswerHold,
    DealBonus,
    DealHands,
    FinishRound,
    ForfeitSeat,
    LeaveSeat,
    OpenRound,
    PlaceWagers,
    RevealCommunity,
    RoundCommand,
    SetCardAside,
    VoidRound,
)
from pitstream.games.game import CARDS, Game
from pitstream.games.refusals import cards_fault, unknown_card, words, wrong_stage
from pitstream.games.registry import game_named
from pitstream.games.round import (
    BEFORE_THE_DEAL,
    Asking,
    AwaitingCommunity,
    AwaitingFunds,
    Betting,
    LiveSeat,
    NoRound,
    Play,
    Round,
    Showdown,
    evolve,
)
from pitstream.games.rulings import answers_of_who_left, forfeit_seat, leave_seat, set_card_aside, void_round

STAKE_MAX = 10**12
"""Largest stake, minor units: with it every sum and every prize of a round stays within 64 bits."""


def decide(state: Round, command: RoundCommand) -> list[Event] | Refusal:
    """The events that the command brings about in this round, or why it may not be carried out.

    A seat whose player went away answers by itself as soon as it is asked.
    """
    events = _decide(state, command)
    if isinstance(events, Refusal):
        return events
    after = reduce(evolve, events, state)
    return [*events, *answers_of_who_left(after)]


def _decide(state: Round, command: RoundCommand) -> list[Event] | Refusal:
    match command:
        case OpenRound():
            return _open_round(state, command)
        case PlaceWagers():
            return _place_wagers(state, command)
        case AnswerHold():
            return _answer_hold(state, command)
        case DealHands():
            return _deal_hands(state, command)
        case AnswerDecision():
            return _answer_decision(state, command)
        case RevealCommunity():
            return _reveal_community(state, command)
        case DealBonus():
            return _deal_bonus(state, command)
        case FinishRound():
            return _finish_round(state)
        case VoidRound():
            return void_round(state, command)
        case ForfeitSeat():
            return forfeit_seat(state, command)
        case LeaveSeat():
            return leave_seat(state, command)
        case SetCardAside():
            return set_card_aside(state, command)
        case _:
            assert_never(command)


def options_fault(game: Game, field: str, options: Mapping[str, str]) -> Refusal | None:
    """The first option that this game does not have, or whose value is not allowed."""
    for name, value in options.items():
        allowed = game.options.get(name)
        if allowed is None:
            names = ", ".join(sorted(game.options))
            return Refusal("invalid_option", field, f"was {name!r}; allowed for {game.title}: {names}")
        if allowed.values == CARDS and value not in CARDS:
            return unknown_card(f"{field}.{name}", value)
        if value not in allowed.values:
            values = ", ".join(sorted(allowed.values))
            return Refusal("invalid_option", f"{field}.{name}", f"was {value!r}; allowed: {values}")
    return None


def _open_round(state: Round, command: OpenRound) -> list[Event] | Refusal:
    table = command.table
    if table is None:
        return Refusal("table_not_open", "table", "the table is closed; open it for a game and a gaming day first")
    if command.round_in_progress is not None:
        return Refusal(
            "round_in_progress",
            "table",
            f"round {command.round_in_progress} is still being played; finish it or declare it void first",
        )
    if not isinstance(state, NoRound):
        return wrong_stage(state, "round_no", f"round {command.round_no} was opened before")
    game = game_named(table.game)
    if fault := options_fault(game, "options", command.options):
        return fault
    for name, value in command.options.items():
        policy = table.policies.get(name, value)
        if value != policy:
            return Refusal("invalid_option", f"options.{name}", f"was {value!r}; the table was opened with {policy!r}")
    return [
        RoundOpened(
            table=table.table,
            round_no=command.round_no,
            round_id=command.round_id,
            game=table.game,
            gaming_day=table.gaming_day,
            currency=table.currency,
            paytables=table.paytables,
            options={**game.policies, **table.policies, **command.options},
            network=table.network,
            previous_round_hash=command.previous_round_hash,
            rules_version=command.rules_version,
            evaluator=command.evaluator,
        )
    ]


def _place_wagers(state: Round, command: PlaceWagers) -> list[Event] | Refusal:
    """A seat bets before the deal: 653a.11(a), 583.11(a), 669a.11(a)."""
    if not isinstance(state, Betting):
        return wrong_stage(state, "stakes", "wagers are placed before the deal, at stage 'betting'")
    play = state.play
    if command.seat in play.withdrawn:
        return Refusal("seat_left", "seat", f"was {command.seat}; its wagers were withdrawn, it is empty in this round")
    if taken := play.seat(command.seat):
        found = "stand" if taken.stands else "wait for the wallet"
        return Refusal("seat_taken", "seat", f"was {command.seat}; wagers of {taken.player} {found} there")
    if fault := _stakes_fault(play, command.stakes):
        return fault
    stakes = {wager: command.stakes[wager] for wager in play.game.wagers if wager in command.stakes}
    return [_wagers_placed(play, command.seat, command.player, BEFORE_THE_DEAL, stakes)]


def _stakes_fault(play: Play, stakes: Mapping[str, int]) -> Refusal | None:
    game = play.game
    offered = {choice.wager for choice in play.opened.paytables} | set(game.without_paytable)
    allowed = [wager for wager in game.placed_before_deal if wager in offered]
    for wager, stake in stakes.items():
        if wager not in allowed:
            return Refusal("unknown_wager", "stakes", f"was {wager!r}; this table offers {', '.join(allowed)}")
        if not 1 <= stake <= STAKE_MAX:
            return Refusal("invalid_stake", f"stakes.{wager}", f"was {stake}; allowed: 1 to {STAKE_MAX} minor units")
    for wager in game.required:
        if wager not in stakes:
            return Refusal(
                "missing_wager", "stakes", f"{wager} is missing; {game.title} asks for {words(game.required)}"
            )
    for wager in game.equal_to_ante:
        if stakes[wager] != stakes["ante"]:
            return Refusal(
                "invalid_stake", f"stakes.{wager}", f"was {stakes[wager]}; must equal the ante of {stakes['ante']}"
            )
    for wager in game.same_for_all:
        for other in play.seats:
            if stakes[wager] != other.wagers[wager]:
                return Refusal(
                    "invalid_stake",
                    f"stakes.{wager}",
                    f"was {stakes[wager]}; seat {other.seat} placed {other.wagers[wager]} and all must be the same",
                )
    return None


def _answer_hold(state: Round, command: AnswerHold) -> list[Event] | Refusal:
    """The wallet holds a bundle's money, or declines to."""
    if not _waits_for(state, command.seat, command.bundle):
        return Refusal(
            "not_awaiting_funds",
            "bundle",
            f"bundle {command.bundle} of seat {command.seat} does not wait for the wallet at stage {state.stage!r}",
        )
    if command.held:
        return [WagersStood(seat=command.seat, bundle=command.bundle)]
    return [WagersDeclined(seat=command.seat, bundle=command.bundle, reason=command.reason)]


def _waits_for(state: Round, number: int, bundle: int) -> bool:
    if isinstance(state, Betting):
        seat = state.play.seat(number)
        return bundle == BEFORE_THE_DEAL and seat is not None and not seat.stands
    return isinstance(state, AwaitingFunds) and (number, bundle) == (state.seat, state.bundle)


def _deal_hands(state: Round, command: DealHands) -> list[Event] | Refusal:
    if not isinstance(state, Betting):
        return wrong_stage(state, "hands", "hands are dealt once, at stage 'betting'")
    play, game = state.play, state.play.game
    waiting = [seat.seat for seat in play.seats if not seat.stands]
    if waiting:
        return Refusal("awaiting_funds", "hands", f"the wallet has not answered for seat {words(waiting)}")
    if not play.seats:
        return Refusal("no_wagers", "hands", "no wager stands at any seat; a round needs at least one seat")
    seats = [seat.seat for seat in play.seats]
    dealt = sorted(hand.seat for hand in command.hands)
    if dealt != seats:
        return Refusal(
            "wrong_seats", "hands", f"was seat {words(dealt) or 'none'}; one hand each for seat {words(seats)}"
        )
    seen = set(play.cards)
    for position, hand in enumerate(command.hands):
        if fault := cards_fault(f"hands[{position}].cards", hand.cards, {game.hole_cards}, seen):
            return fault
        seen |= set(hand.cards)
    if fault := cards_fault("dealer", command.dealer, {game.dealer_cards}, seen):
        return fault
    hands = sorted(command.hands, key=lambda hand: hand.seat)
    return [
        BettingClosed(
            table=play.opened.table,
            round_no=play.opened.round_no,
            currency=play.opened.currency,
            network=play.opened.network,
            wagers=_wager_counts(game, play.seats),
        ),
        HandsDealt(hands=tuple(Hand(seat=hand.seat, cards=hand.cards) for hand in hands), dealer=command.dealer),
    ]


def _wager_counts(game: Game, seats: Sequence[LiveSeat]) -> tuple[WagerCount, ...]:
    stakes = {wager: [seat.wagers[wager] for seat in seats if wager in seat.wagers] for wager in game.wagers}
    return tuple(
        WagerCount(wager=wager, count=len(placed), total=sum(placed)) for wager, placed in stakes.items() if placed
    )


def _answer_decision(state: Round, command: AnswerDecision) -> list[Event] | Refusal:
    """A seat answers when asked: 653a.11(b)-(f), 583.11(b), 669a.11(b)-(f)."""
    if not isinstance(state, Asking):
        return Refusal("not_asked", "seat", f"was {command.seat}; nobody is asked at stage {state.stage!r}")
    if command.seat != state.seat:
        return Refusal("not_asked", "seat", f"was {command.seat}; seat {state.seat} is being asked")
    if command.choice not in state.choices:
        return Refusal("illegal_decision", "choice", f"was {command.choice!r}; allowed: {words(state.choices)}")
    play = state.play
    made = DecisionMade(seat=command.seat, choice=command.choice)
    multiple = play.game.play_multiple.get(command.choice)
    seat = play.seat(command.seat)
    if multiple is None or seat is None:
        return [made]
    stakes = {play.stops[state.stop].wager: multiple * seat.wagers["ante"]}
    return [made, _wagers_placed(play, seat.seat, seat.player, seat.bundles + 1, stakes)]


def _reveal_community(state: Round, command: RevealCommunity) -> list[Event] | Refusal:
    if not isinstance(state, AwaitingCommunity):
        return wrong_stage(state, "cards", "community cards are revealed after the last seat of a street answered")
    street, seen = state.street, state.play.cards
    if fault := cards_fault("cards", command.cards, {street.community}, seen):
        return fault
    # Not every device sees the burn cards; one that does reports all of the street.
    if fault := cards_fault("burned", command.burned, {0, street.burned}, seen | set(command.cards)):
        return fault
    return [CommunityDealt(cards=command.cards, burned=command.burned)]


def _deal_bonus(state: Round, command: DealBonus) -> list[Event] | Refusal:
    """Cards dealt apart for one wager: 653a.11(m)."""
    if not isinstance(state, Showdown):
        return wrong_stage(state, "cards", "bonus cards are dealt when the board is complete, at stage 'showdown'")
    if state.play.bonus:
        return Refusal("wrong_stage", "cards", f"the bonus cards are dealt already: {words(state.play.bonus)}")
    game = state.play.game
    if not game.bonus_cards:
        return Refusal("wrong_card_count", "cards", f"was {len(command.cards)} cards; {game.title} has no bonus cards")
    if fault := cards_fault("cards", command.cards, {game.bonus_cards}, state.play.cards):
        return fault
    return [BonusDealt(cards=command.cards)]


def _finish_round(state: Round) -> list[Event] | Refusal:
    if not isinstance(state, Showdown):
        return wrong_stage(state, "round_no", "a round finishes at stage 'showdown'")
    opened, game = state.play.opened, state.play.game
    if state.play.bonus_is_due:
        return Refusal(
            "wrong_card_count", "bonus", f"was 0 cards; {game.bonus_wager} was bet and needs {game.bonus_cards}"
        )
    return [RoundFinished(table=opened.table, round_no=opened.round_no)]


def _wagers_placed(play: Play, seat: int, player: str, bundle: int, stakes: Mapping[str, int]) -> WagersPlaced:
    return WagersPlaced(
        table=play.opened.table,
        round_no=play.opened.round_no,
        seat=seat,
        player=player,
        bundle=bundle,
        currency=play.opened.currency,
        stakes=tuple(Stake(wager=wager, stake=stake) for wager, stake in stakes.items()),
    )
