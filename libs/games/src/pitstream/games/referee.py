"""The referee of a live round: whether a command is legal now, and what it brings about.

``decide`` reads like the order of play: 653a.11(b)-(h), 583.11(a)-(e), 669a.11(b)-(i). It knows no game by name; a
game's own streets, wagers and choices come from its ``Game``.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
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
    RoundVoided,
    SeatForfeited,
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
    OpenRound,
    PlaceWagers,
    RevealCommunity,
    RoundCommand,
    VoidRound,
)
from pitstream.games.game import CARDS, Game
from pitstream.games.registry import game_named
from pitstream.games.round import (
    BEFORE_THE_DEAL,
    PLAY_WAGER,
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

STAKE_MAX = 10**12
"""Largest stake, minor units: with it every sum and every prize of a round stays within 64 bits."""


def decide(state: Round, command: RoundCommand) -> list[Event] | Refusal:
    """The events that the command brings about in this round, or why it may not be carried out."""
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
            return _void_round(state, command)
        case ForfeitSeat():
            return _forfeit_seat(state, command)
        case _:
            assert_never(command)


def options_fault(game: Game, field: str, options: Mapping[str, str]) -> Refusal | None:
    """The first option that this game does not have, or whose value is not allowed."""
    for name, value in options.items():
        allowed = game.options.get(name)
        if allowed is None:
            names = ", ".join(sorted(game.options))
            return Refusal("invalid_option", field, f"was {name!r}; allowed for {game.title}: {names}")
        if allowed == CARDS and value not in CARDS:
            return _unknown_card(f"{field}.{name}", value)
        if value not in allowed:
            values = ", ".join(sorted(allowed))
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
        return _wrong_stage(state, "round_no", f"round {command.round_no} was opened before")
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
            options={**table.policies, **command.options},
            network=table.network,
            previous_round_hash=command.previous_round_hash,
            rules_version=command.rules_version,
            evaluator=command.evaluator,
        )
    ]


def _place_wagers(state: Round, command: PlaceWagers) -> list[Event] | Refusal:
    """A seat bets before the deal: 653a.11(a), 583.11(a), 669a.11(a)."""
    if not isinstance(state, Betting):
        return _wrong_stage(state, "stakes", "wagers are placed before the deal, at stage 'betting'")
    play = state.play
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
                "missing_wager", "stakes", f"{wager} is missing; {game.title} asks for {_words(game.required)}"
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
    return isinstance(state, AwaitingFunds) and bundle == PLAY_WAGER and number == state.seat


def _deal_hands(state: Round, command: DealHands) -> list[Event] | Refusal:
    if not isinstance(state, Betting):
        return _wrong_stage(state, "hands", "hands are dealt once, at stage 'betting'")
    play, game = state.play, state.play.game
    waiting = [seat.seat for seat in play.seats if not seat.stands]
    if waiting:
        return Refusal("awaiting_funds", "hands", f"the wallet has not answered for seat {_words(waiting)}")
    if not play.seats:
        return Refusal("no_wagers", "hands", "no wager stands at any seat; a round needs at least one seat")
    seats = [seat.seat for seat in play.seats]
    dealt = sorted(hand.seat for hand in command.hands)
    if dealt != seats:
        return Refusal(
            "wrong_seats", "hands", f"was seat {_words(dealt) or 'none'}; one hand each for seat {_words(seats)}"
        )
    seen: set[str] = set()
    for position, hand in enumerate(command.hands):
        if fault := _cards_fault(f"hands[{position}].cards", hand.cards, {game.hole_cards}, seen):
            return fault
        seen |= set(hand.cards)
    if fault := _cards_fault("dealer", command.dealer, {game.dealer_cards}, seen):
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
        return Refusal("illegal_decision", "choice", f"was {command.choice!r}; allowed: {_words(state.choices)}")
    play = state.play
    made = DecisionMade(seat=command.seat, choice=command.choice)
    multiple = play.game.play_multiple.get(command.choice)
    seat = play.seat(command.seat)
    if multiple is None or seat is None:
        return [made]
    return [
        made,
        _wagers_placed(play, seat.seat, seat.player, PLAY_WAGER, {play.game.play: multiple * seat.wagers["ante"]}),
    ]


def _reveal_community(state: Round, command: RevealCommunity) -> list[Event] | Refusal:
    if not isinstance(state, AwaitingCommunity):
        return _wrong_stage(state, "cards", "community cards are revealed after the last seat of a street answered")
    street, seen = state.street, state.play.cards
    if fault := _cards_fault("cards", command.cards, {street.community}, seen):
        return fault
    # Not every device sees the burn cards; one that does reports all of the street.
    if fault := _cards_fault("burned", command.burned, {0, street.burned}, seen | set(command.cards)):
        return fault
    return [CommunityDealt(cards=command.cards, burned=command.burned)]


def _deal_bonus(state: Round, command: DealBonus) -> list[Event] | Refusal:
    """Cards dealt apart for one wager: 653a.11(m)."""
    if not isinstance(state, Showdown):
        return _wrong_stage(state, "cards", "bonus cards are dealt when the board is complete, at stage 'showdown'")
    if state.play.bonus:
        return Refusal("wrong_stage", "cards", f"the bonus cards are dealt already: {_words(state.play.bonus)}")
    game = state.play.game
    if not game.bonus_cards:
        return Refusal("wrong_card_count", "cards", f"was {len(command.cards)} cards; {game.title} has no bonus cards")
    if fault := _cards_fault("cards", command.cards, {game.bonus_cards}, state.play.cards):
        return fault
    return [BonusDealt(cards=command.cards)]


def _finish_round(state: Round) -> list[Event] | Refusal:
    if not isinstance(state, Showdown):
        return _wrong_stage(state, "round_no", "a round finishes at stage 'showdown'")
    opened, game = state.play.opened, state.play.game
    if state.play.bonus_is_due:
        return Refusal(
            "wrong_card_count", "bonus", f"was 0 cards; {game.bonus_wager} was bet and needs {game.bonus_cards}"
        )
    return [RoundFinished(table=opened.table, round_no=opened.round_no)]


def _void_round(state: Round, command: VoidRound) -> list[Event] | Refusal:
    if isinstance(state, NoRound | Finished | Voided):
        return _wrong_stage(state, "round_no", "only a round that is being played can be declared void")
    opened = state.play.opened
    return [
        RoundVoided(
            table=opened.table, round_no=opened.round_no, reason=command.reason, floorperson=command.floorperson
        )
    ]


def _forfeit_seat(state: Round, command: ForfeitSeat) -> list[Event] | Refusal:
    """A floorperson takes a seat's wagers: 669a.11(a)(3), and by policy in the other games."""
    if isinstance(state, NoRound | Finished | Voided):
        return _wrong_stage(state, "seat", "a seat is forfeited while its round is being played")
    seat = state.play.seat(command.seat)
    if seat is None:
        seats = _words(seat.seat for seat in state.play.seats)
        return Refusal("no_wagers", "seat", f"was {command.seat}; seats with wagers: {seats or 'none'}")
    if seat.forfeited is not None:
        return Refusal("seat_forfeited", "seat", f"was {command.seat}; it is forfeited already: {seat.forfeited}")
    return [SeatForfeited(seat=command.seat, reason=command.reason, floorperson=command.floorperson)]


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


def _cards_fault(field: str, cards: Sequence[str], counts: Set[int], seen: Set[str]) -> Refusal | None:
    """The first fault of a list of cards: what is no card, too few or too many, then what was dealt before."""
    for position, card in enumerate(cards):
        if card not in CARDS:
            return _unknown_card(f"{field}[{position}]", card)
    if len(cards) not in counts:
        allowed = " or ".join(str(count) for count in sorted(counts))
        return Refusal("wrong_card_count", field, f"was {len(cards)} cards; allowed: {allowed}")
    for position, card in enumerate(cards):
        if card in seen or card in cards[:position]:
            return Refusal("duplicate_card", f"{field}[{position}]", f"was {card!r}; it was dealt in this round before")
    return None


def _unknown_card(field: str, card: str) -> Refusal:
    return Refusal(
        "unknown_card", field, f'was {card!r}; allowed: a rank 23456789TJQKA and a suit cdhs ("Td"), in these letters'
    )


def _wrong_stage(state: Round, field: str, allowed: str) -> Refusal:
    return Refusal("wrong_stage", field, f"the round is at stage {state.stage!r}; {allowed}")


def _words(items: Iterable[object]) -> str:
    return ", ".join(str(item) for item in items)
