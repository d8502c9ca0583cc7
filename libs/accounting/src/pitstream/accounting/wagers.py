"""What each wager of a settled round came to at the whole table, as the table's own books have it."""

from dataclasses import dataclass
from typing import Final

from pitstream.events.settlements import RoundResettled, RoundSettled, SeatSettlement, pot_wagers

ANTE: Final = "ante"
_OUT: Final = ("void", "forfeit")


@dataclass(slots=True)
class WagerOutcome:
    """What one wager of a round came to at the whole table, minor units."""

    wager: str
    bets: int = 0
    handle: int = 0
    taken: int = 0
    paid: int = 0
    squares: int = 0
    """Squared stakes, summed: what the variance of the win goes by."""
    with_ante: int = 0
    """Stakes times the Ante at the same seat, summed: what the covariance with the main game goes by. The Ante's own is
    0."""
    exposure: int = 0
    """Of an award: the stakes that it hangs on. A wager's is its handle, and this 0."""
    beside: int = 0
    """Stakes times the other hands at the table, summed: what is paid for those hands hangs on it."""
    squares_beside: int = 0
    """The same of squared stakes."""


def wagers_of(settled: RoundSettled) -> list[WagerOutcome]:
    """Wager by wager: bets and handle leave void wagers out; what a meter or the players' own Pot pays is not the
    table's. An award counts as paid with its own name, and without a bet."""
    found: dict[str, WagerOutcome] = {}
    pots = pot_wagers(settled.seats)
    hands = sum(_is_in(seat) for seat in settled.seats)
    for seat in settled.seats:
        ante = sum(line.stake for line in seat.lines if line.wager == ANTE and line.outcome not in _OUT)
        others = hands - 1 if _is_in(seat) else 0
        for line in seat.lines:
            if line.outcome == "void" or line.wager in pots:
                continue
            outcome = found.setdefault(line.wager, WagerOutcome(line.wager))
            outcome.bets += 1
            outcome.handle += line.stake
            outcome.taken += line.stake - line.returned
            outcome.paid += line.won
            outcome.squares += line.stake * line.stake
            outcome.with_ante += 0 if line.wager == ANTE else line.stake * ante
            outcome.beside += line.stake * others
            outcome.squares_beside += line.stake * line.stake * others
        for award in seat.awards:
            if award.amount:
                found.setdefault(award.award, WagerOutcome(award.award)).paid += award.amount
    return list(found.values())


def _is_in(seat: SeatSettlement) -> bool:
    """Whether a hand was played to its end, a fold too."""
    return any(line.outcome not in _OUT for line in seat.lines)


def differences_of(resettled: RoundResettled) -> list[WagerOutcome]:
    """Wager by wager, what a correction added to its sums, ``beside`` among them, other products of stakes not;
    negative where it took something off."""
    was, becomes = (
        {one.wager: one for one in wagers_of(settled)} for settled in (resettled.superseded, resettled.in_force)
    )
    nothing = WagerOutcome("")
    found = []
    for wager in dict.fromkeys((*was, *becomes)):
        before, after = was.get(wager, nothing), becomes.get(wager, nothing)
        change = WagerOutcome(
            wager,
            after.bets - before.bets,
            after.handle - before.handle,
            after.taken - before.taken,
            after.paid - before.paid,
            beside=after.beside - before.beside,
        )
        if change != WagerOutcome(wager):
            found.append(change)
    return found
