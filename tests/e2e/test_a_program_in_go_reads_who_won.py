"""The contract is enough for a reader in another language: the example in Go, built from ``proto/`` alone, prints the
winners that the round records themselves say."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from aiokafka import AIOKafkaProducer

from pitstream.games.settle_file import Settled, settle_lines
from pitstream.games.settlement import settle
from pitstream.games.totals import net_of

pytestmark = [
    pytest.mark.stack,
    pytest.mark.skipif(shutil.which("go") is None, reason="needs Go (Debian: apt-get install golang)"),
]

ROOT = Path(__file__).parents[2]


def test_a_program_in_go_prints_the_winners_of_every_round(
    platform: Any, evening_small: Sequence[str], tmp_path: Path
) -> None:
    lines = at_tables_of_this_test(evening_small)[:40]
    expected = winners(lines)
    assert len(expected) > 20
    platform.feed(lines)
    asyncio.run(send_what_is_no_event(platform.stack.kafka))

    program = tmp_path / "winners"
    shutil.copytree(ROOT / "examples/go-winners", program, ignore=shutil.ignore_patterns("gen", "winners"))
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    for command in (["buf", "generate", str(ROOT / "proto")], ["go", "build", "-o", "who-won", "."]):
        done = subprocess.run(
            command, cwd=program, env=environment, capture_output=True, text=True, timeout=600, check=False
        )
        assert done.returncode == 0, done.stderr
    ran = subprocess.run(
        [program / "who-won", "-brokers", platform.stack.kafka, "-to-end"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert "is no event" in ran.stderr
    printed = [json.loads(line) for line in ran.stdout.splitlines()]
    found = [(one["table"], one["player"], one["net"]) for one in printed if one["table"].startswith("go-")]
    assert sorted(found) == sorted(expected)


async def send_what_is_no_event(kafka: str) -> None:
    async with AIOKafkaProducer(bootstrap_servers=kafka) as producer:
        await producer.send_and_wait("settlements.v1", b"no envelope", key=f"stray-{uuid.uuid4().hex}".encode())


def at_tables_of_this_test(lines: Sequence[str]) -> list[str]:
    """The rounds without their progressive wagers, at tables that no other test plays at."""
    named = []
    for record in map(json.loads, lines):
        for seat in record["seats"]:
            seat["wagers"].pop("progressive", None)
        record["paytables"].pop("progressive", None)
        named.append(json.dumps({**record, "id": f"go-{record['id']}", "table": f"go-{record['table']}"}))
    return named


def winners(lines: Sequence[str]) -> list[tuple[str, str, str]]:
    """``(table, player, net)`` of each seat that left a round with more than it staked, by settlement alone."""
    won = []
    for line, one in zip(lines, settle_lines(line.encode() for line in lines), strict=True):
        assert isinstance(one, Settled)
        table = json.loads(line)["table"]
        nets = [(seat.player, net_of(seat)) for seat in settle(one.record.round).seats]
        won += [(table, player, str(net)) for player, net in nets if net > 0]
    return won
