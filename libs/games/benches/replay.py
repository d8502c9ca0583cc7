"""Stored rounds replayed on one core: beside merely decoding the same bytes, and beside the `eventsourcing` library.

The rounds are those of the project's evenings, played by the referee and sealed as the table service seals them.

- *decoding*: the official Protobuf runtime parses each envelope and the event in it, and nothing is read from them.
- *replay*: the same bytes become the round's whole state, by the one definition of what each event means.
- *eventsourcing*: the same aggregate written with that library (`peer_round.py`), on the same PostgreSQL. Both sides
  load every round from there, and the states are compared before anything is timed. That library loads one aggregate
  after the other; a replay of ours asks for five hundred rounds at once, and for comparison also one by one.
- *flat*: what one round costs, chosen anywhere among 10,000 and more stored ones (`--stored`), in processor time and
  in pages that the server looks at.

    python libs/games/benches/replay.py [--stored 10000,1000000] [--turns 7]

PITSTREAM_POSTGRES takes another server than the embedded one. Sides take turns, and processor time counts: of this
process, and of the server's where PostgreSQL takes part, with the clock beside it. Each side's median turn counts
beside the library, elsewhere its best.
"""
# ruff: noqa: T201, S311 -- this program's output is what it prints, and it must choose the same each time

import argparse
import asyncio
import gc
import importlib.metadata
import json
import os
import platform
import random
import sys
import time
import uuid
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import unquote, urlsplit

import asyncpg
import psutil
from peer_round import Round, Rounds

from pitstream.evaluator import fingerprint
from pitstream.events import Envelope, Event, envelope_hash, open_envelope, seal
from pitstream.events.codec import PARSERS
from pitstream.games.round import evolve_all, evolve_stored
from pitstream.games.settlement import RULES_VERSION
from pitstream.runtime.store import Store
from pitstream.stack import embedded

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[2]
TARGET_OF_DECODING, TARGET_OF_PEER = 0.35, 10.0
CHOSEN, AT_A_TIME = 2000, 100
Stream = list[bytes]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--stored", default="", help="also the cost per round among so many stored: 10000,1000000")
    options.add_argument("--turns", type=int, default=7)
    chosen = options.parse_args()
    told()
    rounds = [sealed(events, f"r{number}") for number, events in enumerate(evenings())]
    decoding(rounds, chosen.turns)
    sizes = [int(size) for size in chosen.stored.split(",") if size]
    if address := os.environ.get("PITSTREAM_POSTGRES"):
        asyncio.run(beside_the_peer(address, rounds, chosen.turns, sizes))
    else:
        with embedded() as stack:
            asyncio.run(beside_the_peer(str(stack.postgres), rounds, chosen.turns, sizes))


def told() -> None:
    names = ("protobuf", "pydantic", "asyncpg", "eventsourcing", "psycopg")
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in names)
    model = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if "model name" in line
        ),
        platform.processor(),
    )
    print(f"{model}, {os.cpu_count()} cores; Python {platform.python_version()}, {versions}")
    print(f"other work on the machine: load average {os.getloadavg()[0]:.1f}")


def evenings() -> Iterator[list[Event]]:
    """The events of each of the project's rounds that was played to its end without a floorperson."""
    sys.path.insert(0, str(REPOSITORY / "libs/games/tests"))
    from round_play import play_record

    for name in ("evening-uth", "evening-small"):
        for line in (REPOSITORY / f"demo/{name}.jsonl").read_text().splitlines():
            record = json.loads(line)
            if "void" not in record and not any("forfeited" in seat for seat in record["seats"]):
                yield play_record(record).events


def sealed(events: Sequence[Event], name: str) -> Stream:
    """A round's events as the table service stores them, with all that an envelope holds."""
    made: Stream = []
    first = events[0].model_copy(
        update={"rules_version": RULES_VERSION, "evaluator": fingerprint(), "previous_round_hash": bytes(range(32))}
    )
    choices = tuple(choice.model_copy(update={"sha256": "9f" * 32}) for choice in first.paytables)  # type: ignore[attr-defined]
    first = first.model_copy(update={"paytables": choices})
    for version, event in enumerate([first, *events[1:]], start=1):
        made.append(
            seal(
                event,
                stream=f"round/{name}/1",
                version=version,
                source="table",
                key=name,
                key_sequence=version,
                recorded_at_us=1_746_230_400_000_000 + version * 350_000,
                cause_id=str(uuid.uuid5(uuid.NAMESPACE_URL, f"{name}/{version}")),
                actor="dealer-17",
                traceparent="00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                previous_hash=envelope_hash(made[-1]) if made else b"",
            )
        )
    return made


def decoding(rounds: list[Stream], turns: int) -> None:
    events = sum(map(len, rounds))
    print(
        f"\n{len(rounds):,} rounds, {events:,} events, {sum(len(d) for s in rounds for d in s) / events:.0f} bytes each"
    )

    def decode(some: list[Stream]) -> None:
        parse, parsers = Envelope.FromString, PARSERS
        for stream in some:
            for data in stream:
                envelope = parse(data)
                parsers[envelope.type](envelope.payload)

    def replay(some: list[Stream]) -> None:
        for stream in some:
            evolve_stored(stream)

    def twins(some: list[Stream]) -> None:
        for stream in some:
            evolve_all(open_envelope(data).event for data in stream)

    for stream in rounds:
        if evolve_stored(stream) != evolve_all(open_envelope(data).event for data in stream):
            raise AssertionError("the bytes and the twins do not make the same round")
    decoded, replayed, checked = best([decode, replay, twins], rounds, turns)
    for what, seconds in (
        ("decoding alone", decoded), ("replay", replayed), ("replay with every bound checked again", checked),
    ):  # fmt: skip
        print(f"{what:<40} {events / seconds:>11,.0f} events/s {len(rounds) / seconds:>9,.0f} hands/s")
    print(f"replay / decoding alone{'':<17} {decoded / replayed:>11.3f}   target {TARGET_OF_DECODING}")


def best(sides: Sequence[Callable[[list[Stream]], None]], rounds: list[Stream], turns: int) -> list[float]:
    """Each side's processor time for all rounds, seconds: the sum, over pieces of 50 rounds, of its shortest turn.

    Turns are short and alternate, so that other work on the machine meets all sides alike and spares some turns."""
    gc.collect()
    gc.freeze()
    totals = [0.0] * len(sides)
    for first in range(0, len(rounds), 50):
        some = rounds[first : first + 50]
        shortest = [float("inf")] * len(sides)
        for _ in range(turns):
            for place, side in enumerate(sides):
                began = time.process_time()
                side(some)
                shortest[place] = min(shortest[place], time.process_time() - began)
        totals = [total + seconds for total, seconds in zip(totals, shortest, strict=True)]
    return totals


@asynccontextmanager
async def database(postgres: str) -> AsyncIterator[str]:
    """A database with the table service's own schema, as long as the block lasts; its address."""
    name = f"bench_{uuid.uuid4().hex[:12]}"
    admin = await asyncpg.connect(postgres)
    await admin.execute(f"CREATE DATABASE {name}")
    address = f"{postgres.rpartition('/')[0]}/{name}"
    try:
        migrations = files("pitstream.services.table") / "migrations"
        async with Store.open(address, service="table", migrations=migrations):
            pass
        yield address
    finally:
        await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
        await admin.close()


async def beside_the_peer(postgres: str, rounds: list[Stream], turns: int, sizes: list[int]) -> None:
    async with database(postgres) as address:
        connection = await asyncpg.connect(address, server_settings={"search_path": '"table"'})
        try:
            await stored(connection, rounds)
            await loads(connection, address, rounds, turns)
        finally:
            await connection.close()
    if sizes:
        await flat(postgres, rounds, sizes, turns)


async def stored(connection: asyncpg.Connection, rounds: list[Stream]) -> None:
    rows = []
    for stream in rounds:
        for data in stream:
            e = Envelope.FromString(data)
            rows.append((e.stream, e.version, e.key, e.key_sequence, uuid.UUID(e.event_id), e.type, e.recorded_at_us,
                         envelope_hash(data), data))  # fmt: skip
    await connection.copy_records_to_table("events", records=rows)
    await connection.execute("ANALYZE events")


# One row with all events of a round: a row for each would cost a fifth more, on both ends.
_LOAD = "SELECT ARRAY(SELECT envelope FROM events WHERE stream = $1 ORDER BY version)"


async def load(connection: Any, stream: str) -> object:
    """One stored round, whole."""
    return evolve_stored(await connection.fetchval(_LOAD, stream))


_LOAD_MANY = """
SELECT ARRAY(SELECT envelope FROM events WHERE events.stream = wanted.stream ORDER BY version)
FROM unnest($1::text[]) WITH ORDINALITY AS wanted (stream, place) ORDER BY place
"""
AT_ONCE = 500


async def load_many(connection: Any, streams: Sequence[str]) -> None:
    """Stored rounds, whole, five hundred with one question, one state after the other."""
    for first in range(0, len(streams), AT_ONCE):
        for row in await connection.fetch(_LOAD_MANY, streams[first : first + AT_ONCE]):
            evolve_stored(row[0])


async def loads(connection: asyncpg.Connection, address: str, rounds: list[Stream], turns: int) -> None:
    """Both sides load every round from the same server. Processor time of client and server together is compared: a
    busy machine disturbs it less than the clock."""
    some = rounds[:: max(1, len(rounds) // 150)]
    events = sum(map(len, some))
    names = [Envelope.FromString(stream[0]).stream for stream in some]
    with closing(peer(address)) as theirs:
        peers = [saved(theirs, stream) for stream in some]
        for stream, peer_id in zip(some, peers, strict=True):
            same(evolve_stored(stream), theirs.repository.get(peer_id))
        rows = await connection.fetch("SELECT pid FROM pg_stat_activity WHERE datname = current_database()")
        servers = [row["pid"] for row in rows]
        sides = ("replay", "replay, one by one", "eventsourcing, one by one", "a question without an answer")
        took: dict[str, list[tuple[float, float]]] = {what: [] for what in sides}
        gc.collect()
        gc.freeze()
        for _ in range(max(3, turns)):
            for what in sides:
                # Each side runs for long enough to show where a server's times are told in hundredths of a second.
                again = 15 if what == "replay" else 2 if what.startswith("eventsourcing") else 5
                began, clock = processor_s(servers), time.perf_counter()
                for _ in range(again):
                    if what == "replay":
                        await load_many(connection, names)
                    elif what == "replay, one by one":
                        for name in names:
                            await load(connection, name)
                    elif what == "a question without an answer":
                        for _ in names:
                            await connection.fetchval(_LOAD, "")
                    else:
                        for peer_id in peers:
                            theirs.repository.get(peer_id)
                took[what].append(((processor_s(servers) - began) / again, (time.perf_counter() - clock) / again))
    print(f"\n{len(some)} rounds loaded from PostgreSQL, {events:,} events; median of {len(took['replay'])} turns")
    print(f"{'processor time of client and server':<40} {'µs a round':>10} {'by the clock':>13}")
    for what, every in took.items():
        seconds, clock = (median(each) for each in zip(*every, strict=True))
        rate = "" if what == sides[-1] else f"{events / seconds:>11,.0f} events/s {len(some) / seconds:>9,.0f} hands/s"
        print(f"{what:<40} {seconds / len(some) * 1e6:>10,.0f} {clock / len(some) * 1e6:>13,.0f} {rate}")
    _, _, theirs_each, _ = took.values()
    for what, of_ours in (("replay / eventsourcing", "replay"), ("one by one on both sides", "replay, one by one")):
        processor, clock = (
            median(theirs) / median(ours)
            for theirs, ours in zip(zip(*theirs_each, strict=True), zip(*took[of_ours], strict=True), strict=True)
        )
        target = f"   target {TARGET_OF_PEER:g}" if of_ours == "replay" else ""
        print(f"{what:<40} {processor:>10.1f} {clock:>13.1f}{target}")


def peer(address: str) -> Rounds:
    parts = urlsplit(address)
    return Rounds(
        {
            "PERSISTENCE_MODULE": "eventsourcing.postgres",
            "POSTGRES_DBNAME": parts.path.lstrip("/"),
            "POSTGRES_HOST": unquote(parts.hostname or "127.0.0.1"),
            "POSTGRES_PORT": str(parts.port or 5432),
            "POSTGRES_USER": unquote(parts.username or ""),
            "POSTGRES_PASSWORD": unquote(parts.password or ""),
            "POSTGRES_SCHEMA": "public",
        }
    )


def saved(theirs: Rounds, stream: Stream) -> uuid.UUID:
    """The same round as the peer's aggregate, stored by it."""
    first, *others = (open_envelope(data).event for data in stream)
    aggregate = Round(opened=first.model_dump(mode="json"))
    for event in others:
        fields = event.model_dump(mode="json")
        match type(event).__name__:
            case "WagersPlaced":
                stakes = [[stake["wager"], stake["stake"]] for stake in fields["stakes"]]
                aggregate.wagers_placed(**{**fields, "stakes": stakes})
            case "WagersStood":
                aggregate.wagers_stood(**fields)
            case "BettingClosed":
                aggregate.betting_closed(**{**fields, "wagers": [list(each.values()) for each in fields["wagers"]]})
            case "HandsDealt":
                aggregate.hands_dealt([[hand["seat"], hand["cards"]] for hand in fields["hands"]], fields["dealer"])
            case "DecisionMade":
                aggregate.decision_made(**fields)
            case "CommunityDealt":
                aggregate.community_dealt(**fields)
            case "BonusDealt":
                aggregate.bonus_dealt(**fields)
            case "RoundFinished":
                aggregate.round_finished(**fields)
            case other:
                raise AssertionError(f"no round here has a {other}")
    theirs.save(aggregate)
    return aggregate.id


def same(ours: Any, theirs: Any) -> None:
    """Both sides made the same round."""
    play = ours.play
    seats = {
        seat.seat: (seat.player, dict(seat.wagers), seat.stands, seat.bundles, list(seat.cards), list(seat.decisions))
        for seat in play.seats
    }
    of_theirs = {
        number: (s["player"], s["wagers"], s["stands"], s["bundles"], s["cards"], s["decisions"])
        for number, s in theirs.seats.items()
    }
    board = (list(play.dealer), list(play.community), list(play.burned), list(play.bonus))
    opened = play.opened.model_dump(mode="json")
    if (ours.stage, seats, board, opened) != (
        theirs.stage, of_theirs, (theirs.dealer, theirs.community, theirs.burned, theirs.bonus), theirs.opened,
    ):  # fmt: skip
        raise AssertionError(f"{opened['round_id']}: the two sides made different rounds")


# The copies have the envelopes of the rounds that they are made of: what a round costs does not hang on its name.
_MORE = """
INSERT INTO events (stream, version, key, key_sequence, event_id, type, recorded_at_us, hash, envelope)
SELECT e.stream || '-' || copy, e.version, e.key || '-' || copy, e.key_sequence, e.event_id, e.type, e.recorded_at_us,
       e.hash, e.envelope
FROM events AS e CROSS JOIN generate_series($1::bigint, $2::bigint) AS copy WHERE e.stream = ANY ($3)
"""


@dataclass(frozen=True)
class Size:
    """A database with so many rounds, and those of them that are loaded."""

    rounds: int
    events: int
    connection: asyncpg.Connection
    server: int
    chosen: list[str]


async def flat(postgres: str, rounds: list[Stream], sizes: Sequence[int], turns: int) -> None:
    """Load rounds chosen anywhere among few and among many. Each size has a database of its own, and they take turns in
    pieces of a hundred rounds: other work on the machine meets all of them alike, and spares some turns."""
    async with AsyncExitStack() as databases:
        every = [await filled(await databases.enter_async_context(database(postgres)), rounds, size) for size in sizes]
        shortest = {size.rounds: [float("inf")] * (CHOSEN // AT_A_TIME) for size in every}
        gc.collect()
        gc.freeze()
        for piece in range(CHOSEN // AT_A_TIME):
            some = slice(piece * AT_A_TIME, (piece + 1) * AT_A_TIME)
            for _ in range(max(3, turns)):
                for size in every:
                    began = processor_s([size.server])
                    for stream in size.chosen[some]:
                        await load(size.connection, stream)
                    took = processor_s([size.server]) - began
                    shortest[size.rounds][piece] = min(shortest[size.rounds][piece], took)
        print(f"\n{'rounds stored':>13} {'events':>11} {'pages a round':>14} {'µs a round':>11}")
        costs = []
        for size in every:
            costs.append(sum(shortest[size.rounds]) / CHOSEN * 1e6)
            pages = await pages_of(size)
            print(f"{size.rounds:>13,} {size.events:>11,} {pages:>14.1f} {costs[-1]:>11,.0f}")
        print(f"{'most / fewest':<40} {costs[-1] / costs[0]:>11.2f}")
        for size in every:
            await size.connection.close()


async def filled(address: str, rounds: list[Stream], size: int) -> Size:
    """Copies of the hundred shortest rounds, so that a million of them fit on a laptop."""
    connection = await asyncpg.connect(address, server_settings={"search_path": '"table"'})
    shortest = sorted(rounds, key=lambda stream: (len(stream), stream))[:100]
    await stored(connection, shortest)
    base = [Envelope.FromString(stream[0]).stream for stream in shortest]
    last = size // len(base)
    for first in range(1, last + 1, 200):
        await connection.execute(_MORE, first, min(first + 199, last), base)
    await connection.execute("VACUUM (ANALYZE) events")
    dice = random.Random(20_260_101)
    chosen = [f"{dice.choice(base)}-{dice.randint(1, last)}" for _ in range(CHOSEN)]
    events = await connection.fetchval("SELECT reltuples::bigint FROM pg_class WHERE oid = 'events'::regclass")
    server = await connection.fetchval("SELECT pg_backend_pid()")
    for stream in chosen:  # Once without being counted: every size finds its caches as they are in use.
        await load(connection, stream)
    return Size(last * len(base), events, connection, server, chosen)


async def pages_of(size: Size) -> float:
    """How many pages of 8 KiB, of index and table, the server looks at for a round: no other work changes that."""
    pages, some = 0, size.chosen[:200]
    for stream in some:
        told = await size.connection.fetchval(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {_LOAD}", stream)
        plan = json.loads(told)[0]["Plan"]
        pages += plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]
    return pages / len(some)


def processor_s(servers: Iterable[int]) -> float:
    """Processor time so far, of this process and of these of PostgreSQL, in seconds. Linux tells each process's to the
    nanosecond; elsewhere it is told in hundredths of a second."""
    total = time.process_time()
    for server in servers:
        told = Path(f"/proc/{server}/schedstat")
        if told.exists():
            total += int(told.read_text().split()[0]) / 1e9
        elif psutil.pid_exists(server):
            times = psutil.Process(server).cpu_times()
            total += times.user + times.system
    return total


if __name__ == "__main__":
    main()
