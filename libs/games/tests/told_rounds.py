"""Finished rounds told in a line or two, and what a seat's wagers came to as plain tuples."""

from collections.abc import Mapping

from pitstream.games.game import FinishedRound, Seat
from pitstream.games.settlement import RoundResult

HOLDEM_TABLES = {
    "ante": "A",
    "blind": "A",
    "play": "A",
    "trips": "A",
    "bad_beat": "C",
    "progressive": "sister-A",
    "five_card": "house-1",
    "six_card": "published-1",
    "play_the_board": "A",
    "ultimate_pairs": "house-1",
}
FLOP_TABLES = {"ante": "A", "flop": "NJ", "three_card_bonus": "NJ"}
STUD_TABLES = {
    "ante": "published-1",
    "blind": "published-1",
    "play": "published-1",
    "pair_plus": "published-1",
    "progressive": "house-1",
    "six_card": "published-1",
}

Came = tuple[str, int, int, str]
"""(outcome, returned, won, rule)."""


def seat(number: int, cards: str, decisions: str, *, forfeited: str | None = None, **wagers: int) -> Seat:
    """``seat(2, "As Ks", "check 2x", ante=1000, blind=1000)``."""
    return Seat(number, f"p{number}", tuple(cards.split()), wagers, tuple(decisions.split()), forfeited)


def holdem(
    community: str,
    dealer: str,
    *seats: Seat,
    bonus: str = "",
    paytables: Mapping[str, str] | None = None,
    options: Mapping[str, str] | None = None,
    void: str | None = None,
) -> FinishedRound:
    return FinishedRound(
        game="ultimate_texas_holdem",
        gaming_day="2025-06-01",
        currency="USD",
        paytables={**HOLDEM_TABLES, **(paytables or {})},
        options=options or {},
        dealer=tuple(dealer.split()),
        community=tuple(community.split()),
        burned=(),
        bonus=tuple(bonus.split()),
        seats=seats,
        void=void,
    )


def without_dealer(
    game: str, community: str, *seats: Seat, options: Mapping[str, str] | None = None, void: str | None = None
) -> FinishedRound:
    """A round of Flop Poker or Raise It Up Stud."""
    return FinishedRound(
        game=game,
        gaming_day="2025-06-01",
        currency="USD",
        paytables=FLOP_TABLES if game == "flop_poker" else STUD_TABLES,
        options=options or {},
        dealer=(),
        community=tuple(community.split()),
        burned=(),
        bonus=(),
        seats=seats,
        void=void,
    )


def flop_poker(community: str, *seats: Seat, void: str | None = None) -> FinishedRound:
    return without_dealer("flop_poker", community, *seats, void=void)


def stud(community: str, *seats: Seat, options: Mapping[str, str] | None = None) -> FinishedRound:
    return without_dealer("raise_it_up_stud", community, *seats, options=options)


def lines_of(result: RoundResult, number: int) -> dict[str, Came]:
    """Wager -> what it came to at that seat, in line order."""
    (found,) = [seat for seat in result.seats if seat.seat == number]
    return {line.wager: (line.outcome, line.returned, line.won, line.rule) for line in found.lines}


def awards_of(result: RoundResult, number: int) -> list[tuple[str, int, int | None, str | None]]:
    """(award, amount, for_seat, paid_from) in order."""
    (found,) = [seat for seat in result.seats if seat.seat == number]
    return [(award.award, award.amount, award.for_seat, award.paid_from) for award in found.awards]
