"""Stands where the tables and the settlement service would, for a network that no other test has."""

import uuid
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiokafka import AIOKafkaProducer

from pitstream.events import Event, Recorded, open_envelope, seal
from pitstream.events.ids import round_stream, settlement_stream
from pitstream.events.rounds import BettingClosed, WagerCount
from pitstream.events.settlements import Award, Line, RoundSettled, SeatSettlement, Share
from pitstream.services.progressive.app import build
from pitstream.services.progressive.config import ProgressiveSettings


@dataclass
class Floor:
    """Names are new in each test, since the topics are not."""

    producer: AIOKafkaProducer
    network: str
    tables: tuple[str, str]
    published: list[Recorded] = field(default_factory=list)
    _last: dict[tuple[str, str], int] = field(default_factory=dict)

    async def closes_betting(self, table: str, round_no: int, stakes: int) -> None:
        """The table service says how much stands on the progressive wager."""
        wagers = (WagerCount(wager="progressive", count=1, total=stakes),)
        event = BettingClosed(table=table, round_no=round_no, currency="USD", network=self.network, wagers=wagers)
        await self._publish("table", round_stream(table, round_no), table, event)

    async def settles(
        self, table: str, round_no: int, stakes: int, *shares: tuple[str, int], void: bool = False
    ) -> None:
        """The settlement service settles a round: one seat for each share, (meter, percent), or one that lost."""
        lines = [
            Line(
                wager="progressive",
                stake=stakes // len(shares),
                outcome="win",
                returned=0,
                won=0,
                rule="653a.11(k)",
                share=Share(meter=meter, percent=percent),
                paid_from="meter",
            )
            for meter, percent in shares
        ] or [
            Line(
                wager="progressive",
                stake=stakes,
                outcome="void" if void else "lose",
                returned=stakes if void else 0,
                won=0,
                rule="653a.11(k)",
            )
        ]
        seats = tuple(
            SeatSettlement(seat=number, player=f"p{number}", lines=(line,))
            for number, line in enumerate(lines, start=1)
        )
        event = RoundSettled(
            table=table,
            round_no=round_no,
            round_id=f"{table}-{round_no}",
            game="ultimate_texas_holdem",
            gaming_day="2025-06-14",
            currency="USD",
            void=void,
            seats=seats,
            order=tuple(seat.seat for seat in reversed(seats)),
            network=self.network,
            rules_version="1",
            closed_by="",
        )
        await self._publish("settlement", settlement_stream(table, round_no), table, event)

    async def settles_with_prizes(
        self, table: str, round_no: int, *, envied: int, envy: dict[int, int], won: dict[int, int]
    ) -> None:
        """A table without a network: seats are paid envy of one hand, and fixed prizes; seat -> amount."""
        prizes = {
            seat: Line(
                wager="five_card",
                stake=amount // 500,
                outcome="win",
                returned=0,
                won=amount,
                rule="653a.11(l)(3)",
                paid_from="game_account",
                awaits_validation=True,
            )
            for seat, amount in won.items()
        }
        lost = Line(wager="progressive", stake=1, outcome="lose", returned=0, won=0, rule="653a.11(k)")
        seats = tuple(
            SeatSettlement(
                seat=seat,
                player=f"p{seat}",
                lines=(prizes.get(seat, lost),),
                awards=(
                    (
                        Award(
                            award="envy",
                            amount=envy[seat],
                            for_seat=envied,
                            rule="653a.11(k)(5)",
                            awaits_validation=True,
                        ),
                    )
                    if seat in envy
                    else ()
                ),
            )
            for seat in sorted({*envy, *won})
        )
        event = RoundSettled(
            table=table,
            round_no=round_no,
            round_id=f"{table}-{round_no}",
            game="ultimate_texas_holdem",
            gaming_day="2025-06-14",
            currency="USD",
            void=False,
            seats=seats,
            order=tuple(seat.seat for seat in reversed(seats)),
            rules_version="2",
            closed_by="",
        )
        await self._publish("settlement", settlement_stream(table, round_no), table, event)

    async def delivers_everything_again(self) -> None:
        """Every event once more, byte for byte, as a producer does that never saw its acknowledgements."""
        for recorded in self.published:
            await self._send(recorded)

    async def _publish(self, source: str, stream: str, key: str, event: Event) -> None:
        sequence = self._last[source, key] = self._last.get((source, key), 0) + 1
        data = seal(
            event,
            stream=stream,
            version=1,
            source=source,
            key=key,
            key_sequence=sequence,
            recorded_at_us=1_750_000_000_000_000,
            cause_id="",
            actor="test",
            traceparent="",
            previous_hash=b"",
        )
        self.published.append(open_envelope(data))
        await self._send(self.published[-1])

    async def _send(self, recorded: Recorded) -> None:
        key = recorded.envelope.key.encode("ascii")
        await self.producer.send_and_wait(recorded.event.topic, recorded.data, key=key)


@pytest.fixture
def floor(producer: AIOKafkaProducer) -> Floor:
    """A network and two tables."""
    mark = uuid.uuid4().hex[:8]
    return Floor(producer, f"uth-{mark}", (f"t1-{mark}", f"t2-{mark}"))


@pytest.fixture
def progressive(serving: Callable[..., AbstractAsyncContextManager[Any]]) -> Callable[[], Any]:
    """Runs the service for the length of a block."""
    return lambda: serving(build, ProgressiveSettings)
