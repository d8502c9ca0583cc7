"""The part of ``pitstream audit`` that looks at events alone, from any source: read, judged, put together, shown."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pitstream.archive import SourceError, StoreSource
from pitstream.cli.options import UnusableError
from pitstream.cli.sources import kafka_of, postgres_of
from pitstream.runtime.postgres import connected

if TYPE_CHECKING:
    from pitstream.audit import Asked, Report

CHECKS: Final = {
    "event": "Every event's bytes are those that were hashed, and say what stands beside them.",
    "sequence": "The events of every key are numbered 1, 2, 3 …: none is missing, none is there twice.",
    "chain": "Every stream is one unbroken chain: each event names the hash of the one before it.",
    "checkpoint": "No event up to a signed checkpoint was changed, put in or taken away since.",
    "type": "Every event is of a type that this version can judge.",
    "round": "The events of every round can follow one another, and each round names the hash that closed the last.",
    "settlement": "Every closed round, settled again by the rules of its day, comes to its one settlement.",
    "correction": "Every correction, settled again, comes to the settlement that took the other's place.",
    "hold": "Every bundle of wagers was answered with its amount; every hold stands once and is resolved once.",
    "seat": "Every settled seat was posted once, with the transfers that its lines and awards come to.",
    "hit": "Every share that a line won was locked once by its network.",
    "stakes": "The progressive wagers of every round fed its network once, with what was counted at the table.",
    "stakes kept": "What a network was fed stays with it, but for void rounds: what they brought was given back.",
    "round closed": "Every round of a network was closed there, because of its settlement.",
    "prize": "Every prize that needs a floorperson waits, as its settlement says.",
    "meter": "Every meter is, to the last fraction, what stakes, rates, terms and people's decisions make.",
    "posting": "Whatever a network or a floorperson decided was posted once, as decided.",
    "account": "Every event of an account stands in that account's stream.",
    "transfer": "Every transfer is there once and keeps its currency.",
    "balance": "Every balance is what transfers make of it, and none is below 0 that may not be.",
}


def audited(
    source: str,
    asked: "Asked",
    *,
    workers: int | None,
    complete: bool,
    name: str,
    data_dir: Path | None,
) -> "Report":
    """Audit the events of a source that ``--source`` names. Raises UnusableError."""
    from pitstream.audit import Where, audit, workers_here

    count = workers or workers_here()
    try:
        match source:
            case "store":
                postgres = postgres_of(name=name, data_dir=data_dir)
                return asyncio.run(_of_store(postgres, asked, count, complete=complete))
            case "kafka":
                where = Where("kafka", kafka_of(name=name, data_dir=data_dir))
            case _ if Path(source).is_dir():
                where = Where("archive", source)
            case _:
                raise UnusableError(f"source: was {source!r}; allowed: store, kafka, or the folder of an archive")
        return audit(where, workers=count, asked=asked, complete=complete)
    except SourceError as error:
        raise UnusableError(str(error)) from error


def of_store(postgres: str, *, workers: int | None, paytables: Path | None, complete: bool) -> "Report":
    """Audit every event of the event stores at an address. Raises UnusableError."""
    from pitstream.audit import Asked, workers_here

    try:
        asked = Asked(paytables=paytables)
        return asyncio.run(_of_store(postgres, asked, workers or workers_here(), complete=complete))
    except SourceError as error:
        raise UnusableError(str(error)) from error


async def _of_store(postgres: str, asked: "Asked", workers: int, *, complete: bool) -> "Report":
    """All processes see one snapshot, which stands as long as this one is open; so does the ledger's own table."""
    from pitstream.audit import Where, audit

    async with StoreSource(postgres) as source:
        balances = await _balances(postgres, source.exported)
        where = Where("store", postgres, source.exported)
        return await asyncio.to_thread(audit, where, workers=workers, asked=asked, complete=complete, balances=balances)


async def _balances(postgres: str, snapshot: str) -> dict[str, tuple[int, int, int]]:
    connection = await connected(postgres)
    try:
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            await connection.execute(f"SET TRANSACTION SNAPSHOT '{snapshot}'")
            rows = await connection.fetch(
                'SELECT account, debits_posted, credits_posted, debits_pending FROM "wallet".accounts'
            )
            return {row["account"]: (row[1], row[2], row[3]) for row in rows}
    finally:
        await connection.close()


def as_json(report: "Report") -> dict[str, Any]:
    """A report for machines; amounts beyond 2^53 stand in text."""
    return {
        "source": report.source,
        "events": report.events,
        "rounds_settled_again": report.rounds,
        "accounts": report.accounts,
        "under_way": report.under_way,
        "found": report.found,
        "first": None if report.first is None else asdict(report.first),
        "findings": [asdict(one) for one in report.findings],
    }


def show(report: "Report", console: Console) -> None:
    """Print what was looked at, check by check, then the first event that is not as it must be."""
    broken = {one.check for one in report.findings}
    table = Table("check", "promise", "")
    for check, says in CHECKS.items():
        table.add_row(check, says, Text("BROKEN", "bold red") if check in broken else Text("holds", "green"))
    console.print(table)
    events = ", ".join(f"{number} of {topic}" for topic, number in report.events.items())
    console.print(
        f"{report.source}: {events}; {report.rounds} rounds settled again, {report.accounts} accounts", end=""
    )
    console.print(f"; {report.under_way} on their way" if report.under_way else "")
    for one in report.findings[:20]:
        console.print(Text(str(one), "red"))
    if report.found:
        console.print(Text(f"{report.found} findings; the first: {report.first}", "bold red"))
    else:
        console.print("nothing is other than it must be")


def combined(parts: Sequence[Path], *, complete: bool) -> "Report":
    """Parts that other processes left, put together. Raises UnusableError."""
    from pitstream.audit import PartsError, combine

    files = [file for part in parts for file in (sorted(part.glob("part-*.sqlite")) if part.is_dir() else [part])]
    if missing := [str(file) for file in files if not file.is_file()]:
        raise UnusableError(f"combine: {', '.join(missing)}: no such file")
    if not files:
        raise UnusableError(f"combine: no part-*.sqlite in {', '.join(map(str, parts))}")
    try:
        return combine(files, complete=complete)
    except PartsError as error:
        raise UnusableError(f"combine: {error}") from error
