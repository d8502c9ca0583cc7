"""``pitstream meter``: where a network's meters stand, and how they came to stand there."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from fractions import Fraction
from json import dumps
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pitstream.cli import platform
from pitstream.cli.addresses import Addresses
from pitstream.cli.cards import money
from pitstream.cli.client import Client
from pitstream.cli.client import Json as JsonObject
from pitstream.cli.meter_story import Line, explained
from pitstream.cli.options import WRONG, DataDir, Json, Name, Patience, UnusableError, plainly
from pitstream.events import Recorded, chain_breaks
from pitstream.events.progressives import NetworkOpened


def meter(
    network: Annotated[str, typer.Argument(help="Name of a progressive network.")],
    explain: Annotated[bool, typer.Option("--explain", help="Tell the whole history from the events.")] = False,
    only: Annotated[str | None, typer.Option("--meter", help="Only this meter.")] = None,
    patience: Patience = 10,
    name: Name = "default",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Report a network's meters: current, overflow, reserve, base, limit, hits and wins, with the last hits of each.

    With --explain every event of the network is told with where the meter stands after it, to the last fraction. Each
    value is derived again from stakes and rates and compared, and the hash chain of the events is checked.

    Exit code: 0 told, 1 an event tells what stakes and rates do not make or the chain does not hold, 2 there is no such
    network or the services cannot be asked.
    """
    with plainly():
        addresses = platform.addresses_of(name=name, data_dir=data_dir)
        if not explain:
            found = asyncio.run(report(network, addresses, patience_s=patience))
            if json:
                typer.echo(dumps(found, indent=2))
            else:
                show_report(found, only, Console())
            return
        events = asyncio.run(history(network, addresses, patience_s=patience))
    broken = chain_breaks(recorded.data for recorded in events)
    lines = [line for line in explained(events) if only in (None, line.meter)]
    if json:
        typer.echo(dumps({"network": network, "lines": [as_json(line) for line in lines], "broken": broken}, indent=2))
    else:
        show_history(lines, broken, _currency(events), Console())
    if broken or any(line.differs for line in lines):
        raise typer.Exit(WRONG)


async def report(network: str, addresses: Addresses, *, patience_s: float) -> JsonObject:
    """The network's own report."""
    async with Client(addresses, patience_s=patience_s) as client:
        return await client.get("progressive", f"/v1/networks/{network}/report")


async def history(network: str, addresses: Addresses, *, patience_s: float) -> list[Recorded]:
    """Every event of the network, from the bytes that were stored. Raises UnusableError when there is none."""
    async with Client(addresses, patience_s=patience_s) as client:
        events = await client.events("progressive", f"/v1/networks/{network}")
    if not events:
        raise UnusableError(f"network: was {network!r}; no network of that name is open")
    return events


def as_json(line: Line) -> dict[str, Any]:
    """A line as JSON: amounts are integers, exact values fractions such as ``"42500/1"``."""
    return {**asdict(line), "exact": _fraction(line.exact), "reserve_exact": _fraction(line.reserve_exact)}


def show_report(found: JsonObject, only: str | None, console: Console) -> None:
    """Print the meters, then each one's last hits, newest first."""
    currency = found["currency"]
    table = Table("meter", "current", "overflow", "reserve", "base", "limit", "rate", "hits", "wins")
    for one in found["meters"]:
        if only in (None, one["meter"]):
            limit = "none" if one["limit"] is None else money(one["limit"], currency)
            amounts = [money(one[column], currency) for column in ("amount", "overflow", "reserve", "seed")]
            wins = money(one["wins"], currency)
            table.add_row(one["meter"], *amounts, limit, one["rate"], str(one["hits"]), wins)
    console.print(f"{found['network']}, {currency}; hits close together: {found['policy']}")
    console.print(table)
    for one in found["meters"]:
        for hit in one["latest_hits"] if only in (None, one["meter"]) else []:
            where = f"{hit['table']}/{hit['round_no']} seat {hit['seat']} {hit['player']}"
            console.print(
                f"{one['meter']}: {money(hit['amount'], currency)} ({hit['percent']} %) {where}, {hit['status']}"
            )


def show_history(lines: Sequence[Line], broken: str | None, currency: str, console: Console) -> None:
    """Print the history as a table, one row an event and meter."""
    table = Table("event", "when (UTC)", "meter", "what", "meter stands at", "exactly", "overflow", "reserve")
    for line in lines:
        when = datetime.fromtimestamp(line.recorded_at_us / 1_000_000, UTC).strftime("%Y-%m-%d %H:%M:%S")
        row: list[str | Text] = [str(line.version), when, line.meter or "", Text(line.what)]
        if line.meter is not None:
            row += [
                money(line.amount, currency),
                _mixed(line.exact),
                money(line.overflow, currency),
                money(line.reserve, currency),
            ]
        table.add_row(*row)
        if line.differs:
            table.add_row("", "", "", Text(line.differs, "bold red"))
    console.print(table)
    differing = sum(bool(line.differs) for line in lines)
    chain = Text(f"CHAIN BROKEN  {broken}", "bold red") if broken else Text("the hash chain holds", "dim")
    console.print(f"{len(lines)} lines, {differing or 'none'} of them other than stakes and rates make;", chain)


def _currency(events: Sequence[Recorded]) -> str:
    first = events[0].event
    return first.currency if isinstance(first, NetworkOpened) else ""


def _fraction(value: Fraction) -> str:
    return f"{value.numerator}/{value.denominator}"


def _mixed(value: Fraction) -> str:
    """Minor units and the rest below one.

    >>> _mixed(Fraction(7, 2)), _mixed(Fraction(4)), _mixed(Fraction(-1, 3))
    ('3 1/2', '4', '-1 2/3')
    """
    whole, rest = divmod(value, 1)
    return f"{whole} {rest.numerator}/{rest.denominator}" if rest else str(whole)
