"""``pitstream ops``: the ops room's read models, made anew."""

import asyncio
from dataclasses import asdict
from json import dumps
from pathlib import Path
from typing import Annotated

import typer

from pitstream.cli.options import WRONG, DataDir, Json, Name, UnusableError, examples, plainly
from pitstream.cli.sources import postgres_of
from pitstream.runtime.postgres import PostgresRefusedError
from pitstream.runtime.rebuild import DiffersError, RebuildError, rebuild

app = typer.Typer(
    name="ops",
    help="The ops room: its read models follow from events, and can be made anew at any time.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_show_locals=False,
)


@app.callback()
def _ops() -> None:
    """The ops room: its read models follow from events, and can be made anew at any time."""


@app.command("rebuild", epilog=examples("ops rebuild", "ops rebuild --dry-run", "ops rebuild --repair --name demo"))
def rebuild_room(
    repair: Annotated[bool, typer.Option("--repair", help="Exchange them also where they differ.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Compare, and exchange nothing.")] = False,
    properties: Annotated[
        Path | None,
        typer.Option(envvar="PITSTREAM_OPS_PROPERTIES", help="The file of the properties' clocks.", dir_okay=False),
    ] = None,
    name: Name = "default",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Make the read models anew from the events that they were made from, beside those in use, while the ops room goes
    on. They are compared row by row; only equal ones take the others' place, in one transaction, or with --repair any.

    Exit code: 0 done, 1 they differ and nothing was exchanged (the first row that differs is named), 2 it could not be
    carried out.
    """
    # Imported here: nobody else waits for what the ops room is made of.
    from pitstream.services.ops.projections import room

    with plainly():
        postgres = postgres_of(name=name, data_dir=data_dir)
        try:
            done = asyncio.run(rebuild(postgres, "ops", room(properties), repair=repair, dry_run=dry_run))
        except (PostgresRefusedError, RebuildError) as error:
            raise UnusableError(str(error)) from error
        except DiffersError as differs:
            found = differs.difference
            typer.echo(dumps(asdict(found), default=str) if json else f"DIFFERS  {found}", err=not json)
            raise typer.Exit(WRONG) from differs
    if json:
        typer.echo(dumps(asdict(done), default=str))
        return
    held = "nothing was exchanged" if dry_run else f"exchanged, writers waited {done.held_ms} ms"
    typer.echo(f"{done.events} events, {sum(done.rows.values())} rows of {len(done.rows)} tables; {held}")
