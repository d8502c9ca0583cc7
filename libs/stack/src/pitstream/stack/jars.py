"""Apache Kafka's jars: exactly those of `kafka.lock.toml`, downloaded once, checked by SHA-256 at every start."""

import hashlib
import os
import shutil
import tomllib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import typer
from filelock import FileLock
from platformdirs import user_cache_path
from pydantic import BaseModel, ConfigDict
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from pitstream.stack.process import StackError

LOCK = Path(__file__).with_name("kafka.lock.toml")


class Jar(BaseModel):
    """One line of the lock: Maven coordinates and the SHA-256 of the file."""

    model_config = ConfigDict(frozen=True)

    groupId: str  # noqa: N815 - Maven's words, as the lock file has them
    artifactId: str  # noqa: N815
    version: str
    sha256: str

    @property
    def filename(self) -> str:
        return f"{self.artifactId}-{self.version}.jar"

    def is_intact(self, folder: Path) -> bool:
        """Whether `folder` holds this very file: a truncated or exchanged one is not it."""
        path = folder / self.filename
        return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == self.sha256


@cache
def locked() -> tuple[Jar, ...]:
    """The jars that the lock names."""
    return tuple(Jar.model_validate(d) for d in tomllib.loads(LOCK.read_text())["dependencies"])


def folder() -> Path:
    """Where the jars are kept: the user's cache, named after the locked version."""
    kafka = next(j for j in locked() if j.artifactId == "kafka_2.13")
    return user_cache_path("pitstream") / f"kafka-{kafka.version}"


def install(into: Path | None = None) -> Path:
    """The folder with every locked jar, intact; what is missing or damaged is downloaded first (about 45 MB).

    Raises StackError when a jar can't be had or is not what the lock says.
    """
    target = into or folder()
    if _faults(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        # Two processes that start at once: the second waits and then finds the work done.
        with FileLock(target.with_name(target.name + ".lock")):
            if faults := _faults(target):
                _download(faults, target)
    return target


def _faults(target: Path) -> list[Jar]:
    return [j for j in locked() if not j.is_intact(target)]


def _download(faults: list[Jar], target: Path) -> None:
    # Imported here, as it takes half a second that only the first start should pay.
    from jgo.config import GlobalSettings
    from jgo.constants import MAVEN_CENTRAL_URL
    from jgo.maven import MavenContext

    # Built beside the target and renamed at the end: a folder of the right name is always a whole one.
    partial = target.with_name(f"{target.name}.partial-{os.getpid()}")
    shutil.rmtree(partial, ignore_errors=True)
    mirrors = GlobalSettings.load().repositories  # a company's mirror, if the user configured one for jgo
    maven = MavenContext(
        repo_cache=partial / "maven", remote_repos=mirrors | {"central": MAVEN_CENTRAL_URL}, timeout=60
    )

    def fetch(jar: Jar) -> None:
        file = maven.project(jar.groupId, jar.artifactId).at_version(jar.version).artifact().resolve()
        file.rename(partial / jar.filename)
        if not jar.is_intact(partial):
            raise StackError(f"{jar.filename}: was another file; allowed: the one with SHA-256 {jar.sha256}")

    try:
        (partial / "maven").mkdir(parents=True)
        for jar in set(locked()) - set(faults):
            shutil.copy2(target / jar.filename, partial / jar.filename)
        with _progress(len(faults)) as advance, ThreadPoolExecutor(max_workers=6) as pool:
            for _ in pool.map(fetch, faults):
                advance()
        shutil.rmtree(partial / "maven")
        shutil.rmtree(target, ignore_errors=True)
        partial.rename(target)
    except (OSError, RuntimeError) as fault:  # requests' exceptions are OSErrors, jgo's are RuntimeErrors
        raise StackError(f"Apache Kafka's jars could not be downloaded from Maven Central: {fault}") from fault
    finally:
        shutil.rmtree(partial, ignore_errors=True)


@contextmanager
def _progress(count: int) -> Iterator[Callable[[], None]]:
    console = Console(stderr=True)
    if not console.is_terminal:
        typer.echo(f"downloading {count} jars of Apache Kafka, the first time only", err=True)
        yield lambda: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("downloading Apache Kafka, the first time only", total=count)
        yield lambda: bar.advance(task)
