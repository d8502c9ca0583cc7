"""What a round costs, service by service: processor time and bytes, of an evening played through the real services.

    python libs/cli/benches/cost_of_a_round.py [--rounds 400]

Processor time, not the clock: other work on the machine moves it less. From it `docs/operations.md` counts what many
tables need.
"""

import argparse
import asyncio
import json
import os
import platform as machine
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import asyncpg
import psutil

from pitstream.cli import platform
from pitstream.cli.addresses import SERVICES
from pitstream.cli.testing import employ_boss
from pitstream.stack import Stack, embedded
from pitstream.stack.processes import services_status

DEMO = Path(__file__).parents[3] / "demo"


def main() -> None:
    """Play, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=400)
    rounds = parser.parse_args().rounds
    lines = (DEMO / "evening-uth.jsonl").read_text().splitlines()
    warm_up, played = lines[:50], lines[50 : 50 + rounds]
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        employ_boss(home)
        with embedded(data_dir=home / "stack") as stack:
            platform.start(stack, name="bench", data_dir=home)
            try:
                _feed(home, warm_up)
                before = _spent(home, stack)
                _feed(home, played)
                after = _spent(home, stack)
            finally:
                platform.stop(name="bench", data_dir=home)
    told = [
        f"{machine.machine()}, {os.cpu_count()} cores, Python {machine.python_version()}, asyncpg {version('asyncpg')}",
        f"{len(played)} rounds; each round:",
    ]
    for name, spent in after.items():
        each = (spent - before[name]) / len(played)
        told.append(f"  {name:<24} " + (f"{each * 1000:8.1f} ms" if "processor" in name else f"{each:8.0f} bytes"))
    sys.stdout.write("\n".join(told) + "\n")


def _feed(home: Path, lines: list[str]) -> None:
    command = [Path(sys.executable).with_name("pitstream"), "feed", "-", "--json", "--patience=400"]
    environ = {**os.environ, "PITSTREAM_DATA_DIR": str(home)}
    done = subprocess.run(  # noqa: S603 - our own command
        command, input="\n".join(lines), capture_output=True, text=True, env=environ, check=True
    )
    assert json.loads(done.stdout)["rounds"] == len(lines)


def _spent(home: Path, stack: Stack) -> dict[str, float]:
    spent: dict[str, float] = {}
    for service in services_status(data_dir=home):
        if service.name in SERVICES and service.pid:
            spent[f"{service.name} processor"] = _seconds(psutil.Process(service.pid))
    for part in stack.status().parts:
        if part.pid:
            server = psutil.Process(part.pid)
            spent[f"{part.name} processor"] = _seconds(server) + sum(map(_seconds, server.children(recursive=True)))
    logs = [file for file in _files(home) if file.suffix == ".log" and ".v1-" in file.parent.name]
    for topic in sorted({file.parent.name.rpartition("-")[0] for file in logs}):
        spent[f"{topic} kafka"] = sum(
            file.stat().st_size for file in logs if file.parent.name.rpartition("-")[0] == topic
        )
    for line in _query(stack):
        name, _, size = line.partition("|")
        spent[f"{name} postgres"] = float(size)
    return spent


def _seconds(process: psutil.Process) -> float:
    """Its own, and its ended children's: PostgreSQL's connections come and go."""
    times = process.cpu_times()
    return times.user + times.system + times.children_user + times.children_system


def _files(home: Path) -> Iterator[Path]:
    return (file for file in (home / "stack").rglob("*") if file.is_file())


def _query(stack: Stack) -> list[str]:
    async def asked() -> list[str]:
        connection = await asyncpg.connect(stack.postgres)
        try:
            rows = await connection.fetch(
                "SELECT schemaname AS name, sum(pg_total_relation_size(relid)) AS bytes"
                " FROM pg_stat_user_tables WHERE schemaname = ANY($1) GROUP BY 1 ORDER BY 1",
                list(SERVICES),
            )
            written = await connection.fetchval("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn")
            return [f"{row['name']}|{row['bytes']}" for row in rows] + [f"WAL|{written}"]
        finally:
            await connection.close()

    return asyncio.run(asked())


if __name__ == "__main__":
    main()
