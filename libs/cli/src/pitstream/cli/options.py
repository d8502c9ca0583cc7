"""Options that several commands share, and how they say that something went wrong."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from pitstream.games.paytables import Paytables

WRONG = 1
"""Exit code: it was carried out, and something is not as it must be."""
UNUSABLE = 2
"""Exit code: it could not be carried out (an unreadable file, no services, a service that stays away)."""


class UnusableError(Exception):
    """What a command was given cannot be used; the text names it and says what is allowed."""


Name = Annotated[
    str, typer.Option(envvar="PITSTREAM_STACK", help="Which stack: each name has its own folder, ports and data.")
]
DataDir = Annotated[
    Path | None,
    typer.Option(
        envvar="PITSTREAM_DATA_DIR", help="Folder of the stack, instead of one in the user's cache.", file_okay=False
    ),
]
PaytableFile = Annotated[
    Path | None,
    typer.Option("--paytables", envvar="PITSTREAM_PAYTABLES", help="A file of the property's own paytables, as TOML."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]
Patience = Annotated[float, typer.Option(help="Seconds to go on trying while a service is away.", min=0)]


def paytables_with(file: Path | None) -> "Paytables":
    """The bundled paytables and those of the property's file. Raises UnusableError."""
    from pitstream.games.paytables import PaytableFileError, with_property_s

    try:
        return with_property_s(file)
    except PaytableFileError as error:
        raise UnusableError(str(error)) from error


def examples(*lines: str) -> str:
    """The end of a command's help."""
    return "\n\n".join(["Examples:", *(f"pitstream {line}" for line in lines)])


@contextmanager
def plainly() -> Iterator[None]:
    """An error that the user can act on is a line, not a traceback."""
    # Imported here: a command that talks to no service must not wait for what those need.
    from pitstream.cli.addresses import UnknownAddressError
    from pitstream.cli.client import RefusedError, UnreachableError
    from pitstream.cli.credentials import KeysError
    from pitstream.events import UndecodableError
    from pitstream.stack import StackError

    try:
        yield
    except (KeysError, StackError, UnknownAddressError, UnreachableError, UnusableError) as fault:
        typer.echo(f"error: {fault}", err=True)
        raise typer.Exit(UNUSABLE) from fault
    except UndecodableError as fault:
        typer.echo(f"error: {fault}", err=True)
        raise typer.Exit(WRONG) from fault
    except RefusedError as refused:
        typer.echo(f"refused: {refused}", err=True)
        raise typer.Exit(WRONG) from refused
