"""Flop Poker: what its paytables come to for each kind of hand, and the deals of each."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pitstream.odds import _odds
from pitstream.odds.cells import FOLDED, LOSE, NOT_PLACED, Cell, Line, line_of, row_of
from pitstream.odds.inputs import Inputs
from pitstream.odds.kinds import JACKS, KINDS, ROYAL, ROYAL_SPADES, rows_of, three_rows_of
from pitstream.odds.pays import LOSS, Net, fixed_net

FLOPS = 18_424
"""Flops for each own hand."""


@dataclass(frozen=True, slots=True)
class Hand:
    """Three own cards, for all that differ by the names of the suits."""

    cards: bytes
    weight: int
    kinds: Sequence[int]
    """Flops by kind of hand."""
    bet: Fraction
    """The mean result in Antes of the bet; of a fold it is -1."""


class Pays:
    """Ante and Flop by kind of hand, in Antes: 583.11(d)(2)."""

    def __init__(self, inputs: Inputs) -> None:
        """Raises OddsError."""
        self.tables = inputs.paytables
        self.wheel = inputs.wheel
        self.lines = {wager: tuple(self._line(wager, kind) for kind in range(len(KINDS))) for wager in inputs.main}

    def _line(self, wager: str, kind: int) -> Line:
        if kind < JACKS:
            return Line(LOSE, Net(LOSS))
        table = self.tables[wager]
        return Line(row_of(table, rows_of(kind)), Net(fixed_net(table, rows_of(kind))))


def solve(inputs: Inputs, progress: Callable[[int, int], object] | None = None) -> tuple[list[Hand], Pays]:
    """Every own hand with what its bet is worth."""
    pays = Pays(inputs)
    bet = [pays.lines["ante"][kind].net.fixed + pays.lines["flop"][kind].net.fixed for kind in range(len(KINDS))]
    hands = []
    for cards, weight, kinds in _odds.flop_poker_hands(progress):
        mean = sum((pay * count for pay, count in zip(bet, kinds, strict=True)), Fraction(0)) / FLOPS
        hands.append(Hand(cards, weight, kinds, mean))
    return hands, pays


def bets(hand: Hand) -> bool:
    """Whether the bet is no worse than a fold."""
    return hand.bet >= LOSS


def cells(hands: Sequence[Hand], pays: Pays) -> Iterator[Cell]:
    """Every deal with every wager but the Pot, which the players share among themselves: its edge is 0."""
    counted: dict[tuple[bool, int, int], int] = {}
    for hand in hands:
        own = _odds.three_kind(hand.cards)
        quarters = ((ROYAL, 3), (ROYAL_SPADES, 1)) if own == ROYAL else ((own, 4),)
        for three, of_four in quarters:
            for kind, flops in enumerate(hand.kinds):
                key = (bets(hand), three, kind)
                counted[key] = counted.get(key, 0) + flops * hand.weight * of_four
    for (stays, three, kind), deals in counted.items():
        if not deals:
            continue
        side: Mapping[str, Line] = {}
        if "three_card_bonus" in pays.tables:
            side = {
                "three_card_bonus": line_of(pays.tables["three_card_bonus"], three_rows_of(three, wheel=pays.wheel))
            }
        main = (
            {wager: lines[kind] for wager, lines in pays.lines.items()}
            if stays
            else {"ante": FOLDED, "flop": NOT_PLACED}
        )
        yield Cell(deals, "bet" if stays else "fold", main, side)
