"""Raise It Up Stud: what its paytables come to for each kind of hand, and the deals of each."""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Final

from pitstream.games.paytable import Paytable
from pitstream.odds import _odds
from pitstream.odds.cells import FOLDED, LOSE, NOT_PLACED, Cell, Line, line_of, row_of
from pitstream.odds.errors import OddsError
from pitstream.odds.inputs import Inputs
from pitstream.odds.kinds import KINDS, PAIR_OF_TENS, ROYAL, ROYAL_SPADES, rows_of, three_rows_of
from pitstream.odds.pays import LOSS, Net, fixed_net, scale_of, scaled

STREETS: Final = ("Third Street", "Fourth Street", "Fifth Street")
_BET, _FOLD = 1, 2
_THIRD, _FOURTH, _FIFTH = 4, 3, 3
_THREE_KINDS: Final = 9


class Pays:
    """Ante, Blind and a Play Wager by kind of the best five of six, in Antes: 669a.11(i)(2)."""

    def __init__(self, inputs: Inputs) -> None:
        """Raises OddsError."""
        self.tables = inputs.paytables
        self.wheel = inputs.wheel
        self.asked_again = inputs.policies["play_wagers"] == "each"
        lines = {wager: tuple(self._line(wager, kind) for kind in range(len(KINDS))) for wager in inputs.main}
        self._lines = lines
        base = [lines["ante"][kind].net.fixed + lines["blind"][kind].net.fixed for kind in range(len(KINDS))]
        play = [line.net.fixed for line in lines["play"]]
        self.scale = scale_of((*base, *play))
        self.base = [scaled(net, self.scale) for net in base]
        self.play = [scaled(net, self.scale) for net in play]
        most = max(map(abs, (*self.base, *self.play)))
        if most > _odds.STUD_PAYOFF_MAX:
            reason = f"were odds that come to {most} on their common denominator {self.scale}"
            raise OddsError("paytables", f"{reason}; allowed: at most {_odds.STUD_PAYOFF_MAX}")

    def main(self, wager: str, kind: int) -> Line:
        return self._lines[wager][kind]

    def _line(self, wager: str, kind: int) -> Line:
        if kind < PAIR_OF_TENS:
            return Line(LOSE, Net(LOSS))
        table = self.tables[wager]
        return Line(row_of(table, rows_of(kind)), Net(fixed_net(table, rows_of(kind))))


def solve(inputs: Inputs, progress: Callable[[int, int], object] | None = None) -> tuple[_odds.Stud, Pays]:
    """Every decision's values and every deal."""
    pays = Pays(inputs)
    fold, lost = -2 * pays.scale, -pays.scale
    return _odds.stud_solve(pays.base, pays.play, fold, lost, pays.asked_again, progress), pays


def cells(found: _odds.Stud, pays: Pays) -> Iterator[Cell]:
    """Every deal with every wager. Deals are told in quarters, since one of four royal flushes is of spades."""
    for action, by_own in enumerate(found.outcomes):
        third, fourth, fifth = action // (_FOURTH * _FIFTH), action // _FIFTH % _FOURTH, action % _FIFTH
        folded = fifth == _FOLD
        bets = (third, fourth, 1 if fifth == _BET else 0)
        antes = Fraction(sum(bets))
        for own, kind in product(range(_THREE_KINDS), range(len(KINDS))):
            deals = by_own[own][kind]
            if not deals:
                continue
            main = _main(pays, kind, antes, folded=folded)
            quarters = ((ROYAL, 3), (ROYAL_SPADES, 1)) if own == ROYAL else ((own, 4),)
            for three, of_four in quarters:
                side = _side(pays, three, kind, folded=folded)
                yield Cell(deals * of_four, _decision(bets, folded=folded), main, side)


def _decision(bets: tuple[int, ...], *, folded: bool) -> str:
    placed = [f"{antes}x on {street}" for antes, street in zip(bets, STREETS, strict=True) if antes]
    return ", ".join([*placed, *(["fold"] if folded else [])])


def _main(pays: Pays, kind: int, antes: Fraction, *, folded: bool) -> Mapping[str, Line]:
    if folded:
        # Asked again on each street, a seat may fold with Play Wagers standing: they are lost.
        play = Line("fold", Net(-antes), antes) if antes else NOT_PLACED
        return {"ante": FOLDED, "blind": FOLDED, "play": play}
    play = pays.main("play", kind)
    return {
        "ante": pays.main("ante", kind),
        "blind": pays.main("blind", kind),
        "play": Line(play.outcome, Net(antes * play.net.fixed), antes),
    }


def _side(pays: Pays, three: int, kind: int, *, folded: bool) -> Mapping[str, Line]:
    tables: Mapping[str, Paytable] = pays.tables
    rows = three_rows_of(three, wheel=pays.wheel)
    side: dict[str, Line] = {}
    if "pair_plus" in tables:
        side["pair_plus"] = line_of(tables["pair_plus"], rows)
    if "progressive" in tables:
        # Forfeited by a fold: 669a.11(g).
        side["progressive"] = FOLDED if folded else line_of(tables["progressive"], rows)
    if "six_card" in tables:
        side["six_card"] = line_of(tables["six_card"], rows_of(kind))
    return side
