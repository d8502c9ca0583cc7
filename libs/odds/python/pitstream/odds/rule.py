"""One line of a strategy card."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pitstream.evaluator import RANKS

SINGULAR: Final = (
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "jack",
    "queen",
    "king",
    "ace",
)
TEN: Final = RANKS.index("T")


@dataclass(frozen=True, slots=True)
class Rule:
    """On this street, this choice when any of these is so."""

    street: str
    choice: str
    when: tuple[str, ...]


def ranges(ranks: Sequence[int]) -> str:
    """Ranks as people write them: runs up to the ace as ``T+``, others as they are.

    >>> ranges([12, 11, 10, 8]), ranges([3]), ranges([])
    ('Q+, T', '5', '')
    """
    left = sorted(ranks, reverse=True)
    top = []
    expected = len(RANKS) - 1
    while left and left[0] == expected:
        top.append(left.pop(0))
        expected -= 1
    words = [f"{RANKS[top[-1]]}+"] if len(top) > 1 else [RANKS[rank] for rank in top]
    return ", ".join([*words, *(RANKS[rank] for rank in left)])
