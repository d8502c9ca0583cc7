"""``pitstream up`` and ``down``, and ``pitstream services up|down|status``."""

import os
from json import dumps
from typing import Annotated, Any

import typer

from pitstream.cli import platform
from pitstream.cli.addresses import SERVICES, Addresses
from pitstream.cli.options import DataDir, Json, Name, examples, plainly
from pitstream.stack import StackError, stack
from pitstream.stack.cli import NOT_RUNNING

app = typer.Typer(
    name="services",
    help="The services: table, settlement, progressive, wallet and ops.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_show_locals=False,
)

Port = Annotated[int | None, typer.Option(help="Port of that service; else that of last time, else a free one.")]


@app.command("up", epilog=examples("services up", "services up --table-port 8081", "services up --name demo"))
def services_up(
    name: Name = "default",
    data_dir: DataDir = None,
    table_port: Port = None,
    settlement_port: Port = None,
    progressive_port: Port = None,
    wallet_port: Port = None,
    ops_port: Port = None,
    json: Json = False,
) -> None:
    """Start the services on the stack that runs, and wait until all are ready.

    The stack is the one named by PITSTREAM_KAFKA and PITSTREAM_POSTGRES, else the embedded one of this name.
    Telemetry is switched on by the usual OTEL_ variables.
    """
    given = (table_port, settlement_port, progressive_port, wallet_port, ops_port)
    ports = {service: port for service, port in zip(SERVICES, given, strict=True) if port is not None}
    with plainly():
        running = stack.external(os.environ) or stack.Stack(stack.home_of(name, data_dir))
        if running.status().state not in ("running", "external"):
            raise StackError(f"stack {name}: not running; start it with `pitstream stack up`, or all: `pitstream up`")
        addresses = platform.start(running, name=name, data_dir=data_dir, ports=ports)
    _show(addresses, json)


@app.command("down", epilog=examples("services down"))
def services_down(name: Name = "default", data_dir: DataDir = None, json: Json = False) -> None:
    """Stop the services. What they have in hand is finished, or done again after the next start."""
    with plainly():
        stopped = platform.stop(name=name, data_dir=data_dir)
    _stopped(stopped, json)


@app.command("status", epilog=examples("services status", "services status --json"))
def services_status(name: Name = "default", data_dir: DataDir = None, json: Json = False) -> None:
    """Show each service: is it ready, how often was it started again. Exits with 3 unless all are ready."""
    with plainly():
        found = platform.status(name=name, data_dir=data_dir)
    if json:
        rows: list[dict[str, Any]] = [{**service.model_dump(mode="json"), "url": url} for service, url in found]
        typer.echo(dumps(rows, indent=2))
    for service, url in () if json else found:
        word = "not running" if service.pid is None else "ready" if service.ready else "not ready"
        typer.echo(f"{service.name:<12} {word:<12} {url}  started again {service.restarts} times  log {service.log}")
    if not found and not json:
        typer.echo("no services were started here")
    if not found or not all(service.pid and service.ready for service, _ in found):
        raise typer.Exit(NOT_RUNNING)


def up(
    name: Name = "default",
    data_dir: DataDir = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Delete the data of last time first.")] = False,
    json: Json = False,
) -> None:
    """Start everything: Apache Kafka, PostgreSQL and the services. What runs already is left alone."""
    with plainly():
        if fresh:
            platform.stop(name=name, data_dir=data_dir)
        addresses = platform.start(stack.up(name=name, data_dir=data_dir, fresh=fresh), name=name, data_dir=data_dir)
    _show(addresses, json)


def down(
    name: Name = "default",
    data_dir: DataDir = None,
    purge: Annotated[bool, typer.Option("--purge", help="Delete the data too.")] = False,
    json: Json = False,
) -> None:
    """Stop everything: the services, then PostgreSQL and Apache Kafka. The data stays for the next `up`."""
    with plainly():
        stopped = platform.stop(name=name, data_dir=data_dir)
        stopped += stack.down(name=name, data_dir=data_dir, purge=purge)
    _stopped(stopped, json)


def _show(addresses: Addresses, json: bool) -> None:
    if json:
        typer.echo(addresses.model_dump_json(indent=2))
        return
    for service in SERVICES:
        typer.echo(f"{service:<12} {addresses.of(service)}")


def _stopped(names: list[str], json: bool) -> None:
    if json:
        typer.echo(dumps({"stopped": names}))
    else:
        typer.echo(f"stopped {', '.join(names)}" if names else "nothing was running")
