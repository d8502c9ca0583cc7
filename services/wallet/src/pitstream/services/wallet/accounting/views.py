"""A table's day as JSON. Amounts are integers of minor units, shares of one another exact fractions ("7/40")."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from pitstream.events.accounting import Sheet
from pitstream.services.wallet.accounting.day import Place, Slip, TableDay, counts_of
from pitstream.services.wallet.accounting.figures import Counted, Settled, settled, settled_by, spans, whole
from pitstream.services.wallet.accounting.store import Figures

Json = dict[str, Any]


def day_view(place: Place, figures: Figures) -> Json:
    """The figures in force: those that were fixed, of an open day those of this moment."""
    day = figures.day
    sheet = day.sheet if day.closed else open_sheet(place, figures)
    return {
        **name_of(place),
        "state": "closed" if day.closed else "open",
        **sheet_view(sheet),
        "slips": [slip_view(slip) for slip in day.slips.values()],
        "rounds_in_progress": list(figures.underway),
        "late_rounds": list(figures.late),
        "settled_differs": figures.settled_differs,
        "fixed": [{"book": book, **summary(sheet)} for book, sheet in enumerate(day.sheets, start=1)],
        "correction_waiting": None if day.waiting is None else day.waiting.model_dump(mode="json", exclude={"account"}),
    }


def open_sheet(place: Place, figures: Figures) -> Sheet:
    """What would be fixed now."""
    counts = counts_of(figures.day, place.shifts)
    return Sheet.model_construct(rounds=figures.rounds, counts=counts, wagers=figures.wagers)


def name_of(place: Place) -> Json:
    return {
        "table": place.table,
        "currency": place.currency,
        "gaming_day": place.gaming_day,
        "property": place.owner,
    }


def summary(sheet: Sheet) -> Json:
    """Both views of a sheet, and what the counted win is above the settled one; None where it was not counted."""
    counted, sums = whole(sheet.counts), settled(sheet.wagers)
    return {
        "rounds": sheet.rounds,
        "counted": counted_view(counted) if sheet.counts else None,
        "settled": settled_view(sums),
        "counted_less_settled": None if counted.win is None else counted.win - sums.win,
    }


def sheet_view(sheet: Sheet) -> Json:
    """A sheet with its parts: by count, by shift, by game, by wager."""
    return {
        **summary(sheet),
        "counts": [counted_view(one) for one in spans(sheet.counts)],
        "shifts": _named("shift", settled_by(sheet.wagers, lambda one: one.shift)),
        "games": _named("game", settled_by(sheet.wagers, lambda one: one.game)),
        "wagers": [
            {
                **one.model_dump(mode="json"),
                "edge": one.edge or None,
                **settled_view(settled([one])),
            }
            for one in sheet.wagers
        ],
    }


def _named(word: str, sums: dict[str, Settled]) -> list[Json]:
    return [{word: name, **settled_view(one)} for name, one in sums.items()]


def counted_view(counted: Counted) -> Json:
    return {
        "shifts": list(counted.shifts),
        "opener": counted.opener,
        "fills": counted.fills,
        "credits": counted.credits,
        "drop": counted.drop,
        "buy_ins": counted.buy_ins,
        "closer": counted.closer,
        "win": counted.win,
        "hold": _share(counted.hold),
    }


def settled_view(sums: Settled) -> Json:
    """``theoretical_win`` is exact, and of the handle less ``unpriced``, whose edge is not known."""
    return {
        "bets": sums.bets,
        "handle": sums.handle,
        "taken": sums.taken,
        "paid": sums.paid,
        "win": sums.win,
        "hold_of_handle": _share(sums.hold_of_handle),
        "theoretical_win": str(sums.theoretical),
        "unpriced": sums.unpriced,
    }


def _share(share: Fraction | None) -> str | None:
    return None if share is None else str(share)


def slip_view(slip: Slip) -> Json:
    return {
        "slip": slip.slip,
        "kind": slip.kind,
        "shift": slip.shift,
        "amount": slip.amount,
        "prepared_by": slip.prepared_by,
        "role": slip.role,
        "state": slip.state,
    }


def totals_view(sheets: Iterable[tuple[Place, Sheet]], by: str) -> list[Json]:
    """Sums over tables' days, by ``game``, ``shift`` or ``day``, and always by currency.

    Counts are of a table and not of a game: they are told of a game only where the table dealt no other that day. A
    counted win is the sum of those that are known; ``not_counted`` says of how many tables it is not.
    """
    groups: dict[tuple[str, str], _Total] = {}
    for place, sheet in sheets:
        games = {one.game for one in sheet.wagers}
        for wager in sheet.wagers:
            key = {"game": wager.game, "shift": wager.shift, "day": place.gaming_day}[by]
            groups.setdefault((place.currency, key), _Total()).add_settled(settled([wager]))
        parts: Sequence[tuple[str, Counted]] = []
        if sheet.counts:
            match by:
                case "shift":
                    parts = [(span.shifts[-1], span) for span in spans(sheet.counts)]
                case "game":
                    parts = [(game, whole(sheet.counts)) for game in games if len(games) == 1]
                case _:
                    parts = [(place.gaming_day, whole(sheet.counts))]
        for key, counted in parts:
            groups.setdefault((place.currency, key), _Total()).add_counted(counted)
    return [{by: key, "currency": currency, **total.view()} for (currency, key), total in sorted(groups.items())]


class _Total:
    """What tables' days add up to."""

    def __init__(self) -> None:
        self.settled = Settled()
        self.win = self.drop = self.fills = self.credits = self.not_counted = self.tables = 0

    def add_settled(self, sums: Settled) -> None:
        self.settled += sums

    def add_counted(self, counted: Counted) -> None:
        self.fills += counted.fills
        self.credits += counted.credits
        if counted.win is None:
            self.not_counted += 1
            return
        self.tables += 1
        self.win += counted.win
        self.drop += counted.drop

    def view(self) -> Json:
        hold = str(Fraction(self.win, self.drop)) if self.drop else None
        counted = {"win": self.win, "drop": self.drop, "hold": hold, "fills": self.fills, "credits": self.credits}
        return {
            "counted": {**counted, "tables": self.tables, "not_counted": self.not_counted},
            "settled": settled_view(self.settled),
        }


def empty(day: TableDay, figures: Figures) -> bool:
    """Whether nothing is known of a table's day."""
    return not (day.slips or day.buy_ins or day.sheets or figures.rounds or figures.underway)
