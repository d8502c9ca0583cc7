"""The commands `up`, `status` and `down`, to be mounted as `pitstream stack`."""

from collections.abc import Iterator
from contextlib import contextmanager
from json import dumps
from pathlib import Path
from typing import Annotated

import typer

from pitstream.stack import stack
from pitstream.stack.process import StackError
from pitstream.stack.stack import Status

app = typer.Typer(
    name="stack",
    help="Apache Kafka and PostgreSQL from packages, for demo, development and tests.",
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
)

NOT_RUNNING = 3  # what service managers answer for a service that is stopped

Name = Annotated[
    str, typer.Option(help="Which stack: each name has its own folder, ports and data.", envvar="PITSTREAM_STACK")
]
DataDir = Annotated[
    Path | None,
    typer.Option(
        help="Folder of the stack, instead of one in the user's cache.", file_okay=False, envvar="PITSTREAM_DATA_DIR"
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def _examples(*lines: str) -> str:
    return "\n\n".join(["Examples:", *(f"pitstream stack {line}" for line in lines)])


@app.command(epilog=_examples("up", "up --brokers 3 --name cluster", "up --fresh --kafka-port 9092"))
def up(
    name: Name = "default",
    data_dir: DataDir = None,
    brokers: Annotated[int | None, typer.Option(help="Brokers; 1 unless the folder was made for more.")] = None,
    kafka_port: Annotated[
        int | None, typer.Option(help="Port of the first broker, the others take the next ones; else a free port.")
    ] = None,
    postgres_port: Annotated[int | None, typer.Option(help="Port of PostgreSQL; else a free port.")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Delete the data of last time first.")] = False,
    json: Json = False,
) -> None:
    """Start what doesn't run yet and wait until all of it serves.

    With PITSTREAM_KAFKA and PITSTREAM_POSTGRES set, nothing is started: those are used.
    """
    with _plainly():
        running = stack.up(
            name=name,
            data_dir=data_dir,
            brokers=brokers,
            kafka_port=kafka_port,
            postgres_port=postgres_port,
            fresh=fresh,
        )
        _show(running.status(), json)


@app.command(epilog=_examples("prepare"))
def prepare() -> None:
    """Download Kafka and make its later starts twice as quick. Once per machine; `up` works without."""
    with _plainly():
        stack.prepare()


@app.command(epilog=_examples("status", "status --json"))
def status(name: Name = "default", data_dir: DataDir = None, json: Json = False) -> None:
    """Show what runs, and where. Exits with 3 unless all of it runs."""
    with _plainly():
        found = stack.status(name=name, data_dir=data_dir)
    _show(found, json)
    if found.state not in ("running", "external"):
        raise typer.Exit(NOT_RUNNING)


@app.command(epilog=_examples("down", "down --purge"))
def down(
    name: Name = "default",
    data_dir: DataDir = None,
    purge: Annotated[bool, typer.Option("--purge", help="Delete the data too.")] = False,
    json: Json = False,
) -> None:
    """Stop what runs. The data stays for the next `up`, unless it is purged."""
    with _plainly():
        stopped = stack.down(name=name, data_dir=data_dir, purge=purge)
    if json:
        typer.echo(dumps({"stopped": stopped}))
    else:
        typer.echo(f"stopped {', '.join(stopped)}" if stopped else "nothing was running")


@contextmanager
def _plainly() -> Iterator[None]:
    """An error that the user can act on is a line, not a traceback."""
    try:
        yield
    except StackError as fault:
        typer.echo(f"error: {fault}", err=True)
        raise typer.Exit(1) from fault


def _show(status: Status, json: bool) -> None:
    if json:
        typer.echo(status.model_dump_json(indent=2))
        return
    where = "addresses from the environment" if status.home is None else str(status.home)
    typer.echo(f"{status.state}: {where}")
    for part in status.parts:
        typer.echo(f"  {part.name:<9} {part.address}  {f'pid {part.pid}' if part.pid else 'not running'}")
    if status.state == "external":
        typer.echo(f"  kafka     {status.kafka}\n  postgres  {status.postgres}")
