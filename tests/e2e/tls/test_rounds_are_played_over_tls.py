"""Method: all services run on a Kafka and a PostgreSQL that let in nobody without TLS and a password, each as the user
that it is in production, with its rights and no others; an evening is played, to the cent."""

import json
import os
from collections.abc import Callable, Sequence
from typing import Any

import asyncpg
import pytest

pytestmark = pytest.mark.stack

Books = Callable[[Sequence[str]], dict[str, Any]]
RESULTS = ("players", "totals", "meters", "rounds")


def test_rounds_are_dealt_settled_and_posted(floor: Any, evening_small: list[str], books_of: Books):
    # With a void round, a forfeit and a whole meter won.
    rounds = evening_small[188:192] + evening_small[216:220] + evening_small[420:445]
    played = floor.platform.feed(rounds)
    assert {name: played[name] for name in RESULTS} == books_of(rounds)
    assert json.loads(floor.platform.asked("ledger", "check", "--json"))["ok"]
    assert floor.platform.dead_letters() == []


async def test_every_connection_to_postgresql_is_tls(floor: Any, secured: Any):
    looking = await asyncpg.connect(secured.postgres)
    try:
        found = await looking.fetch(
            "SELECT application_name, ssl, version FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)"
            " WHERE usename = 'pitstream' AND pid <> pg_backend_pid()"
        )
    finally:
        await looking.close()
    wanted = {f"pitstream-{name}" for name in ("table", "settlement", "progressive", "wallet", "ops")}
    assert wanted | {f"{name}-relay" for name in wanted} <= {row["application_name"] for row in found}
    assert {(row["ssl"], row["version"]) for row in found} == {(True, "TLSv1.3")}


def test_the_topics_prove_themselves_to_who_may_only_read(floor: Any, secured: Any, tmp_path: Any):
    auditor = {**secured.at_kafka("pitstream-audit"), "PITSTREAM_POSTGRES": secured.postgres}
    shared = ("audit", "--source", "kafka", "--group", "tls", "--parts", str(tmp_path))
    done = floor.platform.pitstream(*shared, environ=auditor)
    assert (done.returncode, done.stderr) == (0, "")
    whole = floor.platform.pitstream("audit", "--combine", str(tmp_path), "--complete", "--json")
    assert whole.returncode == 0, whole.stdout + whole.stderr
    assert json.loads(whole.stdout)["events"]["rounds.v1"] > 300
    keyless = {**auditor, "PITSTREAM_KAFKA_PASSWORD": "env:NOTHING"}
    for command in (("audit", "--source", "kafka"), shared):
        refused = floor.platform.pitstream(*command, environ=keyless)
        assert refused.returncode == 2
        assert (
            refused.stderr == "error: PITSTREAM_KAFKA_PASSWORD: key_ref: was 'env:NOTHING'; nothing can be read there\n"
        )
    assert "NOTHING" not in os.environ
