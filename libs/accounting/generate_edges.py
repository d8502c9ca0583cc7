"""Writes ``edges.toml`` from the odds of every bundled paytable; takes some minutes.

python libs/accounting/generate_edges.py
"""

from collections.abc import Iterator, Mapping
from itertools import product, zip_longest
from pathlib import Path

from pitstream.accounting.count import edge
from pitstream.accounting.edges import Edge, written
from pitstream.games.paytables import bundled
from pitstream.games.registry import game_named
from pitstream.odds import MAIN_WAGERS, inputs

FILE = Path(__file__).parent / "src/pitstream/accounting/edges.toml"
HEADER = """\
# House edge by game and wager under the default policies, exact: of the wager, with its variance, its covariance with
# the main game, and its awards' means and variances; edges.py says what they mean. The first entry whose paytables are
# all the table's own counts. Written by generate_edges.py from the odds.
"""
Table = Mapping[str, str]
"""Wager -> paytable."""


def tables_of(game: str) -> Iterator[tuple[Table, Table]]:
    """Every choice of the main wagers' paytables, each with every side bet's paytables, several side bets at a time."""
    known = bundled()
    main = MAIN_WAGERS[game]
    side = [wager for wager in game_named(game).with_paytable if wager not in main]
    for chosen in product(*(known.ids(game, wager) for wager in main)):
        for some in zip_longest(*(known.ids(game, wager) for wager in side)):
            sides = {wager: name for wager, name in zip(side, some, strict=True) if name is not None}
            yield dict(zip(main, chosen, strict=True)), sides


def edges(game: str, table: Table, *, joint: bool = False) -> dict[str, Edge]:
    """The edge of every wager that can be made at the table."""
    rows = dict(inputs(game, table).paytables)
    wagers = (*rows, *game_named(game).without_paytable)
    return {wager: edge(game, wager, rows, joint=joint) for wager in wagers}


def entries(game: str) -> list[tuple[str, Table, Edge]]:
    """Wager, the paytables that its edge depends on, and the edge; main wagers first."""
    main: list[tuple[str, Table, Edge]] = []
    sides: dict[tuple[str, str], list[tuple[Table, Edge]]] = {}
    free: dict[str, Edge] = {}
    for on, beside in tables_of(game):
        found = edges(game, {**on, **beside}, joint=True)
        for wager, one in found.items():
            if wager in on:
                if (wager, on, one) not in main:
                    main.append((wager, on, one))
            elif wager in beside:
                sides.setdefault((wager, beside[wager]), []).append((on, one))
            else:
                free[wager] = one
    rows = [*main, *((wager, {}, one) for wager, one in free.items())]
    for (wager, name), several in sides.items():
        if all(one == several[0][1] for _, one in several):
            rows.append((wager, {wager: name}, several[0][1]))
        else:
            rows += [(wager, {**on, wager: name}, one) for on, one in several]
    return rows


def text() -> str:
    """The file."""
    lines = [HEADER]
    for game in MAIN_WAGERS:
        for wager, on, one in entries(game):
            lines.append(f"[[{game}]]\nwager = {_toml(wager)}")
            if on:
                lines.append(f"paytables = {_toml(on)}")
            lines += [f"{name} = {_toml(value)}" for name, value in written(one).items()]
            lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _toml(value: object) -> str:
    """Text, lists and tables of it, in one line."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{name} = {_toml(one)}" for name, one in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return f'"{value}"'


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
