"""Events and proposals of progressive networks in words, for lists of what happened."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pitstream.services.ops.frame import words
from pitstream.services.ops.things_read import NetworkView, PastEvent, ThingView
from pitstream.story.words import money, signed


def happened(past: PastEvent, currency: str) -> str:
    """An event of a network in a sentence; of a kind without one its name.

    >>> opened = {"meters": [{"meter": "main"}], "currency": "USD"}
    >>> happened(PastEvent(place=1, event_id="", type="p.NetworkOpened", at_us=0, actor="n", event=opened), "USD")
    'The network opened with main'
    """
    event, kind = past.event, past.type.rpartition(".")[2]
    match kind:
        case "NetworkOpened":
            return f"The network opened with {', '.join(one['meter'] for one in event['meters'])}"
        case "HitLocked":
            amount = money(event["amount"], currency)
            return (
                f"{event['player']} hit {event['percent']} % of {event['meter']}: {amount} locked, seat {event['seat']}"
            )
        case "HitVerified":
            return f"Hand and light of a hit verified by {event['verified_by']}"
        case "HandPayApproved":
            return f"Hand-pay of {money(event['amount'], currency)} to {event['player']} validated"
        case "HitRefused":
            return f"Hit of {money(event['amount'], currency)} refused: {event['reason']}"
        case "CardsReleased":
            return "Cards of a hit released to the discard rack"
        case "ContributionsReturned":
            return f"A void round took {money(event['stakes'], currency)} of stakes back"
        case "MeterCorrected":
            return f"{event['meter']} corrected by {signed(event['change'], currency)}: {event['reason']}"
        case "ContributionQuestioned":
            would, allowed = money(event["would_add"], currency), money(event["allowed"], currency)
            return f"A contribution to {event['meter']} questioned: {would}, {allowed} allowed"
        case "ChangeProposed":
            return f"Change proposed: {event['reason']}"
        case _:
            name = words(kind)
            about = event.get("meter") or event.get("reason") or ""
            return f"{name[:1].upper()}{name[1:]}{f': {about}' if about else ''}"


def asked_for(change: ThingView, currency: str) -> str:
    """What a proposal would change."""
    state = change.state
    if terms := state.get("terms"):
        rate = f"{terms['rate']['numerator']}/{terms['rate']['denominator']}"
        return f"New terms of {terms['meter']}: seed {money(terms['seed'], currency)}, rate {rate}"
    if policy := state.get("policy"):
        return f"Hits that come close together: {words(policy)}"
    if correction := state.get("correction"):
        return f"{signed(correction['change'], currency)} on the {correction['part']} of {correction['meter']}"
    if transfer := state.get("transfer"):
        amount = money(transfer["amount"], currency)
        return f"{amount} from {transfer['meter']} to {transfer['to_network']}, {transfer['to_meter']}"
    return f"Retire {state.get('retire', 'a meter')}"


@dataclass(frozen=True, slots=True)
class Beside:
    """One figure as the network's events have it, and as the ledger's accounts do, minor units."""

    name: str
    network: int
    ledger: int

    @property
    def difference(self) -> int:
        return self.network - self.ledger


def reconciled(network: NetworkView) -> list[Beside]:
    """A network's figures and the ledger's, side by side; those that are nothing on both sides are left out."""
    return list(_beside(network))


def _beside(network: NetworkView) -> Iterator[Beside]:
    for meter in network.meters:
        name = words(meter.meter).capitalize()
        yield Beside(name, meter.amount, meter.in_ledger)
        for part, said, kept in (
            ("reserve", meter.reserve, meter.reserve_in_ledger),
            ("overflow", meter.overflow, meter.overflow_in_ledger),
            ("locked hits", meter.pending, meter.pending_in_ledger),
        ):
            if said or kept:
                yield Beside(f"{name}, {part}", said, kept)


FILTERS: dict[str, Any] = {"happened": happened, "asked_for": asked_for, "reconciled": reconciled}
