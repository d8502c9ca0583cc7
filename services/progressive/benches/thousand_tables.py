"""A network of many tables as fast as it goes: rounds' and settlements' events into the meters, on a real PostgreSQL.

The same rows, written by nothing but batched INSERTs into tables of the same shape, constraints and indexes on the same
server, are the measure: everything that the service does beyond writing is what the ratio tells.
"""

import asyncio
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.resources import files

import asyncpg

from pitstream.events import Recorded, open_envelope, seal
from pitstream.events.ids import progressive_stream, round_stream, settlement_stream
from pitstream.events.model import Event
from pitstream.events.progressives import MeterOpening, Rate
from pitstream.events.rounds import BettingClosed, WagerCount
from pitstream.events.settlements import Line, RoundSettled, SeatSettlement, Share
from pitstream.runtime import Cause, Store
from pitstream.services.progressive.commands import OpenNetwork
from pitstream.services.progressive.decisions import decide
from pitstream.services.progressive.evolution import evolve
from pitstream.services.progressive.handlers import feed_meters
from pitstream.services.progressive.network import Network, NotOpened, State
from pitstream.services.progressive.network_store import Writing, folded

NETWORK = "wide"
BATCH = 500
"""Records of one polled batch, and so of one transaction."""
METERS = (
    MeterOpening(
        meter="mega",
        seed=5_000_000,
        amount=5_000_000,
        rate_numerator=17,
        rate_denominator=400,
        reserve_rate=Rate(numerator=1, denominator=90),
        limit=6_000_000,
    ),
    MeterOpening(meter="minor", seed=10_000, amount=10_000, rate_numerator=1, rate_denominator=7),
)


@dataclass(frozen=True, slots=True)
class Figures:
    """What a run came to. ``bare_s``: the seconds that the same rows took alone."""

    tables: int
    wagers: int
    events: int
    seconds: float
    bare_s: float
    restart_ms: float

    def __str__(self) -> str:
        per_s = self.wagers / self.seconds
        return (
            f"network of {self.tables} tables: {self.wagers} wagers, {self.events} events in {self.seconds:.1f} s, "
            f"{per_s:.0f} wagers/s; the same rows alone {self.bare_s:.1f} s: ratio {self.bare_s / self.seconds:.2f}; "
            f"a new process has the network after {self.restart_ms:.0f} ms"
        )


def played(tables: int, wagers: int) -> Iterator[Recorded]:
    """One wager a round, round by round over all tables; some rounds void, some with a share won. Always the same."""
    last: dict[tuple[str, str], int] = {}
    for number in range(wagers):
        table, round_no = f"t{number % tables:04}", number // tables + 1
        stake = 100 + number % 37
        counted = BettingClosed(
            table=table,
            round_no=round_no,
            currency="USD",
            network=NETWORK,
            wagers=(WagerCount(wager="progressive", count=1, total=stake),),
        )
        yield _recorded("table", round_stream(table, round_no), table, counted, last)
        yield _recorded(
            "settlement", settlement_stream(table, round_no), table, _settled(number, table, round_no, stake), last
        )


def _settled(number: int, table: str, round_no: int, stake: int) -> RoundSettled:
    void = number % 101 == 100
    share = Share(meter="mega" if number % 2 else "minor", percent=100 if number % 4_999 == 0 else 10)
    wins = not void and number % 997 == 0
    line = Line(
        wager="progressive",
        stake=stake,
        outcome="void" if void else "win" if wins else "lose",
        returned=stake if void else 0,
        won=0,
        rule="653a.11(k)",
        share=share if wins else None,
        paid_from="meter" if wins else None,
    )
    return RoundSettled(
        table=table,
        round_no=round_no,
        round_id=f"{table}-{round_no}",
        game="ultimate_texas_holdem",
        gaming_day="2026-03-01",
        currency="USD",
        void=void,
        seats=(SeatSettlement(seat=1, player="p1", lines=(line,)),),
        order=(1,),
        network=NETWORK,
        rules_version="1",
        closed_by="",
    )


def _recorded(source: str, stream: str, key: str, event: Event, last: dict[tuple[str, str], int]) -> Recorded:
    sequence = last[source, key] = last.get((source, key), 0) + 1
    data = seal(
        event,
        stream=stream,
        version=1,
        source=source,
        key=key,
        key_sequence=sequence,
        recorded_at_us=1_750_000_000_000_000,
        cause_id="",
        actor="bench",
        traceparent="",
        previous_hash=b"",
    )
    return open_envelope(data)


def expected(wagers: int) -> dict[str, Fraction]:
    """What all wagers, those of void rounds left out, feed each meter at its rate."""
    taken = sum(100 + number % 37 for number in range(wagers) if number % 101 != 100)
    return {one.meter: Fraction(one.rate_numerator, one.rate_denominator) * taken for one in METERS}


async def open_network(store: Store) -> None:
    async with store.transaction() as tx:
        writing = await Writing.begin(tx, NETWORK)
        events = decide(writing.state, OpenNetwork(NETWORK, "USD", METERS))
        if not isinstance(events, list):
            raise TypeError(f"{events}")
        writing.append(events, Cause.of_command("open", "bench"))
        await writing.write()


async def feed(store: Store, records: Sequence[Recorded]) -> float:
    """Seconds that the service's own handler took for all records, in batches as they are polled."""
    began = time.perf_counter()
    for start in range(0, len(records), BATCH):
        batch = records[start : start + BATCH]
        await store.run(lambda tx, batch=batch: feed_meters(tx, batch))
    return time.perf_counter() - began


async def restart_ms(postgres: str) -> float:
    """How long a process that has never seen the network takes to have it, connections aside."""
    async with opened(postgres) as store, store.transaction() as tx:
        began = time.perf_counter()
        found = await folded(tx, NETWORK)
        took = time.perf_counter() - began
        if not isinstance(found.state, Network):
            raise TypeError("the network is not there")
        return took * 1_000


def opened(postgres: str):  # type: ignore[no-untyped-def]  # the store's own context manager
    return Store.open(
        postgres, service="progressive", migrations=files("pitstream.services.progressive") / "migrations"
    )


async def replayed(postgres: str) -> State:
    """The network folded from its events alone, from the first."""
    async with opened(postgres) as store, store.transaction() as tx:
        state: State = NotOpened()
        read = 0
        while events := await tx.load(progressive_stream(NETWORK), read, 5_000):
            for recorded in events:
                state = evolve(state, recorded.event)
            read = events[-1].version
        return state


async def bare_s(postgres: str) -> float:
    """Seconds that the rows alone take: the same rows in the same batches, into tables made like the real ones."""
    connection = await asyncpg.connect(postgres)
    try:
        await connection.execute("DROP SCHEMA IF EXISTS bare CASCADE; CREATE SCHEMA bare")
        found = []
        for table, order in (("events", "key_sequence"), ("meter_moves", "version")):
            await connection.execute(f"CREATE TABLE bare.{table} (LIKE progressive.{table} INCLUDING ALL)")
            rows = await connection.fetch(f"SELECT * FROM progressive.{table} ORDER BY {order}")  # noqa: S608
            types = await connection.fetch(
                "SELECT attname, atttypid::regtype::text AS type FROM pg_attribute"
                " WHERE attrelid = $1::regclass AND attnum > 0 ORDER BY attnum",
                f"progressive.{table}",
            )
            columns = ", ".join(f"${n}::{one['type']}[]" for n, one in enumerate(types, start=1))
            found.append((f"INSERT INTO bare.{table} SELECT * FROM unnest({columns})", rows))  # noqa: S608
        await connection.execute("CREATE TABLE bare.outbox (LIKE progressive.outbox INCLUDING ALL)")
        outbox = (
            "INSERT INTO bare.outbox (topic, stream, version)"
            " SELECT 'progressives.v1', * FROM unnest($1::text[], $2::bigint[])"
        )
        batches = max(1, len(found[0][1]) // BATCH)
        began = time.perf_counter()
        for batch in range(batches):
            async with connection.transaction():
                for insert, rows in found:
                    some = rows[batch * len(rows) // batches : (batch + 1) * len(rows) // batches]
                    if some:
                        await connection.execute(insert, *map(list, zip(*(row.values() for row in some), strict=True)))
                    if insert.startswith("INSERT INTO bare.events"):
                        await connection.execute(
                            outbox, [row["stream"] for row in some], [row["version"] for row in some]
                        )
        return time.perf_counter() - began
    finally:
        await connection.close()


async def run(postgres: str, tables: int, wagers: int) -> Figures:
    """Play it all on an empty database; what it came to."""
    records = list(played(tables, wagers))
    async with opened(postgres) as store:
        await open_network(store)
        seconds = await feed(store, records)
        events = await store.pool.fetchval("SELECT count(*) FROM events")
    return Figures(tables, wagers, events, seconds, await bare_s(postgres), await restart_ms(postgres))


async def _main(postgres: str) -> None:
    admin = await asyncpg.connect(postgres)
    await admin.execute("DROP DATABASE IF EXISTS bench_network WITH (FORCE)")
    await admin.execute("CREATE DATABASE bench_network")
    try:
        print(await run(f"{postgres.rpartition('/')[0]}/bench_network", 1_000, 100_000))  # noqa: T201
    finally:
        await admin.execute("DROP DATABASE bench_network WITH (FORCE)")
        await admin.close()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        asyncio.run(_main(sys.argv[1]))
    else:
        from pitstream.stack import embedded

        with embedded() as stack:
            asyncio.run(_main(stack.postgres))
