"""Five hundred tables of six seats into the read models, as fast as it goes, on a real PostgreSQL.

Every event that a round brings on all four topics goes through the service's own handlers, in batches as they are
polled; Kafka and the inbox are left out. ``python services/ops/benches/five_hundred_tables.py [rounds] [address]``.

Processor time tells what a feed costs on a machine that others use too.
"""

import asyncio
import platform
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.resources import files
from typing import Any

import asyncpg
import psutil

from pitstream.accounting.properties import read_properties
from pitstream.events import Recorded, ids, open_envelope, seal
from pitstream.events.envelope import envelope_hash
from pitstream.events.model import Event
from pitstream.events.progressives import (
    MeterContribution,
    MeterOpening,
    NetworkOpened,
    RoundClosed,
    WagersContributed,
)
from pitstream.events.rounds import (
    BettingClosed,
    CommunityDealt,
    DecisionMade,
    Hand,
    HandsDealt,
    PaytableChoice,
    RoundFinished,
    RoundOpened,
    Stake,
    TableOpened,
    WagersPlaced,
    WagersStood,
)
from pitstream.events.settlements import Line, RoundSettled, SeatSettlement
from pitstream.events.wallet import ContributionPosted, FundsHeld, SeatPosted, Transfer
from pitstream.runtime import Handler, Store, Transaction
from pitstream.services.ops.hearing import handlers
from pitstream.services.ops.projector import Projector

TABLES, SEATS, BATCH = 500, 6, 500
GAME, DAY, NETWORK = "ultimate_texas_holdem", "2026-03-01", "wide"
PAYTABLES = tuple(PaytableChoice(wager=wager, paytable="A", sha256="") for wager in ("ante", "blind", "play", "trips"))
HANDS = (("2c", "7d"), ("3c", "8d"), ("4c", "9d"), ("5c", "Td"), ("6c", "Jd"), ("Qc", "Kd"))
BOARD = ("2h", "7s", "Js", "Qs", "3h")


def opened_again(_topic: str, _key: str, data: bytes) -> Recorded:
    """The event as a reader has it."""
    return open_envelope(data)


@dataclass
class Topics:
    """Seals events as their services do: gapless in each key, chained in each stream. ``made``: what becomes of each,
    of its topic, its key and its bytes."""

    at_us: int = 1_772_400_000_000_000
    made: Callable[[str, str, bytes], Any] = opened_again
    sequences: dict[tuple[str, str], int] = field(default_factory=dict)
    heads: dict[str, tuple[int, bytes]] = field(default_factory=dict)

    def recorded(self, source: str, stream: str, key: str, event: Event) -> Any:
        """The next event of a stream, as ``made`` has it."""
        self.at_us += 250
        sequence = self.sequences[source, key] = self.sequences.get((source, key), 0) + 1
        version, before = self.heads.get(stream, (0, b""))
        data = seal(
            event, stream=stream, version=version + 1, source=source, key=key, key_sequence=sequence,
            recorded_at_us=self.at_us, cause_id="", actor="bench", traceparent="", previous_hash=before,
        )  # fmt: skip
        self.heads[stream] = (version + 1, envelope_hash(data))
        return self.made(event.topic, key, data)


def opened(topics: Topics) -> Iterator[Any]:
    """The network and its tables."""
    meter = MeterOpening(meter="main", seed=1_000_000, amount=1_000_000, rate_numerator=1, rate_denominator=5)
    network = NetworkOpened(network=NETWORK, currency="USD", meters=(meter,))
    yield topics.recorded("progressive", ids.progressive_stream(NETWORK), NETWORK, network)
    for number in range(TABLES):
        table = f"uth-{number:03}"
        event = TableOpened(
            table=table, game=GAME, gaming_day=DAY, currency="USD", paytables=PAYTABLES, network=NETWORK
        )
        yield topics.recorded("table", ids.table_stream(table), table, event)


def played(topics: Topics, table: str, round_no: int) -> Iterator[Any]:
    """One round of six seats that all bet four times their Ante, on all four topics."""
    stream = ids.round_stream(table, round_no)
    players = [f"p{int(table[-3:]) * SEATS + seat:04}" for seat in range(SEATS)]

    def at_table(event: Event) -> Any:
        return topics.recorded("table", stream, table, event)

    def in_ledger(account: str, event: Event) -> Any:
        return topics.recorded("wallet", ids.account_stream(account), account, event)

    yield at_table(
        RoundOpened(
            table=table, round_no=round_no, round_id=f"{table}-{round_no}", game=GAME, gaming_day=DAY, currency="USD",
            paytables=PAYTABLES, network=NETWORK, rules_version="1", evaluator="1",
        )
    )  # fmt: skip
    before = (Stake(wager="ante", stake=1000), Stake(wager="blind", stake=1000), Stake(wager="trips", stake=500))
    for bundle, stakes in ((1, before), (2, (Stake(wager="play", stake=4000),))):
        if bundle == 2:
            counts: tuple[()] = ()
            yield at_table(
                BettingClosed(table=table, round_no=round_no, currency="USD", network=NETWORK, wagers=counts)
            )
            hands = tuple(Hand(seat=seat, cards=HANDS[seat - 1]) for seat in range(1, SEATS + 1))
            yield at_table(HandsDealt(hands=hands, dealer=("Ac", "Kh")))
        for seat, player in enumerate(players, 1):
            if bundle == 2:
                yield at_table(DecisionMade(seat=seat, choice="4x"))
            yield at_table(
                WagersPlaced(
                    table=table, round_no=round_no, seat=seat, player=player, bundle=bundle, currency="USD",
                    stakes=stakes,
                )
            )  # fmt: skip
            account = ids.player_account(player, "USD")
            held = FundsHeld(
                account=account, hold_id=ids.hold_id(table, round_no, seat, bundle), table=table, round_no=round_no,
                seat=seat, bundle=bundle, amount=sum(one.stake for one in stakes),
            )  # fmt: skip
            yield in_ledger(account, held)
            yield at_table(WagersStood(seat=seat, bundle=bundle))
    yield at_table(CommunityDealt(cards=BOARD[:3]))
    yield at_table(CommunityDealt(cards=BOARD[3:]))
    yield at_table(RoundFinished(table=table, round_no=round_no))
    fed = MeterContribution(meter="main", posted=100, amount_after=1_000_000 + 100 * round_no, carry_numerator=0)
    yield topics.recorded(
        "progressive", ids.progressive_stream(NETWORK), NETWORK,
        WagersContributed(
            network=NETWORK, table=table, round_no=round_no, stakes=500, contributions=(fed,), currency="USD"
        ),
    )  # fmt: skip
    lines = tuple(
        Line(wager=wager, stake=stake, outcome="lose", returned=0, won=0, rule="653a.12")
        for wager, stake in (("ante", 1000), ("blind", 1000), ("play", 4000), ("trips", 500))
    )
    seats = tuple(SeatSettlement(seat=seat, player=player, lines=lines) for seat, player in enumerate(players, 1))
    yield topics.recorded(
        "settlement", ids.settlement_stream(table, round_no), table,
        RoundSettled(
            table=table, round_no=round_no, round_id=f"{table}-{round_no}", game=GAME, gaming_day=DAY, currency="USD",
            void=False, seats=seats, order=tuple(range(1, SEATS + 1)), network=NETWORK, rules_version="1", closed_by="",
        ),
    )  # fmt: skip
    closed = RoundClosed(network=NETWORK, table=table, round_no=round_no)
    yield topics.recorded("progressive", ids.progressive_stream(NETWORK), NETWORK, closed)
    meter = ids.meter_account(NETWORK, "main", "USD")

    def transfer(*what: str | int, debit: str, credit: str, amount: int) -> Transfer:
        name = ids.transfer_id(table, round_no, *what)
        return Transfer(transfer_id=name, debit=debit, credit=credit, amount=amount, code="ante")

    house = ids.table_account(table, "USD")
    yield in_ledger(
        meter,
        ContributionPosted(
            account=meter, network=NETWORK, meter="main", table=table, round_no=round_no,
            transfer=transfer("fed", debit=house, credit=meter, amount=100),
        ),
    )  # fmt: skip
    for seat, player in enumerate(players, 1):
        account = ids.player_account(player, "USD")
        moves = tuple(transfer(seat, line.wager, debit=account, credit=house, amount=line.stake) for line in lines)
        holds = tuple(ids.hold_id(table, round_no, seat, bundle) for bundle in (1, 2))
        yield in_ledger(
            account,
            SeatPosted(
                account=account, table=table, round_no=round_no, seat=seat, resolved_holds=holds, transfers=moves,
                balance_after=0,
            ),
        )  # fmt: skip


def by_topic(events: Sequence[Recorded]) -> dict[str, list[Recorded]]:
    """The events in the order of each topic."""
    found: dict[str, list[Recorded]] = {}
    for recorded in events:
        found.setdefault(recorded.event.topic, []).append(recorded)
    return found


async def hear(store: Store, topics: dict[str, list[Recorded]]) -> float:
    """Seconds that the service's handlers take, a topic beside the other as its consumers do."""
    heard = handlers(Projector(read_properties(None)))

    async def one(topic: str, events: list[Recorded]) -> None:
        for start in range(0, len(events), BATCH):
            batch = events[start : start + BATCH]
            await store.run(partial(_told, heard[topic], batch))

    began = time.perf_counter()
    await asyncio.gather(*(one(topic, events) for topic, events in topics.items()))
    return time.perf_counter() - began


async def _told(handler: Handler, batch: Sequence[Recorded], tx: Transaction) -> None:
    await handler(tx, batch)


async def database_s(store: Store) -> float:
    """Processor time that this database's backends have used so far, seconds."""
    rows = await store.pool.fetch("SELECT pid FROM pg_stat_activity WHERE datname = current_database()")
    times = [psutil.Process(row["pid"]).cpu_times() for row in rows if psutil.pid_exists(row["pid"])]
    return sum(one.user + one.system for one in times)


async def run(postgres: str, rounds: int) -> str:
    """Hear of so many rounds on an empty database; what it came to."""
    topics = Topics()
    begin = by_topic(list(opened(topics)))
    order = [(f"uth-{number % TABLES:03}", number // TABLES + 1) for number in range(rounds)]
    events = by_topic([recorded for table, round_no in order for recorded in played(topics, table, round_no)])
    many = sum(map(len, events.values()))
    migrations = files("pitstream.services.ops") / "migrations"
    async with Store.open(postgres, service="ops", migrations=migrations) as store:
        await hear(store, begin)
        ours, theirs = time.process_time(), await database_s(store)
        seconds = await hear(store, events)
        ours, theirs = time.process_time() - ours, await database_s(store) - theirs
        settled = await store.pool.fetchval("SELECT sum(rounds) FROM table_days")
        if settled != rounds:
            raise RuntimeError(f"rounds: was {settled}; {rounds} were played")
    here, there = ours / rounds * 1e3, theirs / rounds * 1e3
    return (
        f"ops room: {rounds} rounds of {SEATS} seats at {TABLES} tables, {many} events in {seconds:.1f} s: "
        f"{rounds / seconds:.0f} rounds/s, {many / seconds:.0f} events/s; processor time a round: {here:.1f} ms here, "
        f"{there:.1f} ms in PostgreSQL; Python {platform.python_version()}, {platform.machine()}"
    )


async def _main(rounds: int, postgres: str) -> None:
    admin = await asyncpg.connect(postgres)
    await admin.execute("DROP DATABASE IF EXISTS bench_ops WITH (FORCE)")
    await admin.execute("CREATE DATABASE bench_ops")
    try:
        print(await run(f"{postgres.rpartition('/')[0]}/bench_ops", rounds))  # noqa: T201
    finally:
        await admin.execute("DROP DATABASE bench_ops WITH (FORCE)")
        await admin.close()


if __name__ == "__main__":
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    if len(sys.argv) > 2:
        asyncio.run(_main(rounds, sys.argv[2]))
    else:
        from pitstream.stack import embedded

        with embedded() as stack:
            asyncio.run(_main(rounds, stack.postgres))
