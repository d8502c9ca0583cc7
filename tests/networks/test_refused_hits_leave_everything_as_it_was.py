"""Whatever hits were locked, refused in whatever order: once all are refused, the meter, its reserve and the house
stand as if nobody had hit. Method: two networks of the same rounds, one of which never has a hit; the wallet's ledger
hears every event of both."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from pitstream.events import Event
from pitstream.events.ids import claim_id
from pitstream.events.progressives import (
    HandPayApproved,
    HitLocked,
    HitRefused,
    MeterOpening,
    NetworkOpened,
    Policy,
    Rate,
)
from pitstream.services.progressive.commands import ApproveHit, Claim, CloseRound, Contribute, RefuseHit, VerifyHit
from pitstream.services.progressive.decisions import decide
from pitstream.services.progressive.evolution import evolve
from pitstream.services.progressive.meter import Meter
from pitstream.services.progressive.network import Network, NotOpened, State
from pitstream.services.wallet.books import Books
from pitstream.services.wallet.ledger import Fact, post

TABLES = ("t1", "t2", "t3")
Shares = Sequence[tuple[int, int]]
"""Seats that hit, each with its percent."""


@dataclass
class Floor:
    """One network; ``hits`` False leaves every claim out of its rounds."""

    opening: MeterOpening
    policy: Policy
    hits: bool = True
    state: State = field(default_factory=NotOpened)
    waiting: list[str] = field(default_factory=list)
    house: int = 0
    books: Books = field(default_factory=Books)

    def __post_init__(self) -> None:
        opened = NetworkOpened(network="wide", currency="USD", meters=(self.opening,), policy=self.policy)
        self._record([opened])

    @property
    def meter(self) -> Meter:
        assert isinstance(self.state, Network)
        return self.state.meters["main"]

    def bets(self, table: str, round_no: int, stakes: int) -> None:
        self._do(Contribute("wide", table, round_no, "USD", stakes))

    def settles(self, table: str, round_no: int, stakes: int, shares: Shares, *, void: bool = False) -> None:
        claims = tuple(
            Claim(claim_id(table, round_no, seat, "progressive"), seat, "p", "progressive", "main", percent, "k")
            for seat, percent in (shares if self.hits else ())
        )
        self._do(CloseRound("wide", table, round_no, "USD", stakes, void, claims))
        self.waiting += [claim.claim_id for claim in claims]

    def refuses(self, place: int) -> None:
        if self.waiting:
            self._do(RefuseHit("wide", self.waiting.pop(place % len(self.waiting)), "floor", "fouled"))

    def pays(self, place: int) -> None:
        claim = self.waiting.pop(place)
        self._do(VerifyHit("wide", claim, "dealer", ("hand", "light")))
        self._do(ApproveHit("wide", claim, "floor", "form"))

    def _do(self, command: Any) -> None:
        events = decide(self.state, command)
        assert isinstance(events, list), events
        self._record(events)

    def _record(self, events: Sequence[Event]) -> None:
        for event in events:
            self.state = evolve(self.state, event)
            if isinstance(event, HitLocked) and event.account is not None:
                self.house += event.account.from_house + event.account.seed_from_house
            if isinstance(event, HitRefused):
                self.house -= event.to_house + event.seed_to_house
            # Who is paid has to have an account; the ledger's own tests pay.
            if isinstance(event, Fact) and not isinstance(event, HandPayApproved):
                post(self.books, event)


shares = st.lists(
    st.tuples(st.integers(1, 7), st.sampled_from([10, 60, 100])), max_size=2, unique_by=lambda share: share[0]
)
steps = st.one_of(
    st.tuples(st.just("bets"), st.sampled_from(TABLES), st.sampled_from([0, 10, 55, 1_000])),
    st.tuples(st.just("settles"), st.sampled_from(TABLES), shares),
    st.tuples(st.just("is void"), st.sampled_from(TABLES)),
    st.tuples(st.just("refuses"), st.integers(0, 20)),
)


@settings(max_examples=400, deadline=None)
@given(
    policy=st.sampled_from(["sequential", "full_each", "share"]),
    amount=st.integers(0, 900),
    seed=st.sampled_from([0, 100, 500]),
    limit=st.sampled_from([None, 900, 1_500]),
    reserve=st.sampled_from([None, Rate(numerator=1, denominator=30)]),
    evening=st.lists(steps, max_size=30),
)
def test_once_all_hits_are_refused_it_is_as_if_nobody_had_hit(
    policy: Policy, amount: int, seed: int, limit: int | None, reserve: Rate | None, evening: list[Any]
) -> None:
    meter = MeterOpening(
        meter="main",
        seed=seed,
        amount=amount,
        rate_numerator=1,
        rate_denominator=10,
        reserve_rate=reserve,
        limit=limit,
    )
    floor, quiet = Floor(meter, policy), Floor(meter, policy, hits=False)
    round_no, bet = dict.fromkeys(TABLES, 1), dict[str, int]()
    for what, *about in evening:
        if what == "refuses":
            floor.refuses(about[0])
            continue
        table = about[0]
        for one in (floor, quiet):
            if what == "bets" and table not in bet:
                one.bets(table, round_no[table], about[1])
            elif what == "settles":
                one.settles(table, round_no[table], bet.get(table, 10), about[1])
            elif what == "is void":
                one.settles(table, round_no[table], bet.get(table, 10), (), void=True)
        if what == "bets":
            bet.setdefault(table, about[1])
        else:
            bet.pop(table, None)
            round_no[table] += 1
    while floor.waiting:
        floor.refuses(len(floor.waiting) // 2)
    assert (floor.meter, floor.house) == (quiet.meter, 0)
    assert {name: of.balance for name, of in floor.books.accounts.items() if of.balance} == {
        name: of.balance for name, of in quiet.books.accounts.items() if of.balance
    }


def test_a_seed_of_which_others_won_comes_back_out_of_theirs_and_of_nobody_else_s() -> None:
    def half_way() -> Floor:
        """40 are won whole and 500 put there, of which 60 % are won; then the first is refused. Of the seed 200 are
        left and of the meter 40, which is 260 too little."""
        opening = MeterOpening(meter="main", seed=500, amount=40, rate_numerator=1, rate_denominator=1)
        floor = Floor(opening, "sequential")
        floor.settles("t1", 1, 0, [(1, 100)])
        floor.settles("t2", 1, 0, [(1, 60)])
        floor.refuses(0)
        assert (floor.meter.amount, floor.house) == (0, 260)
        return floor

    refused = half_way()
    refused.refuses(0)
    assert (refused.meter.amount, refused.house) == (40, 0)

    # Paid, it had won what it holds; a hit that came later owes nothing, and gets all of its own back.
    paid = half_way()
    paid.pays(0)
    paid.settles("t3", 1, 50, [(1, 100)])
    paid.refuses(0)
    assert (paid.meter.amount, paid.house) == (50, 260)
