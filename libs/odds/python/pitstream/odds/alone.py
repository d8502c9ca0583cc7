"""Side bets on the rank of certain cards alone: counted by combinatorics, no matter how the main game is played."""

from collections.abc import Mapping
from typing import Final

from pitstream.odds.cells import Row, Wager, line_of, wager_of
from pitstream.odds.inputs import Inputs
from pitstream.odds.kinds import KIND_COUNTS, THREE_COUNTS, rows_of, three_rows_of

CARDS: Final[Mapping[str, Mapping[str, int]]] = {
    "ultimate_texas_holdem": {"trips": 7, "six_card": 6, "play_the_board": 5},
    "raise_it_up_stud": {"pair_plus": 3, "six_card": 6},
    "flop_poker": {"three_card_bonus": 3},
}
"""Game -> wager -> how many cards it is on; a fold changes nothing."""


def alone(asked: Inputs, wager: str) -> Wager | None:
    """The wager's outcomes over all sets of its cards; None where more than cards decides it."""
    cards = CARDS[asked.game.name].get(wager)
    if cards is None:
        return None
    table = asked.paytables[wager]
    counts = THREE_COUNTS if cards == 3 else KIND_COUNTS[cards]
    rows: dict[str, Row] = {}
    for kind, deals in enumerate(counts):
        line = line_of(table, three_rows_of(kind, wheel=asked.wheel) if cards == 3 else rows_of(kind))
        before = rows[line.outcome].deals if line.outcome in rows else 0
        rows[line.outcome] = Row(line.outcome, line.net, before + deals, None)
    return wager_of(wager, rows.values())
