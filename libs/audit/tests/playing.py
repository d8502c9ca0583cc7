"""An evening in memory: the services' own pure functions decide, and every event is sealed as the services seal it."""

import json
from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pitstream.archive import TOPICS, WHOLE, Shard, Stored, stored_from
from pitstream.cli.script import Step, script_of
from pitstream.evaluator import fingerprint
from pitstream.events import Event, Recorded, envelope_hash, ids, seal
from pitstream.events.progressives import MeterOpening, Rate
from pitstream.events.refusal import Refusal
from pitstream.events.rounds import BettingClosed, TableOpened, WagersPlaced
from pitstream.events.settlements import RoundSettled
from pitstream.events.wallet import FundsHeld
from pitstream.games import referee
from pitstream.games import table as sessions
from pitstream.games.commands import (
    AnswerDecision,
    AnswerHold,
    DealBonus,
    DealHands,
    DealtHand,
    FinishRound,
    ForfeitSeat,
    NetworkTerms,
    OpenRound,
    OpenTable,
    PlaceWagers,
    RevealCommunity,
    VoidRound,
)
from pitstream.games.corrections import correction_of
from pitstream.games.game import FinishedRound
from pitstream.games.paytables import bundled
from pitstream.games.record import read_record
from pitstream.games.round import Finished, NoRound, Round, Voided, evolve
from pitstream.games.settlement import RULES_VERSION
from pitstream.runtime.settings import TOPIC_SOURCES
from pitstream.services.progressive.commands import ApproveHit, CloseRound, OpenNetwork, VerifyHit
from pitstream.services.progressive.decisions import decide as decide_network
from pitstream.services.progressive.evolution import evolve as evolve_network
from pitstream.services.progressive.intake import command_of
from pitstream.services.progressive.intake import correction_of as asked_of_network
from pitstream.services.progressive.network import NotOpened, State
from pitstream.services.settlement.settling import InForce, resettle, settle_stream
from pitstream.services.wallet.books import Books
from pitstream.services.wallet.ledger import Fact, deposit, post

DEMO = Path(__file__).parents[3] / "demo"
SECOND_US = 1_000_000


@dataclass
class Floor:
    """What the four services would have stored, in the order of time. ``lists`` holds it by topic, key and sequence."""

    settlements_first: bool = False
    """Networks hear what was wagered after they have heard how the round ended: it comes by another topic."""
    voids_unheard: bool = False
    """Networks take every round for one that counts."""
    events: list[Stored] = field(default_factory=list)
    now_us: int = 1_774_900_000 * SECOND_US
    books: Books = field(default_factory=Books)
    networks: dict[str, State] = field(default_factory=dict)
    tables: dict[str, TableOpened] = field(default_factory=dict)
    rounds: dict[str, int] = field(default_factory=dict)
    closing: dict[str, bytes] = field(default_factory=dict)
    played: dict[tuple[str, int], FinishedRound] = field(default_factory=dict)
    _heads: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    _places: dict[tuple[str, str], int] = field(default_factory=dict)

    def add(self, stream: str, key: str, event: Event, cause: str, actor: str) -> Stored:
        """Append an event; the ledger and the networks hear of it at once."""
        version, previous = self._heads.get(stream, (0, b""))
        place = event.topic, key
        self.now_us += 1_000
        data = seal(
            event,
            stream=stream,
            version=version + 1,
            source=TOPIC_SOURCES[event.topic],
            key=key,
            key_sequence=self._places.get(place, 0) + 1,
            recorded_at_us=self.now_us,
            cause_id=cause,
            actor=actor,
            traceparent="",
            previous_hash=previous,
        )
        self._heads[stream] = version + 1, envelope_hash(data)
        self._places[place] = self._places.get(place, 0) + 1
        stored = stored_from(event.topic, data, f"{TOPIC_SOURCES[event.topic]}.events")
        self.events.append(stored)
        return stored

    def of(self, topic: str) -> list[Stored]:
        """One topic's events as a store hands them out: by key and sequence."""
        return sorted((one for one in self.events if one.topic == topic), key=lambda one: (one.key, one.sequence))

    def pay_in(self, player: str, currency: str, amount: int) -> None:
        events = deposit(self.books, player, currency, amount, ids.transfer_id(player, currency, "in"))
        assert not isinstance(events, Refusal)
        self._keep(events, "command", "cage")

    def open_network(self, network: str, currency: str, meters: dict[str, int]) -> None:
        openings = tuple(
            MeterOpening(
                meter=meter, seed=amount // 2, amount=amount, rate_numerator=1, rate_denominator=5,
                reserve_rate=Rate(numerator=1, denominator=30),
            )
            for meter, amount in meters.items()
        )  # fmt: skip
        self._network(network, OpenNetwork(network, currency, openings), "command", "n.weber")

    def open_table(self, table: str, played: FinishedRound, network: str | None) -> None:
        terms = None
        if network is not None:
            state: Any = self.networks[network]
            terms = NetworkTerms(currency=state.currency, meters=tuple(state.meters))
        decided = sessions.decide(
            sessions.Closed(),
            OpenTable(
                table=table, game=played.game, gaming_day=played.gaming_day, currency=played.currency,
                paytables=dict(played.paytables), policies=dict(played.options), network=network, network_terms=terms,
            ),
            bundled(),
        )  # fmt: skip
        assert not isinstance(decided, Refusal), decided
        for event in decided:
            self.add(ids.table_stream(table), table, event, "command", "d.okafor")
            if isinstance(event, TableOpened):
                self.tables[table] = event

    def play(self, table: str, round_id: str, played: FinishedRound) -> None:
        """One round, from its opening to what the ledger made of it."""
        number = self.rounds[table] = self.rounds.get(table, 0) + 1
        self.played[table, number] = played
        stream = ids.round_stream(table, number)
        stored: list[Stored] = []
        late: list[Stored] = []
        state: Round = NoRound()

        def does(command: Any, cause: str = "command", actor: str = "d.okafor") -> None:
            nonlocal state
            decided = referee.decide(state, command)
            assert not isinstance(decided, Refusal), (decided, command)
            for event in decided:
                one = self.add(stream, table, event, cause, actor)
                stored.append(one)
                state = evolve(state, event)
                if isinstance(event, WagersPlaced):
                    for answer in self._hears(one):
                        held = isinstance(answer, FundsHeld)
                        if held:
                            does(AnswerHold(seat=event.seat, bundle=event.bundle, held=True))
                if isinstance(event, BettingClosed):
                    late.append(one)
                    if not self.settlements_first:
                        self._feeds(late.pop())

        does(
            OpenRound(
                table=self.tables[table], round_no=number, round_id=round_id, options={},
                previous_round_hash=self.closing.get(table, b""), rules_version=RULES_VERSION,
                evaluator=fingerprint(),
            )
        )  # fmt: skip
        for group in script_of(played).groups:
            for step in group:
                does(_command(step))
        assert isinstance(state, Finished | Voided)
        self.closing[table] = stored[-1].hash
        self._settles([one.opened() for one in stored], table, number)
        for one in late:
            self._feeds(one)

    def _settles(self, stream: Sequence[Recorded], table: str, number: int) -> None:
        settled, last = settle_stream(stream), stream[-1].envelope
        one = self.add(ids.settlement_stream(table, number), table, settled, last.event_id, last.actor)
        self._hears(one)
        self._feeds(one)

    def _feeds(self, stored: Stored) -> None:
        event = stored.opened().event
        command = command_of(event)
        if isinstance(command, CloseRound) and self.voids_unheard:
            command = replace(command, void=False)
        if command is not None:
            self._network(command.network, command, stored.event_id, stored.opened().envelope.actor)
        if isinstance(event, RoundSettled):
            from pitstream.events.prizes import pending_prizes

            for prize in pending_prizes(event):
                stream = ids.prize_stream(event.table, event.round_no)
                self._hears(self.add(stream, event.table, prize, stored.event_id, stored.opened().envelope.actor))

    def correct(self, table: str, number: int, wrong: FinishedRound, becomes: FinishedRound, facts: Any) -> None:
        """Two people correct a round; it is settled, fed and posted anew."""
        stream = [one.opened() for one in self.of("rounds.v1") if one.stream == ids.round_stream(table, number)]
        opened: Any = stream[0].event
        corrected = correction_of(
            opened, becomes, number=1, facts=facts, reason="camera 4", proposed_by="f.one", confirmed_by="a.two",
            dispute=None,
        )  # fmt: skip
        one = self.add(f"correction/{table}/{number}", table, corrected, "command", "a.two")
        settlement = ids.settlement_stream(table, number)
        before = [each.opened() for each in self.of("settlements.v1") if each.stream == settlement]
        resettled = resettle(corrected, one.event_id, InForce.of(before))
        told = self.add(settlement, table, resettled, one.event_id, "a.two")
        self._hears(told)
        if resettled.network is not None:
            state: Any = self.networks[resettled.network]
            command = asked_of_network(resettled, state.rates, ())
            assert command is not None
            self._network(resettled.network, command, told.event_id, "a.two")

    def pay_hits(self) -> None:
        """Every locked hit is verified and approved by two people."""
        for name, state in list(self.networks.items()):
            for claim in list(getattr(state, "hits", {})):
                self._network(name, VerifyHit(name, claim, ("hand", "light"), "a.ruiz"), "command", "a.ruiz")
                self._network(name, ApproveHit(name, claim, "W2G-1", "b.chen"), "command", "b.chen")

    def _network(self, name: str, command: Any, cause: str, actor: str) -> None:
        state = self.networks.get(name, NotOpened())
        decided = decide_network(state, command)
        assert not isinstance(decided, Refusal), decided
        for event in decided:
            state = evolve_network(state, event)
            self._hears(self.add(ids.progressive_stream(name), name, event, cause, actor))
        self.networks[name] = state

    def _hears(self, stored: Stored) -> list[Event]:
        recorded = stored.opened()
        if not isinstance(recorded.event, Fact):
            return []
        return self._keep(post(self.books, recorded.event), stored.event_id, recorded.envelope.actor)

    def _keep(self, events: Sequence[Event], cause: str, actor: str) -> list[Event]:
        for event in events:
            account: str = event.account  # type: ignore[attr-defined]
            self.add(ids.account_stream(account), account, event, cause, actor)
        return list(events)


def _command(step: Step) -> Any:
    body = dict(step.body)
    match step.path:
        case "wagers":
            return PlaceWagers(**body)
        case "deal":
            hands = tuple(DealtHand(seat=hand["seat"], cards=tuple(hand["cards"])) for hand in body["hands"])
            return DealHands(hands=hands, dealer=tuple(body["dealer"]))
        case "community":
            return RevealCommunity(cards=tuple(body["cards"]), burned=tuple(body.get("burned", ())))
        case "decisions":
            return AnswerDecision(**body)
        case "bonus":
            return DealBonus(cards=tuple(body["cards"]))
        case "forfeit":
            return ForfeitSeat(**body, floorperson="a.ruiz")
        case "void":
            return VoidRound(**body, floorperson="a.ruiz")
        case "finish":
            return FinishRound()
    raise AssertionError(step.path)


def evening(name: str = "evening-small", rounds: int = 60, tables: int = 99, *, floor: Floor | None = None) -> Floor:
    """The beginning of a demonstration's evening, at so many of its tables, played on ``floor`` or a new one."""
    floor = Floor() if floor is None else floor
    raws = [json.loads(line) for line in (DEMO / f"{name}.jsonl").read_text().splitlines()]
    of_game = {raw["game"]: raw["table"] for raw in reversed(raws)}
    seats = list(dict.fromkeys([*of_game.values(), *(raw["table"] for raw in raws)]))[:tables]
    for raw in [raw for raw in raws if raw["table"] in seats][:rounds]:
        line = json.dumps(raw)
        record = read_record(line.encode())
        played, table = record.round, raw["table"]
        network = played.game.replace("_", "-") if raw.get("meters") or "progressive" in played.paytables else None
        if network is not None and network not in floor.networks:
            floor.open_network(network, played.currency, raw.get("meters") or {"main": 1_000_000})
        if table not in floor.tables:
            floor.open_table(table, played, network)
        for seat in played.seats:
            if ids.player_account(seat.player, played.currency) not in floor.books.accounts:
                floor.pay_in(seat.player, played.currency, 10**9)
        floor.play(table, raw["id"], played)
    floor.pay_hits()
    return floor


class MemorySource:
    """Events in a list, as a source: in the order in which they stand there."""

    name = "memory"

    def __init__(self, events: Iterable[Stored]) -> None:
        self.all = list(events)

    async def events(
        self, topic: str, *, shard: Shard = WHOLE, keys: Collection[str] | None = None
    ) -> AsyncIterator[Stored]:
        for one in self.all:
            if one.topic == topic and shard.has(one.key) and (keys is None or one.key in keys):
                yield one

    async def stream(self, topic: str, key: str, stream: str) -> list[Stored]:
        found = [one for one in self.all if (one.topic, one.stream) == (topic, stream)]
        return sorted(found, key=lambda one: one.version)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


def by_topic(floor: Floor) -> list[Stored]:
    """Everything as the event stores hand it out."""
    return [one for topic in TOPICS for one in floor.of(topic)]
