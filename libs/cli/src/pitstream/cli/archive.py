"""``pitstream archive``: a gaming day's events as Parquet files, with a signed list of them."""

import asyncio
from contextlib import AsyncExitStack
from json import dumps
from pathlib import Path
from typing import Annotated, Final

import typer
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from pitstream.archive import TOPICS, SourceError, StoreSource
from pitstream.archive.manifest import Part
from pitstream.archive.write import CorruptError, archive_day, is_day
from pitstream.cli.options import WRONG, DataDir, Json, Name, UnusableError, plainly
from pitstream.cli.sources import postgres_of
from pitstream.runtime.signing import KeyFileError, private_key

SIGNING_KEY: Final = "PITSTREAM_SIGNING_KEY"

SigningKey = Annotated[
    str | None,
    typer.Option(
        "--key",
        envvar=SIGNING_KEY,
        help="The private key: a file, file:/path, or env:NAME for its text in an environment variable.",
        show_envvar=True,
    ),
]


def archive(
    day: Annotated[str, typer.Option(help="The gaming day, YYYY-MM-DD.")],
    out: Annotated[Path, typer.Option(help="The archive's folder.", file_okay=False)],
    key: SigningKey = None,
    name: Name = "default",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Archive a gaming day: every event that belongs to it, or to an earlier day, and is not in the archive yet.

    The part is there whole or not at all; the same day again adds what came late, as a further part, or nothing.
    Without a key the list of files is not signed, and `pitstream verify` says so.

    Exit code: 0 it is archived, 1 an event of the event store is not as it was written, 2 it could not be carried out.
    """
    with plainly():
        if not is_day(day):
            raise UnusableError(f"day: was {day!r}; allowed: a date, YYYY-MM-DD")
        signer = signer_of(key)
        try:
            part = asyncio.run(_archived(day, out, signer, name, data_dir))
        except CorruptError as fault:
            typer.echo(f"error: {fault}", err=True)
            raise typer.Exit(WRONG) from fault
    _show(part, day, json)


def signer_of(key: str | None) -> Ed25519PrivateKey | None:
    """The private key that an option names. Raises UnusableError."""
    try:
        return private_key(key) if key else None
    except KeyFileError as error:
        raise UnusableError(str(error)) from error


async def _archived(
    day: str, out: Path, signer: Ed25519PrivateKey | None, name: str, data_dir: Path | None
) -> Part | None:
    columns = (TextColumn("archiving {task.description}"), BarColumn(), TextColumn("{task.completed:,} events"))
    async with AsyncExitStack() as stack:
        try:
            source = await stack.enter_async_context(StoreSource(postgres_of(name=name, data_dir=data_dir)))
            about = sum([await source.count(topic) for topic in TOPICS])
            bar = stack.enter_context(
                Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True)
            )
            task = bar.add_task(day, total=about or None)
            return await archive_day(source, day, out, signer, lambda events: bar.update(task, completed=events))
        except SourceError as error:
            raise UnusableError(str(error)) from error
        except OSError as error:
            raise UnusableError(f"out: {out} cannot be written: {error}") from error


def _show(part: Part | None, day: str, json: bool) -> None:
    if json:
        said = None if part is None else part.manifest.model_dump(mode="json") | {"sha256": part.sha256}
        typer.echo(dumps(said, indent=2))
    elif part is None:
        typer.echo(f"{day}: nothing to add; all of it is archived")
    else:
        manifest = part.manifest
        size = sum(entry.bytes for entry in manifest.files)
        typer.echo(f"{manifest.name}: {manifest.events:,} events in {len(manifest.files)} files, {size:,} bytes")
        typer.echo(f"manifest     {part.sha256}")
        typer.echo(f"signed by    {manifest.key or 'nobody: no --key was given'}")
