"""What goes wrong, drawn per seed: which families of faults there are, how often each fires, and when.

A draw depends on the seed, the step and the place within the step, and on nothing that happened before. So one fault
can be left out of a run, and what comes later is drawn as it was: that is what makes a schedule shrink.
"""

import hashlib
import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

ON_STATEMENTS: Final = {
    "serialization_failure": 0.004,
    "connection_lost": 0.004,
    "crash_in_transaction": 0.003,
    "interleaved": 0.012,
}
"""Before any statement: the most that a seed may have of it."""
ON_COMMITS: Final = {"lost_before_commit": 0.02, "commit_reply_lost": 0.03, "crash_after_commit": 0.02}
ON_BATCHES: Final = {"stale_batch": 0.06, "rewind": 0.06, "handler_fails": 0.08}
ON_PUBLISHING: Final = {
    "publish_fails": 0.06,
    "acknowledgement_lost": 0.06,
    "crash_when_published": 0.04,
    "two_relays": 0.05,
}
ON_REQUESTS: Final = {"reply_lost": 0.05, "sent_again": 0.05}
ON_RECORDS: Final = {"delayed": 0.3, "duplicated": 0.08}
ON_STEPS: Final = {
    "crash": 0.012,
    "rebalance": 0.03,
    "zombie": 0.015,
    "poison": 0.03,
    "clock_jump": 0.02,
    "hint_refused": 0.1,
}
ON_SEEDS: Final = {"slow_reader": 0.5}
"""Of a service and a topic, for the whole seed: what other topics say is heard long before."""

MOST: Final[Mapping[str, float]] = {
    **ON_STATEMENTS, **ON_COMMITS, **ON_BATCHES, **ON_PUBLISHING, **ON_REQUESTS, **ON_RECORDS, **ON_STEPS, **ON_SEEDS
}  # fmt: skip
FAMILIES: Final = tuple(MOST)


def chance(*what: object) -> random.Random:
    """A generator for one purpose: the same for the same words."""
    return random.Random("/".join(map(str, what)))


@dataclass(frozen=True)
class Plan:
    """One run: its seed, and what is left out of it."""

    seed: str
    families_off: frozenset[str] = frozenset()
    faults_off: frozenset[str] = frozenset()
    tables_max: int = 3
    rounds_max: int = 2
    seats_max: int = 3


@dataclass(frozen=True, slots=True)
class Fired:
    """A fault that happened. ``place`` names it within its seed: the step, and the how-manieth draw there."""

    place: str
    family: str
    said: str


@dataclass
class Faults:
    """The draws of one run."""

    plan: Plan
    rates: dict[str, float] = field(default_factory=dict)
    active: bool = True
    fired: list[Fired] = field(default_factory=list)
    step: int = 0
    _place: int = 0

    def __post_init__(self) -> None:
        draw = chance(self.plan.seed, "rates")
        # A family is absent in a third of the seeds, so that the others are met without it too.
        self.rates = {family: draw.choice((0, 1, draw.random())) * most for family, most in MOST.items()}

    def begin(self, step: int) -> None:
        self.step, self._place = step, 0

    def one_of(self, families: Mapping[str, float], said: str) -> str | None:
        """The family that fires here, if any."""
        self._place += 1
        if not self.active:
            return None
        place = f"{self.step}.{self._place}"
        digest = hashlib.blake2b(f"{self.plan.seed}/{place}".encode(), digest_size=7).digest()
        left = int.from_bytes(digest, "big") / 2**56
        for family in families:
            left -= self.rates[family]
            if left < 0:
                if family in self.plan.families_off or place in self.plan.faults_off:
                    return None
                self.fired.append(Fired(place, family, said))
                return family
        return None

    def hits(self, family: str, said: str) -> bool:
        return self.one_of({family: 0}, said) is not None

    def counted(self) -> Counter[str]:
        return Counter(one.family for one in self.fired)
