"""``pitstream keys``: key pairs that archives and checkpoints are signed with."""

from json import dumps
from pathlib import Path
from typing import Annotated

import typer

from pitstream.cli.options import Json, UnusableError, examples, plainly
from pitstream.runtime.signing import KeyFileError, fingerprint, new_keys, public_key

app = typer.Typer(
    name="keys",
    help="Key pairs (Ed25519) that archives and checkpoints are signed with.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_show_locals=False,
)


@app.callback()
def _keys() -> None:
    """Key pairs (Ed25519) that archives and checkpoints are signed with."""


@app.command("new", epilog=examples("keys new audit.pem", "keys new audit.pem --json"))
def new(
    file: Annotated[Path, typer.Argument(help="Where the private key goes; the public one gets the suffix .pub.")],
    json: Json = False,
) -> None:
    """Make a key pair. Who signs needs the private file, readable by its owner alone; everybody else the public one.

    Exit code: 0 both were made, 2 a file is there already or cannot be made.
    """
    with plainly():
        try:
            public = new_keys(file)
            named = fingerprint(public_key(public))
        except KeyFileError as error:
            raise UnusableError(str(error)) from error
    if json:
        typer.echo(dumps({"private": str(file), "public": str(public), "fingerprint": named}, indent=2))
    else:
        typer.echo(f"private key  {file}\npublic key   {public}\nfingerprint  {named}")
