"""Raise It Up Stud: 58 Pa. Code Chapter 669a."""

from collections.abc import Iterator

from pitstream.events.settlements import Line, SeatSettlement
from pitstream.games.game import Game, Seat, Street
from pitstream.games.hands import TENS, five_card_rows, five_card_value, is_pair_or_better, three_card_rows
from pitstream.games.lines import Envied, Table, envy_awards, lose, pay_or_lose, seat_lines, settled
from pitstream.games.paytable import Paytable

GAME = Game(
    name="raise_it_up_stud",
    title="Raise It Up Stud",
    hole_cards=3,
    dealer_cards=0,
    streets=(
        Street("third_street", community=0, burned=0, choices=("check", "1x", "2x", "3x"), rule="669a.11(b)"),
        Street("fourth_street", community=1, burned=0, choices=("check", "1x", "2x"), rule="669a.11(d)"),
        Street("fifth_street", community=1, burned=0, choices=("1x", "fold"), rule="669a.11(f)"),
    ),
    showdown=Street("sixth_street", community=1, burned=0, choices=(), rule="669a.11(h)"),
    bonus_cards=0,
    bonus_wager=None,
    wagers=("pair_plus", "ante", "blind", "play", "progressive", "six_card"),
    required=("ante", "blind"),
    equal_to_ante=("blind",),
    same_for_all=(),
    without_paytable=(),
    play="play",
    play_multiple={"1x": 1, "2x": 2, "3x": 3},
    lost_by_fold={"ante": "669a.11(f)", "blind": "669a.11(f)", "progressive": "669a.11(g)"},
    forfeit_rule="669a.11(a)(3)",
    options={"three_card_wheel": frozenset({"true", "false"}), "play_wagers": frozenset({"one"})},
)


def settle(table: Table) -> Iterator[SeatSettlement]:
    """Every seat from the dealer's right, each completely before the next: 669a.11(i)."""
    envied = _envied(table)
    for seat in table.from_the_dealers_right():
        yield _settle_seat(table, seat, envied)


def _settle_seat(table: Table, seat: Seat, envied: Envied) -> SeatSettlement:
    best = five_card_value(seat.cards + table.round.community)

    def settle_wager(wager: str, stake: int) -> Line:
        paytable = table.paytables[wager]
        match wager:
            case "pair_plus":
                rows = _own_three(table, seat)
                return pay_or_lose(paytable, stake, rows, win="669a.11(i)(1)", lost="669a.11(i)(1)")
            case "ante" | "blind" | "play":
                return _settle_main(paytable, stake, best)
            case "progressive":
                return pay_or_lose(
                    paytable,
                    stake,
                    _own_three(table, seat),
                    win="669a.11(i)(3)(i)(D)",
                    lost="669a.11(i)(3)(i)",
                    meters=table.meters,
                )
            case "six_card":
                rows = five_card_rows(best)
                return pay_or_lose(paytable, stake, rows, win="669a.11(i)(3)(ii)", lost="669a.11(i)(3)(ii)")
        raise ValueError(f"wager was {wager!r}; allowed: {', '.join(GAME.wagers)}")

    lines = seat_lines(GAME, seat, settle_wager)
    # A folded player keeps the right to receive envy: 669a.11(g).
    receives = seat.forfeited is None and "progressive" in seat.wagers
    awards = tuple(envy_awards(seat, envied, rule="669a.11(i)(3)(i)(E)")) if receives else ()
    return settled(seat, lines, awards)


def _settle_main(paytable: Paytable, stake: int, best: int) -> Line:
    """Ante, Blind and Play on the best five of six: a pair of tens or better wins all three."""
    if not is_pair_or_better(best, TENS):
        return lose(paytable.wager, stake, "669a.11(i)(2)(i)")
    # Every table for these three reaches down to a pair of tens; where a Blind's says "push", it pushes.
    return pay_or_lose(paytable, stake, five_card_rows(best), win="669a.11(i)(2)(ii)", lost="669a.11(i)(2)(i)")


def _own_three(table: Table, seat: Seat) -> tuple[str, ...]:
    """The rows that the player's own three cards fit."""
    return three_card_rows(seat.cards, wheel=table.round.options.get("three_card_wheel") != "false")


def _envied(table: Table) -> Envied:
    """Seats whose own three cards earn the others an envy bonus.

    A folded hand still does (policy) when its cards were left on the table under a Progressive or Six Card wager,
    669a.11(f); a forfeited one never.
    """
    if "progressive" not in table.paytables:
        return []
    return [
        (seat.seat, times)
        for seat in reversed(table.from_the_dealers_right())
        if seat.forfeited is None
        and (not seat.folded or "progressive" in seat.wagers or "six_card" in seat.wagers)
        and (times := table.paytables["progressive"].envy_times(_own_three(table, seat)))
    ]
