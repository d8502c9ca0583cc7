"""The real Kafka and PostgreSQL. A test that only looks shares the run's stack; the others start their own."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiokafka
import asyncpg
import psutil
import pytest
from aiokafka.admin import AIOKafkaAdminClient, NewTopic

from pitstream.stack import Stack, StackError, down, embedded, status, up
from pitstream.stack.process import Started, free_ports

pytestmark = pytest.mark.stack


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    down(data_dir=tmp_path, purge=True)
    assert _processes(tmp_path) == []
    assert [p.name for p in tmp_path.iterdir() if p.name != "lock"] == []


@pytest.fixture
def shared(stack: Stack) -> Stack:
    """The run's own stack, which a test leaves as it was."""
    if stack.home is None:
        pytest.skip("the stack is given from outside, so none of ours runs")
    return stack


def _processes(home: Path) -> list[str]:
    """The brokers and servers of this stack that run, whatever its state file says."""
    mine = [str(home / "kafka"), "cluster_name=pitstream"]
    found = []
    for process in psutil.process_iter(["cmdline"]):
        argv = process.info["cmdline"] or []
        if any(a.startswith(mine[0]) for a in argv) or (mine[1] in argv and _port(home) in argv):
            found.append(" ".join(argv))
    return found


def _port(home: Path) -> str:
    state = home / "state.json"
    return f"port={json.loads(state.read_text())['postgres']['port']}" if state.exists() else "no port"


def _pids(stack: Stack) -> dict[str, int | None]:
    return {part.name: part.pid for part in stack.status().parts}


async def _make_topic(stack: Stack, topic: str, *, copies: int = 1) -> None:
    admin = AIOKafkaAdminClient(bootstrap_servers=stack.kafka)
    await admin.start()
    try:
        made = await admin.create_topics([NewTopic(topic, num_partitions=1, replication_factor=copies)])
        assert [(error[0], error[1]) for error in made.topic_errors] == [(topic, 0)]
    finally:
        await admin.close()


async def _send(stack: Stack, topic: str, value: bytes) -> None:
    producer = aiokafka.AIOKafkaProducer(bootstrap_servers=stack.kafka, acks="all", enable_idempotence=True)
    async with producer:
        await producer.send_and_wait(topic, value)


async def _read(stack: Stack, topic: str, count: int) -> list[bytes | None]:
    consumer = aiokafka.AIOKafkaConsumer(
        topic, bootstrap_servers=stack.kafka, group_id=f"read-{topic}-{count}", auto_offset_reset="earliest"
    )
    async with consumer:
        return [(await asyncio.wait_for(consumer.getone(), 30)).value for _ in range(count)]


async def _ask(stack: Stack, sql: str) -> object:
    connection = await asyncpg.connect(stack.postgres)
    try:
        return await connection.fetchval(sql)
    finally:
        await connection.close()


async def test_a_stack_keeps_what_it_was_given_from_one_up_to_the_next(home: Path) -> None:
    stack = up(data_dir=home, environ={})
    await _make_topic(stack, "rounds")
    await _send(stack, "rounds", b"first")
    await _ask(stack, "CREATE TABLE kept AS SELECT 7 AS n")
    addresses = (stack.kafka, stack.postgres)
    for setting in ("fsync", "synchronous_commit", "full_page_writes"):
        assert await _ask(stack, f"SHOW {setting}") == "on", setting

    assert down(data_dir=home) == ["kafka-1", "postgres"]
    assert _processes(home) == []
    assert status(data_dir=home, environ={}).state == "stopped"

    again = up(data_dir=home, environ={})
    assert (again.kafka, again.postgres) == addresses
    await _send(again, "rounds", b"second")
    assert await _read(again, "rounds", 2) == [b"first", b"second"]
    assert await _ask(again, "SELECT n FROM kept") == 7


async def test_postgres_lets_in_one_role_that_is_no_superuser(shared: Stack) -> None:
    for setting, value in [("fsync", "off"), ("max_connections", "200")]:  # tests wait for no disk
        assert await _ask(shared, f"SHOW {setting}") == value
    assert await _ask(shared, "SELECT rolsuper FROM pg_roles WHERE rolname = current_user") is False
    with pytest.raises(asyncpg.InvalidAuthorizationSpecificationError):
        await asyncpg.connect(shared.postgres.replace("//pitstream@", "//postgres@"))


def test_up_again_changes_nothing_and_mends_only_what_died(home: Path) -> None:
    stack = up(data_dir=home, environ={})
    first = _pids(stack)
    assert _pids(up(data_dir=home, environ={})) == first

    stack.kill_postgres()
    assert stack.status().state == "partly"
    assert _pids(stack) == {**first, "postgres": None}
    mended = _pids(up(data_dir=home, environ={}))
    assert mended["kafka-1"] == first["kafka-1"]
    assert mended["postgres"] not in (None, first["postgres"])


async def test_up_heals_after_broker_and_postmaster_were_killed_at_once(home: Path) -> None:
    stack = up(data_dir=home, environ={})
    await _make_topic(stack, "rounds")
    await _send(stack, "rounds", b"before")
    await _ask(stack, "CREATE TABLE kept AS SELECT 7 AS n")
    killed = [psutil.Process(pid) for pid in _pids(stack).values()]
    for process in killed:
        process.kill()
    psutil.wait_procs(killed, timeout=10)

    healed = up(data_dir=home, environ={})
    assert await _read(healed, "rounds", 1) == [b"before"]
    assert await _ask(healed, "SELECT n FROM kept") == 7


def test_a_damaged_state_file_strands_nothing(home: Path) -> None:
    up(data_dir=home, environ={})
    before = _processes(home)
    for damaged in ("", "{", '{"brokers": [], "postgres": 3}'):
        (home / "state.json").write_text(damaged)
        assert status(data_dir=home, environ={}).state == "stopped"

    stack = up(data_dir=home, environ={})
    assert stack.status().state == "running"
    assert len(_processes(home)) == len(before) == 2


def test_a_state_file_whose_process_ids_belong_to_others_by_now_touches_none_of_them(home: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as bystander:
        stack = up(data_dir=home, environ={})
        down(data_dir=home)
        state = json.loads((home / "state.json").read_text())
        taken = Started.of(psutil.Process(bystander.pid)).model_dump()
        state["brokers"][0]["process"] = state["postgres"]["process"] = taken
        (home / "state.json").write_text(json.dumps(state))

        assert stack.status().state == "stopped"
        assert down(data_dir=home) == []
        assert bystander.poll() is None
        bystander.kill()


def test_storage_that_a_killed_format_left_half_done_is_finished(home: Path) -> None:
    up(data_dir=home, environ={})
    down(data_dir=home)
    (home / "kafka" / "1" / "formatted").unlink()
    (home / "kafka" / "1" / "data" / "meta.properties").unlink()
    assert up(data_dir=home, environ={}).status().state == "running"


def test_what_does_not_fit_is_refused_by_name_and_value(shared: Stack, tmp_path: Path) -> None:
    home = shared.home
    port, other = shared.status().parts[0].address.split(":")[1], free_ports(1)[0]
    unfit: list[tuple[str, dict[str, Any]]] = [
        (r"^brokers: was 0; allowed: 1 or more$", {"brokers": 0}),
        (rf"^brokers: was 3; allowed: 1, for which {home} was made", {"brokers": 3}),
        (rf"^kafka_port: was {other}; allowed: {port}, which the running stack has$", {"kafka_port": other}),
        (rf"^postgres_port: was {other}; allowed: \d+, which the running stack has$", {"postgres_port": other}),
    ]
    for message, options in unfit:
        with pytest.raises(StackError, match=message):
            up(data_dir=home, environ={}, **options)
    with pytest.raises(StackError, match=rf"^kafka_port: was {port}; allowed: a free port"):
        up(data_dir=tmp_path, kafka_port=int(port), environ={})
    with pytest.raises(StackError, match=r"^node: was 2; allowed: 1\.\.1$"):
        shared.kill_broker(2)


def test_a_start_of_three_brokers_that_was_cut_short_is_still_one_of_three(home: Path) -> None:
    three = [{"node": node, "port": 20000 + node, "controller_port": 20010 + node} for node in (1, 2, 3)]
    (home / "state.json").write_text(json.dumps({"brokers": three, "postgres": {"port": 20020}}))
    (home / "kafka" / "1").mkdir(parents=True)
    (home / "kafka" / "1" / "formatted").touch()  # and the other two were not reached
    with pytest.raises(StackError, match=rf"^brokers: was 1; allowed: 3, for which {home} was made"):
        up(data_dir=home, brokers=1, environ={})


def test_given_addresses_are_used_and_nothing_is_started(home: Path) -> None:
    given = {"PITSTREAM_KAFKA": "kafka.example:9092", "PITSTREAM_POSTGRES": "postgresql://p@db.example/p"}
    stack = up(data_dir=home, environ=given)
    assert (stack.kafka, stack.postgres) == ("kafka.example:9092", "postgresql://p@db.example/p")
    assert stack.status().state == status(data_dir=home, environ=given).state == "external"
    assert stack.down() == []
    assert list(home.iterdir()) == []


@pytest.mark.parametrize(
    ("given", "missing"),
    [("PITSTREAM_KAFKA", "PITSTREAM_POSTGRES"), ("PITSTREAM_POSTGRES", "PITSTREAM_KAFKA")],
)
def test_one_given_address_without_the_other_is_refused(home: Path, given: str, missing: str) -> None:
    with pytest.raises(StackError, match=f"^{missing}: was not set; allowed: an address, as {given} is set too"):
        up(data_dir=home, environ={given: "somewhere"})


def test_the_command_says_what_runs_and_survives_its_own_end(home: Path) -> None:
    def stack(*args: str) -> subprocess.CompletedProcess[str]:
        argv = [sys.executable, "-m", "pitstream.stack", *args, "--data-dir", str(home), "--json"]
        return subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False)

    started = stack("up")
    assert started.returncode == 0, started.stderr
    assert json.loads(started.stdout)["state"] == "running"
    assert stack("status").stdout == started.stdout
    assert json.loads(stack("down").stdout) == {"stopped": ["kafka-1", "postgres"]}
    stopped = stack("status")
    assert (stopped.returncode, json.loads(stopped.stdout)["state"]) == (3, "stopped")
    refused = stack("up", "--brokers", "2")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.startswith("error: brokers: was 2; allowed: 1")


def test_a_stack_whose_test_run_was_killed_is_removed_by_the_next(tmp_path: Path) -> None:
    code = "with embedded() as s: print(s.home, flush=True); time.sleep(99)"
    code = f"import time; from pitstream.stack import embedded\n{code}"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout
        orphaned = Path(run.stdout.readline().strip())
        run.kill()
    assert len(_processes(orphaned)) == 2
    with embedded() as stack:
        assert stack.home
        assert stack.home != orphaned
        assert (_processes(orphaned), orphaned.exists()) == ([], False)
        home = stack.home
    assert (_processes(home), home.exists()) == ([], False)


async def test_three_brokers_serve_on_after_the_loss_of_one() -> None:
    with embedded(brokers=3) as stack:
        await _make_topic(stack, "rounds", copies=3)
        await _send(stack, "rounds", b"with three")
        stack.kill_broker(1)
        await _send(stack, "rounds", b"with two")
        assert await _read(stack, "rounds", 2) == [b"with three", b"with two"]
        stack.start_broker(1)
        await _send(stack, "rounds", b"with three again")
        assert await _read(stack, "rounds", 3) == [b"with three", b"with two", b"with three again"]
