"""Flop Poker: 58 Pa. Code Chapter 583."""

from collections.abc import Iterator, Mapping

from pitstream.events.settlements import Line, SeatSettlement
from pitstream.games.game import Game, Seat, Street
from pitstream.games.hands import JACKS, five_card_rows, is_pair_or_better, three_card_rows, three_plus_two_value
from pitstream.games.lines import Table, lose, pay_or_lose, seat_lines, settled
from pitstream.games.paytable import Paytable

GAME = Game(
    name="flop_poker",
    title="Flop Poker",
    hole_cards=3,
    dealer_cards=0,
    streets=(Street("deal", community=0, burned=0, choices=("flop", "fold"), rule="583.11(b)"),),
    showdown=Street("flop", community=3, burned=1, choices=(), rule="583.11(c)"),
    bonus_cards=0,
    bonus_wager=None,
    wagers=("three_card_bonus", "ante", "flop", "pot"),
    required=("ante", "pot"),
    equal_to_ante=(),
    same_for_all=("pot",),
    without_paytable=("pot",),
    play="flop",
    play_multiple={"flop": 1},
    lost_by_fold={"ante": "583.11(b)"},
    forfeit_rule="policy: forfeited seat",
    options={"three_card_wheel": frozenset({"true", "false"})},
)


def settle(table: Table) -> Iterator[SeatSettlement]:
    """Every seat from the dealer's right; the Pot after every other bet of the table: 583.11(d), (e)."""
    hands = {seat.seat: three_plus_two_value(seat.cards, table.round.community) for seat in table.round.seats}
    pot = _share_pot(table, hands)
    for seat in table.from_the_dealers_right():
        yield _settle_seat(table, seat, hands[seat.seat], pot)


def _settle_seat(table: Table, seat: Seat, hand: int, pot: Mapping[int, int]) -> SeatSettlement:
    """``hand``: the best of all three own cards and exactly two of the board's three."""

    def settle_wager(wager: str, stake: int) -> Line:
        match wager:
            case "three_card_bonus":
                wheel = table.round.options.get("three_card_wheel") != "false"
                rows = three_card_rows(seat.cards, wheel=wheel)
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


def _share_pot(table: Table, hands: Mapping[int, int]) -> Mapping[int, int]:
    """Seat -> its share of all Pot stakes, minor units: the best hand's, folded ones too: 583.11(b), (e).

    Identical hands split evenly; odd units go one each to the winners from the dealer's left (policy). A forfeited
    seat's stake stays in the Pot, which it cannot win (policy); if every seat is forfeited, nobody does.
    """
    contenders = sorted(seat.seat for seat in table.round.seats if seat.forfeited is None)
    if not contenders:
        return {}
    best = max(hands[seat] for seat in contenders)
    winners = [seat for seat in contenders if hands[seat] == best]
    share, odd_units = divmod(sum(seat.wagers["pot"] for seat in table.round.seats), len(winners))
    return {seat: share + (place < odd_units) for place, seat in enumerate(winners)}
