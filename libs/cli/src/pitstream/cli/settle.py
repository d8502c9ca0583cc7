"""``pitstream settle``: what every wager of recorded rounds comes to, with nothing running."""

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from pitstream.cli.options import UNUSABLE, WRONG, PaytableFile, UnusableError, paytables_with
from pitstream.games.record import RecordError
from pitstream.games.settle_file import Settled, settle_lines, settlement_line
from pitstream.games.totals import WagerTotal, add_up

_PROGRESS_EVERY = 1 << 16  # bytes read between two looks at the bar

Totals = dict[tuple[str, str], dict[str, WagerTotal]]
"""(game, currency) -> wager -> sums."""


def settle(
    file: Annotated[str, typer.Argument(help="Round records, one JSON object a line; - reads standard input.")],
    summary: Annotated[
        bool,
        typer.Option("--summary/--json", help="What each wager came to in all, instead of a JSON line a record."),
    ] = False,
    paytables: PaytableFile = None,
) -> None:
    """Settle finished rounds from their records, without any service.

    Prints one JSON line for each record, in the same order: every wager's outcome with the paragraph that decided it,
    or the one error of a record that is wrong. With --summary those errors go to standard error.

    Exit code: 0 all were settled, 1 at least one record was wrong, 2 a file could not be read or its paytables are
    wrong.
    """
    try:
        known = paytables_with(paytables)
    except UnusableError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(UNUSABLE) from None
    try:
        with _opened(file) as (lines, size), _watched(lines, size) as watched:
            settled = settle_lines(watched, known)
            wrong = _sum_up(settled) if summary else _print_lines(settled)
    except BrokenPipeError:
        # Whoever read our output has seen enough (`| head`). Python would complain again while it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from None
    except OSError as error:
        typer.echo(f"error: FILE was {file!r}: {error.strerror or error}; allowed: a readable file, or -", err=True)
        raise typer.Exit(UNUSABLE) from None
    if wrong:
        raise typer.Exit(WRONG)


@contextmanager
def _opened(file: str) -> Iterator[tuple[BinaryIO, int | None]]:
    """The file's lines, and its size in bytes where that is known beforehand."""
    if file == "-":
        yield sys.stdin.buffer, None
        return
    with Path(file).open("rb") as opened:
        yield opened, os.fstat(opened.fileno()).st_size or None


@contextmanager
def _watched(lines: BinaryIO, size: int | None) -> Iterator[Iterable[bytes]]:
    """The same lines, with a progress bar where somebody sits before it and it would not mix with the output."""
    if size is None or not sys.stderr.isatty() or sys.stdout.isatty():
        yield lines
        return
    # Imported where they are needed: a file that goes through without a picture need not wait for them.
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("settling"), BarColumn(), MofNCompleteColumn(), TextColumn("bytes"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("settling", total=size)

        def counted() -> Iterator[bytes]:
            unseen = 0
            for line in lines:
                yield line
                unseen += len(line)
                if unseen >= _PROGRESS_EVERY:
                    progress.advance(task, unseen)
                    unseen = 0

        yield counted()


def _print_lines(settled: Iterable[Settled | RecordError]) -> int:
    """One line each; how many were errors."""
    wrong = 0
    write = sys.stdout.write
    for one in settled:
        wrong += isinstance(one, RecordError)
        write(settlement_line(one) + "\n")
    sys.stdout.flush()
    return wrong


def _sum_up(settled: Iterable[Settled | RecordError]) -> int:
    totals: Totals = {}
    rounds = wrong = 0
    for one in settled:
        if isinstance(one, RecordError):
            wrong += 1
            typer.echo(settlement_line(one), err=True)
            continue
        rounds += 1
        played = one.record.round
        add_up(played.game, one.result.seats, totals.setdefault((played.game, played.currency), {}))
    from pitstream.cli.summary import show

    show(totals, rounds=rounds, wrong=wrong)
    return wrong
