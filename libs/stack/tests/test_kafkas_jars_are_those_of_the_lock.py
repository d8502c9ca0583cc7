"""The real jars: they are downloaded, damaged and mended in folders of the test's own."""

import shutil
from pathlib import Path

import pytest

from pitstream.stack import StackError, jars

pytestmark = pytest.mark.stack  # they come from the network the first time


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the user's own, whole folder."""
    return shutil.copytree(jars.install(), tmp_path / "kafka")


def _names(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir())


def _jars(folder: Path) -> list[str]:
    """The class path; a Java archive recorded by `prepare`, and its lock, may lie beside it."""
    return sorted(p.name for p in folder.glob("*.jar"))


def test_the_folder_holds_every_locked_jar_and_nothing_else() -> None:
    assert _jars(jars.install()) == sorted(jar.filename for jar in jars.locked())
    assert all(jar.is_intact(jars.install()) for jar in jars.locked())


def test_the_lock_names_one_version_of_kafka_and_one_of_log4j_throughout() -> None:
    versions = {(jar.groupId, jar.version) for jar in jars.locked() if jar.groupId.startswith("org.apache.")}
    assert versions == {("org.apache.kafka", "4.4.0"), ("org.apache.logging.log4j", "2.25.5")}


def test_only_what_is_missing_truncated_or_exchanged_is_downloaded_again(folder: Path) -> None:
    (folder / "jspecify-1.0.0.jar").unlink()
    (folder / "slf4j-api-1.7.36.jar").write_bytes((folder / "slf4j-api-1.7.36.jar").read_bytes()[:-1])
    shutil.copy(folder / "re2j-1.8.jar", folder / "argparse4j-0.7.0.jar")
    (folder / "stranger.jar").touch()
    kept = (folder / "re2j-1.8.jar").stat().st_mtime_ns

    assert jars.install(folder) == folder
    assert all(jar.is_intact(folder) for jar in jars.locked())
    assert _jars(folder) == sorted(jar.filename for jar in jars.locked())
    assert (folder / "re2j-1.8.jar").stat().st_mtime_ns == kept
    assert _names(folder.parent) == ["kafka", "kafka.lock"]


def test_without_a_network_it_says_so_and_leaves_what_was_there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "jspecify-1.0.0.jar").unlink()
    before = _jars(folder)
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")  # the port that discards; nothing listens there
    with pytest.raises(StackError, match=r"^Apache Kafka's jars could not be downloaded from Maven Central: "):
        jars.install(folder)
    assert _jars(folder) == before
    assert _names(folder.parent) == ["kafka", "kafka.lock"]
