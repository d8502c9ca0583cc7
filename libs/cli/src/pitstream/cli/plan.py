"""Which rounds of a feed wait for which: a share of a meter is worth what the rounds before it made it.

Pure. Contributions commute, shares do not, so a round that takes a share is a barrier for its network: it begins when
every earlier round of the network is closed, and no later one begins before it is closed. Everything else runs side by
side, one round after the other at each table.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """One round as the plan sees it."""

    table: str
    network: str | None
    takes_share: bool


def waits(entries: Sequence[Entry]) -> list[tuple[int, ...]]:
    """For each round the indices of the rounds, all earlier ones, that must be closed before it begins.

    Closed: settled, and its contributions and shares fixed at the progressive network. The list is short: what those
    rounds waited for themselves is not repeated.

    >>> table, other = Entry("a", "net", takes_share=False), Entry("b", "net", takes_share=False)
    >>> waits([table, other, Entry("a", "net", takes_share=True), other, table])
    [(), (), (0, 1), (2,), (2,)]
    """
    since_barrier: dict[str, list[int]] = {}
    barrier: dict[str, int] = {}
    plan: list[tuple[int, ...]] = []
    for index, entry in enumerate(entries):
        if entry.network is None:
            plan.append(())
            continue
        before = (barrier[entry.network],) if entry.network in barrier else ()
        if entry.takes_share:
            plan.append((*before, *since_barrier.pop(entry.network, ())))
            barrier[entry.network] = index
        else:
            plan.append(before)
            since_barrier.setdefault(entry.network, []).append(index)
    return plan
