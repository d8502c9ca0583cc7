"""The command ``pitstream``."""

import typer

from pitstream.cli import dead_letters, ledger, services
from pitstream.cli.demo import demo
from pitstream.cli.feed import feed
from pitstream.cli.options import examples
from pitstream.cli.replay import replay
from pitstream.cli.services import down, up
from pitstream.cli.settle import settle
from pitstream.stack.cli import app as stack

app = typer.Typer(
    name="pitstream",
    help="The round-by-round business of poker table games: what is dealt, bet, won and paid, as events.",
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
)
app.command(
    epilog=examples("settle evening.jsonl", "settle evening.jsonl --summary", "settle - < evening.jsonl | head -1")
)(settle)
app.command(
    epilog=examples(
        "feed evening.jsonl", "feed evening.jsonl --expect evening.expected.json --json", "feed - --rate 1/4"
    )
)(feed)
app.command(
    epilog=examples("replay uth-04/17", "replay r00123 --at 12", "replay uth-04/17 --record | pitstream settle -")
)(replay)
app.command(epilog=examples("up", "up --name demo", "up --fresh"))(up)
app.command(epilog=examples("down", "down --name demo", "down --purge"))(down)
app.command(epilog=examples("demo", "demo --feed evening.jsonl --expect evening.expected.json"))(demo)
for group in (services.app, stack, ledger.app, dead_letters.app):
    app.add_typer(group)
