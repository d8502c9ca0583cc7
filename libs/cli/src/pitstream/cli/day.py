"""``pitstream day``: a gaming day's tables in figures, and its close."""

import asyncio
import uuid
from fractions import Fraction
from json import dumps
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pitstream.cli import platform
from pitstream.cli.addresses import Addresses
from pitstream.cli.cards import money, signed
from pitstream.cli.client import Client, Json
from pitstream.cli.options import WRONG, DataDir, Name, Patience, examples, plainly
from pitstream.cli.options import Json as AsJson

app = typer.Typer(
    name="day",
    help="A gaming day's tables in figures, and its close.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_show_locals=False,
)

GamingDay = Annotated[str, typer.Argument(help="The gaming day, YYYY-MM-DD.")]
Property = Annotated[str | None, typer.Option(help="Only this property's tables: local, acme, acme.boardwalk.")]


@app.callback()
def _day() -> None:
    """A gaming day's tables in figures, and its close."""


@app.command(
    "report",
    epilog=examples("day report 2026-03-28", "day report 2026-03-28 --per game", "day report 2026-03-28 --json"),
)
def report(
    day: GamingDay,
    per: Annotated[Literal["table", "game", "shift", "day"], typer.Option(help="What the figures are of.")] = "table",
    property: Property = None,  # noqa: A002  # the floor's word
    patience: Patience = 10,
    name: Name = "default",
    data_dir: DataDir = None,
    json: AsJson = False,
) -> None:
    """Win, hold and theoretical win: as counted at the tables, as settled, and the difference. Amounts in ``--json``
    are minor units, shares exact fractions.

    Exit code: 0 it was told, 2 the wallet cannot be asked.
    """
    with plainly():
        rows = asyncio.run(
            figures(platform.addresses_of(name=name, data_dir=data_dir), day, per, property, patience_s=patience)
        )
    if json:
        typer.echo(dumps(rows, indent=2))
    else:
        show(rows, per, Console())


@app.command("close", epilog=examples("day close 2026-03-28", "day close 2026-03-28 --property acme.boardwalk --json"))
def close(
    day: GamingDay,
    property: Annotated[str, typer.Option(help="Whose tables: local, acme, acme.boardwalk.")] = "local",  # noqa: A002
    patience: Patience = 60,
    name: Name = "default",
    data_dir: DataDir = None,
    json: AsJson = False,
) -> None:
    """Close the day of every table of a property: its figures are fixed, and change by a correction of two people only.
    A table that is closed already stays as it was closed.

    Exit code: 0 every table is closed, 1 one cannot be closed yet, 2 the wallet cannot be asked.
    """
    with plainly():
        found = asyncio.run(
            closed(platform.addresses_of(name=name, data_dir=data_dir), day, property, patience_s=patience)
        )
    if json:
        typer.echo(dumps(found, indent=2))
    else:
        typer.echo(f"gaming day {day} of {property}: {len(found['closed'])} tables closed, {len(found['open'])} open")
        for one in found["open"]:
            typer.echo(f"open: {one['table']} in {one['currency']}: {one['code']}: {one['detail']}")
    if found["open"]:
        raise typer.Exit(WRONG)


async def figures(addresses: Addresses, day: str, per: str, owner: str | None, *, patience_s: float) -> list[Json]:
    """The tables' days, or their totals."""
    query = {} if owner is None else {"property": owner}
    async with Client(addresses, patience_s=patience_s) as client:
        if per != "table":
            answer = await client.get(
                "wallet", f"/v1/gaming-days/{day}/totals", by="auditor", wait_ms=0, per=per, **query
            )
            return list(answer["totals"])
        rows: list[Json] = []
        async for page in client.pages("wallet", f"/v1/gaming-days/{day}/tables", "tables", limit=200, **query):
            rows += page
        return rows


async def closed(addresses: Addresses, day: str, owner: str, *, patience_s: float) -> Json:
    """What closing the day came to."""
    async with Client(addresses, patience_s=patience_s) as client:
        path = f"/v1/gaming-days/{day}/close"
        return await client.command("wallet", path, {"property": owner}, command_id=uuid.uuid4(), by="auditor")


def show(rows: list[Json], per: str, console: Console) -> None:
    """Print the figures, one line a table or total."""
    if not rows:
        console.print("nothing was dealt or counted")
        return
    table = Table(per)
    for column in ("drop", "counted win", "hold", "handle", "settled win", "theoretical", "counted - settled", ""):
        table.add_column(column, justify="right")
    for row in rows:
        counted, sums, currency = row["counted"], row["settled"], row["currency"]
        win = counted and counted["win"]
        table.add_row(
            f"{row[per]} {currency}",
            money(counted["drop"], currency) if counted else "",
            "" if win is None else signed(win, currency),
            _percent(counted and counted["hold"]),
            money(sums["handle"], currency),
            signed(sums["win"], currency),
            money(round(Fraction(sums["theoretical_win"])), currency) + (" +?" if sums["unpriced"] else ""),
            "" if row.get("counted_less_settled") is None else signed(row["counted_less_settled"], currency),
            _state(row),
        )
    console.print(table)
    if any(row["settled"]["unpriced"] for row in rows):
        console.print("+?: and that of wagers whose edge is not known", style="dim")


def _percent(share: str | None) -> str:
    """A share to a hundredth of a percent.

    >>> _percent("1/3"), _percent("-1/8"), _percent(None)
    ('33.33%', '-12.50%', '')
    """
    if share is None:
        return ""
    hundredths = round(Fraction(share) * 10_000)
    return f"{'-' if hundredths < 0 else ''}{abs(hundredths) // 100}.{abs(hundredths) % 100:02}%"


def _state(row: Json) -> Text:
    if "state" not in row:
        return Text("")
    late = len(row["late_rounds"])
    return Text(
        row["state"] + (f", {late} late" if late else ""), "yellow" if late or row["state"] == "open" else "green"
    )
