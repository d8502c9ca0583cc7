"""Parts put together: what all shares were found to be, and whether they agree with one another."""

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from pitstream.archive import TOPICS, Shard
from pitstream.audit.findings import Finding
from pitstream.audit.part import Whole
from pitstream.audit.scope import Scope
from pitstream.audit.walk import Asked, Where, audit_share

SHOWN_MAX: Final = 100
_FINDINGS_MAX: Final = 100_000
"""Findings that are put in order; a source with more has lost its way, and its first ones say so."""
_NEVER_BELOW_0: Final = ("player", "pot", "handpay", "payable", "suspense")
Balances = Mapping[str, tuple[int, int, int]]
"""By account: debits, credits and what is held, as the ledger's own table has them."""


@dataclass(frozen=True, slots=True)
class Report:
    """What an audit came to. ``first`` is the first event, by the time at which it was recorded, that is not as it must
    be; ``findings`` are the first of them, ``found`` is how many there are."""

    source: str
    """``store``, ``kafka``, ``archive`` or ``parts``."""
    events: dict[str, int]
    """Topic -> events read."""
    rounds: int
    """Rounds settled again."""
    accounts: int
    """Accounts whose balance was made anew."""
    under_way: int
    """Things that follow from an event and are not there yet, as it is while a floor plays."""
    found: int = 0
    """Findings in all."""
    findings: Sequence[Finding] = field(default_factory=tuple)
    """The first of them, by the time recorded."""

    @property
    def first(self) -> Finding | None:
        """The first finding; None when everything is as it must be."""
        return self.findings[0] if self.findings else None


def audit(
    where: Where,
    *,
    workers: int,
    asked: Asked | None = None,
    complete: bool = False,
    balances: Balances | None = None,
) -> Report:
    """Audit a source with so many processes, each a share of the keys. ``complete``: nothing is on its way any more, so
    what is owed and not there is missing. ``balances`` are compared with what the events make."""
    asked = asked or Asked()
    with TemporaryDirectory(prefix="pitstream-audit-") as folder:
        tasks = [
            (where, Shard(number, workers), Path(folder) / f"part-{number}.sqlite", asked) for number in range(workers)
        ]
        if workers == 1:
            parts = [audit_share(*tasks[0])]
        else:
            # Spawned, not forked: nobody's connections and event loops come along.
            with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
                parts = [done.result() for done in [pool.submit(audit_share, *task) for task in tasks]]
        return judge(parts, where.kind, scope=asked.scope, complete=complete, balances=balances)


def judge(
    parts: Sequence[Path],
    source: str,
    *,
    scope: Scope | None = None,
    complete: bool = False,
    balances: Balances | None = None,
    some: bool = False,
) -> Report:
    """What parts, from whichever processes and machines, come to together. ``some``: they are not all there is, so it
    is not asked whether they agree; that is judged once all are put together."""
    scope = scope or Scope()
    with TemporaryDirectory(prefix="pitstream-audit-") as folder, Whole(parts, Path(folder) / "whole.sqlite") as whole:
        all_of_it = whole.findings() if some else _every(whole, scope, complete=complete, balances=balances)
        every = sorted(islice(all_of_it, _FINDINGS_MAX), key=lambda one: one[0])
        counts = whole.counts()
        return Report(
            source=source,
            events={topic: counts.get(topic, 0) for topic in TOPICS},
            rounds=counts.get("rounds settled again", 0),
            accounts=sum(1 for _ in whole.sums()),
            under_way=0 if complete or some else whole.under_way(),
            found=len(every),
            findings=tuple(finding for _, finding in every[:SHOWN_MAX]),
        )


def _every(whole: Whole, scope: Scope, *, complete: bool, balances: Balances | None) -> Iterator[tuple[int, Finding]]:
    yield from whole.findings()
    yield from whole.disagreements(complete=complete, scoped=not scope.whole)
    yield from whole.told_twice("transfer")
    yield from whole.drifting()
    yield from _balances(whole, balances)


def _balances(whole: Whole, balances: Balances | None) -> Iterator[tuple[int, Finding]]:
    """An account's sums: never below 0 where that may not be, and those of the ledger's table, where there is one."""
    left = dict(balances) if balances is not None else None
    for account, debits, credited, pending in whole.sums():
        kind = account.partition("/")[0]
        if kind in _NEVER_BELOW_0 and credited - debits - pending < 0:
            yield 0, _of_account(account, "is below 0, held money included", credited - debits - pending, "0 or more")
        if left is not None:
            told = left.pop(account, None)
            if told != (debits, credited, pending):
                yield (
                    0,
                    _of_account(
                        account, "the ledger's row is not what its events make", told, (debits, credited, pending)
                    ),
                )
    for account, told in (left or {}).items():
        yield 0, _of_account(account, "no event opens it", told, None)


def _of_account(account: str, message: str, recorded: object, right: object) -> Finding:
    return Finding("balance", "wallet.v1", f"account/{account}", 0, "", "accounts", message, str(recorded), str(right))


def workers_here() -> int:
    """As many processes as this machine has cores for."""
    return len(os.sched_getaffinity(0))
