"""``pitstream audit``: do the services' own data hold what was promised, at this moment, on the live database?"""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import asyncpg
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pitstream.cli import audit_events as events
from pitstream.cli.derive import Derivation, derivations_of
from pitstream.cli.invariants import SERVICES, Invariant, InvariantError, invariants_of
from pitstream.cli.options import WRONG, DataDir, Json, Name, PaytableFile, UnusableError, plainly
from pitstream.cli.sources import POSTGRES, kafka_of, postgres_of
from pitstream.runtime.postgres import PostgresRefusedError, connected

if TYPE_CHECKING:
    from pitstream.audit import Asked, Report


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
    source: Annotated[
        str | None,
        typer.Option(help="Only events, and from where: `store`, `kafka`, or an archive's folder. Each is enough."),
    ] = None,
    day: Annotated[str | None, typer.Option(help="Only the rounds of this gaming day.", metavar="YYYY-MM-DD")] = None,
    table: Annotated[str | None, typer.Option(help="Only the rounds of this table.")] = None,
    complete: Annotated[
        bool, typer.Option("--complete", help="Nothing is on its way any more: what is not there is missing.")
    ] = False,
    workers: Annotated[int | None, typer.Option(help="Processes; as many as there are cores.", min=1, max=256)] = None,
    group: Annotated[
        str | None,
        typer.Option(help="With --source kafka: share the partitions with whoever else names this group, anywhere."),
    ] = None,
    parts: Annotated[Path | None, typer.Option(help="With --group: the folder that takes what was found here.")] = None,
    combine: Annotated[
        list[Path] | None, typer.Option(help="Put together what --parts took: files, or their folders.")
    ] = None,
    checkpoints: Annotated[
        Path | None, typer.Option(help="A folder of signed checkpoints that the events must agree with.")
    ] = None,
    key: Annotated[
        Path | None, typer.Option("--public-key", envvar="PITSTREAM_PUBLIC_KEY", help="Of who signed them.")
    ] = None,
    paytables: PaytableFile = None,
    name: Name = "default",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Prove that all is as it must be, from what is stored and nothing else.

    From the events alone, wherever they are kept: every event as it was written and in its place, every round settled
    again by the rules and paytables of its day, every meter to the last fraction, every posting, every balance; and
    that the topics agree with one another. Each event that is not as it must be is named, with what is recorded and
    what is right. Processes share the keys; memory does not grow with history.

    Without --source, --day or --table also what must hold in the live database, at PITSTREAM_POSTGRES or the embedded
    one: each service ships its invariants as SQL, each is read on one snapshot.

    Nothing is changed. Everything is run, whatever the one before it came to.

    Exit code: 0 all of it holds, 1 something does not, 2 it could not be carried out.
    """
    with plainly():
        of_live = _given(service=service, only=only, sql=sql or None)
        of_events = _given(source=source, day=day, table=table, group=group, parts=parts, checkpoints=checkpoints)
        if combine or of_events:
            _not_together("combine" if combine else of_events[0], [*of_live, *(of_events if combine else ())])
            if combine:
                report = events.combined(combine, complete=complete)
            else:
                asked = _asked(day, table, paytables, checkpoints, key)
                report = _events(source or "store", asked, workers, group, parts, complete, name, data_dir)
            if json:
                typer.echo(dumps(events.as_json(report), indent=2))
            else:
                events.show(report, Console())
            if report.found:
                raise typer.Exit(WRONG)
            return
        wanted: dict[str, list[Invariant | Derivation]] = {}
        for one in map(_known, service or SERVICES):
            every: list[Invariant | Derivation] = [*_invariants(one)]
            every += [] if sql else derivations_of(one)
            wanted[one] = [each for each in every if not only or each.name in only]
        if unknown := set(only or ()) - {each.name for some in wanted.values() for each in some}:
            raise UnusableError(f"only: was {', '.join(sorted(unknown))}; no invariant of that name is known")
        postgres = postgres_of(name=name, data_dir=data_dir)
        found = [one for asked, some in wanted.items() for one in asyncio.run(findings(postgres, asked, some))]
        if not (service or only or sql):
            found += _as_invariants(postgres, workers, paytables, complete=complete)
    if json:
        typer.echo(dumps([{**asdict(one), "holds": one.holds} for one in found], indent=2))
    else:
        show(found, Console())
    if not all(one.holds for one in found):
        raise typer.Exit(WRONG)


def _given(**options: object) -> list[str]:
    """The names of those that were given."""
    return [name for name, value in options.items() if value is not None]


def _not_together(option: str, others: Sequence[str]) -> None:
    if others:
        raise UnusableError(f"{others[0]}: says nothing beside --{option}; allowed: one of the two")


def _asked(
    day: str | None, table: str | None, paytables: Path | None, checkpoints: Path | None, key: Path | None
) -> "Asked":
    from pitstream.archive.write import is_day
    from pitstream.audit import Asked, Scope

    if day is not None and not is_day(day):
        raise UnusableError(f"day: was {day!r}; allowed: a date, YYYY-MM-DD")
    if checkpoints is not None and key is None:
        raise UnusableError("public-key: was not given; checkpoints are believed by their signatures")
    signed = None if checkpoints is None or key is None else (checkpoints, key)
    return Asked(Scope(table, day), paytables, signed)


def _events(
    source: str,
    asked: "Asked",
    workers: int | None,
    group: str | None,
    parts: Path | None,
    complete: bool,
    name: str,
    data_dir: Path | None,
) -> "Report":
    if group is not None or parts is not None:
        if group is None or source != "kafka" or parts is None:
            raise UnusableError("group: goes with --source kafka and with --parts, the folder that takes the parts")
        from pitstream.cli.audit_group import shared

        return shared(kafka_of(name=name, data_dir=data_dir), group, parts, asked)
    return events.audited(source, asked, workers=workers, complete=complete, name=name, data_dir=data_dir)


def _as_invariants(postgres: str, workers: int | None, paytables: Path | None, *, complete: bool) -> list[Finding]:
    """What the events alone say, check by check, beside the invariants."""
    report = events.of_store(postgres, workers=workers, paytables=paytables, complete=complete)
    firsts: dict[str, dict[str, Any]] = {}
    for one in report.findings:
        firsts.setdefault(one.check, {name: value for name, value in asdict(one).items() if value})
    return [Finding("events", check, says, firsts.get(check)) for check, says in events.CHECKS.items()]


async def findings(postgres: str, service: str, wanted: Sequence[Invariant | Derivation]) -> list[Finding]:
    """What each of them comes to in the service's schema, all on one snapshot of it. Raises UnusableError."""
    try:
        connection = await connected(postgres, timeout=10)
    except PostgresRefusedError as error:
        raise UnusableError(str(error)) from error
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
