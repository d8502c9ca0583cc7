"""``pitstream access``: keys for people and systems, and what a credential lets its holder do."""

import asyncio
import os
import re
import sys
from datetime import UTC, datetime
from json import dumps
from pathlib import Path
from typing import Annotated

import typer

from pitstream.cli.credentials import ACCESS_FILE, STAFF, find_keys
from pitstream.cli.options import WRONG, DataDir, Json, Name, UnusableError, examples, plainly
from pitstream.events.model import ID_PATTERN
from pitstream.runtime.access_file import SCOPE_PATTERN, Access, AccessFileError, entry_text, new_key
from pitstream.runtime.principal import Principal, Role
from pitstream.runtime.tokens import Tokens, UnknownTokenError
from pitstream.stack import home_of

app = typer.Typer(
    name="access",
    help="Who may call the services: keys, and what a key or a token lets its holder do.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_show_locals=False,
)
File = Annotated[
    Path | None,
    typer.Option(
        "--file", envvar="PITSTREAM_ACCESS", help="The access file; else the embedded stack's.", dir_okay=False
    ),
]


@app.command(
    "key",
    epilog=examples(
        "access key f.moreau --role floorperson --scope acme.boardwalk",
        "access key acme-platform --role platform --role cashier --scope acme --add",
        "access key night-audit --role auditor --scope '*' --expires 2027-01-01",
    ),
)
def key(
    who: Annotated[str, typer.Argument(help="The person or system that gets it; events record this name.")],
    role: Annotated[list[Role], typer.Option(help="What its holder may do; may be given again.")],
    scope: Annotated[
        list[str], typer.Option(help="Whose things: an operator, operator.property, local, or '*'; may be given again.")
    ],
    expires: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], help="First day (UTC) it is no use.")
    ] = None,
    add: Annotated[bool, typer.Option("--add", help="Add it to the access file, which services read again.")] = False,
    file: File = None,
    name: Name = "default",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Make a key. It is shown this once: the access file has its hash alone.

    Without --add, the lines for the access file are printed below the key.
    """
    with plainly():
        if not re.fullmatch(ID_PATTERN, who):
            raise UnusableError(f"who: was {who!r}; allowed: 1 to 64 letters, digits and . _ : - (no sign first)")
        for one in scope:
            if not re.fullmatch(SCOPE_PATTERN, one):
                raise UnusableError(f"scope: was {one!r}; allowed: an operator, operator.property, local, or *")
        made = new_key()
        lines = entry_text(who, made, role, scope, expires.replace(tzinfo=UTC) if expires else None)
        if add:
            _add(lines, _file(file, name, data_dir))
    if json:
        typer.echo(dumps({"key": made, "entry": lines}, indent=2))
    else:
        typer.echo(made if add else f"{made}\n\n{lines}".rstrip())


@app.command("check", epilog=examples("access check < token.jwt", "PITSTREAM_KEY=pitkey_… pitstream access check"))
def check(file: File = None, name: Name = "default", data_dir: DataDir = None, json: Json = False) -> None:
    """Say whom the access file takes a key or a token for. It is read from PITSTREAM_KEY, else from standard input.

    Exit code: 0 it is somebody's, 1 it lets nobody in, 2 the access file cannot be read.
    """
    with plainly():
        chosen = _file(file, name, data_dir)
        try:
            access = Access(chosen)
        except AccessFileError as error:
            raise UnusableError(str(error)) from error
    found = asyncio.run(_holder(access, (os.environ.get("PITSTREAM_KEY") or sys.stdin.read()).strip()))
    if isinstance(found, str):
        typer.echo(dumps({"refused": found}) if json else f"it lets nobody in: it {found}")
        raise typer.Exit(WRONG)
    told = {"name": found.name, "roles": sorted(found.roles), "scopes": sorted(found.scopes)}
    typer.echo(
        dumps(told, indent=2)
        if json
        else f"{found.name}: {', '.join(told['roles']) or 'no role'}; scopes {', '.join(told['scopes']) or 'none'}"
    )


@app.command(
    "header",
    epilog=examples("access header cashier", "access header auditor --name demo"),
)
def header(
    role: Annotated[str, typer.Argument(help=f"Whose key: {', '.join(STAFF)}.")],
    name: Name = "default",
    data_dir: DataDir = None,
) -> None:
    """Print the header that a request in this role carries, for curl: `curl -H "$(pitstream access header cashier)"`.

    The key is that of PITSTREAM_KEY or PITSTREAM_KEYS, else of the embedded stack's staff.
    """
    with plainly():
        headers = find_keys(home_of(name, data_dir)).headers(role)
        if not headers:
            raise UnusableError("there are no keys: set PITSTREAM_KEY or PITSTREAM_KEYS, or run `pitstream up`")
    typer.echo("\n".join(f"{header}: {value}" for header, value in headers.items()))


async def _holder(access: Access, credential: str) -> Principal | str:
    if credential.count(".") == 2:
        try:
            return await Tokens(access).check(credential)
        except UnknownTokenError as error:
            return str(error)
    return access.key(credential, datetime.now(UTC)) or "was a key that is not known, or has expired"


def _file(given: Path | None, name: str, data_dir: Path | None) -> Path:
    return given or home_of(name, data_dir) / ACCESS_FILE


def _add(lines: str, file: Path) -> None:
    try:
        with file.open("a") as opened:
            opened.write(f"\n{lines}")
    except OSError as error:
        raise UnusableError(f"{file}: {error.strerror}") from error
