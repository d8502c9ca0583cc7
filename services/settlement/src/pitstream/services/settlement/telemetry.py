"""What the service counts of rounds: how many it settled, and what they came to."""

from collections.abc import Sequence

from pitstream.events import Event
from pitstream.events.settlements import RoundResettled, RoundSettled
from pitstream.runtime.metrics import Tallies
from pitstream.runtime.telemetry import Metric

GAME = "pitstream.game"
OUTCOME = "pitstream.round.outcome"
CURRENCY = "pitstream.currency"

ROUNDS = Metric("pitstream.rounds.settled", "counter", "{round}", "by game; played or void", (GAME, OUTCOME))
CORRECTED = Metric("pitstream.rounds.corrected", "counter", "{correction}", "results that were settled anew", (GAME,))
HANDLE = Metric("pitstream.handle", "counter", "{minor_unit}", "staked in rounds that were played", (GAME, CURRENCY))
RETURNED = Metric(
    "pitstream.returned",
    "counter",
    "{minor_unit}",
    "what of it came back, with winnings and awards; shares of a meter are left out. Handle less this is the win",
    (GAME, CURRENCY),
)
METRICS = (ROUNDS, CORRECTED, HANDLE, RETURNED)

_sums = Tallies(*METRICS)


def count(events: Sequence[Event]) -> None:
    """Results as they were first settled; what a correction changes is in the day's report."""
    for event in events:
        match event:
            case RoundSettled():
                _sums.add(ROUNDS, 1, event.game, "void" if event.void else "played")
                if not event.void:
                    lines = [line for seat in event.seats for line in seat.lines]
                    awards = sum(award.amount for seat in event.seats for award in seat.awards)
                    _sums.add(HANDLE, sum(line.stake for line in lines), event.game, event.currency)
                    back = sum(line.returned + line.won for line in lines) + awards
                    _sums.add(RETURNED, back, event.game, event.currency)
            case RoundResettled():
                _sums.add(CORRECTED, 1, event.game)
            case _:
                pass
    _sums.tell()
