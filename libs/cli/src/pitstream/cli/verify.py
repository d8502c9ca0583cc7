"""``pitstream verify``: is an archive as it was signed? Needs the folder and the public key, and no service."""

from dataclasses import asdict
from json import dumps
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from pitstream.archive import SourceError
from pitstream.archive.verify import Verdict
from pitstream.archive.verify import verify as verified
from pitstream.cli.options import WRONG, Json, UnusableError, plainly
from pitstream.runtime.signing import KeyFileError, public_key

_SHOWN_MAX: Final = 50


def verify(
    directory: Annotated[Path, typer.Argument(help="The archive's folder, or one part of it.")],
    key: Annotated[
        Path, typer.Option("--public-key", envvar="PITSTREAM_PUBLIC_KEY", help="The public key of who signed it.")
    ],
    expect: Annotated[
        list[str] | None,
        typer.Option(help="A manifest's or checkpoint's hash that must be there, noted before; may be given again."),
    ] = None,
    json: Json = False,
) -> None:
    """Prove an archive from its files alone: signatures, files, every event's hash, place and chain, checkpoints.

    Whatever is not as it was signed is named: the file, and the event (stream, version, id) as far as it can be known.

    Exit code: 0 all of it is as it was signed, 1 something is not, 2 there is no archive or no key.
    """
    with plainly():
        columns = (SpinnerColumn(), TextColumn("verifying {task.completed:,} events"), TimeElapsedColumn())
        try:
            known = public_key(key)
            with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
                task = bar.add_task("", total=None)
                verdict = verified(
                    directory, known, expected=expect or (), progress=lambda events: bar.update(task, completed=events)
                )
        except (KeyFileError, SourceError) as error:
            raise UnusableError(str(error)) from error
    if json:
        typer.echo(dumps({"holds": verdict.holds, **asdict(verdict)}, indent=2))
    else:
        _show(verdict, Console())
    if not verdict.holds:
        raise typer.Exit(WRONG)


def _show(verdict: Verdict, console: Console) -> None:
    for fault in verdict.faults[:_SHOWN_MAX]:
        console.print(Text(f"{fault.code}: {fault}", "red"))
    left = len(verdict.faults) + verdict.more - _SHOWN_MAX
    if left > 0:
        console.print(Text(f"and {left:,} further faults; --json has up to 1,000", "red"))
    console.print(
        f"{verdict.parts:,} parts, {verdict.events:,} events, {verdict.checkpoints:,} checkpoints: "
        + ("all as they were signed" if verdict.holds else "not as they were signed")
    )
    if verdict.newest:
        console.print(f"newest part  {verdict.newest}")
