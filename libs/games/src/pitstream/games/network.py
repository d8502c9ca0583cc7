"""A table and its progressive network: which network it may name, and what happens when the network falls silent.

Pure. That a network is silent is told by what it owes: it answers for the progressive wagers of every round, so a round
that is not answered for has waited so long. How long, the shell measures; what follows is decided here.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pitstream.events.model import Event
from pitstream.events.refusal import Refusal
from pitstream.events.rounds import ProgressiveResumed, ProgressiveSuspended, TableOpened
from pitstream.games.commands import NetworkTerms, OpenTable
from pitstream.games.odds import MeterShare
from pitstream.games.paytable import Paytable
from pitstream.games.paytables import Paytables

FEEDING_WAGER = "progressive"
"""The wager whose stakes feed the meters."""


@dataclass(frozen=True, slots=True)
class Unanswered:
    """The oldest round whose progressive wagers the network has not answered for; ``silent_s``: since when, whole
    seconds."""

    round_no: int
    silent_s: int


def shares_of(paytable: Paytable) -> frozenset[str]:
    """The meters of which a paytable pays shares.

    >>> from pitstream.games.paytables import bundled
    >>> sorted(shares_of(bundled().named("ultimate_texas_holdem", "progressive", "sister-C")))
    ['major', 'mega', 'minor']
    """
    prizes = (*paytable.pays.values(), *paytable.dealer_pays.values())
    return frozenset(prize.meter for prize in prizes if isinstance(prize, MeterShare))


def network_fault(command: OpenTable, chosen: Iterable[Paytable]) -> Refusal | None:
    """Why a table may not open with that network, or without one: what it wins there must be won of a meter that is
    there, in the table's currency."""
    paying = [paytable for paytable in chosen if shares_of(paytable)]
    if command.network is None:
        # A share that no network locks would be won and never paid.
        for paytable in paying:
            what = f"paytables.{paytable.wager} was {paytable.id!r} and pays shares of a meter"
            return Refusal("missing_network", "network", f"{what}; name that meter's network")
        return None
    terms = command.network_terms
    if terms is None:
        return Refusal("unknown_network", "network", f"was {command.network!r}; no network of that name is open")
    if terms.currency != command.currency:
        counts = f"{command.network} counts in {terms.currency}"
        return Refusal("wrong_currency", "currency", f"was {command.currency}; {counts}")
    for paytable in paying:
        for meter in sorted(shares_of(paytable) - set(terms.meters)):
            there = ", ".join(sorted(terms.meters)) or "no meter"
            what = f"was {paytable.id!r}, which pays shares of meter {meter!r}"
            return Refusal("unknown_meter", f"paytables.{paytable.wager}", f"{what}; {command.network} has {there}")
    return None


def notice(
    terms: TableOpened, suspended: ProgressiveSuspended | None, unanswered: Unanswered | None, limit_s: int
) -> list[Event]:
    """What the table notices of its network now: that it has been silent for too long, or that it has answered for
    everything. Nothing where that was noticed before."""
    if terms.network is None:
        return []
    if suspended is None and unanswered is not None and unanswered.silent_s >= limit_s:
        return [
            ProgressiveSuspended(
                table=terms.table,
                network=terms.network,
                round_no=unanswered.round_no,
                silent_s=min(unanswered.silent_s, 2**32 - 1),
            )
        ]
    if suspended is not None and unanswered is None:
        return [ProgressiveResumed(table=terms.table, network=terms.network)]
    return []


def suspended_fault(
    terms: TableOpened, suspended: ProgressiveSuspended | None, stakes: Mapping[str, int], paytables: Paytables
) -> Refusal | None:
    """The first of these wagers that needs the network while it is silent: one that feeds a meter or wins of one."""
    if suspended is None:
        return None
    needs = wagers_of_the_network(terms, paytables)
    for wager in stakes:
        if wager in needs:
            return Refusal(
                "progressive_suspended",
                f"stakes.{wager}",
                f"network {suspended.network} has not answered for round {suspended.round_no} in "
                f"{suspended.silent_s} s; the round goes on without {wager}",
            )
    return None


def retired_fault(
    terms: TableOpened, there: NetworkTerms | None, stakes: Mapping[str, int], paytables: Paytables
) -> Refusal | None:
    """The first of these wagers that plays for a meter which is retired, though the table opened with it: it could win
    nothing. ``there``: the network as it is now, None once its last meter is retired."""
    left = frozenset() if there is None else frozenset(there.meters)
    needs = wagers_of_the_network(terms, paytables)
    for wager in stakes:
        missing = needs.get(wager, frozenset()) - left
        if wager in needs and (missing or not left):
            gone = f"meter {min(missing)}" if missing else "every meter"
            return Refusal(
                "meter_retired",
                f"stakes.{wager}",
                f"{gone} of network {terms.network} is retired; the round goes on without {wager}",
            )
    return None


def wagers_of_the_network(terms: TableOpened, paytables: Paytables) -> dict[str, frozenset[str]]:
    """The wagers that need the table's network, each with the meters that its paytable pays shares of."""
    shares = {
        choice.wager: shares_of(paytables.named(terms.game, choice.wager, choice.paytable, terms.gaming_day))
        for choice in terms.paytables
    }
    return {wager: of for wager, of in shares.items() if of or wager == FEEDING_WAGER}
