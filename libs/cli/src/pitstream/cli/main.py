"""The command ``pitstream``: each subcommand is imported when it is asked for, so that none waits for another's."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Final, NamedTuple

import typer
from typer.core import TyperGroup
from typer.main import get_command

from pitstream.cli.options import examples


class _Where(NamedTuple):
    """Where a subcommand is defined: a function, or a group with its own subcommands."""

    module: str
    name: str
    examples: tuple[str, ...] = ()


_COMMANDS: Final = {
    "settle": _Where(
        "pitstream.cli.settle",
        "settle",
        ("settle evening.jsonl", "settle evening.jsonl --summary", "settle - < evening.jsonl | head -1"),
    ),
    "paytables": _Where(
        "pitstream.cli.paytables",
        "paytables",
        ("paytables", "paytables flop_poker --day 2026-03-23", "paytables --paytables house.toml --json"),
    ),
    "par": _Where(
        "pitstream.cli.par",
        "par",
        (
            "par ultimate_texas_holdem --html sheet.html",
            "par flop_poker --paytables flop=liberal --check 20000",
            "par ultimate_texas_holdem --solve blind=flush --edge 2.5%",
            'par raise_it_up_stud --hand "Th 9h 8h"',
        ),
    ),
    "feed": _Where(
        "pitstream.cli.feed",
        "feed",
        ("feed evening.jsonl", "feed evening.jsonl --expect evening.expected.json --json", "feed - --rate 1/4"),
    ),
    "replay": _Where(
        "pitstream.cli.replay",
        "replay",
        (
            "replay uth-04/17",
            "replay r00123 --at 12",
            "replay uth-04/17 --html round.html",
            "replay uth-04/17 --hash --source /archive",
            "replay uth-04/17 --record | pitstream settle -",
        ),
    ),
    "up": _Where("pitstream.cli.services", "up", ("up", "up --name demo", "up --fresh")),
    "down": _Where("pitstream.cli.services", "down", ("down", "down --name demo", "down --purge")),
    "demo": _Where("pitstream.cli.demo", "demo", ("demo", "demo evening.jsonl")),
    "services": _Where("pitstream.cli.services", "app"),
    "stack": _Where("pitstream.stack.cli", "app"),
    "audit": _Where(
        "pitstream.cli.audit",
        "audit",
        ("audit", "audit --service wallet --json", "audit --only every_command_was_answered"),
    ),
    "archive": _Where(
        "pitstream.cli.archive",
        "archive",
        ("archive --day 2026-03-28 --out /archive --key audit.pem", "archive --day 2026-03-28 --out /archive --json"),
    ),
    "verify": _Where(
        "pitstream.cli.verify",
        "verify",
        ("verify /archive --public-key audit.pub", "verify /archive/2026-03-28 --public-key audit.pub --json"),
    ),
    "checkpoint": _Where(
        "pitstream.cli.checkpoint",
        "checkpoint",
        ("checkpoint --out /archive --key audit.pem", "checkpoint --out /checkpoints --key env:AUDIT_KEY --json"),
    ),
    "keys": _Where("pitstream.cli.keys", "app"),
    "rebuild": _Where(
        "pitstream.cli.rebuild",
        "rebuild",
        ("rebuild progressive", "rebuild progressive networks --dry-run", "rebuild wallet balances --json"),
    ),
    "dispute": _Where("pitstream.cli.dispute", "app"),
    "correct": _Where("pitstream.cli.correct", "app"),
    "day": _Where("pitstream.cli.day", "app"),
    "reconcile": _Where(
        "pitstream.cli.reconcile",
        "reconcile",
        (
            "reconcile --day 2026-03-28",
            "reconcile --day 2026-03-28 --operator-file statement.csv",
            "reconcile --day 2026-03-28 --json",
            "reconcile --network ultimate-texas-holdem",
        ),
    ),
    "meter": _Where(
        "pitstream.cli.meter",
        "meter",
        ("meter uth", "meter uth --explain", "meter uth --explain --meter main --json"),
    ),
    "ledger": _Where("pitstream.cli.ledger", "app"),
    "access": _Where("pitstream.cli.access", "app"),
    "ops": _Where("pitstream.cli.ops", "app"),
    "dead-letters": _Where("pitstream.cli.dead_letters", "app"),
}


class _OnDemand(Mapping[str, Any]):
    """Subcommands by name."""

    def __getitem__(self, name: str) -> Any:
        where = _COMMANDS[name]
        found = getattr(import_module(where.module), where.name)
        if not isinstance(found, typer.Typer):
            alone = typer.Typer(add_completion=False, rich_markup_mode="markdown")
            alone.command(name, epilog=examples(*where.examples))(found)
            found = alone
        command = get_command(found)
        command.name = name
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(_COMMANDS)

    def __len__(self) -> int:
        return len(_COMMANDS)


class _Pitstream(TyperGroup):
    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes | {"commands": {}})
        self.commands = _OnDemand()  # type: ignore[assignment]  # read only: nothing is ever added to it


app = typer.Typer(
    cls=_Pitstream,
    name="pitstream",
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
)


@app.callback()
def _pitstream() -> None:
    """The round-by-round business of poker table games: what is dealt, bet, won and paid, as events."""
