"""What each wager of a settled file came to in all, as tables."""

from collections.abc import Mapping

from rich.console import Console
from rich.table import Table

from pitstream.cli.cards import money
from pitstream.games.registry import game_named
from pitstream.games.totals import WagerTotal


def show(totals: Mapping[tuple[str, str], Mapping[str, WagerTotal]], *, rounds: int, wrong: int) -> None:
    """Print a table for each (game, currency), then how many rounds there were and how many records were refused."""
    console = Console()
    for (game, currency), wagers in sorted(totals.items()):
        console.print(_table(game, currency, wagers))
    console.print(f"{rounds:,} rounds settled, {wrong:,} records refused")


def _table(name: str, currency: str, totals: Mapping[str, WagerTotal]) -> Table:
    game = game_named(name)
    table = Table(title=f"{game.title}, {currency}", title_justify="left")
    table.add_column("wager")
    for column in ("staked", "returned", "won", "awards", "players' net"):
        table.add_column(column, justify="right")
    for wager in (wager for wager in game.wagers if wager in totals):
        total = totals[wager]
        net = total.returned + total.won + total.awards - total.stake
        amounts = (total.stake, total.returned, total.won, total.awards, net)
        table.add_row(wager, *(money(amount, currency) for amount in amounts))
    return table
