"""The sums that theoretical wins and their spread go by. Method: a settled round by hand."""

from pitstream.accounting.wagers import WagerOutcome, wagers_of
from pitstream.events.settlements import Award, Line, RoundSettled, SeatSettlement


def line(wager: str, stake: int, outcome: str = "lose", won: int = 0) -> Line:
    returned = stake if outcome == "void" else 0
    return Line(wager=wager, stake=stake, outcome=outcome, returned=returned, won=won, rule="1")


def settled(*seats: SeatSettlement) -> RoundSettled:
    return RoundSettled(
        table="t", round_no=1, round_id="r", game="raise_it_up_stud", gaming_day="2026-01-02", currency="USD",
        void=False, seats=seats, order=(), rules_version="1", closed_by="dealer",
    )  # fmt: skip


def test_stakes_stand_beside_the_ante_of_their_seat_and_the_other_hands() -> None:
    envy = Award(award="envy", amount=12_500, for_seat=1, rule="1")
    round_ = settled(
        SeatSettlement(seat=1, player="a", lines=(line("ante", 1000), line("progressive", 500)), awards=()),
        SeatSettlement(seat=2, player="b", lines=(line("ante", 2000), line("progressive", 300)), awards=(envy,)),
        SeatSettlement(
            seat=3, player="c", lines=(line("ante", 100, "forfeit"), line("progressive", 700, "forfeit")), awards=()
        ),
        SeatSettlement(seat=4, player="d", lines=(line("ante", 100, "void"),), awards=()),
    )
    ante, progressive, paid = wagers_of(round_)
    # A forfeited stake is handle; no hand is left there that envy is paid to or for, and a void one never was.
    assert (ante.with_ante, progressive.with_ante) == (0, 500 * 1000 + 300 * 2000)
    assert (progressive.handle, progressive.beside) == (1500, 500 + 300)
    assert progressive.squares_beside == 500**2 + 300**2
    assert paid == WagerOutcome("envy", paid=12_500)
