"""Hits that come close together, under each policy: which amount each gets, where it comes from, what becomes of it.
Given / when / then on the pure decisions; amounts by hand."""

from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given as any_case
from hypothesis import strategies as st

from pitstream.events import Event
from pitstream.events.ids import claim_id
from pitstream.events.progressives import (
    HandPayApproved,
    HitLocked,
    HitRefused,
    HitsRedivided,
    MeterOpening,
    NetworkOpened,
    Policy,
    Rate,
)
from pitstream.events.refusal import Refusal
from pitstream.services.progressive.commands import (
    ApproveHit,
    Claim,
    CloseRound,
    Command,
    Contribute,
    RefuseHit,
    VerifyHit,
)
from pitstream.services.progressive.decisions import decide
from pitstream.services.progressive.evolution import evolve
from pitstream.services.progressive.meter import after_contribution, contribution
from pitstream.services.progressive.network import Network, NotOpened, State
from pitstream.services.progressive.shares import divided


class Floor:
    """A network of one meter, 1,000,000 with a seed of 100,000, fed with a tenth of each stake."""

    def __init__(self, policy: Policy, amount: int = 1_000_000, reserve: Rate | None = None) -> None:
        meter = MeterOpening(
            meter="main", seed=100_000, amount=amount, rate_numerator=1, rate_denominator=10, reserve_rate=reserve
        )
        self.events: list[Event] = []
        self.state: State = NotOpened()
        self._record([NetworkOpened(network="wide", currency="USD", meters=(meter,), policy=policy)])

    def _record(self, events: Sequence[Event]) -> None:
        for event in events:
            self.events.append(event)
            self.state = evolve(self.state, event)

    def do(self, command: Command) -> list[Event]:
        events = decide(self.state, command)
        assert isinstance(events, list), events
        self._record(events)
        return events

    def refused(self, command: Command) -> str:
        refusal = decide(self.state, command)
        assert isinstance(refusal, Refusal), refusal
        return refusal.code

    def bets(self, *tables: str) -> None:
        for table in tables:
            self.do(Contribute("wide", table, 1, "USD", 100))

    def settles(self, table: str, *shares: tuple[int, int], stakes: int = 100) -> list[Event]:
        """The round of a table, with a hit for each (seat, percent), settled from the dealer's right."""
        claims = tuple(
            Claim(
                claim_id(table, 1, seat, "progressive"), seat, f"p{seat}", "progressive", "main", percent, "653a.11(k)"
            )
            for seat, percent in shares
        )
        return self.do(CloseRound("wide", table, 1, "USD", stakes, False, claims))

    def pays(self, *hits: tuple[str, int]) -> list[int]:
        """Verify the hits of these tables and seats, then validate them; what each is paid."""
        claims = [claim_id(table, 1, seat, "progressive") for table, seat in hits]
        for claim in claims:
            self.do(VerifyHit("wide", claim, "dealer", ("hand", "light")))
        paid = [self.do(ApproveHit("wide", claim, "floor", "form"))[0] for claim in claims]
        return [event.amount for event in paid if isinstance(event, HandPayApproved)]

    @property
    def network(self) -> Network:
        assert isinstance(self.state, Network)
        return self.state

    @property
    def amounts(self) -> dict[str, int]:
        """Table and seat -> what the hit stands at."""
        return {f"{hit.locked.table}/{hit.locked.seat}": hit.amount for hit in self.network.hits.values()}

    @property
    def meter(self) -> int:
        return self.network.meters["main"].amount

    @property
    def house(self) -> int:
        """What the house put into hits and seeds."""
        accounts = [event.account for event in self.events if isinstance(event, HitLocked) and event.account]
        given_back = sum(e.to_house + e.seed_to_house for e in self.events if isinstance(e, HitRefused))
        return sum(account.from_house + account.seed_from_house for account in accounts) - given_back


@pytest.mark.parametrize(
    ("policy", "shares", "amounts", "meter", "house"),
    [
        # Two tables bet 100 each, a tenth of which feeds the meter: it shows 1,000,020 when the first hit is locked.
        ("sequential", (100, 100), {"t1/3": 1_000_020, "t2/5": 100_000}, 100_000, 200_000),
        ("full_each", (100, 100), {"t1/3": 1_000_020, "t2/5": 1_000_020}, 100_000, 1_100_020),
        ("share", (100, 100), {"t1/3": 500_010, "t2/5": 500_010}, 100_000, 100_000),
        ("sequential", (10, 100), {"t1/3": 100_002, "t2/5": 900_018}, 100_000, 100_000),
        ("full_each", (10, 100), {"t1/3": 100_002, "t2/5": 1_000_020}, 100_000, 200_002),
        # 110 parts of 1,000,020: 10 parts are 90,910 and 90/110, 100 parts 909,109 and 1/11; one unit is left for t1.
        ("share", (10, 100), {"t1/3": 90_911, "t2/5": 909_109}, 100_000, 100_000),
        ("sequential", (10, 10), {"t1/3": 100_002, "t2/5": 90_001}, 810_017, 0),
        ("full_each", (10, 10), {"t1/3": 100_002, "t2/5": 100_002}, 800_016, 0),
        ("share", (10, 10), {"t1/3": 100_002, "t2/5": 100_002}, 800_016, 0),
    ],
)
def test_two_hits_whose_wagers_were_both_in_before_either_was_locked(
    policy: Policy, shares: tuple[int, int], amounts: dict[str, int], meter: int, house: int
) -> None:
    floor = Floor(policy)
    floor.bets("t1", "t2")
    floor.settles("t1", (3, shares[0]))
    floor.settles("t2", (5, shares[1]))
    assert (floor.amounts, floor.meter, floor.house) == (amounts, meter, house)
    assert floor.pays(("t1", 3), ("t2", 5)) == list(amounts.values())


@pytest.mark.parametrize("policy", ["sequential", "full_each", "share"])
def test_a_wager_that_came_after_a_lock_plays_for_the_next_prize_under_every_policy(policy: Policy) -> None:
    floor = Floor(policy)
    floor.bets("t1")
    floor.settles("t1", (3, 100))
    floor.bets("t2")
    floor.settles("t2", (5, 100))
    assert floor.amounts == {"t1/3": 1_000_010, "t2/5": 100_010}
    assert (floor.meter, floor.house) == (100_000, 200_000)


@pytest.mark.parametrize(
    ("policy", "amounts"),
    [
        ("sequential", {"t1/6": 1_000_010, "t1/2": 100_000}),
        ("full_each", {"t1/6": 1_000_010, "t1/2": 1_000_010}),
        # 1,000,011 would leave one unit: it goes to the seat nearest to the dealer's left, whatever the order of locks.
        ("share", {"t1/6": 500_005, "t1/2": 500_005}),
    ],
)
def test_two_hits_of_one_round_are_always_close_together(policy: Policy, amounts: dict[str, int]) -> None:
    floor = Floor(policy)
    floor.bets("t1")
    floor.settles("t1", (6, 100), (2, 100))
    assert floor.amounts == amounts


def test_a_unit_left_over_goes_to_the_table_locked_first_and_there_to_the_seat_next_to_the_dealer_s_left() -> None:
    floor = Floor("share", amount=1_000_000)
    floor.bets("t2", "t1")
    floor.settles("t2", (7, 100), (4, 100))
    events = floor.settles("t1", (1, 100))
    assert floor.amounts == {"t2/7": 333_340, "t2/4": 333_340, "t1/1": 333_340}
    redivided = next(event for event in events if isinstance(event, HitsRedivided))
    order = [floor.network.hits[share.claim_id].locked for share in redivided.shares]
    assert [(hit.table, hit.seat) for hit in order] == [("t2", 4), ("t2", 7), ("t1", 1)]
    assert redivided.pool == 1_000_020

    odd = Floor("share", amount=1_000_001)
    odd.bets("t2")
    odd.settles("t2", (7, 100), (4, 100))
    assert odd.amounts == {"t2/7": 500_005, "t2/4": 500_006}


@pytest.mark.parametrize("winners", [2, 3, 7, 11])
@any_case(pool=st.integers(0, 10**15))
def test_a_split_adds_up_exactly_and_no_two_parts_differ_by_more_than_a_unit(winners: int, pool: int) -> None:
    parts = divided(pool, [100] * winners)
    assert sum(parts) == pool
    assert parts == sorted(parts, reverse=True)
    assert parts[0] - parts[-1] <= 1


@pytest.mark.parametrize("winners", [3, 7, 11])
def test_a_locked_amount_is_split_among_the_hits_of_so_many_tables(winners: int) -> None:
    floor = Floor("share", amount=1_000_003)
    tables = [f"t{number:02}" for number in range(winners)]
    floor.bets(*tables)
    for table in tables:
        floor.settles(table, (1, 100))
    pool = 1_000_003 + 10 * winners
    whole, left = divmod(pool, winners)
    assert list(floor.amounts.values()) == [whole + 1] * left + [whole] * (winners - left)
    assert floor.meter == 100_000
    assert sum(floor.pays(*((table, 1) for table in tables))) == pool


def test_shares_are_not_paid_before_all_who_may_share_are_known() -> None:
    floor = Floor("share")
    floor.bets("t1", "t2", "t3")
    floor.settles("t1", (3, 100))
    first = claim_id("t1", 1, 3, "progressive")
    floor.do(VerifyHit("wide", first, "dealer", ("hand", "light")))
    assert floor.refused(ApproveHit("wide", first, "floor", "form")) == "hit_still_shared"
    floor.settles("t2", (5, 100))
    floor.settles("t3")
    assert floor.refused(ApproveHit("wide", first, "floor", "form")) == "hit_still_shared"
    assert floor.pays(("t2", 5)) == [500_015]
    assert floor.do(ApproveHit("wide", first, "floor", "form"))
    assert floor.amounts == {"t1/3": 500_015, "t2/5": 500_015}


def test_who_refuses_one_of_two_that_share_gives_the_other_all_of_it() -> None:
    floor = Floor("share")
    floor.bets("t1", "t2")
    floor.settles("t1", (3, 100))
    floor.settles("t2", (5, 100))
    refused, redivided = floor.do(RefuseHit("wide", claim_id("t1", 1, 3, "progressive"), "floor", "fouled"))
    assert isinstance(refused, HitRefused)
    assert isinstance(redivided, HitsRedivided)
    assert (refused.to_meter, refused.to_others, refused.seed_to_house) == (0, 500_010, 0)
    assert floor.meter == 100_000
    assert floor.pays(("t2", 5)) == [1_000_020]


def test_who_refuses_the_whole_of_two_that_share_leaves_the_tenth_a_tenth_and_gives_the_meter_the_rest() -> None:
    floor = Floor("share")
    floor.bets("t1", "t2")
    floor.settles("t1", (3, 10))
    floor.settles("t2", (5, 100))
    refused = floor.do(RefuseHit("wide", claim_id("t2", 1, 5, "progressive"), "floor", "fouled"))[0]
    assert isinstance(refused, HitRefused)
    assert floor.amounts["t1/3"] == 100_002
    assert (floor.meter, floor.house) == (900_018, 0)
    assert refused.account == (
        "900018 back to the meter, 9091 to the hits that shared it, the seed of 100000 taken off the meter again"
    )


@pytest.mark.parametrize("policy", ["sequential", "full_each", "share"])
@pytest.mark.parametrize("percent", [10, 100])
def test_a_refused_hit_leaves_every_account_as_it_was(policy: Policy, percent: int) -> None:
    floor = Floor(policy, reserve=Rate(numerator=1, denominator=1_000))
    for number in range(1, 20):
        floor.do(Contribute("wide", "t9", number, "USD", 10_000))
        floor.do(CloseRound("wide", "t9", number, "USD", 10_000, False))
    floor.bets("t1")
    before = floor.network.meters["main"]
    assert before.reserve > 0
    floor.settles("t1", (3, percent))
    floor.do(RefuseHit("wide", claim_id("t1", 1, 3, "progressive"), "floor", "fouled"))
    assert floor.network.meters["main"] == before
    assert floor.house == 0


def test_a_refused_hit_s_money_meets_what_came_in_meanwhile() -> None:
    floor = Floor("sequential")
    floor.bets("t1")
    floor.settles("t1", (3, 100))
    floor.bets("t2")
    floor.settles("t2")
    floor.do(RefuseHit("wide", claim_id("t1", 1, 3, "progressive"), "floor", "fouled"))
    assert (floor.meter, floor.house) == (1_000_020, 0)


def test_a_refused_hit_after_the_meter_was_won_again_joins_the_new_prize() -> None:
    floor = Floor("sequential")
    floor.bets("t1", "t2")
    floor.settles("t1", (3, 100))
    floor.settles("t2", (5, 100))
    floor.do(RefuseHit("wide", claim_id("t1", 1, 3, "progressive"), "floor", "fouled"))
    assert floor.amounts == {"t1/3": 1_000_020, "t2/5": 100_000}
    assert (floor.meter, floor.house) == (1_000_020, 100_000)


@pytest.mark.parametrize(
    ("wagers", "units"),
    [
        pytest.param(100_000, 4_250, id="100,000 times is 4,250"),
        pytest.param(1_000_000, 42_500, id="1,000,000 times is 42,500", marks=pytest.mark.slow),
    ],
)
def test_one_unit_at_4_and_a_quarter_percent_adds_up_exactly(wagers: int, units: int) -> None:
    meter = MeterOpening(meter="main", seed=0, amount=0, rate_numerator=17, rate_denominator=400)
    state: State = evolve(NotOpened(), NetworkOpened(network="wide", currency="USD", meters=(meter,)))
    assert isinstance(state, Network)
    one = state.meters["main"]
    rates = state.rates[0]
    for _ in range(wagers):
        one = after_contribution(one, contribution(one, rates, 1), 1)
    assert (one.amount, one.carry, one.value) == (units, 0, Fraction(units))


def test_a_prize_that_is_back_on_the_meter_is_paid_from_the_meter_and_not_by_the_house_again() -> None:
    floor = Floor("full_each")
    floor.bets("t1", "t2", "t3")
    floor.settles("t1", (3, 100))
    floor.settles("t2", (5, 100))
    floor.do(RefuseHit("wide", claim_id("t1", 1, 3, "progressive"), "floor", "fouled"))
    assert (floor.meter, floor.house) == (1_000_030, 1_000_030)
    floor.settles("t3", (1, 100))
    assert floor.amounts == {"t1/3": 1_000_030, "t2/5": 1_000_030, "t3/1": 1_000_030}
    assert (floor.meter, floor.house) == (100_000, 1_100_030)
    assert floor.pays(("t2", 5), ("t3", 1)) == [1_000_030, 1_000_030]


@pytest.mark.parametrize(
    ("percents", "locked", "amounts", "meter"),
    [
        # Of 1,000,030 each had a third; with one refused it would have been half: whoever was paid a third keeps that,
        # who waits gets the half and no more, and the meter the rest of what was refused.
        ((60, 60, 60), [333_344, 333_343, 333_343], [333_344, 333_343, 500_015], 266_671),
        # A tenth shares with two that have the whole: 10 of 210 parts, then 10 of 110.
        ((100, 100, 10), [476_205, 476_205, 47_620], [476_205, 476_205, 90_911], 532_914),
    ],
)
def test_who_still_waits_when_another_was_paid_gets_its_own_part_of_what_is_refused_and_no_more(
    percents: tuple[int, ...], locked: list[int], amounts: list[int], meter: int
) -> None:
    floor = Floor("share")
    tables = ("t1", "t2", "t3")
    floor.bets(*tables)
    for table, percent in zip(tables, percents, strict=True):
        floor.settles(table, (1, percent))
    assert list(floor.amounts.values()) == locked
    for table in tables:
        floor.do(VerifyHit("wide", claim_id(table, 1, 1, "progressive"), "dealer", ("hand", "light")))
    floor.do(ApproveHit("wide", claim_id("t1", 1, 1, "progressive"), "floor", "form"))
    floor.do(RefuseHit("wide", claim_id("t2", 1, 1, "progressive"), "floor", "fouled"))
    assert list(floor.amounts.values()) == amounts
    assert floor.meter == meter
    # What is to be paid and what came back to the meter with its seed is what there was.
    assert amounts[0] + amounts[2] + meter == 1_000_030 + 100_000


def test_a_unit_that_somebody_has_is_not_taken_away_when_another_is_refused() -> None:
    floor = Floor("share", amount=1)
    for table in ("t1", "t2", "t3"):
        floor.do(Contribute("wide", table, 1, "USD", 1))
    for table in ("t1", "t2", "t3"):
        floor.settles(table, (1, 100), stakes=1)
        floor.do(VerifyHit("wide", claim_id(table, 1, 1, "progressive"), "dealer", ("hand", "light")))
    assert list(floor.amounts.values()) == [1, 0, 0]
    floor.do(ApproveHit("wide", claim_id("t2", 1, 1, "progressive"), "floor", "form"))
    floor.do(RefuseHit("wide", claim_id("t3", 1, 1, "progressive"), "floor", "fouled"))
    assert list(floor.amounts.values()) == [1, 0, 0]
