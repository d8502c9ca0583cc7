"""``pitstream rebuild``: a projection made anew from its events, and put in the place of the one in use."""

import asyncio
from dataclasses import asdict
from importlib import import_module
from json import dumps
from typing import Annotated

import typer

from pitstream.cli.invariants import SERVICES
from pitstream.cli.options import WRONG, DataDir, Json, Name, UnusableError, plainly
from pitstream.cli.sources import postgres_of
from pitstream.runtime.postgres import PostgresRefusedError
from pitstream.runtime.rebuild import DiffersError, Projection, RebuildError
from pitstream.runtime.rebuild import rebuild as make_anew


def rebuild(
    service: Annotated[str, typer.Argument(help=f"One of {', '.join(SERVICES)}.")],
    projection: Annotated[str | None, typer.Argument(help="Its projection; left out, they are listed.")] = None,
    repair: Annotated[bool, typer.Option("--repair", help="Exchange them also where they differ.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Compare, and exchange nothing.")] = False,
    name: Name = "default",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Make a projection anew from the service's events, beside the one in use, while the service goes on. It is
    compared row by row; only an equal one takes the other's place, in one transaction, or with --repair any.

    Exit code: 0 done, 1 they differ and nothing was exchanged (the first row that differs is named), 2 it could not be
    carried out.
    """
    with plainly():
        known = projections_of(service)
        if projection is None:
            for one in known.values():
                typer.echo(f"{one.name}: {', '.join(one.tables)}")
            return
        if projection not in known:
            raise UnusableError(f"projection: was {projection!r}; {service} has {', '.join(known)}")
        postgres = postgres_of(name=name, data_dir=data_dir)
        try:
            done = asyncio.run(make_anew(postgres, service, known[projection], repair=repair, dry_run=dry_run))
        except (PostgresRefusedError, RebuildError) as error:
            raise UnusableError(str(error)) from error
        except DiffersError as differs:
            found = differs.difference
            typer.echo(dumps(asdict(found), default=str) if json else f"DIFFERS  {found}", err=not json)
            raise typer.Exit(WRONG) from differs
    if json:
        typer.echo(dumps(asdict(done), default=str))
        return
    rows = ", ".join(f"{count} rows of {table}" for table, count in done.rows.items())
    held = "nothing was exchanged" if dry_run else f"exchanged, writers waited {done.held_ms} ms"
    typer.echo(f"{service} {projection}: {done.events} events, {rows}; {held}")
    if done.difference is not None:
        typer.echo(f"they differed: {done.difference}")


def projections_of(service: str) -> dict[str, Projection]:
    """What can be made anew of a service, by name. Raises UnusableError."""
    if service not in SERVICES:
        raise UnusableError(f"service: was {service!r}; allowed: {', '.join(SERVICES)}")
    try:
        module = import_module(f"pitstream.services.{service}.projections")
    except ModuleNotFoundError as error:
        raise UnusableError(f"service: {service} is not installed here, and its projections come with it") from error
    return {one.name: one for one in module.PROJECTIONS}
