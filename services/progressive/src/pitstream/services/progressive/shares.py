"""Dividing a locked amount among those who share it: nothing is lost, nothing is made."""

from collections.abc import Sequence


def divided(pool: int, weights: Sequence[int]) -> list[int]:
    """``pool`` minor units in proportion to ``weights``, rounded down; what is left over goes one each from the first.

    >>> divided(100, [1, 1, 1]), divided(1_000, [100, 10])
    ([34, 33, 33], [910, 90])
    """
    total = sum(weights)
    parts = [pool * weight // total for weight in weights]
    for place in range(pool - sum(parts)):
        parts[place] += 1
    return parts
