"""What the ledger's events say of its accounts: each transfer gives from one and receives at another. Pure."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pitstream.events import Event, Recorded
from pitstream.events.corrections import SeatCorrected
from pitstream.events.wallet import AccountOpened, SeatPosted, Transfer


@dataclass(slots=True)
class Moved:
    """What a batch of ``wallet.v1`` adds: to each account, and when a round's seats were posted."""

    accounts: dict[str, list[int]] = field(default_factory=dict)
    """Account -> what came to it, less what left it; and the time of the last event about it."""
    posted: dict[tuple[str, int], int] = field(default_factory=dict)


def moved(batch: Iterable[Recorded]) -> Moved:
    """What a batch of the ledger's events comes to."""
    found = Moved()
    for recorded in batch:
        event, at_us = recorded.event, recorded.envelope.recorded_at_us
        if type(event) is AccountOpened:
            _add(found, event.account, 0, at_us)
        for transfer in transfers_of(event):
            _add(found, transfer.debit, -transfer.amount, at_us)
            _add(found, transfer.credit, transfer.amount, at_us)
        if type(event) is SeatPosted:
            place = event.table, event.round_no
            found.posted[place] = max(found.posted.get(place, 0), at_us)
    return found


def _add(found: Moved, account: str, amount: int, at_us: int) -> None:
    stands = found.accounts.setdefault(account, [0, at_us])
    stands[0] += amount
    stands[1] = max(stands[1], at_us)


def transfers_of(event: Event) -> Iterator[Transfer]:
    """Every transfer that an event tells of."""
    # An event's fields; asking for an attribute that a model has not costs more than all of this.
    said = vars(event)
    one = said.get("transfer")
    if isinstance(one, Transfer):
        yield one
    for name in ("transfers", "further"):
        yield from said.get(name, ())
    if type(event) is SeatCorrected:
        yield from (undone.transfer for undone in event.undone)
