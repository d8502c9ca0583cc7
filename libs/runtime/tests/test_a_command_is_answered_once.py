"""Method: a toy table over real HTTP and a real PostgreSQL; the same command comes again, changed, at once, or after
its answer was lost."""

import asyncio
import uuid
from importlib.resources import files
from typing import Any

import asyncpg
import pytest

from pitstream.events.refusal import Refusal
from pitstream.runtime import Cause, Outcome, Store, run_command
from pitstream.runtime.problem import problem

pytestmark = pytest.mark.stack


@pytest.fixture
async def http(toy: Any, kafka: str, postgres: str, served: Any) -> Any:
    async with served(toy.toy_table(kafka=kafka, postgres=postgres)) as (_, http):
        yield http


async def test_the_same_command_gets_the_same_answer_and_other_content_is_refused(http: Any) -> None:
    assert await http.post("/v1/tables/t1/close", {"reason": "a"}, "k1") == (201, {"version": 1})
    assert await http.post("/v1/tables/t1/close", {"reason": "a"}, "k1") == (201, {"version": 1})
    assert await http.post("/v1/tables/t1/close", {"reason": "b"}, "k1") == (
        409,
        problem(Refusal("command_id_reused", "Idempotency-Key", "was 'k1'; it came before with other content"), 409),
    )
    assert await http.post("/v1/tables/t1/close", {"reason": "b"}, "k2") == (201, {"version": 2})
    assert await http.post("/v1/tables/t2/close", {"reason": "b"}, "k1") == (201, {"version": 1})


async def test_a_refusal_is_an_answer_for_ever_too(http: Any) -> None:
    refused = (422, problem(Refusal("not_now", "reason", "was 'never'; allowed: any other"), 422))
    assert await http.post("/v1/tables/t1/close", {"reason": "never"}, "k1") == refused
    assert await http.post("/v1/tables/t1/close", {"reason": "never"}, "k1") == refused
    assert (await http.post("/v1/tables/t1/close", {"reason": "now"}, "k1"))[0] == 409


@pytest.mark.parametrize(
    ("command_id", "code"),
    [(None, "missing_command_id"), ("", "invalid_command_id"), ("x" * 201, "invalid_command_id")],
)
async def test_a_command_without_a_usable_id_is_not_begun(http: Any, command_id: str | None, code: str) -> None:
    status, body = await http.post("/v1/tables/t1/close", {"reason": "a"}, command_id)
    assert (status, body["code"], body["field"]) == (400, code, "Idempotency-Key")


async def test_every_fault_of_an_input_is_told_in_the_shape_of_a_refusal(http: Any) -> None:
    assert await http.post("/v1/tables/t1/close", {"reason": 7}, "k1") == (
        422,
        {
            **problem(Refusal("invalid_input", "reason", "was 7; Input should be a valid string"), 422),
            "faults": [{"field": "reason", "message": "was 7; Input should be a valid string"}],
        },
    )


async def test_twenty_posts_of_one_command_at_once_have_one_effect(http: Any) -> None:
    answers = await asyncio.gather(*(http.post("/v1/tables/t1/close", {"reason": "a"}, "k1") for _ in range(20)))
    assert answers == [(201, {"version": 1})] * 20
    assert await http.post("/v1/tables/t1/close", {"reason": "a"}, "k2") == (201, {"version": 2})


async def test_health_says_what_it_waits_for(http: Any) -> None:
    assert await http.get("/health/live") == (200, {"status": "live"})
    assert await http.get("/health/ready") == (200, {"status": "ready", "waiting_for": []})


async def test_a_commit_whose_reply_is_lost_is_not_done_twice(toy: Any, table: Store) -> None:
    """The connection dies between the server's commit and our hearing of it: what was committed is found again."""
    runs = 0

    async def act(tx: Any) -> Outcome:
        nonlocal runs
        runs += 1
        await toy.close_table(tx, "t1", ["a"], Cause.of_command("k1", "test"))
        await tx.flush()
        await tx.conn.execute("UPDATE commands SET status = 201, body = '{\"version\":1}' WHERE command_id = 'k1'")
        # What the client library would do; then the reply "COMMIT" never arrives.
        await tx.conn.execute("COMMIT")
        raise ConnectionResetError("the reply was lost")

    outcome = await run_command(table, scope="s", command_id="k1", inputs={}, act=act, actor="test")
    assert (outcome, runs) == (Outcome(201, {"version": 1}), 1)
    assert await table.pool.fetchval("SELECT count(*) FROM events") == 1


async def test_a_command_survives_its_connection_being_killed(table: Store, postgres: str, toy: Any) -> None:
    killer = await asyncpg.connect(postgres)
    runs = 0

    async def act(tx: Any) -> Outcome:
        nonlocal runs
        runs += 1
        if runs == 1:
            await killer.execute("SELECT pg_terminate_backend($1)", tx.conn.get_server_pid())
        return Outcome(201, {"version": await toy.close_table(tx, "t1", ["a"], Cause.of_command("k1", "test"))})

    outcome = await run_command(table, scope="s", command_id="k1", inputs={}, act=act, actor="test")
    await killer.close()
    assert (outcome, runs) == (Outcome(201, {"version": 1}), 2)


async def test_a_command_that_breaks_leaves_its_id_unused(table: Store) -> None:
    async def breaks(_tx: Any) -> Outcome:
        raise ZeroDivisionError

    async def works(_tx: Any) -> Outcome:
        return Outcome.refused(Refusal("c", "f", "m"))

    command_id = str(uuid.uuid4())
    with pytest.raises(ZeroDivisionError):
        await run_command(table, scope="s", command_id=command_id, inputs={}, act=breaks, actor="test")
    outcome = await run_command(table, scope="s", command_id=command_id, inputs={}, act=works, actor="test")
    assert outcome == Outcome(422, problem(Refusal("c", "f", "m"), 422))


async def test_a_refusal_that_was_kept_in_the_shape_of_before_is_told_as_a_problem(table: Store, postgres: str) -> None:
    """Method: an old row is planted, and the migration that came with the new shape is carried out over it again."""
    kept = '{"error":{"code":"not_now","field":"reason","message":"was \'never\'; allowed: any other"}}'
    owner = await asyncpg.connect(postgres, server_settings={"search_path": '"table"'})
    for command_id, status, body in (("k1", 422, kept), ("k2", 201, '{"error":7}')):
        await owner.execute(
            "INSERT INTO commands (scope, command_id, inputs_hash, actor, recorded_at_us, status, body)"
            " VALUES ('s', $1, sha256('{}'), 'a', 1, $2, $3)",
            command_id, status, body,
        )  # fmt: skip
    sql = files("pitstream.runtime") / "migrations" / "0003_refusals_as_problems.sql"
    for _ in range(2):
        await owner.execute(sql.read_text())
    await owner.close()

    async def never(_tx: Any) -> Outcome:
        raise AssertionError

    answers = [
        await run_command(table, scope="s", command_id=command_id, inputs={}, act=never, actor="a")
        for command_id in ("k1", "k2")
    ]
    refusal = Refusal("not_now", "reason", "was 'never'; allowed: any other")
    assert answers == [Outcome(422, problem(refusal, 422)), Outcome(201, {"error": 7})]
