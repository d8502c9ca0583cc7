"""What rounds do to a network's meters, given / when / then."""

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given as any_case
from hypothesis import strategies as st

from pitstream.events import Event
from pitstream.events.ids import claim_id
from pitstream.events.progressives import (
    ContributionsReturned,
    HandPayApproved,
    HitLocked,
    HitVerified,
    LockAccount,
    MeterContribution,
    MeterOpening,
    NetworkOpened,
    RoundClosed,
    WagersContributed,
)
from pitstream.events.refusal import Refusal
from pitstream.events.rounds import TableClosed
from pitstream.services.progressive.commands import (
    ApproveHit,
    Claim,
    CloseRound,
    Command,
    Contribute,
    OpenNetwork,
    VerifyHit,
)
from pitstream.services.progressive.decisions import decide
from pitstream.services.progressive.evolution import evolve
from pitstream.services.progressive.meter import Meter
from pitstream.services.progressive.network import Network, NotOpened, State

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


def locked(
    table: str,
    round_no: int,
    seat: int,
    percent: int,
    amount: int,
    before: int,
    after: int,
    taken_at: int | None = None,
) -> HitLocked:
    """As the policy ``sequential`` locks it, on a meter without reserve and limit: the house pays the seed."""
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
        account=LockAccount(
            base=max(0, before),
            from_meter=amount,
            seed_from_house=after - before + amount,
            wagers_taken_at=taken_at,
            reason=f"{percent} % of what the meter shows: in the order of events",
        ),
    )


def verified(by: str) -> HitVerified:
    return HitVerified(
        network="uth", claim_id=claim_id("t1", 1, 3, "progressive"), verified_by=by, checks=("hand", "light")
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
        [locked("t1", 1, 3, 100, 1_000_020, 1_000_020, 1_000_000, taken_at=2), closed("t1", 1)],
    ),
    (
        "a claim heard before the round's contribution: the contribution goes in first",
        [OPENED],
        close("t1", 1, 103, claim("t1", 1, 3, 100)),
        [
            contributed("t1", 1, 103, 20, 1_000_020, 3),
            locked("t1", 1, 3, 100, 1_000_020, 1_000_020, 1_000_000, taken_at=2),
            closed("t1", 1),
        ],
    ),
    (
        "a tenth is rounded down and lowers the meter by that amount",
        [OPENED, contributed("t1", 1, 95, 19, 1_000_019, 0)],
        close("t1", 1, 95, claim("t1", 1, 3, 10)),
        [locked("t1", 1, 3, 10, 100_001, 1_000_019, 900_018, taken_at=2), closed("t1", 1)],
    ),
    (
        "two whole shares in one round: the seat settled first takes the meter, the second its new seed",
        [OPENED, contributed("t1", 1, 200, 40, 1_000_040, 0)],
        close("t1", 1, 200, claim("t1", 1, 5, 100), claim("t1", 1, 2, 100)),
        [
            locked("t1", 1, 5, 100, 1_000_040, 1_000_040, 1_000_000, taken_at=2),
            locked("t1", 1, 2, 100, 1_000_000, 1_000_000, 1_000_000, taken_at=2),
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
        "hand and light are verified at the table",
        [OPENED, locked("t1", 1, 3, 10, 100_000, 1_000_000, 900_000), closed("t1", 1)],
        VerifyHit("uth", claim_id("t1", 1, 3, "progressive"), "d. ealer", ("hand", "light")),
        [verified("d. ealer")],
    ),
    (
        "a floorperson approves a verified hit",
        [OPENED, locked("t1", 1, 3, 10, 100_000, 1_000_000, 900_000), closed("t1", 1), verified("d. ealer")],
        ApproveHit("uth", claim_id("t1", 1, 3, "progressive"), "f. person", "form 1"),
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
                document="form 1",
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
            ApproveHit("uth", HIT, "f. person", "form 1"),
            Refusal("unknown_hit", "claim_id", f"was {HIT!r}; uth locked no such claim"),
            id="only a locked hit can be approved",
        ),
        pytest.param(
            [OPENED, LOCKED, verified("d. ealer"), APPROVED],
            ApproveHit("uth", HIT, "another", "form 1"),
            Refusal("hit_already_paid", "claim_id", f"was {HIT!r}; f. person did it"),
            id="a hit is approved once",
        ),
        pytest.param(
            [OPENED, LOCKED],
            ApproveHit("uth", HIT, "f. person", "form 1"),
            Refusal("hit_not_verified", "claim_id", f"was {HIT!r}; its hand and light come first"),
            id="a hit is verified before it is approved",
        ),
        pytest.param(
            [OPENED, LOCKED, verified("f. person")],
            ApproveHit("uth", HIT, "f. person", "form 1"),
            Refusal("same_person", "by", "was f. person, who verified the hit; allowed: anybody else"),
            id="who verified a hit does not validate it, whatever roles that person has",
        ),
        pytest.param(
            [OPENED, LOCKED, verified("d. ealer")],
            ApproveHit("uth", HIT, "f. person", " "),
            Refusal("missing_document", "document", "was ' '; name the hand-pay document"),
            id="a hand-pay has a document",
        ),
        pytest.param(
            [OPENED, LOCKED],
            VerifyHit("uth", HIT, "d. ealer", ("hand",)),
            Refusal("check_missing", "checks", "light not confirmed; what is not right is refused instead"),
            id="hand and light are both verified",
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


@any_case(METERS, st.integers(1, 10_000), st.integers(1, 10_000))
def test_two_tables_contributions_come_to_the_same_meter_in_either_order(
    meter: MeterOpening, one: int, other: int
) -> None:
    opened = standing([NetworkOpened(network="uth", currency="USD", meters=(meter,))])

    def after(*commands: Command) -> Mapping[str, Meter]:
        state = opened
        for command in commands:
            events = decide(state, command)
            assert isinstance(events, list)
            state = standing(events, state)
        assert isinstance(state, Network)
        return state.meters

    first, second = contribute("t1", 1, one), contribute("t2", 1, other)
    assert after(first, second) == after(second, first)
