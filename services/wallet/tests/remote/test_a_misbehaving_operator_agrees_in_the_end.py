"""An operator's wallet that misbehaves for a whole evening, while it and our wallet are killed in the middle.

Method: both are real processes; tables place bundles, wait for the wallet's word and settle what stands, through real
topics. One request in seven meets a fault by chance, of a seed (``PITSTREAM_TEST_SEED``). When all is played and the
operator behaves again, every move must end by itself or be listed, and both ledgers must agree to the cent, move by
move.
"""

import asyncio
import os
import random
import signal
import subprocess
import sys
import uuid
from collections import Counter
from contextlib import asynccontextmanager

import aiohttp
import asyncpg
import pytest
from aiokafka import AIOKafkaConsumer

from pitstream.cli.invariants import invariants_of
from pitstream.events import ids, open_envelope
from pitstream.events.wallet import FundsDeclined, FundsHeld

pytestmark = pytest.mark.stack

OPENING = 10_000_000
ANTE = 500


class Wallet:
    """``python -m pitstream.services.wallet`` on the test's own database; killed and started again at will."""

    def __init__(self, kafka, postgres, staff, port):
        self.url = f"http://127.0.0.1:{port}"
        self.staff = staff
        self.environment = {
            **os.environ,
            "PITSTREAM_KAFKA": kafka,
            "PITSTREAM_POSTGRES": postgres,
            "PITSTREAM_WALLET_PORT": str(port),
            "PITSTREAM_WALLET_LOG_LEVEL": "error",
        }
        self.process = None

    def start(self):
        self.process = subprocess.Popen([sys.executable, "-m", "pitstream.services.wallet"], env=self.environment)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    async def ask(self, method, path, body=None):
        headers = {"Idempotency-Key": str(uuid.uuid4()), **self.staff.headers()}
        async with (
            aiohttp.ClientSession() as session,
            session.request(method, self.url + path, json=body, headers=headers) as answer,
        ):
            return answer.status, await answer.json()

    async def ready(self):
        try:
            return (await self.ask("GET", "/health/ready"))[0] == 200
        except aiohttp.ClientError:
            return False


class Answers:
    """The wallet's word on each bundle, as tables hear it."""

    def __init__(self):
        self.heard = {}
        self.changed = asyncio.Event()

    async def listen(self, kafka):
        async with AIOKafkaConsumer("wallet.v1", bootstrap_servers=kafka, auto_offset_reset="earliest") as consumer:
            async for record in consumer:
                event = open_envelope(record.value).event
                if isinstance(event, FundsHeld | FundsDeclined):
                    self.heard.setdefault(event.hold_id, []).append(isinstance(event, FundsHeld))
                    self.changed.set()

    async def to(self, hold_id):
        while hold_id not in self.heard:
            self.changed.clear()
            await self.changed.wait()
        return self.heard[hold_id][0]


class Evening:
    """Tables that play rounds of two seats: an Ante, for some a Play Wager, a win, a push or a loss."""

    def __init__(self, floor, say, answers, seed, mark):
        self.floor, self.say, self.answers, self.mark = floor, say, answers, mark
        self.random = random.Random(seed)
        self.played = 0
        self.stood = Counter()

    def players(self, tables):
        return [f"acme:{self.mark}-{table}-{seat}" for table in range(tables) for seat in (1, 2)]

    async def table(self, number, rounds):
        for round_no in range(1, rounds + 1):
            await self.round(f"{self.mark}-{number}", number, round_no)
            self.played += 1

    async def round(self, table, number, round_no):
        say, seats = self.say, []
        for seat in (1, 2):
            lines = await self.seat(table, f"acme:{self.mark}-{number}-{seat}", seat, round_no)
            if lines:
                seats.append(say.seat(seat, f"acme:{self.mark}-{number}-{seat}", *lines))
        await self.floor.says(say.settled(*seats, table=table, round_no=round_no))

    async def seat(self, table, player, seat, round_no):
        say, lines = self.say, []
        for bundle, wager in ((1, "ante"), (2, "play")):
            placed = say.placed(seat, player, table=table, round_no=round_no, bundle=bundle, **{wager: ANTE * bundle})
            await self.floor.says(placed)
            held = await self.answers.to(ids.hold_id(table, round_no, seat, bundle))
            self.stood[held] += 1
            if held:
                outcome = self.random.choice((say.lost, say.pushed, lambda w, s: say.won(w, s, 2 * s)))
                lines.append(outcome(wager, ANTE * bundle))
            if not held or self.random.random() < 0.5:
                break
        return lines


@asynccontextmanager
async def background(work):
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@pytest.fixture
async def own_database(stack, drop_database):
    name = f"evening_{uuid.uuid4().hex}"
    admin = await asyncpg.connect(stack.postgres)
    await admin.execute(f"CREATE DATABASE {name}")
    await admin.close()
    yield f"{stack.postgres.rpartition('/')[0]}/{name}"
    await drop_database(name)


@pytest.mark.parametrize(
    ("rounds", "tables", "deaths"),
    [
        pytest.param(150, 30, 1, id="150 rounds"),
        pytest.param(10_000, 40, 12, id="10,000 rounds", marks=[pytest.mark.slow, pytest.mark.timeout(3600)]),
    ],
)
async def test_both_ledgers_agree_to_the_cent_after_recovery(
    rounds,
    tables,
    deaths,
    kafka,
    staff,
    own_database,
    empty_topics,
    new_operator,
    floor,
    say,
    remote,
    until,
    record_property,
):
    seed = int(os.environ.get("PITSTREAM_TEST_SEED", "7"))
    if deaths > 1:
        rounds = int(os.environ.get("PITSTREAM_TEST_ROUNDS", rounds)) // tables * tables
    record_property("seed", seed)
    operator = new_operator("--per-mille", "140", "--seed", str(seed))
    wallet = Wallet(kafka, own_database, staff, remote.free_port())
    answers = Answers()
    evening = Evening(floor, say, answers, seed, uuid.uuid4().hex[:8])
    for player in evening.players(tables):
        await operator.open_player(player, OPENING)
    wallet.start()
    try:
        await until(wallet.ready, wait_s=90)
        terms = remote.terms(operator, retry_ms=[50, 100, 200, 400])
        body = {name: getattr(terms, name) for name in terms.__slots__ if name != "operator"}
        assert (await wallet.ask("POST", "/v1/operators/acme/connect", body))[0] == 201
        async with background(answers.listen(kafka)), asyncio.TaskGroup() as group:
            for number in range(tables):
                group.create_task(evening.table(number, rounds // tables))
            for death in range(1, deaths + 1):

                async def far_enough(target=rounds * death // (deaths + 1)):
                    return evening.played >= target

                await until(far_enough, wait_s=1800)
                victim = operator if death % 3 == 2 else wallet
                victim.kill()
                await asyncio.sleep(0.3)
                victim.start()
                if deaths == 1:  # both, in the short evening
                    operator.kill()
                    await asyncio.to_thread(operator.start)
        await operator.behave()
        assert evening.played == rounds
        assert evening.stood[True] > evening.stood[False] > 0
        await agree(wallet, operator, own_database, until, evening.players(tables), rounds)
    finally:
        wallet.kill()
        operator.kill()


async def agree(wallet, operator, database, until, players, rounds):
    connection = await asyncpg.connect(database, server_settings={"search_path": "wallet"})

    async def settled_down():
        open_moves = await connection.fetchval("SELECT count(*) FROM remote_moves WHERE ended IS NULL")
        closed = await connection.fetchval("SELECT count(*) FROM closed_rounds")
        return open_moves == 0 and closed == rounds

    await until(settled_down, wait_s=120)
    # Requests that got lost on the way arrive now, and meet tombstones or their own first answers.
    await asyncio.sleep(2)

    async def total(prefix):
        return await connection.fetchval(
            "SELECT coalesce(sum(credits_posted - debits_posted), 0)::bigint FROM accounts"
            " WHERE account LIKE $1 || '%'",
            prefix,
        )

    assert (await wallet.ask("GET", "/v1/operators/acme/uncertain"))[1] == {"moves": [], "next": None}
    assert (await wallet.ask("GET", "/v1/ledger/check"))[1]["ok"]
    assert await total("suspense/") == 0
    assert await total("player/acme:") == 0
    changes = await operator.changes()
    assert await total("operator/acme/") == sum(changes.values())
    nets = await connection.fetch("SELECT account, sum(net)::bigint AS net FROM postings GROUP BY account")
    posted = Counter({row["account"].split("/")[1]: row["net"] for row in nets})
    assert {player: changes[player] for player in players} == {player: posted[player] for player in players}
    statement = await operator.statement()
    given_back = {row["reference"] for row in statement if row["kind"] == "rollback"}
    theirs = {
        (row["kind"], row["transaction_id"], int(row["amount"]))
        for row in statement
        if row["kind"] != "rollback" and row["transaction_id"] not in given_back
    }
    ours = {
        (row["verb"], str(row["transaction_id"]), row["amount"])
        for row in await connection.fetch(
            "SELECT verb, transaction_id, amount FROM remote_moves WHERE ended IN ('taken', 'paid')"
        )
    }
    assert theirs == ours
    undone = await connection.fetchval("SELECT count(*) FROM remote_moves WHERE ended = 'undone'")
    assert undone > rounds // 10, "an evening without faults proves nothing"
    for invariant in invariants_of("wallet"):
        assert await connection.fetch(invariant.sql) == [], invariant.name
    await connection.close()
