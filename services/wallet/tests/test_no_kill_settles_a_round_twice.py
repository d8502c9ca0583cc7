"""Method: four processes of the wallet read one Kafka in one group, on one PostgreSQL. Every settlement is published
three times; while they work, one after the other is killed (SIGKILL) and started again."""

import asyncio
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator
from importlib.resources import files
from pathlib import Path

import pytest
from aiokafka import AIOKafkaConsumer, TopicPartition

from pitstream.cli.invariants import parse
from pitstream.events import Recorded, ids
from pitstream.runtime import Cause
from pitstream.runtime.inbox_store import all_checkpoints
from pitstream.services.wallet import store as ledger_store
from pitstream.services.wallet.ledger import deposit

pytestmark = pytest.mark.stack

CONSUMERS, DELIVERIES, TABLES, PLAYERS = 4, 3, 48, 24
BROUGHT, ANTE = 10**9, 100


class Crew:
    """The four processes, of which any may be killed at any time."""

    def __init__(self, kafka: str, database: str, log: Path) -> None:
        self.environ = {
            **os.environ,
            "PITSTREAM_KAFKA": kafka,
            "PITSTREAM_POSTGRES": database,
            "PITSTREAM_WALLET_PORT": "0",
        }
        self.log = log
        self.members = [self._started() for _ in range(CONSUMERS)]
        self.kills = 0

    def _started(self) -> subprocess.Popen[bytes]:
        with self.log.open("ab") as log:
            command = [sys.executable, "-m", "pitstream.services.wallet"]
            return subprocess.Popen(command, env=self.environ, stdout=log, stderr=log)

    def kill_one(self, place: int) -> None:
        self.members[place].kill()
        self.members[place].wait()
        self.members[place] = self._started()
        self.kills += 1

    def keep_running(self) -> None:
        """Start again who ended on its own, as whatever keeps services running does."""
        self.members = [member if member.poll() is None else self._started() for member in self.members]

    def dismiss(self) -> None:
        for member in self.members:
            member.kill()
        for member in self.members:
            member.wait()


@pytest.fixture
async def crew(kafka, database, store, empty_topics, tmp_path) -> AsyncIterator[Crew]:
    hired = Crew(kafka, database, tmp_path / "wallets.log")
    yield hired
    hired.dismiss()


async def bring(store) -> None:
    async def act(tx):
        books = await ledger_store.load_for_command(tx, {ids.player_account(f"p{n}", "USD") for n in range(PLAYERS)})
        events = []
        for n in range(PLAYERS):
            events += deposit(books, f"p{n}", "USD", BROUGHT, ids.transfer_id("brought", n))
        await ledger_store.write(tx, books, [ledger_store.Answer(Cause.of_command("c", "test"), events)])

    await store.run(act)


async def deliver(store, producer, crew: Crew, records: list[Recorded], dice: random.Random, kills: int) -> None:
    """Publish the records in stretches. In the middle of every stretch but the last one, when some of it was read and
    some was not, one of the four is killed. Returns once all records were read."""
    topic = records[0].event.topic
    first = await first_offsets(crew.environ["PITSTREAM_KAFKA"], topic)
    size = -(-len(records) // (kills + 1))
    for start in range(0, len(records), size):
        for recorded in records[start : start + size]:
            await producer.send(topic, recorded.data, key=recorded.envelope.key.encode("ascii"))
        await producer.flush()
        if start + size < len(records):
            await read(store, crew, topic, first, start + 1)
            crew.kill_one(dice.randrange(CONSUMERS))
    await read(store, crew, topic, first, len(records))


async def first_offsets(kafka: str, topic: str) -> dict[int, int]:
    """Where each partition begins: what other tests left there was deleted, its offsets are not used again."""
    async with AIOKafkaConsumer(bootstrap_servers=kafka) as consumer:
        begins = await consumer.beginning_offsets([TopicPartition(topic, partition) for partition in range(6)])
    return {place.partition: offset for place, offset in begins.items()}


async def read(store, crew: Crew, topic: str, first: dict[int, int], records: int) -> None:
    """Wait until so many records of the topic, counted from its first offsets, were read."""

    async def so_far() -> int:
        reached = await all_checkpoints(store, topic)
        return sum(max(0, reached.get(partition, 0) - offset) for partition, offset in first.items())

    until = asyncio.get_running_loop().time() + 240 + records / 500
    while (done := await so_far()) < records:
        if asyncio.get_running_loop().time() > until:
            pytest.fail(f"{topic}: {done} of {records} read; the log: {crew.log.read_text()[-3000:]}")
        crew.keep_running()
        await asyncio.sleep(0.02)


@pytest.mark.parametrize(
    ("rounds", "kills"),
    [pytest.param(800, 1, id="800 rounds"), pytest.param(100_000, 5, id="100,000 rounds", marks=pytest.mark.slow)],
)
async def test_each_round_is_settled_once_however_often_its_settlement_comes(store, crew, floor, say, rounds, kills):
    dice = random.Random(rounds)
    await bring(store)
    heard, nets = say.heard(), Counter()
    bets, ends = [], []
    for number in range(rounds):
        table, round_no, player = f"t{number % TABLES}", number // TABLES + 1, f"p{dice.randrange(PLAYERS)}"
        bets += heard(say.placed(1, player, table=table, round_no=round_no, ante=ANTE, blind=ANTE))
        won = dice.random() < 0.45
        lines = (say.won("ante", ANTE, ANTE) if won else say.lost("ante", ANTE), say.pushed("blind", ANTE))
        ends += heard(say.settled(say.seat(1, player, *lines), table=table, round_no=round_no))
        nets[player] += ANTE if won else -ANTE
    await deliver(store, floor.producer, crew, bets, dice, kills)
    assert await store.pool.fetchval("SELECT count(*) FROM holds WHERE state = 'held'") == rounds
    stretches = [ends[start : start + 400] for start in range(0, rounds, 400)]
    again = [recorded for stretch in stretches for recorded in stretch * DELIVERIES]
    await deliver(store, floor.producer, crew, again, dice, kills)
    assert crew.kills == 2 * kills
    posted = await store.pool.fetch("SELECT table_id, round_no, seat, count(*) FROM postings GROUP BY 1, 2, 3")
    assert (len(posted), {row["count"] for row in posted}) == (rounds, {1})
    players = [await ledger_store.account(store, f"player/p{n}/USD") for n in range(PLAYERS)]
    assert [player.balance - BROUGHT for player in players] == [nets[f"p{n}"] for n in range(PLAYERS)]
    told = await store.pool.fetch("SELECT type, count(*) FROM events GROUP BY type")
    counts = {row["type"].rpartition(".")[2]: row["count"] for row in told}
    assert (counts["FundsHeld"], counts["SeatPosted"]) == (rounds, rounds)
    assert await ledger_store.ledger_check(store) == {
        "ok": True,
        "currencies": [{"currency": "USD", "sum": 0}],
        "differing_accounts": [],
        "open_holds": 0,
        "transfers": rounds + PLAYERS,
    }
    assert await store.pool.fetchval("SELECT count(*) FROM dead_letters") == 0
    of_the_ledger = parse((files("pitstream.services.wallet") / "invariants.sql").read_text(), "invariants.sql")
    assert [one.name for one in of_the_ledger if await store.pool.fetch(one.sql)] == []
