"""Ultimate Texas Hold'em: what its paytables come to for each kind of hand and outcome, and the deals of each."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import chain, product
from math import comb
from typing import Final

from pitstream.games.hands import Rows, two_card_rows
from pitstream.games.odds import MeterShare, Odds, Prize
from pitstream.games.paytable import Paytable
from pitstream.odds import _odds
from pitstream.odds.alone import alone
from pitstream.odds.cells import (
    FOLDED,
    LOSE,
    NONE,
    NOT_PLACED,
    Cell,
    Line,
    Moments,
    Row,
    Wager,
    line_of,
    row_of,
    wager_of,
)
from pitstream.odds.errors import OddsError
from pitstream.odds.inputs import Inputs
from pitstream.odds.kinds import KIND_COUNTS, KIND_OF_CATEGORY, KINDS, THREE_OF_A_KIND, rows_of
from pitstream.odds.pays import LOSS, Net, fixed_net, net_of, scale_of, scaled

Progress = Callable[[int, int], object]
"""Called with the steps done and their number."""

DECISIONS: Final = ("4x before the flop", "3x before the flop", "2x on the flop", "1x on the river", "fold")
_ANTES: Final = (4, 3, 2, 1, 0)
_FOLD: Final = 4
_TIE, _TIE_UNQUALIFIED, _LOSS, _LOSS_UNQUALIFIED = 9, 10, 11, 12
LUCKY_POSITIONS: Final = 8
"""The dealer's and seven seats: one of them is drawn for the lucky hand."""
_OUTCOMES: Final = 13
"""0 to 8: the player wins against a dealer of this category; then as named above."""


class Pays:
    """The wagers of one stake by kind of the player's hand and outcome, in Antes."""

    def __init__(self, inputs: Inputs, *, bad_beat: bool = False) -> None:
        """``bad_beat``: the Bad Beat belongs to what play looks at, at a stake of one Ante. Raises OddsError."""
        self.tables = inputs.paytables
        self.wagers = ("ante", "blind", *(("bad_beat",) if bad_beat else ()))
        won = {
            wager: tuple(fixed_net(self.tables[wager], rows_of(kind)) for kind in range(len(KINDS)))
            for wager in inputs.main
        }
        self._won = won
        base = [[self._base(kind, outcome) for outcome in range(_OUTCOMES)] for kind in range(len(KINDS))]
        play = [
            [self.main("play", kind, outcome).net.fixed for outcome in range(_OUTCOMES)] for kind in range(len(KINDS))
        ]
        fold = LOSS * len(self.wagers)
        self.scale = scale_of(net for row in (*base, *play) for net in row)
        self.base = [[scaled(net, self.scale) for net in row] for row in base]
        self.play = [[scaled(net, self.scale) for net in row] for row in play]
        self.fold = scaled(fold, self.scale)
        most = max(
            abs(base) + 4 * abs(play)
            for base, play in zip(chain.from_iterable(self.base), chain.from_iterable(self.play), strict=True)
        )
        if most > _odds.UTH_PAYOFF_MAX:
            reason = f"were odds that come to {most} on their common denominator {self.scale}"
            raise OddsError("paytables", f"{reason}; allowed: at most {_odds.UTH_PAYOFF_MAX}")

    def main(self, wager: str, kind: int, outcome: int) -> Line:
        """Ante, Blind, or a Play Wager of one Ante: 653a.11(h)."""
        if wager == "ante" and outcome in (0, _TIE_UNQUALIFIED, _LOSS_UNQUALIFIED):
            return Line("dealer below a pair", Net(NONE))
        if outcome in (_TIE, _TIE_UNQUALIFIED):
            return Line("tie", Net(NONE))
        if outcome in (_LOSS, _LOSS_UNQUALIFIED):
            return Line(LOSE, Net(LOSS))
        return Line(row_of(self.tables[wager], rows_of(kind)), Net(self._won[wager][kind]))

    def bad_beat(self, kind: int, outcome: int) -> Line:
        """Three of a kind or better that loses, the player's or the dealer's: 653a.11(j)."""
        if outcome in (_LOSS, _LOSS_UNQUALIFIED) and kind >= THREE_OF_A_KIND:
            return self._bad_beat(kind)
        if outcome < _TIE and KIND_OF_CATEGORY[outcome] >= THREE_OF_A_KIND:
            return self._bad_beat(KIND_OF_CATEGORY[outcome])
        return Line(LOSE, Net(LOSS))

    def _bad_beat(self, loser: int) -> Line:
        table = self.tables["bad_beat"]
        return Line(row_of(table, rows_of(loser)), Net(fixed_net(table, rows_of(loser))))

    def _play(self, kind: int, outcome: int) -> Fraction:
        return self.main("play", kind, outcome).net.fixed

    def _base(self, kind: int, outcome: int) -> Fraction:
        lines = (
            self.bad_beat(kind, outcome) if wager == "bad_beat" else self.main(wager, kind, outcome)
            for wager in self.wagers
        )
        return sum((line.net.fixed for line in lines), NONE)


def solve(inputs: Inputs, progress: Progress | None = None, *, bad_beat: bool = False) -> tuple[_odds.Uth, Pays]:
    """Every decision's values and every deal. ``bad_beat``: play is adapted to it."""
    pays = Pays(inputs, bad_beat=bad_beat)
    on_flop = [inputs.paytables[wager] for wager in ("progressive", "five_card") if wager in inputs.paytables]
    paid = [any(_tells(table, rows_of(kind)) for table in on_flop) for kind in range(len(KINDS))]
    return _odds.uth_solve(pays.base, pays.play, pays.fold, paid, progress), pays


def _tells(table: Paytable, rows: Rows) -> bool:
    """Whether these rows come to more than other hands do, by odds or by a draw."""
    return table.prize(rows) is not None or bool(table.lucky_times(rows))


def value(inputs: Inputs, progress: Progress | None = None) -> Fraction:
    """The player's mean result per Ante under best play: all that ``solve`` finds of it, in half the time."""
    pays = Pays(inputs)
    return Fraction(_odds.uth_value(pays.base, pays.play, pays.fold, progress), pays.scale * _odds.UTH_DEALS)


def cells(found: _odds.Uth, pays: Pays) -> Iterator[Cell]:
    """Every deal, with the main wagers and the side bets that the whole board decides."""
    tables = pays.tables
    trips, on_board = tables.get("trips"), tables.get("play_the_board")
    for board, by_action in enumerate(found.outcomes):
        for (action, by_kind), kind, outcome in product(enumerate(by_action), range(len(KINDS)), range(_OUTCOMES)):
            deals = by_kind[kind][outcome]
            if not deals:
                continue
            side: dict[str, Line] = {}
            if trips is not None:
                side["trips"] = line_of(trips, rows_of(kind))
            if "bad_beat" in tables:
                side["bad_beat"] = FOLDED if action == _FOLD else pays.bad_beat(kind, outcome)
            if on_board is not None:
                side["play_the_board"] = line_of(on_board, rows_of(board))
            yield Cell(deals, DECISIONS[action], _main(pays, kind, outcome, action), side)


def _main(pays: Pays, kind: int, outcome: int, action: int) -> Mapping[str, Line]:
    if action == _FOLD:
        return {"ante": FOLDED, "blind": FOLDED, "play": NOT_PLACED}
    antes = Fraction(_ANTES[action])
    play = pays.main("play", kind, outcome)
    return {
        "ante": pays.main("ante", kind, outcome),
        "blind": pays.main("blind", kind, outcome),
        "play": Line(play.outcome, Net(antes * play.net.fixed), antes),
    }


def side_bets(
    inputs: Inputs, found: _odds.Uth, pays: Pays, *, joint: bool = False, progress: Progress | None = None
) -> Iterator[Wager]:
    """The side bets that the flop, the bonus cards or the first two cards decide. ``joint``: as ``par`` says."""
    tables = inputs.paytables
    if "progressive" in tables:
        yield _progressive(tables["progressive"], found, pays.scale)
    if "five_card" in tables:
        main = _beside_dealer(tables["five_card"], found, pays, progress) if joint else None
        five_card = _five_card(tables["five_card"], found, main)
        yield replace(five_card, awards=_drawn(tables["five_card"], found))
    if six_card := "six_card" in tables and alone(inputs, "six_card"):
        yield six_card
    if "ultimate_pairs" in tables:
        yield _ultimate_pairs(tables["ultimate_pairs"], found, pays.scale)


def _progressive(table: Paytable, found: _odds.Uth, scale: int) -> Wager:
    """Two cards and the flop: 653a.11(k); a fold forfeits it (policy)."""
    rows: dict[str, Row] = {}
    for kind, (stayed, folded, net_stayed, net_folded) in enumerate(found.on_flop):
        line = line_of(table, rows_of(kind))
        for one, deals, net in ((line, stayed, net_stayed), (FOLDED, folded, net_folded)):
            if deals:
                _add(rows, Row(one.outcome, one.net, deals, Fraction(net, scale)))
    return wager_of("progressive", rows.values())


Joint = Mapping[tuple[int, int], tuple[Fraction, Fraction]]
"""Player's and dealer's kind on the flop -> the main game's result over these deals, played on and folded."""


def _five_card(table: Paytable, found: _odds.Uth, main: Joint | None) -> Wager:
    """The larger prize of the player's and the dealer's two cards with the flop; after a fold the dealer's (policy).

    A share of a meter counts as more than any odds. Awards on top (lucky, magic) are apart: they hang on what is drawn.
    """
    rows: dict[str, Row] = {}
    for own, by_dealer in enumerate(found.dealer_on_flop):
        for dealer, (stayed, folded) in enumerate(by_dealer):
            of_dealer = table.dealer_prize(rows_of(dealer))
            nets = (None, None) if main is None else main[own, dealer]
            for deals, net, of_player in (
                (stayed, nets[0], table.prize(rows_of(own))),
                (folded, nets[1], None),
            ):
                if deals or net:
                    line = _larger(table, own, of_player, dealer, of_dealer)
                    _add(rows, Row(line.outcome, line.net, deals, net))
    return wager_of("five_card", rows.values())


def _drawn(table: Paytable, found: _odds.Uth) -> Mapping[str, Moments]:
    """Lucky and magic: 653a.11(l). One of eight positions, the dealer's or a seat's, is drawn evenly, and one of 52
    cards; after a fold the player's own cards count for neither (policy)."""
    awards: dict[str, Moments] = {}
    if table.lucky:
        hands = sum(KIND_COUNTS[5])
        bring: list[tuple[int, Fraction]] = []
        for kind, (own, dealers) in enumerate(zip(found.on_flop, KIND_COUNTS[5], strict=True)):
            chance = Fraction(own[0], _odds.UTH_DEALS) + Fraction(dealers, hands)
            bring.append((table.lucky_times(rows_of(kind)), chance / LUCKY_POSITIONS))
        awards["lucky"] = _award(bring)
    if table.magic:
        folds = Fraction(sum(sum(map(sum, by_action[_FOLD])) for by_action in found.outcomes), _odds.UTH_DEALS)
        awards["magic"] = _award([(table.magic, (4 - 2 * folds) / 52)])
    return awards


def _award(bring: Iterable[tuple[int, Fraction]]) -> Moments:
    """``bring``: times the stake, and the chance of it."""
    both = list(bring)
    mean = sum((times * chance for times, chance in both), NONE)
    return Moments(mean, sum((times * times * chance for times, chance in both), NONE) - mean * mean)


def _beside_dealer(table: Paytable, found: _odds.Uth, pays: Pays, progress: Progress | None) -> Joint:
    """The main game's result beside both hands on the flop.

    Kinds that are not paid are not told apart: what all of them come to stands with the lowest, whether it is dealt or
    not, since all of them are one row.
    """
    # Of all kinds paid, by a row "any", the lowest is what is left beside the others.
    own_paid = [kind > 0 and table.prize(rows_of(kind)) is not None for kind in range(len(KINDS))]
    dealer_paid = [table.dealer_prize(rows_of(kind)) is not None for kind in range(len(KINDS))]
    counted = found.beside_dealer(own_paid, dealer_paid, progress)
    every = [stayed + folded for _, _, stayed, folded in found.on_flop]
    by_own = [sum(every[kind] for kind, paid in enumerate(own_paid) if not paid), *every[1:]]
    sums: dict[tuple[int, int], int] = {}
    for own in [0, *(kind for kind, paid in enumerate(own_paid) if paid)]:
        left = by_own[own]
        for dealer, paid in enumerate(dealer_paid):
            if paid:
                sums[own, dealer] = counted[dealer][own]
                left -= counted[dealer][own]
        sums[own, 0] = left
    joint: dict[tuple[int, int], tuple[Fraction, Fraction]] = {}
    for own, by_dealer in enumerate(found.dealer_on_flop):
        unpaid = sum(folded for (_, folded), paid in zip(by_dealer, dealer_paid, strict=True) if not paid)
        for dealer, (_, folded) in enumerate(by_dealer):
            # Folds are counted where a kind is paid: only there do they change what the bet comes to.
            folds = folded if dealer_paid[dealer] else unpaid if dealer == 0 else 0
            lost = pays.fold * folds
            joint[own, dealer] = Fraction(sums.get((own, dealer), 0) - lost, pays.scale), Fraction(lost, pays.scale)
    return joint


def _larger(table: Paytable, own: int, of_player: Prize | None, dealer: int, of_dealer: Prize | None) -> Line:
    if of_player is None and of_dealer is None:
        return Line(LOSE, Net(LOSS))
    if _worth(of_player) >= _worth(of_dealer):
        return Line(row_of(table, rows_of(own)), net_of(table, of_player))
    row = next(row for row in rows_of(dealer) if row in table.dealer_pays)
    return Line(f"dealer: {row}", net_of(table, of_dealer))


def _worth(prize: Prize | None) -> tuple[int, Fraction]:
    """To compare prizes by."""
    match prize:
        case None:
            return (0, NONE)
        case MeterShare():
            return (2, NONE)
        case Odds(times, per):
            return (1, Fraction(times, per))
        case _:
            return (1, NONE)


def _ultimate_pairs(table: Paytable, found: _odds.Uth, scale: int) -> Wager:
    """The player's two cards beside the dealer's: 653b.5."""
    rows: dict[str, Row] = {}
    deals = _odds.UTH_DEALS // comb(52, 2)
    aces_net, aces_deals = (Fraction(found.both_aces[0], scale), found.both_aces[1])
    for high in range(52):
        for low in range(high):
            check, base, play = found.start(bytes((high, low)))
            net = Fraction(max(check, base + 3 * play, base + 4 * play), scale)
            cards = _text(high), _text(low)
            dealt = deals
            if high // 4 == low // 4 == 12:
                line = line_of(table, two_card_rows(cards, ("As", "Ah")))
                _add(rows, Row(line.outcome, line.net, aces_deals // 6, aces_net / 6))
                net, dealt = net - aces_net / 6, deals - aces_deals // 6
            line = line_of(table, two_card_rows(cards, ("2c", "2d")))
            _add(rows, Row(line.outcome, line.net, dealt, net))
    return wager_of("ultimate_pairs", rows.values())


def _text(card: int) -> str:
    return "23456789TJQKA"[card // 4] + "cdhs"[card % 4]


def _add(rows: dict[str, Row], row: Row) -> None:
    """Add to the row of the same outcome."""
    before = rows.get(row.outcome)
    if before is None:
        rows[row.outcome] = row
        return
    with_main = None if before.with_main is None or row.with_main is None else before.with_main + row.with_main
    rows[row.outcome] = Row(row.outcome, row.net, before.deals + row.deals, with_main)
