"""A file of round records made ready to be played: rounds, networks, and the money that players need.

Pure, apart from the records' own checks in ``pitstream.games.record``.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from pitstream.cli.floor import FeedRound, Network
from pitstream.cli.script import script_of
from pitstream.events.model import ID_PATTERN
from pitstream.games.game import FinishedRound, stakes_of
from pitstream.games.odds import MeterShare
from pitstream.games.paytables import Paytables, bundled
from pitstream.games.record import Record, RecordError
from pitstream.games.referee import STAKE_MAX
from pitstream.games.registry import game_named
from pitstream.games.settle_file import settle_lines
from pitstream.games.settlement import settle


@dataclass(frozen=True, slots=True)
class Evening:
    """What a feed is about to play."""

    rounds: tuple[FeedRound, ...]
    networks: tuple[Network, ...]
    needs: Mapping[tuple[str, str], int]
    """(player, currency) -> minor units that cover every stake of the evening, should all be lost."""
    faults: tuple[str, ...]
    """Records that are left out, one sentence each."""

    @property
    def identity(self) -> str:
        """The same for the same rounds, whatever file they stand in."""
        names = sorted(f"{one.played.gaming_day}/{one.table}/{one.id}" for one in self.rounds)
        return hashlib.sha256("\n".join(names).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class MeterTerms:
    """How meters open of which a feed's records say nothing: minor units, and the share of each progressive stake.

    ``start``: None means a meter opens at its seed.
    """

    start: int | None = None
    seed: int = 1_000_000
    rate: Fraction = Fraction(1, 5)
    network_suffix: str = ""

    def network_of(self, game: str) -> str:
        """The network that links all tables of a game."""
        return game.replace("_", "-") + self.network_suffix

    def opening(self, meter: str, seed: int) -> dict[str, str | int]:
        """A meter as the progressive service opens it."""
        rate = f"{self.rate.numerator}/{self.rate.denominator}"
        return {"meter": meter, "seed": seed, "amount": seed if self.start is None else self.start, "rate": rate}


def evening_of(lines: Iterable[bytes], terms: MeterTerms, paytables: Paytables | None = None) -> Evening:
    """The file's rounds in their order, with everything that must be there before the first one.

    A record that cannot be settled, or whose ids or stakes no service takes, becomes a fault; the others stand.
    ``paytables`` are the bundled ones unless given.
    """
    known = bundled() if paytables is None else paytables
    rounds: list[FeedRound] = []
    faults: list[str] = []
    meters: dict[tuple[str, str], dict[str, int]] = {}
    needs: dict[tuple[str, str], int] = {}
    for settled in settle_lines(lines, known):
        if isinstance(settled, RecordError):
            faults.append(f"{settled.id or 'a record without id'}: {settled.code}: {settled}")
            continue
        record, played = settled.record, settled.record.round
        if unfit := _unfit(record):
            faults.append(f"{record.id}: {unfit}")
            continue
        names = _meters_of(played, known)
        network = None
        if names or "progressive" in played.paytables:
            network = terms.network_of(played.game)
            if any(name == network and currency != played.currency for name, currency in meters):
                network += f"-{played.currency}"  # a network counts in one currency
            seeds = meters.setdefault((network, played.currency), {})
            for name in sorted({*names, *record.seeds}):
                seeds.setdefault(name, record.seeds.get(name, terms.seed))
        # As the services settle it: without the meters' amounts, so a share is claimed wherever one may be won.
        claims = settle(played, known)
        takes_share = any(line.share is not None for seat in claims.seats for line in seat.lines)
        rounds.append(FeedRound(record.id, record.table, played, script_of(played), network, takes_share))
        for seat in played.seats:
            account = (seat.player, played.currency)
            needs[account] = needs.get(account, 0) + sum(stakes_of(game_named(played.game), seat).values())
    networks = tuple(
        Network(network, currency, tuple(terms.opening(meter, seed) for meter, seed in seeds.items()))
        for (network, currency), seeds in meters.items()
    )
    return Evening(tuple(rounds), networks, needs, tuple(faults))


def _meters_of(played: FinishedRound, known: Paytables) -> set[str]:
    """The meters of which the table's paytables promise a share."""
    found: set[str] = set()
    for wager, paytable_id in played.paytables.items():
        paytable = known.named(played.game, wager, paytable_id, played.gaming_day)
        prizes = (*paytable.pays.values(), *paytable.dealer_pays.values())
        found |= {prize.meter for prize in prizes if isinstance(prize, MeterShare)}
    return found


def _unfit(record: Record) -> str | None:
    """Why no service would take the record, though it can be settled; None when one does."""
    named = {"table": record.table, **{f"player of seat {seat.seat}": seat.player for seat in record.round.seats}}
    for field, value in named.items():
        if not re.fullmatch(ID_PATTERN, value):
            return f"{field}: was {value!r}; allowed: 1 to 64 letters, digits and . _ : - (no sign first)"
    for seat in record.round.seats:
        for wager, stake in seat.wagers.items():
            if stake > STAKE_MAX:
                return f"{wager} of seat {seat.seat}: was {stake}; allowed at a table: 1 to {STAKE_MAX} minor units"
    return None
