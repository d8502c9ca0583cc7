"""The wallet's books beside the progressive service's state, both pure: after every decision of two networks, whatever
they are asked for in whatever order, the ledger's accounts are the meters' amounts. Method: walks of random commands,
told by their seeds; the events that follow go to the wallet as it would hear them, and it takes each of them."""

import random
from dataclasses import dataclass, field

import pytest

from pitstream.events import Event, ids
from pitstream.events.progressives import (
    Correction,
    HitLocked,
    MeterOpening,
    MeterTerms,
    Policy,
    Rate,
    TransferOrder,
    TransferSent,
)
from pitstream.events.refusal import Refusal
from pitstream.services.progressive.commands import (
    AnswerContribution,
    ApproveChange,
    ApproveHit,
    Claim,
    CloseRound,
    Command,
    Contribute,
    OpenNetwork,
    ProposeChange,
    ReceiveTransfer,
    RefuseHit,
    VerifyHit,
)
from pitstream.services.progressive.decisions import decide
from pitstream.services.progressive.evolution import evolve
from pitstream.services.progressive.network import Network, NotOpened, State
from pitstream.services.wallet.books import Books, rebuild
from pitstream.services.wallet.ledger import Fact, deposit, post

NETWORKS = ("wan", "lan")
METERS = ("main", "minor")


@dataclass
class Floor:
    """Two networks and one wallet. ``commands`` that are refused change nothing."""

    states: dict[str, State] = field(default_factory=lambda: dict.fromkeys(NETWORKS, NotOpened()))
    books: Books = field(default_factory=Books)
    told: list[Event] = field(default_factory=list)
    claims: list[tuple[str, str]] = field(default_factory=list)
    sent: list[TransferSent] = field(default_factory=list)
    rounds: dict[str, int] = field(default_factory=dict)
    kinds: set[str] = field(default_factory=set)

    def does(self, command: Command) -> None:
        name = command.network
        decided = decide(self.states[name], command)
        if isinstance(decided, Refusal):
            return
        for event in decided:
            self.states[name] = evolve(self.states[name], event)
            self.kinds.add(type(event).__name__)
            if isinstance(event, Fact):
                self.told += post(self.books, event)
            if isinstance(event, HitLocked):
                self.claims.append((name, event.claim_id))
            if isinstance(event, TransferSent):
                self.sent.append(event)
        # Between two events of one decision a redivided share may not have moved yet; after the last of them it has.
        self.agrees()

    def agrees(self) -> None:
        """Every account of the networks is what their state says, and nothing is anywhere else."""
        for name, state in self.states.items():
            if isinstance(state, NotOpened):
                continue
            for meter in state.meters.values():
                parts = (
                    (ids.meter_account(name, meter.meter, "USD"), meter.amount),
                    (ids.overflow_account(name, meter.meter, "USD"), meter.overflow),
                    (ids.reserve_account(name, meter.meter, "USD"), meter.reserve),
                )
                assert [self.balance(account) for account, _ in parts] == [amount for _, amount in parts]
            for hit in state.hits.values():
                share = self.balance(ids.hit_account(name, hit.locked.claim_id, "USD"))
                assert share == (hit.amount if hit.is_open else 0)
        assert sum(account.balance for account in self.books.accounts.values()) == 0
        covered = ("player", "handpay")
        assert all(account.balance >= 0 for account in self.books.accounts.values() if account.kind in covered)

    def balance(self, account: str) -> int:
        known = self.books.accounts.get(account)
        return known.balance if known else 0


def opening(meter: str, dice: random.Random) -> MeterOpening:
    return MeterOpening(
        meter=meter,
        seed=dice.randint(0, 500),
        amount=dice.randint(0, 900),
        rate_numerator=dice.randint(0, 30),
        rate_denominator=dice.choice([40, 100]),
        reserve_rate=dice.choice([None, Rate(numerator=1, denominator=30), Rate(numerator=3, denominator=7)]),
        limit=dice.choice([None, 900, 1_000]),
        contribution_max=dice.choice([None, 200]),
    )


def opened(dice: random.Random) -> Floor:
    floor = Floor()
    for player in ("p1", "p2"):
        floor.told += deposit(floor.books, player, "USD", 1, f"d-{player}")
    for name in NETWORKS:
        policy: Policy = dice.choice(["sequential", "full_each", "share"])
        floor.does(OpenNetwork(name, "USD", tuple(opening(meter, dice) for meter in METERS), policy))
    return floor


def a_round(floor: Floor, dice: random.Random) -> None:
    """A round of one table: its wagers feed the meters, and sooner or later it ends, with hits or void."""
    name, table = dice.choice(NETWORKS), dice.choice(["t1", "t2"])
    key = f"{name}-{table}"
    round_no = floor.rounds[key] = floor.rounds.get(key, 0) + 1
    amount = dice.randint(1, 1_000)
    floor.does(Contribute(name, key, round_no, "USD", amount))
    if dice.random() < 0.5:
        _end(floor, dice, name, key, round_no, amount)


def _end(floor: Floor, dice: random.Random, name: str, table: str, round_no: int, amount: int) -> None:
    void = dice.randint(0, 4) == 0
    seats = [] if void else dice.sample(range(1, 7), dice.randint(0, 3))
    claims = tuple(
        Claim(
            claim_id=ids.claim_id(table, round_no, seat, "progressive"),
            seat=seat,
            player=dice.choice(["p1", "p2"]),
            wager="progressive",
            meter=dice.choice(METERS),
            percent=dice.choice([10, 60, 100]),
            rule="653a.11(k)",
        )
        for seat in seats
    )
    floor.does(CloseRound(name, table, round_no, "USD", amount, void, claims))


def an_end(floor: Floor, dice: random.Random) -> None:
    """Rounds that are still under way end, those of one table in order."""
    for name, state in floor.states.items():
        if isinstance(state, Network) and state.fed:
            table, _, number = next(iter(state.fed)).rpartition("/")
            _end(floor, dice, name, table, int(number), state.fed[f"{table}/{number}"].stakes)


def a_hit_decided(floor: Floor, dice: random.Random) -> None:
    if not floor.claims:
        return
    name, claim = dice.choice(floor.claims)
    floor.does(VerifyHit(name, claim, "dealer", ("hand", "light")))
    if dice.random() < 0.5:
        floor.does(ApproveHit(name, claim, "floorperson", "HP-1"))
    else:
        floor.does(RefuseHit(name, claim, "floorperson", "light was off"))


def a_change(floor: Floor, dice: random.Random) -> None:
    name, meter = dice.choice(NETWORKS), dice.choice(METERS)
    other = NETWORKS[1 - NETWORKS.index(name)]
    proposal = f"p{len(floor.told)}-{dice.randint(0, 10**9)}"
    amount = dice.randint(-400, 400)
    kind = dice.choice(["terms", "policy", "correction", "transfer", "retire"])
    changes = {
        "terms": MeterTerms(
            meter=meter,
            seed=dice.randint(0, 500),
            rate=Rate(numerator=dice.randint(0, 20), denominator=dice.choice([40, 60, 100])),
            reserve_rate=dice.choice([None, Rate(numerator=1, denominator=30)]),
            limit=dice.choice([None, 500, 800, 1_200]),
        ),
        "policy": dice.choice(["sequential", "full_each", "share"]),
        "correction": Correction(meter=meter, part=dice.choice(["meter", "reserve"]), change=amount),
        "transfer": TransferOrder(
            meter=meter,
            to_network=other,
            to_meter=dice.choice(METERS),
            amount=abs(amount),
            reserve=dice.randint(0, 20),
        ),
        "retire": meter,
    }
    floor.does(ProposeChange(name, proposal, "one", "because", **{kind: changes[kind]}))
    floor.does(ApproveChange(name, proposal, "another"))


def an_arrival(floor: Floor, dice: random.Random) -> None:
    """A transfer arrives, perhaps for the second time."""
    if floor.sent:
        sent = dice.choice(floor.sent)
        floor.does(ReceiveTransfer(sent.to_network, sent))


def an_answer(floor: Floor, dice: random.Random) -> None:
    for name, state in floor.states.items():
        if isinstance(state, Network):
            for question in list(state.questions.values()):
                floor.does(
                    AnswerContribution(name, question.table, question.round_no, "one", dice.random() < 0.5, "asked")
                )


STEPS = [a_round, a_round, a_round, an_end, a_hit_decided, a_hit_decided, a_change, an_arrival, an_answer]


def walk(seed: int, steps: int) -> Floor:
    dice = random.Random(seed)
    floor = opened(dice)
    for _ in range(steps):
        dice.choice(STEPS)(floor, dice)
    return floor


@pytest.mark.parametrize("seed", range(40))
def test_the_ledger_stands_where_every_meter_stands(seed):
    floor = walk(seed, steps=120)
    assert rebuild(sorted(floor.told, key=lambda event: event.account)).accounts == floor.books.accounts


def test_the_walks_meet_every_event_that_moves_money():
    moving = {"NetworkOpened", "WagersContributed", "ContributionsReturned", "HitLocked", "HitsRedivided"}
    moving |= {"HandPayApproved", "HitRefused", "TermsChanged", "MeterCorrected", "TransferSent", "TransferReceived"}
    assert moving - set().union(*(walk(seed, steps=120).kinds for seed in range(5))) == set()
