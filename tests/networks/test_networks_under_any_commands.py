"""Two networks under any commands in any order. Method: a Hypothesis state machine over the pure decisions, beside an
account book of exact fractions kept here from the commands alone, and beside the wallet's own ledger, which hears every
event and takes none that does not agree with it to the unit."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from pitstream.cli.meter_story import explained
from pitstream.events import Event, Recorded, open_envelope, seal
from pitstream.events import progressives as said
from pitstream.events.ids import claim_id, progressive_stream
from pitstream.events.progressives import Correction, MeterOpening, MeterTerms, Rate, TransferOrder, TransferSent
from pitstream.events.refusal import Refusal
from pitstream.services.progressive import commands as asked
from pitstream.services.progressive.decisions import decide
from pitstream.services.progressive.evolution import evolve
from pitstream.services.progressive.network import Network, NotOpened, State
from pitstream.services.progressive.network_store import SNAPSHOTS
from pitstream.services.progressive.projection import Rows
from pitstream.services.wallet.books import Books
from pitstream.services.wallet.ledger import deposit, post

PEOPLE = ("a", "b", "c")
TABLES = ("t1", "t2", "t3")
NETWORKS = ("wide", "local")
MAY_FALL = (
    said.HitLocked,
    said.MeterCorrected,
    said.TransferSent,
    said.TermsChanged,
    said.ContributionsReturned,
    said.HitRefused,
)

rates = st.tuples(st.integers(0, 7), st.sampled_from([7, 10, 12, 30])).map(
    lambda pair: Rate(numerator=pair[0], denominator=pair[1])
)
limits = st.none() | st.integers(1_000, 3_000)


@st.composite
def terms(draw: st.DrawFn, meter: str) -> MeterTerms:
    """A meter's terms of which most are allowed: both rates together below 1, the seed below the limit."""
    rate = draw(rates)
    reserve = draw(st.none() | st.integers(0, 3).map(lambda part: Rate(numerator=part, denominator=11)))
    return MeterTerms(
        meter=meter,
        seed=draw(st.integers(0, 1_000)),
        rate=rate,
        reserve_rate=reserve,
        limit=draw(limits),
        contribution_max=draw(st.none() | st.just(200)),
    )


@dataclass
class Exact:
    """One meter as the commands alone say it must stand."""

    column: Fraction
    reserve: Fraction = Fraction(0)


class Networks(RuleBasedStateMachine):
    """Every command there is, accepted or refused; every event is told to the wallet."""

    def __init__(self) -> None:
        super().__init__()
        self.states: dict[str, State] = {name: NotOpened() for name in NETWORKS}
        self.events: dict[str, list[Event]] = {name: [] for name in NETWORKS}
        self.rows: dict[str, Rows] = {name: Rows() for name in NETWORKS}
        self.exact: dict[tuple[str, str], Exact] = {}
        self.given: dict[tuple[str, str, int], list[tuple[str, Fraction, Fraction]]] = {}
        self.round_no = dict.fromkeys(TABLES, 1)
        self.at_network: dict[str, str] = {}
        self.stakes: dict[tuple[str, int], int] = {}
        self.paid: Counter[str] = Counter()
        self.proposals = 0
        self.books = Books()
        for seat in range(1, 8):
            deposit(self.books, f"p{seat}", "USD", 1, f"00000000-0000-0000-0000-00000000000{seat}")

    # Carrying out ----------------------------------------------------------------------------------------------------

    def ask(self, command: Any) -> list[Event] | Refusal:
        """As the service does: a transfer's two halves stand or fall together."""
        events = decide(self.states[command.network], command)
        if isinstance(events, Refusal):
            assert events.code
            assert events.field
            assert events.message
            return events
        sent = next((event for event in events if isinstance(event, TransferSent)), None)
        arrives: Sequence[Event] = ()
        if sent is not None:
            received = decide(self.states[sent.to_network], asked.ReceiveTransfer(sent.to_network, sent))
            if isinstance(received, Refusal):
                return received
            arrives = received
        self._record(command.network, events)
        if sent is not None:
            self._record(sent.to_network, arrives)
        return events

    def _record(self, name: str, events: Sequence[Event]) -> None:
        for event in events:
            before = self.states[name]
            after = evolve(before, event)
            assert isinstance(after, Network)
            self.events[name].append(event)
            assert after.version == len(self.events[name])
            self.rows[name].add(before, event, after, after.version)
            self._count(name, before, event)
            self._fell_rightly(before, event, after)
            self.states[name] = after
            if not isinstance(event, said.RoundClosed | said.HitVerified | said.CardsReleased | said.PolicyChanged):
                self._tell_the_wallet(event)

    def _tell_the_wallet(self, event: Event) -> None:
        if isinstance(event, _FACTS):
            post(self.books, event)

    def _count(self, name: str, before: State, event: Event) -> None:
        """The account book of exact fractions: rates are those in force, everything else is whole units."""
        match event:
            case said.NetworkOpened():
                for one in event.meters:
                    self.exact[name, one.meter] = Exact(Fraction(one.amount))
            case said.WagersContributed():
                assert isinstance(before, Network)
                given = [
                    (
                        meter.meter,
                        _share(meter.terms.rate, event.stakes),
                        _share(meter.terms.reserve_rate, event.stakes),
                    )
                    for meter in before.meters.values()
                    if not meter.retired
                ]
                assert (name, event.table, event.round_no) not in self.given
                self.given[name, event.table, event.round_no] = given
                for meter, column, reserve in given:
                    self.exact[name, meter].column += column
                    self.exact[name, meter].reserve += reserve
            case said.ContributionsReturned():
                for meter, column, reserve in self.given[name, event.table, event.round_no]:
                    self.exact[name, meter].column -= column
                    self.exact[name, meter].reserve -= reserve
            case said.HitLocked(account=said.LockAccount() as account):
                assert event.amount == account.from_meter + account.from_house + account.from_earlier
                seed = account.seed_from_reserve + account.seed_from_house
                self.exact[name, event.meter].column += seed - account.from_meter
                self.exact[name, event.meter].reserve -= account.seed_from_reserve
            case said.HitRefused():
                assert event.amount == event.to_meter + event.to_house + event.to_others
                back = event.seed_to_reserve + event.seed_to_house
                self.exact[name, event.meter].column += event.to_meter - back
                self.exact[name, event.meter].reserve += event.seed_to_reserve
            case said.MeterCorrected(part="meter"):
                self.exact[name, event.meter].column += event.change
            case said.MeterCorrected(part="reserve"):
                self.exact[name, event.meter].reserve += event.change
            case said.TransferSent():
                self.exact[name, event.meter].column -= event.amount
                self.exact[name, event.meter].reserve -= event.reserve
            case said.TransferReceived():
                self.exact[name, event.meter].column += event.amount
                self.exact[name, event.meter].reserve += event.reserve
            case said.HandPayApproved():
                self.paid[event.claim_id] += 1

    def _fell_rightly(self, before: State, event: Event, after: Network) -> None:
        if isinstance(before, Network):
            fell = [name for name, meter in after.meters.items() if meter.amount < before.meters[name].amount]
            assert not fell or isinstance(event, MAY_FALL), (event, fell)

    # Commands --------------------------------------------------------------------------------------------------------

    @initialize(data=st.data(), policies=st.tuples(*[st.sampled_from(["sequential", "full_each", "share", None])] * 2))
    def open(self, data: st.DataObject, policies: tuple[Any, Any]) -> None:
        for name, policy in zip(NETWORKS, policies, strict=True):
            openings = []
            for meter in ("main", "minor"):
                drawn = data.draw(terms(meter))
                amount = data.draw(st.integers(0, 1_000))
                openings.append(
                    MeterOpening(
                        meter=meter,
                        seed=drawn.seed,
                        amount=amount,
                        rate_numerator=drawn.rate.numerator,
                        rate_denominator=drawn.rate.denominator,
                        reserve_rate=drawn.reserve_rate,
                        limit=drawn.limit,
                        contribution_max=drawn.contribution_max,
                    )
                )
            opened = self.ask(asked.OpenNetwork(name, "USD", tuple(openings), policy))
            if isinstance(opened, Refusal):
                assert opened.code == "invalid_meter"
                plain = [one.model_copy(update={"reserve_rate": None, "rate_numerator": 0}) for one in openings]
                assert not isinstance(self.ask(asked.OpenNetwork(name, "USD", tuple(plain), policy)), Refusal)

    def _network_of(self, table: str, network: str) -> str:
        """A table's rounds are of one network."""
        return self.at_network.setdefault(table, network)

    @rule(
        table=st.sampled_from(TABLES),
        network=st.sampled_from(NETWORKS),
        stakes=st.integers(0, 2_000),
        again=st.booleans(),
    )
    def close_betting(self, table: str, network: str, stakes: int, again: bool) -> None:
        stakes = self.stakes.setdefault((table, self.round_no[table]), stakes)
        command = asked.Contribute(self._network_of(table, network), table, self.round_no[table], "USD", stakes)
        first = self.ask(command)
        assert isinstance(first, list)
        if again:
            assert self.ask(command) == []

    @rule(
        table=st.sampled_from(TABLES),
        network=st.sampled_from(NETWORKS),
        stakes=st.integers(0, 2_000),
        void=st.booleans(),
        shares=st.lists(
            st.tuples(st.integers(1, 7), st.sampled_from(["main", "minor"]), st.sampled_from([1, 10, 60, 100])),
            max_size=3,
            unique_by=lambda share: share[0],
        ),
    )
    def settle(self, table: str, network: str, stakes: int, void: bool, shares: list[tuple[int, str, int]]) -> None:
        number = self.round_no[table]
        stakes = self.stakes.setdefault((table, number), stakes)
        claims = tuple(
            asked.Claim(claim_id(table, number, seat, "progressive"), seat, f"p{seat}", "progressive", meter, part, "k")
            for seat, meter, part in ([] if void else shares)
        )
        command = asked.CloseRound(self._network_of(table, network), table, number, "USD", stakes, void, claims)
        events = self.ask(command)
        assert isinstance(events, list)
        locked = [event.claim_id for event in events if isinstance(event, said.HitLocked)]
        assert locked == [claim.claim_id for claim in claims]
        assert self.ask(command) == []
        self.round_no[table] += 1

    def _hits(self) -> list[tuple[str, str]]:
        every = [(name, event.claim_id) for name in NETWORKS for event in self.events[name]
                 if isinstance(event, said.HitLocked)]  # fmt: skip
        return every[-6:] or [("wide", "nobody's")]

    @rule(
        data=st.data(),
        steps=st.sampled_from(
            [
                ("verify a", "approve b", "release a"),
                ("verify a",),
                ("approve b",),
                ("verify a", "approve a"),
                ("verify b", "refuse c"),
                ("refuse a", "release a"),
                ("release a",),
            ]
        ),
    )
    def handle_a_hit(self, data: st.DataObject, steps: tuple[str, ...]) -> None:
        """One of the last hits goes a step or more of its way, or is asked to go where it may not."""
        name, claim = data.draw(st.sampled_from(self._hits()))
        for step in steps:
            self._step(name, claim, *step.split())

    def _step(self, name: str, claim: str, what: str, by: str) -> None:
        state = self.states[name]
        assert isinstance(state, Network)
        hit = state.hits.get(claim)
        events = self.ask(
            {
                "verify": asked.VerifyHit(name, claim, by, ("hand", "light")),
                "approve": asked.ApproveHit(name, claim, by, "form"),
                "refuse": asked.RefuseHit(name, claim, by, "fouled"),
                "release": asked.ReleaseCards(name, claim, by),
            }[what]
        )
        if isinstance(events, list) and what == "approve":
            assert hit is not None
            assert hit.status == "verified"
            assert hit.verified_by != by
            assert [event.amount for event in events if isinstance(event, said.HandPayApproved)] == [hit.amount]

    @rule(data=st.data(), name=st.sampled_from(NETWORKS), by=st.sampled_from(PEOPLE), at_once=st.booleans())
    def propose(self, data: st.DataObject, name: str, by: str, at_once: bool) -> None:
        meter = data.draw(st.sampled_from(["main", "minor"]))
        state = self.states[name]
        assert isinstance(state, Network)
        stands = state.meters[meter]
        to_network = next(one for one in NETWORKS if one != name)
        order = TransferOrder(
            meter=meter,
            to_network=to_network,
            to_meter=data.draw(st.sampled_from(["main", "minor"])),
            amount=max(0, stands.column) if data.draw(st.booleans()) else data.draw(st.integers(0, 500)),
            reserve=max(0, stands.reserve),
        )
        change: dict[str, Any] = data.draw(
            st.one_of(
                terms(meter).map(lambda drawn: {"terms": drawn}),
                st.sampled_from(["sequential", "full_each", "share"]).map(lambda policy: {"policy": policy}),
                st.integers(-300, 300).map(
                    lambda by_so_much: {"correction": Correction(meter=meter, part="meter", change=by_so_much)}
                ),
                st.just({"correction": Correction(meter=meter, part="reserve", change=50)}),
                st.just({"transfer": order}),
                st.just({"retire": meter}),
            )
        )
        self.proposals += 1
        self.ask(asked.ProposeChange(name, f"change-{self.proposals}", by, "because", **change))
        if at_once:
            self.ask(asked.ApproveChange(name, f"change-{self.proposals}", "somebody else"))

    @rule(data=st.data(), by=st.sampled_from(PEOPLE), approves=st.booleans())
    def decide_a_change(self, data: st.DataObject, by: str, approves: bool) -> None:
        waiting = [(name, one) for name in NETWORKS for one in getattr(self.states[name], "proposals", {}).values()]
        if not waiting:
            return
        name, proposed = data.draw(st.sampled_from(waiting))
        if not approves:
            assert not isinstance(self.ask(asked.RejectChange(name, proposed.proposal_id, by, "no")), Refusal)
            return
        made = self.ask(asked.ApproveChange(name, proposed.proposal_id, by))
        if by == proposed.proposed_by:
            assert isinstance(made, Refusal)
            assert made.code == "same_person"
        again = self.ask(asked.ApproveChange(name, proposed.proposal_id, by))
        assert isinstance(again, Refusal)

    @rule(data=st.data(), by=st.sampled_from(PEOPLE), admitted=st.booleans())
    def answer_a_question(self, data: st.DataObject, by: str, admitted: bool) -> None:
        waiting = [one for name in NETWORKS for one in getattr(self.states[name], "questions", {}).values()]
        if waiting:
            one = data.draw(st.sampled_from(waiting))
            answer = asked.AnswerContribution(one.network, one.table, one.round_no, by, admitted, "counted")
            assert not isinstance(self.ask(answer), Refusal)
            assert isinstance(self.ask(answer), Refusal)

    # What holds after each -------------------------------------------------------------------------------------------

    def _open(self) -> list[Network]:
        return [state for state in self.states.values() if isinstance(state, Network)]

    @invariant()
    def every_fraction_is_somewhere(self) -> None:
        for state in self._open():
            for meter in state.meters.values():
                exact = self.exact[state.network, meter.meter]
                assert (meter.value, meter.reserve_value) == (exact.column, exact.reserve), meter
                assert 0 <= meter.carry < meter.carry_denominator
                assert 0 <= meter.reserve_carry < meter.reserve_carry_denominator
                assert meter.terms.limit is None or meter.amount <= meter.terms.limit
                assert meter.overflow == 0 or meter.amount == meter.terms.limit

    @invariant()
    def the_ledger_stands_where_the_meters_do(self) -> None:
        balance = {name: account.balance for name, account in self.books.accounts.items()}
        assert sum(balance.values()) == 0
        for state in self._open():
            for meter in state.meters.values():
                name = f"{state.network}/{meter.meter}/USD"
                assert balance.get(f"meter/{name}", 0) == meter.amount
                assert balance.get(f"overflow/{name}", 0) == meter.overflow
                assert balance.get(f"reserve/{name}", 0) == meter.reserve
        assert sum(of for name, of in balance.items() if name.startswith("transit/")) == 0
        waiting = sum(hit.amount for state in self._open() for hit in state.hits.values() if hit.is_open)
        assert sum(of for name, of in balance.items() if name.startswith("handpay/")) == waiting

    @invariant()
    def nothing_is_paid_twice(self) -> None:
        assert not self.paid or max(self.paid.values()) == 1

    @invariant()
    def nobody_has_more_than_its_part_of_what_the_meter_showed(self) -> None:
        """Whoever joined, left or was paid before: at most a left-over unit beyond it."""
        for state in self._open():
            for hit in state.hits.values():
                group = state.group_of(hit.locked.claim_id)
                assert hit.locked.account is not None
                base = hit.locked.account.base if group is None else group.base
                assert hit.amount <= base * hit.locked.percent // 100 + 1, hit

    @invariant()
    def the_tables_sum_up_to_the_meters(self) -> None:
        for state in self._open():
            moved: Counter[str] = Counter()
            for move in self.rows[state.network].moves:
                moved[move.meter] += move.moved
                moved[f"{move.meter} reserve"] += move.reserve_moved
            for meter in state.meters.values():
                assert (moved[meter.meter], moved[f"{meter.meter} reserve"]) == (meter.column, meter.reserve)

    def teardown(self) -> None:
        """Replayed from nothing, or taken up from a snapshot, it is the same network bit for bit."""
        for name in NETWORKS:
            replayed: State = NotOpened()
            for event in self.events[name]:
                replayed = evolve(replayed, event)
            assert replayed == self.states[name]
            stored = SNAPSHOTS.dump(replayed)
            assert SNAPSHOTS.load(stored) == replayed
            assert SNAPSHOTS.dump(SNAPSHOTS.load(stored)) == stored
            self._told_rightly(name)

    def _told_rightly(self, name: str) -> None:
        """Whoever tells the history from the events comes to the same values, at every line."""
        told = {line.meter: line for line in explained(sealed(name, self.events[name]))}
        assert [line.differs for line in explained(sealed(name, self.events[name])) if line.differs] == []
        state = self.states[name]
        assert isinstance(state, Network)
        for meter in state.meters.values():
            assert (told[meter.meter].exact, told[meter.meter].reserve_exact) == (meter.value, meter.reserve_value)


def sealed(name: str, events: Sequence[Event]) -> list[Recorded]:
    """The events as they are stored."""
    found: list[Recorded] = []
    for version, event in enumerate(events, start=1):
        data = seal(
            event,
            stream=progressive_stream(name),
            version=version,
            source="progressive",
            key=name,
            key_sequence=version,
            recorded_at_us=1_750_000_000_000_000,
            cause_id="",
            actor="test",
            traceparent="",
            previous_hash=found[-1].hash if found else b"",
        )
        found.append(open_envelope(data))
    return found


def _share(rate: Rate | None, stakes: int) -> Fraction:
    return Fraction(0) if rate is None else Fraction(rate.numerator, rate.denominator) * stakes


_FACTS = (
    said.NetworkOpened,
    said.WagersContributed,
    said.ContributionsReturned,
    said.HitLocked,
    said.HitsRedivided,
    said.HandPayApproved,
    said.HitRefused,
    said.TermsChanged,
    said.MeterCorrected,
    said.TransferSent,
    said.TransferReceived,
)

TestNetworks = Networks.TestCase
TestNetworks.settings = settings(
    max_examples=100, stateful_step_count=50, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
