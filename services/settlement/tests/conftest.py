"""Round records played into the events that a table would have written."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest
from aiokafka import AIOKafkaProducer

from pitstream.evaluator import fingerprint
from pitstream.events import Event, Recorded, open_envelope, seal
from pitstream.events.ids import round_stream
from pitstream.events.rounds import (
    BettingClosed,
    BonusDealt,
    CommunityDealt,
    DecisionMade,
    Hand,
    HandsDealt,
    PaytableChoice,
    RoundFinished,
    RoundOpened,
    RoundVoided,
    SeatForfeited,
    Stake,
    WagerCount,
    WagersPlaced,
    WagersStood,
)
from pitstream.games import game_named
from pitstream.games.paytables import bundled
from pitstream.games.round import Asking, AwaitingCommunity, Finished, Round, Showdown, Voided, evolve, evolve_all
from pitstream.games.settlement import RULES_VERSION
from pitstream.services.settlement.app import build
from pitstream.services.settlement.config import SettlementSettings

Record = dict[str, Any]


def events_of(record: Record, round_no: int = 1, network: str | None = None) -> list[Event]:
    """The events of a table that played this round record.

    Forfeits come when the seat has no more answers or nothing is left to ask; a void round is void when it is played
    to its end, or as far as its cards and answers go.
    """
    events = _until_the_deal(record, round_no, network)
    state: Round = evolve_all(events)
    game = game_named(record["game"])
    seats = {seat["seat"]: seat for seat in record["seats"]}
    answers = {number: list(seat["decisions"]) for number, seat in seats.items()}
    community, burned = list(record["cards"]["community"]), list(record["cards"].get("burned", ()))
    voided = RoundVoided(
        table=record["table"], round_no=round_no, reason=record.get("void", ""), floorperson="f. person"
    )

    def happen(*more: Event) -> None:
        nonlocal state
        for event in more:
            state = evolve(state, event)
            events.append(event)

    while not isinstance(state, Finished | Voided):
        match state:
            case Asking(seat=number):
                if answers[number]:
                    choice = answers[number].pop(0)
                    happen(DecisionMade(seat=number, choice=choice))
                    if choice in game.play_multiple:
                        stake = game.play_multiple[choice] * seats[number]["wagers"]["ante"]
                        happen(
                            *_bundle(
                                record, round_no, seats[number], 2, (Stake(wager=game.play_wagers[0], stake=stake),)
                            )
                        )
                elif "forfeited" in seats[number]:
                    happen(SeatForfeited(seat=number, reason=seats[number]["forfeited"], floorperson="f. person"))
                else:
                    happen(voided)
            case AwaitingCommunity(street=street) if "void" not in record or len(community) >= street.community:
                shown = tuple(community.pop(0) for _ in range(street.community))
                happen(CommunityDealt(cards=shown, burned=tuple(burned.pop(0) for _ in range(street.burned) if burned)))
            case Showdown(play) if "void" not in record:
                for number, seat in seats.items():
                    live = play.seat(number)
                    if "forfeited" in seat and live is not None and live.forfeited is None:
                        happen(SeatForfeited(seat=number, reason=seat["forfeited"], floorperson="f. person"))
                if play.bonus_is_due:
                    happen(BonusDealt(cards=tuple(record["cards"]["bonus"])))
                happen(RoundFinished(table=record["table"], round_no=round_no))
            case _:
                happen(voided)
    return events


def _until_the_deal(record: Record, round_no: int, network: str | None) -> list[Event]:
    game = game_named(record["game"])
    table, currency = record["table"], record["currency"]
    events: list[Event] = [
        RoundOpened(
            table=table,
            round_no=round_no,
            round_id=record["id"],
            game=game.name,
            gaming_day=record["gaming_day"],
            currency=currency,
            paytables=tuple(
                PaytableChoice(
                    wager=wager,
                    paytable=name,
                    sha256=bundled().named(game.name, wager, name, record["gaming_day"]).sha256,
                )
                for wager, name in record["paytables"].items()
            ),
            options={name: _text(value) for name, value in record.get("options", {}).items()},
            network=network,
            rules_version=RULES_VERSION,
            evaluator=fingerprint(),
        )
    ]
    totals: dict[str, list[int]] = {}
    for seat in record["seats"]:
        stakes = tuple(Stake(wager=wager, stake=stake) for wager, stake in seat["wagers"].items())
        events += _bundle(record, round_no, seat, 1, stakes)
        for stake in stakes:
            totals.setdefault(stake.wager, []).append(stake.stake)
    counts = tuple(WagerCount(wager=wager, count=len(stakes), total=sum(stakes)) for wager, stakes in totals.items())
    hands = tuple(Hand(seat=seat["seat"], cards=tuple(seat["cards"])) for seat in record["seats"])
    return [
        *events,
        BettingClosed(table=table, round_no=round_no, currency=currency, network=network, wagers=counts),
        HandsDealt(hands=hands, dealer=tuple(record["cards"].get("dealer", ()))),
    ]


def _bundle(record: Record, round_no: int, seat: Record, bundle: int, stakes: tuple[Stake, ...]) -> list[Event]:
    placed = WagersPlaced(
        table=record["table"],
        round_no=round_no,
        seat=seat["seat"],
        player=seat["player"],
        bundle=bundle,
        currency=record["currency"],
        stakes=stakes,
    )
    return [placed, WagersStood(seat=seat["seat"], bundle=bundle)]


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def sealed(events: Sequence[Event], *, table: str, round_no: int, first_sequence: int = 1) -> list[Recorded]:
    """The events as a table's own store would hold them: one stream, chained, numbered within the table's key."""
    recorded: list[Recorded] = []
    for version, event in enumerate(events, start=1):
        data = seal(
            event,
            stream=round_stream(table, round_no),
            version=version,
            source="table",
            key=table,
            key_sequence=first_sequence + version - 1,
            recorded_at_us=1_750_000_000_000_000 + version,
            cause_id="",
            actor="test",
            traceparent="",
            previous_hash=recorded[-1].hash if recorded else b"",
        )
        recorded.append(open_envelope(data))
    return recorded


@pytest.fixture(name="events_of")
def _events_of() -> Callable[..., list[Event]]:
    return events_of


@pytest.fixture(name="sealed")
def _sealed() -> Callable[..., list[Recorded]]:
    return sealed


@pytest.fixture
def publish(producer: AIOKafkaProducer) -> Callable[[Sequence[Recorded]], Awaitable[None]]:
    """Writes a table's events to ``rounds.v1`` in order, as its relay would."""

    async def send(events: Sequence[Recorded]) -> None:
        for recorded in events:
            await producer.send("rounds.v1", recorded.data, key=recorded.envelope.key.encode("ascii"))
        await producer.flush()

    return send


@pytest.fixture
def settlement(serving: Callable[..., AbstractAsyncContextManager[Any]]) -> Callable[[], Any]:
    """Runs the service for the length of a block."""
    return lambda: serving(build, SettlementSettings)
