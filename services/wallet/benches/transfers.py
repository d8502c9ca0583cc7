"""Transfers a second of the wallet's ledger beside the same rows written by a hand-tuned script, and on a hot account.

Both sides write to one PostgreSQL, into databases of the same schema with all its constraints, triggers and indexes,
batch by batch, each batch one durable transaction of the same facts. The wallet's side is what the service runs for a
polled batch: it decodes nothing, but locks, loads, decides, seals and hashes its events, writes, and checks. The
script's side has every row ready in memory, envelopes too, decides nothing and reads nothing: per batch one COPY into
each of accounts, events, outbox, transfers, holds, postings and closed rounds, one UPDATE of the resolved holds and one
upsert of the keys' heads; balances are moved by the schema's own triggers on both sides.

    python services/wallet/benches/transfers.py [--rounds 4000]

PITSTREAM_POSTGRES takes another server than the embedded one. Sides take turns, and the best turn of each counts: by
the clock, and by the processor time of client and server together, which a busy machine disturbs less.
"""
# ruff: noqa: T201, S311 -- this program's output is what it prints, and its evenings must be the same each time

import argparse
import asyncio
import os
import platform
import random
import time
import uuid
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from importlib.resources import files

import asyncpg
import psutil

from pitstream.events import Event, Recorded, ids, open_envelope, seal
from pitstream.events.rounds import Stake, WagersPlaced
from pitstream.events.settlements import Line, RoundSettled, SeatSettlement
from pitstream.runtime import Cause, Store
from pitstream.runtime.memory import collect_rarely
from pitstream.services.wallet import store as ledger_store
from pitstream.services.wallet.handlers import post_facts
from pitstream.services.wallet.ledger import deposit
from pitstream.stack import embedded

TABLES, SEATS = 24, 6
FACTS_A_BATCH = 500
ROUNDS_A_STRETCH = 250
TURNS = 3
WRITERS = 4
ANTE = 1_000


def player_of(table: int, seat: int) -> str:
    return f"p{table:02}{seat}"


def evening(
    rounds: int, dice: random.Random, *, hot: bool = False, tables: Sequence[int] = range(TABLES)
) -> list[Event]:
    """Rounds at all tables in turn, their bets before their results. ``hot``: one player sits on seat 1 everywhere."""
    told: list[Event] = []
    for number in range(rounds):
        table, round_no = f"t{tables[number % len(tables)]:02}", number // len(tables) + 1
        seats = []
        for seat in range(1, SEATS + 1):
            player = "everywhere" if hot and seat == 1 else player_of(tables[number % len(tables)], seat)
            plays = dice.random() < 0.6
            first = tuple(Stake(wager=wager, stake=ANTE) for wager in ("ante", "blind", "trips"))
            bundles = [first, (Stake(wager="play", stake=4 * ANTE),)][: 1 + plays]
            told += [
                WagersPlaced(
                    table=table,
                    round_no=round_no,
                    seat=seat,
                    player=player,
                    bundle=place,
                    currency="USD",
                    stakes=stakes,
                )
                for place, stakes in enumerate(bundles, start=1)
            ]
            lines = tuple(_line(stake, dice) for stakes in bundles for stake in stakes)
            seats.append(SeatSettlement(seat=seat, player=player, lines=lines))
        told.append(
            RoundSettled(
                table=table,
                round_no=round_no,
                round_id=f"{table}-{round_no}",
                game="ultimate_texas_holdem",
                gaming_day="2026-01-02",
                currency="USD",
                void=False,
                seats=tuple(seats),
                order=tuple(range(SEATS, 0, -1)),
                rules_version="1",
                closed_by="",
            )
        )
    return told


def _line(stake: Stake, dice: random.Random) -> Line:
    outcome = dice.choices(["lose", "push", "win"], [5, 2, 4])[0]
    back = {"lose": (0, 0), "push": (stake.stake, 0), "win": (stake.stake, stake.stake)}[outcome]
    return Line.model_validate(
        {**stake.model_dump(), "outcome": outcome, "returned": back[0], "won": back[1], "rule": "653a.11(h)"}
    )


def heard(told: Sequence[Event]) -> list[Recorded]:
    """The facts as their services stored them. Streams and hashes are of no account here: the inbox is not measured."""
    recorded = []
    for number, event in enumerate(told, start=1):
        sources = {"rounds.v1": "table", "settlements.v1": "settlement"}
        envelope = seal(
            event,
            stream=f"bench/{number}",
            version=1,
            source=sources[event.topic],
            key=str(number),
            key_sequence=1,
            recorded_at_us=1_700_000_000_000_000,
            cause_id="c",
            actor="bench",
            traceparent="",
            previous_hash=b"",
        )
        recorded.append(open_envelope(envelope))
    return recorded


def batches_of(facts: list[Recorded]) -> list[list[Recorded]]:
    """As the two topics are polled: the bets of some rounds, then those rounds' results, 500 records at most."""
    batches: list[list[Recorded]] = []
    ends = [place for place, fact in enumerate(facts, start=1) if isinstance(fact.event, RoundSettled)]
    starts = [0, *ends[ROUNDS_A_STRETCH - 1 :: ROUNDS_A_STRETCH]]
    for start, end in zip(starts, [*starts[1:], len(facts)], strict=True):
        stretch = facts[start:end]
        for topic in ("rounds.v1", "settlements.v1"):
            told = [fact for fact in stretch if fact.event.topic == topic]
            batches += [told[place : place + FACTS_A_BATCH] for place in range(0, len(told), FACTS_A_BATCH)]
    return batches


@asynccontextmanager
async def fresh_ledger(postgres: str, players: set[str]) -> AsyncIterator[Store]:
    """A wallet in a database of its own, each player with more than it can lose."""
    name = f"bench_{uuid.uuid4().hex[:12]}"
    admin = await asyncpg.connect(postgres)
    await admin.execute(f"CREATE DATABASE {name}")
    address = f"{postgres.rpartition('/')[0]}/{name}"
    migrations = files("pitstream.services.wallet") / "migrations"
    try:
        async with Store.open(address, service="wallet", migrations=migrations) as store:
            await store.run(lambda tx: _fund(tx, players))
            yield store
    finally:
        await _drop(admin, name)
        await admin.close()


async def _drop(admin: asyncpg.Connection, name: str) -> None:
    while True:
        try:
            await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
        except asyncpg.InsufficientPrivilegeError:
            # The server's own vacuum is at work there, which nobody but a superuser may end.
            await asyncio.sleep(0.5)
        else:
            return


async def _fund(tx, players: set[str]) -> None:  # type: ignore[no-untyped-def]
    accounts = {ids.player_account(player, "USD") for player in players}
    books = await ledger_store.load_for_command(tx, accounts)
    events = [
        event
        for player in sorted(players)
        for event in deposit(books, player, "USD", 10**12, ids.transfer_id("bench", player))
        if isinstance(event, Event)
    ]
    await ledger_store.write(tx, books, [ledger_store.Answer(Cause.of_command("bench", "bench"), events)])


@dataclass(frozen=True)
class Turn:
    """What one side wrote in one turn: by the clock, and in processor time of this process and the server."""

    transfers: int
    seconds: float
    cpu: float

    @property
    def rate(self) -> float:
        return self.transfers / self.seconds


class Watch:
    """Times what runs in its blocks. Processor time counts the store's connections, where the server runs here."""

    def __init__(self, pids: list[int]) -> None:
        self.pids = pids
        self.seconds = self.cpu = 0.0

    @classmethod
    async def of(cls, store: Store) -> "Watch":
        rows = await store.pool.fetch("SELECT pid FROM pg_stat_activity WHERE datname = current_database()")
        return cls([row["pid"] for row in rows])

    @contextmanager
    def running(self) -> Iterator[None]:
        started, cpu = time.perf_counter(), self._cpu()
        yield
        self.seconds += time.perf_counter() - started
        self.cpu += self._cpu() - cpu

    def _cpu(self) -> float:
        spent = time.process_time()
        for pid in self.pids:
            with suppress(psutil.NoSuchProcess):
                times = psutil.Process(pid).cpu_times()
                spent += times.user + times.system
        return spent


async def _transfers(store: Store) -> int:
    return int(await store.pool.fetchval("SELECT count(*) FROM transfers"))


async def wallet_turn(postgres: str, facts: list[Recorded], players: set[str]) -> tuple[Turn, list["Rows"]]:
    """The wallet's side; and every row that it wrote, batch by batch, for the script's side."""
    async with fresh_ledger(postgres, players) as store:
        before, marks, watch = await _transfers(store), [await Mark.now(store)], await Watch.of(store)
        for batch in batches_of(facts):
            with watch.running():
                await store.run(lambda tx, batch=batch: post_facts(tx, batch))
            marks.append(await Mark.now(store))
        turn = Turn(await _transfers(store) - before, watch.seconds, watch.cpu)
        rows = [
            await Rows.between(store, low, high, [recorded.event for recorded in batch])
            for low, high, batch in zip(marks, marks[1:], batches_of(facts), strict=False)
        ]
        return turn, rows


@dataclass(frozen=True)
class Mark:
    """How far the outbox, the transfers and the postings had come."""

    outbox: int
    transfers: int
    postings: int

    @classmethod
    async def now(cls, store: Store) -> "Mark":
        row = await store.pool.fetchrow(
            "SELECT (SELECT coalesce(max(position), 0) FROM outbox),"
            " (SELECT coalesce(max(position), 0) FROM transfers), (SELECT coalesce(max(position), 0) FROM postings)"
        )
        return cls(*row)


_EVENTS = "stream, version, key, key_sequence, event_id, type, recorded_at_us, hash, envelope"
_TRANSFERS = "transfer_id, debit, credit, currency, amount, code, stream, version"
_POSTINGS = "account, table_id, round_no, seat, net"
_HOLDS = "hold_id, account, table_id, round_no, seat, bundle, amount"
_ACCOUNTS = "account, kind, currency, scale"


@dataclass(frozen=True)
class Rows:
    """Every row that one batch wrote."""

    accounts: list[asyncpg.Record]
    events: list[asyncpg.Record]
    outbox: list[tuple[str, str, int]]
    transfers: list[asyncpg.Record]
    holds: list[asyncpg.Record]
    resolved: list[str]
    postings: list[asyncpg.Record]
    closed: list[tuple[str, int]]
    heads: dict[str, int]

    @classmethod
    async def between(cls, store: Store, low: Mark, high: Mark, facts: list[Event]) -> "Rows":
        fetch = store.pool.fetch
        events = await fetch(
            f"SELECT {_EVENTS} FROM outbox JOIN events USING (stream, version)"  # noqa: S608  # constants
            " WHERE position > $1 AND position <= $2 ORDER BY position",
            low.outbox,
            high.outbox,
        )
        opened = [row["key"] for row in events if row["type"].endswith("AccountOpened")]
        bets = [fact for fact in facts if isinstance(fact, WagersPlaced)]
        ends = [(fact.table, fact.round_no) for fact in facts if isinstance(fact, RoundSettled)]
        return cls(
            accounts=await fetch(f"SELECT {_ACCOUNTS} FROM accounts WHERE account = ANY($1)", opened),  # noqa: S608
            events=events,
            outbox=[("wallet.v1", row["stream"], row["version"]) for row in events],
            transfers=await fetch(
                f"SELECT {_TRANSFERS} FROM transfers WHERE position > $1 AND position <= $2 ORDER BY position",  # noqa: S608
                low.transfers,
                high.transfers,
            ),
            holds=await fetch(
                f"SELECT {_HOLDS} FROM holds WHERE hold_id = ANY($1::uuid[])",  # noqa: S608
                [ids.hold_id(bet.table, bet.round_no, bet.seat, bet.bundle) for bet in bets],
            ),
            resolved=[
                row["hold_id"]
                for row in await fetch(
                    "SELECT hold_id FROM holds JOIN unnest($1::text[], $2::bigint[]) AS t (table_id, round_no)"
                    " USING (table_id, round_no)",
                    [table for table, _ in ends],
                    [number for _, number in ends],
                )
            ],
            postings=await fetch(
                f"SELECT {_POSTINGS} FROM postings WHERE position > $1 AND position <= $2 ORDER BY position",  # noqa: S608
                low.postings,
                high.postings,
            ),
            closed=ends,
            heads={row["key"]: row["key_sequence"] for row in events},
        )


_HEADS = """
INSERT INTO key_heads (key, last_sequence) SELECT * FROM unnest($1::text[], $2::bigint[])
ON CONFLICT ON CONSTRAINT key_heads_once DO UPDATE SET last_sequence = excluded.last_sequence
"""


async def script_turn(postgres: str, batches: list[Rows], players: set[str]) -> Turn:
    """The hand-tuned script: the same rows, in the same transactions."""
    async with fresh_ledger(postgres, players) as store, store.pool.acquire() as conn:
        before, watch = await _transfers(store), await Watch.of(store)
        for rows in batches:
            with watch.running():
                await _write(conn, rows)
        return Turn(await _transfers(store) - before, watch.seconds, watch.cpu)


async def _write(conn, rows: Rows) -> None:  # type: ignore[no-untyped-def]
    async with conn.transaction():
        await _copy(conn, "accounts", rows.accounts, _ACCOUNTS)
        await conn.execute(_HEADS, list(rows.heads), list(rows.heads.values()))
        await _copy(conn, "events", rows.events, _EVENTS)
        await _copy(conn, "outbox", rows.outbox, "topic, stream, version")
        await _copy(conn, "holds", rows.holds, _HOLDS)
        await conn.execute("UPDATE holds SET state = 'resolved' WHERE hold_id = ANY($1)", rows.resolved)
        await _copy(conn, "transfers", rows.transfers, _TRANSFERS)
        await _copy(conn, "postings", rows.postings, _POSTINGS)
        await _copy(conn, "closed_rounds", rows.closed, "table_id, round_no")


async def _copy(conn, table: str, rows, columns: str) -> None:  # type: ignore[no-untyped-def]
    if rows:
        await conn.copy_records_to_table(table, records=[tuple(row) for row in rows], columns=columns.split(", "))


async def crowd_turn(postgres: str, rounds: int, *, hot: bool) -> Turn:
    """Four writers, each with tables of its own; ``hot``: one player sits at all of them, and all wait for its row."""
    mine = [range(writer, TABLES, WRITERS) for writer in range(WRITERS)]
    queues = [
        batches_of(heard(evening(rounds // WRITERS, random.Random(writer), hot=hot, tables=list(tables))))
        for writer, tables in enumerate(mine)
    ]
    async with fresh_ledger(postgres, everybody() | {"everywhere"}) as store:
        before = await _transfers(store)

        async def writer(queue: list[list[Recorded]]) -> None:
            for batch in queue:
                await store.run(lambda tx, batch=batch: post_facts(tx, batch))

        watch = await Watch.of(store)
        with watch.running():
            await asyncio.gather(*(writer(queue) for queue in queues))
        return Turn(await _transfers(store) - before, watch.seconds, watch.cpu)


def everybody() -> set[str]:
    return {player_of(table, seat) for table in range(TABLES) for seat in range(1, SEATS + 1)}


async def bench(postgres: str, rounds: int) -> None:
    facts = heard(evening(rounds, random.Random(653)))
    players = everybody()
    ours, script = [], []
    for _ in range(TURNS):
        collect_rarely()  # as every service does at its start, here for both sides
        turn, rows = await wallet_turn(postgres, facts, players)
        ours.append(turn)
        collect_rarely()
        script.append(await script_turn(postgres, rows, players))
    best, best_script = max(turn.rate for turn in ours), max(turn.rate for turn in script)
    cpu, cpu_script = min(turn.cpu for turn in ours), min(turn.cpu for turn in script)
    if ours[0].transfers != script[0].transfers:
        raise RuntimeError(f"the wallet wrote {ours[0].transfers} transfers, the script {script[0].transfers}")
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    print(
        f"{rounds} rounds of {SEATS} seats at {TABLES} tables, {len(facts)} facts, {ours[0].transfers} transfers, in "
        f"batches of {FACTS_A_BATCH}; best of {TURNS} turns"
    )
    print(f"the wallet                  {best:9,.0f} transfers/s   {cpu:6.2f} s of processors")
    print(f"hand-tuned script           {best_script:9,.0f} transfers/s   {cpu_script:6.2f} s of processors")
    by_clock, by_processor = best / best_script, cpu_script / cpu
    print(f"ratio                       {by_clock:9.2f} by the clock   {by_processor:6.2f} by processor time")
    apart, hot = [await crowd_turn(postgres, rounds, hot=hot) for hot in (False, True)]
    print(f"{WRITERS} writers, none hot         {apart.rate:9,.0f} transfers/s")
    print(
        f"{WRITERS} writers, one account hot  {hot.rate:9,.0f} transfers/s   {hot.rate / apart.rate:6.2f} of none hot"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3_000)
    rounds = parser.parse_args().rounds
    given = os.environ.get("PITSTREAM_POSTGRES")
    if given:
        asyncio.run(bench(given, rounds))
    else:
        with embedded() as stack:
            asyncio.run(bench(stack.postgres, rounds))


if __name__ == "__main__":
    main()
