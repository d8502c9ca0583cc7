"""``pitstream replay``: a round told from its events, their bytes and their hash chains alone."""

import asyncio
from collections.abc import Container, Iterable, Iterator
from json import dumps
from typing import Annotated, Any

import typer
from rich.console import Console

from pitstream.cli import platform
from pitstream.cli.addresses import Addresses
from pitstream.cli.client import Client
from pitstream.cli.options import WRONG, DataDir, Json, Name, Patience, UnusableError, plainly
from pitstream.cli.story import tell
from pitstream.events import Recorded, chain_breaks, ids
from pitstream.events.progressives import HitLocked, NetworkOpened
from pitstream.events.rounds import WagersPlaced
from pitstream.story.history import History, UntoldError, nets, record_from


def replay(
    round: Annotated[str, typer.Argument(help="table/round_no, or the id of its round record.")],  # noqa: A002
    record: Annotated[bool, typer.Option("--record", help="Print the round record that these events make.")] = False,
    at: Annotated[int | None, typer.Option(help="Stop after this event of the round, from 1.", min=1)] = None,
    patience: Patience = 10,
    name: Name = "default",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Tell a round from its events alone: cards, questions and answers, each wager's outcome with its paragraph, money.

    Everything is read from the bytes that the services stored, and every hash chain that they stand in is checked.

    Exit code: 0 it was told, 1 a hash chain does not hold, 2 there is no such round or the services cannot be asked.
    """
    with plainly():
        addresses = platform.addresses_of(name=name, data_dir=data_dir)
        history = asyncio.run(history_of(round, addresses, patience_s=patience))
        made = _record(history) if record else None
    if made is not None:
        typer.echo(dumps(made))
    elif json:
        typer.echo(dumps(as_json(history, at), indent=2))
    else:
        Console().print(tell(history, at=at))
    if history.broken:
        raise typer.Exit(WRONG)


def _record(history: History) -> dict[str, Any]:
    try:
        return record_from(history)
    except UntoldError as error:
        raise UnusableError(str(error)) from error


async def history_of(name: str, addresses: Addresses, *, patience_s: float) -> History:
    """All events about a round, named ``table/round_no`` or by its record's id.

    Raises UnusableError when there is none, or when an id names several.
    """
    async with Client(addresses, patience_s=patience_s) as client:
        table, round_no = await _find(client, name)
        of_round = await client.events("table", f"/v1/tables/{table}/rounds/{round_no}")
        if not of_round:
            raise UnusableError(f"round: was {name}; table {table} has no round {round_no}")
        settlement = await client.events("settlement", f"/v1/rounds/{table}/{round_no}")
        opened = History(tuple(of_round)).opened
        network = await client.events("progressive", f"/v1/networks/{opened.network}") if opened.network else []
        prizes = await client.events("progressive", f"/v1/tables/{table}/rounds/{round_no}/prizes")
        accounts = sorted(_accounts(of_round, network, opened.currency))
        accounts += [ids.payable_account(table, opened.currency)] if prizes else []
        statements = [await client.events("wallet", f"/v1/accounts/{account}") for account in accounts]
    streams = [of_round, settlement, network, prizes, *statements]
    claims = {r.event.claim_id for r in _about(network, table, round_no) if isinstance(r.event, HitLocked)}
    about_network = tuple(_about(network, table, round_no, claims))
    broken = (chain_breaks(recorded.data for recorded in stream) for stream in streams)
    return History(
        round=tuple(of_round),
        settlement=tuple(settlement),
        network=about_network,
        prizes=tuple(prizes),
        wallet=tuple(_about((r for statement in statements for r in statement), table, round_no, claims)),
        chained=sum(map(len, streams)),
        broken=tuple(where for where in broken if where is not None),
    )


async def _find(client: Client, name: str) -> tuple[str, int]:
    table, _, number = name.rpartition("/")
    if table and number.isdecimal():
        return table, int(number)
    found = await client.rows("table", "/v1/rounds", round_id=name)
    if len(found) != 1:
        named = ", ".join(f"{one['table']}/{one['round_no']}" for one in found) or "none"
        raise UnusableError(f"round: was {name!r}; allowed: table/round_no, or an id that one round has, not {named}")
    return found[0]["table"], found[0]["round_no"]


def _accounts(of_round: Iterable[Recorded], network: Iterable[Recorded], currency: str) -> set[str]:
    """The accounts whose statements tell about the round: its players' and its meters'."""
    events = [recorded.event for recorded in of_round]
    players = {event.player for event in events if isinstance(event, WagersPlaced)}
    accounts = {ids.player_account(player, currency) for player in players}
    for event in (recorded.event for recorded in network):
        if isinstance(event, NetworkOpened):
            accounts |= {ids.meter_account(event.network, meter.meter, currency) for meter in event.meters}
    return accounts


def _about(events: Iterable[Recorded], table: str, round_no: int, claims: Container[str] = ()) -> Iterator[Recorded]:
    """Those that name the round, or one of its claims."""
    for recorded in events:
        event = recorded.event
        names_it = (getattr(event, "table", None), getattr(event, "round_no", None)) == (table, round_no)
        if names_it or getattr(event, "claim_id", None) in claims:
            yield recorded


def as_json(history: History, at: int | None) -> dict[str, Any]:
    """Everything that the story is told from."""
    return {
        "table": history.opened.table,
        "round_no": history.opened.round_no,
        "round_id": history.opened.round_id,
        "events": [_event_json(recorded) for recorded in history.round[:at]],
        "settlement": [_event_json(recorded) for recorded in history.settlement],
        "network": [_event_json(recorded) for recorded in history.network],
        "wallet": [_event_json(recorded) for recorded in history.wallet],
        "nets": {str(seat): net for seat, net in sorted(nets(history).items())},
        "chain": {"events": history.chained, "broken": list(history.broken)},
    }


def _event_json(recorded: Recorded) -> dict[str, Any]:
    envelope = recorded.envelope
    return {
        "stream": envelope.stream,
        "version": envelope.version,
        "type": envelope.type,
        "event_id": envelope.event_id,
        "recorded_at_us": envelope.recorded_at_us,
        "cause_id": envelope.cause_id,
        "actor": envelope.actor,
        "hash": recorded.hash.hex(),
        "event": recorded.event.model_dump(mode="json"),
    }
