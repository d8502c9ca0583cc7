"""``pitstream demo``: evenings of poker through the real services, checked to the cent."""

import asyncio
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from pitstream.cli import platform, seamless
from pitstream.cli.addresses import Addresses
from pitstream.cli.credentials import STAFF, find_passwords
from pitstream.cli.evening import MeterTerms, evening_of
from pitstream.cli.feed import expected_results, play, record_lines
from pitstream.cli.ledger import ledger_check, show_check
from pitstream.cli.options import WRONG, DataDir, plainly
from pitstream.cli.replay import history_of
from pitstream.cli.report import Report, compare, show
from pitstream.cli.results import differences
from pitstream.cli.story import tell
from pitstream.stack import home_of, stack

DEMO = "demo"
EVENINGS = (
    Path("demo/evening-uth.jsonl"),
    Path("demo/evening-seamless.jsonl"),
    Path("demo/evening-small.jsonl"),
)
PATIENCE_S = 120.0
TABLES_AT_ONCE = 8


def demo(
    evenings: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Round records, an evening a file. What NAME.jsonl must come to stands beside it in "
            "NAME.expected.json. Without a file, the three evenings of the project.",
            dir_okay=False,
        ),
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Start a real Apache Kafka, PostgreSQL and the services, play evenings, and check every cent of them.

    Each evening has progressive networks of its own. Where all players of an evening are acme's, their money is kept by
    acme's own wallet, a process of its own that is asked over HTTP, and both ledgers are compared. At the end one round
    of the last evening is told from its events alone. On a terminal the services are left running to look around in;
    otherwise they are stopped. The last lines say where the ops room shows all of it, and who may log in. The data is
    kept: the next demo plays the same evenings again, which changes nothing, and must come to the same.

    Exit code: 0 all is as expected and the ledger balances, 1 something differs, 2 it could not be carried out.
    """
    console = Console()
    stays = sys.stdin.isatty()
    wrong = False
    with plainly():
        played = [
            (file.stem, record_lines(str(file)), file.with_suffix(".expected.json")) for file in evenings or EVENINGS
        ]
        expected = {name: expected_results(beside) for name, _, beside in played}
        try:
            with console.status("starting Apache Kafka, PostgreSQL and the services"):
                addresses = platform.start(stack.up(name=DEMO, data_dir=data_dir), name=DEMO, data_dir=data_dir)
            worth_telling = None
            for name, lines, beside in played:
                console.rule(name)
                report, agrees = _evening(name, lines, addresses, home_of(DEMO, data_dir), console)
                found = differences(report.results, expected[name])
                compare(found, console, expected=beside)
                wrong = wrong or bool(found or report.faults) or not agrees
                worth_telling = report.worth_telling or worth_telling
            ledger = asyncio.run(ledger_check(addresses, patience_s=PATIENCE_S))
            if worth_telling is not None:
                table, round_no = worth_telling
                console.rule("one round, told from its events alone")
                console.print(tell(asyncio.run(history_of(f"{table}/{round_no}", addresses, patience_s=PATIENCE_S))))
                console.rule()
            show_check(ledger, console)
        finally:
            if not stays:
                platform.stop(name=DEMO, data_dir=data_dir)
                stack.down(name=DEMO, data_dir=data_dir)
    _show_room(addresses, home_of(DEMO, data_dir), console, stays=stays)
    if wrong or not ledger["ok"]:
        raise typer.Exit(WRONG)


def _show_room(addresses: Addresses, home: Path, console: Console, *, stays: bool) -> None:
    """Where the ops room is, with these evenings in it, and who may log in."""
    console.rule("the ops room")
    people = Table("name", "role", "password", box=None)
    passwords = find_passwords(home)
    for role, who in STAFF.items():
        people.add_row(who, role, passwords.get(who, ""))
    console.print(people)
    if stays:
        console.print(f"all of it to look at: [bold]{addresses.ops}[/]")
        console.print(f"everything is still running; stop it with [bold]pitstream down --name {DEMO}[/]")
    else:
        console.print(f"all of it to look at: [bold]pitstream up --name {DEMO}[/], then {addresses.ops}")


def _evening(
    name: str, lines: Sequence[bytes], addresses: Addresses, home: Path, console: Console
) -> tuple[Report, bool]:
    """Play an evening and show what it came to; whether both ledgers agree, where an operator keeps the money."""
    terms = MeterTerms(network_suffix=f"-{name}")
    needs = evening_of(lines, terms).needs
    with ExitStack() as beside:
        wallet = None
        if seamless.is_kept_by_operator(needs):
            wallet = beside.enter_context(seamless.running(home / seamless.OPERATOR))
            asyncio.run(seamless.connect(wallet, addresses, needs, patience_s=PATIENCE_S))
        report = asyncio.run(
            play(
                lines,
                addresses,
                terms=terms,
                tables_at_once=TABLES_AT_ONCE,
                patience_s=PATIENCE_S,
                progress_on=console,
            )
        )
        show(report, console, players=False)
        if wallet is None:
            return report, True
        compared = asyncio.run(
            seamless.compare_ledgers(wallet, addresses, report.results.players, patience_s=PATIENCE_S)
        )
    seamless.show_compared(compared, console)
    return report, compared.agree
