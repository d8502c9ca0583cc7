"""A progressive network's state: its meters, the rounds under way, the hits not done with, the changes asked for.

All of it is bounded by what is going on, never by what has been: rounds that are closed, hits that are over and changes
that are decided leave nothing here but counts. Stream ``progressive/<network>``.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from pitstream.events.corrections import HitProposed
from pitstream.events.progressives import ChangeProposed, ContributionQuestioned, HitLocked, Policy
from pitstream.services.progressive.meter import Meter, Rates

Status = Literal["locked", "verified", "paid", "refused"]


@dataclass(frozen=True, slots=True)
class NotOpened:
    """A network that nobody opened."""


@dataclass(frozen=True, slots=True)
class Fed:
    """The progressive stakes of a round that is not closed yet.

    ``taken_at``: number in the stream of the event that took them. ``rates``: at what rates they fed which meters;
    empty while the contribution is questioned.
    """

    taken_at: int
    stakes: int
    rates: tuple[Rates, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """A locked share and what became of it; ``amount`` may have been divided anew since the lock, minor units."""

    locked: HitLocked
    locked_at: int
    amount: int
    status: Status = "locked"
    verified_by: str | None = None
    decided_by: str | None = None
    """Who approved or refused it."""
    reason: str = ""
    document: str = ""
    released_by: str | None = None
    questioned: int = 0
    """The correction of its round that took its win away; 0 for none."""

    @property
    def is_open(self) -> bool:
        """Neither paid nor refused."""
        return self.status in ("locked", "verified")


@dataclass(frozen=True, slots=True)
class Group:
    """Hits of one meter that are close together, by their claims in order of their locks, under one policy.

    ``base``: what the meter stood at before the first lock. ``emptied``: the whole of it is won, and the meter was
    restarted with a seed of these two parts; under ``full_each`` by the hit ``emptied_by``, and by no other while that
    one is not refused.
    """

    meter: str
    policy: Policy
    first_at: int
    base: int
    claims: tuple[str, ...]
    emptied: bool = False
    emptied_by: str | None = None
    seed_from_reserve: int = 0
    seed_from_house: int = 0


@dataclass(frozen=True, slots=True)
class Owed:
    """What was not there any more of seeds that were to be taken off a meter again: others had won of it.

    Should one of ``claims`` be refused, the undecided hits that were locked since those seeds were put there, its money
    pays it back."""

    claims: tuple[str, ...]
    reserve: int
    house: int


NOTHING_OWED = Owed((), 0, 0)


@dataclass(frozen=True, slots=True)
class Network:
    """An open network.

    ``fed`` holds the stakes of rounds (``table/round_no``) that fed the meters and are not closed yet; ``closed`` the
    last closed round of each table. A table's rounds arrive in order on both topics, so every round up to that number
    is closed.
    """

    network: str
    currency: str
    policy: Policy
    version: int
    """Events so far: the number of the last one in the stream."""
    meters: Mapping[str, Meter]
    rates: tuple[Rates, ...]
    """Of the meters in use: kept once, since every round that is under way refers to them."""
    fed: Mapping[str, Fed] = field(default_factory=dict)
    closed: Mapping[str, int] = field(default_factory=dict)
    questions: Mapping[str, ContributionQuestioned] = field(default_factory=dict)
    """By round, open or closed."""
    hits: Mapping[str, Hit] = field(default_factory=dict)
    """By claim, in order of their locks: those not over, and those that share with one of them."""
    groups: tuple[Group, ...] = ()
    """In order of their first locks."""
    owed: Mapping[str, Owed] = field(default_factory=dict)
    """By meter."""
    proposals: Mapping[str, ChangeProposed] = field(default_factory=dict)
    """Those that wait, by id."""
    proposed_hits: Mapping[str, HitProposed] = field(default_factory=dict)
    """Hits that corrections of rounds made appear and nobody has answered for yet, by claim."""

    def has_closed(self, table: str, round_no: int) -> bool:
        """Whether the round can neither feed a meter nor claim a share any more."""
        return round_no <= self.closed.get(table, 0)

    def plays_at(self, table_seen: Callable[[str], bool]) -> bool:
        """Whether a table that fulfils this has played for the network."""
        under_way = (name.rpartition("/")[0] for name in self.fed)
        return any(map(table_seen, self.closed)) or any(map(table_seen, under_way))

    def group_of(self, claim_id: str) -> Group | None:
        return next((group for group in self.groups if claim_id in group.claims), None)

    def members(self, group: Group, *, leave_out: str = "") -> list[Hit]:
        """The hits of a group that are not refused, in the order in which left-over units go to them: tables in the
        order of their first lock, at a table by seat from the dealer's left."""
        every = [self.hits[claim].locked for claim in group.claims]
        tables = list(dict.fromkeys(hit.table for hit in every))
        counted = (hit for hit in every if hit.claim_id != leave_out and self.hits[hit.claim_id].status != "refused")
        ordered = sorted(counted, key=lambda hit: (tables.index(hit.table), hit.seat, hit.wager))
        return [self.hits[hit.claim_id] for hit in ordered]

    def seed_due(self, hit: Hit) -> Owed:
        """The seed that comes off the meter again if the hit is refused, and who may hold some of it by then. That of
        hits that share stays while others win the whole meter without this one."""
        group = self.group_of(hit.locked.claim_id)
        if group is not None and group.policy == "share":
            if wins_all(other.locked.percent for other in self.members(group, leave_out=hit.locked.claim_id)):
                return NOTHING_OWED
            reserve, house, own = group.seed_from_reserve, group.seed_from_house, group.claims
        else:
            reserve, house = seed_of(hit.locked)
            own = (hit.locked.claim_id,)
        if reserve + house == 0:
            return NOTHING_OWED
        since = max(one.locked_at for one in map(self.hits.__getitem__, own) if sum(seed_of(one.locked)) > 0)
        later = [
            claim
            for claim, one in self.hits.items()
            if one.is_open and one.locked.meter == hit.locked.meter and one.locked_at > since and claim not in own
        ]
        return Owed(tuple(later), reserve, house)

    def owed_by(self, hit: Hit) -> Owed:
        """What earlier seeds are owed out of the hit's money, if it is refused."""
        owed = self.owed.get(hit.locked.meter, NOTHING_OWED)
        return owed if hit.locked.claim_id in owed.claims else NOTHING_OWED

    def older_rounds(self, group: Group) -> Iterator[str]:
        """Rounds under way whose wagers were in before the group's first lock: they may still join it."""
        return (name for name, fed in self.fed.items() if fed.taken_at < group.first_at)

    @property
    def retired(self) -> bool:
        return all(meter.retired for meter in self.meters.values())


State = NotOpened | Network


def round_name(table: str, round_no: int) -> str:
    return f"{table}/{round_no}"


def seed_of(locked: HitLocked) -> tuple[int, int]:
    """What the reserve and what the house put on the meter at the lock."""
    if locked.account is None:
        return 0, locked.meter_after - locked.meter_before + locked.amount
    return locked.account.seed_from_reserve, locked.account.seed_from_house


def wins_all(percents: Iterable[int]) -> bool:
    """Whether hits that share win the whole of a meter together, so that it starts anew from its seed.

    >>> wins_all([60, 60]), wins_all([60, 10])
    (True, False)
    """
    return sum(percents) >= 100
