"""``pitstream reconcile --network``: what the tables say was wagered on a progressive network, what its meters took and
what the ledger posted, table by table. Every difference has its cause."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pitstream.cli.addresses import Addresses
from pitstream.cli.client import Client, Json

_ROUNDS_A_PAGE = 5000
_ROUNDS_NAMED = 5
"""Of each cause at a table; the others are counted."""
NOTHING: Mapping[str, int] = {"moved": 0, "reserve_moved": 0}


@dataclass(frozen=True, slots=True)
class Incident:
    """A difference of one table and its cause; ``rounds`` names the first of those that make it."""

    cause: str
    amount: int
    """Minor units by which the other side falls short of the table's, or of the meters' where the ledger differs."""
    says: str
    rounds: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class TableReport:
    """One table beside the network's meters and the ledger, minor units."""

    table: str
    wagered: int
    """By the table's own count, void rounds left out."""
    taken: int
    """Stakes that fed the meters, less those that were given back."""
    meters: Mapping[str, tuple[int, int]]
    """Meter, ``<meter>/reserve`` -> what it rose by, and what the ledger posted for that."""
    incidents: tuple[Incident, ...]

    @property
    def difference(self) -> int:
        return self.wagered - self.taken

    @property
    def agrees(self) -> bool:
        return self.difference == 0 and all(rose == posted for rose, posted in self.meters.values())


@dataclass(frozen=True, slots=True)
class NetworkReport:
    """A network table by table."""

    network: str
    tables: tuple[TableReport, ...]

    @property
    def agrees(self) -> bool:
        return all(table.agrees for table in self.tables)

    def as_json(self) -> dict[str, Any]:
        return {
            "network": self.network,
            "agrees": self.agrees,
            "tables": [
                {
                    "table": one.table,
                    "wagered": one.wagered,
                    "taken": one.taken,
                    "difference": one.difference,
                    "meters": {
                        name: {"rose": rose, "posted": posted, "difference": rose - posted}
                        for name, (rose, posted) in one.meters.items()
                    },
                    "incidents": [asdict(incident) for incident in one.incidents],
                }
                for one in self.tables
            ],
        }


async def network_report(addresses: Addresses, network: str, *, patience_s: float) -> NetworkReport:
    """The three sides of a network, asked of the three services. Raises RefusedError for an unknown network."""
    async with Client(addresses, patience_s=patience_s) as client:
        path = f"/v1/networks/{network}"
        # What happened last is asked for first: what is on its way shows as something that is not there yet.
        posted = _by_table(await client.get("wallet", f"{path}/postings"))
        taken = _by_table(await client.get("progressive", f"{path}/contributions"))
        wagered = _by_table(await client.get("table", f"{path}/stakes"))
        reports = []
        for table in sorted({*wagered, *taken, *posted}):
            told, took, sent = wagered.get(table, {}), taken.get(table, {}), posted.get(table, {})
            net = told.get("stakes", 0) - told.get("void_stakes", 0)
            meters = dict(_meters(took.get("meters", {}), sent.get("meters", {})))
            incidents = [*_ledger_incidents(meters)]
            if net != took.get("stakes", 0):
                there = await _rounds(client, "table", f"{path}/stakes", table)
                here = await _rounds(client, "progressive", f"{path}/contributions", table)
                incidents = [*causes(there, here), *incidents]
            reports.append(TableReport(table, net, took.get("stakes", 0), meters, tuple(incidents)))
        return NetworkReport(network, tuple(reports))


def causes(wagered: Mapping[int, Json], taken: Mapping[int, Json]) -> list[Incident]:
    """Why a table's count and the meters differ, from both sides' rounds: round_no -> what that side says of it.

    >>> causes({1: {"stakes": 5, "void": False, "answered": False}}, {})[0].cause
    'not_answered'
    """
    found: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for round_no in sorted({*wagered, *taken}):
        cause = _cause(wagered.get(round_no), taken.get(round_no))
        if cause is not None:
            name, says, amount = cause
            found.setdefault((name, says), []).append((round_no, amount))
    return [
        Incident(name, sum(amount for _, amount in rounds), says, tuple(no for no, _ in rounds[:_ROUNDS_NAMED]))
        for (name, says), rounds in found.items()
    ]


def _cause(told: Json | None, took: Json | None) -> tuple[str, str, int] | None:
    net = 0 if told is None or told["void"] else told["stakes"]
    fed = 0 if took is None or took["returned"] else took["taken"]
    if net == fed:
        return None
    short = net - fed
    match told, took:
        case None, _:
            return "unknown_to_the_table", "the meters took wagers that the table did not count", short
        case {"void": True}, _:
            return "not_returned", "the round is void, and its contribution has not come back (yet)", short
        case _, {"question": "waits"}:
            return "waits_for_a_person", "more than a meter may take from one round: a person must admit it", short
        case _, {"question": "kept out"}:
            return "kept_out", "a person kept the contribution out of the meters", short
        case {"answered": False}, _:
            return "not_answered", "the network has not answered for the round: it joins the meters later", short
        case _, None:
            return "missing_at_the_meter", "the network answered for later rounds, and not for these wagers", short
        case _:
            return "stakes_differ", "the meters took another amount than the table counted", short


def _ledger_incidents(meters: Mapping[str, tuple[int, int]]) -> Iterator[Incident]:
    for name, (rose, posted) in meters.items():
        if rose != posted:
            late = (
                f"the ledger has posted {posted} of {rose} for {name}: on its way, or among the wallet's dead letters"
            )
            more = f"the ledger has posted {posted} for {name}, which rose by {rose}"
            behind = abs(posted) < abs(rose)
            yield Incident("not_posted" if behind else "posted_otherwise", rose - posted, late if behind else more)


def _meters(
    took: Mapping[str, Mapping[str, int]], sent: Mapping[str, Mapping[str, int]]
) -> Iterator[tuple[str, tuple[int, int]]]:
    for meter in sorted({*took, *sent}):
        rose, posted = took.get(meter, NOTHING), sent.get(meter, NOTHING)
        yield meter, (rose["moved"], posted["moved"])
        if rose["reserve_moved"] or posted["reserve_moved"]:
            yield f"{meter}/reserve", (rose["reserve_moved"], posted["reserve_moved"])


def _by_table(answer: Json) -> dict[str, Json]:
    return {one["table"]: one for one in answer["tables"]}


async def _rounds(client: Client, service: str, path: str, table: str) -> dict[int, Json]:
    rounds: dict[int, Json] = {}
    while True:
        after = max(rounds, default=0)
        page = (await client.get(service, path, table=table, after_round=after, limit=_ROUNDS_A_PAGE))["rounds"]
        rounds |= {one["round_no"]: one for one in page}
        if len(page) < _ROUNDS_A_PAGE:
            return rounds


def show(report: NetworkReport, console: Console) -> None:
    """Print the three sides beside each other, and every incident."""
    sides = Table("table", "wagered", "taken", "difference", "meters rose", "ledger posted", "difference")
    for one in report.tables:
        rose, posted = (sum(side) for side in zip(*one.meters.values(), strict=True)) if one.meters else (0, 0)
        amounts = (one.wagered, one.taken, one.difference, rose, posted, rose - posted)
        sides.add_row(one.table, *map(str, amounts), style="" if one.agrees else "red")
    console.print(sides)
    for one in report.tables:
        for incident in one.incidents:
            console.print(Text(f"{one.table}: {incident.cause}: {_told(incident)}", "red"))
    word = "every table agrees" if report.agrees else "tables differ"
    console.print(f"{report.network}: {len(report.tables)} tables, {word}; amounts in minor units")


def _told(incident: Incident) -> str:
    rounds: Sequence[int] = incident.rounds
    named = f" (round {', '.join(map(str, rounds))}{'…' if len(rounds) == _ROUNDS_NAMED else ''})" if rounds else ""
    return f"{incident.amount}: {incident.says}{named}"
