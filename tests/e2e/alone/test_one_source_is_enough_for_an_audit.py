"""After an evening the event stores, the topics and an archive each prove the whole of it, alone. Method: real services
and a feed; the command over each source; two processes that share the topics as a consumer group."""

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.stack, pytest.mark.timeout(1800)]

ROUNDS = 24


@pytest.fixture(scope="module")
def played(new_platform: Any, evening_small: list[str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with new_platform() as platform:
        assert platform.feed(evening_small[:ROUNDS])["faults"] == []
        yield platform


def audit(platform: Any, *options: str, code: int = 0) -> dict[str, Any]:
    """What the audit of these events says; nothing is on its way any more."""
    environ = {"PITSTREAM_POSTGRES": platform.stack.postgres, "PITSTREAM_KAFKA": platform.stack.kafka}
    done = platform.pitstream("audit", "--complete", "--json", *options, environ=environ)
    assert done.returncode == code, done.stderr + done.stdout
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def archive(played: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("archived")
    environ = {"PITSTREAM_POSTGRES": played.stack.postgres}
    for arguments in (
        ("keys", "new", str(folder / "audit.pem")),
        ("archive", "--day", "2099-12-31", "--out", str(folder / "archive"), "--key", str(folder / "audit.pem")),
        ("checkpoint", "--out", str(folder / "archive"), "--key", str(folder / "audit.pem")),
    ):
        done = played.pitstream(*arguments, environ=environ)
        assert done.returncode == 0, done.stderr + done.stdout
    return folder


def test_each_source_alone_proves_the_evening(played: Any, archive: Path) -> None:
    key = ("--public-key", str(archive / "audit.pub"), "--checkpoints", str(archive / "archive"))
    reports = [audit(played, "--source", one, *key) for one in ("store", "kafka", str(archive / "archive"))]
    assert [report["findings"] for report in reports] == [[], [], []]
    [first, *others] = [{name: report[name] for name in ("events", "rounds_settled_again")} for report in reports]
    assert others == [first, first]
    assert first["rounds_settled_again"] == ROUNDS
    table = audit(played, "--table", "uth-03")
    assert (table["found"], 0 < table["rounds_settled_again"] < ROUNDS) == (0, True)
    day = audit(played, "--day", "1999-01-01")
    assert (day["found"], day["rounds_settled_again"]) == (0, 0)


def test_two_processes_share_the_topics_and_what_they_found_is_put_together(played: Any, tmp_path: Path) -> None:
    command = str(Path(sys.executable).with_name("pitstream"))

    def takes_part(folder: Path) -> "subprocess.CompletedProcess[str]":
        asked = [command, "audit", "--source", "kafka", "--group", tmp_path.name, "--parts", str(folder), "--json"]
        environ = {"PITSTREAM_KAFKA": played.stack.kafka, "PATH": "/usr/bin"}
        return subprocess.run(asked, capture_output=True, text=True, env=environ, timeout=300, check=False)

    folders = [tmp_path / "one", tmp_path / "two"]
    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(takes_part, folders))
    assert [one.returncode for one in done] == [0, 0], done
    parts = [sorted(file.name for file in folder.glob("part-*.sqlite")) for folder in folders]
    assert sorted(parts[0] + parts[1]) == [f"part-{number}.sqlite" for number in range(len(parts[0] + parts[1]))]
    together = audit(played, "--combine", str(folders[0]), "--combine", str(folders[1]))
    assert (together["findings"], together["rounds_settled_again"]) == ([], ROUNDS)
    assert together["events"] == audit(played, "--source", "kafka")["events"]
