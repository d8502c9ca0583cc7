"""What a corrected round does to its network. Method: the pure decisions on a network with one meter that takes a third
of each wager; a hit of it is locked, questioned, proposed; a prize is withdrawn, or was paid before."""

from dataclasses import replace

import pytest

from pitstream.events import Event
from pitstream.events.corrections import (
    ContributionCorrected,
    HitDeclined,
    HitProposed,
    HitQuestioned,
    HitRestored,
    PrizeQuestioned,
)
from pitstream.events.prizes import PrizeApproved, PrizePayee, PrizePending, PrizeRefused
from pitstream.events.progressives import HitLocked, MeterOpening
from pitstream.events.refusal import Refusal
from pitstream.services.progressive import prizes
from pitstream.services.progressive.commands import (
    AcceptHit,
    ApproveHit,
    Claim,
    CloseRound,
    Command,
    Contribute,
    CorrectRound,
    DeclineHit,
    OpenNetwork,
    RefuseHit,
    VerifyHit,
)
from pitstream.services.progressive.decisions import decide
from pitstream.services.progressive.evolution import evolve
from pitstream.services.progressive.meter import Rates
from pitstream.services.progressive.network import Network, NotOpened, State
from pitstream.services.progressive.prizes import CorrectPrizes, Prizes

CLAIM = Claim("00000000-0000-5000-8000-000000000001", 1, "p1", "progressive", "main", 10, "653a.11(k)")
METER = MeterOpening(meter="main", seed=1000, amount=10_000, rate_numerator=1, rate_denominator=3)


def after(*commands: Command, state: State | None = None) -> tuple[Network, list[Event]]:
    """The network after these commands, and the events of the last one."""
    network: State = NotOpened() if state is None else state
    events: list[Event] | Refusal = []
    for command in commands:
        events = decide(network, command)
        assert not isinstance(events, Refusal), events
        for event in events:
            network = evolve(network, event)
    assert isinstance(network, Network)
    return network, list(events)


def closed(stakes: int, *claims: Claim) -> tuple[Network, tuple[Rates, ...]]:
    """A network after one closed round, and the rates at which it fed the meter."""
    opened, _ = after(OpenNetwork("n", "USD", (METER,)))
    network, _ = after(
        Contribute("n", "t", 1, "USD", stakes), CloseRound("n", "t", 1, "USD", stakes, void=False, claims=claims),
        state=opened,
    )  # fmt: skip
    return network, opened.rates if stakes else ()


def correction(
    network: Network, rates: tuple[Rates, ...], before: int, becomes: int, *claims: Claim, number: int = 1
) -> CorrectRound:
    return CorrectRound(
        network="n",
        table="t",
        round_no=1,
        currency="USD",
        correction=number,
        stakes_before=before,
        stakes_after=becomes,
        rates=rates,
        hits=tuple(network.hits.values()),
        claims=claims,
        reason="camera 4",
        proposed_by="f.one",
        confirmed_by="a.two",
    )


@pytest.mark.parametrize(("before", "becomes"), [(100, 0), (100, 250), (0, 100), (200, 199), (301, 7)])
def test_contributions_become_what_they_should_have_been_to_the_last_fraction(before, becomes):
    network, rates = closed(before)
    corrected, [event] = after(correction(network, rates, before, becomes), state=network)
    right, _ = closed(becomes)
    assert isinstance(event, ContributionCorrected)
    assert (event.stakes_before, event.stakes_after) == (before, becomes)
    assert corrected.meters["main"].value == right.meters["main"].value
    assert corrected.meters["main"].taken == right.meters["main"].taken


def test_nothing_happens_where_stakes_and_shares_are_as_before():
    network, rates = closed(100, CLAIM)
    assert decide(network, correction(network, rates, 100, 100, CLAIM)) == []


def test_a_hit_whose_win_is_gone_can_only_be_refused_until_it_is_won_again():
    network, rates = closed(100, CLAIM)
    questioned, [event] = after(correction(network, rates, 100, 100), state=network)
    assert event == HitQuestioned(
        network="n", claim_id=CLAIM.claim_id, table="t", round_no=1, correction=1, status="locked", reason="camera 4"
    )
    verified, _ = after(VerifyHit("n", CLAIM.claim_id, "d.one", ("hand", "light")), state=questioned)
    refused = decide(verified, ApproveHit("n", CLAIM.claim_id, "f.one", "W2G 1"))
    assert isinstance(refused, Refusal)
    assert refused.code == "hit_questioned"
    restored, [event] = after(correction(verified, rates, 100, 100, CLAIM, number=2), state=verified)
    assert event == HitRestored(network="n", claim_id=CLAIM.claim_id, table="t", round_no=1, correction=2)
    _, [paid] = after(ApproveHit("n", CLAIM.claim_id, "f.one", "W2G 1"), state=restored)
    assert type(paid).__name__ == "HandPayApproved"


def test_a_hit_that_appears_locks_nothing_before_somebody_accepts_it():
    network, rates = closed(100)
    proposed, [event] = after(correction(network, rates, 100, 100, CLAIM), state=network)
    assert isinstance(event, HitProposed)
    assert (event.claim_id, event.meter, event.percent) == (CLAIM.claim_id, "main", 10)
    assert proposed.meters == network.meters
    accepted, [locked] = after(AcceptHit("n", CLAIM.claim_id, "n.one"), state=proposed)
    assert isinstance(locked, HitLocked)
    assert (locked.amount, accepted.proposed_hits) == (1_003, {})
    declined, [off] = after(DeclineHit("n", CLAIM.claim_id, "n.one", "settled by hand"), state=proposed)
    assert (off, declined.proposed_hits) == (
        HitDeclined(network="n", claim_id=CLAIM.claim_id, declined_by="n.one", reason="settled by hand"), {},
    )  # fmt: skip
    unknown = decide(accepted, AcceptHit("n", CLAIM.claim_id, "n.one"))
    assert isinstance(unknown, Refusal)
    assert unknown.code == "unknown_hit"


def test_a_refused_hit_stays_refused_and_listed_whatever_corrections_say_of_its_win():
    """Its claim is never locked a second time; a share of another percent is another claim, and is proposed."""
    locked, rates = closed(100, CLAIM)
    refused, _ = after(RefuseHit("n", CLAIM.claim_id, "f.one", "the card was misread"), state=locked)
    gone = decide(refused, correction(refused, rates, 100, 100))
    back = decide(refused, correction(refused, rates, 100, 100, CLAIM, number=2))
    assert (gone, back) == ([], [])
    assert refused.hits[CLAIM.claim_id].status == "refused"
    other = replace(CLAIM, claim_id="00000000-0000-5000-8000-000000000002", percent=100)
    _, [event] = after(correction(refused, rates, 100, 100, other), state=refused)
    assert isinstance(event, HitProposed)
    assert (event.claim_id, event.percent) == (other.claim_id, 100)


def test_a_proposed_hit_goes_with_the_correction_that_takes_its_win_away():
    network, rates = closed(100)
    proposed, _ = after(correction(network, rates, 100, 100, CLAIM), state=network)
    gone, [event] = after(correction(proposed, rates, 100, 100, number=2), state=proposed)
    assert isinstance(event, HitDeclined)
    assert (event.declined_by, gone.proposed_hits) == ("a.two", {})


def prize(prize_id: str, amount: int) -> PrizePending:
    return PrizePending(
        prize_id=prize_id,
        table="t",
        round_no=1,
        seat=1,
        prize="five_card",
        currency="USD",
        rule="653a.11(l)",
        payees=(PrizePayee(seat=1, player="p1", amount=amount),),
    )


def told(*events: Event) -> Prizes:
    state: Prizes = {}
    for event in events:
        state = prizes.evolve(state, event)
    return state


PENDING, OTHER = prize("z1", 500), prize("z2", 900)
APPROVED = PrizeApproved(
    **PENDING.model_dump(exclude={"rule", "payees"}), payees=PENDING.payees, floorperson="f.one", document="W2G 1"
)


def test_a_prize_that_waits_in_vain_is_off_and_the_right_one_waits():
    withdrawn, pending = prizes.correct(told(PENDING), CorrectPrizes((OTHER,), ("z1",), 1, "camera 4", "a.two"))
    assert isinstance(withdrawn, PrizeRefused)
    assert (withdrawn.prize_id, withdrawn.floorperson, withdrawn.correction) == ("z1", "a.two", 1)
    assert pending == OTHER


def test_a_prize_that_was_paid_is_listed_and_nothing_of_the_kind_is_paid_again():
    [listed] = prizes.correct(told(PENDING, APPROVED), CorrectPrizes((OTHER,), ("z1",), 1, "camera 4", "a.two"))
    assert isinstance(listed, PrizeQuestioned)
    assert (listed.prize_id, listed.payees, listed.becomes) == ("z1", PENDING.payees, OTHER.payees)
    [again] = prizes.correct(told(PENDING, APPROVED), CorrectPrizes((prize("z3", 7),), ("z2",), 2, "again", "a.two"))
    assert isinstance(again, PrizeQuestioned)
    assert (again.prize_id, again.becomes[0].amount) == ("z1", 7)


def test_a_prize_that_is_won_as_before_is_left_alone():
    assert prizes.correct(told(PENDING), CorrectPrizes((PENDING,), (), 1, "camera 4", "a.two")) == []
