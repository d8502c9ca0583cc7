"""Whatever is played, a round holds: Hypothesis plays whole rounds of each game at random, legally and otherwise."""

from dataclasses import dataclass
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from round_play import FLOORPERSON, OFFERED, Table, betting

from pitstream.events import Event, seal
from pitstream.events.refusal import Refusal
from pitstream.events.rounds import BettingClosed, DecisionMade, HandsDealt, SeatForfeited, WagersDeclined, WagersPlaced
from pitstream.games.commands import (
    AnswerDecision,
    AnswerHold,
    DealBonus,
    DealHands,
    DealtHand,
    FinishRound,
    ForfeitSeat,
    LeaveSeat,
    PlaceWagers,
    RevealCommunity,
    RoundCommand,
    SetCardAside,
    VoidRound,
)
from pitstream.games.game import CARDS, stakes_of
from pitstream.games.referee import decide
from pitstream.games.registry import GAMES
from pitstream.games.round import (
    Asking,
    AwaitingCommunity,
    AwaitingFunds,
    Betting,
    Finished,
    Play,
    Showdown,
    Voided,
    evolve,
    evolve_all,
    evolve_stored,
    finished_round,
)
from pitstream.games.settlement import settle

some_seats = st.lists(st.integers(1, 7), min_size=1, max_size=4, unique=True)
any_cards = st.lists(st.sampled_from([*sorted(CARDS), "1x", "", "10d"]), max_size=5).map(tuple)
any_seat = st.integers(1, 7)
any_stakes = st.dictionaries(
    st.sampled_from(["ante", "blind", "pot", "play", "flop", "trips", "six_card", "nonsense"]),
    st.sampled_from([-1, 0, 1, 500, 10**12, 10**30]),
    max_size=4,
)
any_command: st.SearchStrategy[RoundCommand] = st.one_of(
    st.builds(PlaceWagers, seat=any_seat, player=st.just("p9"), stakes=any_stakes),
    st.builds(AnswerHold, seat=any_seat, bundle=st.integers(1, 2), held=st.booleans()),
    st.builds(
        DealHands,
        hands=st.lists(st.builds(DealtHand, seat=any_seat, cards=any_cards), max_size=3).map(tuple),
        dealer=any_cards,
    ),
    st.builds(AnswerDecision, seat=any_seat, choice=st.sampled_from(["check", "1x", "2x", "3x", "4x", "flop", "fold"])),
    st.builds(RevealCommunity, cards=any_cards, burned=any_cards),
    st.builds(DealBonus, cards=any_cards),
    st.just(FinishRound()),
    st.builds(VoidRound, kind=st.just("exposed_card"), reason=st.just("ace seen"), floorperson=st.just(FLOORPERSON)),
    st.builds(ForfeitSeat, seat=any_seat, reason=st.just("late"), floorperson=st.just(FLOORPERSON)),
    st.builds(LeaveSeat, seat=any_seat, reason=st.just("taken ill"), floorperson=st.just(FLOORPERSON)),
    st.builds(
        SetCardAside,
        card=st.sampled_from([*sorted(CARDS), "1x"]),
        reason=st.just("face up"),
        floorperson=st.just(FLOORPERSON),
    ),
)


@dataclass
class Shoe:
    """A shuffled deck that is dealt from the top."""

    deck: list[str]

    def deal(self, count: int) -> tuple[str, ...]:
        dealt = tuple(self.deck[:count])
        del self.deck[:count]
        return dealt


def legal_stakes(data: st.DataObject, game: str) -> dict[str, int]:
    frame = GAMES[game]
    ante = data.draw(st.integers(1, 10_000))
    stakes = dict.fromkeys(("ante", *frame.equal_to_ante), ante) | dict.fromkeys(frame.same_for_all, 500)
    sides = [wager for wager in OFFERED[game] if wager not in (*frame.required, *frame.play_wagers)]
    for wager in data.draw(st.lists(st.sampled_from(sides), unique=True)):
        stakes[wager] = data.draw(st.integers(1, 5_000))
    return stakes


def stored(events: list[Event]) -> list[bytes]:
    """The events as a table stores them, but for their chain, which no fold looks at."""
    return [
        seal(
            event,
            stream="round/t1/1",
            version=version,
            source="table",
            key="t1",
            key_sequence=version,
            recorded_at_us=version,
            cause_id="c",
            actor="a",
            traceparent="",
            previous_hash=b"",
        )
        for version, event in enumerate(events, start=1)
    ]


def legal_command(data: st.DataObject, table: Table, shoe: Shoe) -> RoundCommand:
    """A command that must be accepted now."""
    match table.state:
        case Betting(Play(seats=seats)):
            waiting = [seat.seat for seat in seats if not seat.stands]
            if waiting:
                return AnswerHold(seat=waiting[0], bundle=1, held=data.draw(st.booleans()), reason="insufficient_funds")
            game = table.state.play.game
            hands = tuple(DealtHand(seat=seat.seat, cards=shoe.deal(game.hole_cards)) for seat in seats)
            return DealHands(hands=hands, dealer=shoe.deal(game.dealer_cards))
        case Asking(_, _, seat) as asking:
            return AnswerDecision(seat=seat, choice=data.draw(st.sampled_from(asking.choices)))
        case AwaitingFunds(_, _, seat):
            # A player may be declined time and again; here twice in three times the money is there.
            held = data.draw(st.sampled_from([True, True, False]))
            return AnswerHold(seat=seat, bundle=2, held=held, reason="insufficient_funds")
        case AwaitingCommunity() as awaiting:
            return RevealCommunity(cards=shoe.deal(awaiting.street.community), burned=shoe.deal(awaiting.street.burned))
        case Showdown(play) if play.bonus_is_due:
            return DealBonus(cards=shoe.deal(play.game.bonus_cards))
        case _:
            return FinishRound()


def bet(data: st.DataObject, game: str) -> Table:
    """A table of that game at which one seat's wagers stand at least."""
    table = betting(game)
    seats = data.draw(some_seats)
    for seat in seats:
        table.do(PlaceWagers(seat=seat, player=f"p{seat}", stakes=legal_stakes(data, game)))
        held = seat == seats[0] or data.draw(st.booleans())
        table.do(AnswerHold(seat=seat, bundle=1, held=held, reason="" if held else "insufficient_funds"))
    return table


def play_to_the_end(data: st.DataObject, game: str) -> Table:
    table = bet(data, game)
    shoe = Shoe(data.draw(st.permutations(sorted(CARDS))))
    while not isinstance(table.state, Finished):
        if data.draw(st.integers(0, 19)) == 0:
            seat = data.draw(st.sampled_from(table.state.play.seats))
            if seat.forfeited is None:
                table.do(ForfeitSeat(seat=seat.seat, reason="late", floorperson=FLOORPERSON))
                continue
        table.do(legal_command(data, table, shoe))
    return table


@pytest.mark.parametrize("game", sorted(GAMES))
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_legal_play_reaches_the_end_and_settles_with_every_card_once_and_every_wager_accounted_for(game, data):
    table = play_to_the_end(data, game)
    frame, finished = GAMES[game], finished_round(table.state)

    hands = [card for seat in finished.seats for card in seat.cards]
    dealt = [*hands, *finished.dealer, *finished.community, *finished.burned, *finished.bonus]
    assert len(dealt) == len(set(dealt))
    assert len(finished.dealer) == frame.dealer_cards
    assert len(finished.community) == frame.community_cards
    assert len(finished.burned) == frame.burn_cards

    # Every stake that was placed and not declined is at risk in the finished round, and nothing else.
    placed: dict[tuple[int, int], dict[str, int]] = {}
    for event in table.events:
        if isinstance(event, WagersPlaced):
            placed[event.seat, event.bundle] = {stake.wager: stake.stake for stake in event.stakes}
        if isinstance(event, WagersDeclined):
            del placed[event.seat, event.bundle]
    at_risk = {seat.seat: stakes_of(frame, seat) for seat in finished.seats}
    assert at_risk == {
        seat: {wager: stakes[wager] for wager in frame.wagers if wager in stakes}
        for (seat, bundle), first in placed.items()
        if bundle == 1
        for stakes in [first | placed.get((seat, 2), {})]
    }

    settled = settle(finished)
    assert {seat.seat: {line.wager: line.stake for line in seat.lines} for seat in settled.seats} == at_risk

    closed = next(event for event in table.events if isinstance(event, BettingClosed))
    assert sum(count.total for count in closed.wagers) == sum(
        stake for (_, bundle), stakes in placed.items() if bundle == 1 for stake in stakes.values()
    )


@pytest.mark.parametrize("game", sorted(GAMES))
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_seats_answer_clockwise_on_every_street_and_fall_silent_after_a_bet_a_fold_or_a_forfeit(game, data):
    table = play_to_the_end(data, game)
    frame = GAMES[game]
    spoken: list[int] = []
    silent: set[int] = set()
    for event in table.events:
        match event:
            case DecisionMade(seat=seat, choice=choice):
                assert seat not in silent
                spoken.append(seat)
                if choice == "fold" or choice in frame.play_multiple:
                    silent.add(seat)
            case WagersDeclined(seat=seat, bundle=2):
                silent.discard(seat)
                spoken.pop()
            case SeatForfeited(seat=seat):
                silent.add(seat)
            case HandsDealt():
                spoken.clear()
            case _ if event.type_name.endswith("CommunityDealt"):
                assert all(earlier < later for earlier, later in pairwise(spoken))
                spoken.clear()
    for seat in finished_round(table.state).seats:
        assert len(seat.decisions) <= len(frame.streets)
        assert seat.forfeited is not None or seat.decisions[-1] in ("fold", *frame.play_multiple)


@pytest.mark.parametrize("game", sorted(GAMES))
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_command_at_any_time_is_refused_with_reasons_or_brings_events_that_the_round_can_follow(game, data):
    table = bet(data, game)
    shoe = Shoe(data.draw(st.permutations(sorted(CARDS))))
    for _ in range(data.draw(st.integers(0, 25))):
        if isinstance(table.state, Finished | Voided):
            break
        command = data.draw(any_command) if data.draw(st.booleans()) else legal_command(data, table, shoe)
        before = table.state
        answer = decide(before, command)
        if isinstance(answer, Refusal):
            assert answer.code
            assert answer.field
            assert answer.message
            assert evolve_all(table.events) == before
            continue
        assert answer
        for event in answer:
            table.state = evolve(table.state, event)
            table.events.append(event)
    assert evolve_all(table.events) == table.state
    assert evolve_stored(stored(table.events)) == table.state


@pytest.mark.parametrize("game", sorted(GAMES))
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_a_legal_command_with_one_thing_wrong_is_refused_and_so_is_the_same_command_twice(game, data):
    table = bet(data, game)
    shoe = Shoe(data.draw(st.permutations(sorted(CARDS))))
    while not isinstance(table.state, Finished):
        command = legal_command(data, table, shoe)
        for wrong in wrong_versions(command, table.state.play):
            assert isinstance(decide(table.state, wrong), Refusal), wrong
        table.do(command)
        if not isinstance(command, AnswerDecision | RevealCommunity):
            assert isinstance(decide(table.state, command), Refusal), command
        if isinstance(command, RevealCommunity):
            # The same cards again: whatever comes next, they are dealt.
            assert isinstance(decide(table.state, command), Refusal), command


def wrong_versions(command: RoundCommand, play: Play) -> list[RoundCommand]:
    other_seat = next(seat for seat in range(1, 8) if seat != getattr(command, "seat", None))
    seen = sorted(play.cards)
    match command:
        case AnswerDecision():
            words = {"check", "1x", "2x", "3x", "4x", "flop", "fold", "raise", ""}
            allowed = {choice for street in play.stops for choice in street.choices}
            return [
                command.model_copy(update={"seat": other_seat}),
                *(command.model_copy(update={"choice": word}) for word in sorted(words - allowed)),
            ]
        case AnswerHold():
            return [
                command.model_copy(update={"seat": other_seat}),
                command.model_copy(update={"bundle": 3 - command.bundle}),
            ]
        case DealHands():
            first = command.hands[0]
            return [
                command.model_copy(update={"hands": command.hands[1:]}),
                command.model_copy(update={"hands": (first, *command.hands)}),
                *(
                    command.model_copy(
                        update={"hands": (first.model_copy(update={"cards": cards}), *command.hands[1:])}
                    )
                    for cards in broken(first.cards, [])
                ),
            ]
        case RevealCommunity() | DealBonus():
            return [command.model_copy(update={"cards": cards}) for cards in broken(command.cards, seen)]
        case _:
            return []


def broken(cards: tuple[str, ...], seen: list[str]) -> list[tuple[str, ...]]:
    spare = next(card for card in sorted(CARDS) if card not in cards and card not in seen)
    return [
        cards[1:],
        (*cards, spare),
        ("1x", *cards[1:]),
        *([(*cards[:-1], cards[0])] if len(cards) > 1 else []),
        *([(seen[0], *cards[1:])] if seen else []),
    ]
