"""All events about one round, whatever source they were read from, and what follows from them at once."""

from dataclasses import dataclass
from typing import Any

from pitstream.events import Event, Recorded
from pitstream.events.corrections import ReceivableOpened, ReceivablePaid, SeatCorrected
from pitstream.events.disputes import RoundCorrected
from pitstream.events.prizes import PrizePosted, PrizeReserved, PrizeReturned
from pitstream.events.progressives import HitLocked
from pitstream.events.rounds import RoundOpened
from pitstream.events.settlements import RoundSettled
from pitstream.events.wallet import ContributionPosted, HandPayPosted, HitReserved, SeatPosted, Transfer
from pitstream.games.corrections import played_of
from pitstream.games.game import FinishedRound
from pitstream.games.record import record_of
from pitstream.games.round import Finished, Round, Voided, evolve_all, finished_round


class UntoldError(ValueError):
    """The events do not tell what is asked of them; the text says why."""


@dataclass(frozen=True, slots=True)
class History:
    """All events about one round: ``network`` and ``wallet`` hold those of longer streams that name it.

    ``chained``: how many events the hash chains of all those streams have; ``broken``: where a chain does not hold.
    """

    round: tuple[Recorded, ...]
    settlement: tuple[Recorded, ...] = ()
    network: tuple[Recorded, ...] = ()
    prizes: tuple[Recorded, ...] = ()
    wallet: tuple[Recorded, ...] = ()
    disputes: tuple[Recorded, ...] = ()
    """Of all the round's disputes, one after the other."""
    corrections: tuple[Recorded, ...] = ()
    chained: int = 0
    broken: tuple[str, ...] = ()

    @property
    def opened(self) -> RoundOpened:
        """The round's first event. Raises ValueError when it is another one."""
        first = self.round[0].event
        if not isinstance(first, RoundOpened):
            raise ValueError(f"{self.round[0].stream} begins with {first.type_name}, not with RoundOpened")
        return first

    @property
    def settled(self) -> RoundSettled | None:
        """The round's first result; None while it has none."""
        return next((r.event for r in self.settlement if isinstance(r.event, RoundSettled)), None)

    @property
    def corrected(self) -> list[RoundCorrected]:
        """What the round was put right to, in order; the last is in force."""
        return [r.event for r in self.corrections if isinstance(r.event, RoundCorrected)]

    @property
    def state(self) -> Round:
        """The round as its own stream makes it, corrections apart. Raises ImpossibleEventError."""
        return evolve_all(recorded.event for recorded in self.round)

    @property
    def played(self) -> FinishedRound:
        """The round in force, as it is settled. Raises UntoldError while it is still being played."""
        state = self.state
        if not isinstance(state, Finished | Voided):
            name = self.round[0].stream
            raise UntoldError(f"round: {name} is at stage {state.stage}; a record is of a whole round")
        return played_of(self.corrected[-1]) if self.corrected else finished_round(state)

    @property
    def hits(self) -> list[HitLocked]:
        """The shares that were locked, in their order."""
        return [r.event for r in self.network if isinstance(r.event, HitLocked)]

    @property
    def everything(self) -> tuple[Recorded, ...]:
        """Every event about the round, stream by stream."""
        about = (*self.disputes, *self.corrections)
        return (*self.round, *self.settlement, *self.network, *self.prizes, *self.wallet, *about)


def transfers_of(event: Event) -> tuple[Transfer, ...]:
    """What a wallet's event moved for a round, what it undid first."""
    match event:
        case SeatPosted() | HitReserved() | PrizeReserved() | PrizeReturned():
            return event.transfers
        case SeatCorrected():
            return (*(undone.transfer for undone in event.undone), *event.transfers)
        case ContributionPosted():
            return (event.transfer, *event.further)
        case HandPayPosted() | PrizePosted() | ReceivableOpened() | ReceivablePaid():
            return (event.transfer,)
        case _:
            return ()


def nets(history: History) -> dict[int, int]:
    """Seat -> its net change by what the wallet posted to the player's account, corrections included, minor units.

    What a player could not give back is told apart: it is owed, not lost.
    """
    found: dict[int, int] = {}
    for event in (recorded.event for recorded in history.wallet):
        if isinstance(event, SeatPosted | SeatCorrected | HandPayPosted | PrizePosted):
            change = sum(_change(transfer, event.account) for transfer in transfers_of(event))
            found[event.seat] = found.get(event.seat, 0) + change
    return found


def _change(transfer: Transfer, account: str) -> int:
    return transfer.amount * ((transfer.credit == account) - (transfer.debit == account))


def record_from(history: History) -> dict[str, Any]:
    """The round record that these events make: it settles to the result in force.

    ``meters`` holds what each meter stood at before the round's first share of it, ``seeds`` what it restarted from.
    Raises UntoldError while the round is still being played.
    """
    played = history.played
    meters: dict[str, int] = {}
    seeds: dict[str, int] = {}
    for hit in history.hits:
        meters.setdefault(hit.meter, hit.meter_before)
        if hit.percent == 100:
            seeds[hit.meter] = hit.meter_after - hit.meter_before + hit.amount
    opened = history.opened
    return record_of(played, id_=opened.round_id, table=opened.table, meters=meters, seeds=seeds)
