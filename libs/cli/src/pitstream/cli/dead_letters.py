"""``pitstream dead-letters``: what a service could not take in, and giving it another try."""

import asyncio
import uuid
from json import dumps
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from pitstream.cli import platform
from pitstream.cli.addresses import SERVICES, Addresses
from pitstream.cli.client import Client
from pitstream.cli.options import DataDir, Json, Name, Patience, UnusableError, examples, plainly

OPERATIONS = "operations"
app = typer.Typer(
    name="dead-letters",
    help="Records that a service could not take in: each kept as it came, with the reason.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_show_locals=False,
)


@app.command(
    "list", epilog=examples("dead-letters list", "dead-letters list --service wallet --json", "dead-letters list --all")
)
def list_letters(
    service: Annotated[str | None, typer.Option(help=f"Only those of {', '.join(SERVICES)}.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Those too that were retried with success.")] = False,
    name: Name = "default",
    data_dir: DataDir = None,
    patience: Patience = 10,
    json: Json = False,
) -> None:
    """Show the records that a service put aside and could not take in yet: where each came from, and why."""
    with plainly():
        addresses = platform.addresses_of(name=name, data_dir=data_dir)
        asked = addresses.known if service is None else (_known(service),)
        found = asyncio.run(_letters(addresses, asked, patience, every=every))
    if json:
        typer.echo(dumps(found, indent=2))
        return
    columns = ("service", "id", "topic", "partition", "offset", "key", "reason")
    table = Table(*columns)
    for letter in found:
        table.add_row(*(str(letter[column]) for column in columns))
    Console().print(table if found else "no dead letters")


@app.command("retry", epilog=examples("dead-letters retry wallet 3"))
def retry(
    service: Annotated[str, typer.Argument(help=f"One of {', '.join(SERVICES)}.")],
    letter: Annotated[str, typer.Argument(help="The dead letter's id, as `list` shows it.")],
    name: Name = "default",
    data_dir: DataDir = None,
    patience: Patience = 10,
    json: Json = False,
) -> None:
    """Let the service try a dead letter again; when it succeeds, what waited behind it follows in order.

    Exit code: 0 it was taken in, 1 it was refused again, 2 the service cannot be asked.
    """
    with plainly():
        addresses = platform.addresses_of(name=name, data_dir=data_dir)
        answer = asyncio.run(_retry(addresses, _known(service), letter, patience))
    typer.echo(dumps(answer, indent=2) if json else f"dead letter {letter} of {service} was taken in")


async def _letters(
    addresses: Addresses, services: tuple[str, ...], patience_s: float, *, every: bool
) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    async with Client(addresses, patience_s=patience_s) as client:
        for service in services:
            last, waiting = 0, str(not every).lower()
            while page := await _page(client, service, after=last, waiting=waiting):
                found += [{"service": service, **letter} for letter in page]
                last = page[-1]["id"]
    return found


async def _page(client: Client, service: str, **query: int | str) -> list[dict[str, Any]]:
    answer = await client.get(service, "/v1/dead-letters", by=OPERATIONS, wait_ms=0, limit=1000, **query)
    letters: list[dict[str, Any]] = answer["dead_letters"]
    return letters


async def _retry(addresses: Addresses, service: str, letter: str, patience_s: float) -> dict[str, Any]:
    async with Client(addresses, patience_s=patience_s) as client:
        # A try of its own each time: the same id would only repeat the answer of the first.
        path = f"/v1/dead-letters/{letter}/retry"
        return await client.command(service, path, {}, command_id=uuid.uuid4(), by=OPERATIONS)


def _known(service: str) -> str:
    if service not in SERVICES:
        raise UnusableError(f"service: was {service!r}; allowed: {', '.join(SERVICES)}")
    return service
