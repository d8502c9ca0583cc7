"""One move at an operator's wallet, from its intent to its certain end.

Method: a table of what each answer means in each stage; then a state machine of hypothesis plays the network, the
operator's database, dying processes and staff against the pure core, in any order, and compares both ledgers.
"""

import uuid
from functools import reduce

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from pitstream.events.refusal import Refusal
from pitstream.events.remote import (
    RemoteCreditConfirmed,
    RemoteCreditDoubted,
    RemoteCreditRequested,
    RemoteDebitConfirmed,
    RemoteDebitRefused,
    RemoteDebitRequested,
    RemoteMoveResolved,
    RemoteMoveStopped,
    RemoteRollbackConfirmed,
    RemoteRollbackRequested,
)
from pitstream.services.wallet.remote.moves import (
    NEW,
    Asked,
    Closed,
    Done,
    Doubt,
    Hear,
    NeverSent,
    No,
    Paying,
    Resolve,
    Stopped,
    Undoing,
    decide,
    evolve,
    is_uncertain,
    step_of,
)

ID = "b9c4a1f0-5d7e-5c3b-8a51-0c3f5a7d9e21"
ROLLBACK = "0e6c9a52-7b1d-5f4e-9d0a-4b6c8e2f1a37"
WORD = {"transaction_id": ID}


def hear(step, answer, *, wanted=True, policy="not_found"):
    return Hear(ID, step, answer, unknown_rollback=policy, rollback_id=ROLLBACK, wanted=wanted)


@pytest.mark.parametrize(
    ("move", "command", "told"),
    [
        pytest.param(Asked(), hear("debit", Done()), [RemoteDebitConfirmed(**WORD)], id="a yes stands"),
        pytest.param(
            Asked(),
            hear("debit", Done(), wanted=False),
            [
                RemoteRollbackRequested(
                    **WORD, rollback_id=ROLLBACK, reason="the round was closed before the answer came"
                )
            ],
            id="a yes to a round that was closed meanwhile is rolled back",
        ),
        pytest.param(
            Asked(),
            hear("debit", No("insufficient_funds", "was 5")),
            [RemoteDebitRefused(**WORD, code="insufficient_funds", message="was 5")],
            id="a no is a no",
        ),
        pytest.param(
            Asked(),
            hear("debit", NeverSent("no connection")),
            [RemoteDebitRefused(**WORD, code="operator_unreachable", message="no connection")],
            id="what was never sent took nothing",
        ),
        pytest.param(
            Asked(),
            hear("debit", Doubt("no answer within 2000 ms")),
            [RemoteRollbackRequested(**WORD, rollback_id=ROLLBACK, reason="no answer within 2000 ms")],
            id="a doubt is ended by a rollback",
        ),
        pytest.param(Undoing("x"), hear("debit", Done()), [], id="a yes after the rollback began is late"),
        pytest.param(Undoing("x"), hear("debit", No("a", "b")), [], id="a no after the rollback began is late"),
        pytest.param(Undoing("x"), hear("rollback", Doubt("y")), [], id="a rollback in doubt is sent again"),
        pytest.param(Undoing("x"), hear("rollback", NeverSent("y")), [], id="a rollback never sent is sent again"),
        pytest.param(
            Undoing("x"),
            hear("rollback", Done()),
            [RemoteRollbackConfirmed(**WORD, answer="rolled_back")],
            id="a rollback done",
        ),
        pytest.param(
            Undoing("x"),
            hear("rollback", No("transaction_not_found", "")),
            [RemoteRollbackConfirmed(**WORD, answer="transaction_not_found")],
            id="not_found: nothing had arrived",
        ),
        pytest.param(
            Undoing("x"),
            hear("rollback", No("parent_failed", ""), policy="parent_failed"),
            [RemoteRollbackConfirmed(**WORD, answer="parent_failed")],
            id="parent_failed: nothing had been taken",
        ),
        pytest.param(
            Undoing("x"),
            hear("rollback", No("parent_failed", "m"), policy="not_found"),
            [RemoteMoveStopped(**WORD, code="parent_failed", message="m")],
            id="a word that was not agreed upon is for a person",
        ),
        pytest.param(
            Undoing("x"),
            hear("rollback", No("transaction_not_found", "m"), policy="success"),
            [RemoteMoveStopped(**WORD, code="transaction_not_found", message="m")],
            id="success: an operator that always says yes said no",
        ),
        pytest.param(Paying(), hear("credit", Done()), [RemoteCreditConfirmed(**WORD)], id="a win booked"),
        pytest.param(
            Paying(),
            hear("credit", Doubt("y")),
            [RemoteCreditDoubted(**WORD, reason="y")],
            id="the first doubt is told",
        ),
        pytest.param(Paying("y"), hear("credit", Doubt("z")), [], id="further doubts are counted only"),
        pytest.param(
            Paying("y"),
            hear("credit", No("player_closed", "m")),
            [RemoteMoveStopped(**WORD, code="player_closed", message="m")],
            id="a win refused is for a person",
        ),
        pytest.param(Closed("taken"), hear("debit", Doubt("y")), [], id="certain is for ever"),
        pytest.param(Closed("undone"), hear("debit", Done()), [], id="a late yes finds its debit undone"),
        pytest.param(Closed("paid"), hear("credit", No("a", "b")), [], id="a late no finds its win paid"),
        pytest.param(Stopped("credit", "a", "b"), hear("credit", Done()), [], id="a late yes finds a person at it"),
    ],
)
def test_what_an_answer_means_in_each_stage(move, command, told):
    assert decide(move, command) == told


def test_what_an_operator_says_is_kept_as_text_that_can_be_stored_and_shown():
    (told,) = decide(Paying(), hear("credit", No("locked\x00", "\x1b[2J" + "no " * 900)))
    assert told == RemoteMoveStopped(**WORD, code="locked\ufffd", message=("\ufffd[2J" + "no " * 900)[:500])


@pytest.mark.parametrize("resolution", ["confirm", "void", "retry"])
@pytest.mark.parametrize(
    ("move", "allowed", "ends"),
    [
        pytest.param(Undoing("x"), set(), {}, id="a rollback under way"),
        pytest.param(Paying("y"), {"confirm"}, {"confirm": Closed("paid")}, id="a win in doubt"),
        pytest.param(
            Stopped("rollback", "c", "m"),
            {"confirm", "void", "retry"},
            {"confirm": Closed("returned"), "void": Closed("undone"), "retry": Undoing("c: m")},
            id="a rollback refused",
        ),
        pytest.param(
            Stopped("credit", "c", "m"),
            {"confirm", "void", "retry"},
            {"confirm": Closed("paid"), "void": Closed("paid_by_hand"), "retry": Paying("c: m")},
            id="a win refused",
        ),
    ],
)
def test_a_person_may_say_what_no_call_on_its_way_can_contradict(move, allowed, ends, resolution):
    answer = decide(move, Resolve(ID, resolution, "c.ashier", "line 12 of the statement"))
    if resolution in allowed:
        said = RemoteMoveResolved(**WORD, resolution=resolution, by="c.ashier", reason="line 12 of the statement")
        assert answer == [said]
        assert evolve(move, said) == ends[resolution]
    else:
        assert isinstance(answer, Refusal)
        assert (answer.code, answer.field) == ("illegal_resolution", "resolution")


@pytest.mark.parametrize("move", [Asked(), Paying(), Closed("taken"), Closed("paid"), NEW])
def test_there_is_nothing_to_resolve_where_nothing_is_in_doubt(move):
    answer = decide(move, Resolve(ID, "confirm", "c.ashier", "why not"))
    assert isinstance(answer, Refusal)
    assert (answer.code, answer.field) == ("move_not_uncertain", "transaction_id")


def test_an_event_that_does_not_follow_stops_the_replay():
    with pytest.raises(TypeError, match="RemoteCreditConfirmed does not follow on Asked"):
        evolve(Asked(), RemoteCreditConfirmed(**WORD))


class Operator:
    """What an honest operator keeps: each transaction's answer for ever, and tombstones. Amounts are 1."""

    def __init__(self, policy):
        self.policy = policy
        self.balance = 0
        self.verdicts = {}
        self.tombstones = set()

    def receives(self, step, refuses):
        if step == "rollback":
            return self._rolls_back()
        if step not in self.verdicts:
            if refuses or (step == "debit" and self.tombstones):
                self.verdicts[step] = No("refused", "for a reason of its own")
            else:
                self.verdicts[step] = Done()
                self.balance += 1 if step == "credit" else -1
        return self.verdicts[step]

    def _rolls_back(self):
        if "rollback" not in self.verdicts:
            taken = self.verdicts.get("debit") == Done()
            self.tombstones.add("debit")
            self.balance += taken
            unknown = {
                "success": Done(),
                "not_found": No("transaction_not_found", ""),
                "parent_failed": No("parent_failed", ""),
            }
            self.verdicts["rollback"] = Done() if taken else unknown[self.policy]
        return self.verdicts["rollback"]


class AnyInterleaving(RuleBasedStateMachine):
    """Calls are sent by processes that may die, arrive late or never, twice, and are answered late or never. Whatever
    happens, our books and the operator's agree once the move has ended; a person only says what is true."""

    def __init__(self):
        super().__init__()
        self._begin("not_found")

    def _begin(self, policy):
        self.move = NEW
        self.events = []
        self.ours = 0  # what we believe the operator's balance changed by
        self.on_the_way = []  # requests that may still arrive, any number of times
        self.answers = []  # answers that may still be heard
        self.attempts = 0
        self.policy = policy
        self.operator = Operator(policy)

    def _take(self, events):
        before = self.move
        for event in events:
            self.events.append(event)
            self.move = evolve(self.move, event)
        if step_of(before) != step_of(self.move):
            self.attempts = 0
        if isinstance(self.move, Closed) and not isinstance(before, Closed):
            self.ours = {"taken": -1, "returned": -1, "paid": 1}.get(self.move.end, 0)

    @precondition(lambda self: self.move == NEW or isinstance(self.move, Closed))
    @rule(is_debit=st.booleans(), policy=st.sampled_from(["success", "not_found", "parent_failed"]))
    def intent(self, is_debit, policy):
        self._begin(policy)
        common = {
            "transaction_id": str(uuid.uuid5(uuid.NAMESPACE_DNS, "move")),
            "operator": "acme",
            "account": "player/acme:p1/USD",
            "player": "acme:p1",
            "currency": "USD",
            "amount": 1,
            "table": "t1",
            "round_no": 1,
            "game": "ultimate_texas_holdem",
        }
        if is_debit:
            self._take([RemoteDebitRequested(**common, seat=1, bundle=1)])
        else:
            self._take([RemoteCreditRequested(**common, reference_id="")])

    @precondition(lambda self: step_of(self.move) is not None and not (self.attempts and step_of(self.move) == "debit"))
    @rule()
    def send(self):
        self.attempts += 1
        self.on_the_way.append(step_of(self.move))

    @precondition(lambda self: step_of(self.move) == "debit" and self.attempts)
    @rule()
    def the_process_died(self):
        self._hear("debit", Doubt("the process that asked died"))

    @precondition(lambda self: step_of(self.move) is not None)
    @rule()
    def the_attempt_tells_nothing(self):
        if self.attempts:
            self._hear(step_of(self.move), Doubt("no answer"))

    @precondition(lambda self: self.on_the_way)
    @rule(data=st.data(), refuses=st.booleans(), keeps=st.booleans())
    def a_request_arrives(self, data, refuses, keeps):
        at = data.draw(st.integers(0, len(self.on_the_way) - 1))
        step = self.on_the_way[at] if keeps else self.on_the_way.pop(at)
        self.answers.append((step, self.operator.receives(step, refuses)))

    @precondition(lambda self: self.answers)
    @rule(data=st.data(), keeps=st.booleans(), wanted=st.booleans())
    def an_answer_is_heard(self, data, keeps, wanted):
        at = data.draw(st.integers(0, len(self.answers) - 1))
        step, answer = self.answers[at] if keeps else self.answers.pop(at)
        self._hear(step, answer, wanted=wanted)

    @precondition(lambda self: is_uncertain(self.move))
    @rule(retries=st.booleans())
    def a_person_says_what_is_true(self, retries):
        step = "credit" if isinstance(self.move, Paying) or getattr(self.move, "step", "") == "credit" else "debit"
        stands = self.operator.verdicts.get(step) == Done() and not (step == "debit" and self.operator.tombstones)
        answer = decide(self.move, Resolve(ID, "retry" if retries else "confirm" if stands else "void", "p", "seen"))
        if not isinstance(answer, Refusal):
            self._take(answer)

    def _hear(self, step, answer, wanted=True):
        events = decide(
            self.move, Hear(ID, step, answer, unknown_rollback=self.policy, rollback_id=ROLLBACK, wanted=wanted)
        )
        assert not isinstance(events, Refusal)
        self._take(events)

    @invariant()
    def a_late_request_moves_nothing_any_more(self):
        """Whatever is still on the way when a move has ended: the operator's book agrees with ours, and stays so."""
        if not isinstance(self.move, Closed):
            return
        for step in self.on_the_way:
            self.operator.receives(step, refuses=False)
        assert self.operator.balance == self.ours, (self.move, self.operator.verdicts)

    @invariant()
    def the_events_alone_tell_the_move(self):
        assert reduce(evolve, self.events, NEW) == self.move

    @invariant()
    def nothing_is_forgotten(self):
        """A move has ended, or is asked for, or is with a person."""
        known = isinstance(self.move, Closed) or step_of(self.move) is not None or is_uncertain(self.move)
        assert known or self.move == NEW


TestAnyInterleaving = AnyInterleaving.TestCase
TestAnyInterleaving.settings = settings(max_examples=200, stateful_step_count=30, deadline=None)
