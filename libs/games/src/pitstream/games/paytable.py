"""One paytable: what one wager of one game pays."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar

from pitstream.games.hands import Rows
from pitstream.games.odds import Prize

T = TypeVar("T")
Basis = Literal["to 1", "for 1"]
"""Whether the stake comes back on top of the prize, or was taken when the bet was accepted."""
Standing = Literal["regulation", "published", "house"]
"""How far the figures may be called regulation; ``house`` never."""


@dataclass(frozen=True, slots=True)
class Paytable:
    """What one wager of one game pays."""

    game: str
    """The game's name."""
    wager: str
    """The wager's name."""
    id: str
    """What tables choose it by."""
    basis: Basis
    """How its odds are meant."""
    standing: Standing
    """How far it may be called regulation."""
    source: str
    """Where its figures come from."""
    valid_from: str | None
    """First gaming day in force (ISO date); None: no bound known."""
    valid_to: str | None
    """Last gaming day in force."""
    pays: Mapping[str, Prize]
    """Row -> prize, best rank first."""
    dealer_pays: Mapping[str, Prize]
    """For a bet that the dealer's hand can win too."""
    envy: Mapping[str, int]
    """Row -> times the holder's own stake, for another player's hand."""
    lucky: Mapping[str, int]
    """Row -> times the stake, on top, when the hand's position was drawn."""
    magic: int
    """Times the stake, on top, when the drawn card is in the hand; 0: not offered."""
    sha256: str
    """Hex, over everything above in canonical JSON: proves which content was in force."""

    @property
    def name(self) -> str:
        """Game, wager and id in one word."""
        return f"{self.game}.{self.wager}.{self.id}"

    @property
    def days(self) -> str:
        """The days in force, in words.

        >>> from pitstream.games.paytables import bundled
        >>> bundled().named("ultimate_texas_holdem", "bad_beat", "C").days
        'from 2024-03-23 to 2026-03-22'
        """
        bounds = [
            f"{word} {day}" for word, day in (("from", self.valid_from), ("to", self.valid_to)) if day is not None
        ]
        return " ".join(bounds) or "any day"

    def in_force(self, gaming_day: str) -> bool:
        """Whether it may be offered on that day (ISO date)."""
        return (self.valid_from is None or self.valid_from <= gaming_day) and (
            self.valid_to is None or gaming_day <= self.valid_to
        )

    def prize(self, rows: Rows) -> Prize | None:
        """What a hand that fits ``rows`` wins: its highest row here, else ``any``; None when it has no row."""
        return _first(self.pays, rows) or self.pays.get("any")

    def dealer_prize(self, rows: Rows) -> Prize | None:
        """What the dealer's hand wins for the bet: its highest row here; None when it has none."""
        return _first(self.dealer_pays, rows)

    def envy_times(self, rows: Rows) -> int:
        """Times the holder's own stake that another player's hand of these rows brings; 0 when none."""
        return _first(self.envy, rows) or 0

    def lucky_times(self, rows: Rows) -> int:
        """Times the stake on top, when the position of a hand of these rows was drawn; 0 when none."""
        return _first(self.lucky, rows) or 0


def _first(row_to: Mapping[str, T], rows: Rows) -> T | None:
    for row in rows:
        if row in row_to:
            return row_to[row]
    return None
