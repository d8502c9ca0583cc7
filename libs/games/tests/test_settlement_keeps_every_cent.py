"""Any round at all, settled: money goes nowhere but to players, table, meters, game accounts and the Pot.

Method: random legal rounds of each game, many from decks of high ranks alone so that prizes are frequent.
"""

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pitstream.events.settlements import SeatSettlement
from pitstream.games.game import CARDS, FinishedRound, Game, Seat, stakes_of
from pitstream.games.paytables import bundled
from pitstream.games.registry import GAMES
from pitstream.games.settlement import settle
from pitstream.games.totals import net_of

DECK = sorted(CARDS)
HIGH = [card for card in DECK if card[0] in "9TJQKA"]
METERS = {"main": 1_234_567, "mega": 5_000_001, "major": 700_003, "minor": 90_007}
SEEDS = {"main": 100_000, "minor": 7}


@st.composite
def finished_rounds(draw: st.DrawFn) -> FinishedRound:
    game = GAMES[draw(st.sampled_from(sorted(GAMES)))]
    numbers = sorted(draw(st.sets(st.integers(1, 7), min_size=1, max_size=4)))
    wanted = game.dealer_cards + game.community_cards + game.bonus_cards + game.hole_cards * len(numbers)
    deck = HIGH if wanted <= len(HIGH) and draw(st.booleans()) else DECK
    cards = iter(draw(st.permutations(deck))[:wanted])

    def some(count: int) -> tuple[str, ...]:
        return tuple(next(cards) for _ in range(count))

    offered = {
        wager: draw(st.sampled_from(bundled().ids(game.name, wager)))
        for wager in game.wagers
        if wager not in game.without_paytable
    }
    options = {
        name: draw(st.sampled_from(sorted(values.values)))
        for name, values in game.options.items()
        if draw(st.booleans())
    }
    pot = draw(st.integers(1, 1000))
    return FinishedRound(
        game=game.name,
        gaming_day="2025-06-01",
        currency="USD",
        paytables=offered,
        options=options,
        dealer=some(game.dealer_cards),
        community=some(game.community_cards),
        burned=(),
        bonus=some(game.bonus_cards),
        seats=tuple(draw(seats(game, number, some(game.hole_cards), pot)) for number in numbers),
        void=draw(st.sampled_from([None, None, None, None, "jam"])),
    )


@st.composite
def seats(draw: st.DrawFn, game: Game, number: int, cards: tuple[str, ...], pot: int) -> Seat:
    ante = draw(st.integers(1, 1000))
    wagers: dict[str, int] = {}
    for wager in game.placed_before_deal:
        if wager in game.same_for_all:
            wagers[wager] = pot
        elif wager == "ante" or wager in game.equal_to_ante:
            wagers[wager] = ante
        elif draw(st.booleans()):
            wagers[wager] = draw(st.integers(1, 1000))
    decisions: list[str] = []
    for street in game.streets:
        decisions.append(draw(st.sampled_from(street.choices)))
        if decisions[-1] == "fold" or decisions[-1] in game.play_multiple:
            break
    forfeited = draw(st.sampled_from([None, None, None, None, None, "talks"]))
    return Seat(number, f"p{number}", cards, wagers, tuple(decisions), forfeited)


def paid_by(seats: tuple[SeatSettlement, ...]) -> dict[str, int]:
    """What each purse gave, less what it took; minor units."""
    paid = {"table_inventory": 0, "meter": 0, "game_account": 0, "pot": 0}
    for seat in seats:
        for line in seat.lines:
            if line.wager == "pot":
                paid["pot"] += line.returned + line.won - line.stake
                continue
            paid["table_inventory"] += line.returned - line.stake
            paid[line.paid_from or "table_inventory"] += line.won
        for award in seat.awards:
            paid[award.paid_from or "table_inventory"] += award.amount
    return paid


@given(finished_rounds())
def test_what_players_win_is_what_the_purses_pay(played: FinishedRound):
    result = settle(played, meters=METERS, seeds=SEEDS)
    assert sum(net_of(seat) for seat in result.seats) == sum(paid_by(result.seats).values())


@given(finished_rounds())
def test_the_pot_goes_whole_to_the_players_who_may_win_it(played: FinishedRound):
    pot = paid_by(settle(played, meters=METERS, seeds=SEEDS).seats)["pot"]
    if played.void is None and all(seat.forfeited is not None for seat in played.seats):
        assert pot == -sum(seat.wagers.get("pot", 0) for seat in played.seats)
    else:
        assert pot == 0


@given(finished_rounds())
def test_meters_never_pay_more_than_they_hold_and_their_seeds(played: FinishedRound):
    paid = paid_by(settle(played, meters=METERS, seeds=SEEDS).seats)["meter"]
    assert 0 <= paid <= sum(METERS.values()) + len(played.seats) * 2 * sum(SEEDS.values())


@given(finished_rounds(), st.randoms())
def test_the_order_in_which_seats_are_told_changes_nothing(played: FinishedRound, random: Any):
    shuffled = list(played.seats)
    random.shuffle(shuffled)
    again = replace(played, seats=tuple(shuffled))
    assert settle(again, meters=METERS, seeds=SEEDS) == settle(played, meters=METERS, seeds=SEEDS)


@given(finished_rounds())
def test_every_wager_at_risk_has_one_line_in_line_order(played: FinishedRound):
    game = GAMES[played.game]
    result = settle(played, meters=METERS, seeds=SEEDS)
    assert [(seat.seat, [(line.wager, line.stake) for line in seat.lines]) for seat in result.seats] == [
        (seat.seat, list(stakes_of(game, seat).items())) for seat in played.seats
    ]


@given(finished_rounds())
def test_a_claimed_share_and_a_locked_one_are_the_same_lines_but_for_the_amount(played: FinishedRound):
    """Where a Five Card Hand Bonus may prefer the dealer's prize the two can differ; that wager is left out."""
    claimed, locked = settle(played), settle(played, meters=METERS, seeds=SEEDS)
    assert claimed.order == locked.order
    for ours, theirs in zip(claimed.seats, locked.seats, strict=True):
        assert ours.awards == theirs.awards
        assert [
            line.model_copy(update={"won": 0}) if line.share else line
            for line in theirs.lines
            if line.wager != "five_card"
        ] == [line for line in ours.lines if line.wager != "five_card"]
        assert all(line.won == 0 for line in ours.lines if line.share)


@given(finished_rounds())
def test_what_settlement_makes_without_a_second_check_would_pass_one(played: FinishedRound):
    for seat in settle(played, meters=METERS, seeds=SEEDS).seats:
        checked = SeatSettlement.model_validate(seat.model_dump())
        assert checked == seat
        assert checked.model_dump_json() == seat.model_dump_json()
