"""Writes the wallet's ``edges.toml`` from the odds of every bundled paytable; takes a minute or two.

python services/wallet/generate_edges.py
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product, zip_longest
from pathlib import Path

from pitstream.games.paytables import bundled
from pitstream.games.registry import game_named
from pitstream.odds import MAIN_WAGERS, inputs, theoretical

FILE = Path(__file__).parent / "src/pitstream/services/wallet/accounting/edges.toml"
HEADER = """\
# House edge by game and wager, as exact fractions of the wager, under the default policies; edges.py says what they
# mean. The first entry whose paytables are all the table's own counts. Written by generate_edges.py from the odds.
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


def edges(game: str, table: Table) -> dict[str, Fraction]:
    """The edge of every wager that can be made at the table."""
    rows = inputs(game, table).paytables
    wagers = (*rows, *game_named(game).without_paytable)
    return {wager: theoretical(game, wager, rows).mean for wager in wagers}


def entries(game: str) -> list[tuple[str, Table, Fraction]]:
    """Wager, the paytables that its edge depends on, and the edge; main wagers first."""
    main: list[tuple[str, Table, Fraction]] = []
    sides: dict[tuple[str, str], list[tuple[Table, Fraction]]] = {}
    free: dict[str, Fraction] = {}
    for on, beside in tables_of(game):
        found = edges(game, {**on, **beside})
        for wager, edge in found.items():
            if wager in on:
                if (wager, on, edge) not in main:
                    main.append((wager, on, edge))
            elif wager in beside:
                sides.setdefault((wager, beside[wager]), []).append((on, edge))
            else:
                free[wager] = edge
    rows = [*main, *((wager, {}, edge) for wager, edge in free.items())]
    for (wager, name), several in sides.items():
        if len({edge for _, edge in several}) == 1:
            rows.append((wager, {wager: name}, several[0][1]))
        else:
            rows += [(wager, {**on, wager: name}, edge) for on, edge in several]
    return rows


def text() -> str:
    """The file."""
    lines = [HEADER]
    for game in MAIN_WAGERS:
        lines.append(f"{game} = [")
        for wager, on, edge in entries(game):
            paytables = ", ".join(f'{other} = "{name}"' for other, name in on.items())
            lines.append(f'    {{ wager = "{wager}", paytables = {{ {paytables} }}, edge = "{edge}" }},')
        lines.append("]\n")
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
