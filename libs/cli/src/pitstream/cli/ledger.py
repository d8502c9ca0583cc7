"""``pitstream ledger check``: is every cent somewhere?"""

import asyncio
from json import dumps

import typer
from rich.console import Console

from pitstream.cli import platform
from pitstream.cli.addresses import Addresses
from pitstream.cli.cards import money
from pitstream.cli.client import Client
from pitstream.cli.client import Json as JsonObject
from pitstream.cli.options import WRONG, DataDir, Json, Name, Patience, examples, plainly

app = typer.Typer(
    name="ledger",
    help="The wallet's double-entry ledger.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_show_locals=False,
)


@app.callback()
def _ledger() -> None:
    """The wallet's double-entry ledger."""


@app.command("check", epilog=examples("ledger check", "ledger check --json"))
def check(name: Name = "default", data_dir: DataDir = None, patience: Patience = 10, json: Json = False) -> None:
    """Prove that the ledger balances: every currency adds up to 0, every balance is the sum of its transfers, and what
    is held is the sum of the open holds.

    Exit code: 0 it balances, 1 it does not, 2 the wallet cannot be asked.
    """
    with plainly():
        addresses = platform.addresses_of(name=name, data_dir=data_dir)
        found = asyncio.run(ledger_check(addresses, patience_s=patience))
    if json:
        typer.echo(dumps(found, indent=2))
    else:
        show_check(found, Console())
    if not found["ok"]:
        raise typer.Exit(WRONG)


async def ledger_check(addresses: Addresses, *, patience_s: float) -> JsonObject:
    """The wallet's own proof, from one snapshot."""
    async with Client(addresses, patience_s=patience_s) as client:
        return await client.get("wallet", "/v1/ledger/check")


def show_check(found: JsonObject, console: Console) -> None:
    """Print the proof."""
    sums = ", ".join(f"{one['currency']} {money(one['sum'], one['currency'])}" for one in found["currencies"])
    word = "[green]the ledger balances[/]" if found["ok"] else "[bold red]THE LEDGER DOES NOT BALANCE[/]"
    console.print(
        f"{word}: all accounts add up to {sums}; {found['transfers']} transfers, {found['open_holds']} open holds"
    )
    for account in found["differing_accounts"]:
        console.print(f"[red]differs[/]: {account}")
