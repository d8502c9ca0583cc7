"""What a feed came to, for people and for machines."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles
from typing import Any

from rich.columns import Columns
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pitstream.cli.cards import money, signed
from pitstream.cli.results import Results


@dataclass(frozen=True, slots=True)
class Report:
    """A feed's results and how it went."""

    results: Results
    worth_telling: tuple[str, int] | None
    """Table and number of the round of the largest hand-pay, else of the largest win."""
    currencies: tuple[str, ...]
    faults: tuple[str, ...]
    """Records that were left out, one sentence each."""
    notes: tuple[str, ...]
    """What of a void round could not be played as it was recorded."""
    seconds: float
    """Until the last round was finished."""
    posted_seconds: float
    """Until everything was posted."""
    latencies_s: Sequence[float]
    repeated: int

    @property
    def rounds_per_second(self) -> float:
        """Rounds finished per second."""
        return self.results.rounds / self.seconds if self.seconds else 0.0

    def as_json(self) -> dict[str, Any]:
        """The results in the shape of a feed's expected file, and how it went beside them."""
        p50, p99 = _p50_p99_ms(self.latencies_s)
        return {
            **self.results.model_dump(),
            "faults": list(self.faults),
            "notes": list(self.notes),
            "seconds": round(self.seconds, 3),
            "posted_seconds": round(self.posted_seconds, 3),
            "rounds_per_second": round(self.rounds_per_second, 2),
            "commands": len(self.latencies_s),
            "repeated": self.repeated,
            "latency_ms": {"p50": round(p50, 2), "p99": round(p99, 2)},
        }


def show(report: Report, console: Console, *, players: bool = True) -> None:
    """Print what the feed came to."""
    results = report.results
    # Sums over wagers are of one currency in practice; where a file mixes several, their digits are the first one's.
    currency = report.currencies[0] if report.currencies else "USD"
    for game, wagers in results.totals.items():
        table = Table(title=game.replace("_", " "), title_justify="left", title_style="bold cyan")
        table.add_column("wager")
        for column in ("staked", "returned", "won", "awards", "players' net"):
            table.add_column(column, justify="right")
        for wager, sums in wagers.items():
            amounts = (money(value, currency) for value in (sums.stake, sums.returned, sums.won, sums.awards))
            net = signed(sums.returned + sums.won + sums.awards - sums.stake, currency)
            table.add_row(wager, *amounts, net)
        console.print(table)
    for game, meters in results.meters.items():
        for meter, amount in meters.items():
            console.print(f"meter {meter} of {game.replace('_', ' ')} stands at [bold]{money(amount, currency)}[/]")
    if players:
        console.print(
            Columns(
                [Text(f"{player} ") + signed(net, currency) for player, net in results.players.items()],
                title="[bold cyan]players' net",
                padding=(0, 3),
                align="right",
            )
        )
    p50, p99 = _p50_p99_ms(report.latencies_s)
    again = f", {report.repeated} sent again" if report.repeated else ""
    console.print(
        f"{results.rounds} rounds of {len(results.players)} players in {report.seconds:.1f} s "
        f"({report.rounds_per_second:.1f} rounds/s), all posted after {report.posted_seconds:.1f} s; "
        f"{len(report.latencies_s)} commands{again}, p50 {p50:.1f} ms, p99 {p99:.1f} ms"
    )
    for note in report.notes:
        console.print(Text(f"note: {note}", "yellow"))
    for fault in report.faults:
        console.print(Text(f"left out: {fault}", "red"))


def compare(wrong: Sequence[str], console: Console, *, expected: Path) -> None:
    """Print how the results compare with what was expected."""
    if not wrong:
        console.print(f"[green]as expected[/]: players, totals, meters and rounds equal {expected.name}")
    for difference in wrong:
        console.print(Text(f"differs: {difference}", "red"))


def _p50_p99_ms(seconds: Sequence[float]) -> tuple[float, float]:
    if len(seconds) < 2:
        return (1000 * sum(seconds),) * 2
    cuts = quantiles(seconds, n=100, method="inclusive")
    return 1000 * cuts[49], 1000 * cuts[98]
