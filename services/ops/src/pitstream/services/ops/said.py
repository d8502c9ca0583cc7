"""Events and proposals of progressive networks in words, for lists of what happened."""

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Any

from pitstream.services.ops.condition import Throughput
from pitstream.services.ops.frame import words
from pitstream.services.ops.rounds_read import SeatOfRound
from pitstream.services.ops.things_read import NetworkView, PastEvent, ThingView
from pitstream.story.words import card_text, money, signed


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


def transfers(past: PastEvent) -> list[dict[str, Any]]:
    """The transfers of an account's event, as the ledger made them."""
    event = past.event
    return event.get("transfers") or ([event["transfer"]] if event.get("transfer") else [])


@dataclass(frozen=True, slots=True)
class ByTime:
    """Events of each topic in spans of time, the earliest first; 0 where a topic had none."""

    topics: list[str]
    rows: list[tuple[int, list[int]]]


def by_time(found: Iterable[Throughput]) -> ByTime:
    """Throughput as a table: a row for each span, a column for each topic."""
    every = list(found)
    topics = sorted({one.topic for one in every})
    spans: dict[int, dict[str, int]] = {}
    for one in every:
        spans.setdefault(one.from_us, {})[one.topic] = one.events
    first, last = min(spans), max(spans)
    rows = [
        (at_us, [spans.get(at_us, {}).get(topic, 0) for topic in topics]) for at_us in range(first, last + 1, _SPAN_US)
    ]
    return ByTime(topics, rows)


_SPAN_US = 10_000_000


def fact_told(fact: Mapping[str, Any]) -> str:
    """What a correction says was recorded wrong.

    >>> fact_told({"card": {"place": "seat", "seat": 2, "position": 1, "was": "Td", "becomes": "Th"}})
    'card 1 of seat 2: 10♦ was 10♥'
    """
    match fact:
        case {"card": card}:
            place = f"seat {card['seat']}" if card.get("seat") else f"the {card['place']}"
            return f"card {card['position']} of {place}: {card_text(card['was'])} was {card_text(card['becomes'])}"
        case {"wager": wager}:
            name = f"{words(wager['wager'])} of seat {wager['seat']}"
            return f"{name}: {wager['was']} was {wager['becomes']} minor units"
        case {"decision": made}:
            said = made["becomes"] or "not given"
            return f"answer {made['position']} of seat {made['seat']}: {made['was'] or 'none'} was {said}"
        case {"at_seat": at}:
            becomes = f"was seat {at['becomes']}'s" if at.get("becomes") else "was nobody's"
            return f"what was recorded for seat {at['seat']} {becomes}"
        case {"player": player}:
            return f"seat {player['seat']}: {player['was']} was {player['becomes']}"
        case _:
            return "a fact of another kind"


def holds(seat: SeatOfRound, wanted: Set[str], board: Iterable[str]) -> bool:
    """Whether a seat's cards, with those of a board, are all that somebody looks for."""
    return wanted <= {*seat.cards, *board}


FILTERS: dict[str, Any] = {
    "asked_for": asked_for,
    "by_time": by_time,
    "fact_told": fact_told,
    "happened": happened,
    "holds": holds,
    "reconciled": reconciled,
    "transfers": transfers,
}
