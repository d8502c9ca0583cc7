from collections.abc import Callable
from typing import Final, final

_Progress = Callable[[int, int], object]

__all__ = [
    "STUD_DEALS",
    "STUD_PAYOFF_MAX",
    "UTH_BOARDS",
    "UTH_DEALS",
    "UTH_PAYOFF_MAX",
    "Stud",
    "Uth",
    "fingerprint",
    "flop_poker_hands",
    "stud_solve",
    "three_kind",
    "uth_solve",
    "uth_value",
]

UTH_BOARDS: Final[int]
"""Classes of five community cards."""
UTH_DEALS: Final[int]
"""Holes, flops, turns with rivers, and dealers' hands: 1326 * 19600 * 1081 * 990."""
STUD_DEALS: Final[int]
"""Own hands and orders of three community cards: 22100 * 49 * 48 * 47."""
UTH_PAYOFF_MAX: Final[int]
"""What base + 4 * play and fold may not exceed, so that no sum leaves 64 bits."""
STUD_PAYOFF_MAX: Final[int]

@final
class Uth:
    """Ultimate Texas Hold'em under best play."""

    @property
    def total(self) -> int: ...
    @property
    def both_aces(self) -> tuple[int, int]: ...
    @property
    def outcomes(self) -> list[list[list[list[int]]]]: ...
    @property
    def on_flop(self) -> list[list[int]]: ...
    @property
    def dealer_on_flop(self) -> list[list[list[int]]]: ...
    def beside_dealer(
        self, own_paid: list[bool], dealer_paid: list[bool], progress: _Progress | None = None
    ) -> list[list[int]]: ...
    def river_lines(self, at: int, scale: int) -> str: ...
    def start(self, hole: bytes) -> tuple[int, int, int]: ...
    def flop(self, hole: bytes, flop: bytes) -> list[int]: ...
    def river(self, hole: bytes, board: bytes) -> tuple[int, int, int]: ...
    @property
    def flop_looks(self) -> list[list[tuple[int, int]]]: ...
    def river_looks(self, progress: _Progress | None = None) -> list[list[tuple[int, int]]]: ...
    def card_value(
        self,
        starts: bytes,
        made: list[bool],
        draws: list[bool],
        own: bool,
        outs: int,
        progress: _Progress | None = None,
    ) -> int: ...
    def flop_sums(self, place: int) -> tuple[bytes, int, bytes]: ...

@final
class Stud:
    """Raise It Up Stud under best play."""

    @property
    def total(self) -> int: ...
    @property
    def outcomes(self) -> list[list[list[int]]]: ...
    @property
    def hands(self) -> list[tuple[bytes, int, list[int]]]: ...
    def third(self, own: bytes) -> list[int]: ...
    def fourth(self, own: bytes, first: int, third: int) -> list[int]: ...
    @property
    def fifth_by_outs(self) -> list[list[tuple[int, int]]]: ...
    def fourth_checks(self, least_outs: list[int]) -> list[list[int]]: ...
    def fourth_of(self, place: int) -> list[tuple[int, list[int]]]: ...
    def fifth_lines(self, place: int, scale: int) -> str: ...
    def fifth(self, own: bytes, board: bytes) -> tuple[int, int, int]: ...

def uth_value(base: list[list[int]], play: list[list[int]], fold: int, progress: _Progress | None = None) -> int: ...
def uth_solve(
    base: list[list[int]],
    play: list[list[int]],
    fold: int,
    paid_on_flop: list[bool],
    progress: _Progress | None = None,
) -> Uth: ...
def stud_solve(
    base: list[int],
    play: list[int],
    fold: int,
    lost: int,
    asked_again: bool,
    progress: _Progress | None = None,
) -> Stud: ...
def flop_poker_hands(progress: _Progress | None = None) -> list[tuple[bytes, int, list[int]]]: ...
def three_kind(own: bytes) -> int: ...
def fingerprint() -> str: ...
