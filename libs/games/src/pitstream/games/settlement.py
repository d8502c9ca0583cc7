"""What every wager of a finished round comes to: pure, the same live, in replay, in the audit and for records."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pitstream.events.settlements import Line, SeatSettlement
from pitstream.games.game import FinishedRound, Game, Seat, stakes_of
from pitstream.games.lines import Table, settled, void
from pitstream.games.odds import Meters
from pitstream.games.paytables import Paytables, bundled
from pitstream.games.registry import rules_of

RULES_VERSION: Final = "2"
"""Recorded with every round. It rises whenever the settlement of any possible round changes."""
RULES_VERSIONS: Final = ("1", RULES_VERSION)
"""Those that a round may still be judged by. Under "1" no prize waited for a floorperson but shares of meters."""


@dataclass(frozen=True, slots=True)
class RoundResult:
    """The settlement of one round."""

    seats: tuple[SeatSettlement, ...]
    """In seat order."""
    order: tuple[int, ...]
    """The seats that had a line open at the end of the round, as they are settled: from the dealer's right."""


def settle(
    finished: FinishedRound,
    paytables: Paytables | None = None,
    *,
    meters: Mapping[str, int] | None = None,
    seeds: Mapping[str, int] | None = None,
    rules_version: str = RULES_VERSION,
) -> RoundResult:
    """Settle a round by its game's rules.

    Without ``meters`` a share of a meter is a claim: its line has ``share`` and ``paid_from`` "meter" but ``won`` is 0
    until the progressive has locked it. With ``meters`` (minor units just before the payouts) the shares are taken one
    after the other, in settling order and within a seat in line order, rounded down; the whole of a meter leaves its
    seed. They are fixed while settling, not after it, because the Five Card Hand Bonus compares a share with the
    dealer's prize at that moment.

    ``rules_version`` is the one under which the round was dealt, of ``RULES_VERSIONS``.

    The round is taken as legal: its paytables exist, every required wager is there, every hand is complete unless the
    round is void. Raises ``MissingMeterError`` when a share is won of a meter that ``meters`` does not have.
    """
    rules = rules_of(finished.game)
    game = rules.game
    from_the_right = sorted(finished.seats, key=lambda seat: -seat.seat)
    if finished.void is not None:
        given_back = (
            settled(seat, tuple(void(wager, stake) for wager, stake in stakes_of(game, seat).items()))
            for seat in reversed(from_the_right)
        )
        return RoundResult(tuple(given_back), tuple(seat.seat for seat in from_the_right))
    known = paytables or bundled()
    table = Table(
        finished,
        game,
        {wager: known.named(game.name, wager, id_, finished.gaming_day) for wager, id_ in finished.paytables.items()},
        None if meters is None else Meters(meters, seeds or {}),
    )
    seats = sorted(rules.settle(table), key=lambda seat: seat.seat)
    if rules_version != "1":
        seats = [_with_validation(game, seat) for seat in seats]
    return RoundResult(tuple(seats), tuple(seat.seat for seat in from_the_right if has_open_line(game, seat)))


def _with_validation(game: Game, seat: SeatSettlement) -> SeatSettlement:
    """The seat with the marks on what waits for a floorperson; nearly always there is nothing."""
    lines = {at: line for at, line in enumerate(seat.lines) if line.won and _waits(game, line)}
    awards = {at: award for at, award in enumerate(seat.awards) if award.award in game.validations}
    if not lines and not awards:
        return seat
    mark = {"awaits_validation": True}
    return seat.model_copy(
        update={
            "lines": tuple(line.model_copy(update=mark) if at in lines else line for at, line in enumerate(seat.lines)),
            "awards": tuple(
                award.model_copy(update=mark) if at in awards else award for at, award in enumerate(seat.awards)
            ),
        }
    )


def _waits(game: Game, line: Line) -> bool:
    validation = game.validations.get(line.wager)
    if validation is None or line.share is not None:
        return False
    return line.returned + line.won >= validation.from_times * line.stake


def has_open_line(game: Game, seat: Seat) -> bool:
    """Whether a wager is still to settle at the end: not at a forfeited seat, nor when the fold lost them all."""
    if seat.forfeited is not None:
        return False
    return not seat.folded or any(wager not in game.lost_by_fold for wager in seat.wagers)
