"""``pitstream paytables``: what may be offered on a gaming day, and what may not, with the reason."""

from datetime import date, datetime
from json import dumps
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from pitstream.cli.options import Json, PaytableFile, UnusableError, paytables_with, plainly
from pitstream.games.paytable import Paytable
from pitstream.games.paytables import Paytables
from pitstream.games.registry import GAMES, game_named


def paytables(
    game: Annotated[str | None, typer.Argument(help="Only that game's.", show_default=False)] = None,
    day: Annotated[
        str | None, typer.Option(help="The gaming day, YYYY-MM-DD.", show_default="today", metavar="DAY")
    ] = None,
    file: PaytableFile = None,
    json: Json = False,
) -> None:
    """List the paytables, with the reason why one is not available on the gaming day.

    Standing: regulation (its text was seen), published (seen elsewhere for this or a sister game), house (chosen here
    or by the property). Source: where the figures come from.

    Exit code: 0, 2 no such game, no such day, or a file of paytables that is wrong: its line and the reason are told.
    """
    with plainly():
        on = _day(day)
        if game is not None and game not in GAMES:
            raise UnusableError(f"GAME was {game!r}; allowed: {', '.join(GAMES)}")
        known = paytables_with(file)
        listed = [table for table in known if game in (None, table.game)]
    if json:
        typer.echo(dumps([as_json(table, on, known) for table in listed], indent=2))
        return
    console = Console()
    for name in dict.fromkeys(table.game for table in listed):
        console.print(_shown(name, [table for table in listed if table.game == name], on, known))


def why_not(table: Paytable, day: str, known: Paytables) -> str | None:
    """Why the paytable cannot be offered on that gaming day; None when it can."""
    if table.in_force(day):
        return None
    if known.named(table.game, table.wager, table.id, day).in_force(day):
        return f"in force {table.days}; on {day} another period of {table.id} is"
    return f"in force {table.days}"


def as_json(table: Paytable, day: str, known: Paytables) -> dict[str, Any]:
    """The paytable for machines; prizes as they are written in a file of paytables."""
    reason = why_not(table, day, known)
    return {
        "game": table.game,
        "wager": table.wager,
        "paytable": table.id,
        "basis": table.basis,
        "standing": table.standing,
        "source": table.source,
        "from": table.valid_from,
        "to": table.valid_to,
        "day": day,
        "available": reason is None,
        "reason": reason,
        "pays": {row: str(prize) for row, prize in table.pays.items()},
        "sha256": table.sha256,
    }


def _shown(game: str, listed: list[Paytable], day: str, known: Paytables) -> Table:
    shown = Table(title=f"{game_named(game).title}  ({game})", title_justify="left")
    for column in ("wager", "paytable", "standing", f"on {day}", "source"):
        shown.add_column(column, overflow="fold")
    before = None
    for table in listed:
        reason = why_not(table, day, known)
        available = "[green]available[/]" if reason is None else f"[yellow]not available:[/] {reason}"
        wager = table.wager if table.wager != before else ""
        shown.add_row(wager, table.id, table.standing, available, table.source)
        before = table.wager
    return shown


def _day(text: str | None) -> str:
    if text is None:
        return datetime.now().astimezone().date().isoformat()
    try:
        found = date.fromisoformat(text).isoformat()
    except ValueError:
        found = ""
    if found != text:
        raise UnusableError(f"--day was {text!r}; allowed: a day of the calendar, YYYY-MM-DD")
    return found
