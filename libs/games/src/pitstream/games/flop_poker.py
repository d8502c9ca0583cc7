"""Flop Poker: 58 Pa. Code Chapter 583."""

from collections.abc import Iterator, Mapping

from pitstream.events.settlements import Award, Line, SeatSettlement
from pitstream.games.game import POLICIES_OF_EVERY_GAME, FinishedRound, Game, Seat, Street, policy
from pitstream.games.hands import (
    JACKS,
    THREE_CARD_ROWS,
    five_card_rows,
    is_pair_or_better,
    is_wheel,
    three_card_rows,
    three_plus_two_value,
)
from pitstream.games.lines import Table, lose, pay_or_lose, seat_lines, settled
from pitstream.games.paytable import Paytable


def _deciding(played: FinishedRound, seat: Seat, paid: Line | Award) -> tuple[str, ...]:
    match paid:
        case Line(wager="three_card_bonus") if is_wheel(seat.cards):
            return ("three_card_wheel",)
        case Line(wager="pot", outcome="win") if len(set(_share_pot(played, _hands(played)).values())) > 1:
            return ("odd_pot_units",)
        case _:
            return ()


GAME = Game(
    name="flop_poker",
    title="Flop Poker",
    hole_cards=3,
    dealer_cards=0,
    streets=(Street("deal", community=0, burned=0, choices=("flop", "fold"), rule="583.11(b)", wager="flop"),),
    showdown=Street("flop", community=3, burned=1, choices=(), rule="583.11(c)"),
    bonus_cards=0,
    bonus_wager=None,
    wagers=("three_card_bonus", "ante", "flop", "pot"),
    required=("ante", "pot"),
    equal_to_ante=(),
    same_for_all=("pot",),
    without_paytable=("pot",),
    play_multiple={"flop": 1},
    lost_by_fold={"ante": "583.11(b)"},
    forfeit_rule="policy: forfeited seat",
    options={
        "three_card_wheel": policy("true", "false"),
        # One each to the winners from the dealer's left.
        "odd_pot_units": policy("from_dealers_left"),
        **POLICIES_OF_EVERY_GAME,
    },
    rows={"three_card_bonus": THREE_CARD_ROWS},
    must_reach={"ante": "any", "flop": "pair_jacks_or_better"},
    reasons={
        ("583.11(b)", "lose"): "Player folded",
        ("583.11(d)(1)", "win"): "Player's own three cards are a pair or better",
        ("583.11(d)(1)", "lose"): "Player's own three cards are below a pair",
        ("583.11(d)(2)", "win"): "Three own cards and two of the board's make a pair of jacks or better",
        ("583.11(d)(2)", "lose"): "Three own cards and two of the board's make less than a pair of jacks",
        ("583.11(e)", "win"): "No hand at the table is higher",
        ("583.11(e)", "lose"): "Another hand at the table is higher",
    },
    deciding=_deciding,
)


def settle(table: Table) -> Iterator[SeatSettlement]:
    """Every seat from the dealer's right; the Pot after every other bet of the table: 583.11(d), (e)."""
    hands = _hands(table.round)
    pot = _share_pot(table.round, hands)
    for seat in table.from_the_dealers_right():
        yield _settle_seat(table, seat, hands[seat.seat], pot)


def _hands(played: FinishedRound) -> Mapping[int, int]:
    """Seat -> its best hand of all three own cards and exactly two of the board's three."""
    return {seat.seat: three_plus_two_value(seat.cards, played.community) for seat in played.seats}


def _settle_seat(table: Table, seat: Seat, hand: int, pot: Mapping[int, int]) -> SeatSettlement:
    """``hand``: the best of all three own cards and exactly two of the board's three."""

    def settle_wager(wager: str, stake: int) -> Line:
        match wager:
            case "three_card_bonus":
                rows = three_card_rows(seat.cards, wheel=table.policy("three_card_wheel") == "true")
                return pay_or_lose(table.paytables[wager], stake, rows, win="583.11(d)(1)", lost="583.11(d)(1)")
            case "ante" | "flop":
                return _settle_ante_or_flop(table.paytables[wager], stake, hand)
            case "pot":
                return _settle_pot(stake, pot.get(seat.seat))
        raise ValueError(f"wager was {wager!r}; allowed: {', '.join(GAME.wagers)}")

    return settled(seat, seat_lines(GAME, seat, settle_wager))


def _settle_ante_or_flop(paytable: Paytable, stake: int, hand: int) -> Line:
    """A pair of jacks or better wins both; anything lower loses both."""
    if not is_pair_or_better(hand, JACKS):
        return lose(paytable.wager, stake, "583.11(d)(2)")
    return pay_or_lose(paytable, stake, five_card_rows(hand), win="583.11(d)(2)", lost="583.11(d)(2)")


def _settle_pot(stake: int, share: int | None) -> Line:
    """The Pot is the players' own money: a winner's share holds the stake, so nothing is "returned"."""
    if share is None:
        return lose("pot", stake, "583.11(e)")
    return Line(wager="pot", stake=stake, outcome="win", returned=0, won=share, rule="583.11(e)", paid_from="pot")


def _share_pot(played: FinishedRound, hands: Mapping[int, int]) -> Mapping[int, int]:
    """Seat -> its share of all Pot stakes, minor units: the best hand's, folded ones too: 583.11(b), (e).

    Identical hands split evenly; odd units go one each to the winners from the dealer's left (policy). A forfeited
    seat's stake stays in the Pot, which it cannot win (policy); if every seat is forfeited, nobody does.
    """
    contenders = sorted(seat.seat for seat in played.seats if seat.forfeited is None)
    if not contenders:
        return {}
    best = max(hands[seat] for seat in contenders)
    winners = [seat for seat in contenders if hands[seat] == best]
    share, odd_units = divmod(sum(seat.wagers["pot"] for seat in played.seats), len(winners))
    return {seat: share + (place < odd_units) for place, seat in enumerate(winners)}
