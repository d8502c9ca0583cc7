"""``pitstream feed``: play a file of rounds through the running services and see what it came to."""

import asyncio
import sys
import time
from collections.abc import Sequence
from fractions import Fraction
from json import dumps
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from pitstream.cli import platform
from pitstream.cli.addresses import Addresses
from pitstream.cli.client import Client
from pitstream.cli.evening import MeterTerms, evening_of
from pitstream.cli.floor import Floor
from pitstream.cli.options import (
    WRONG,
    DataDir,
    Json,
    Name,
    Patience,
    PaytableFile,
    UnusableError,
    paytables_with,
    plainly,
)
from pitstream.cli.report import Report, compare, show
from pitstream.cli.results import Results, differences
from pitstream.cli.tally import tally
from pitstream.games.paytables import Paytables


def feed(
    file: Annotated[str, typer.Argument(help="Round records, one a line; - reads standard input.")],
    expect: Annotated[
        Path | None, typer.Option(help="What it must come to: players, totals, meters and rounds.", dir_okay=False)
    ] = None,
    tables_at_once: Annotated[int, typer.Option(help="Tables that play at the same time.", min=1)] = 8,
    rounds_per_s: Annotated[
        float, typer.Option(help="Pace at which rounds begin, all tables together; 0: as soon as each may.", min=0)
    ] = 0.0,
    meter_start: Annotated[
        int | None, typer.Option(help="What meters open with, minor units; else their seed.", min=0)
    ] = None,
    rate: Annotated[str, typer.Option(help="Share of each progressive stake that feeds a meter.")] = "1/5",
    network_suffix: Annotated[
        str, typer.Option(help="Added to the names of networks: meters of their own for this feed.")
    ] = "",
    paytables: PaytableFile = None,
    patience: Patience = 120,
    name: Name = "default",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Play round records through the services, as dealers' terminals and players' devices would.

    Every command has an id made from its round, so that playing a file again, or going on after a crash of the feed or
    of any service, changes nothing that happened before. A service that is away is waited for. Rounds that take a
    share of a meter wait for all earlier rounds of their network, so that shares come out as in the file.

    A record that is wrong or cannot be played is named and left out; the others are played.

    Exit code: 0 all was played (and is as expected), 1 a record was left out or something differs, 2 the feed could not
    be carried out.
    """
    out, err = Console(), Console(stderr=True)
    with plainly():
        lines = record_lines(file)
        expected = None if expect is None else expected_results(expect)
        known = paytables_with(paytables)
        terms = MeterTerms(meter_start, rate=_rate(rate), network_suffix=network_suffix)
        addresses = platform.addresses_of(name=name, data_dir=data_dir)
        report = asyncio.run(
            play(
                lines,
                addresses,
                terms=terms,
                tables_at_once=tables_at_once,
                rounds_per_s=rounds_per_s,
                patience_s=patience,
                progress_on=err,
                paytables=known,
            )
        )
    wrong = [] if expected is None else differences(report.results, expected)
    if json:
        typer.echo(dumps({**report.as_json(), "differences": wrong}, indent=2))
    else:
        show(report, out)
        if expect is not None:
            compare(wrong, out, expected=expect)
    if wrong or report.faults:
        raise typer.Exit(WRONG)


async def play(
    lines: Sequence[bytes],
    addresses: Addresses,
    *,
    terms: MeterTerms,
    tables_at_once: int,
    patience_s: float,
    progress_on: Console,
    rounds_per_s: float = 0.0,
    paytables: Paytables | None = None,
) -> Report:
    """Play the records and wait until all of it is posted.

    Raises UnreachableError when a service stays away.
    """
    evening = evening_of(lines, terms, paytables)
    began = time.monotonic()
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=progress_on,
        transient=True,
        disable=not progress_on.is_terminal,
    )
    async with Client(addresses, patience_s=patience_s) as client:
        with bar:
            task = bar.add_task("rounds", total=len(evening.rounds))
            floor = Floor(
                client,
                tables_at_once=tables_at_once,
                rounds_per_s=rounds_per_s,
                patience_s=patience_s,
                report=lambda: bar.advance(task),
            )
            await floor.open_networks(evening.networks)
            await floor.deposit(evening.needs, evening.identity)
            played = await floor.play(evening.rounds)
            bar.update(task, description="posting")
            seconds = time.monotonic() - began
            results, told = await tally(client, floor, played, patience_s=patience_s)
        return Report(
            results=results,
            worth_telling=told,
            currencies=tuple(sorted({one.played.currency for one in evening.rounds})),
            faults=(*evening.faults, *floor.faults),
            notes=tuple(
                f"{one.id}: not played: {one.script.left_out}" for one in evening.rounds if one.script.left_out
            ),
            seconds=seconds,
            posted_seconds=time.monotonic() - began,
            latencies_s=client.latencies_s,
            repeated=client.repeated,
        )


def record_lines(file: str) -> list[bytes]:
    """The lines of a file, or of standard input for ``-``. Raises UnusableError."""
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as fault:
        raise UnusableError(f"{file}: {fault.strerror}") from fault
    return data.split(b"\n")  # as a file is read line by line: a carriage return alone ends none


def expected_results(file: Path) -> Results:
    """What a feed must come to. Raises UnusableError."""
    try:
        return Results.model_validate_json(file.read_bytes())
    except OSError as fault:
        raise UnusableError(f"{file}: {fault.strerror}") from fault
    except ValidationError as fault:
        raise UnusableError(f"{file}: not what a feed comes to: {fault}") from fault


def _rate(text: str) -> Fraction:
    try:
        rate = Fraction(text)
    except (ValueError, ZeroDivisionError):
        rate = Fraction(-1)
    if not 0 <= rate <= 1:
        raise UnusableError(f"rate: was {text!r}; allowed: a share of the stake from 0 to 1, such as 1/5")
    return rate
