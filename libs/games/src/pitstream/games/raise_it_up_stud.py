"""Raise It Up Stud: 58 Pa. Code Chapter 669a."""

from collections.abc import Iterator

from pitstream.events.settlements import Award, Line, SeatSettlement
from pitstream.games.game import POLICIES_OF_EVERY_GAME, FinishedRound, Game, Seat, Street, Validation, policy
from pitstream.games.hands import (
    TENS,
    THREE_CARD_ROWS,
    five_card_rows,
    five_card_value,
    is_pair_or_better,
    is_wheel,
    three_card_rows,
)
from pitstream.games.lines import Envied, Table, envy_awards, lose, pay_or_lose, seat_lines, settled
from pitstream.games.paytable import Paytable


def _deciding(played: FinishedRound, seat: Seat, paid: Line | Award) -> tuple[str, ...]:
    if isinstance(paid, Award):
        return ("folded_envy",) if any(each.folded for each in played.seats if each.seat == paid.for_seat) else ()
    wheel = ("three_card_wheel",) if is_wheel(seat.cards) else ()
    match paid.wager:
        case "pair_plus":
            return (*(("folded_pair_plus",) if seat.folded else ()), *wheel)
        case "progressive" if not seat.folded:
            return wheel
        case _:
            return ()


GAME = Game(
    name="raise_it_up_stud",
    title="Raise It Up Stud",
    hole_cards=3,
    dealer_cards=0,
    streets=(
        Street(
            "third_street", community=0, burned=0, choices=("check", "1x", "2x", "3x"), rule="669a.11(b)", wager="play"
        ),
        Street("fourth_street", community=1, burned=0, choices=("check", "1x", "2x"), rule="669a.11(d)", wager="play"),
        Street("fifth_street", community=1, burned=0, choices=("1x", "fold"), rule="669a.11(f)", wager="play"),
    ),
    showdown=Street("sixth_street", community=1, burned=0, choices=(), rule="669a.11(h)"),
    bonus_cards=0,
    bonus_wager=None,
    wagers=("pair_plus", "ante", "blind", "play", "progressive", "six_card"),
    required=("ante", "blind"),
    equal_to_ante=("blind",),
    same_for_all=(),
    without_paytable=(),
    play_multiple={"1x": 1, "2x": 2, "3x": 3},
    lost_by_fold={"ante": "669a.11(f)", "blind": "669a.11(f)", "progressive": "669a.11(g)"},
    forfeit_rule="669a.11(a)(3)",
    # 669a.11(f): another player's envy may still hang on them.
    folded_cards_stay_under=("progressive",),
    options={
        "three_card_wheel": policy("true", "false"),
        # Both published descriptions: a player with a Play Wager is not asked again.
        "play_wagers": policy("one"),
        "folded_pair_plus": policy("stays"),
        # Those left on the table under a Progressive or Six Card wager: 669a.11(f).
        "folded_envy": policy("when_cards_stay"),
        # Two shares of meters in one round: who is settled first is locked first.
        "meter_order": policy("settling_order"),
        **POLICIES_OF_EVERY_GAME,
    },
    rows={"pair_plus": THREE_CARD_ROWS, "progressive": THREE_CARD_ROWS},
    must_reach={"ante": "any", "blind": "any", "play": "pair_tens_or_better"},
    awards={"envy": "progressive"},
    validations={
        # The text of (i)(3) names no amount; as 653a.11(l) does for its game.
        "progressive": Validation("policy: fixed progressive prizes as in 653a.11(l)", from_times=500),
        # Once the other seat's hand is validated.
        "envy": Validation("669a.11(i)(3)(i)(E)"),
    },
    titles={"six_card": "Six Card Bonus"},
    reasons={
        ("669a.11(f)", "lose"): "Player folded",
        ("669a.11(g)", "lose"): "Player folded",
        ("669a.11(i)(1)", "win"): "Player's own three cards are a pair or better",
        ("669a.11(i)(1)", "lose"): "Player's own three cards are below a pair",
        ("669a.11(i)(2)(i)", "lose"): "Player's best five of six is below a pair of tens",
        ("669a.11(i)(2)(ii)", "win"): "Player's best five of six is a pair of tens or better",
        ("669a.11(i)(2)(ii)", "push"): "Player's best five of six wins but is below the paytable",
        ("669a.11(i)(3)(i)(D)", "win"): "Player's own three cards are a straight or better",
        ("669a.11(i)(3)(i)", "lose"): "Player's own three cards are below a straight",
        ("669a.11(i)(3)(ii)", "win"): "Player's best five of six is three of a kind or better",
        ("669a.11(i)(3)(ii)", "lose"): "Player's best five of six is below three of a kind",
        ("669a.11(i)(3)(i)(E)", "envy"): "Seat {seat}'s own three cards are A-K-Q of one suit",
    },
    deciding=_deciding,
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
    return three_card_rows(seat.cards, wheel=table.policy("three_card_wheel") == "true")


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
