"""How a wager's line is written: one constructor an outcome, and what all games do alike around them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from pitstream.events.model import made
from pitstream.events.settlements import Award, Line, Outcome, PaidFrom, SeatSettlement, Share
from pitstream.games.game import FinishedRound, Game, Seat, stakes_of
from pitstream.games.odds import PUSH, Meters, MeterShare, Prize, winnings
from pitstream.games.paytable import Paytable

# Not checked a second time: stakes were when they were read, and odds are bounded so that no prize leaves 64 bits. A
# test checks what is made here for random rounds.
_LINE_FIELDS, _SEAT_FIELDS = set(Line.model_fields), set(SeatSettlement.model_fields)


def _line(
    wager: str,
    stake: int,
    outcome: Outcome,
    returned: int,
    won: int,
    rule: str,
    share: Share | None = None,
    paid_from: PaidFrom | None = None,
) -> Line:
    fields = {
        "wager": wager,
        "stake": stake,
        "outcome": outcome,
        "returned": returned,
        "won": won,
        "rule": rule,
        "share": share,
        "paid_from": paid_from,
        "awaits_validation": False,
    }
    return made(Line, fields, _LINE_FIELDS)


# An evening's lost and pushed lines are the same few again and again, and frozen.
@lru_cache(maxsize=4096)
def lose(wager: str, stake: int, rule: str) -> Line:
    return _line(wager, stake, "lose", 0, 0, rule)


@lru_cache(maxsize=4096)
def push(wager: str, stake: int, rule: str) -> Line:
    return _line(wager, stake, "push", stake, 0, rule)


def void(wager: str, stake: int) -> Line:
    return _line(wager, stake, "void", stake, 0, "policy: void round")


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
        won = 0 if meters is None else meters.take(prize)
        share = Share(meter=prize.meter, percent=prize.percent)
        return _line(paytable.wager, stake, "win", 0, won, rule, share, "meter")
    returned = stake if paytable.basis == "to 1" else 0
    return _line(paytable.wager, stake, "win", returned, winnings(stake, prize), rule, None, paid_from)


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

    stakes = stakes_of(game, seat).items()
    if seat.forfeited is not None:
        return tuple(_line(wager, stake, "forfeit", 0, 0, game.forfeit_rule) for wager, stake in stakes)
    lost = game.lost_by_fold if seat.folded else {}
    return tuple(
        lose(wager, stake, lost[wager]) if wager in lost else settle_wager(wager, stake) for wager, stake in stakes
    )


def envy_awards(seat: Seat, envied: Envied, rule: str) -> Iterator[Award]:
    """One award for each other seat: never for the own hand."""
    for other, times in envied:
        if other != seat.seat:
            yield Award(award="envy", amount=times * seat.wagers["progressive"], for_seat=other, rule=rule)


def settled(seat: Seat, lines: tuple[Line, ...], awards: tuple[Award, ...] = ()) -> SeatSettlement:
    # A record's player may carry an id that the contract's stricter pattern refuses.
    fields = {"seat": seat.seat, "player": seat.player, "lines": lines, "awards": awards}
    return made(SeatSettlement, fields, _SEAT_FIELDS)
