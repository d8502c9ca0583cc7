"""``pitstream demo``: an evening of poker through the real services, checked to the cent."""

import asyncio
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pitstream.cli import platform
from pitstream.cli.evening import MeterTerms
from pitstream.cli.feed import expected_results, play, record_lines
from pitstream.cli.ledger import ledger_check, show_check
from pitstream.cli.options import WRONG, DataDir, plainly
from pitstream.cli.replay import history_of
from pitstream.cli.report import compare, show
from pitstream.cli.results import differences
from pitstream.cli.story import tell
from pitstream.stack import stack

DEMO = "demo"
PATIENCE_S = 120.0
TABLES_AT_ONCE = 8


def demo(
    feed: Annotated[Path, typer.Option(help="Round records to play.", dir_okay=False)] = Path("demo/evening-uth.jsonl"),
    expect: Annotated[Path, typer.Option(help="What they must come to.", dir_okay=False)] = Path(
        "demo/evening-uth.expected.json"
    ),
    data_dir: DataDir = None,
) -> None:
    """Start a real Apache Kafka, PostgreSQL and the four services, play an evening, and check every cent of it.

    At the end one round is told from its events alone. On a terminal everything is left running to look around in;
    otherwise it is stopped. The data is kept: the next demo plays the same evening again, which changes nothing, and
    must come to the same.

    Exit code: 0 all is as expected and the ledger balances, 1 something differs, 2 it could not be carried out.
    """
    console = Console()
    stays = sys.stdin.isatty()
    with plainly():
        lines, expected = record_lines(str(feed)), expected_results(expect)
        try:
            with console.status("starting Apache Kafka, PostgreSQL and the four services"):
                addresses = platform.start(stack.up(name=DEMO, data_dir=data_dir), name=DEMO, data_dir=data_dir)
            report = asyncio.run(
                play(
                    lines,
                    addresses,
                    terms=MeterTerms(),
                    tables_at_once=TABLES_AT_ONCE,
                    patience_s=PATIENCE_S,
                    progress_on=console,
                )
            )
            show(report, console, players=False)
            wrong = differences(report.results, expected)
            compare(wrong, console, expected=expect)
            ledger = asyncio.run(ledger_check(addresses, patience_s=PATIENCE_S))
            if report.worth_telling is not None:
                table, round_no = report.worth_telling
                console.rule("one round, told from its events alone")
                console.print(tell(asyncio.run(history_of(f"{table}/{round_no}", addresses, patience_s=PATIENCE_S))))
                console.rule()
            show_check(ledger, console)
        finally:
            if not stays:
                platform.stop(name=DEMO, data_dir=data_dir)
                stack.down(name=DEMO, data_dir=data_dir)
    if stays:
        where = f"--name {DEMO}" if data_dir is None else f"--data-dir {data_dir}"
        console.print(f"everything is still running; stop it with [bold]pitstream down {where}[/]", soft_wrap=True)
    if wrong or report.faults or not ledger["ok"]:
        raise typer.Exit(WRONG)
