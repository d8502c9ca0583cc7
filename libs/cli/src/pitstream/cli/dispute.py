"""``pitstream dispute``: what somebody says about a round, and what a floorperson decides."""

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
from pitstream.cli.options import DataDir, Json, Name, Patience, UnusableError, examples, plainly

FLOORPERSON = "floorperson"
app = typer.Typer(
    name="dispute",
    help="Disputes about rounds: opened, statements taken down, decided. Money moves by `pitstream correct` only.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_show_locals=False,
)

Round = Annotated[str, typer.Argument(help="table/round_no, or the id of its round record.")]
Dispute = Annotated[str, typer.Argument(help="table/round_no/number, as `open` answers it.")]


@app.command(
    "open",
    epilog=examples(
        'dispute open uth-04/17 --seat 3 --text "The player says the second card was the ten of hearts."',
        'dispute open r00123 --text "Two players say that the board was misread." --json',
    ),
)
def open_(
    round: Round,  # noqa: A002  # the floor's word
    text: Annotated[str, typer.Option(help="What is not agreed with, at most 2,000 characters.")],
    seat: Annotated[int | None, typer.Option(help="Whose seat it is about.", min=1, max=7)] = None,
    patience: Patience = 10,
    name: Name = "default",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Open a dispute about a round, in the role of a floorperson.

    Exit code: 0 it is open, 1 it was refused, 2 the services cannot be asked.
    """
    body: dict[str, Any] = {"text": text} if seat is None else {"text": text, "seat": seat}
    with plainly():
        addresses = platform.addresses_of(name=name, data_dir=data_dir)
        found = asyncio.run(_open(addresses, round, body, patience))
    _print(found, json)


@app.command(
    "state",
    epilog=examples('dispute state uth-04/17/1 --said-by "dealer d.okafor" --text "I called the ten of diamonds."'),
)
def state(
    dispute: Dispute,
    said_by: Annotated[str, typer.Option(help="Who said it.")],
    text: Annotated[str, typer.Option(help="In whose words, at most 2,000 characters.")],
    patience: Patience = 10,
    name: Name = "default",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Take down what somebody says about it. Nobody changes it afterwards.

    Exit code: 0 it was taken down, 1 it was refused, 2 the services cannot be asked.
    """
    body = {"said_by": said_by, "text": text}
    with plainly():
        addresses = platform.addresses_of(name=name, data_dir=data_dir)
        found = asyncio.run(_go_on(addresses, dispute, "statements", body, patience))
    _print(found, json)


@app.command(
    "decide",
    epilog=examples('dispute decide uth-04/17/1 upheld --reason "Camera 4 shows the ten of hearts."'),
)
def decide(
    dispute: Dispute,
    decision: Annotated[Literal["upheld", "denied"], typer.Argument(help="What was decided.")],
    reason: Annotated[str, typer.Option(help="Why.")],
    patience: Patience = 10,
    name: Name = "default",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Uphold or deny it, once.

    Exit code: 0 it is decided, 1 it was refused, 2 the services cannot be asked.
    """
    body = {"decision": decision, "reason": reason}
    with plainly():
        addresses = platform.addresses_of(name=name, data_dir=data_dir)
        found = asyncio.run(_go_on(addresses, dispute, "decision", body, patience))
    _print(found, json)


@app.command("list", epilog=examples("dispute list", "dispute list --table uth-04 --state open --json"))
def list_disputes(
    table: Annotated[str | None, typer.Option(help="Only those of this table.")] = None,
    state: Annotated[Literal["open", "upheld", "denied"] | None, typer.Option(help="Only those in this state.")] = None,
    patience: Patience = 10,
    name: Name = "default",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """List disputes in the order in which they were opened."""
    query: dict[str, str | int] = {k: v for k, v in (("table", table), ("state", state)) if v is not None}
    with plainly():
        addresses = platform.addresses_of(name=name, data_dir=data_dir)
        found = asyncio.run(_list(addresses, query, patience))
    if json:
        typer.echo(dumps(found, indent=2))
        return
    rows = Table("dispute", "seat", "state", "statements", "about")
    for one in found:
        rows.add_row(_name(one), str(one["seat"] or ""), one["state"], str(len(one["statements"])), one["text"])
    Console().print(rows if found else "no disputes")


@app.command("show", epilog=examples("dispute show uth-04/17/1", "dispute show uth-04/17/1 --json"))
def show(
    dispute: Dispute,
    patience: Patience = 10,
    name: Name = "default",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Show a dispute with all that was said."""
    with plainly():
        addresses = platform.addresses_of(name=name, data_dir=data_dir)
        found = asyncio.run(_show(addresses, dispute, patience))
    _print(found, json)


def round_named(name: str) -> tuple[str, int]:
    """Table and number of ``table/round_no``. Raises UnusableError."""
    table, _, number = name.rpartition("/")
    if not table or not number.isdecimal():
        raise UnusableError(f"round: was {name!r}; allowed: table/round_no, such as uth-04/17")
    return table, int(number)


async def find_round(client: Client, name: str) -> tuple[str, int]:
    """The same, also of a round record's id that one round has."""
    if "/" in name:
        return round_named(name)
    found = await client.rows("table", "/v1/rounds", round_id=name)
    if len(found) != 1:
        named = ", ".join(f"{one['table']}/{one['round_no']}" for one in found) or "none"
        raise UnusableError(f"round: was {name!r}; allowed: table/round_no, or an id that one round has, not {named}")
    return found[0]["table"], found[0]["round_no"]


def _place(dispute: str) -> str:
    named, _, number = dispute.rpartition("/")
    if not number.isdecimal() or "/" not in named:
        raise UnusableError(f"dispute: was {dispute!r}; allowed: table/round_no/number, such as uth-04/17/1")
    table, round_no = round_named(named)
    return f"/v1/tables/{table}/rounds/{round_no}/disputes/{number}"


async def _open(addresses: Addresses, name: str, body: dict[str, Any], patience_s: float) -> dict[str, Any]:
    async with Client(addresses, patience_s=patience_s) as client:
        table, round_no = await find_round(client, name)
        path = f"/v1/tables/{table}/rounds/{round_no}/disputes"
        return await client.command("table", path, body, command_id=uuid.uuid4(), by=FLOORPERSON)


async def _go_on(
    addresses: Addresses, dispute: str, step: str, body: dict[str, Any], patience_s: float
) -> dict[str, Any]:
    async with Client(addresses, patience_s=patience_s) as client:
        path = f"{_place(dispute)}/{step}"
        return await client.command("table", path, body, command_id=uuid.uuid4(), by=FLOORPERSON)


async def _list(addresses: Addresses, query: dict[str, str | int], patience_s: float) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    async with Client(addresses, patience_s=patience_s) as client:
        async for page in client.pages("table", "/v1/disputes", "disputes", limit=200, **query):
            found += page
    return found


async def _show(addresses: Addresses, dispute: str, patience_s: float) -> dict[str, Any]:
    async with Client(addresses, patience_s=patience_s) as client:
        return await client.get("table", _place(dispute))


def _name(dispute: dict[str, Any]) -> str:
    return f"{dispute['table']}/{dispute['round_no']}/{dispute['number']}"


def _print(dispute: dict[str, Any], as_json: bool) -> None:
    if as_json:
        typer.echo(dumps(dispute, indent=2))
        return
    about = f", seat {dispute['seat']}" if dispute["seat"] else ""
    lines = [f"{dispute['text']}", f"  opened by {dispute['opened_by']}{about}"]
    lines += [f"{one['statement']}. {one['said_by']}: {one['text']}" for one in dispute["statements"]]
    if dispute["decided_by"] is not None:
        lines.append(f"{dispute['state']} by {dispute['decided_by']}: {dispute['reason']}")
    Console().print(Panel("\n".join(lines), title=f"dispute {_name(dispute)}: {dispute['state']}", title_align="left"))
