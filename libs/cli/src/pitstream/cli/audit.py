"""``pitstream audit``: do the services' own data hold what was promised, at this moment, on the live database?"""

import asyncio
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from json import dumps
from typing import Annotated, Any, Final

import asyncpg
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pitstream.cli.derive import Derivation, derivations_of
from pitstream.cli.invariants import SERVICES, Invariant, InvariantError, invariants_of
from pitstream.cli.options import WRONG, DataDir, Json, Name, PaytableFile, UnusableError, paytables_with, plainly
from pitstream.stack import stack

POSTGRES: Final = "PITSTREAM_POSTGRES"


@dataclass(frozen=True, slots=True)
class Finding:
    """What one invariant came to; ``row`` is the first that breaks it, None when it holds."""

    service: str
    name: str
    says: str
    row: dict[str, Any] | None

    @property
    def holds(self) -> bool:
        return self.row is None


def audit(
    service: Annotated[list[str] | None, typer.Option(help=f"Only these of {', '.join(SERVICES)}.")] = None,
    only: Annotated[list[str] | None, typer.Option(help="Only the invariants of these names.")] = None,
    sql: Annotated[bool, typer.Option("--sql", help="Only what is said in SQL; nothing is derived anew.")] = False,
    paytables: PaytableFile = None,
    name: Name = "default",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Prove on the live database what must always hold: each service ships its invariants as SQL. Then derive anew from
    the stored events what follows from them, and compare: hash chains, every settlement by the rules and paytables of
    its day, every meter, every prize that waits.

    Reads the database itself, at PITSTREAM_POSTGRES or the embedded one, each service on one snapshot, and changes
    nothing. Everything is run, whatever the one before it came to.

    Exit code: 0 all of them hold, 1 one does not, 2 it could not be carried out.
    """
    with plainly():
        known = paytables_with(paytables)
        wanted: dict[str, list[Invariant | Derivation]] = {}
        for one in map(_known, service or SERVICES):
            every: list[Invariant | Derivation] = [*_invariants(one)]
            every += [] if sql else derivations_of(one, known)
            wanted[one] = [each for each in every if not only or each.name in only]
        if unknown := set(only or ()) - {each.name for some in wanted.values() for each in some}:
            raise UnusableError(f"only: was {', '.join(sorted(unknown))}; no invariant of that name is known")
        postgres = os.environ.get(POSTGRES) or stack.status(name=name, data_dir=data_dir).postgres
        if not postgres:
            raise UnusableError(f"{POSTGRES}: not set, and no stack was started here; run `pitstream up`, or set it")
        found = [one for asked, some in wanted.items() for one in asyncio.run(findings(postgres, asked, some))]
    if json:
        typer.echo(dumps([{**asdict(one), "holds": one.holds} for one in found], indent=2))
    else:
        show(found, Console())
    if not all(one.holds for one in found):
        raise typer.Exit(WRONG)


async def findings(postgres: str, service: str, wanted: Sequence[Invariant | Derivation]) -> list[Finding]:
    """What each of them comes to in the service's schema, all on one snapshot of it. Raises UnusableError."""
    try:
        connection = await asyncpg.connect(postgres, timeout=10)
    except (OSError, asyncpg.PostgresError, TimeoutError) as error:
        raise UnusableError(f"{POSTGRES}: nothing answers there: {error}") from error
    try:
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            if not await connection.fetchval("SELECT to_regnamespace($1) IS NOT NULL", service):
                raise UnusableError(f"{POSTGRES}: has no schema {service!r}; the {service} service never ran on it")
            await connection.execute(f'SET LOCAL search_path TO "{service}"')
            return [await _finding(connection, service, one) for one in wanted]
    finally:
        await connection.close()


async def _finding(connection: "asyncpg.Connection", service: str, invariant: Invariant | Derivation) -> Finding:
    try:
        if isinstance(invariant, Derivation):
            row = await invariant.first_fault(connection)
        else:
            broken = await connection.fetchrow(invariant.sql)
            row = None if broken is None else dict(broken)
    except asyncpg.PostgresError as error:
        raise UnusableError(f"{service}: {invariant.name}: {error}") from error
    named = None if row is None else {column: _plain(value) for column, value in row.items()}
    return Finding(service, invariant.name, invariant.says, named)


def _plain(value: Any) -> Any:
    """As JSON has it; an amount beyond 2^53 or of type numeric is text, like everything else that JSON has not."""
    exact = isinstance(value, bool | str | None) or (isinstance(value, int) and abs(value) < 2**53)
    return value if exact else value.hex() if isinstance(value, bytes) else str(value)


def show(found: Sequence[Finding], console: Console) -> None:
    """Print what was found, fault by fault."""
    table = Table("service", "invariant", "")
    for one in found:
        table.add_row(one.service, one.name, Text("holds", "green") if one.holds else Text("BROKEN", "bold red"))
    console.print(table)
    for one in found:
        if one.row is not None:
            row = ", ".join(f"{column} {value}" for column, value in one.row.items())
            console.print(Text(f"{one.service}: {one.name}: {one.says}\n  first row: {row}", "red"))
    broken = sum(not one.holds for one in found)
    console.print(f"{len(found)} invariants, {broken or 'none'} broken")


def _known(service: str) -> str:
    if service not in SERVICES:
        raise UnusableError(f"service: was {service!r}; allowed: {', '.join(SERVICES)}")
    return service


def _invariants(service: str) -> list[Invariant]:
    try:
        return invariants_of(service)
    except ModuleNotFoundError as error:
        raise UnusableError(f"service: {service} is not installed here, and its invariants come with it") from error
    except InvariantError as error:
        raise UnusableError(str(error)) from error
