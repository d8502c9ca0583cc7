"""What each wager of a settled round came to at the whole table, as the table's own books have it."""

from dataclasses import dataclass

from pitstream.events.settlements import RoundResettled, RoundSettled, pot_wagers


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


def wagers_of(settled: RoundSettled) -> list[WagerOutcome]:
    """Wager by wager: bets and handle leave void wagers out; what a meter or the players' own Pot pays is not the
    table's. An award counts as paid with its own name, and without a bet."""
    found: dict[str, WagerOutcome] = {}
    pots = pot_wagers(settled.seats)
    for seat in settled.seats:
        for line in seat.lines:
            if line.outcome == "void" or line.wager in pots:
                continue
            outcome = found.setdefault(line.wager, WagerOutcome(line.wager))
            outcome.bets += 1
            outcome.handle += line.stake
            outcome.taken += line.stake - line.returned
            outcome.paid += line.won
            outcome.squares += line.stake * line.stake
        for award in seat.awards:
            if award.amount:
                found.setdefault(award.award, WagerOutcome(award.award)).paid += award.amount
    return list(found.values())


def differences_of(resettled: RoundResettled) -> list[WagerOutcome]:
    """Wager by wager, what a correction added to its sums, squares left out; negative where it took something off."""
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
        )
        if change != WagerOutcome(wager):
            found.append(change)
    return found
