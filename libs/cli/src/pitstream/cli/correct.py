"""``pitstream correct``: facts of a round that were recorded wrong, put right by two people."""

import asyncio
import uuid
from json import dumps
from typing import Annotated, Any, Literal

import typer
from rich.console import Console
from rich.panel import Panel
from rich.table import Table

from pitstream.cli import platform
from pitstream.cli.addresses import Addresses
from pitstream.cli.client import Client
from pitstream.cli.dispute import Round, find_round, round_named
from pitstream.cli.facts import read_facts, told
from pitstream.cli.options import DataDir, Json, Name, Patience, UnusableError, examples, plainly

app = typer.Typer(
    name="correct",
    help="Corrections of rounds: one person proposes, another confirms; then the round is settled and posted anew.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_show_locals=False,
)

Correction = Annotated[str, typer.Argument(help="table/round_no/number, as `propose` answers it.")]
As = Annotated[
    Literal["floorperson", "auditor"], typer.Option("--as", help="In which role, where there is a key for each.")
]


@app.command(
    "propose",
    epilog=examples(
        'correct propose uth-04/17 --set seat3.card2=Th --reason "camera 4: hearts, not diamonds" --dispute 1',
        'correct propose uth-04/17 --set seat2.trips=0 --reason "the chip lay on the line"',
        'correct propose uth-04/17 --set seat2.decision1=check --set seat2.decision2=2x --reason "read out late"',
        'correct propose uth-04/17 --set seat2.seat=3 --reason "the bet was the next seat\'s"',
    ),
)
def propose(
    round: Round,  # noqa: A002  # the floor's word
    facts: Annotated[list[str], typer.Option("--set", help="A fact as it was: seat3.card2=Th, seat2.trips=0.")],
    reason: Annotated[str, typer.Option(help="Why, in words that stay for good.")],
    dispute: Annotated[int | None, typer.Option(help="The dispute that it comes of.", min=1)] = None,
    role: As = "floorperson",
    patience: Patience = 10,
    name: Name = "default",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Say which facts of a finished round were recorded wrong. Nothing changes before somebody else confirms it.

    Exit code: 0 it is proposed, 1 it was refused (the answer names the fact), 2 the services cannot be asked.
    """
    with plainly():
        addresses = platform.addresses_of(name=name, data_dir=data_dir)
        found = asyncio.run(_propose(addresses, round, facts, reason, dispute, role, patience))
    _print(found, json)


@app.command("confirm", epilog=examples("correct confirm uth-04/17/1", "correct confirm uth-04/17/1 --as floorperson"))
def confirm(
    correction: Correction,
    role: As = "auditor",
    patience: Patience = 10,
    name: Name = "default",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Agree with what somebody else proposed: the round is settled anew, and the ledger reverses and posts again.

    Exit code: 0 it is confirmed, 1 it was refused, 2 the services cannot be asked.
    """
    with plainly():
        addresses = platform.addresses_of(name=name, data_dir=data_dir)
        found = asyncio.run(_end(addresses, correction, "confirm", {}, role, patience))
    _print(found, json)


@app.command("decline", epilog=examples('correct decline uth-04/17/1 --reason "the camera does not show the card"'))
def decline(
    correction: Correction,
    reason: Annotated[str, typer.Option(help="Why.")],
    role: As = "auditor",
    patience: Patience = 10,
    name: Name = "default",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Do not agree with what was proposed, or take back an own proposal.

    Exit code: 0 it is declined, 1 it was refused, 2 the services cannot be asked.
    """
    with plainly():
        addresses = platform.addresses_of(name=name, data_dir=data_dir)
        found = asyncio.run(_end(addresses, correction, "decline", {"reason": reason}, role, patience))
    _print(found, json)


@app.command("list", epilog=examples("correct list", "correct list --state proposed --json"))
def list_corrections(
    table: Annotated[str | None, typer.Option(help="Only those of this table.")] = None,
    state: Annotated[
        Literal["proposed", "confirmed", "declined"] | None, typer.Option(help="Only those in this state.")
    ] = None,
    patience: Patience = 10,
    name: Name = "default",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """List corrections in the order in which they were proposed."""
    query: dict[str, str | int] = {k: v for k, v in (("table", table), ("state", state)) if v is not None}
    with plainly():
        addresses = platform.addresses_of(name=name, data_dir=data_dir)
        found = asyncio.run(_list(addresses, query, patience))
    if json:
        typer.echo(dumps(found, indent=2))
        return
    rows = Table("correction", "state", "facts", "reason")
    for one in found:
        rows.add_row(_name(one), one["state"], "; ".join(map(told, one["facts"])), one["reason"])
    Console().print(rows if found else "no corrections")


async def _propose(
    addresses: Addresses,
    name: str,
    facts: list[str],
    reason: str,
    dispute: int | None,
    role: str,
    patience_s: float,
) -> dict[str, Any]:
    async with Client(addresses, patience_s=patience_s) as client:
        table, round_no = await find_round(client, name)
        path = f"/v1/tables/{table}/rounds/{round_no}"
        in_force = await client.get("table", f"{path}/facts")
        body: dict[str, Any] = {"facts": read_facts(facts, in_force["record"]), "reason": reason}
        if dispute is not None:
            body["dispute"] = dispute
        return await client.command("table", f"{path}/corrections", body, command_id=uuid.uuid4(), by=role)


async def _end(
    addresses: Addresses, correction: str, step: str, body: dict[str, Any], role: str, patience_s: float
) -> dict[str, Any]:
    named, _, number = correction.rpartition("/")
    if not number.isdecimal() or "/" not in named:
        raise UnusableError(f"correction: was {correction!r}; allowed: table/round_no/number, such as uth-04/17/1")
    table, round_no = round_named(named)
    path = f"/v1/tables/{table}/rounds/{round_no}/corrections/{number}/{step}"
    async with Client(addresses, patience_s=patience_s) as client:
        return await client.command("table", path, body, command_id=uuid.uuid4(), by=role)


async def _list(addresses: Addresses, query: dict[str, str | int], patience_s: float) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    async with Client(addresses, patience_s=patience_s) as client:
        async for page in client.pages("table", "/v1/corrections", "corrections", limit=200, **query):
            found += page
    return found


def _name(correction: dict[str, Any]) -> str:
    return f"{correction['table']}/{correction['round_no']}/{correction['number']}"


def _print(correction: dict[str, Any], as_json: bool) -> None:
    if as_json:
        typer.echo(dumps(correction, indent=2))
        return
    lines = [told(fact) for fact in correction["facts"]]
    lines.append(f"proposed by {correction['proposed_by']}: {correction['reason']}")
    if correction["decided_by"] is not None:
        because = f": {correction['declined_because']}" if correction["declined_because"] else ""
        lines.append(f"{correction['state']} by {correction['decided_by']}{because}")
    title = f"correction {_name(correction)}: {correction['state']}"
    Console().print(Panel("\n".join(lines), title=title, title_align="left"))
