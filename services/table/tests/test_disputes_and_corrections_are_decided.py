"""A dispute is opened, told and decided once; a correction takes two people. Method: the pure decisions, case by case,
over a round that the referee's own decisions played."""

from collections.abc import Sequence
from functools import reduce

import pytest

from pitstream.evaluator import fingerprint
from pitstream.events import Event
from pitstream.events.disputes import (
    CardFact,
    DisputeDecided,
    DisputeOpened,
    Fact,
    RoundCorrected,
    RoundCorrectionDeclined,
    RoundCorrectionProposed,
    StatementAttached,
)
from pitstream.events.refusal import Refusal
from pitstream.events.rounds import (
    BettingClosed,
    CommunityDealt,
    DecisionMade,
    Hand,
    HandsDealt,
    PaytableChoice,
    RoundFinished,
    RoundOpened,
    RoundVoided,
    Stake,
    WagersPlaced,
    WagersStood,
)
from pitstream.games.paytables import bundled
from pitstream.games.round import Finished, NoRound, Round, evolve_all, finished_round
from pitstream.games.settlement import RULES_VERSION
from pitstream.services.table import corrections, disputes
from pitstream.services.table.corrections import (
    NONE,
    ConfirmCorrection,
    Corrections,
    DeclineCorrection,
    ProposeCorrection,
    facts_in_force,
)
from pitstream.services.table.disputes import (
    NO_DISPUTE,
    STATEMENTS_MAX,
    AttachStatement,
    DecideDispute,
    OpenDispute,
)

GAME, DAY, TABLE = "flop_poker", "2025-06-14", "fp-01"
OPENED = RoundOpened(
    table=TABLE,
    round_no=7,
    round_id="r7",
    game=GAME,
    gaming_day=DAY,
    currency="USD",
    paytables=tuple(
        PaytableChoice(wager=wager, paytable=id_, sha256=bundled().named(GAME, wager, id_, DAY).sha256)
        for wager, id_ in (("ante", "A"), ("flop", "NJ"))
    ),
    options={"forfeited_seat": "loses_all", "void_round": "returns_all"},
    rules_version=RULES_VERSION,
    evaluator=fingerprint(),
)


def bet(seat: int, bundle: int, **stakes: int) -> list[Event]:
    placed = WagersPlaced(
        table=TABLE,
        round_no=7,
        seat=seat,
        player=f"p{seat}",
        bundle=bundle,
        currency="USD",
        stakes=tuple(Stake(wager=wager, stake=stake) for wager, stake in stakes.items()),
    )
    return [placed, WagersStood(seat=seat, bundle=bundle)]


DEALT: list[Event] = [
    OPENED,
    *bet(1, 1, ante=500, pot=500),
    *bet(2, 1, ante=500, pot=500),
    BettingClosed(table=TABLE, round_no=7, currency="USD", wagers=()),
    HandsDealt(hands=(Hand(seat=1, cards=("Ah", "Kh", "2c")), Hand(seat=2, cards=("9c", "9d", "3s")))),
]
FINISHED = evolve_all(
    [
        *DEALT,
        DecisionMade(seat=1, choice="flop"),
        *bet(1, 2, flop=500),
        DecisionMade(seat=2, choice="fold"),
        CommunityDealt(cards=("Qh", "Jc", "4d")),
        RoundFinished(table=TABLE, round_no=7),
    ]
)
VOID = evolve_all([*DEALT, RoundVoided(table=TABLE, round_no=7, reason="misdeal", floorperson="f.one")])
FACT = Fact(card=CardFact(place="community", position=1, was="Qh", becomes="Qs"))
BACK = Fact(card=CardFact(place="community", position=1, was="Qs", becomes="Qh"))
PROPOSE = ProposeCorrection((FACT,), "camera 4", "f.one")


def given(*commands: corrections.Command, played: Round = FINISHED) -> Corrections:
    """The corrections after these commands, each of which is carried out."""
    state = NONE
    for command in commands:
        events = corrections.decide(state, played, command, bundled())
        assert not isinstance(events, Refusal), events
        state = reduce(corrections.evolve, events, state)
    return state


def test_two_people_make_a_correction_which_tells_the_whole_round():
    state = given(PROPOSE, ConfirmCorrection(1, "a.two"))
    proposed, corrected = state.proposed[0], state.ends[0]
    assert proposed == RoundCorrectionProposed(
        table=TABLE, round_no=7, number=1, facts=(FACT,), reason="camera 4", proposed_by="f.one"
    )
    assert isinstance(corrected, RoundCorrected)
    assert (corrected.proposed_by, corrected.confirmed_by, corrected.facts) == ("f.one", "a.two", (FACT,))
    assert isinstance(FINISHED, Finished)
    was, becomes = finished_round(FINISHED), facts_in_force(state, FINISHED)
    assert becomes.community == ("Qs", "Jc", "4d")
    assert (becomes.seats, becomes.paytables, becomes.options) == (was.seats, was.paytables, was.options)


def test_a_correction_of_a_correction_starts_from_what_is_in_force():
    corrected = (PROPOSE, ConfirmCorrection(1, "a.two"))
    state = given(*corrected, ProposeCorrection((BACK,), "the camera was another table's", "a.two"))
    assert state.waiting is not None
    assert state.waiting.number == 2
    state = given(*corrected, ProposeCorrection((BACK,), "another table's", "a.two"), ConfirmCorrection(2, "f.one"))
    assert isinstance(FINISHED, Finished)
    assert facts_in_force(state, FINISHED) == finished_round(FINISHED)


def test_a_declined_correction_changes_nothing_and_leaves_room_for_another():
    state = given(PROPOSE, DeclineCorrection(1, "not to be seen", "f.one"))
    declined = RoundCorrectionDeclined(table=TABLE, round_no=7, number=1, reason="not to be seen", declined_by="f.one")
    assert (state.ends, state.in_force, state.waiting) == ((declined,), None, None)
    assert given(PROPOSE, DeclineCorrection(1, "no", "f.one"), PROPOSE).proposed[-1].number == 2


@pytest.mark.parametrize(
    ("before", "played", "command", "code", "field"),
    [
        pytest.param([PROPOSE], FINISHED, ConfirmCorrection(1, "f.one"), "same_person", "by", id="the same person"),
        pytest.param([PROPOSE], FINISHED, PROPOSE, "correction_waiting", "round_no", id="one waits"),
        pytest.param([PROPOSE], FINISHED, ConfirmCorrection(2, "a.two"), "unknown_correction", "number", id="another"),
        pytest.param([], FINISHED, DeclineCorrection(1, "no", "a.two"), "unknown_correction", "number", id="none"),
        pytest.param(
            [PROPOSE, ConfirmCorrection(1, "a.two")],
            FINISHED, PROPOSE, "fact_differs", "facts[0].card.was", id="it is put right by now",
        ),
        pytest.param([], evolve_all(DEALT), PROPOSE, "wrong_stage", "round_no", id="being played"),
        pytest.param([], VOID, PROPOSE, "wrong_stage", "round_no", id="a void round"),
        pytest.param([], NoRound(), PROPOSE, "wrong_stage", "round_no", id="never opened"),
    ],
)  # fmt: skip
def test_a_correction_that_may_not_be_is_refused(before, played, command, code, field):
    refused = corrections.decide(given(*before), played, command, bundled())
    assert isinstance(refused, Refusal)
    assert (refused.code, refused.field) == (code, field)


def test_a_round_of_other_rules_is_not_corrected_here():
    opened = OPENED.model_copy(update={"rules_version": "99"})
    played = evolve_all([opened, *DEALT[1:], *(e for e in _rest())])
    refused = corrections.decide(NONE, played, PROPOSE, bundled())
    assert refused == Refusal("not_judged_here", "round_no", "rules_version was '99'; this service judges by '1', '2'")


def _rest() -> list[Event]:
    return [
        DecisionMade(seat=1, choice="fold"),
        DecisionMade(seat=2, choice="fold"),
        CommunityDealt(cards=("Qh", "Jc", "4d")),
        RoundFinished(table=TABLE, round_no=7),
    ]


OPEN = OpenDispute(TABLE, 7, 1, 2, "the queen was of spades", "f.one")
STATED = AttachStatement("dealer", "I called hearts", "f.one")
UPHELD = DecideDispute("upheld", "camera 4", "f.two")


def told(*commands: disputes.Command) -> disputes.State:
    state = NO_DISPUTE
    for command in commands:
        events = disputes.decide(state, command)
        assert not isinstance(events, Refusal), events
        state = reduce(disputes.evolve, events, state)
    return state


def test_a_dispute_keeps_every_word_and_who_took_it_down():
    assert told(OPEN, STATED, STATED, UPHELD) == disputes.Dispute(
        DisputeOpened(table=TABLE, round_no=7, number=1, seat=2, text="the queen was of spades", opened_by="f.one"),
        tuple(
            StatementAttached(
                table=TABLE,
                round_no=7,
                number=1,
                statement=number,
                said_by="dealer",
                text="I called hearts",
                taken_by="f.one",
            )
            for number in (1, 2)
        ),
        DisputeDecided(table=TABLE, round_no=7, number=1, decision="upheld", reason="camera 4", decided_by="f.two"),
    )


@pytest.mark.parametrize(
    ("before", "command", "code"),
    [
        pytest.param([], STATED, "unknown_dispute", id="nobody opened it"),
        pytest.param([], UPHELD, "unknown_dispute", id="nobody opened it, to decide"),
        pytest.param([OPEN, UPHELD], UPHELD, "dispute_already_decided", id="decided once"),
        pytest.param([OPEN, UPHELD], STATED, "dispute_already_decided", id="nothing is added to what is decided"),
        pytest.param([OPEN, *[STATED] * STATEMENTS_MAX], STATED, "too_many_statements", id="a hundred statements"),
        pytest.param([], OpenDispute(TABLE, 7, 101, None, "again", "f.one"), "too_many_disputes", id="a hundred"),
    ],
)
def test_a_dispute_is_told_and_decided_once(before: Sequence[disputes.Command], command, code):
    refused = disputes.decide(told(*before), command)
    assert isinstance(refused, Refusal)
    assert refused.code == code
