"""A network's meters, given / when / then, and as an exact sum under random play."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given as any_case
from hypothesis import strategies as st

from pitstream.events import Event
from pitstream.events.ids import claim_id
from pitstream.events.progressives import (
    ContributionsReturned,
    HandPayApproved,
    HitLocked,
    MeterContribution,
    MeterOpening,
    NetworkOpened,
    RoundClosed,
    WagersContributed,
)
from pitstream.events.refusal import Refusal
from pitstream.events.rounds import TableClosed
from pitstream.services.progressive.meter import (
    ApproveHit,
    Claim,
    CloseRound,
    Command,
    Contribute,
    Network,
    NotOpened,
    OpenNetwork,
    State,
    decide,
    evolve,
)

MAIN = MeterOpening(meter="main", seed=1_000_000, amount=1_000_000, rate_numerator=1, rate_denominator=5)
OPENED = NetworkOpened(network="uth", currency="USD", meters=(MAIN,))


def standing(events: Sequence[Event], state: State | None = None) -> State:
    state = state or NotOpened()
    for event in events:
        state = evolve(state, event)
    return state


def contribute(table: str, round_no: int, stakes: int, currency: str = "USD") -> Contribute:
    return Contribute("uth", table, round_no, currency, stakes)


def close(
    table: str, round_no: int, stakes: int, *claims: Claim, void: bool = False, currency: str = "USD"
) -> CloseRound:
    return CloseRound("uth", table, round_no, currency, stakes, void, claims)


def claim(table: str, round_no: int, seat: int, percent: int, meter: str = "main") -> Claim:
    return Claim(
        claim_id(table, round_no, seat, "progressive"), seat, f"p{seat}", "progressive", meter, percent, "653a.11(k)"
    )


def contributed(table: str, round_no: int, stakes: int, posted: int, after: int, carry: int) -> WagersContributed:
    return WagersContributed(
        network="uth",
        table=table,
        round_no=round_no,
        stakes=stakes,
        contributions=(MeterContribution(meter="main", posted=posted, amount_after=after, carry_numerator=carry),),
        currency="USD",
    )


def returned(table: str, round_no: int, stakes: int, posted: int, after: int, carry: int) -> ContributionsReturned:
    given = contributed(table, round_no, stakes, posted, after, carry)
    return ContributionsReturned.model_validate(given.model_dump())


def closed(table: str, round_no: int) -> RoundClosed:
    return RoundClosed(network="uth", table=table, round_no=round_no)


def locked(table: str, round_no: int, seat: int, percent: int, amount: int, before: int, after: int) -> HitLocked:
    return HitLocked(
        network="uth",
        claim_id=claim_id(table, round_no, seat, "progressive"),
        table=table,
        round_no=round_no,
        seat=seat,
        player=f"p{seat}",
        wager="progressive",
        meter="main",
        percent=percent,
        amount=amount,
        meter_before=before,
        meter_after=after,
        currency="USD",
        rule="653a.11(k)",
        policy="sequential",
    )


GIVEN_WHEN_THEN: list[tuple[str, list[Event], Command, list[Event]]] = [
    ("a network opens with its meters", [], OpenNetwork("uth", "USD", (MAIN,)), [OPENED]),
    (
        "a fifth of the stakes goes to the meter, the fraction is carried",
        [OPENED],
        contribute("t1", 1, 103),
        [contributed("t1", 1, 103, 20, 1_000_020, 3)],
    ),
    (
        "two carries make one whole unit",
        [OPENED, contributed("t1", 1, 103, 20, 1_000_020, 3)],
        contribute("t2", 1, 2),
        [contributed("t2", 1, 2, 1, 1_000_021, 0)],
    ),
    ("a round without a progressive wager records no contribution", [OPENED], contribute("t1", 1, 0), []),
    (
        "a round contributes once however often its betting closes",
        [OPENED, contributed("t1", 1, 100, 20, 1_000_020, 0)],
        contribute("t1", 1, 100),
        [],
    ),
    (
        "a settlement heard before the betting's end contributes for it",
        [OPENED],
        close("t1", 1, 100),
        [contributed("t1", 1, 100, 20, 1_000_020, 0), closed("t1", 1)],
    ),
    (
        "a betting's end that comes after the round is closed is ignored",
        [OPENED, contributed("t1", 1, 100, 20, 1_000_020, 0), closed("t1", 1)],
        contribute("t1", 1, 100),
        [],
    ),
    (
        "a settlement heard after the betting's end only closes",
        [OPENED, contributed("t1", 1, 100, 20, 1_000_020, 0)],
        close("t1", 1, 100),
        [closed("t1", 1)],
    ),
    ("a round is closed once", [OPENED, closed("t1", 1)], close("t1", 1, 100, claim("t1", 1, 3, 100)), []),
    (
        "a void round takes its contribution back exactly",
        [OPENED, contributed("t1", 1, 103, 20, 1_000_020, 3), contributed("t2", 1, 2, 1, 1_000_021, 0)],
        close("t1", 1, 103, void=True),
        [returned("t1", 1, 103, -21, 1_000_000, 2), closed("t1", 1)],
    ),
    (
        "a void round that never contributed returns nothing",
        [OPENED],
        close("t1", 1, 100, void=True),
        [closed("t1", 1)],
    ),
    (
        "a void round's contribution that comes late is ignored",
        [OPENED, closed("t1", 1)],
        contribute("t1", 1, 100),
        [],
    ),
    (
        "a whole share leaves the seed, the fraction stays; the own round's contribution came first",
        [OPENED, contributed("t1", 1, 103, 20, 1_000_020, 3)],
        close("t1", 1, 103, claim("t1", 1, 3, 100)),
        [locked("t1", 1, 3, 100, 1_000_020, 1_000_020, 1_000_000), closed("t1", 1)],
    ),
    (
        "a claim heard before the round's contribution: the contribution goes in first",
        [OPENED],
        close("t1", 1, 103, claim("t1", 1, 3, 100)),
        [
            contributed("t1", 1, 103, 20, 1_000_020, 3),
            locked("t1", 1, 3, 100, 1_000_020, 1_000_020, 1_000_000),
            closed("t1", 1),
        ],
    ),
    (
        "a tenth is rounded down and lowers the meter by that amount",
        [OPENED, contributed("t1", 1, 95, 19, 1_000_019, 0)],
        close("t1", 1, 95, claim("t1", 1, 3, 10)),
        [locked("t1", 1, 3, 10, 100_001, 1_000_019, 900_018), closed("t1", 1)],
    ),
    (
        "two whole shares in one round: the seat settled first takes the meter, the second its new seed",
        [OPENED, contributed("t1", 1, 200, 40, 1_000_040, 0)],
        close("t1", 1, 200, claim("t1", 1, 5, 100), claim("t1", 1, 2, 100)),
        [
            locked("t1", 1, 5, 100, 1_000_040, 1_000_040, 1_000_000),
            locked("t1", 1, 2, 100, 1_000_000, 1_000_000, 1_000_000),
            closed("t1", 1),
        ],
    ),
    (
        "a wager that feeds nothing may still claim",
        [OPENED],
        close("t1", 1, 0, claim("t1", 1, 2, 10)),
        [locked("t1", 1, 2, 10, 100_000, 1_000_000, 900_000), closed("t1", 1)],
    ),
    (
        "a floorperson approves a locked hit",
        [OPENED, locked("t1", 1, 3, 10, 100_000, 1_000_000, 900_000), closed("t1", 1)],
        ApproveHit("uth", claim_id("t1", 1, 3, "progressive"), "f. person"),
        [
            HandPayApproved(
                network="uth",
                claim_id=claim_id("t1", 1, 3, "progressive"),
                floorperson="f. person",
                player="p3",
                table="t1",
                round_no=1,
                seat=3,
                meter="main",
                amount=100_000,
                currency="USD",
            )
        ],
    ),
]


@pytest.mark.parametrize(
    ("given", "when", "then"), [pytest.param(given, when, then, id=name) for name, given, when, then in GIVEN_WHEN_THEN]
)
def test_given_when_then(given: list[Event], when: Command, then: list[Event]) -> None:
    assert decide(standing(given), when) == then


HIT = claim_id("t1", 1, 3, "progressive")
APPROVED = HandPayApproved(
    network="uth",
    claim_id=HIT,
    floorperson="f. person",
    player="p3",
    table="t1",
    round_no=1,
    seat=3,
    meter="main",
    amount=100_000,
    currency="USD",
)
LOCKED = locked("t1", 1, 3, 10, 100_000, 1_000_000, 900_000)
STEEP = MAIN.model_copy(update={"rate_numerator": 6})


@pytest.mark.parametrize(
    ("given", "when", "refusal"),
    [
        pytest.param(
            [OPENED],
            OpenNetwork("uth", "USD", (MAIN,)),
            Refusal("network_already_open", "network", "was 'uth'; it is open since its first event"),
            id="a network opens once",
        ),
        pytest.param(
            [],
            OpenNetwork("uth", "USD", ()),
            Refusal("invalid_meter", "meters", "was []; at least one meter is needed"),
            id="a network has a meter",
        ),
        pytest.param(
            [],
            OpenNetwork("uth", "USD", (MAIN, MAIN)),
            Refusal("invalid_meter", "meters[1].meter", "was 'main' again; each meter once"),
            id="a meter is named once",
        ),
        pytest.param(
            [],
            OpenNetwork("uth", "USD", (STEEP,)),
            Refusal("invalid_meter", "meters[0].rate", "was 6/5; allowed: 0 to 1, a share of the wager"),
            id="a meter takes no more than the wager",
        ),
        pytest.param(
            [],
            contribute("t1", 1, 100),
            Refusal("unknown_network", "network", "was 'uth'; no network of that name is open"),
            id="nothing feeds a network that nobody opened",
        ),
        pytest.param(
            [OPENED],
            contribute("t1", 1, 100, currency="EUR"),
            Refusal("wrong_currency", "currency", "was EUR; uth counts in USD"),
            id="a meter counts in one currency",
        ),
        pytest.param(
            [OPENED],
            close("t1", 1, 100, currency="EUR"),
            Refusal("wrong_currency", "currency", "was EUR; uth counts in USD"),
            id="a settlement in another currency is refused",
        ),
        pytest.param(
            [OPENED],
            close("t1", 1, 100, claim("t1", 1, 5, 10), claim("t1", 1, 3, 100, meter="mega")),
            Refusal("unknown_meter", "share.meter", "was 'mega' (progressive); main are open"),
            id="one claim on a meter that is not there refuses the whole round",
        ),
        pytest.param(
            [OPENED, contributed("t1", 1, 100, 20, 1_000_020, 0)],
            close("t1", 1, 200),
            Refusal("stakes_differ", "stakes", "was 200 at settlement; 100 stood when betting closed"),
            id="what is settled is what was bet",
        ),
        pytest.param(
            [OPENED],
            ApproveHit("uth", HIT, "f. person"),
            Refusal("unknown_hit", "claim_id", f"was {HIT!r}; uth locked no such claim"),
            id="only a locked hit can be approved",
        ),
        pytest.param(
            [OPENED, LOCKED, APPROVED],
            ApproveHit("uth", HIT, "another"),
            Refusal("hit_already_approved", "claim_id", f"was {HIT!r}; f. person approved it"),
            id="a hit is approved once",
        ),
        pytest.param(
            [OPENED, LOCKED],
            ApproveHit("uth", HIT, " "),
            Refusal("missing_floorperson", "floorperson", "was ' '; name who validated the hit"),
            id="an approval has a name on it",
        ),
    ],
)
def test_refusals(given: list[Event], when: Command, refusal: Refusal) -> None:
    assert decide(standing(given), when) == refusal


def test_a_share_locked_before_a_round_is_void_leaves_the_meter_short_by_that_rounds_contribution() -> None:
    opening = MeterOpening(meter="main", seed=0, amount=0, rate_numerator=1, rate_denominator=5)
    before = standing(
        [NetworkOpened(network="uth", currency="USD", meters=(opening,)), contributed("t1", 1, 100, 20, 20, 0)]
    )

    hit = decide(before, close("t2", 1, 0, claim("t2", 1, 3, 100)))
    assert hit == [locked("t2", 1, 3, 100, 20, 20, 0), closed("t2", 1)]
    after_hit = standing(hit, before)
    void = decide(after_hit, close("t1", 1, 100, void=True))
    assert void == [returned("t1", 1, 100, -20, -20, 0), closed("t1", 1)]

    nothing = decide(standing(void, after_hit), close("t2", 2, 0, claim("t2", 2, 3, 100)))
    assert nothing == [locked("t2", 2, 3, 100, 0, -20, -20), closed("t2", 2)]


def test_an_event_that_does_not_belong_stops_the_replay_by_name() -> None:
    with pytest.raises(TypeError, match=r"pitstream\.rounds\.v1\.TableClosed cannot follow Network"):
        evolve(standing([OPENED]), TableClosed(table="t1", reason="dinner"))
    with pytest.raises(TypeError, match=r"RoundClosed cannot follow NotOpened"):
        evolve(NotOpened(), closed("t1", 1))


# Random play ---------------------------------------------------------------------------------------------------------

METERS = st.builds(
    MeterOpening,
    meter=st.just("main"),
    seed=st.integers(0, 5_000),
    amount=st.integers(0, 5_000),
    rate_numerator=st.integers(0, 7),
    rate_denominator=st.integers(7, 30),
)


@st.composite
def evenings(draw: st.DrawFn) -> list[Command]:
    """Three tables' rounds, every command maybe twice, the tables' streams and the two topics mixed at random."""
    lanes: list[list[Command]] = []
    for table in ("t1", "t2", "t3"):
        betting: list[Command] = []
        settling: list[Command] = []
        for round_no in range(1, draw(st.integers(1, 5)) + 1):
            stakes = draw(st.integers(0, 500))
            void = draw(st.integers(0, 4)) == 0
            shares = [] if void else draw(st.lists(st.sampled_from([10, 25, 100]), max_size=2))
            claims = [
                replace(claim(table, round_no, 7 - place, percent), meter=draw(st.sampled_from(["main", "minor"])))
                for place, percent in enumerate(shares)
            ]
            if draw(st.integers(0, 6)):
                betting += [contribute(table, round_no, stakes)] * draw(st.integers(1, 2))
            settling += [close(table, round_no, stakes, *claims, void=void)] * draw(st.integers(1, 2))
        lanes += [betting, settling]
    mixed: list[Command] = []
    while lanes := [lane for lane in lanes if lane]:
        mixed.append(draw(st.sampled_from(lanes)).pop(0))
    return mixed


@any_case(METERS, METERS, evenings())
def test_meter_and_carry_are_exactly_what_went_in_less_what_went_out_at_every_step(
    main: MeterOpening, minor: MeterOpening, evening: list[Command]
) -> None:
    opened = OpenNetwork("uth", "USD", (main, minor.model_copy(update={"meter": "minor"})))
    first = decide(NotOpened(), opened)
    assert isinstance(first, list)
    state = standing(first)
    assert isinstance(state, Network)
    rate = {name: Fraction(meter.rate_numerator, meter.rate_denominator) for name, meter in state.meters.items()}
    seed = {name: meter.seed for name, meter in state.meters.items()}
    should_be = {name: meter.value for name, meter in state.meters.items()}
    posted = {name: meter.amount for name, meter in state.meters.items()}
    fed_by: dict[tuple[str, int], int] = {}

    for command in evening:
        events = decide(state, command)
        assert isinstance(events, list), events
        for event in events:
            if isinstance(event, WagersContributed | ContributionsReturned):
                sign = 1 if isinstance(event, WagersContributed) else -1
                fed_by[event.table, event.round_no] = fed_by.get((event.table, event.round_no), 0) + sign * event.stakes
                for fed in event.contributions:
                    should_be[fed.meter] += sign * event.stakes * rate[fed.meter]
                    posted[fed.meter] += fed.posted
            if isinstance(event, HitLocked):
                reseed = seed[event.meter] if event.percent == 100 else 0
                should_be[event.meter] += reseed - event.amount
                posted[event.meter] += reseed - event.amount
                assert event.amount == max(0, event.meter_before * event.percent // 100)
            after = evolve(state, event)
            assert isinstance(after, Network)
            state = after
            assert {name: meter.value for name, meter in state.meters.items()} == should_be
            assert {name: meter.amount for name, meter in state.meters.items()} == posted
            assert all(0 <= meter.carry < meter.rate_denominator for meter in state.meters.values())

    last = {(c.table, c.round_no): c for c in evening if isinstance(c, CloseRound)}
    assert {key: stakes for key, stakes in fed_by.items() if stakes} == {
        key: command.stakes for key, command in last.items() if not command.void and command.stakes
    }
    assert set(state.hits) == {each.claim_id for command in last.values() for each in command.claims}
    assert state.contributed == {}


@any_case(METERS, st.integers(1, 10_000), st.integers(1, 10_000))
def test_two_tables_contributions_come_to_the_same_meter_in_either_order(
    meter: MeterOpening, one: int, other: int
) -> None:
    opened = standing([NetworkOpened(network="uth", currency="USD", meters=(meter,))])

    def after(*commands: Command) -> State:
        state = opened
        for command in commands:
            events = decide(state, command)
            assert isinstance(events, list)
            state = standing(events, state)
        return state

    first, second = contribute("t1", 1, one), contribute("t2", 1, other)
    assert after(first, second) == after(second, first)
