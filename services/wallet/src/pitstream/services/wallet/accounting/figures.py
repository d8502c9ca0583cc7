"""What the figures of a table's day come to: win, hold and theoretical win, exactly. Pure; amounts are minor units.

Two views of one day, kept apart and compared:

- **counted**: people count chips and the drop box. win = closer - opener - fills + credits + drop; hold = win / drop.
- **settled**: rounds are settled. win = taken - paid; hold of handle = win / handle; theoretical win = handle x edge,
  of an award exposure x edge.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pitstream.events.accounting import ShiftCount, WagerSum


@dataclass(frozen=True, slots=True)
class Counted:
    """What was counted over one shift or several. ``win`` needs a count at both ends; None where one is missing."""

    shifts: tuple[str, ...]
    opener: int | None
    fills: int
    credits: int
    drop: int
    buy_ins: int
    closer: int | None

    @property
    def win(self) -> int | None:
        if self.opener is None or self.closer is None:
            return None
        return self.closer - self.opener - self.fills + self.credits + self.drop

    @property
    def hold(self) -> Fraction | None:
        """Of the drop; None where nothing was dropped, and so nothing could be held of it."""
        return None if self.win is None or not self.drop else Fraction(self.win, self.drop)


def spans(counts: Sequence[ShiftCount]) -> list[Counted]:
    """From one count of the table's inventory to the next, in the order of the shifts: one a shift where every shift
    was counted. A shift that ended without a count is told together with the next one that has it. The wins add up to
    the whole day's, since the closer of one span is the opener of the next.

    >>> day, swing = ShiftCount(shift="day", opener=500, fills=100, closer=450), ShiftCount(shift="swing", closer=700)
    >>> [(one.shifts, one.win) for one in spans([day, swing])], whole([day, swing]).win
    ([(('day',), -150), (('swing',), 250)], 100)
    """
    found: list[Counted] = []
    open_span: list[ShiftCount] = []
    opener = next((count.opener for count in counts if count.opener is not None), None)
    for count in counts:
        open_span.append(count)
        if count.closer is not None:
            found.append(_over(open_span, opener))
            opener, open_span = count.closer, []
    if open_span:
        found.append(_over(open_span, opener))
    return found


def whole(counts: Sequence[ShiftCount]) -> Counted:
    """All of a day's shifts together."""
    opener = next((count.opener for count in counts if count.opener is not None), None)
    return _over(counts, opener)


def _over(counts: Sequence[ShiftCount], opener: int | None) -> Counted:
    return Counted(
        shifts=tuple(count.shift for count in counts),
        opener=opener,
        fills=sum(count.fills for count in counts),
        credits=sum(count.credits for count in counts),
        drop=sum(count.drop for count in counts),
        buy_ins=sum(count.buy_ins for count in counts),
        closer=counts[-1].closer if counts else None,
    )


@dataclass(frozen=True, slots=True)
class Settled:
    """What wagers came to. ``unpriced`` is the handle of wagers whose edge is not known: no part of ``theoretical``."""

    bets: int = 0
    handle: int = 0
    taken: int = 0
    paid: int = 0
    theoretical: Fraction = Fraction(0)
    unpriced: int = 0

    @property
    def win(self) -> int:
        return self.taken - self.paid

    @property
    def hold_of_handle(self) -> Fraction | None:
        return Fraction(self.win, self.handle) if self.handle else None

    def __add__(self, other: "Settled") -> "Settled":
        return Settled(
            self.bets + other.bets,
            self.handle + other.handle,
            self.taken + other.taken,
            self.paid + other.paid,
            self.theoretical + other.theoretical,
            self.unpriced + other.unpriced,
        )


def settled(wagers: Iterable[WagerSum]) -> Settled:
    """The sum of all of them."""
    return sum((_of(wager) for wager in wagers), Settled())


def settled_by(wagers: Iterable[WagerSum], key: Callable[[WagerSum], str]) -> dict[str, Settled]:
    """The sums by shift, game or wager, as ``key`` names it, in the order of their first coming."""
    found: dict[str, Settled] = {}
    for wager in wagers:
        name = key(wager)
        found[name] = found.get(name, Settled()) + _of(wager)
    return found


def _of(wager: WagerSum) -> Settled:
    edge = Fraction(wager.edge) if wager.edge else None
    return Settled(
        wager.bets,
        wager.handle,
        wager.taken,
        wager.paid,
        Fraction(0) if edge is None else (wager.handle + wager.exposure) * edge,
        wager.handle if edge is None else 0,
    )
