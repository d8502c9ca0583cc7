"""A round's whole history, gathered stream by stream from the services or from any one source of events."""

from collections.abc import Container, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final, Protocol

from pitstream.cli.client import Client
from pitstream.cli.options import UnusableError
from pitstream.events import Recorded, chain_breaks, ids
from pitstream.events.disputes import RoundCorrected
from pitstream.events.progressives import HitLocked, NetworkOpened
from pitstream.events.rounds import RoundOpened, WagersPlaced
from pitstream.story.history import History

if TYPE_CHECKING:
    from pitstream.archive import Source

ROUNDS: Final = "rounds.v1"
SETTLEMENTS: Final = "settlements.v1"
PROGRESSIVES: Final = "progressives.v1"
WALLET: Final = "wallet.v1"


class Streams(Protocol):
    """Where streams are read from."""

    async def stream(self, topic: str, key: str, stream: str) -> list[Recorded]:
        """All events of a stream, version 1 first; none when there is no such stream."""
        ...

    async def places(self, round_id: str) -> list[tuple[str, int]]:
        """Where the rounds of that record's id were played: table, number."""
        ...


class ServiceStreams:
    """Streams as the services hand them out over HTTP."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def stream(self, topic: str, key: str, stream: str) -> list[Recorded]:  # noqa: ARG002  # the path says it
        """As every one of them."""
        service, path = _path_of(stream)
        return await self._client.events(service, path)

    async def places(self, round_id: str) -> list[tuple[str, int]]:
        """As every one of them."""
        found = await self._client.rows("table", "/v1/rounds", round_id=round_id)
        return [(one["table"], one["round_no"]) for one in found]


class SourceStreams:
    """Streams of one source: the event stores, the topics, or an archive."""

    def __init__(self, source: "Source") -> None:
        self._source = source

    async def stream(self, topic: str, key: str, stream: str) -> list[Recorded]:
        """As every one of them."""
        return [stored.opened() for stored in await self._source.stream(topic, key, stream)]

    async def places(self, round_id: str) -> list[tuple[str, int]]:
        """As every one of them; every round's first event is read for it."""
        found: list[tuple[str, int]] = []
        async for stored in self._source.events(ROUNDS):
            if stored.type == RoundOpened.type_name:
                opened: Any = stored.opened().event
                if opened.round_id == round_id:
                    found.append((opened.table, opened.round_no))
        return found


async def gather(name: str, streams: Streams) -> History:
    """All events about a round, named ``table/round_no`` or by its record's id.

    Raises UnusableError when there is none, or when an id names several.
    """
    table, round_no = await find(name, streams)
    of_round = await streams.stream(ROUNDS, table, ids.round_stream(table, round_no))
    if not of_round:
        raise UnusableError(f"round: was {name}; table {table} has no round {round_no}")
    opened = History(tuple(of_round)).opened
    settlement = await streams.stream(SETTLEMENTS, table, ids.settlement_stream(table, round_no))
    corrections = await streams.stream(ROUNDS, table, ids.correction_stream(table, round_no))
    disputes: list[list[Recorded]] = []
    while dispute := await streams.stream(ROUNDS, table, ids.dispute_stream(table, round_no, len(disputes) + 1)):
        disputes.append(dispute)
    network = await _network(opened, streams)
    prizes = await streams.stream(PROGRESSIVES, table, ids.prize_stream(table, round_no))
    accounts = sorted(_accounts((*of_round, *corrections), network, opened.currency))
    accounts += [ids.payable_account(table, opened.currency)] if prizes else []
    statements = [await streams.stream(WALLET, account, ids.account_stream(account)) for account in accounts]
    everything = [of_round, settlement, corrections, *disputes, network, prizes, *statements]
    claims = {r.event.claim_id for r in about(network, table, round_no) if isinstance(r.event, HitLocked)}
    broken = (chain_breaks(recorded.data for recorded in stream) for stream in everything)
    return History(
        round=tuple(of_round),
        settlement=tuple(settlement),
        network=tuple(about(network, table, round_no, claims)),
        prizes=tuple(prizes),
        wallet=tuple(about((r for statement in statements for r in statement), table, round_no, claims)),
        disputes=tuple(recorded for dispute in disputes for recorded in dispute),
        corrections=tuple(corrections),
        chained=sum(map(len, everything)),
        broken=tuple(where for where in broken if where is not None),
    )


async def find(name: str, streams: Streams) -> tuple[str, int]:
    """Table and number of the round of that name. Raises UnusableError when it names none, or several."""
    table, _, number = name.rpartition("/")
    if table and number.isdecimal():
        return table, int(number)
    found = await streams.places(name)
    if len(found) != 1:
        named = ", ".join(f"{table}/{round_no}" for table, round_no in found) or "none"
        raise UnusableError(f"round: was {name!r}; allowed: table/round_no, or an id that one round has, not {named}")
    return found[0]


def about(events: Iterable[Recorded], table: str, round_no: int, claims: Container[str] = ()) -> Iterator[Recorded]:
    """Those that name the round, or one of its claims."""
    for recorded in events:
        event = recorded.event
        names_it = (getattr(event, "table", None), getattr(event, "round_no", None)) == (table, round_no)
        if names_it or getattr(event, "claim_id", None) in claims:
            yield recorded


async def _network(opened: RoundOpened, streams: Streams) -> list[Recorded]:
    if opened.network is None:
        return []
    return await streams.stream(PROGRESSIVES, opened.network, ids.progressive_stream(opened.network))


def _accounts(of_round: Iterable[Recorded], network: Iterable[Recorded], currency: str) -> set[str]:
    """The accounts whose statements tell about the round: its players', what they owe, and its meters'."""
    events = [recorded.event for recorded in of_round]
    players = {event.player for event in events if isinstance(event, WagersPlaced)}
    corrected = {seat.player for event in events if isinstance(event, RoundCorrected) for seat in event.seats}
    accounts = {ids.player_account(player, currency) for player in players | corrected}
    if corrected:
        accounts |= {ids.receivable_account(player, currency) for player in players | corrected}
    for event in (recorded.event for recorded in network):
        if isinstance(event, NetworkOpened):
            accounts |= {ids.meter_account(event.network, meter.meter, currency) for meter in event.meters}
    return accounts


def _path_of(stream: str) -> tuple[str, str]:
    """Which service has a stream, and where."""
    kind, *names = stream.split("/")
    match kind, names:
        case "round", [table, round_no]:
            return "table", f"/v1/tables/{table}/rounds/{round_no}"
        case "dispute", [table, round_no, number]:
            return "table", f"/v1/tables/{table}/rounds/{round_no}/disputes/{number}"
        case "correction", [table, round_no]:
            return "table", f"/v1/tables/{table}/rounds/{round_no}/corrections"
        case "settlement", [table, round_no]:
            return "settlement", f"/v1/rounds/{table}/{round_no}"
        case "progressive", [network]:
            return "progressive", f"/v1/networks/{network}"
        case "prize", [table, round_no]:
            return "progressive", f"/v1/tables/{table}/rounds/{round_no}/prizes"
        case "account", _:
            return "wallet", f"/v1/accounts/{'/'.join(names)}"
        case _:
            raise ValueError(f"stream: was {stream!r}; allowed: one that a service hands out")
