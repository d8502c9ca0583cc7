"""How a wager's line is written: one constructor an outcome, and what all games do alike around them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from pitstream.events.settlements import Award, Line, PaidFrom, SeatSettlement, Share
from pitstream.games.game import FinishedRound, Game, Seat, stakes_of
from pitstream.games.odds import PUSH, Meters, MeterShare, Prize, winnings
from pitstream.games.paytable import Paytable


# An evening's lost and pushed lines are the same few again and again, and frozen: remembering them makes settling a
# file a fifth faster.
@lru_cache(maxsize=4096)
def lose(wager: str, stake: int, rule: str) -> Line:
    return Line(wager=wager, stake=stake, outcome="lose", returned=0, won=0, rule=rule)


@lru_cache(maxsize=4096)
def push(wager: str, stake: int, rule: str) -> Line:
    return Line(wager=wager, stake=stake, outcome="push", returned=stake, won=0, rule=rule)


def void(wager: str, stake: int) -> Line:
    return Line(wager=wager, stake=stake, outcome="void", returned=stake, won=0, rule="policy: void round")


def pay(
    paytable: Paytable,
    stake: int,
    prize: Prize,
    rule: str,
    *,
    meters: Meters | None = None,
    paid_from: PaidFrom | None = None,
) -> Line:
    """A winning line of ``paytable``'s wager, or a push where that is the prize.

    "x to 1" gives the stake back; for "x for 1" and for a share of a meter it was taken when the bet was accepted.
    Without ``meters`` a share is a claim: ``won`` is 0 until whoever keeps the meter has fixed its amount.
    """
    if prize == PUSH:
        return push(paytable.wager, stake, rule)
    if isinstance(prize, MeterShare):
        return Line(
            wager=paytable.wager,
            stake=stake,
            outcome="win",
            returned=0,
            won=0 if meters is None else meters.take(prize),
            rule=rule,
            share=Share(meter=prize.meter, percent=prize.percent),
            paid_from="meter",
        )
    return Line(
        wager=paytable.wager,
        stake=stake,
        outcome="win",
        returned=stake if paytable.basis == "to 1" else 0,
        won=winnings(stake, prize),
        rule=rule,
        paid_from=paid_from,
    )


def pay_or_lose(
    paytable: Paytable, stake: int, rows: tuple[str, ...], *, win: str, lost: str, meters: Meters | None = None
) -> Line:
    """A bet on a rank alone: the row that the hand fits pays (cites ``win``), without one it loses (``lost``)."""
    prize = paytable.prize(rows)
    if prize is None:
        return lose(paytable.wager, stake, lost)
    return pay(paytable, stake, prize, win, meters=meters)


Envied = list[tuple[int, int]]
"""Seats whose hand earns the others an envy bonus, ascending: (seat, times the holder's own stake)."""


@dataclass(frozen=True, slots=True)
class Table:
    """A finished round on its way through a game's settlement."""

    round: FinishedRound
    game: Game
    paytables: Mapping[str, Paytable]
    """Wager -> the paytable that it is offered with."""
    meters: Meters | None
    """None: shares of a meter stay claims."""

    def policy(self, name: str) -> str:
        """The policy's value in force."""
        return self.round.options.get(name, self.game.policies[name])

    def from_the_dealers_right(self) -> list[Seat]:
        """Every seat in settling order: counterclockwise, the highest first."""
        return sorted(self.round.seats, key=lambda seat: -seat.seat)


def seat_lines(game: Game, seat: Seat, settle_wager: Callable[[str, int], Line]) -> tuple[Line, ...]:
    """A seat's lines in line order: lost as a whole when forfeited, lost by a fold, or settled by the game."""

    def line(wager: str, stake: int) -> Line:
        if seat.forfeited is not None:
            return Line(wager=wager, stake=stake, outcome="forfeit", returned=0, won=0, rule=game.forfeit_rule)
        if seat.folded and wager in game.lost_by_fold:
            return lose(wager, stake, game.lost_by_fold[wager])
        return settle_wager(wager, stake)

    return tuple(line(wager, stake) for wager, stake in stakes_of(game, seat).items())


def envy_awards(seat: Seat, envied: Envied, rule: str) -> Iterator[Award]:
    """One award for each other seat: never for the own hand."""
    for other, times in envied:
        if other != seat.seat:
            yield Award(award="envy", amount=times * seat.wagers["progressive"], for_seat=other, rule=rule)


def settled(seat: Seat, lines: tuple[Line, ...], awards: tuple[Award, ...] = ()) -> SeatSettlement:
    # A record's player may carry an id that the contract's stricter pattern refuses; nothing else is left unchecked,
    # since lines and awards checked themselves.
    return SeatSettlement.model_construct(seat=seat.seat, player=seat.player, lines=lines, awards=awards)
